/* SPDX-License-Identifier: Apache-2.0 */
/* init_channel.c - one message per packet, descriptors counted and closed */
#include <errno.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "wire/init_messages.h"

struct bound {
	enum init_message number;
	size_t max_bytes, max_fds;
};

static const struct bound bounds[] = {
#define INIT_MESSAGE_BOUND(name, number, max, n_fds) { INIT_##name, (max), (n_fds) },
	INIT_MESSAGES(INIT_MESSAGE_BOUND)
#undef INIT_MESSAGE_BOUND
};

static const struct bound *find_bound(uint32_t number)
{
	for (size_t i = 0; i < ARRAY_LEN(bounds); i++) {
		if ((uint32_t)bounds[i].number == number)
			return &bounds[i];
	}
	return NULL;
}

int init_channel_send(int socket_fd, enum init_message number, const void *payload, size_t len,
		      const int *fds, size_t n_fds)
{
	uint8_t head[4] = { (uint8_t)number, 0, 0, 0 };
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * INIT_MAX_FDS)];
	} control;
	struct iovec parts[2] = {
		{ .iov_base = head, .iov_len = sizeof(head) },
		/* sendmsg() only reads it; the member is not const for recvmsg()'s sake. */
		{ .iov_base = (void *)(uintptr_t)payload, .iov_len = len },
	};
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = len > 0 ? 2 : 1 };
	if (n_fds > 0) {
		memset(&control, 0, sizeof(control));
		message.msg_control = control.bytes;
		message.msg_controllen = (socklen_t)CMSG_SPACE(sizeof(int) * n_fds);
		struct cmsghdr *item = &control.align;
		item->cmsg_level = SOL_SOCKET;
		item->cmsg_type = SCM_RIGHTS;
		item->cmsg_len = (socklen_t)CMSG_LEN(sizeof(int) * n_fds);
		memcpy(CMSG_DATA(item), fds, sizeof(int) * n_fds);
	}
	ssize_t n;
	do
		n = sendmsg(socket_fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? errno : 0;
}

void init_packet_close(struct init_packet *packet)
{
	for (size_t i = 0; i < packet->n_fds; i++)
		fd_close(&packet->fds[i]);
	packet->n_fds = 0;
}

/* Collects the descriptors of a received message: the kernel delivers them as one item. */
static bool take_fds(const struct msghdr *message, struct init_packet *packet)
{
	const struct cmsghdr *item = CMSG_FIRSTHDR(message);
	packet->n_fds = 0;
	if (item && item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_RIGHTS) {
		size_t n = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		packet->n_fds = MIN(n, (size_t)INIT_MAX_FDS);
		memcpy(packet->fds, CMSG_DATA(item), packet->n_fds * sizeof(int));
	}
	return !(message->msg_flags & MSG_CTRUNC);
}

int init_channel_recv(int socket_fd, struct init_packet *packet, int flags)
{
	uint8_t head[4];
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * INIT_MAX_FDS)];
	} control;
	struct iovec parts[2] = {
		{ .iov_base = head, .iov_len = sizeof(head) },
		{ .iov_base = packet->bytes, .iov_len = sizeof(packet->bytes) },
	};
	struct msghdr message = { .msg_iov = parts,
				  .msg_iovlen = 2,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	ssize_t n;
	do
		n = recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC | flags);
	while (n < 0 && errno == EINTR);
	packet->n_fds = 0;
	if (n < 0)
		return errno == EWOULDBLOCK ? EAGAIN : errno;
	if (n == 0)
		return ECONNRESET;
	bool is_whole = take_fds(&message, packet) && !(message.msg_flags & MSG_TRUNC);
	const struct bound *bound = NULL;
	if (is_whole && (size_t)n >= sizeof(head) && head[1] == 0 && head[2] == 0 && head[3] == 0)
		bound = find_bound(head[0]);
	packet->len = (size_t)n - MIN((size_t)n, sizeof(head));
	if (!bound || packet->len > bound->max_bytes || packet->n_fds > bound->max_fds) {
		init_packet_close(packet);
		return EPROTO;
	}
	packet->number = bound->number;
	return 0;
}
