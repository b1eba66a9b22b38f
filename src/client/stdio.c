/* SPDX-License-Identifier: Apache-2.0 */
/* stdio.c - the descriptors that a command gets, from what its order says */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "client/client.h"

#define FIRST_FD 10 /* clear of what the monitor's child puts at 0 to 5 */

static int failed(const char *what, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errno, "stdio", "%s", what);
	return error_remedy(err, r, "raise the limit of open files");
}

static int open_nothing(int *ret_fd)
{
	auto_fd int fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	*ret_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FD);
	return *ret_fd < 0 ? -1 : 0;
}

/* A file and not a pipe: nobody has to wait until the command takes it. */
static int open_bytes(const struct order_stream *stream, int *ret_fd)
{
	auto_fd int fd = sys_memfd_create("foso-stdin", MFD_CLOEXEC);
	if (fd < 0)
		return -1;
	for (size_t at = 0; at < stream->len;) {
		ssize_t n = write(fd, stream->bytes + at, stream->len - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += (size_t)n;
	}
	if (lseek(fd, 0, SEEK_SET) < 0)
		return -1;
	*ret_fd = fcntl(fd, F_DUPFD_CLOEXEC, FIRST_FD);
	return *ret_fd < 0 ? -1 : 0;
}

static int open_capture(const struct order_stream *stream, struct capture *capture, int *ret_fd)
{
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	auto_fd int write_fd = ends[1];
	capture->fd = ends[0];
	capture->is_on = true;
	capture->max_bytes = stream->max_bytes;
	(void)fcntl(capture->fd, F_SETFL, O_NONBLOCK);
	*ret_fd = fcntl(write_fd, F_DUPFD_CLOEXEC, FIRST_FD);
	return *ret_fd < 0 ? -1 : 0;
}

static int open_stream(const struct order_stream *stream, struct capture *capture, int *ret_fd)
{
	switch (stream->kind) {
	case ORDER_NOTHING:
		return open_nothing(ret_fd);
	case ORDER_FD:
		*ret_fd = fcntl(stream->fd, F_DUPFD_CLOEXEC, FIRST_FD);
		return *ret_fd < 0 ? -1 : 0;
	case ORDER_BYTES:
		return open_bytes(stream, ret_fd);
	case ORDER_CAPTURE:
		return open_capture(stream, capture, ret_fd);
	}
	return -1;
}

void client_stdio_close(int stdio[3])
{
	for (int i = 0; i < 3; i++)
		fd_close(&stdio[i]);
}

int client_stdio_open(const struct foso_order *order, struct foso_run *run, int ret_stdio[3],
		      struct error *err)
{
	static const char *const words[] = { "stdin cannot be opened", "stdout cannot be opened",
					     "stderr cannot be opened" };
	for (int i = 0; i < 3; i++) {
		if (open_stream(&order->streams[i], &run->captures[i], &ret_stdio[i]) < 0) {
			int r = failed(words[i], err);
			client_stdio_close(ret_stdio);
			return r;
		}
	}
	return 0;
}
