/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.h - a look at a module's sections before the compiler sees it
 *
 * The compiler's own bound is the time that its process gets; most modules made to use that up
 * are told here in microseconds, with the function and the limit by name.  What is right by this
 * is not yet a valid module: that the library decides.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "wire/wasm_messages.h"

#define SCAN_MAX_FUNCTIONS     100000u
#define SCAN_MAX_BODY_BYTES    (1u << 20) /* of one function */
#define SCAN_MAX_LOCALS        20000u     /* of one function */
#define SCAN_MAX_BODIES_LOCALS (8u << 20) /* of all functions together */
#define SCAN_MAX_GLOBALS       100000u

struct scan {
	uint64_t n_functions, n_tables, n_memories, n_globals;
	uint64_t memory_pages;  /* that the memory begins with */
	uint64_t table_entries; /* that all tables together begin with */
};

/* scan_module() - 0 and *ret, or -1 and *failed in words. */
int scan_module(struct scan *ret, const uint8_t *bytes, size_t len, struct wasm_failed *failed);
