/* SPDX-License-Identifier: Apache-2.0 */
/* wasm_modules.h - the acts of level wasm: modules, as text or as bytes */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct wasm_module {
	const char *name;
	const char *content;
	size_t len;
	bool is_text; /* to be assembled */
};

extern const struct wasm_module wasm_modules[];
extern const size_t n_wasm_modules;

/*
 * wasm_module_digests() - SHA-256 of what the module of @act was made from, and of it itself
 *
 * False if there is no such module, or none was made yet.  check_wasm_prepare() makes them.
 */
bool wasm_module_digests(const char *act, const char **ret_source, const char **ret_module);
