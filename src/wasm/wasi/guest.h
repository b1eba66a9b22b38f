/* SPDX-License-Identifier: Apache-2.0 */
/*
 * guest.h - what the files of this folder share: the guest's memory, its descriptors, fuel
 *
 * Memory is little-endian and unaligned, and every access is checked against its length.
 */
#pragma once

#include <sys/uio.h>

#include "wasm/wasi/wasi.h"

/* __wasi_rights_t */
#define WASI_RIGHT_FD_READ             (UINT64_C(1) << 1)
#define WASI_RIGHT_FD_FDSTAT_SET_FLAGS (UINT64_C(1) << 3)
#define WASI_RIGHT_FD_WRITE            (UINT64_C(1) << 6)
#define WASI_RIGHT_FD_FILESTAT_GET     (UINT64_C(1) << 21)
#define WASI_RIGHT_POLL_FD_READWRITE   (UINT64_C(1) << 27)

#define WASI_FDFLAG_NONBLOCK 4

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

/* wasi_stream() - an open one, or NULL (WASI_EBADF). */
struct wasi_stream *wasi_stream(struct wasi *wasi, uint64_t fd);

/* wasi_errno_of() - the guest's number of an errno of the host. */
uint32_t wasi_errno_of(int errnum);

/* wasi_pay() - false: out of fuel, and nothing may be done. */
bool wasi_pay(const struct wasi *wasi, uint64_t n_units);

#define WASI_UNITS_PER_CALL 50 /* of any call */
#define WASI_BYTES_PER_UNIT 4  /* copied or made */

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
WASI_HANDLER(fd_close)
WASI_HANDLER(fd_fdstat_get)
WASI_HANDLER(fd_fdstat_set_flags)
WASI_HANDLER(fd_fdstat_set_rights)
WASI_HANDLER(fd_filestat_get)
WASI_HANDLER(fd_read)
WASI_HANDLER(fd_renumber)
WASI_HANDLER(fd_write)
WASI_HANDLER(not_capable)
WASI_HANDLER(not_folder)
WASI_HANDLER(not_preopened)
WASI_HANDLER(not_seekable)
WASI_HANDLER(not_socket)
WASI_HANDLER(not_syncable)
WASI_HANDLER(symlink_nowhere)
#undef WASI_HANDLER
