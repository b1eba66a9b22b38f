/* SPDX-License-Identifier: Apache-2.0 */
/*
 * memory.c - the guest's linear memory, ours and not the library's
 *
 * The library's limiter refuses memory.grow and tells nobody, so that a guest that gave up for
 * lack of memory looked like any other that trapped or failed.  Here each refusal is counted.
 *
 * The library's compiled code relies on what it asks for: an access that it does not check lands
 * in the reserved bytes or in the guard behind them, which no access is allowed to.  A guard in
 * front is for the case that the code itself is wrong.
 */
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

#include "base/macros.h"
#include "wasm/wasm.h"

/* Of this process's one memory. */
static struct {
	const struct wasmtime *wasmtime;
	uint64_t max_bytes;
	uint64_t n_refused;
} limit;

struct linear {
	uint8_t *mapping, *bytes;
	size_t mapping_bytes, reserved_bytes, len;
};

static struct wasmtime_error *refuse(void)
{
	limit.n_refused++;
	return limit.wasmtime->wasmtime_error_new("limits.memory");
}

static uint8_t *linear_get(void *env, size_t *ret_len, size_t *ret_max)
{
	const struct linear *linear = env;
	*ret_len = linear->len;
	*ret_max = linear->reserved_bytes;
	return linear->bytes;
}

static struct wasmtime_error *linear_grow(void *env, size_t len)
{
	struct linear *linear = env;
	if (len > limit.max_bytes || len > linear->reserved_bytes || len < linear->len ||
	    mprotect(linear->bytes, len, PROT_READ | PROT_WRITE) < 0)
		return refuse();
	linear->len = len;
	return NULL;
}

static void linear_free(void *env)
{
	struct linear *linear = env;
	(void)munmap(linear->mapping, linear->mapping_bytes);
	free(linear);
}

static WASMTIME_NEW_MEMORY(linear_new)
{
	UNUSED(env);
	UNUSED(type);
	UNUSED(max_bytes); /* The library looks at it first. */
	struct linear *linear = calloc(1, sizeof(*linear));
	size_t room_bytes = MAX(reserved_bytes, min_bytes), n_bytes;
	if (!linear || min_bytes > limit.max_bytes ||
	    __builtin_add_overflow(room_bytes, 2 * guard_bytes, &n_bytes)) {
		free(linear);
		return refuse();
	}
	linear->mapping =
		mmap(NULL, n_bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (linear->mapping == MAP_FAILED) {
		free(linear);
		return refuse();
	}
	linear->mapping_bytes = n_bytes;
	linear->bytes = linear->mapping + guard_bytes;
	linear->reserved_bytes = room_bytes;
	if (min_bytes > 0 && mprotect(linear->bytes, min_bytes, PROT_READ | PROT_WRITE) < 0) {
		linear_free(linear);
		return refuse();
	}
	linear->len = min_bytes;
	*ret = (struct wasmtime_linear_memory){ linear, linear_get, linear_grow, linear_free };
	return NULL;
}

void memory_configure(const struct wasmtime *wasmtime, struct wasm_config *config,
		      uint64_t max_bytes)
{
	const struct wasmtime_memory_creator creator = { NULL, linear_new, NULL };
	limit.wasmtime = wasmtime;
	limit.max_bytes = max_bytes;
	wasmtime->wasmtime_config_host_memory_creator_set(config, &creator);
}

void memory_begin(void)
{
	limit.n_refused = 0;
}

uint64_t memory_refusals(void)
{
	return limit.n_refused;
}
