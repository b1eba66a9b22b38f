/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasi.h - WASI preview 1, as foso's own host functions
 *
 * Theory of operation.  A guest's call arrives as a number and integers; pointers are offsets into
 * the guest's memory, which the caller points to anew at each call (it can have grown).  Nothing
 * here knows Wasmtime, so all of it can be tested and fuzzed with an array as memory.
 *
 * What the guest has is what the run gave it: arguments, environment, three streams, clocks, random
 * numbers, and folders.  Every open thing is an entry of one table, with the rights that are left
 * of it; a folder was opened by whoever granted it, and each path is looked up by the kernel below
 * such a descriptor (openat2 with RESOLVE_BENEATH), so "..", absolute paths and links that lead
 * out find nothing.  Only files, folders and links are opened; a FIFO, a socket or a device is
 * refused and never waited for.  Work that the host does for the guest is charged as fuel before
 * it is done, and no call moves more than WASI_MAX_TRANSFER_BYTES.
 *
 * Source: the module wasi_snapshot_preview1 of the WASI repository (witx), which fixes numbers,
 * layouts and errors.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * WASI_FUNCTION(name, parameters, handler): 'i' is an i32 and 'I' an i64; every function returns
 * an errno as i32, but proc_exit, which does not return.  Of sockets, which are never granted,
 * what is wrong with descriptor 0 of the arguments is answered (table.c).
 */
/* clang-format off */
#define WASI_FUNCTIONS(WASI_FUNCTION)                                                             \
	WASI_FUNCTION(args_get,                "ii",        args_get)                             \
	WASI_FUNCTION(args_sizes_get,          "ii",        args_sizes_get)                       \
	WASI_FUNCTION(environ_get,             "ii",        environ_get)                          \
	WASI_FUNCTION(environ_sizes_get,       "ii",        environ_sizes_get)                    \
	WASI_FUNCTION(clock_res_get,           "ii",        clock_res_get)                        \
	WASI_FUNCTION(clock_time_get,          "iIi",       clock_time_get)                       \
	WASI_FUNCTION(fd_advise,               "iIIi",      fd_advise)                            \
	WASI_FUNCTION(fd_allocate,             "iII",       fd_allocate)                          \
	WASI_FUNCTION(fd_close,                "i",         fd_close)                             \
	WASI_FUNCTION(fd_datasync,             "i",         fd_datasync)                          \
	WASI_FUNCTION(fd_fdstat_get,           "ii",        fd_fdstat_get)                        \
	WASI_FUNCTION(fd_fdstat_set_flags,     "ii",        fd_fdstat_set_flags)                  \
	WASI_FUNCTION(fd_fdstat_set_rights,    "iII",       fd_fdstat_set_rights)                 \
	WASI_FUNCTION(fd_filestat_get,         "ii",        fd_filestat_get)                      \
	WASI_FUNCTION(fd_filestat_set_size,    "iI",        fd_filestat_set_size)                 \
	WASI_FUNCTION(fd_filestat_set_times,   "iIIi",      fd_filestat_set_times)                \
	WASI_FUNCTION(fd_pread,                "iiiIi",     fd_pread)                             \
	WASI_FUNCTION(fd_prestat_get,          "ii",        fd_prestat_get)                       \
	WASI_FUNCTION(fd_prestat_dir_name,     "iii",       fd_prestat_dir_name)                  \
	WASI_FUNCTION(fd_pwrite,               "iiiIi",     fd_pwrite)                            \
	WASI_FUNCTION(fd_read,                 "iiii",      fd_read)                              \
	WASI_FUNCTION(fd_readdir,              "iiiIi",     fd_readdir)                           \
	WASI_FUNCTION(fd_renumber,             "ii",        fd_renumber)                          \
	WASI_FUNCTION(fd_seek,                 "iIii",      fd_seek)                              \
	WASI_FUNCTION(fd_sync,                 "i",         fd_sync)                              \
	WASI_FUNCTION(fd_tell,                 "ii",        fd_tell)                              \
	WASI_FUNCTION(fd_write,                "iiii",      fd_write)                             \
	WASI_FUNCTION(path_create_directory,   "iii",       path_create_directory)                \
	WASI_FUNCTION(path_filestat_get,       "iiiii",     path_filestat_get)                    \
	WASI_FUNCTION(path_filestat_set_times, "iiiiIIi",   path_filestat_set_times)              \
	WASI_FUNCTION(path_link,               "iiiiiii",   path_link)                            \
	WASI_FUNCTION(path_open,               "iiiiiIIii", path_open)                            \
	WASI_FUNCTION(path_readlink,           "iiiiii",    path_readlink)                        \
	WASI_FUNCTION(path_remove_directory,   "iii",       path_remove_directory)                \
	WASI_FUNCTION(path_rename,             "iiiiii",    path_rename)                          \
	WASI_FUNCTION(path_symlink,            "iiiii",     path_symlink)                         \
	WASI_FUNCTION(path_unlink_file,        "iii",       path_unlink_file)                     \
	WASI_FUNCTION(poll_oneoff,             "iiii",      poll_oneoff)                          \
	WASI_FUNCTION(proc_exit,               "i",         proc_exit)                            \
	WASI_FUNCTION(proc_raise,              "i",         proc_raise)                           \
	WASI_FUNCTION(sched_yield,             "",          sched_yield)                          \
	WASI_FUNCTION(random_get,              "ii",        random_get)                           \
	WASI_FUNCTION(sock_accept,             "iii",       not_socket)                           \
	WASI_FUNCTION(sock_recv,               "iiiiii",    not_socket)                           \
	WASI_FUNCTION(sock_send,               "iiiii",     not_socket)                           \
	WASI_FUNCTION(sock_shutdown,           "ii",        not_socket)
/* clang-format on */

enum wasi_function {
#define WASI_ENUM(name, ...) WASI_##name,
	WASI_FUNCTIONS(WASI_ENUM)
#undef WASI_ENUM
		WASI_N_FUNCTIONS
};

#define WASI_MAX_ARGS           9
#define WASI_N_STREAMS          3
#define WASI_MAX_TRANSFER_BYTES (1u << 20) /* of one read or write */
#define WASI_MAX_IOVECS         1024
#define WASI_MAX_SUBSCRIPTIONS  128
#define WASI_MAX_FILES          1024 /* open at a time, streams and folders included */
#define WASI_MAX_PATH_BYTES     4095

/* __wasi_errno_t, those that are answered. */
enum wasi_errno {
	WASI_SUCCESS = 0,
	WASI_E2BIG = 1,
	WASI_EACCES = 2,
	WASI_EAGAIN = 6,
	WASI_EBADF = 8,
	WASI_EBUSY = 10,
	WASI_EDQUOT = 19,
	WASI_EEXIST = 20,
	WASI_EFAULT = 21,
	WASI_EFBIG = 22,
	WASI_EILSEQ = 25,
	WASI_EINTR = 27,
	WASI_EINVAL = 28,
	WASI_EIO = 29,
	WASI_EISDIR = 31,
	WASI_ELOOP = 32,
	WASI_EMFILE = 33,
	WASI_EMLINK = 34,
	WASI_ENAMETOOLONG = 37,
	WASI_ENFILE = 41,
	WASI_ENOENT = 44,
	WASI_ENOMEM = 48,
	WASI_ENOSPC = 51,
	WASI_ENOSYS = 52,
	WASI_ENOTDIR = 54,
	WASI_ENOTEMPTY = 55,
	WASI_ENOTSOCK = 57,
	WASI_ENOTSUP = 58,
	WASI_ENXIO = 60,
	WASI_EOVERFLOW = 61,
	WASI_EPERM = 63,
	WASI_EPIPE = 64,
	WASI_EROFS = 69,
	WASI_ESPIPE = 70,
	WASI_ESTALE = 72,
	WASI_ETXTBSY = 74,
	WASI_EXDEV = 75,
	WASI_ENOTCAPABLE = 76,
};

/* Outcomes beside an errno: the call does not return to the guest. */
#define WASI_EXITS       0x10000 /* proc_exit; wasi.exit_code */
#define WASI_OUT_OF_FUEL 0x10001

/* __wasi_filetype_t */
enum wasi_filetype {
	WASI_TYPE_UNKNOWN,
	WASI_TYPE_BLOCK_DEVICE,
	WASI_TYPE_CHARACTER_DEVICE,
	WASI_TYPE_FOLDER,
	WASI_TYPE_FILE,
	WASI_TYPE_DATAGRAM_SOCKET,
	WASI_TYPE_STREAM_SOCKET,
	WASI_TYPE_LINK,
};

/* One that is open.  The guest's number is its place in the table. */
struct wasi_file {
	int fd; /* of the host, owned; -1: closed */
	uint8_t type;
	bool is_stream;    /* given as it is; it has no place and no size */
	bool is_read_only; /* below a folder that is */
	bool is_shared;    /* other commands have this very descriptor, and so its place, too */
	uint16_t flags;    /* __wasi_fdflags_t */
	uint64_t rights, inheriting;
	const char *name; /* of a folder that was granted, borrowed; NULL: opened by the guest */
	uint64_t dev, inode;
};

/*
 * What may still be written.  Sizes count in blocks of WASI_BLOCK_BYTES, holes included, those of
 * folders too; see disk.c.  Shared by all commands of a sandbox, so it lies elsewhere.
 */
#define WASI_MAX_HOLED 64
struct wasi_disk {
	uint64_t max_bytes, max_inodes; /* UINT64_MAX: no limit */
	uint64_t bytes, inodes;         /* used */
	uint64_t n_refused;
	uint64_t n_holed; /* files whose holes are counted, the last WASI_MAX_HOLED of them */
	struct {
		uint64_t dev, inode;
	} holed[WASI_MAX_HOLED];
};
#define WASI_BLOCK_BYTES 4096u

struct wasi {
	uint8_t *memory; /* of the guest, right for the duration of a call; NULL: it exports none */
	size_t memory_len;
	const char *const *args, *const *env; /* strings, borrowed */
	size_t n_args, n_env;
	uint32_t exit_code;
	/* Takes fuel; false if there is not so much.  NULL: host work costs nothing. */
	bool (*charge)(void *context, uint64_t n_units);
	void *context;
	struct wasi_disk *disk; /* NULL: nothing is counted */
	int disk_fd;            /* whoever holds its lock may count; -1: nobody else does */
	size_t max_files;       /* at most WASI_MAX_FILES */
	size_t n_files;         /* numbers from here on were never used */
	struct wasi_file files[WASI_MAX_FILES];
};

/* wasi_init() - streams are descriptors 0, 1 and 2 of the process; the rest is empty. */
void wasi_init(struct wasi *wasi);

/*
 * wasi_grant_folder() - the next number becomes a folder that the guest finds under @name
 * @fd:    O_RDONLY | O_DIRECTORY of the host; may be shared by a fork: wasi_fini() alone closes it
 * @name:  absolute, or "."; borrowed
 *
 * To be called after wasi_init() and before the first call.  0; -1: the table is full.
 */
int wasi_grant_folder(struct wasi *wasi, int fd, const char *name, bool is_read_only);

/* wasi_fini() - closes all that is open but streams, and counts what thereby becomes free. */
void wasi_fini(struct wasi *wasi);

/* wasi_call() - @args: one for each parameter, i32 zero-extended.  An errno, or an outcome. */
uint32_t wasi_call(struct wasi *wasi, enum wasi_function function, const uint64_t *args);

const char *wasi_function_name(enum wasi_function function);
const char *wasi_function_params(enum wasi_function function);
