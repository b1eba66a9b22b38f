/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - arguments, environment, clocks, random numbers, the end */
#include <errno.h>
#include <string.h>
#include <sys/random.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/macros.h"
#include "wasm/wasi/guest.h"

static uint64_t strings_len(const char *const *items, size_t n_items)
{
	uint64_t len = 0;
	for (size_t i = 0; i < n_items; i++)
		len += strlen(items[i]) + 1;
	return len;
}

static uint32_t strings_sizes(const struct wasi *wasi, const uint64_t *args,
			      const char *const *items, size_t n_items)
{
	uint32_t r = guest_store_u32(wasi, args[0], (uint32_t)n_items);
	if (r != WASI_SUCCESS)
		return r;
	return guest_store_u32(wasi, args[1], (uint32_t)strings_len(items, n_items));
}

/* Pointers at args[0], the bytes that they point to at args[1]. */
static uint32_t strings_get(const struct wasi *wasi, const uint64_t *args, const char *const *items,
			    size_t n_items)
{
	uint64_t len = strings_len(items, n_items);
	uint8_t *pointers = guest_at(wasi, args[0], 4 * (uint64_t)n_items);
	uint8_t *bytes = guest_at(wasi, args[1], len);
	uint32_t address = (uint32_t)args[1];
	if (!pointers || !bytes)
		return WASI_EFAULT;
	if (!wasi_pay(wasi, len / WASI_BYTES_PER_UNIT))
		return WASI_OUT_OF_FUEL;
	for (size_t i = 0; i < n_items; i++) {
		size_t size = strlen(items[i]) + 1;
		guest_put_u32(pointers + 4 * i, address);
		memcpy(bytes, items[i], size);
		bytes += size;
		address += (uint32_t)size;
	}
	return WASI_SUCCESS;
}

uint32_t wasi_args_sizes_get(struct wasi *wasi, const uint64_t *args)
{
	return strings_sizes(wasi, args, wasi->args, wasi->n_args);
}

uint32_t wasi_args_get(struct wasi *wasi, const uint64_t *args)
{
	return strings_get(wasi, args, wasi->args, wasi->n_args);
}

uint32_t wasi_environ_sizes_get(struct wasi *wasi, const uint64_t *args)
{
	return strings_sizes(wasi, args, wasi->env, wasi->n_env);
}

uint32_t wasi_environ_get(struct wasi *wasi, const uint64_t *args)
{
	return strings_get(wasi, args, wasi->env, wasi->n_env);
}

static const clockid_t clocks[] = { CLOCK_REALTIME, CLOCK_MONOTONIC, CLOCK_PROCESS_CPUTIME_ID,
				    CLOCK_THREAD_CPUTIME_ID };

static uint64_t to_ns(const struct timespec *time)
{
	return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

uint32_t wasi_clock_res_get(struct wasi *wasi, const uint64_t *args)
{
	struct timespec time;
	if (args[0] >= ARRAY_LEN(clocks))
		return WASI_EINVAL;
	if (clock_getres(clocks[args[0]], &time) < 0)
		return wasi_errno_of(errno);
	return guest_store_u64(wasi, args[1], to_ns(&time));
}

/* The precision that is asked for, args[1], is a hint. */
uint32_t wasi_clock_time_get(struct wasi *wasi, const uint64_t *args)
{
	struct timespec time;
	if (args[0] >= ARRAY_LEN(clocks))
		return WASI_EINVAL;
	if (clock_gettime(clocks[args[0]], &time) < 0)
		return wasi_errno_of(errno);
	return guest_store_u64(wasi, args[2], to_ns(&time));
}

/* Straight into the guest's memory, so that no host memory grows with what it asks for. */
uint32_t wasi_random_get(struct wasi *wasi, const uint64_t *args)
{
	uint8_t *at = guest_at(wasi, args[0], args[1]);
	uint64_t len = args[1];
	if (!at)
		return WASI_EFAULT;
	if (!wasi_pay(wasi, len))
		return WASI_OUT_OF_FUEL;
	while (len > 0) {
		ssize_t n = getrandom(at, MIN(len, (uint64_t)65536), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return wasi_errno_of(errno);
		at += n;
		len -= (uint64_t)n;
	}
	return WASI_SUCCESS;
}

uint32_t wasi_sched_yield(struct wasi *wasi, const uint64_t *args)
{
	UNUSED(wasi);
	UNUSED(args);
	(void)syscall(SYS_sched_yield);
	return WASI_SUCCESS;
}

uint32_t wasi_proc_exit(struct wasi *wasi, const uint64_t *args)
{
	wasi->exit_code = (uint32_t)args[0];
	return WASI_EXITS;
}

/* No signal is delivered to a module: it has no handlers, and its end is proc_exit or a trap. */
uint32_t wasi_proc_raise(struct wasi *wasi, const uint64_t *args)
{
	UNUSED(wasi);
	UNUSED(args);
	return WASI_ENOTSUP;
}
