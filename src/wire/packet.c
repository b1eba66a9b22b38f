/* SPDX-License-Identifier: Apache-2.0 */
/* packet.c - one message per packet, descriptors counted and closed */
#include "wire/packet.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/macros.h"

union control {
	struct cmsghdr align;
	char bytes[CMSG_SPACE(sizeof(int) * PACKET_MAX_FDS)];
};

int packet_send(int socket_fd, uint32_t number, const void *payload, size_t len, const int *fds,
		size_t n_fds)
{
	uint8_t head[4] = { (uint8_t)number, 0, 0, 0 };
	struct iovec parts[2] = {
		{ .iov_base = head, .iov_len = sizeof(head) },
		/* sendmsg() only reads it; the member is not const for recvmsg()'s sake. */
		{ .iov_base = (void *)(uintptr_t)payload, .iov_len = len },
	};
	if (n_fds > PACKET_MAX_FDS)
		return E2BIG;
	return fd_send(socket_fd, parts, len > 0 ? 2 : 1, fds, n_fds);
}

void packet_close_fds(int *fds, size_t *n_fds)
{
	for (size_t i = 0; i < *n_fds; i++)
		fd_close(&fds[i]);
	*n_fds = 0;
}

/* Collects the descriptors of a received message: the kernel delivers them as one item. */
static bool take_fds(const struct msghdr *message, struct packet_view *view)
{
	struct cmsghdr *item = CMSG_FIRSTHDR(message);
	view->n_fds = 0;
	if (item && item->cmsg_level == SOL_SOCKET && item->cmsg_type == SCM_RIGHTS) {
		size_t n = (item->cmsg_len - CMSG_LEN(0)) / sizeof(int);
		view->n_fds = MIN(n, (size_t)PACKET_MAX_FDS);
		memcpy(view->fds, CMSG_DATA(item), view->n_fds * sizeof(int));
	}
	return !(message->msg_flags & MSG_CTRUNC);
}

static const struct packet_bound *find_bound(const struct packet_bound *bounds, size_t n_bounds,
					     const uint8_t head[4])
{
	for (size_t i = 0; i < n_bounds && head[1] == 0 && head[2] == 0 && head[3] == 0; i++) {
		if (bounds[i].number == head[0])
			return &bounds[i];
	}
	return NULL;
}

int packet_recv(int socket_fd, struct packet_view *view, const struct packet_bound *bounds,
		size_t n_bounds, int flags)
{
	uint8_t head[4];
	union control control;
	struct iovec parts[2] = {
		{ .iov_base = head, .iov_len = sizeof(head) },
		{ .iov_base = view->bytes, .iov_len = view->max_bytes },
	};
	struct msghdr message = { .msg_iov = parts,
				  .msg_iovlen = 2,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	bool was_reset = false;
	ssize_t n = 0;
	/*
	 * A peer that ends with something of ours unread leaves ECONNRESET, which is told once and
	 * before its last words (net/unix/af_unix.c, unix_release_sock()): they are asked for.
	 */
	do {
		was_reset = was_reset || (n < 0 && errno == ECONNRESET);
		n = recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC | flags);
	} while (n < 0 && (errno == EINTR || (errno == ECONNRESET && !was_reset)));
	view->n_fds = 0;
	if (n < 0)
		return errno == EWOULDBLOCK ? EAGAIN : errno;
	if (n == 0)
		return ECONNRESET;
	bool is_whole = take_fds(&message, view) && !(message.msg_flags & MSG_TRUNC);
	const struct packet_bound *bound = NULL;
	if (is_whole && (size_t)n >= sizeof(head))
		bound = find_bound(bounds, n_bounds, head);
	view->len = (size_t)n - MIN((size_t)n, sizeof(head));
	if (!bound || view->len > bound->max_bytes || view->n_fds > bound->max_fds) {
		packet_close_fds(view->fds, &view->n_fds);
		return EPROTO;
	}
	view->number = bound->number;
	return 0;
}
