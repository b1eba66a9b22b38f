/* SPDX-License-Identifier: Apache-2.0 */
/* plan.c - which entries of a set go into a commit */
#include "workspacetool/plan.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "workspacetool/glob.h"

static bool any_matches(const char *const *globs, size_t n, const struct entry *entry)
{
	for (size_t i = 0; i < n; i++)
		if (glob_matches(globs[i], entry->path, entry->path_len))
			return true;
	return false;
}

static enum choice choose_alone(const struct entry *entry, const struct choose *choose)
{
	if (entry->change == CHANGE_NONE)
		return CHOICE_NONE;
	if (entry->flags & ENTRY_NEVER)
		return CHOICE_NEVER;
	if (choose->n_only > 0 && !any_matches(choose->only, choose->n_only, entry))
		return CHOICE_UNASKED;
	if (any_matches(choose->except, choose->n_except, entry))
		return CHOICE_UNASKED;
	if (entry->flags & ENTRY_EXECUTES && !choose->allows_exec_paths)
		return CHOICE_HELD;
	return CHOICE_IN;
}

static size_t parent_of(const struct set *set, size_t at)
{
	const struct entry *entry = &set->entries[at];
	const char *slash = memrchr(entry->path, '/', entry->path_len);
	return slash ? set_find(set, entry->path, (size_t)(slash - entry->path)) : SET_NO_ENTRY;
}

static bool is_new_folder(const struct entry *entry)
{
	return entry->upper.type == NODE_FOLDER && entry->host.type != NODE_FOLDER;
}

/*
 * A file brings the new folders that it lies in along; but not one that would take the place of
 * something of the host's that was not chosen.
 */
static void bring_folders(const struct set *set, uint8_t *choices, size_t at)
{
	for (size_t above = parent_of(set, at); above != SET_NO_ENTRY;
	     above = parent_of(set, above)) {
		const struct entry *entry = &set->entries[above];
		if (!is_new_folder(entry) || choices[above] == CHOICE_IN)
			return;
		if (entry->change != CHANGE_CREATED || choices[above] == CHOICE_NEVER) {
			choices[at] = CHOICE_STAYS;
			return;
		}
	}
	for (size_t above = parent_of(set, at); above != SET_NO_ENTRY;
	     above = parent_of(set, above))
		if (is_new_folder(&set->entries[above]))
			choices[above] = CHOICE_IN;
}

static bool all_are_in(const uint8_t *choices, size_t at, size_t end)
{
	for (; at < end; at++)
		if (choices[at] != CHOICE_IN)
			return false;
	return true;
}

static bool any_is_in(const uint8_t *choices, size_t at, size_t end)
{
	for (; at < end; at++)
		if (choices[at] == CHOICE_IN)
			return true;
	return false;
}

/* What would take a folder's place stays out: then the folder keeps what is in it. */
static void keep_replaced(const struct set *set, uint8_t *choices, size_t at, size_t end)
{
	const struct entry *entry = &set->entries[at];
	if (entry->change != CHANGE_CHANGED || entry->host.type != NODE_FOLDER ||
	    (choices[at] != CHOICE_HELD && choices[at] != CHOICE_NEVER))
		return;
	for (size_t i = at + 1; i < end; i++)
		if (choices[i] == CHOICE_IN)
			choices[i] = CHOICE_STAYS;
}

/* From the last to the first, so that what is in a folder is decided before the folder. */
static void settle_folders(const struct set *set, uint8_t *choices)
{
	for (size_t i = set->n_entries; i-- > 0;) {
		const struct entry *entry = &set->entries[i];
		size_t end = set_end_of(set, i);
		keep_replaced(set, choices, i, end);
		if (choices[i] != CHOICE_IN || end == i + 1)
			continue;
		/* What is in a new folder stayed out: then so does the folder. */
		if (entry->change == CHANGE_CREATED && !any_is_in(choices, i + 1, end))
			choices[i] =
				choices[i + 1] == CHOICE_UNASKED ? CHOICE_UNASKED : CHOICE_STAYS;
		if (entry->host.type != NODE_FOLDER || entry->upper.type == NODE_FOLDER ||
		    all_are_in(choices, i + 1, end))
			continue;
		choices[i] = CHOICE_STAYS;
		/* A file that would take the folder's place: nothing of this happens. */
		if (entry->change == CHANGE_CHANGED)
			memset(choices + i + 1, CHOICE_STAYS, end - i - 1);
	}
}

void plan_choose(const struct set *set, const struct choose *choose, uint8_t *choices)
{
	for (size_t i = 0; i < set->n_entries; i++)
		choices[i] = (uint8_t)choose_alone(&set->entries[i], choose);
	for (size_t i = 0; i < set->n_entries; i++)
		if (choices[i] == CHOICE_IN && set->entries[i].change == CHANGE_CREATED)
			bring_folders(set, choices, i);
	settle_folders(set, choices);
}

static enum op_kind kind_of(const struct entry *entry)
{
	switch ((enum change)entry->change) {
	case CHANGE_CREATED:
		return OP_MAKE;
	case CHANGE_DELETED:
		return OP_REMOVE;
	case CHANGE_MODE:
		return OP_MODE;
	case CHANGE_CHANGED:
	case CHANGE_NONE:
	case CHANGE_N_KINDS:
	default:
		return OP_REPLACE;
	}
}

int plan_init(struct plan *plan, const struct set *set, const uint8_t *choices, struct error *err)
{
	*plan = (struct plan){ .set = set, .choices = choices };
	plan->ops = calloc(set->n_entries + 1, sizeof(*plan->ops));
	if (!plan->ops) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, "change set",
				  "does not fit into memory");
		return error_remedy(err, r, "free some memory");
	}
	for (size_t i = 0; i < set->n_entries;) {
		const struct entry *entry = &set->entries[i];
		enum op_kind kind = kind_of(entry);
		size_t end = kind == OP_MODE ? i + 1 : set_end_of(set, i);
		/* Of a folder that does not come, nothing that is in it does. */
		if (choices[i] != CHOICE_IN) {
			i = is_new_folder(entry) ? end : i + 1;
			continue;
		}
		plan->ops[plan->n_ops++] = (struct op){ .entry = (uint32_t)i,
							.end = (uint32_t)end,
							.kind = (uint8_t)kind };
		i = end;
	}
	return links_init(&plan->links, set, choices, err);
}

uint32_t plan_op_of(const struct plan *plan, uint32_t entry)
{
	size_t low = 0, high = plan->n_ops;
	while (high - low > 1) {
		size_t middle = low + (high - low) / 2;
		if (plan->ops[middle].entry <= entry)
			low = middle;
		else
			high = middle;
	}
	return (uint32_t)low;
}

void plan_fini(struct plan *plan)
{
	free(plan->ops);
	links_fini(&plan->links);
	*plan = (struct plan){ 0 };
}

const char *plan_choice_words(enum choice choice)
{
	static const char *const words[CHOICE_N_KINDS] = {
		[CHOICE_NONE] = "",
		[CHOICE_IN] = "",
		[CHOICE_HELD] = "executes on the host",
		[CHOICE_NEVER] = "never committed",
		[CHOICE_UNASKED] = "not asked for",
		[CHOICE_STAYS] = "something in it, or its folder, stays out",
	};
	return words[choice];
}
