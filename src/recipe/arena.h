/* SPDX-License-Identifier: Apache-2.0 */
/*
 * arena.h - memory that is freed at once, up to a bound
 *
 * A Dockerfile becomes many small strings with one lifetime.  An allocation that fails, or that
 * would go past the bound, returns NULL.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct recipe_chunk;

struct recipe_arena {
	struct recipe_chunk *chunks;
	size_t n_bytes;   /* handed out so far */
	size_t max_bytes; /* never more than this */
};

#define RECIPE_ARENA_INIT(max) ((struct recipe_arena){ .max_bytes = (max) })

/* recipe_alloc() - @size zeroed bytes, aligned for anything; NULL: no memory, or the bound. */
void *recipe_alloc(struct recipe_arena *arena, size_t size);

/* recipe_copy() - @len bytes and a NUL. */
char *recipe_copy(struct recipe_arena *arena, const char *text, size_t len);

/* recipe_grow() - a larger copy of an array whose @n_items fill it; doubles, from 8 on. */
void *recipe_grow(struct recipe_arena *arena, void *items, size_t n_items, size_t item_size);

void recipe_arena_fini(struct recipe_arena *arena);
