/* SPDX-License-Identifier: Apache-2.0 */
/*
 * canonical.c - the one JSON text that a policy has, and its digest
 *
 * Rows come in the order of their names, so members of a group follow each other and a group is
 * opened and closed as its prefix comes and goes.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/text.h"
#include "format/json.h"
#include "policy/store.h"
#include "policy/value.h"

#define MAX_CANONICAL_BYTES (32 * 1024 * 1024) /* each byte can become six */

/* A string; one that is not UTF-8 as {"hex":...}, so that no two strings look alike. */
static void put_string(struct json *json, const char *key, const char *text)
{
	static const char digits[] = "0123456789abcdef";
	size_t len = strlen(text);
	if (text_is_utf8(text, len)) {
		json_string(json, key, text);
		return;
	}
	struct buf hex = BUF_INIT(2 * len);
	for (size_t i = 0; i < len; i++) {
		unsigned char byte = (unsigned char)text[i];
		char pair[2] = { digits[byte >> 4], digits[byte & 15] };
		buf_append(&hex, pair, 2);
	}
	json->out->is_broken |= !buf_is_whole(&hex);
	json_object_open(json, key);
	json_string(json, "hex", buf_string(&hex));
	json_object_close(json);
	buf_fini(&hex);
}

static void put_number(struct json *json, const char *key, uint64_t value)
{
	if (value == POLICY_UNLIMITED)
		json_null(json, key);
	else
		json_u64(json, key, value);
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static int compare_targets(const void *a, const void *b)
{
	const struct policy_mount *const *first = a, *const *second = b;
	return strcmp((*first)->target, (*second)->target);
}

static int compare_names(const void *a, const void *b)
{
	const struct policy_secret *const *first = a, *const *second = b;
	return strcmp((*first)->name, (*second)->name);
}

/* Pointers to the items in canonical order; NULL marks the output when memory is out. */
static const void **sort_items(struct json *json, const struct policy_field *field,
			       const struct policy_array *array)
{
	const void **order = calloc(array->n_items, sizeof(*order));
	if (!order) {
		json->out->is_broken = true;
		return NULL;
	}
	bool is_list = policy_type_storage((enum policy_type)field->type) == POLICY_STORAGE_LIST;
	for (size_t i = 0; i < array->n_items; i++) {
		const char *item = (const char *)array->items + i * policy_array_item_bytes(field);
		order[i] = is_list ? *(char *const *)item : item;
	}
	if (field->type == POLICY_TYPE_MOUNTS)
		qsort(order, array->n_items, sizeof(*order), compare_targets);
	else if (field->type == POLICY_TYPE_SECRETS)
		qsort(order, array->n_items, sizeof(*order), compare_names);
	else if (field->type != POLICY_TYPE_ARG_LIST)
		qsort(order, array->n_items, sizeof(*order), compare_strings);
	return order;
}

static void put_list(struct json *json, const char *key, const struct policy_field *field,
		     const struct policy_array *array)
{
	auto_free const void **order = array->n_items > 0 ? sort_items(json, field, array) : NULL;
	json_array_open(json, key);
	for (size_t i = 0; order && i < array->n_items; i++) {
		bool is_double = field->type != POLICY_TYPE_ARG_LIST && i > 0 &&
				 strcmp(order[i], order[i - 1]) == 0;
		if (!is_double)
			put_string(json, NULL, order[i]);
	}
	json_array_close(json);
}

static void put_env(struct json *json, const struct policy *policy)
{
	json_object_open(json, "env");
	for (size_t i = 0; i < policy->n_env; i++) {
		uint8_t digest[DIGEST_BYTES];
		char hex[DIGEST_HEX_BYTES];
		const struct policy_env *env = &policy->env[i];
		digest_sha256(env->value, strlen(env->value), NULL, 0, digest);
		digest_hex(digest, hex);
		json_string(json, env->name, hex);
	}
	json_object_close(json);
}

static void put_root(struct json *json, const struct policy *policy)
{
	const struct policy_word *word = policy_word_get(POLICY_TYPE_ROOT, policy->root);
	not_zeroed char storage[256];
	auto_buf struct buf text = BUF_ON(storage, 8192);
	buf_append_string(&text, word ? word->word : "");
	if (policy->root_path[0] != '\0') {
		buf_append_char(&text, ':');
		buf_append_string(&text, policy->root_path);
	}
	json->out->is_broken |= !buf_is_whole(&text);
	put_string(json, "root", buf_string(&text));
}

/* Every field but mounts and secrets, whose items have fields themselves. */
static void put_plain(struct json *json, const char *key, const struct policy_field *field,
		      const void *object)
{
	const void *at = policy_field_at_const(field, object);
	const struct policy_word *word;
	switch (policy_type_storage((enum policy_type)field->type)) {
	case POLICY_STORAGE_BOOL:
		json_bool(json, key, *(const bool *)at);
		break;
	case POLICY_STORAGE_NUMBER:
		put_number(json, key, *(const uint64_t *)at);
		break;
	case POLICY_STORAGE_ENUM:
		word = policy_word_get((enum policy_type)field->type, *(const unsigned *)at);
		json_string(json, key, word ? word->word : "");
		break;
	case POLICY_STORAGE_STRING:
		put_string(json, key, *(char *const *)at);
		break;
	case POLICY_STORAGE_ROOT:
		put_root(json, object);
		break;
	case POLICY_STORAGE_LIST:
		put_list(json, key, field, at);
		break;
	case POLICY_STORAGE_ENV:
		put_env(json, object);
		break;
	case POLICY_STORAGE_ITEMS:
	case POLICY_STORAGE_NETWORK:
	case POLICY_STORAGE_NONE:
		break;
	}
}

/* The group of @field, if it is absent as a whole: null stands in its place. */
static const char *absent_group(const struct policy *policy, const struct policy_field *field)
{
	enum policy_field_id id = policy_field_id(field);
	if (id >= POLICY_FIELD_NETWORK && id <= POLICY_FIELD_NETWORK_PRIVATE)
		return policy->network.is_present ? NULL : "network";
	if (id >= POLICY_FIELD_WORKSPACE && id <= POLICY_FIELD_WORKSPACE_SECRETS)
		return policy->workspace.path[0] ? NULL : "workspace";
	return NULL;
}

static void put_items(struct json *json, const struct policy_field *items,
		      const struct policy_array *array)
{
	auto_free const void **order = array->n_items > 0 ? sort_items(json, items, array) : NULL;
	enum policy_owner owner = policy_items_owner(items);
	json_array_open(json, items->name);
	for (size_t i = 0; order && i < array->n_items; i++) {
		json_object_open(json, NULL);
		for (const struct policy_field *field = policy_next_field(NULL, owner); field;
		     field = policy_next_field(field, owner))
			put_plain(json, strchr(field->name, '.') + 1, field, order[i]);
		json_object_close(json);
	}
	json_array_close(json);
}

/* One row below the policy itself, inside the group that is open. */
static void put_field(struct json *json, const struct policy_field *field,
		      const struct policy *policy)
{
	const char *point = strchr(field->name, '.');
	const char *absent = absent_group(policy, field);
	enum policy_field_id id = policy_field_id(field);
	if (absent && (id == POLICY_FIELD_NETWORK || id == POLICY_FIELD_WORKSPACE_ACCESS))
		json_null(json, absent);
	else if (absent || id == POLICY_FIELD_NETWORK)
		return;
	else if (policy_type_storage((enum policy_type)field->type) == POLICY_STORAGE_ITEMS)
		put_items(json, field, policy_field_at_const(field, policy));
	else
		put_plain(json, point ? point + 1 : field->name, field, policy);
}

static void put_policy(struct json *json, const struct policy *policy)
{
	char group[sizeof(policy_fields[0].name)] = "";
	for (const struct policy_field *field = policy_next_field(NULL, POLICY_OWNER_policy); field;
	     field = policy_next_field(field, POLICY_OWNER_policy)) {
		size_t n_group = strcspn(field->name, ".");
		bool is_member = field->name[n_group] == '.' && !absent_group(policy, field);
		bool is_inside = group[0] && strncmp(group, field->name, n_group) == 0 &&
				 group[n_group] == '\0';
		if (group[0] && !(is_member && is_inside)) {
			json_object_close(json);
			group[0] = '\0';
		}
		if (is_member && !group[0]) {
			memcpy(group, field->name, n_group);
			group[n_group] = '\0';
			json_object_open(json, group);
		}
		put_field(json, field, policy);
	}
	if (group[0])
		json_object_close(json);
}

void policy_canonical(const struct policy *policy, struct buf *out)
{
	struct json json;
	json_init(&json, out);
	json_object_open(&json, NULL);
	put_policy(&json, policy);
	json_object_close(&json);
}

int policy_digest(const struct policy *policy, uint8_t ret_digest[32], struct error *err)
{
	auto_buf struct buf text = BUF_INIT(MAX_CANONICAL_BYTES);
	policy_canonical(policy, &text);
	if (!buf_is_whole(&text))
		return policy_no_memory("policy", err);
	digest_sha256(text.data, text.len, NULL, 0, ret_digest);
	return 0;
}
