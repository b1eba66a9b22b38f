/* SPDX-License-Identifier: Apache-2.0 */
/* node.c - where in a document the reader is, and what may stand there */
#include <string.h>

#include "policy/text/walk.h"
#include "policy/value.h"

/* The row of a path, indexes left out: "mounts[1].size" is found as "mounts[].size". */
void node_find(struct node *ret, const char *path)
{
	char bare[POLICY_TEXT_MAX_PATH_BYTES];
	size_t used = 0, len = strlen(path);
	*ret = (struct node){ .is_env_value = strncmp(path, "env.", 4) == 0 };
	if (ret->is_env_value)
		return;
	for (const char *at = path; *at; at++) {
		bare[used++] = *at;
		if (*at == '[')
			at += strspn(at + 1, "0123456789");
	}
	ret->is_item = len > 0 && path[len - 1] == ']';
	if (ret->is_item)
		used -= 2;
	ret->field = policy_field_find(bare, used);
	if (!ret->field) {
		ret->is_mapping = !ret->is_item && policy_field_is_group(bare, used);
		return;
	}
	enum policy_storage storage = policy_type_storage((enum policy_type)ret->field->type);
	bool is_array = storage == POLICY_STORAGE_LIST || storage == POLICY_STORAGE_ITEMS;
	ret->is_list = is_array && !ret->is_item;
	ret->is_mapping = storage == POLICY_STORAGE_ENV ||
			  (storage == POLICY_STORAGE_ITEMS && ret->is_item) ||
			  (!is_array && policy_field_is_group(bare, used));
}

struct error *walk_next_error(struct walk *walk)
{
	if (walk->errors->n_errors + 1 >= ERROR_LIST_MAX)
		walk->is_over = true;
	return error_list_next(walk->errors);
}

void walk_refuse(struct walk *walk, unsigned line, const char *subject, const char *message,
		 const char *remedy)
{
	struct error *err = walk_next_error(walk);
	int result = error_set(err, ERR_INVALID, 0, subject, "%s", message);
	(void)error_remedy(err, result, "%s", remedy);
	policy_text_place_at(walk->text, line, err);
}

void walk_run_out_of_memory(struct walk *walk)
{
	struct error *err = walk_next_error(walk);
	(void)policy_no_memory("the document", err);
	policy_text_place_at(walk->text, 0, err);
	walk->is_over = true;
}

void walk_refuse_kind(struct walk *walk, const struct place *place, const char *message,
		      unsigned line)
{
	struct node node;
	node_find(&node, place->path);
	struct error *err = walk_next_error(walk);
	int result = error_set(err, ERR_INVALID, 0, place->path, "%s", message);
	if (node.is_env_value)
		(void)error_remedy(err, result, "write one text; \"\" is the empty one");
	else if (!node.field)
		(void)error_remedy(err, result, "write its fields as a mapping below it");
	else if (node.is_list)
		(void)error_remedy(err, result, "write a list, each item %s",
				   policy_type_forms((enum policy_type)node.field->type));
	else if (node.field->type == POLICY_TYPE_ENV)
		(void)error_remedy(err, result, "write NAME: VALUE for each variable below it");
	else
		(void)policy_forms_remedy(node.field, err, result);
	policy_text_place_at(walk->text, line, err);
}

void walk_set(struct walk *walk, const struct place *place, const char *value, unsigned line)
{
	struct error err = { .code = ERR_NONE };
	int result = policy_set(walk->policy, place->name, value, &err);
	if (result == 0)
		return;
	struct error *slot = walk_next_error(walk);
	*slot = err;
	(void)snprintf(slot->subject, sizeof(slot->subject), "%s", place->path);
	policy_text_place_at(walk->text, line, slot);
	walk->is_over |= result == -ERR_SYSTEM;
}

struct frame *walk_top(struct walk *walk)
{
	return walk->depth > 0 ? &walk->frames[walk->depth - 1] : NULL;
}

bool walk_is_key_due(struct walk *walk)
{
	struct frame *frame = walk_top(walk);
	return frame && frame->is_mapping && frame->is_key_due;
}

void walk_finish_node(struct walk *walk)
{
	struct frame *frame = walk_top(walk);
	if (frame && frame->is_mapping)
		frame->is_key_due = !frame->is_key_due;
}

/* The name of the next item: a list is appended to, mounts and secrets get the next free index. */
static void name_item(const struct walk *walk, const struct frame *frame, struct place *place)
{
	struct node list;
	node_find(&list, frame->place.path);
	enum policy_type type = list.field ? (enum policy_type)list.field->type : POLICY_N_TYPES;
	size_t n_items =
		type == POLICY_TYPE_MOUNTS ? walk->policy->n_mounts : walk->policy->n_secrets;
	if (type == POLICY_TYPE_MOUNTS || type == POLICY_TYPE_SECRETS)
		(void)snprintf(place->name, sizeof(place->name), "%.280s[%zu]", frame->place.name,
			       n_items);
	else
		(void)snprintf(place->name, sizeof(place->name), "%s", frame->place.name);
}

struct place walk_take_place(struct walk *walk, unsigned line)
{
	struct frame *frame = walk_top(walk);
	struct place place = { .is_skipped = false };
	if (!frame)
		return place;
	if (frame->is_mapping)
		return frame->next;
	place.is_skipped = frame->place.is_skipped;
	if (place.is_skipped)
		return place;
	(void)snprintf(place.path, sizeof(place.path), "%.280s[%zu]", frame->place.path,
		       frame->n_items++);
	name_item(walk, frame, &place);
	if (!policy_text_line_add(walk->text, place.path, line))
		walk_run_out_of_memory(walk);
	return place;
}
