/* SPDX-License-Identifier: Apache-2.0 */
/* links.c - names of one file in the change set */
#include "workspacetool/links.h"

#include <errno.h>
#include <stdlib.h>

#include "workspacetool/plan.h"

bool links_counts(const struct entry *entry)
{
	return entry->upper.type == NODE_FILE &&
	       (entry->change == CHANGE_CREATED || entry->change == CHANGE_CHANGED);
}

static bool has_others(const struct set *set, const uint8_t *choices, size_t index)
{
	const struct entry *entry = &set->entries[index];
	return choices[index] == CHOICE_IN && links_counts(entry) && entry->upper.n_links > 1;
}

static int compare(const void *a, const void *b)
{
	const struct link_name *one = a, *other = b;
	if (one->inode != other->inode)
		return one->inode < other->inode ? -1 : 1;
	return one->entry < other->entry ? -1 : one->entry > other->entry;
}

int links_init(struct links *links, const struct set *set, const uint8_t *choices,
	       struct error *err)
{
	size_t n = 0;
	*links = (struct links){ 0 };
	for (size_t i = 0; i < set->n_entries; i++)
		n += has_others(set, choices, i);
	if (n == 0)
		return 0;
	links->items = calloc(n, sizeof(*links->items));
	if (!links->items) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, "change set",
				  "does not fit into memory");
		return error_remedy(err, r, "free some memory");
	}
	for (size_t i = 0; i < set->n_entries; i++)
		if (has_others(set, choices, i))
			links->items[links->n_items++] =
				(struct link_name){ .inode = set->entries[i].upper.inode,
						    .entry = (uint32_t)i };
	qsort(links->items, n, sizeof(*links->items), compare);
	return 0;
}

void links_fini(struct links *links)
{
	free(links->items);
	*links = (struct links){ 0 };
}

/* Index of the first name of an inode that is not below @inode. */
static size_t bound(const struct links *links, uint64_t inode)
{
	size_t low = 0, high = links->n_items;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (links->items[middle].inode < inode)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

uint32_t links_find(const struct links *links, const struct set *set, uint32_t entry, size_t *ret_n)
{
	const struct node *upper = &set->entries[entry].upper;
	*ret_n = 1;
	if (upper->n_links < 2)
		return entry;
	size_t first = bound(links, upper->inode), end = bound(links, upper->inode + 1);
	if (first == end)
		return entry;
	*ret_n = end - first;
	return links->items[first].entry;
}
