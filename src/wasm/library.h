/* SPDX-License-Identifier: Apache-2.0 */
/* library.h - Wasmtime, loaded when it is needed, and the one configuration that is used */
#pragma once

#include <stdint.h>

#include "wasm/wasmtime.h"

/*
 * library_load() - fill @ret from the library at @path
 *
 * Returns NULL, or what failed in words (of the loader, or the name of a missing function).
 */
const char *library_load(struct wasmtime *ret, const char *path);

/* library_engine() - @stack_bytes: of the guest; 0 for the library's own 512 KiB. */
struct wasm_engine *library_engine(const struct wasmtime *wasmtime, uint64_t stack_bytes,
				   uint64_t memory_bytes);

/* library_words() - what an error or a trap says, cut to fit; control bytes become '?'. */
void library_words(const struct wasm_bytes *bytes, char *text, size_t size);
void library_error_words(const struct wasmtime *wasmtime, const struct wasmtime_error *error,
			 char *text, size_t size);
