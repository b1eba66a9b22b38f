/* SPDX-License-Identifier: Apache-2.0 */
/* hidden.c - which paths of the workspace the sandbox did not see */
#include "workspacetool/hidden.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workspace/changes.h"

static int compare(const void *a, const void *b)
{
	const struct hidden_item *one = a, *other = b;
	int order = memcmp(one->path, other->path, MIN(one->len, other->len));
	if (order != 0)
		return order;
	return one->len < other->len ? -1 : one->len > other->len;
}

static size_t count(const struct buf *entries)
{
	enum changes_hiding hiding;
	const char *path;
	size_t at = 0, n = 0, len;
	while (changes_hidden_next(entries, &at, &hiding, &path, &len) > 0)
		n++;
	return n;
}

int hidden_init(struct hidden *hidden, const struct buf *entries, struct error *err)
{
	enum changes_hiding hiding;
	size_t at = 0, n = count(entries);
	*hidden = (struct hidden){ 0 };
	if (n == 0)
		return 0;
	hidden->items = calloc(n, sizeof(*hidden->items));
	if (!hidden->items) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, "hidden", "does not fit into memory");
		return error_remedy(err, r, "free some memory");
	}
	while (hidden->n_items < n) {
		struct hidden_item *item = &hidden->items[hidden->n_items++];
		(void)changes_hidden_next(entries, &at, &hiding, &item->path, &item->len);
	}
	qsort(hidden->items, n, sizeof(*hidden->items), compare);
	return 0;
}

void hidden_fini(struct hidden *hidden)
{
	free(hidden->items);
	*hidden = (struct hidden){ 0 };
}

bool hidden_has(const struct hidden *hidden, const char *path, size_t len)
{
	struct hidden_item item = { path, len };
	return hidden->n_items > 0 &&
	       bsearch(&item, hidden->items, hidden->n_items, sizeof(item), compare) != NULL;
}
