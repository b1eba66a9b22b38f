/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasi_fuzz.c - calls of WASI by a guest that means harm
 *
 * The input is a list of calls, each a number and nine arguments, then the guest's memory.  What
 * would wait for ever cannot: fuel is small and the streams are at their end.
 */
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "wasm/wasi/guest.h"

#define N_CALLS    8
#define CALL_BYTES (1 + 8 * WASI_MAX_ARGS)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool pay(void *context, uint64_t n_units)
{
	uint64_t *fuel = context;
	if (n_units > *fuel)
		return false;
	*fuel -= n_units;
	return true;
}

/* A wait is made a short one: the clock's own code is what is of interest. */
static void shorten_waits(uint8_t *memory, size_t len)
{
	for (size_t at = 0; at + 48 <= len; at++) {
		if (memory[at + 8] == 0)
			memset(memory + at + 26, 0, 6);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static uint8_t memory[65536];
	static const char *const words[] = { "prog", "argument" };
	uint64_t fuel = 100000;
	struct wasi wasi;
	if (size < N_CALLS * CALL_BYTES)
		return 0;
	size_t len = size - N_CALLS * CALL_BYTES;
	memcpy(memory, data + N_CALLS * CALL_BYTES, len < sizeof(memory) ? len : sizeof(memory));
	wasi_init(&wasi);
	for (int i = 0; i < WASI_N_STREAMS; i++)
		wasi.files[i].fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	wasi.args = wasi.env = words;
	wasi.n_args = wasi.n_env = 2;
	wasi.memory = memory;
	wasi.memory_len = len < sizeof(memory) ? len : sizeof(memory);
	wasi.charge = pay;
	wasi.context = &fuel;
	for (int i = 0; i < N_CALLS; i++, data += CALL_BYTES) {
		enum wasi_function function = (enum wasi_function)(data[0] % WASI_N_FUNCTIONS);
		const char *params = wasi_function_params(function);
		uint64_t args[WASI_MAX_ARGS] = { 0 };
		for (size_t n = 0; params[n]; n++)
			args[n] = params[n] == 'I' ? guest_u64(data + 1 + 8 * n)
						   : guest_u32(data + 1 + 8 * n);
		if (function == WASI_poll_oneoff)
			shorten_waits(memory, wasi.memory_len);
		(void)wasi_call(&wasi, function, args);
	}
	for (int i = 0; i < WASI_N_STREAMS; i++) {
		if (wasi.files[i].fd >= 0)
			close(wasi.files[i].fd);
	}
	return 0;
}
