/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasi.h - WASI preview 1, as foso's own host functions
 *
 * Theory of operation.  A guest's call arrives as a number and integers; pointers are offsets into
 * the guest's memory, which the caller points to anew at each call (it can have grown).  Nothing
 * here knows Wasmtime, so all of it can be tested and fuzzed with an array as memory.
 *
 * What the guest has is what the run gave it: arguments, environment, three streams, clocks and
 * random numbers.  No folder is granted in this version, so the functions that take a path answer
 * as they do for a descriptor that is no folder.  Work that the host does for the guest is charged
 * as fuel before it is done, and no call moves more than WASI_MAX_TRANSFER_BYTES.
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
 * an errno as i32, but proc_exit, which does not return.  Of functions that are not granted,
 * what is wrong with descriptor 0 of the arguments is answered (streams.c).
 */
/* clang-format off */
#define WASI_FUNCTIONS(WASI_FUNCTION)                                                             \
	WASI_FUNCTION(args_get,                "ii",        args_get)                             \
	WASI_FUNCTION(args_sizes_get,          "ii",        args_sizes_get)                       \
	WASI_FUNCTION(environ_get,             "ii",        environ_get)                          \
	WASI_FUNCTION(environ_sizes_get,       "ii",        environ_sizes_get)                    \
	WASI_FUNCTION(clock_res_get,           "ii",        clock_res_get)                        \
	WASI_FUNCTION(clock_time_get,          "iIi",       clock_time_get)                       \
	WASI_FUNCTION(fd_advise,               "iIIi",      not_seekable)                         \
	WASI_FUNCTION(fd_allocate,             "iII",       not_capable)                          \
	WASI_FUNCTION(fd_close,                "i",         fd_close)                             \
	WASI_FUNCTION(fd_datasync,             "i",         not_syncable)                         \
	WASI_FUNCTION(fd_fdstat_get,           "ii",        fd_fdstat_get)                        \
	WASI_FUNCTION(fd_fdstat_set_flags,     "ii",        fd_fdstat_set_flags)                  \
	WASI_FUNCTION(fd_fdstat_set_rights,    "iII",       fd_fdstat_set_rights)                 \
	WASI_FUNCTION(fd_filestat_get,         "ii",        fd_filestat_get)                      \
	WASI_FUNCTION(fd_filestat_set_size,    "iI",        not_capable)                          \
	WASI_FUNCTION(fd_filestat_set_times,   "iIIi",      not_capable)                          \
	WASI_FUNCTION(fd_pread,                "iiiIi",     not_seekable)                         \
	WASI_FUNCTION(fd_prestat_get,          "ii",        not_preopened)                        \
	WASI_FUNCTION(fd_prestat_dir_name,     "iii",       not_preopened)                        \
	WASI_FUNCTION(fd_pwrite,               "iiiIi",     not_seekable)                         \
	WASI_FUNCTION(fd_read,                 "iiii",      fd_read)                              \
	WASI_FUNCTION(fd_readdir,              "iiiIi",     not_folder)                           \
	WASI_FUNCTION(fd_renumber,             "ii",        fd_renumber)                          \
	WASI_FUNCTION(fd_seek,                 "iIii",      not_seekable)                         \
	WASI_FUNCTION(fd_sync,                 "i",         not_syncable)                         \
	WASI_FUNCTION(fd_tell,                 "ii",        not_seekable)                         \
	WASI_FUNCTION(fd_write,                "iiii",      fd_write)                             \
	WASI_FUNCTION(path_create_directory,   "iii",       not_folder)                           \
	WASI_FUNCTION(path_filestat_get,       "iiiii",     not_folder)                           \
	WASI_FUNCTION(path_filestat_set_times, "iiiiIIi",   not_folder)                           \
	WASI_FUNCTION(path_link,               "iiiiiii",   not_folder)                           \
	WASI_FUNCTION(path_open,               "iiiiiIIii", not_folder)                           \
	WASI_FUNCTION(path_readlink,           "iiiiii",    not_folder)                           \
	WASI_FUNCTION(path_remove_directory,   "iii",       not_folder)                           \
	WASI_FUNCTION(path_rename,             "iiiiii",    not_folder)                           \
	WASI_FUNCTION(path_symlink,            "iiiii",     symlink_nowhere)                      \
	WASI_FUNCTION(path_unlink_file,        "iii",       not_folder)                           \
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

/* __wasi_errno_t, those that are answered. */
enum wasi_errno {
	WASI_SUCCESS = 0,
	WASI_E2BIG = 1,
	WASI_EACCES = 2,
	WASI_EAGAIN = 6,
	WASI_EBADF = 8,
	WASI_EFAULT = 21,
	WASI_EINTR = 27,
	WASI_EINVAL = 28,
	WASI_EIO = 29,
	WASI_ENOSPC = 51,
	WASI_ENOSYS = 52,
	WASI_ENOTDIR = 54,
	WASI_ENOTSOCK = 57,
	WASI_ENOTSUP = 58,
	WASI_EPIPE = 64,
	WASI_ESPIPE = 70,
	WASI_ENOTCAPABLE = 76,
};

/* Outcomes beside an errno: the call does not return to the guest. */
#define WASI_EXITS       0x10000 /* proc_exit; wasi.exit_code */
#define WASI_OUT_OF_FUEL 0x10001

struct wasi_stream {
	int fd; /* of the host, borrowed; -1: closed by the guest */
	uint64_t rights;
	uint16_t flags; /* __wasi_fdflags_t */
};

struct wasi {
	uint8_t *memory; /* of the guest, right for the duration of a call; NULL: it exports none */
	size_t memory_len;
	const char *const *args, *const *env; /* strings, borrowed */
	size_t n_args, n_env;
	struct wasi_stream streams[WASI_N_STREAMS];
	uint32_t exit_code;
	/* Takes fuel; false if there is not so much.  NULL: host work costs nothing. */
	bool (*charge)(void *context, uint64_t n_units);
	void *context;
};

/* wasi_init() - streams are descriptors 0, 1 and 2 of the process; the rest is empty. */
void wasi_init(struct wasi *wasi);

/* wasi_call() - @args: one for each parameter, i32 zero-extended.  An errno, or an outcome. */
uint32_t wasi_call(struct wasi *wasi, enum wasi_function function, const uint64_t *args);

const char *wasi_function_name(enum wasi_function function);
const char *wasi_function_params(enum wasi_function function);
