/* SPDX-License-Identifier: Apache-2.0 */
/* init_channel.c - the table of init_messages.h on the socket */
#include "wire/init_messages.h"
#include "wire/packet.h"

static_assert(INIT_MAX_FDS == PACKET_MAX_FDS, "a packet of foso-init is a packet");

static const struct packet_bound bounds[] = {
#define INIT_MESSAGE_BOUND(name, number, max, n_fds) { (number), (max), (n_fds) },
	INIT_MESSAGES(INIT_MESSAGE_BOUND)
#undef INIT_MESSAGE_BOUND
};

int init_channel_send(int socket_fd, enum init_message number, const void *payload, size_t len,
		      const int *fds, size_t n_fds)
{
	return packet_send(socket_fd, number, payload, len, fds, n_fds);
}

void init_packet_close(struct init_packet *packet)
{
	packet_close_fds(packet->fds, &packet->n_fds);
}

int init_channel_recv(int socket_fd, struct init_packet *packet, int flags)
{
	struct packet_view view = { .bytes = packet->bytes,
				    .max_bytes = sizeof(packet->bytes),
				    .fds = packet->fds };
	int r = packet_recv(socket_fd, &view, bounds, ARRAY_LEN(bounds), flags);
	packet->n_fds = view.n_fds;
	if (r != 0)
		return r;
	packet->number = (enum init_message)view.number;
	packet->len = view.len;
	return 0;
}
