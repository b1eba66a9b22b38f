/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest.h - what the files of this folder share: the guest's memory, its descriptors, fuel
 *
 * Memory is little-endian and unaligned, and every access is checked against its length.
 */
#pragma once

#include <sys/stat.h>
#include <sys/uio.h>

#include "wasm/wasi/wasi.h"

/* __wasi_rights_t: WASI_RIGHTS_ROW(name, bit) */
/* clang-format off */
#define WASI_RIGHTS(WASI_RIGHTS_ROW)                                                              \
	WASI_RIGHTS_ROW(FD_DATASYNC, 0)                                                           \
	WASI_RIGHTS_ROW(FD_READ, 1)                                                               \
	WASI_RIGHTS_ROW(FD_SEEK, 2)                                                               \
	WASI_RIGHTS_ROW(FD_FDSTAT_SET_FLAGS, 3)                                                   \
	WASI_RIGHTS_ROW(FD_SYNC, 4)                                                               \
	WASI_RIGHTS_ROW(FD_TELL, 5)                                                               \
	WASI_RIGHTS_ROW(FD_WRITE, 6)                                                              \
	WASI_RIGHTS_ROW(FD_ADVISE, 7)                                                             \
	WASI_RIGHTS_ROW(FD_ALLOCATE, 8)                                                           \
	WASI_RIGHTS_ROW(PATH_CREATE_DIRECTORY, 9)                                                 \
	WASI_RIGHTS_ROW(PATH_CREATE_FILE, 10)                                                     \
	WASI_RIGHTS_ROW(PATH_LINK_SOURCE, 11)                                                     \
	WASI_RIGHTS_ROW(PATH_LINK_TARGET, 12)                                                     \
	WASI_RIGHTS_ROW(PATH_OPEN, 13)                                                            \
	WASI_RIGHTS_ROW(FD_READDIR, 14)                                                           \
	WASI_RIGHTS_ROW(PATH_READLINK, 15)                                                        \
	WASI_RIGHTS_ROW(PATH_RENAME_SOURCE, 16)                                                   \
	WASI_RIGHTS_ROW(PATH_RENAME_TARGET, 17)                                                   \
	WASI_RIGHTS_ROW(PATH_FILESTAT_GET, 18)                                                    \
	WASI_RIGHTS_ROW(PATH_FILESTAT_SET_SIZE, 19)                                               \
	WASI_RIGHTS_ROW(PATH_FILESTAT_SET_TIMES, 20)                                              \
	WASI_RIGHTS_ROW(FD_FILESTAT_GET, 21)                                                      \
	WASI_RIGHTS_ROW(FD_FILESTAT_SET_SIZE, 22)                                                 \
	WASI_RIGHTS_ROW(FD_FILESTAT_SET_TIMES, 23)                                                \
	WASI_RIGHTS_ROW(PATH_SYMLINK, 24)                                                         \
	WASI_RIGHTS_ROW(PATH_REMOVE_DIRECTORY, 25)                                                \
	WASI_RIGHTS_ROW(PATH_UNLINK_FILE, 26)                                                     \
	WASI_RIGHTS_ROW(POLL_FD_READWRITE, 27)
/* clang-format on */

enum {
#define WASI_RIGHTS_ENUM(name, bit) WASI_RIGHT_##name = 1u << (bit),
	WASI_RIGHTS(WASI_RIGHTS_ENUM)
#undef WASI_RIGHTS_ENUM
};

/* What a file, or a folder, can have at all. */
#define WASI_RIGHTS_OF_FILE                                                                    \
	((uint64_t)(WASI_RIGHT_FD_DATASYNC | WASI_RIGHT_FD_READ | WASI_RIGHT_FD_SEEK |         \
		    WASI_RIGHT_FD_FDSTAT_SET_FLAGS | WASI_RIGHT_FD_SYNC | WASI_RIGHT_FD_TELL | \
		    WASI_RIGHT_FD_WRITE | WASI_RIGHT_FD_ADVISE | WASI_RIGHT_FD_ALLOCATE |      \
		    WASI_RIGHT_FD_FILESTAT_GET | WASI_RIGHT_FD_FILESTAT_SET_SIZE |             \
		    WASI_RIGHT_FD_FILESTAT_SET_TIMES | WASI_RIGHT_POLL_FD_READWRITE))
#define WASI_RIGHTS_OF_FOLDER                                                                 \
	((uint64_t)(WASI_RIGHT_PATH_CREATE_DIRECTORY | WASI_RIGHT_PATH_CREATE_FILE |          \
		    WASI_RIGHT_PATH_LINK_SOURCE | WASI_RIGHT_PATH_LINK_TARGET |               \
		    WASI_RIGHT_PATH_OPEN | WASI_RIGHT_FD_READDIR | WASI_RIGHT_PATH_READLINK | \
		    WASI_RIGHT_PATH_RENAME_SOURCE | WASI_RIGHT_PATH_RENAME_TARGET |           \
		    WASI_RIGHT_PATH_FILESTAT_GET | WASI_RIGHT_PATH_FILESTAT_SET_SIZE |        \
		    WASI_RIGHT_PATH_FILESTAT_SET_TIMES | WASI_RIGHT_FD_FILESTAT_GET |         \
		    WASI_RIGHT_FD_FILESTAT_SET_TIMES | WASI_RIGHT_PATH_SYMLINK |              \
		    WASI_RIGHT_PATH_REMOVE_DIRECTORY | WASI_RIGHT_PATH_UNLINK_FILE |          \
		    WASI_RIGHT_FD_SYNC | WASI_RIGHT_FD_DATASYNC))
/* What changes something, which a folder granted to be read does not give. */
#define WASI_RIGHTS_TO_CHANGE                                                                \
	((uint64_t)(WASI_RIGHT_FD_WRITE | WASI_RIGHT_FD_ALLOCATE |                           \
		    WASI_RIGHT_PATH_CREATE_DIRECTORY | WASI_RIGHT_PATH_CREATE_FILE |         \
		    WASI_RIGHT_PATH_LINK_SOURCE | WASI_RIGHT_PATH_LINK_TARGET |              \
		    WASI_RIGHT_PATH_RENAME_SOURCE | WASI_RIGHT_PATH_RENAME_TARGET |          \
		    WASI_RIGHT_PATH_FILESTAT_SET_SIZE | WASI_RIGHT_PATH_FILESTAT_SET_TIMES | \
		    WASI_RIGHT_FD_FILESTAT_SET_SIZE | WASI_RIGHT_FD_FILESTAT_SET_TIMES |     \
		    WASI_RIGHT_PATH_SYMLINK | WASI_RIGHT_PATH_REMOVE_DIRECTORY |             \
		    WASI_RIGHT_PATH_UNLINK_FILE))

/* __wasi_fdflags_t, __wasi_oflags_t, __wasi_lookupflags_t, __wasi_fstflags_t */
enum {
	WASI_FDFLAG_APPEND = 1,
	WASI_FDFLAG_DSYNC = 2,
	WASI_FDFLAG_NONBLOCK = 4,
	WASI_FDFLAG_RSYNC = 8,
	WASI_FDFLAG_SYNC = 16,
	WASI_FDFLAGS = 31
};
enum {
	WASI_OFLAG_CREAT = 1,
	WASI_OFLAG_DIRECTORY = 2,
	WASI_OFLAG_EXCL = 4,
	WASI_OFLAG_TRUNC = 8,
	WASI_OFLAGS = 15
};
enum { WASI_LOOKUP_FOLLOW = 1 };
enum {
	WASI_TIME_ATIM = 1,
	WASI_TIME_ATIM_NOW = 2,
	WASI_TIME_MTIM = 4,
	WASI_TIME_MTIM_NOW = 8,
	WASI_TIMES = 15
};

/* guest_at() - @len bytes at @address, or NULL if they do not all lie in the memory. */
uint8_t *guest_at(const struct wasi *wasi, uint64_t address, uint64_t len);

uint16_t guest_u16(const uint8_t *at);
uint32_t guest_u32(const uint8_t *at);
uint64_t guest_u64(const uint8_t *at);
void guest_put_u16(uint8_t *at, uint16_t value);
void guest_put_u32(uint8_t *at, uint32_t value);
void guest_put_u64(uint8_t *at, uint64_t value);

/* guest_store_u32(), guest_store_u64() - WASI_EFAULT outside of the memory */
uint32_t guest_store_u32(const struct wasi *wasi, uint64_t address, uint32_t value);
uint32_t guest_store_u64(const struct wasi *wasi, uint64_t address, uint64_t value);

/*
 * guest_iovecs() - the guest's vectors as the host's, cut to what one call moves
 * @args:  descriptor, address and number, as all four calls that move bytes have them
 */
uint32_t guest_iovecs(const struct wasi *wasi, const uint64_t *args,
		      struct iovec iovecs[WASI_MAX_IOVECS], int *ret_n, uint64_t *ret_len);

/* guest_store_status() - __wasi_filestat_t: 64 bytes at @address */
uint32_t guest_store_status(const struct wasi *wasi, uint64_t address, const struct stat *status);

/* table.c.  wasi_file() - an open one, or NULL (WASI_EBADF). */
struct wasi_file *wasi_file(struct wasi *wasi, uint64_t number);

/*
 * wasi_file_with(), wasi_folder_with() - an open one that has all of @rights
 *
 * WASI_EBADF; WASI_ESPIPE of a stream and WASI_EISDIR of a folder where a file is asked for,
 * WASI_ENOTDIR where a folder is; WASI_EROFS or WASI_ENOTCAPABLE for what it may not do.
 */
uint32_t wasi_file_with(struct wasi *wasi, uint64_t number, uint64_t rights,
			struct wasi_file **ret);
uint32_t wasi_folder_with(struct wasi *wasi, uint64_t number, uint64_t rights,
			  struct wasi_file **ret);
uint32_t wasi_check_rights(const struct wasi_file *file, uint64_t rights);

/* wasi_add() - WASI_EMFILE if the table is full, which wasi_has_room() tells before */
bool wasi_has_room(const struct wasi *wasi);
uint32_t wasi_add(struct wasi *wasi, const struct wasi_file *file, uint32_t *ret_number);

/* wasi_is_open() - is this inode open under any number but @except? */
bool wasi_is_open(const struct wasi *wasi, uint64_t dev, uint64_t inode,
		  const struct wasi_file *except);

/* wasi_filetype() - of a mode */
uint8_t wasi_filetype(mode_t mode);

/* wasi_status() - 0 or an errno of the host */
int wasi_status(int fd, struct stat *ret);

/* wasi_times() - the host's form of two times and __wasi_fstflags_t; WASI_EINVAL */
uint32_t wasi_times(const uint64_t *times, uint64_t flags, struct timespec ret[2]);

/* wasi_errno_of() - the guest's number of an errno of the host. */
uint32_t wasi_errno_of(int errnum);

/* wasi_pay() - false: out of fuel, and nothing may be done. */
bool wasi_pay(const struct wasi *wasi, uint64_t n_units);

#define WASI_UNITS_PER_CALL   50    /* of any call */
#define WASI_BYTES_PER_UNIT   4     /* copied or made */
#define WASI_UNITS_PER_LOOKUP 1000  /* of a path */
#define WASI_UNITS_PER_SYNC   10000 /* of waiting for the disk */

/*
 * disk.c: what the run may write.
 *
 * wasi_disk_lock(), wasi_disk_unlock() - commands of one sandbox count one after the other
 * wasi_disk_room() - how far a file of @size may grow, in bytes: UINT64_MAX without a limit.
 * wasi_disk_resize() - a file or folder of @from bytes has @to now; counted before it grows and
 * after it has shrunk, so that who is killed in between has counted too much.
 */
bool wasi_disk_counts(const struct wasi *wasi);
void wasi_disk_lock(const struct wasi *wasi);
void wasi_disk_unlock(const struct wasi *wasi);
uint64_t wasi_disk_room(const struct wasi *wasi, uint64_t size);
void wasi_disk_resize(const struct wasi *wasi, uint64_t from, uint64_t to);
bool wasi_disk_has_inode(const struct wasi *wasi);
void wasi_disk_add_inodes(const struct wasi *wasi, int n);
/*
 * wasi_disk_fill() - the holes of a file that is about to be written count from now on
 * wasi_disk_note_holes() - they do already, since the run itself made them
 */
uint32_t wasi_disk_fill(const struct wasi *wasi, const struct stat *status);
void wasi_disk_note_holes(const struct wasi *wasi, uint64_t dev, uint64_t inode);
/* wasi_disk_free() - what @status tells has lost its last name, and nobody has it open */
void wasi_disk_free(const struct wasi *wasi, const struct stat *status);

/* The handlers of the table. */
#define WASI_HANDLER(name) uint32_t wasi_##name(struct wasi *wasi, const uint64_t *args);
WASI_HANDLER(args_get)
WASI_HANDLER(args_sizes_get)
WASI_HANDLER(environ_get)
WASI_HANDLER(environ_sizes_get)
WASI_HANDLER(clock_res_get)
WASI_HANDLER(clock_time_get)
WASI_HANDLER(random_get)
WASI_HANDLER(sched_yield)
WASI_HANDLER(proc_exit)
WASI_HANDLER(proc_raise)
WASI_HANDLER(poll_oneoff)
WASI_HANDLER(fd_advise)
WASI_HANDLER(fd_allocate)
WASI_HANDLER(fd_close)
WASI_HANDLER(fd_datasync)
WASI_HANDLER(fd_fdstat_get)
WASI_HANDLER(fd_fdstat_set_flags)
WASI_HANDLER(fd_fdstat_set_rights)
WASI_HANDLER(fd_filestat_get)
WASI_HANDLER(fd_filestat_set_size)
WASI_HANDLER(fd_filestat_set_times)
WASI_HANDLER(fd_pread)
WASI_HANDLER(fd_prestat_get)
WASI_HANDLER(fd_prestat_dir_name)
WASI_HANDLER(fd_pwrite)
WASI_HANDLER(fd_read)
WASI_HANDLER(fd_readdir)
WASI_HANDLER(fd_renumber)
WASI_HANDLER(fd_seek)
WASI_HANDLER(fd_sync)
WASI_HANDLER(fd_tell)
WASI_HANDLER(fd_write)
WASI_HANDLER(not_socket)
WASI_HANDLER(path_create_directory)
WASI_HANDLER(path_filestat_get)
WASI_HANDLER(path_filestat_set_times)
WASI_HANDLER(path_link)
WASI_HANDLER(path_open)
WASI_HANDLER(path_readlink)
WASI_HANDLER(path_remove_directory)
WASI_HANDLER(path_rename)
WASI_HANDLER(path_symlink)
WASI_HANDLER(path_unlink_file)
#undef WASI_HANDLER
