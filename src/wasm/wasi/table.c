/* SPDX-License-Identifier: Apache-2.0 */
/* table.c - what is open: streams, folders that were granted, what the guest opened; and rights */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"
#include "wasm/wasi/guest.h"

struct wasi_file *wasi_file(struct wasi *wasi, uint64_t number)
{
	if (number >= wasi->n_files || wasi->files[number].fd < 0)
		return NULL;
	return &wasi->files[number];
}

uint32_t wasi_check_rights(const struct wasi_file *file, uint64_t rights)
{
	uint64_t lacking = rights & ~file->rights;
	if (lacking == 0)
		return WASI_SUCCESS;
	return file->is_read_only && (lacking & WASI_RIGHTS_TO_CHANGE) ? WASI_EROFS
								       : WASI_ENOTCAPABLE;
}

uint32_t wasi_file_with(struct wasi *wasi, uint64_t number, uint64_t rights, struct wasi_file **ret)
{
	*ret = wasi_file(wasi, number);
	if (!*ret)
		return WASI_EBADF;
	if ((*ret)->is_stream)
		return WASI_ESPIPE;
	return (*ret)->type == WASI_TYPE_FOLDER ? WASI_EISDIR : wasi_check_rights(*ret, rights);
}

uint32_t wasi_folder_with(struct wasi *wasi, uint64_t number, uint64_t rights,
			  struct wasi_file **ret)
{
	*ret = wasi_file(wasi, number);
	if (!*ret)
		return WASI_EBADF;
	return (*ret)->type != WASI_TYPE_FOLDER ? WASI_ENOTDIR : wasi_check_rights(*ret, rights);
}

static size_t find_free(const struct wasi *wasi)
{
	size_t number = 0;
	while (number < wasi->n_files && wasi->files[number].fd >= 0)
		number++;
	return number;
}

bool wasi_has_room(const struct wasi *wasi)
{
	return find_free(wasi) < wasi->max_files;
}

/* The lowest number that is free, as programs expect it of open(). */
uint32_t wasi_add(struct wasi *wasi, const struct wasi_file *file, uint32_t *ret_number)
{
	size_t number = find_free(wasi);
	if (number >= wasi->max_files)
		return WASI_EMFILE;
	wasi->n_files = MAX(wasi->n_files, number + 1);
	wasi->files[number] = *file;
	*ret_number = (uint32_t)number;
	return WASI_SUCCESS;
}

bool wasi_is_open(const struct wasi *wasi, uint64_t dev, uint64_t inode,
		  const struct wasi_file *except)
{
	for (size_t i = 0; i < wasi->n_files; i++) {
		const struct wasi_file *file = &wasi->files[i];
		if (file != except && file->fd >= 0 && !file->is_stream && file->dev == dev &&
		    file->inode == inode)
			return true;
	}
	return false;
}

int wasi_grant_folder(struct wasi *wasi, int fd, const char *name, bool is_read_only)
{
	uint64_t withheld = is_read_only ? WASI_RIGHTS_TO_CHANGE : 0;
	struct stat status = { 0 };
	uint32_t number;
	(void)wasi_status(fd, &status);
	struct wasi_file folder = {
		.fd = fd,
		.type = WASI_TYPE_FOLDER,
		.is_read_only = is_read_only,
		.is_shared = true,
		.rights = WASI_RIGHTS_OF_FOLDER & ~withheld,
		.inheriting = (WASI_RIGHTS_OF_FOLDER | WASI_RIGHTS_OF_FILE) & ~withheld,
		.name = name,
		.dev = status.st_dev,
		.inode = status.st_ino,
	};
	return wasi_add(wasi, &folder, &number) == WASI_SUCCESS ? 0 : -1;
}

void wasi_init(struct wasi *wasi)
{
	static const uint64_t rights[WASI_N_STREAMS] = {
		WASI_RIGHT_FD_READ,
		WASI_RIGHT_FD_WRITE,
		WASI_RIGHT_FD_WRITE,
	};
	/* The rest of the table is written when it is needed, and so costs no memory before. */
	memset(wasi, 0, offsetof(struct wasi, files));
	memset(wasi->files, 0, WASI_N_STREAMS * sizeof(wasi->files[0]));
	for (int i = 0; i < WASI_N_STREAMS; i++) {
		wasi->files[i].fd = i;
		wasi->files[i].is_stream = true;
		wasi->files[i].rights = rights[i] | WASI_RIGHT_FD_FDSTAT_SET_FLAGS |
					WASI_RIGHT_FD_FILESTAT_GET | WASI_RIGHT_POLL_FD_READWRITE;
	}
	wasi->n_files = WASI_N_STREAMS;
	wasi->max_files = WASI_MAX_FILES;
	wasi->disk_fd = -1;
}

/* A file without a name lives as long as it is open, and counts as long. */
static void close_file(struct wasi *wasi, struct wasi_file *file)
{
	struct stat status;
	if (wasi_disk_counts(wasi) && !file->is_stream && wasi_status(file->fd, &status) == 0 &&
	    status.st_nlink == 0 && !wasi_is_open(wasi, status.st_dev, status.st_ino, file))
		wasi_disk_free(wasi, &status);
	/* A folder's is that of the next command too, where this is the start of a language. */
	if (!file->is_shared)
		close(file->fd);
	file->fd = -1;
}

void wasi_fini(struct wasi *wasi)
{
	wasi_disk_lock(wasi);
	for (size_t i = 0; i < wasi->n_files; i++) {
		wasi->files[i].is_shared = false;
		if (wasi->files[i].fd >= 0 && !wasi->files[i].is_stream)
			close_file(wasi, &wasi->files[i]);
	}
	wasi_disk_unlock(wasi);
}

uint32_t wasi_fd_close(struct wasi *wasi, const uint64_t *args)
{
	struct wasi_file *file = wasi_file(wasi, args[0]);
	if (!file)
		return WASI_EBADF;
	close_file(wasi, file);
	return WASI_SUCCESS;
}

/* args[0] takes the place of args[1]; both must be open, so no number can be made. */
uint32_t wasi_fd_renumber(struct wasi *wasi, const uint64_t *args)
{
	struct wasi_file *from = wasi_file(wasi, args[0]), *to = wasi_file(wasi, args[1]);
	if (!from || !to)
		return WASI_EBADF;
	if (from == to)
		return WASI_SUCCESS;
	close_file(wasi, to);
	*to = *from;
	from->fd = -1;
	return WASI_SUCCESS;
}

/* Sockets are never granted: what is open is none. */
uint32_t wasi_not_socket(struct wasi *wasi, const uint64_t *args)
{
	return wasi_file(wasi, args[0]) ? WASI_ENOTSOCK : WASI_EBADF;
}

int wasi_status(int fd, struct stat *ret)
{
	/* By the old call: the C library's own fstat() is one with a path. */
	return syscall(SYS_fstat, fd, ret) < 0 ? errno : 0;
}

uint8_t wasi_filetype(mode_t mode)
{
	switch (mode & S_IFMT) {
	case S_IFREG:
		return WASI_TYPE_FILE;
	case S_IFDIR:
		return WASI_TYPE_FOLDER;
	case S_IFLNK:
		return WASI_TYPE_LINK;
	case S_IFCHR:
		return WASI_TYPE_CHARACTER_DEVICE;
	case S_IFBLK:
		return WASI_TYPE_BLOCK_DEVICE;
	case S_IFSOCK:
		return WASI_TYPE_STREAM_SOCKET;
	default:
		return WASI_TYPE_UNKNOWN;
	}
}

/* u8 type, u16 flags at 2, u64 rights at 8, u64 inheriting rights at 16. */
uint32_t wasi_fd_fdstat_get(struct wasi *wasi, const uint64_t *args)
{
	const struct wasi_file *file = wasi_file(wasi, args[0]);
	uint8_t *at = guest_at(wasi, args[1], 24);
	struct stat status;
	if (!file)
		return WASI_EBADF;
	if (!at)
		return WASI_EFAULT;
	int errnum = file->is_stream ? wasi_status(file->fd, &status) : 0;
	if (errnum != 0)
		return wasi_errno_of(errnum);
	memset(at, 0, 24);
	at[0] = file->is_stream ? wasi_filetype(status.st_mode) : file->type;
	guest_put_u16(at + 2, file->flags);
	guest_put_u64(at + 8, file->rights);
	guest_put_u64(at + 16, file->inheriting);
	return WASI_SUCCESS;
}

/*
 * Of a stream the flag is the guest's own; the pipe, which others hold too, stays as it is.  Of a
 * file the kernel appends; whether each write waits for the disk is fixed when it is opened.
 */
uint32_t wasi_fd_fdstat_set_flags(struct wasi *wasi, const uint64_t *args)
{
	struct wasi_file *file = wasi_file(wasi, args[0]);
	uint64_t flags = args[1];
	if (!file)
		return WASI_EBADF;
	uint32_t r = wasi_check_rights(file, WASI_RIGHT_FD_FDSTAT_SET_FLAGS);
	if (r != WASI_SUCCESS)
		return r;
	if (flags > WASI_FDFLAGS)
		return WASI_EINVAL;
	uint64_t may_change = WASI_FDFLAG_NONBLOCK | (file->is_stream ? 0 : WASI_FDFLAG_APPEND);
	uint64_t changed = flags ^ file->flags;
	if (changed & ~may_change)
		return WASI_ENOTSUP;
	if ((changed & WASI_FDFLAG_APPEND) &&
	    fcntl(file->fd, F_SETFL, flags & WASI_FDFLAG_APPEND ? O_APPEND : 0) < 0)
		return wasi_errno_of(errno);
	file->flags = (uint16_t)flags;
	return WASI_SUCCESS;
}

/* Rights can be given up and never come back. */
uint32_t wasi_fd_fdstat_set_rights(struct wasi *wasi, const uint64_t *args)
{
	struct wasi_file *file = wasi_file(wasi, args[0]);
	if (!file)
		return WASI_EBADF;
	if ((args[1] & ~file->rights) != 0 || (args[2] & ~file->inheriting) != 0)
		return WASI_ENOTCAPABLE;
	file->rights = args[1];
	file->inheriting = args[2];
	return WASI_SUCCESS;
}

static uint64_t to_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

/* u64 dev, u64 ino at 8, u8 type at 16, u64 links at 24, u64 size at 32, times at 40, 48, 56. */
uint32_t guest_store_status(const struct wasi *wasi, uint64_t address, const struct stat *status)
{
	uint8_t *at = guest_at(wasi, address, 64);
	if (!at)
		return WASI_EFAULT;
	memset(at, 0, 64);
	guest_put_u64(at, status->st_dev);
	guest_put_u64(at + 8, status->st_ino);
	at[16] = wasi_filetype(status->st_mode);
	guest_put_u64(at + 24, status->st_nlink);
	guest_put_u64(at + 32, (uint64_t)status->st_size);
	guest_put_u64(at + 40, to_ns(&status->st_atim));
	guest_put_u64(at + 48, to_ns(&status->st_mtim));
	guest_put_u64(at + 56, to_ns(&status->st_ctim));
	return WASI_SUCCESS;
}

/* Of a stream only the type: the rest would name something of the host. */
uint32_t wasi_fd_filestat_get(struct wasi *wasi, const uint64_t *args)
{
	const struct wasi_file *file = wasi_file(wasi, args[0]);
	struct stat status;
	if (!file)
		return WASI_EBADF;
	uint32_t r = wasi_check_rights(file, WASI_RIGHT_FD_FILESTAT_GET);
	if (r != WASI_SUCCESS)
		return r;
	int errnum = wasi_status(file->fd, &status);
	if (errnum != 0)
		return wasi_errno_of(errnum);
	if (file->is_stream)
		status = (struct stat){ .st_mode = status.st_mode, .st_nlink = 1 };
	return guest_store_status(wasi, args[1], &status);
}

/* u8 tag (0: a folder), u32 length of the name at 4.  The C library of guests asks from 3 on. */
uint32_t wasi_fd_prestat_get(struct wasi *wasi, const uint64_t *args)
{
	const struct wasi_file *file = wasi_file(wasi, args[0]);
	uint8_t *at = guest_at(wasi, args[1], 8);
	if (!file || !file->name)
		return WASI_EBADF;
	if (!at)
		return WASI_EFAULT;
	memset(at, 0, 8);
	guest_put_u32(at + 4, (uint32_t)strlen(file->name));
	return WASI_SUCCESS;
}

uint32_t wasi_fd_prestat_dir_name(struct wasi *wasi, const uint64_t *args)
{
	const struct wasi_file *file = wasi_file(wasi, args[0]);
	uint8_t *at = guest_at(wasi, args[1], args[2]);
	if (!file || !file->name)
		return WASI_EBADF;
	if (!at)
		return WASI_EFAULT;
	size_t len = strlen(file->name);
	if (args[2] < len)
		return WASI_ENAMETOOLONG;
	memcpy(at, file->name, len);
	return WASI_SUCCESS;
}
