/* SPDX-License-Identifier: Apache-2.0 */
/* arena.c - memory that is freed at once, up to a bound */
#include "recipe/arena.h"

#include <stdlib.h>
#include <string.h>

#include "base/macros.h"

#define CHUNK_BYTES (64 * 1024)
#define ALIGNMENT   16u

struct recipe_chunk {
	struct recipe_chunk *next;
	size_t used, size;
	_Alignas(ALIGNMENT) char bytes[];
};

static struct recipe_chunk *chunk_new(struct recipe_arena *arena, size_t size)
{
	struct recipe_chunk *chunk = calloc(1, sizeof(*chunk) + size);
	if (!chunk)
		return NULL;
	chunk->size = size;
	chunk->next = arena->chunks;
	arena->chunks = chunk;
	return chunk;
}

void *recipe_alloc(struct recipe_arena *arena, size_t size)
{
	if (size > arena->max_bytes || arena->n_bytes > arena->max_bytes - size)
		return NULL;
	size_t rounded = (MAX(size, (size_t)1) + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1);
	struct recipe_chunk *chunk = arena->chunks;
	if (!chunk || chunk->size - chunk->used < rounded)
		chunk = chunk_new(arena, MAX(rounded, (size_t)CHUNK_BYTES));
	if (!chunk)
		return NULL;
	void *memory = chunk->bytes + chunk->used;
	chunk->used += rounded;
	arena->n_bytes += rounded;
	return memory;
}

char *recipe_copy(struct recipe_arena *arena, const char *text, size_t len)
{
	char *copy = recipe_alloc(arena, len + 1);
	if (copy && len > 0)
		memcpy(copy, text, len);
	return copy;
}

void *recipe_grow(struct recipe_arena *arena, void *items, size_t n_items, size_t item_size)
{
	/* Full when the number is 0, or 8 times a power of two. */
	if (n_items != 0 && (n_items < 8 || (n_items & (n_items - 1)) != 0))
		return items;
	void *larger = recipe_alloc(arena, (n_items ? n_items * 2 : 8) * item_size);
	if (larger && n_items > 0)
		memcpy(larger, items, n_items * item_size);
	return larger;
}

void recipe_arena_fini(struct recipe_arena *arena)
{
	while (arena->chunks) {
		struct recipe_chunk *chunk = arena->chunks;
		arena->chunks = chunk->next;
		free(chunk);
	}
	arena->n_bytes = 0;
}
