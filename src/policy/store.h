/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - how fields lie in memory: what init, set, decode and the walks share
 *
 * "Owner" is a struct policy, policy_mount or policy_secret; each has its rows in the table.
 */
#pragma once

#include "policy/fields.h"

/* Lists, mounts, secrets and env all lie as a pointer and a count, one after the other. */
struct policy_array {
	void *items;
	size_t n_items;
};

static_assert(offsetof(struct policy_list, n_items) == offsetof(struct policy_array, n_items), "");
static_assert(offsetof(struct policy, n_mounts) ==
		      offsetof(struct policy, mounts) + offsetof(struct policy_array, n_items),
	      "");
static_assert(offsetof(struct policy, n_secrets) ==
		      offsetof(struct policy, secrets) + offsetof(struct policy_array, n_items),
	      "");
static_assert(offsetof(struct policy, n_env) ==
		      offsetof(struct policy, env) + offsetof(struct policy_array, n_items),
	      "");

/* policy_array_reserve() - room for @n_items; the array's own count stays.  False: no memory. */
bool policy_array_reserve(struct policy_array *array, size_t n_items, size_t item_bytes) must_check;

/* policy_array_item_bytes() - size of one item; policy_array_max() - how many the field may hold.
 */
size_t policy_array_item_bytes(const struct policy_field *field);
size_t policy_array_max(const struct policy_field *field);

/* policy_items_owner() - of the rows below MOUNTS or SECRETS. */
enum policy_owner policy_items_owner(const struct policy_field *field);

/*
 * policy_next_field() - the row after @field (NULL: the first) that belongs to @owner and is
 * stored, so no shorthand; NULL at the end.
 */
const struct policy_field *policy_next_field(const struct policy_field *field,
					     enum policy_owner owner);

/* policy_owner_init() - every field of the owner at its default; on failure released. */
int policy_owner_init(enum policy_owner owner, void *object, struct error *err) must_check;
void policy_owner_fini(enum policy_owner owner, void *object);

/* policy_field_init() - one field at its default, whose memory holds nothing yet. */
int policy_field_init(const struct policy_field *field, void *object, struct error *err) must_check;
void policy_field_fini(const struct policy_field *field, void *object);

/* policy_field_move() - the value of one field from @from, which forgets it, to @to. */
void policy_field_move(const struct policy_field *field, void *to, void *from);

/*
 * policy_string_replace() - frees the old, takes the new
 *
 * Lies in a file of its own user, so that gcc's analyzer, which loses track of a string that is
 * stored behind a computed offset, sees it handed over.
 */
void policy_string_replace(char **at, char *value);

/* policy_field_is_default() - the field of @object holds its default, so it asks for nothing. */
bool policy_field_is_default(const struct policy_field *field, const void *object) must_check;

/* policy_env_check() - a name and value that execve() takes. */
int policy_env_check(const char *subject, const char *name, const char *value, struct error *err)
	must_check;

/* policy_env_find() - where @name is, or would be; true if it is there. */
bool policy_env_find(const struct policy *policy, const char *name, size_t *ret_at);

/*
 * policy_values_check() - each value by itself: ranges, words, shapes of strings, counts
 *
 * What policy_set() refuses at once, asked of a whole policy: one that was decoded, or that a
 * program filled by hand.  Returns how many are wrong; with @errors NULL it stops at the first.
 */
size_t policy_values_check(const struct policy *policy, struct error_list *errors) must_check;

/* policy_level_check() - what @level cannot honour; returns how many items it added. */
size_t policy_level_check(const struct policy *policy, enum policy_level level,
			  struct error_list *errors) must_check;
