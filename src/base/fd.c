/* SPDX-License-Identifier: Apache-2.0 */
/* fd.c - what is asked of a descriptor in many places */
#include "base/fd.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

ssize_t fd_path(int fd, char *ret, size_t size)
{
	char name[32];
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	ssize_t len = readlink(name, ret, size);
	if (len < 0)
		return -errno;
	if ((size_t)len >= size)
		return -ENAMETOOLONG;
	ret[len] = '\0';
	return len;
}

int fd_write_all(int fd, const void *bytes, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = write(fd, (const char *)bytes + at, len - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return -1;
		at += (size_t)n;
	}
	return 0;
}

int fd_send(int socket_fd, struct iovec *parts, uint8_t n_parts, const int *fds, size_t n_fds)
{
	not_zeroed union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * FD_MAX_SENT)];
	} control;
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = n_parts };
	if (n_fds > FD_MAX_SENT)
		return E2BIG;
	if (n_fds > 0) {
		message.msg_control = control.bytes;
		message.msg_controllen = (socklen_t)CMSG_SPACE(sizeof(int) * n_fds);
		memset(control.bytes, 0, message.msg_controllen);
		control.align.cmsg_level = SOL_SOCKET;
		control.align.cmsg_type = SCM_RIGHTS;
		control.align.cmsg_len = (socklen_t)CMSG_LEN(sizeof(int) * n_fds);
		memcpy(CMSG_DATA(&control.align), fds, sizeof(int) * n_fds);
	}
	ssize_t n;
	do
		n = sendmsg(socket_fd, &message, MSG_NOSIGNAL);
	while (n < 0 && errno == EINTR);
	return n < 0 ? errno : 0;
}
