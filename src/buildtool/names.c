/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - the names in a folder, in the order of strcmp() */
#include "buildtool/names.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/dir.h"

void names_fini(struct names *names)
{
	for (size_t i = 0; i < names->n_items; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct names){ .items = NULL };
}

static int compare(const void *left, const void *right)
{
	return strcmp(*(char *const *)left, *(char *const *)right);
}

static int no_memory(const char *path, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, ENOMEM, path, "cannot be listed");
	return error_remedy(err, r, "free some memory");
}

static int add(struct names *names, const char *name, const char *path, struct error *err)
{
	/* It grows when its number is a power of two. */
	if ((names->n_items & (names->n_items - 1)) == 0) {
		size_t n = MAX(names->n_items * 2, (size_t)1);
		char **items = reallocarray(names->items, n, sizeof(*items));
		if (!items)
			return no_memory(path, err);
		names->items = items;
	}
	char *copy = strdup(name);
	if (!copy)
		return no_memory(path, err);
	names->items[names->n_items++] = copy;
	return 0;
}

int names_read(struct names *ret, int dir_fd, uint64_t max, const char *path, struct error *err)
{
	const struct dir_entry *entry;
	DIR_READER(reader, dir_fd);
	*ret = (struct names){ .items = NULL };
	while ((entry = dir_next(&reader))) {
		if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0)
			continue;
		int r = add(ret, entry->name, path, err);
		if (r == 0 && ret->n_items > max) {
			r = error_set(err, ERR_LIMIT, 0, path, "holds more than %llu files",
				      (unsigned long long)max);
			r = error_remedy(err, r, "use several folders");
		}
		if (r != 0)
			return r;
	}
	if (reader.len < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, path, "cannot be listed");
		return error_remedy(err, r, "make it readable");
	}
	if (ret->n_items > 1)
		qsort(ret->items, ret->n_items, sizeof(*ret->items), compare);
	return 0;
}
