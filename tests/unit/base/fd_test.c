/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes with descriptors over a socket; the rest of fd.h is tested where it is used. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/fd.h"
#include "support/tap.h"

/* How many descriptors come with the two bytes; all are closed. */
static size_t receive(int socket_fd)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * FD_MAX_SENT)];
	} control;
	char bytes[8];
	struct iovec part = { .iov_base = bytes, .iov_len = sizeof(bytes) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	struct stat status;
	EQ(recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC), 2);
	OK(memcmp(bytes, "ab", 2) == 0);
	struct cmsghdr *item = CMSG_FIRSTHDR(&message);
	size_t n_fds = item ? (item->cmsg_len - CMSG_LEN(0)) / sizeof(int) : 0;
	for (size_t i = 0; i < n_fds; i++) {
		int fd;
		memcpy(&fd, CMSG_DATA(item) + i * sizeof(int), sizeof(int));
		OK(fstat(fd, &status) == 0 && S_ISCHR(status.st_mode));
		close(fd);
	}
	return n_fds;
}

static void test_fd_send_carries_bytes_and_as_many_descriptors_as_the_kernel(void)
{
	int pair[2], fds[FD_MAX_SENT + 1];
	char a = 'a', b = 'b';
	struct iovec parts[] = { { .iov_base = &a, .iov_len = 1 },
				 { .iov_base = &b, .iov_len = 1 } };
	EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	fds[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
	OK(fds[0] >= 0);
	for (size_t i = 1; i < ARRAY_LEN(fds); i++)
		fds[i] = fds[0];
	for (size_t n_fds = 0; n_fds <= FD_MAX_SENT; n_fds += 23) {
		EQ(fd_send(pair[0], parts, 2, fds, n_fds), 0);
		EQ(receive(pair[1]), n_fds);
	}
	EQ(fd_send(pair[0], parts, 2, fds, FD_MAX_SENT + 1), E2BIG);
	close(pair[1]);
	EQ(fd_send(pair[0], parts, 2, fds, 1), EPIPE);
	close(fds[0]);
	close(pair[0]);
}

int main(void)
{
	RUN(test_fd_send_carries_bytes_and_as_many_descriptors_as_the_kernel);
	return tap_done();
}
