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
		{ 0, WASI_SUCCESS },     { E2BIG, WASI_E2BIG },   { EACCES, WASI_EACCES },
		{ EAGAIN, WASI_EAGAIN }, { EBADF, WASI_EBADF },   { EFAULT, WASI_EFAULT },
		{ EINTR, WASI_EINTR },   { EINVAL, WASI_EINVAL }, { ENOSPC, WASI_ENOSPC },
		{ EPIPE, WASI_EPIPE },   { ESPIPE, WASI_ESPIPE },
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

void wasi_init(struct wasi *wasi)
{
	static const uint64_t rights[WASI_N_STREAMS] = {
		WASI_RIGHT_FD_READ,
		WASI_RIGHT_FD_WRITE,
		WASI_RIGHT_FD_WRITE,
	};
	memset(wasi, 0, sizeof(*wasi));
	for (int i = 0; i < WASI_N_STREAMS; i++) {
		wasi->streams[i].fd = i;
		wasi->streams[i].rights = rights[i] | WASI_RIGHT_FD_FDSTAT_SET_FLAGS |
					  WASI_RIGHT_FD_FILESTAT_GET | WASI_RIGHT_POLL_FD_READWRITE;
	}
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

uint32_t wasi_call(struct wasi *wasi, enum wasi_function function, const uint64_t *args)
{
	if (!wasi_pay(wasi, WASI_UNITS_PER_CALL))
		return WASI_OUT_OF_FUEL;
	return functions[function].handler(wasi, args);
}
