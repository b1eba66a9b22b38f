/* SPDX-License-Identifier: Apache-2.0 */
/* walk.h - where in a document the reader is; shared by the files of policy/text */
#pragma once

#include "policy/fields.h"
#include "policy/text/lines.h"

#define POLICY_TEXT_MAX_PATH_BYTES (POLICY_TEXT_MAX_KEY_BYTES + 64)

/* A value's place: what the user calls it, and what policy_set() calls it. */
struct place {
	char path[POLICY_TEXT_MAX_PATH_BYTES]; /* "mounts[1].size"; "" is the document itself */
	char name[POLICY_TEXT_MAX_PATH_BYTES]; /* differs once an earlier item was refused */
	bool is_skipped;                       /* refused already: nothing below is read */
};

/* One open mapping or sequence. */
struct frame {
	struct place place;
	struct place next; /* of the value that follows; mapping only */
	bool is_mapping;
	bool is_key_due; /* mapping only */
	size_t n_items;  /* sequence only */
};

struct walk {
	struct policy_text *text;
	struct policy *policy;
	struct error_list *errors;
	struct frame frames[POLICY_TEXT_MAX_DEPTH];
	size_t depth;
	bool is_over; /* nothing more is to be read */
	bool has_document;
};

/* What the document holds at @path: a row of the table, or nothing (a group, an unknown name). */
struct node {
	const struct policy_field *field; /* NULL for none */
	bool is_item;                     /* the path ends with an index */
	bool is_list;                     /* a list or items as a whole */
	bool is_mapping;                  /* names and values may stand here */
	bool is_env_value;
};

void node_find(struct node *ret, const char *path);

/* walk_next_error() - a cleared slot; the walk ends when the list is full. */
struct error *walk_next_error(struct walk *walk);

/* walk_refuse() - one finding that is not about a field's value. */
void walk_refuse(struct walk *walk, unsigned line, const char *subject, const char *message,
		 const char *remedy);

/* walk_refuse_kind() - a value of the wrong kind; the remedy is what the place takes. */
void walk_refuse_kind(struct walk *walk, const struct place *place, const char *message,
		      unsigned line);

/* walk_set() - policy_set() with the user's path as the subject. */
void walk_set(struct walk *walk, const struct place *place, const char *value, unsigned line);

void walk_run_out_of_memory(struct walk *walk);

/* walk_top() - the innermost open frame; NULL at the document itself. */
struct frame *walk_top(struct walk *walk);

/* walk_take_place() - where the value that begins now belongs. */
struct place walk_take_place(struct walk *walk, unsigned line);

/* walk_is_key_due() - whether the node that begins now is the key of a mapping. */
bool walk_is_key_due(struct walk *walk);

/* walk_finish_node() - in a mapping, a key is followed by its value and a value by a key. */
void walk_finish_node(struct walk *walk);
