/* SPDX-License-Identifier: Apache-2.0 */
/* files.c - reading and writing streams and files; size, place and times of files */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"
#include "wasm/wasi/guest.h"

/* One call that moves bytes. */
struct transfer {
	struct wasi_file *file;
	struct iovec iovecs[WASI_MAX_IOVECS];
	int n_iovecs;
	uint64_t len;
	bool is_write, has_offset;
	uint64_t offset;
	uint64_t size; /* of the file, where what is written counts */
};

static bool would_block(const struct wasi_file *file, bool is_write)
{
	struct pollfd ready = { .fd = file->fd, .events = is_write ? POLLOUT : POLLIN };
	return file->is_stream && (file->flags & WASI_FDFLAG_NONBLOCK) && poll(&ready, 1, 0) == 0;
}

static void cut_iovecs(struct transfer *transfer, uint64_t len)
{
	uint64_t left = len;
	int n = 0;
	while (n < transfer->n_iovecs && left > 0) {
		struct iovec *iovec = &transfer->iovecs[n++];
		iovec->iov_len = MIN(iovec->iov_len, (size_t)left);
		left -= iovec->iov_len;
	}
	transfer->n_iovecs = n;
	transfer->len = len;
}

/* Where the kernel will write: behind all that is there if the file appends. */
static uint32_t find_place(const struct transfer *transfer, uint64_t *ret)
{
	off_t place = 0;
	if (transfer->file->flags & WASI_FDFLAG_APPEND)
		place = (off_t)transfer->size;
	else if (transfer->has_offset)
		place = (off_t)transfer->offset;
	else
		place = lseek(transfer->file->fd, 0, SEEK_CUR);
	*ret = (uint64_t)place;
	return place < 0 ? WASI_EINVAL : WASI_SUCCESS;
}

/* As much of it as the disk still has room for; *ret_place is where it goes. */
static uint32_t fit(const struct wasi *wasi, struct transfer *transfer, uint64_t *ret_place)
{
	struct stat status;
	int errnum = wasi_status(transfer->file->fd, &status);
	if (errnum != 0)
		return wasi_errno_of(errnum);
	transfer->size = (uint64_t)status.st_size;
	uint32_t r = find_place(transfer, ret_place);
	uint64_t room = wasi_disk_room(wasi, transfer->size);
	if (r != WASI_SUCCESS || transfer->len == 0 ||
	    (*ret_place < room && transfer->len <= room - *ret_place))
		return r;
	if (*ret_place >= room)
		return WASI_ENOSPC;
	cut_iovecs(transfer, room - *ret_place);
	return WASI_SUCCESS;
}

static ssize_t move(const struct transfer *transfer)
{
	int fd = transfer->file->fd;
	off_t offset = (off_t)transfer->offset;
	if (transfer->n_iovecs == 0)
		return 0;
	for (;;) {
		ssize_t n;
		if (transfer->has_offset && transfer->is_write)
			n = pwritev(fd, transfer->iovecs, transfer->n_iovecs, offset);
		else if (transfer->has_offset)
			n = preadv(fd, transfer->iovecs, transfer->n_iovecs, offset);
		else if (transfer->is_write)
			n = writev(fd, transfer->iovecs, transfer->n_iovecs);
		else
			n = readv(fd, transfer->iovecs, transfer->n_iovecs);
		if (n >= 0 || errno != EINTR)
			return n;
	}
}

/* Counted is first all that is asked for, then what was written, whatever becomes of the answer. */
static uint32_t move_counted(const struct wasi *wasi, struct transfer *transfer, ssize_t *ret_n)
{
	bool counts = transfer->is_write && !transfer->file->is_stream && wasi_disk_counts(wasi);
	uint64_t place = 0;
	uint32_t r = counts ? fit(wasi, transfer, &place) : WASI_SUCCESS;
	if (r != WASI_SUCCESS)
		return r;
	uint64_t wanted = transfer->len > 0 ? MAX(transfer->size, place + transfer->len) : 0;
	if (counts && transfer->len > 0)
		wasi_disk_resize(wasi, transfer->size, wanted);
	*ret_n = move(transfer);
	int errnum = errno;
	if (counts && transfer->len > 0)
		wasi_disk_resize(wasi, wanted,
				 *ret_n > 0 ? MAX(transfer->size, place + (uint64_t)*ret_n)
					    : transfer->size);
	if (counts && *ret_n > 0 && place > transfer->size + WASI_BLOCK_BYTES)
		wasi_disk_note_holes(wasi, transfer->file->dev, transfer->file->inode);
	return *ret_n < 0 ? wasi_errno_of(errnum) : WASI_SUCCESS;
}

static uint32_t run(struct wasi *wasi, const uint64_t *args, struct transfer *transfer,
		    uint64_t result_address)
{
	ssize_t n = 0;
	uint32_t r =
		guest_iovecs(wasi, args, transfer->iovecs, &transfer->n_iovecs, &transfer->len);
	if (r != WASI_SUCCESS)
		return r;
	if (!guest_at(wasi, result_address, 4))
		return WASI_EFAULT;
	if (!wasi_pay(wasi, transfer->len / WASI_BYTES_PER_UNIT))
		return WASI_OUT_OF_FUEL;
	if (would_block(transfer->file, transfer->is_write))
		return WASI_EAGAIN;
	r = move_counted(wasi, transfer, &n);
	return r == WASI_SUCCESS ? guest_store_u32(wasi, result_address, (uint32_t)n) : r;
}

static uint32_t move_here(struct wasi *wasi, const uint64_t *args, uint64_t right)
{
	not_zeroed struct transfer transfer;
	transfer.file = wasi_file(wasi, args[0]);
	transfer.is_write = right == WASI_RIGHT_FD_WRITE;
	transfer.has_offset = false;
	if (!transfer.file)
		return WASI_EBADF;
	if (transfer.file->type == WASI_TYPE_FOLDER)
		return WASI_EISDIR;
	uint32_t r = wasi_check_rights(transfer.file, right);
	return r == WASI_SUCCESS ? run(wasi, args, &transfer, args[3]) : r;
}

static uint32_t move_at(struct wasi *wasi, const uint64_t *args, uint64_t right)
{
	not_zeroed struct transfer transfer;
	uint32_t r = wasi_file_with(wasi, args[0], right | WASI_RIGHT_FD_SEEK, &transfer.file);
	transfer.is_write = right == WASI_RIGHT_FD_WRITE;
	transfer.has_offset = true;
	transfer.offset = args[3];
	if (r != WASI_SUCCESS)
		return r;
	return args[3] > INT64_MAX ? WASI_EINVAL : run(wasi, args, &transfer, args[4]);
}

uint32_t wasi_fd_read(struct wasi *wasi, const uint64_t *args)
{
	return move_here(wasi, args, WASI_RIGHT_FD_READ);
}

uint32_t wasi_fd_write(struct wasi *wasi, const uint64_t *args)
{
	return move_here(wasi, args, WASI_RIGHT_FD_WRITE);
}

uint32_t wasi_fd_pread(struct wasi *wasi, const uint64_t *args)
{
	return move_at(wasi, args, WASI_RIGHT_FD_READ);
}

uint32_t wasi_fd_pwrite(struct wasi *wasi, const uint64_t *args)
{
	return move_at(wasi, args, WASI_RIGHT_FD_WRITE);
}

static uint32_t seek(struct wasi *wasi, uint64_t number, int64_t offset, int whence,
		     uint64_t address)
{
	bool only_tells = whence == SEEK_CUR && offset == 0;
	struct wasi_file *file;
	uint32_t r = wasi_file_with(wasi, number, only_tells ? 0 : WASI_RIGHT_FD_SEEK, &file);
	if (r == WASI_SUCCESS && only_tells &&
	    !(file->rights & (WASI_RIGHT_FD_SEEK | WASI_RIGHT_FD_TELL)))
		r = WASI_ENOTCAPABLE;
	if (r != WASI_SUCCESS)
		return r;
	if (!guest_at(wasi, address, 8))
		return WASI_EFAULT;
	off_t place = lseek(file->fd, offset, whence);
	return place < 0 ? wasi_errno_of(errno) : guest_store_u64(wasi, address, (uint64_t)place);
}

uint32_t wasi_fd_seek(struct wasi *wasi, const uint64_t *args)
{
	static const int whences[] = { SEEK_SET, SEEK_CUR, SEEK_END };
	if (args[2] >= ARRAY_LEN(whences))
		return wasi_file(wasi, args[0]) ? WASI_EINVAL : WASI_EBADF;
	return seek(wasi, args[0], (int64_t)args[1], whences[args[2]], args[3]);
}

uint32_t wasi_fd_tell(struct wasi *wasi, const uint64_t *args)
{
	return seek(wasi, args[0], 0, SEEK_CUR, args[1]);
}

/* Advice may be left: what the host keeps in memory of its files is not the guest's to say. */
uint32_t wasi_fd_advise(struct wasi *wasi, const uint64_t *args)
{
	enum { N_ADVICES = 6 };
	struct wasi_file *file;
	uint32_t r = wasi_file_with(wasi, args[0], WASI_RIGHT_FD_ADVISE, &file);
	if (r != WASI_SUCCESS)
		return r;
	return args[3] < N_ADVICES && args[1] <= INT64_MAX ? WASI_SUCCESS : WASI_EINVAL;
}

/* Grows a file to @size, in the way that @grow does it; both ways are paid for by their length. */
static uint32_t resize(struct wasi *wasi, const struct wasi_file *file, uint64_t size,
		       int (*grow)(int fd, uint64_t offset, uint64_t size), uint64_t offset)
{
	struct stat status;
	int errnum = wasi_status(file->fd, &status);
	if (errnum != 0)
		return wasi_errno_of(errnum);
	uint64_t before = (uint64_t)status.st_size;
	if (size > before && size > wasi_disk_room(wasi, before))
		return WASI_ENOSPC;
	uint64_t most = MAX(before, size);
	wasi_disk_resize(wasi, before, most);
	errnum = grow(file->fd, offset, size);
	wasi_disk_resize(wasi, most, errnum == 0 ? size : before);
	if (errnum == 0 && size > before)
		wasi_disk_note_holes(wasi, file->dev, file->inode);
	return wasi_errno_of(errnum);
}

static int set_size(int fd, uint64_t offset, uint64_t size)
{
	UNUSED(offset);
	return ftruncate(fd, (off_t)size) < 0 ? errno : 0;
}

static int allocate(int fd, uint64_t offset, uint64_t size)
{
	int r;
	do
		r = fallocate(fd, 0, (off_t)offset, (off_t)(size - offset));
	while (r < 0 && errno == EINTR);
	return r < 0 ? errno : 0;
}

uint32_t wasi_fd_filestat_set_size(struct wasi *wasi, const uint64_t *args)
{
	struct wasi_file *file;
	uint32_t r = wasi_file_with(wasi, args[0], WASI_RIGHT_FD_FILESTAT_SET_SIZE, &file);
	if (r != WASI_SUCCESS)
		return r;
	return args[1] > INT64_MAX ? WASI_EFBIG : resize(wasi, file, args[1], set_size, 0);
}

/* It never makes a file smaller. */
uint32_t wasi_fd_allocate(struct wasi *wasi, const uint64_t *args)
{
	uint64_t offset = args[1], len = args[2];
	struct wasi_file *file;
	struct stat status;
	uint32_t r = wasi_file_with(wasi, args[0], WASI_RIGHT_FD_ALLOCATE, &file);
	if (r != WASI_SUCCESS)
		return r;
	if (len == 0 || offset > INT64_MAX || len > INT64_MAX)
		return WASI_EINVAL;
	if (len > INT64_MAX - offset)
		return WASI_EFBIG;
	if (!wasi_pay(wasi, len / WASI_BYTES_PER_UNIT))
		return WASI_OUT_OF_FUEL;
	int errnum = wasi_status(file->fd, &status);
	if (errnum != 0)
		return wasi_errno_of(errnum);
	if (offset + len <= (uint64_t)status.st_size)
		return wasi_errno_of(allocate(file->fd, offset, offset + len));
	return resize(wasi, file, offset + len, allocate, offset);
}

uint32_t wasi_times(const uint64_t *times, uint64_t flags, struct timespec ret[2])
{
	const uint64_t given[] = { WASI_TIME_ATIM, WASI_TIME_MTIM };
	const uint64_t now[] = { WASI_TIME_ATIM_NOW, WASI_TIME_MTIM_NOW };
	if (flags > WASI_TIMES)
		return WASI_EINVAL;
	for (int i = 0; i < 2; i++) {
		if ((flags & given[i]) && (flags & now[i]))
			return WASI_EINVAL;
		ret[i] = (struct timespec){ .tv_nsec = flags & now[i] ? UTIME_NOW : UTIME_OMIT };
		if (flags & given[i])
			ret[i] = (struct timespec){ (time_t)(times[i] / 1000000000),
						    (long)(times[i] % 1000000000) };
	}
	return WASI_SUCCESS;
}

uint32_t wasi_fd_filestat_set_times(struct wasi *wasi, const uint64_t *args)
{
	struct timespec times[2];
	struct wasi_file *file = wasi_file(wasi, args[0]);
	if (!file)
		return WASI_EBADF;
	uint32_t r = wasi_check_rights(file, WASI_RIGHT_FD_FILESTAT_SET_TIMES);
	if (r == WASI_SUCCESS)
		r = wasi_times(args + 1, args[3], times);
	if (r != WASI_SUCCESS)
		return r;
	/* Without a path it is the descriptor's own; the C library has no word for that. */
	return syscall(SYS_utimensat, file->fd, NULL, times, 0) < 0 ? wasi_errno_of(errno)
								    : WASI_SUCCESS;
}

static uint32_t sync_with(struct wasi *wasi, uint64_t number, uint64_t right, int (*sync)(int fd))
{
	const struct wasi_file *file = wasi_file(wasi, number);
	if (!file)
		return WASI_EBADF;
	if (file->is_stream) /* As fsync() of a pipe. */
		return WASI_EINVAL;
	uint32_t r = wasi_check_rights(file, right);
	if (r != WASI_SUCCESS)
		return r;
	if (!wasi_pay(wasi, WASI_UNITS_PER_SYNC))
		return WASI_OUT_OF_FUEL;
	return sync(file->fd) < 0 ? wasi_errno_of(errno) : WASI_SUCCESS;
}

uint32_t wasi_fd_sync(struct wasi *wasi, const uint64_t *args)
{
	return sync_with(wasi, args[0], WASI_RIGHT_FD_SYNC, fsync);
}

uint32_t wasi_fd_datasync(struct wasi *wasi, const uint64_t *args)
{
	return sync_with(wasi, args[0], WASI_RIGHT_FD_DATASYNC, fdatasync);
}
