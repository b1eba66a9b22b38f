/* SPDX-License-Identifier: Apache-2.0 */
/* lists.c - the lists and paths that a plan is made of */
#include <string.h>

#include "recipe/reader.h"

bool list_add(struct recipe_arena *arena, struct recipe_list *list, const char *item)
{
	if (!item || list->n_items >= RECIPE_MAX_ITEMS)
		return false;
	list->items = recipe_grow(arena, list->items, list->n_items, sizeof(*list->items));
	if (!list->items)
		return false;
	list->items[list->n_items++] = item;
	return true;
}

bool list_has(const struct recipe_list *list, const char *item)
{
	for (size_t i = 0; i < list->n_items; i++)
		if (strcmp(list->items[i], item) == 0)
			return true;
	return false;
}

bool pairs_set(struct recipe_arena *arena, struct recipe_pairs *pairs, const char *name,
	       const char *value)
{
	if (!name || !value)
		return false;
	for (size_t i = 0; i < pairs->n_items; i++) {
		if (strcmp(pairs->items[i].name, name) == 0) {
			pairs->items[i].value = value;
			return true;
		}
	}
	if (pairs->n_items >= RECIPE_MAX_ITEMS)
		return false;
	pairs->items = recipe_grow(arena, pairs->items, pairs->n_items, sizeof(*pairs->items));
	if (!pairs->items)
		return false;
	pairs->items[pairs->n_items++] = (struct recipe_pair){ name, value };
	return true;
}

const char *pairs_get(const struct recipe_pairs *pairs, const char *name)
{
	for (size_t i = 0; i < pairs->n_items; i++)
		if (strcmp(pairs->items[i].name, name) == 0)
			return pairs->items[i].value;
	return NULL;
}

/* As many places as recipe_grow() believes that an array of @n items has. */
static size_t capacity(size_t n)
{
	size_t size = 8;
	while (size < n)
		size *= 2;
	return size;
}

bool pairs_copy(struct recipe_arena *arena, const struct recipe_pairs *from,
		struct recipe_pairs *ret)
{
	*ret = (struct recipe_pairs){ .items = NULL };
	if (from->n_items == 0)
		return true;
	ret->items = recipe_alloc(arena, capacity(from->n_items) * sizeof(*ret->items));
	if (!ret->items)
		return false;
	memcpy(ret->items, from->items, from->n_items * sizeof(*ret->items));
	ret->n_items = from->n_items;
	return true;
}

bool list_copy(struct recipe_arena *arena, const struct recipe_list *from, struct recipe_list *ret)
{
	*ret = (struct recipe_list){ .items = NULL };
	if (from->n_items == 0)
		return true;
	ret->items = recipe_alloc(arena, capacity(from->n_items) * sizeof(*ret->items));
	if (!ret->items)
		return false;
	memcpy(ret->items, from->items, from->n_items * sizeof(*ret->items));
	ret->n_items = from->n_items;
	return true;
}

bool config_copy(struct recipe_arena *arena, const struct recipe_config *from,
		 struct recipe_config *ret)
{
	*ret = *from;
	ret->cwd = from->cwd ? from->cwd : "";
	ret->user = from->user ? from->user : "";
	ret->stop_signal = from->stop_signal ? from->stop_signal : "";
	return pairs_copy(arena, &from->env, &ret->env) &&
	       pairs_copy(arena, &from->labels, &ret->labels) &&
	       list_copy(arena, &from->entrypoint, &ret->entrypoint) &&
	       list_copy(arena, &from->cmd, &ret->cmd) &&
	       list_copy(arena, &from->ports, &ret->ports) &&
	       list_copy(arena, &from->volumes, &ret->volumes);
}

/* Appends the segments of @path to @text; *ret_leads_out if ".." had nothing to take away. */
static void add_segments(char *text, size_t *len, const char *path, bool *ret_leads_out)
{
	while (*path) {
		size_t n = strcspn(path, "/");
		if (n == 2 && path[0] == '.' && path[1] == '.') {
			if (*len == 0)
				*ret_leads_out = true;
			while (*len > 0 && text[--*len] != '/')
				;
		} else if (n > 0 && !(n == 1 && path[0] == '.')) {
			text[(*len)++] = '/';
			memcpy(text + *len, path, n);
			*len += n;
		}
		path += n;
		path += *path == '/';
	}
	text[*len] = '\0';
}

const char *path_join(struct recipe_arena *arena, const char *base, const char *path)
{
	bool leads_out = false;
	size_t len = 0;
	char *text = recipe_alloc(arena, strlen(base) + strlen(path) + 3);
	if (!text)
		return NULL;
	if (path[0] != '/')
		add_segments(text, &len, base, &leads_out);
	add_segments(text, &len, path, &leads_out);
	if (len == 0)
		text[len++] = '/';
	return text;
}

const char *path_relative(struct recipe_arena *arena, const char *path, bool *ret_leads_out)
{
	size_t len = 0;
	char *text = recipe_alloc(arena, strlen(path) + 3);
	*ret_leads_out = false;
	if (!text)
		return NULL;
	add_segments(text, &len, path, ret_leads_out);
	return *ret_leads_out ? NULL : len > 0 ? text + 1 : text;
}
