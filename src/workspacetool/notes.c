/* SPDX-License-Identifier: Apache-2.0 */
/* notes.c - what of a git config runs programs, for people */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workspacetool/workspace.h"

#define MAX_NOTE_BYTES 4096

int workspace_note_add(struct workspace_notes *notes, size_t entry, const struct buf *text,
		       struct error *err)
{
	struct workspace_note *items =
		reallocarray(notes->items, notes->n_items + 1, sizeof(*items));
	if (items) {
		struct workspace_note *note = &items[notes->n_items];
		notes->items = items;
		note->entry = (uint32_t)entry;
		note->text = strndup(buf_string(text), MIN(text->len, (size_t)MAX_NOTE_BYTES));
		if (note->text) {
			notes->n_items++;
			return 0;
		}
	}
	int r = error_set(err, ERR_SYSTEM, ENOMEM, "change set", "does not fit into memory");
	return error_remedy(err, r, "free some memory");
}

void workspace_notes_fini(struct workspace_notes *notes)
{
	for (size_t i = 0; i < notes->n_items; i++)
		free(notes->items[i].text);
	free(notes->items);
	*notes = (struct workspace_notes){ 0 };
}

const char *workspace_note_find(const struct workspace_notes *notes, size_t entry)
{
	for (size_t i = 0; i < notes->n_items; i++)
		if (notes->items[i].entry == entry)
			return notes->items[i].text;
	return NULL;
}
