/* SPDX-License-Identifier: Apache-2.0 */
/*
 * schema.c - the JSON Schema of a policy (draft 2020-12), from the table of fields
 *
 * For editors and other programs.  foso itself checks by policy_set(), which knows more: a
 * schema cannot say that two fields contradict each other.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "format/json.h"
#include "policy/store.h"
#include "policytool/tool.h"

#define MAX_SCHEMA_BYTES (256 * 1024)

/* JSON types of a scalar that is read as text whatever it looks like. */
static void put_any_scalar(struct json *json)
{
	json_array_open(json, "type");
	json_string(json, NULL, "string");
	json_string(json, NULL, "number");
	json_string(json, NULL, "boolean");
	json_array_close(json);
}

static void put_pattern(struct json *json, const char *pattern)
{
	json_string(json, "type", "string");
	json_string(json, "pattern", pattern);
}

/* A number and, where the field is optional, "none". */
static void put_number(struct json *json, const struct policy_field *field)
{
	json_array_open(json, "anyOf");
	json_object_open(json, NULL);
	switch ((int)field->type) { /* of all types only those of numbers */
	case POLICY_TYPE_SIZE:
		put_pattern(json, "^(0|[0-9]+([.][0-9]{1,3})?(B|[kK]B|[MGT]B|[KMGTP]iB))$");
		break;
	case POLICY_TYPE_DURATION:
		put_pattern(json, "^[0-9]+([.][0-9]{1,3})?(ms|s|min|h|d)$");
		break;
	case POLICY_TYPE_CPUS:
		json_string(json, "type", "number");
		json_u64(json, "exclusiveMinimum", 0);
		json_u64(json, "maximum", field->max / 1000);
		break;
	default:
		json_string(json, "type", "integer");
		json_u64(json, "minimum", field->min);
		json_u64(json, "maximum", field->max);
		break;
	}
	json_object_close(json);
	if (field->type == POLICY_TYPE_SIZE && field->min == 0) {
		json_object_open(json, NULL);
		json_u64(json, "const", 0);
		json_object_close(json);
	}
	if (field->flags & POLICY_FIELD_OPTIONAL) {
		json_object_open(json, NULL);
		json_string(json, "const", "none");
		json_object_close(json);
	}
	json_array_close(json);
}

static void put_words(struct json *json, const struct policy_field *field)
{
	unsigned n_words;
	const struct policy_word *words =
		policy_type_words((enum policy_type)field->type, &n_words);
	json_array_open(json, "enum");
	for (unsigned i = 0; i < n_words; i++)
		json_string(json, NULL, words[i].word);
	json_array_close(json);
}

static void put_string(struct json *json, enum policy_type type)
{
	switch ((int)type) { /* of all types only those of strings and of items of lists */
	case POLICY_TYPE_GUEST_PATH:
		put_pattern(json, "^/");
		break;
	case POLICY_TYPE_TARGET:
		put_pattern(json, "^/.");
		break;
	case POLICY_TYPE_USER:
	case POLICY_TYPE_ARG_LIST:
		put_any_scalar(json);
		break;
	case POLICY_TYPE_NAME:
		put_pattern(json, "^[A-Za-z_][A-Za-z0-9_]*$");
		break;
	case POLICY_TYPE_NAME_LIST:
		put_pattern(json, "^([A-Za-z_][A-Za-z0-9_]*|[*])$");
		break;
	case POLICY_TYPE_ID:
		put_pattern(json, "^[a-z0-9]{1,31}$");
		break;
	case POLICY_TYPE_SECRET_SOURCE:
		put_pattern(json, "^(file:.|env:[A-Za-z0-9_]|command:/)");
		break;
	case POLICY_TYPE_SYSCALL_LIST:
		put_pattern(json, "^[a-z0-9_]+$");
		break;
	case POLICY_TYPE_PORT_LIST:
		json_string(json, "type", "integer");
		json_u64(json, "minimum", 1);
		json_u64(json, "maximum", 65535);
		break;
	case POLICY_TYPE_HTTP_LIST:
		put_pattern(json, "^([A-Z]+|[*]) [^ /]+/");
		break;
	default:
		json_string(json, "type", "string");
		json_u64(json, "minLength", 1);
		break;
	}
}

static void put_list(struct json *json, const struct policy_field *field)
{
	json_string(json, "type", "array");
	json_u64(json, "maxItems", policy_array_max(field));
	json_object_open(json, "items");
	put_string(json, (enum policy_type)field->type);
	json_object_close(json);
}

static void put_env(struct json *json)
{
	json_string(json, "type", "object");
	json_u64(json, "maxProperties", POLICY_MAX_ENV);
	json_object_open(json, "propertyNames");
	json_string(json, "pattern", "^[^=]+$");
	json_object_close(json);
	json_object_open(json, "additionalProperties");
	put_any_scalar(json);
	json_object_close(json);
}

static void put_bool(struct json *json)
{
	static const char words[][6] = { "true", "false", "yes", "no", "on", "off" };
	json_array_open(json, "enum");
	json_bool(json, NULL, true);
	json_bool(json, NULL, false);
	for (size_t i = 0; i < ARRAY_LEN(words); i++)
		json_string(json, NULL, words[i]);
	json_array_close(json);
}

/*
 * The constraints of a value, inside an object that is open: of every field but mounts and
 * secrets, whose items have fields themselves.
 */
static void put_plain(struct json *json, const struct policy_field *field)
{
	switch (policy_type_storage((enum policy_type)field->type)) {
	case POLICY_STORAGE_BOOL:
		put_bool(json);
		break;
	case POLICY_STORAGE_NUMBER:
		put_number(json, field);
		break;
	case POLICY_STORAGE_ENUM:
		put_words(json, field);
		break;
	case POLICY_STORAGE_STRING:
		put_string(json, (enum policy_type)field->type);
		break;
	case POLICY_STORAGE_ROOT:
		put_pattern(json, "^(host|none|dir:.+|image:.+)$");
		break;
	case POLICY_STORAGE_LIST:
		put_list(json, field);
		break;
	case POLICY_STORAGE_ENV:
		put_env(json);
		break;
	case POLICY_STORAGE_ITEMS:
		break;
	case POLICY_STORAGE_NETWORK:
		json_string(json, "const", "none");
		break;
	case POLICY_STORAGE_NONE:
		put_pattern(json, "^(none|[^:]+(:(ro|rw|overlay))?)$");
		break;
	}
}

static void put_default(struct json *json, const struct policy_field *field)
{
	uint64_t number;
	enum policy_storage storage = policy_type_storage((enum policy_type)field->type);
	if (field->initial[0] == '\0')
		return;
	if (storage == POLICY_STORAGE_BOOL)
		json_bool(json, "default", strcmp(field->initial, "false") != 0);
	else if (storage == POLICY_STORAGE_NUMBER && text_parse_u64(field->initial, &number))
		json_u64(json, "default", number);
	else
		json_string(json, "default", field->initial);
}

static void put_member(struct json *json, const char *key, const struct policy_field *field)
{
	json_object_open(json, key);
	json_string(json, "description", field_help(policy_field_id(field)));
	put_default(json, field);
	put_plain(json, field);
	json_object_close(json);
}

/* An item of mounts or secrets, by its fields. */
static void put_item_object(struct json *json, const struct policy_field *items)
{
	json_object_open(json, NULL);
	json_string(json, "type", "object");
	json_bool(json, "additionalProperties", false);
	json_object_open(json, "properties");
	enum policy_owner owner = policy_items_owner(items);
	for (const struct policy_field *field = policy_next_field(NULL, owner); field;
	     field = policy_next_field(field, owner))
		put_member(json, strchr(field->name, '.') + 1, field);
	json_object_close(json);
	json_object_close(json);
}

static void put_items(struct json *json, const struct policy_field *field)
{
	json_string(json, "type", "array");
	json_u64(json, "maxItems", policy_array_max(field));
	json_object_open(json, "items");
	json_array_open(json, "anyOf");
	put_item_object(json, field);
	if (field->type == POLICY_TYPE_MOUNTS) {
		json_object_open(json, NULL);
		put_pattern(json, "^[^:]+:/.");
		json_object_close(json);
	}
	json_array_close(json);
	json_object_close(json);
}

static void put_property(struct json *json, const char *key, const struct policy_field *field)
{
	if (policy_type_storage((enum policy_type)field->type) != POLICY_STORAGE_ITEMS) {
		put_member(json, key, field);
		return;
	}
	json_object_open(json, key);
	json_string(json, "description", field_help(policy_field_id(field)));
	put_items(json, field);
	json_object_close(json);
}

/* The fields "limits.x" as one object; @field is the first.  Returns the row behind the last. */
static const struct policy_field *put_group(struct json *json, const struct policy_field *field,
					    const struct policy_field *end)
{
	const char *name = field->name;
	size_t n_group = strcspn(name, ".");
	json_object_open(json, NULL);
	json_string(json, "type", "object");
	json_bool(json, "additionalProperties", false);
	json_object_open(json, "properties");
	while (field < end && strncmp(field->name, name, n_group) == 0 &&
	       field->name[n_group] == '.') {
		put_property(json, field->name + n_group + 1, field);
		field++;
	}
	json_object_close(json);
	json_object_close(json);
	return field;
}

/* One key of the document: a field, a group, or a group that one word can stand for. */
static const struct policy_field *put_key(struct json *json, const struct policy_field *field,
					  const struct policy_field *end)
{
	char key[sizeof(field->name)];
	size_t n_key = strcspn(field->name, ".");
	bool has_word = field->name[n_key] == '\0';
	const struct policy_field *next = has_word ? field + 1 : field;
	bool is_group = next < end && strncmp(next->name, field->name, n_key) == 0 &&
			next->name[n_key] == '.';
	if (!is_group) {
		put_property(json, field->name, field);
		return next;
	}
	memcpy(key, field->name, n_key);
	key[n_key] = '\0';
	json_object_open(json, key);
	json_array_open(json, "anyOf");
	if (has_word)
		put_property(json, NULL, field);
	next = put_group(json, next, end);
	json_array_close(json);
	json_object_close(json);
	return next;
}

int tool_schema(void)
{
	auto_buf struct buf text = BUF_INIT(MAX_SCHEMA_BYTES);
	struct json json;
	const struct policy_field *end = policy_fields + POLICY_N_FIELDS;
	json_init(&json, &text);
	json_object_open(&json, NULL);
	json_string(&json, "$schema", "https://json-schema.org/draft/2020-12/schema");
	json_string(&json, "title", "foso policy");
	json_string(&json, "description", "What a sandbox may do; foso-policy(5)");
	json_string(&json, "type", "object");
	json_bool(&json, "additionalProperties", false);
	json_object_open(&json, "properties");
	for (const struct policy_field *field = policy_fields; field < end;) {
		if (field->owner == POLICY_OWNER_policy)
			field = put_key(&json, field, end);
		else
			field++;
	}
	json_object_close(&json);
	json_object_close(&json);
	bool is_written =
		buf_is_whole(&text) && puts(buf_string(&text)) >= 0 && fflush(stdout) == 0;
	return is_written ? 0 : TOOL_EXIT_REFUSED;
}
