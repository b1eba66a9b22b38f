/* SPDX-License-Identifier: Apache-2.0 */
/*
 * packet.h - numbered messages with descriptors over a SOCK_SEQPACKET socket
 *
 * One message per packet: u32 number, then the payload.  What a number may carry is a table of
 * struct packet_bound, so that the peer is held to it before anybody looks at a byte.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PACKET_MAX_FDS 10

struct packet_bound {
	uint32_t number; /* below 256 */
	size_t max_bytes, max_fds;
};

/* Where a packet is received to.  The caller provides the room. */
struct packet_view {
	uint32_t number;
	uint8_t *bytes; /* of the payload */
	size_t max_bytes, len;
	int *fds; /* room for PACKET_MAX_FDS; owned by the caller once received */
	size_t n_fds;
};

/*
 * packet_send() - one message; 0 or errno (EAGAIN: the socket is full)
 * @payload:  may be NULL when @len is 0
 * @fds:      at most PACKET_MAX_FDS; stay open here
 */
int packet_send(int socket_fd, uint32_t number, const void *payload, size_t len, const int *fds,
		size_t n_fds);

/*
 * packet_recv() - the next message
 *
 * 0 done; EAGAIN none is waiting; ECONNRESET the peer is gone; EPROTO the message breaks the
 * table (unknown number, too long, too many descriptors, truncated): its descriptors are closed.
 */
int packet_recv(int socket_fd, struct packet_view *view, const struct packet_bound *bounds,
		size_t n_bounds, int flags);

/* packet_close_fds() - close what was not taken (taken ones are -1) and forget them. */
void packet_close_fds(int *fds, size_t *n_fds);
