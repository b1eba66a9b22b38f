/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set.c - one field from its name and its text
 *
 * A name is resolved to a row and a place: the policy itself, or an item of mounts or secrets,
 * and for a list a position.  The value is complete before anything is changed, so a refused
 * value leaves the policy as it was.
 */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "policy/place.h"
#include "policy/store.h"
#include "policy/value.h"

static int refuse_name(const char *name, struct error *err)
{
	char bare[64];
	size_t used = 0;
	/* "mounts[12].tget" is looked up as "mounts[].tget", as the table writes it. */
	for (const char *at = name; *at && used + 1 < sizeof(bare); at++)
		if (!(at > name && *at >= '0' && *at <= '9' &&
		      (at[-1] == '[' || bare[used - 1] == '[')))
			bare[used++] = *at;
	bare[used] = '\0';
	if (policy_field_is_group(bare, used)) {
		int result =
			error_set(err, ERR_INVALID, 0, name, "is a group of fields, not a field");
		return error_remedy(err, result,
				    "name one of its fields; foso-policy(5) lists them");
	}
	int result = error_set(err, ERR_NOT_FOUND, 0, name, "is not a field of a policy");
	const char *nearest = policy_field_nearest(bare);
	if (nearest)
		return error_remedy(err, result, "did you mean %s?", nearest);
	return error_remedy(err, result, "foso-policy(5) lists the fields");
}

/* Reads "[12]"; *at moves behind it. */
static bool parse_index(const char **at, size_t *ret_index)
{
	char digits[8];
	uint64_t value;
	size_t len = strcspn(*at + 1, "]");
	if (len >= sizeof(digits) || (*at)[1 + len] != ']')
		return false;
	memcpy(digits, *at + 1, len);
	digits[len] = '\0';
	if (!text_parse_u64(digits, &value))
		return false;
	*ret_index = (size_t)value;
	*at += len + 2;
	return true;
}

static bool is_array(const struct policy_field *field)
{
	enum policy_storage storage = policy_type_storage((enum policy_type)field->type);
	return storage == POLICY_STORAGE_LIST || storage == POLICY_STORAGE_ITEMS;
}

/* The member behind "mounts[0]": ".source", or ".hosts[1]". */
static bool resolve_member(struct policy_place *place, const char *at)
{
	char member[sizeof(place->field->name) * 2];
	size_t len = strcspn(at, "[");
	int n_member = snprintf(member, sizeof(member), "%s[]%.*s", place->items->name,
				(int)MIN(len, sizeof(member)), at);
	place->field = policy_field_find(member, (size_t)n_member);
	if (!place->field)
		return false;
	at += len;
	place->has_index = *at == '[';
	return !place->has_index ||
	       (is_array(place->field) && parse_index(&at, &place->index) && *at == '\0');
}

static int resolve(const char *name, struct policy_place *ret, struct error *err)
{
	*ret = (struct policy_place){ .name = name };
	if (strncmp(name, "env.", 4) == 0) {
		ret->field = &policy_fields[POLICY_FIELD_ENV];
		ret->key = name + 4;
		return 0;
	}
	size_t len = strcspn(name, "[");
	ret->field = policy_field_find(name, len);
	if (!ret->field)
		return refuse_name(name, err);
	if (name[len] == '\0')
		return 0;
	const char *at = name + len;
	if (!is_array(ret->field) || !parse_index(&at, &ret->index))
		return refuse_name(name, err);
	if (*at == '\0') {
		ret->has_index = true;
		return 0;
	}
	ret->items = ret->field;
	ret->item = ret->index;
	if (ret->items->type == POLICY_TYPE_MOUNTS || ret->items->type == POLICY_TYPE_SECRETS)
		if (resolve_member(ret, at))
			return 0;
	return refuse_name(name, err);
}

int policy_place_refuse_count(const struct policy_place *place, const struct policy_field *field,
			      struct error *err)
{
	int result = error_set(err, ERR_LIMIT, 0, place->name, "is more than %zu items",
			       policy_array_max(field));
	return error_remedy(err, result, "write at most %zu in %s", policy_array_max(field),
			    field->name);
}

int policy_place_reserve(const struct policy_place *place, const struct policy_field *field,
			 struct policy_array *array, size_t *ret_at, struct error *err)
{
	size_t at = array->n_items;
	if (field == place->items)
		at = place->item;
	else if (place->has_index)
		at = place->index;
	if (at > array->n_items) {
		int result = error_set(err, ERR_INVALID, 0, place->name, "leaves out an index");
		return error_remedy(err, result, "the next one is [%zu]", array->n_items);
	}
	if (at >= policy_array_max(field))
		return policy_place_refuse_count(place, field, err);
	if (!policy_array_reserve(array, at + 1, policy_array_item_bytes(field)))
		return policy_no_memory(place->name, err);
	*ret_at = at;
	return 0;
}

/* The form in which a string is kept: paths without "//", hosts in lower case. */
static void normalise(enum policy_type type, char *text)
{
	char *at = text, *end = text + strlen(text);
	if (type == POLICY_TYPE_GUEST_PATH || type == POLICY_TYPE_TARGET)
		policy_path_normalise(text);
	if (type == POLICY_TYPE_HTTP_LIST) {
		char *space = strchr(text, ' ');
		char *slash = space ? strchr(space, '/') : NULL;
		at = slash ? space : end;
		end = slash ? slash : end;
	} else if (type != POLICY_TYPE_ENDPOINT_LIST && type != POLICY_TYPE_RANGE_LIST &&
		   type != POLICY_TYPE_HOST_LIST) {
		return;
	}
	for (; at < end; at++)
		if (*at >= 'A' && *at <= 'Z')
			*at = (char)(*at | 0x20);
}

static int make_string(const struct policy_place *place, const char *text, char **ret,
		       struct error *err)
{
	auto_free char *copy = strdup(text);
	if (!copy)
		return policy_no_memory(place->name, err);
	normalise((enum policy_type)place->field->type, copy);
	int result =
		policy_string_check((enum policy_type)place->field->type, place->name, copy, err);
	if (result == 0)
		*ret = take_ptr(&copy);
	return result;
}

void policy_string_replace(char **at, char *value)
{
	free(*at);
	*at = value;
}

static int set_list(const struct policy_place *place, void *object, const char *text,
		    struct error *err)
{
	struct policy_array *array = policy_field_at(place->field, object);
	auto_free char *value = NULL;
	size_t at = 0;
	int result = make_string(place, text, &value, err);
	if (result != 0)
		return result;
	result = policy_place_reserve(place, place->field, array, &at, err);
	if (result != 0)
		return result;
	char **items = array->items;
	if (at == array->n_items) {
		items[at] = NULL;
		array->n_items++;
	}
	policy_string_replace(&items[at], take_ptr(&value));
	return 0;
}

int policy_place_set(const struct policy_place *place, void *object, const char *text,
		     struct error *err)
{
	const struct policy_field *field = place->field;
	void *at = policy_field_at(field, object);
	char *string = NULL;
	int result;
	switch (policy_type_storage((enum policy_type)field->type)) {
	case POLICY_STORAGE_BOOL:
		return policy_bool_parse(field, place->name, text, at, err);
	case POLICY_STORAGE_NUMBER:
		return policy_number_parse(field, place->name, text, at, err);
	case POLICY_STORAGE_ENUM:
		return policy_word_parse(field, place->name, text, at, err);
	case POLICY_STORAGE_STRING:
		result = make_string(place, text, &string, err);
		if (result == 0)
			policy_string_replace(at, string);
		return result;
	case POLICY_STORAGE_ROOT:
		return policy_place_set_root(place, object, text, err);
	case POLICY_STORAGE_NETWORK:
		return policy_place_set_network(place, object, text, err);
	case POLICY_STORAGE_LIST:
		return set_list(place, object, text, err);
	case POLICY_STORAGE_ENV:
		return policy_place_set_env(place, object, text, err);
	case POLICY_STORAGE_ITEMS:
		if (field->type == POLICY_TYPE_MOUNTS)
			return policy_place_set_mount(place, object, text, err);
		return policy_value_refuse(field, err, place->name, "'%.60s' is not a secret",
					   text);
	case POLICY_STORAGE_NONE:
		break;
	}
	return policy_place_set_workspace(place, object, text, err);
}

/* Sets a member of an item; the first index past the end makes the item, if the value is right. */
static int set_member(const struct policy_place *place, struct policy *policy, const char *text,
		      struct error *err)
{
	struct policy_array *array = policy_field_at(place->items, policy);
	size_t n_bytes = policy_array_item_bytes(place->items), at = 0;
	int result = policy_place_reserve(place, place->items, array, &at, err);
	if (result != 0)
		return result;
	char *item = (char *)array->items + at * n_bytes;
	if (at < array->n_items)
		return policy_place_set(place, item, text, err);
	enum policy_owner owner = policy_items_owner(place->items);
	memset(item, 0, n_bytes);
	result = policy_owner_init(owner, item, err);
	if (result != 0)
		return result;
	result = policy_place_set(place, item, text, err);
	if (result == 0)
		array->n_items++;
	else
		policy_owner_fini(owner, item);
	return result;
}

int policy_set(struct policy *policy, const char *name, const char *text, struct error *err)
{
	struct policy_place place;
	int result = resolve(name, &place, err);
	if (result != 0)
		return result;
	result = place.items ? set_member(&place, policy, text, err)
			     : policy_place_set(&place, policy, text, err);
	enum policy_field_id id = policy_field_id(place.field);
	if (result == 0 && id > POLICY_FIELD_NETWORK && id <= POLICY_FIELD_NETWORK_PRIVATE)
		policy->network.is_present = true;
	return result;
}

int policy_reset(struct policy *policy, const char *name, struct error *err)
{
	struct policy_place place;
	int result = resolve(name, &place, err);
	if (result != 0)
		return result;
	if (place.items || place.has_index || place.key) {
		result = error_set(err, ERR_INVALID, 0, name, "is a part of a field");
		return error_remedy(err, result, "name the whole field: %s",
				    place.items ? place.items->name : place.field->name);
	}
	if (place.field->flags & POLICY_FIELD_SHORTHAND || place.field->type == POLICY_TYPE_NETWORK)
		return policy_set(policy, name, place.field->initial, err);
	/* The default is made first, so that a failure changes nothing. */
	struct policy fresh;
	memset(&fresh, 0, sizeof(fresh));
	result = policy_field_init(place.field, &fresh, err);
	if (result != 0)
		return result;
	policy_field_fini(place.field, policy);
	policy_field_move(place.field, policy, &fresh);
	return 0;
}
