/* SPDX-License-Identifier: Apache-2.0 */
/* list.c - lists of strings in a message */
#include "wire/list.h"

#include <stdlib.h>

void wire_put_list(struct buf *out, const struct policy_list *list)
{
	wire_put_u32(out, (uint32_t)list->n_items);
	for (size_t i = 0; i < list->n_items; i++)
		wire_put_string(out, list->items[i]);
}

void wire_get_list(struct wire_reader *reader, struct policy_list *list, uint32_t max)
{
	uint32_t n_items = wire_get_count(reader, max);
	list->items = calloc((size_t)n_items + 1, sizeof(char *));
	if (!list->items) {
		reader->is_broken = true;
		return;
	}
	for (; list->n_items < n_items && !reader->is_broken; list->n_items++)
		list->items[list->n_items] = wire_get_string(reader);
}

void wire_list_fini(struct policy_list *list)
{
	for (size_t i = 0; i < list->n_items; i++)
		free(list->items[i]);
	free(list->items);
	*list = (struct policy_list){ 0 };
}
