/* SPDX-License-Identifier: Apache-2.0 */
/* streams.c - the three streams, and what a descriptor that is none of them is answered */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"
#include "wasm/wasi/guest.h"

#define FILETYPE_UNKNOWN          0
#define FILETYPE_CHARACTER_DEVICE 2
#define FILETYPE_REGULAR_FILE     4
#define FILETYPE_SOCKET_STREAM    6

struct wasi_stream *wasi_stream(struct wasi *wasi, uint64_t fd)
{
	if (fd >= WASI_N_STREAMS || wasi->streams[fd].fd < 0)
		return NULL;
	return &wasi->streams[fd];
}

/* The wall against what is not granted: an open stream is not what the call is for. */
static uint32_t answer(struct wasi *wasi, uint64_t fd, enum wasi_errno for_stream)
{
	return wasi_stream(wasi, fd) ? for_stream : WASI_EBADF;
}

uint32_t wasi_not_capable(struct wasi *wasi, const uint64_t *args)
{
	return answer(wasi, args[0], WASI_ENOTCAPABLE);
}

uint32_t wasi_not_folder(struct wasi *wasi, const uint64_t *args)
{
	return answer(wasi, args[0], WASI_ENOTDIR);
}

/* The folder is the third argument: what the link says, and its length, come first. */
uint32_t wasi_symlink_nowhere(struct wasi *wasi, const uint64_t *args)
{
	return answer(wasi, args[2], WASI_ENOTDIR);
}

/* The C library of guests asks 3, 4, 5, ... until it is told that there are no more folders. */
uint32_t wasi_not_preopened(struct wasi *wasi, const uint64_t *args)
{
	UNUSED(wasi);
	UNUSED(args);
	return WASI_EBADF;
}

uint32_t wasi_not_seekable(struct wasi *wasi, const uint64_t *args)
{
	return answer(wasi, args[0], WASI_ESPIPE);
}

uint32_t wasi_not_socket(struct wasi *wasi, const uint64_t *args)
{
	return answer(wasi, args[0], WASI_ENOTSOCK);
}

/* As fsync() of a pipe. */
uint32_t wasi_not_syncable(struct wasi *wasi, const uint64_t *args)
{
	return answer(wasi, args[0], WASI_EINVAL);
}

uint32_t wasi_fd_close(struct wasi *wasi, const uint64_t *args)
{
	struct wasi_stream *stream = wasi_stream(wasi, args[0]);
	if (!stream)
		return WASI_EBADF;
	close(stream->fd);
	stream->fd = -1;
	return WASI_SUCCESS;
}

/* args[0] takes the place of args[1]; both must be open, so no number can be made. */
uint32_t wasi_fd_renumber(struct wasi *wasi, const uint64_t *args)
{
	struct wasi_stream *from = wasi_stream(wasi, args[0]), *to = wasi_stream(wasi, args[1]);
	if (!from || !to)
		return WASI_EBADF;
	if (from == to)
		return WASI_SUCCESS;
	close(to->fd);
	*to = *from;
	from->fd = -1;
	return WASI_SUCCESS;
}

static int status_of(int fd, struct stat *ret)
{
	/* By the old call: the C library's own fstat() is one with a path, which is not allowed. */
	return syscall(SYS_fstat, fd, ret) < 0 ? errno : 0;
}

static uint8_t filetype(const struct stat *status)
{
	if (S_ISCHR(status->st_mode))
		return FILETYPE_CHARACTER_DEVICE;
	if (S_ISREG(status->st_mode))
		return FILETYPE_REGULAR_FILE;
	return S_ISSOCK(status->st_mode) ? FILETYPE_SOCKET_STREAM : FILETYPE_UNKNOWN;
}

/* u8 type, u16 flags at 2, u64 rights at 8, u64 inheriting rights at 16. */
uint32_t wasi_fd_fdstat_get(struct wasi *wasi, const uint64_t *args)
{
	const struct wasi_stream *stream = wasi_stream(wasi, args[0]);
	uint8_t *at = guest_at(wasi, args[1], 24);
	struct stat status;
	if (!stream)
		return WASI_EBADF;
	if (!at)
		return WASI_EFAULT;
	int errnum = status_of(stream->fd, &status);
	if (errnum != 0)
		return wasi_errno_of(errnum);
	memset(at, 0, 24);
	at[0] = filetype(&status);
	guest_put_u16(at + 2, stream->flags);
	guest_put_u64(at + 8, stream->rights);
	return WASI_SUCCESS;
}

/* The flag is the guest's own; the pipe, which others hold too, stays as it is. */
uint32_t wasi_fd_fdstat_set_flags(struct wasi *wasi, const uint64_t *args)
{
	struct wasi_stream *stream = wasi_stream(wasi, args[0]);
	if (!stream)
		return WASI_EBADF;
	if (!(stream->rights & WASI_RIGHT_FD_FDSTAT_SET_FLAGS))
		return WASI_ENOTCAPABLE;
	if (args[1] & ~(uint64_t)WASI_FDFLAG_NONBLOCK)
		return args[1] > 31 ? WASI_EINVAL : WASI_ENOTSUP;
	stream->flags = (uint16_t)args[1];
	return WASI_SUCCESS;
}

/* Rights can be given up and never come back. */
uint32_t wasi_fd_fdstat_set_rights(struct wasi *wasi, const uint64_t *args)
{
	struct wasi_stream *stream = wasi_stream(wasi, args[0]);
	if (!stream)
		return WASI_EBADF;
	if ((args[1] & ~stream->rights) != 0 || args[2] != 0)
		return WASI_ENOTCAPABLE;
	stream->rights = args[1];
	return WASI_SUCCESS;
}

/*
 * Device and inode stay zero: they would name something of the host.  So do the times.
 * u64 dev, u64 ino at 8, u8 type at 16, u64 links at 24, u64 size at 32, times at 40, 48, 56.
 */
uint32_t wasi_fd_filestat_get(struct wasi *wasi, const uint64_t *args)
{
	const struct wasi_stream *stream = wasi_stream(wasi, args[0]);
	uint8_t *at = guest_at(wasi, args[1], 64);
	struct stat status;
	if (!stream)
		return WASI_EBADF;
	if (!(stream->rights & WASI_RIGHT_FD_FILESTAT_GET))
		return WASI_ENOTCAPABLE;
	if (!at)
		return WASI_EFAULT;
	int errnum = status_of(stream->fd, &status);
	if (errnum != 0)
		return wasi_errno_of(errnum);
	memset(at, 0, 64);
	at[16] = filetype(&status);
	guest_put_u64(at + 24, 1);
	return WASI_SUCCESS;
}

/* The guest's vectors as the host's, cut to what one call moves. */
static uint32_t read_iovecs(const struct wasi *wasi, const uint64_t *args, struct iovec *iovecs,
			    int *ret_n, uint64_t *ret_len)
{
	const uint8_t *at = guest_at(wasi, args[1], 8 * args[2]);
	*ret_n = 0;
	*ret_len = 0;
	if (args[2] > WASI_MAX_IOVECS)
		return WASI_EINVAL;
	if (!at)
		return WASI_EFAULT;
	for (uint64_t i = 0; i < args[2]; i++, at += 8) {
		uint64_t len = guest_u32(at + 4);
		uint8_t *bytes = guest_at(wasi, guest_u32(at), len);
		if (!bytes)
			return WASI_EFAULT;
		len = MIN(len, WASI_MAX_TRANSFER_BYTES - *ret_len);
		if (len == 0)
			continue;
		iovecs[(*ret_n)++] = (struct iovec){ bytes, (size_t)len };
		*ret_len += len;
	}
	return WASI_SUCCESS;
}

static bool would_block(const struct wasi_stream *stream, short events)
{
	struct pollfd ready = { .fd = stream->fd, .events = events };
	return (stream->flags & WASI_FDFLAG_NONBLOCK) && poll(&ready, 1, 0) == 0;
}

static uint32_t transfer(struct wasi *wasi, const uint64_t *args, uint64_t right, short events)
{
	const struct wasi_stream *stream = wasi_stream(wasi, args[0]);
	struct iovec iovecs[WASI_MAX_IOVECS];
	uint64_t len;
	int n_iovecs;
	if (!stream)
		return WASI_EBADF;
	if (!(stream->rights & right))
		return WASI_ENOTCAPABLE;
	uint32_t r = read_iovecs(wasi, args, iovecs, &n_iovecs, &len);
	if (r != WASI_SUCCESS)
		return r;
	if (!guest_at(wasi, args[3], 4))
		return WASI_EFAULT;
	if (!wasi_pay(wasi, len / WASI_BYTES_PER_UNIT))
		return WASI_OUT_OF_FUEL;
	if (would_block(stream, events))
		return WASI_EAGAIN;
	ssize_t n = 0;
	do {
		if (n_iovecs > 0 && right == WASI_RIGHT_FD_READ)
			n = readv(stream->fd, iovecs, n_iovecs);
		else if (n_iovecs > 0)
			n = writev(stream->fd, iovecs, n_iovecs);
	} while (n < 0 && errno == EINTR);
	if (n < 0)
		return wasi_errno_of(errno);
	return guest_store_u32(wasi, args[3], (uint32_t)n);
}

uint32_t wasi_fd_read(struct wasi *wasi, const uint64_t *args)
{
	return transfer(wasi, args, WASI_RIGHT_FD_READ, POLLIN);
}

uint32_t wasi_fd_write(struct wasi *wasi, const uint64_t *args)
{
	return transfer(wasi, args, WASI_RIGHT_FD_WRITE, POLLOUT);
}
