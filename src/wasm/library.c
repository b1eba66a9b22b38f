/* SPDX-License-Identifier: Apache-2.0 */
/* library.c - the table of wasmtime.h, filled by the dynamic loader */
#include "wasm/library.h"

#include <dlfcn.h>
#include <string.h>

#include "base/macros.h"
#include "wasm/wasm.h"

const char *library_load(struct wasmtime *ret, const char *path)
{
	static const struct {
		const char *name;
		size_t offset;
	} rows[] = {
#define LIBRARY_ROW(type, name, args) { #name, offsetof(struct wasmtime, name) },
		WASMTIME_FUNCTIONS(LIBRARY_ROW)
#undef LIBRARY_ROW
	};
	/* Now, and not in each worker anew: it is a copy of a process that has called nothing. */
	void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (!handle)
		return dlerror(); /* NOLINT(concurrency-mt-unsafe): one thread */
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		void *function = dlsym(handle, rows[i].name);
		if (!function)
			return rows[i].name;
		memcpy((char *)ret + rows[i].offset, &function, sizeof(function));
	}
	return NULL;
}

/*
 * Whatever changes here changes the code that is compiled, and so belongs into
 * WASM_CONFIG_REVISION of wire/wasm_messages.h.  What is off: the collector (open advisories, and
 * nothing that compiles C needs it), shared memory and threads (a worker has one), memories that
 * the limits do not bound.
 */
struct wasm_engine *library_engine(const struct wasmtime *wasmtime, uint64_t stack_bytes,
				   uint64_t memory_bytes)
{
	struct wasm_config *config = wasmtime->wasm_config_new();
	wasmtime->wasmtime_config_consume_fuel_set(config, true);
	wasmtime->wasmtime_config_parallel_compilation_set(config, false);
	wasmtime->wasmtime_config_wasm_gc_set(config, false);
	wasmtime->wasmtime_config_wasm_threads_set(config, false);
	wasmtime->wasmtime_config_wasm_memory64_set(config, false);
	wasmtime->wasmtime_config_wasm_multi_memory_set(config, false);
	wasmtime->wasmtime_config_wasm_relaxed_simd_set(config, false);
	/* The library maps a memory's first content only into memories of its own. */
	wasmtime->wasmtime_config_memory_init_cow_set(config, false);
	memory_configure(wasmtime, config, memory_bytes);
	if (stack_bytes > 0) {
		/* The library aborts where the first is larger than the second. */
		wasmtime->wasmtime_config_async_stack_size_set(config, stack_bytes + (1 << 20));
		wasmtime->wasmtime_config_max_wasm_stack_set(config, stack_bytes);
	}
	return wasmtime->wasm_engine_new_with_config(config);
}

void library_words(const struct wasm_bytes *bytes, char *text, size_t size)
{
	size_t len = 0;
	for (size_t i = 0; i < bytes->size && len + 1 < size && bytes->data[i] != '\0'; i++) {
		char byte = bytes->data[i];
		if (byte == '\n' || byte == '\t')
			byte = ' ';
		/* Bytes above ASCII are the rest of UTF-8; whoever prints them escapes what is not.
		 */
		if ((byte >= 0 && byte < ' ') || byte == 127)
			byte = '?';
		text[len++] = byte;
	}
	text[len] = '\0';
}

void library_error_words(const struct wasmtime *wasmtime, const struct wasmtime_error *error,
			 char *text, size_t size)
{
	struct wasm_bytes bytes = { 0 };
	wasmtime->wasmtime_error_message(error, &bytes);
	library_words(&bytes, text, size);
}
