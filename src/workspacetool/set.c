/* SPDX-License-Identifier: Apache-2.0 */
/* set.c - what a sandbox changed, in memory */
#include "workspacetool/set.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_BYTES 65536

struct set_block {
	struct set_block *next;
	size_t used;
	char bytes[BLOCK_BYTES];
};

void set_init(struct set *set)
{
	*set = (struct set){ 0 };
}

void set_fini(struct set *set)
{
	while (set->blocks) {
		struct set_block *next = set->blocks->next;
		free(set->blocks);
		set->blocks = next;
	}
	free(set->entries);
	set_init(set);
}

static int no_memory(struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, ENOMEM, "change set", "does not fit into memory");
	return error_remedy(err, r, "free some memory");
}

static char *keep_path(struct set *set, const char *path, size_t len)
{
	struct set_block *block = set->blocks;
	if (!block || BLOCK_BYTES - block->used < len + 1) {
		block = malloc(sizeof(*block));
		if (!block)
			return NULL;
		block->next = set->blocks;
		block->used = 0;
		set->blocks = block;
	}
	char *kept = block->bytes + block->used;
	memcpy(kept, path, len);
	kept[len] = '\0';
	block->used += len + 1;
	return kept;
}

static int make_room(struct set *set, struct error *err)
{
	size_t n_room = set->n_room ? set->n_room * 2 : 64;
	if (set->n_entries < set->n_room)
		return 0;
	if (set->n_entries >= SET_MAX_ENTRIES) {
		int r = error_set(err, ERR_LIMIT, 0, "change set", "has more than %d paths",
				  SET_MAX_ENTRIES);
		return error_remedy(err, r,
				    "lower limits.disk_inodes for such runs; foso discard "
				    "ends this one");
	}
	struct entry *entries = reallocarray(set->entries, n_room, sizeof(*entries));
	if (!entries)
		return no_memory(err);
	set->entries = entries;
	set->n_room = n_room;
	return 0;
}

int set_add(struct set *set, const char *path, size_t len, struct entry **ret, struct error *err)
{
	assert(len <= SET_MAX_PATH_BYTES + 256);
	int r = make_room(set, err);
	if (r < 0)
		return r;
	char *kept = keep_path(set, path, len);
	if (!kept)
		return no_memory(err);
	*ret = &set->entries[set->n_entries++];
	**ret = (struct entry){ .path = kept,
				.path_len = (uint32_t)len,
				.renamed_from = SET_NO_ENTRY };
	return 0;
}

/* The slash sorts before every other byte, so that a folder's entries follow it at once. */
static int compare_paths(const char *a, size_t a_len, const char *b, size_t b_len)
{
	size_t n = MIN(a_len, b_len);
	for (size_t i = 0; i < n; i++) {
		if (a[i] == b[i])
			continue;
		if (a[i] == '/' || b[i] == '/')
			return a[i] == '/' ? -1 : 1;
		return (unsigned char)a[i] < (unsigned char)b[i] ? -1 : 1;
	}
	return a_len < b_len ? -1 : a_len > b_len;
}

static int compare_entries(const void *a, const void *b)
{
	const struct entry *one = a, *other = b;
	return compare_paths(one->path, one->path_len, other->path, other->path_len);
}

void set_sort(struct set *set)
{
	if (set->n_entries > 1)
		qsort(set->entries, set->n_entries, sizeof(*set->entries), compare_entries);
}

bool set_is_in_order(const struct set *set, size_t at)
{
	return at == 0 || compare_entries(&set->entries[at - 1], &set->entries[at]) < 0;
}

size_t set_end_of(const struct set *set, size_t at)
{
	const struct entry *folder = &set->entries[at];
	size_t low = at + 1, high = set->n_entries;
	/* Those that lie in it come first; the end is where that stops. */
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct entry *entry = &set->entries[middle];
		if (entry->path_len > folder->path_len && entry->path[folder->path_len] == '/' &&
		    memcmp(entry->path, folder->path, folder->path_len) == 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

size_t set_find(const struct set *set, const char *path, size_t len)
{
	size_t low = 0, high = set->n_entries;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		const struct entry *entry = &set->entries[middle];
		int order = compare_paths(entry->path, entry->path_len, path, len);
		if (order == 0)
			return middle;
		if (order < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return SET_NO_ENTRY;
}
