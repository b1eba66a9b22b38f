/* SPDX-License-Identifier: Apache-2.0 */
/* guest.c - the guest's memory, the table of functions, and what each call costs */
#include "wasm/wasi/guest.h"

#include <errno.h>
#include <string.h>

#include "base/macros.h"

uint8_t *guest_at(const struct wasi *wasi, uint64_t address, uint64_t len)
{
	if (!wasi->memory || address > wasi->memory_len || len > wasi->memory_len - address)
		return NULL;
	return wasi->memory + address;
}

static uint64_t get(const uint8_t *at, unsigned n_bytes)
{
	uint64_t value = 0;
	for (unsigned i = 0; i < n_bytes; i++)
		value |= (uint64_t)at[i] << (8 * i);
	return value;
}

static void put(uint8_t *at, uint64_t value, unsigned n_bytes)
{
	for (unsigned i = 0; i < n_bytes; i++)
		at[i] = (uint8_t)(value >> (8 * i));
}

uint16_t guest_u16(const uint8_t *at)
{
	return (uint16_t)get(at, 2);
}

uint32_t guest_u32(const uint8_t *at)
{
	return (uint32_t)get(at, 4);
}

uint64_t guest_u64(const uint8_t *at)
{
	return get(at, 8);
}

void guest_put_u16(uint8_t *at, uint16_t value)
{
	put(at, value, 2);
}

void guest_put_u32(uint8_t *at, uint32_t value)
{
	put(at, value, 4);
}

void guest_put_u64(uint8_t *at, uint64_t value)
{
	put(at, value, 8);
}

uint32_t guest_store_u32(const struct wasi *wasi, uint64_t address, uint32_t value)
{
	uint8_t *at = guest_at(wasi, address, 4);
	if (!at)
		return WASI_EFAULT;
	guest_put_u32(at, value);
	return WASI_SUCCESS;
}

uint32_t guest_store_u64(const struct wasi *wasi, uint64_t address, uint64_t value)
{
	uint8_t *at = guest_at(wasi, address, 8);
	if (!at)
		return WASI_EFAULT;
	guest_put_u64(at, value);
	return WASI_SUCCESS;
}

uint32_t wasi_errno_of(int errnum)
{
	static const struct {
		int host;
		enum wasi_errno guest;
	} rows[] = {
		{ 0, WASI_SUCCESS },
		{ E2BIG, WASI_E2BIG },
		{ EACCES, WASI_EACCES },
		{ EAGAIN, WASI_EAGAIN },
		{ EBADF, WASI_EBADF },
		{ EBUSY, WASI_EBUSY },
		{ EDQUOT, WASI_EDQUOT },
		{ EEXIST, WASI_EEXIST },
		{ EFAULT, WASI_EFAULT },
		{ EFBIG, WASI_EFBIG },
		{ EILSEQ, WASI_EILSEQ },
		{ EINTR, WASI_EINTR },
		{ EINVAL, WASI_EINVAL },
		{ EIO, WASI_EIO },
		{ EISDIR, WASI_EISDIR },
		{ ELOOP, WASI_ELOOP },
		{ EMFILE, WASI_EMFILE },
		{ EMLINK, WASI_EMLINK },
		{ ENAMETOOLONG, WASI_ENAMETOOLONG },
		{ ENFILE, WASI_ENFILE },
		{ ENOENT, WASI_ENOENT },
		{ ENOMEM, WASI_ENOMEM },
		{ ENOSPC, WASI_ENOSPC },
		{ ENOSYS, WASI_ENOSYS },
		{ ENOTDIR, WASI_ENOTDIR },
		{ ENOTEMPTY, WASI_ENOTEMPTY },
		{ ENXIO, WASI_ENXIO },
		{ EOVERFLOW, WASI_EOVERFLOW },
		{ EPERM, WASI_EPERM },
		{ EPIPE, WASI_EPIPE },
		{ EROFS, WASI_EROFS },
		{ ESPIPE, WASI_ESPIPE },
		{ ESTALE, WASI_ESTALE },
		{ ETXTBSY, WASI_ETXTBSY },
		{ EXDEV, WASI_EXDEV },
		{ EOPNOTSUPP, WASI_ENOTSUP },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		if (rows[i].host == errnum)
			return rows[i].guest;
	}
	return WASI_EIO;
}

bool wasi_pay(const struct wasi *wasi, uint64_t n_units)
{
	return !wasi->charge || wasi->charge(wasi->context, n_units);
}

static const struct {
	const char *name, *params;
	uint32_t (*handler)(struct wasi *wasi, const uint64_t *args);
} functions[WASI_N_FUNCTIONS] = {
#define WASI_ROW(name, params, handler) [WASI_##name] = { #name, params, wasi_##handler },
	WASI_FUNCTIONS(WASI_ROW)
#undef WASI_ROW
};

const char *wasi_function_name(enum wasi_function function)
{
	return functions[function].name;
}

const char *wasi_function_params(enum wasi_function function)
{
	return functions[function].params;
}

/* Does it change what counts?  A stream never does, and writing to it can take its time. */
static bool counts(const struct wasi *wasi, enum wasi_function function, const uint64_t *args)
{
	static const bool rows[WASI_N_FUNCTIONS] = {
		[WASI_fd_allocate] = true,
		[WASI_fd_close] = true,
		[WASI_fd_filestat_set_size] = true,
		[WASI_fd_pwrite] = true,
		[WASI_fd_renumber] = true,
		[WASI_fd_write] = true,
		[WASI_path_create_directory] = true,
		[WASI_path_link] = true,
		[WASI_path_open] = true,
		[WASI_path_remove_directory] = true,
		[WASI_path_rename] = true,
		[WASI_path_symlink] = true,
		[WASI_path_unlink_file] = true,
	};
	bool is_stream = function == WASI_fd_write && args[0] < wasi->n_files &&
			 wasi->files[args[0]].is_stream;
	return wasi->disk && rows[function] && !is_stream;
}

uint32_t wasi_call(struct wasi *wasi, enum wasi_function function, const uint64_t *args)
{
	if (!wasi_pay(wasi, WASI_UNITS_PER_CALL))
		return WASI_OUT_OF_FUEL;
	if (!counts(wasi, function, args))
		return functions[function].handler(wasi, args);
	wasi_disk_lock(wasi);
	uint32_t outcome = functions[function].handler(wasi, args);
	if (outcome == WASI_ENOSPC || outcome == WASI_EDQUOT) /* Ours, or the kernel's. */
		wasi->disk->n_refused++;
	wasi_disk_unlock(wasi);
	return outcome;
}

uint32_t guest_iovecs(const struct wasi *wasi, const uint64_t *args,
		      struct iovec iovecs[WASI_MAX_IOVECS], int *ret_n, uint64_t *ret_len)
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
