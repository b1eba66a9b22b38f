/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - members of JSON objects, of the kind that was asked for */
#include "unpack/json.h"

#include <string.h>

/* jansson recurses; the bound is checked before it sees the text. */
static bool is_nested_too_deep(const char *text, size_t len)
{
	unsigned depth = 0;
	bool is_string = false;
	for (size_t i = 0; i < len; i++) {
		char c = text[i];
		if (is_string && c == '\\')
			i++;
		else if (c == '"')
			is_string = !is_string;
		else if (!is_string && (c == '{' || c == '['))
			depth++;
		else if (!is_string && (c == '}' || c == ']') && depth > 0)
			depth--;
		if (depth > JSON_MAX_NESTING)
			return true;
	}
	return false;
}

json_t *json_parse(struct unpack_fault *fault, const char *text, size_t len)
{
	json_error_t unused;
	json_t *root = is_nested_too_deep(text, len)
			       ? NULL
			       : json_loadb(text, len, JSON_REJECT_DUPLICATES, &unused);
	if (!root)
		(void)fault_set(fault, IMAGE_FAULT_JSON, "", 0, 0);
	return root;
}

int json_field_fault(struct unpack_fault *fault, const char *path, const char *key)
{
	char name[512];
	(void)snprintf(name, sizeof(name), "%s%s%s", path, path[0] && key[0] ? "." : "", key);
	return fault_set(fault, IMAGE_FAULT_FIELD, name, 0, 0);
}

int json_need(struct unpack_fault *fault, const json_t *parent, const char *path, const char *key,
	      json_type type, json_t **ret_member)
{
	json_t *member = json_object_get(parent, key);
	if (!member || json_typeof(member) != type)
		return json_field_fault(fault, path, key);
	*ret_member = member;
	return 0;
}

int json_may(struct unpack_fault *fault, const json_t *parent, const char *path, const char *key,
	     json_type type, json_t **ret_member)
{
	const json_t *member = json_object_get(parent, key);
	if (!member || json_is_null(member))
		return 1;
	return json_need(fault, parent, path, key, type, ret_member);
}
