/* SPDX-License-Identifier: Apache-2.0 */
/* policy.c - the life of a policy: defaults, release, and the arrays in it */
#include "policy/policy.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "policy/store.h"
#include "policy/value.h"

/* Arrays grow by this many items, and every array is allocated in multiples of it. */
#define ARRAY_STEP 16

bool policy_array_reserve(struct policy_array *array, size_t n_items, size_t item_bytes)
{
	size_t n_have = (array->n_items + ARRAY_STEP - 1) / ARRAY_STEP * ARRAY_STEP;
	size_t n_want = (n_items + ARRAY_STEP - 1) / ARRAY_STEP * ARRAY_STEP;
	size_t n_bytes;
	if (n_want <= n_have)
		return true;
	/* One more, which stays empty: args are handed on as a list that ends with NULL. */
	if (__builtin_mul_overflow(n_want + 1, item_bytes, &n_bytes))
		return false;
	char *items = realloc(array->items, n_bytes);
	if (!items)
		return false;
	memset(items + n_have * item_bytes, 0, n_bytes - n_have * item_bytes);
	array->items = items;
	return true;
}

size_t policy_array_item_bytes(const struct policy_field *field)
{
	switch (field->type) {
	case POLICY_TYPE_ENV:
		return sizeof(struct policy_env);
	case POLICY_TYPE_MOUNTS:
		return sizeof(struct policy_mount);
	case POLICY_TYPE_SECRETS:
		return sizeof(struct policy_secret);
	default:
		return sizeof(char *);
	}
}

size_t policy_array_max(const struct policy_field *field)
{
	switch (field->type) {
	case POLICY_TYPE_ENV:
		return POLICY_MAX_ENV;
	case POLICY_TYPE_MOUNTS:
		return POLICY_MAX_MOUNTS;
	case POLICY_TYPE_SECRETS:
		return POLICY_MAX_SECRETS;
	case POLICY_TYPE_ARG_LIST:
		return POLICY_MAX_ARGS;
	case POLICY_TYPE_SYSCALL_LIST:
		return POLICY_MAX_SYSCALLS;
	case POLICY_TYPE_DEVICE_LIST:
		return POLICY_MAX_DEVICES;
	default:
		return POLICY_MAX_RULES;
	}
}

enum policy_owner policy_items_owner(const struct policy_field *field)
{
	return field->type == POLICY_TYPE_MOUNTS ? POLICY_OWNER_policy_mount
						 : POLICY_OWNER_policy_secret;
}

const struct policy_field *policy_next_field(const struct policy_field *field,
					     enum policy_owner owner)
{
	const struct policy_field *end = policy_fields + POLICY_N_FIELDS;
	for (field = field ? field + 1 : policy_fields; field < end; field++)
		if (field->owner == owner && !(field->flags & POLICY_FIELD_SHORTHAND))
			return field;
	return NULL;
}

static int init_string(const struct policy_field *field, char **ret, struct error *err)
{
	char *copy = strdup(field->initial);
	if (!copy)
		return policy_no_memory(field->name, err);
	*ret = NULL;
	policy_string_replace(ret, copy);
	return 0;
}

int policy_field_init(const struct policy_field *field, void *object, struct error *err)
{
	void *at = policy_field_at(field, object);
	switch (policy_type_storage((enum policy_type)field->type)) {
	case POLICY_STORAGE_BOOL:
		return policy_bool_parse(field, field->name, field->initial, at, err);
	case POLICY_STORAGE_NUMBER:
		return policy_number_parse(field, field->name, field->initial, at, err);
	case POLICY_STORAGE_ENUM:
		return policy_word_parse(field, field->name, field->initial, at, err);
	case POLICY_STORAGE_STRING:
		return init_string(field, at, err);
	case POLICY_STORAGE_ROOT: {
		struct policy *policy = object;
		policy->root_path = strdup("");
		return policy->root_path
			       ? policy_word_parse(field, field->name, field->initial, at, err)
			       : policy_no_memory(field->name, err);
	}
	case POLICY_STORAGE_NETWORK:
		*(bool *)at = false;
		return 0;
	case POLICY_STORAGE_LIST:
	case POLICY_STORAGE_ENV:
	case POLICY_STORAGE_ITEMS:
		*(struct policy_array *)at = (struct policy_array){ NULL, 0 };
		return 0;
	case POLICY_STORAGE_NONE:
		break;
	}
	return 0;
}

static void fini_array(const struct policy_field *field, struct policy_array *array)
{
	for (size_t i = 0; i < array->n_items; i++) {
		if (field->type == POLICY_TYPE_ENV) {
			free(((struct policy_env *)array->items)[i].name);
			free(((struct policy_env *)array->items)[i].value);
		} else {
			free(((char **)array->items)[i]);
		}
	}
	free(array->items);
	*array = (struct policy_array){ NULL, 0 };
}

/* Every field but mounts and secrets, whose items have fields themselves. */
static void fini_plain(const struct policy_field *field, void *object)
{
	void *at = policy_field_at(field, object);
	switch (policy_type_storage((enum policy_type)field->type)) {
	case POLICY_STORAGE_STRING:
		free(*(char **)at);
		*(char **)at = NULL;
		break;
	case POLICY_STORAGE_ROOT: {
		struct policy *policy = object;
		free(policy->root_path);
		policy->root_path = NULL;
		break;
	}
	case POLICY_STORAGE_LIST:
	case POLICY_STORAGE_ENV:
		fini_array(field, at);
		break;
	case POLICY_STORAGE_ITEMS:
	case POLICY_STORAGE_NONE:
	case POLICY_STORAGE_BOOL:
	case POLICY_STORAGE_NUMBER:
	case POLICY_STORAGE_ENUM:
	case POLICY_STORAGE_NETWORK:
		break;
	}
}

static void fini_items(const struct policy_field *items, struct policy_array *array)
{
	enum policy_owner owner = policy_items_owner(items);
	for (size_t i = 0; i < array->n_items; i++) {
		char *item = (char *)array->items + i * policy_array_item_bytes(items);
		for (const struct policy_field *field = policy_next_field(NULL, owner); field;
		     field = policy_next_field(field, owner))
			fini_plain(field, item);
	}
	free(array->items);
	*array = (struct policy_array){ NULL, 0 };
}

void policy_field_fini(const struct policy_field *field, void *object)
{
	if (policy_type_storage((enum policy_type)field->type) == POLICY_STORAGE_ITEMS)
		fini_items(field, policy_field_at(field, object));
	else
		fini_plain(field, object);
}

/* Bytes of the field in its owner. */
static size_t field_bytes(const struct policy_field *field)
{
	switch (policy_type_storage((enum policy_type)field->type)) {
	case POLICY_STORAGE_BOOL:
	case POLICY_STORAGE_NETWORK:
		return sizeof(bool);
	case POLICY_STORAGE_NUMBER:
		return sizeof(uint64_t);
	case POLICY_STORAGE_ENUM:
	case POLICY_STORAGE_ROOT:
		return sizeof(unsigned);
	case POLICY_STORAGE_STRING:
		return sizeof(char *);
	case POLICY_STORAGE_LIST:
	case POLICY_STORAGE_ENV:
	case POLICY_STORAGE_ITEMS:
		return sizeof(struct policy_array);
	case POLICY_STORAGE_NONE:
		break;
	}
	return 0;
}

void policy_field_move(const struct policy_field *field, void *to, void *from)
{
	size_t n_bytes = field_bytes(field);
	memcpy(policy_field_at(field, to), policy_field_at(field, from), n_bytes);
	memset(policy_field_at(field, from), 0, n_bytes);
	if (field->type == POLICY_TYPE_ROOT)
		((struct policy *)to)->root_path = take_ptr(&((struct policy *)from)->root_path);
}

void policy_owner_fini(enum policy_owner owner, void *object)
{
	for (const struct policy_field *field = policy_next_field(NULL, owner); field;
	     field = policy_next_field(field, owner))
		policy_field_fini(field, object);
}

int policy_owner_init(enum policy_owner owner, void *object, struct error *err)
{
	for (const struct policy_field *field = policy_next_field(NULL, owner); field;
	     field = policy_next_field(field, owner)) {
		int result = policy_field_init(field, object, err);
		if (result != 0) {
			policy_owner_fini(owner, object);
			return result;
		}
	}
	return 0;
}

int policy_init(struct policy *policy, struct error *err)
{
	memset(policy, 0, sizeof(*policy));
	return policy_owner_init(POLICY_OWNER_policy, policy, err);
}

void policy_fini(struct policy *policy)
{
	policy_owner_fini(POLICY_OWNER_policy, policy);
}

const char *policy_level_name(enum policy_level level)
{
	const struct policy_word *word = policy_word_get(POLICY_TYPE_LEVEL, level);
	return word ? word->word : "unknown";
}

int policy_env_join(const struct policy_env *env, size_t n_env, struct policy_list *ret)
{
	ret->items = calloc(n_env + 1, sizeof(char *));
	for (; ret->items && ret->n_items < n_env; ret->n_items++) {
		const struct policy_env *item = &env[ret->n_items];
		if (asprintf(&ret->items[ret->n_items], "%s=%s", item->name, item->value) < 0)
			return -1;
	}
	return ret->items ? 0 : -1;
}
