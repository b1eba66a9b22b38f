/* SPDX-License-Identifier: Apache-2.0 */
/* compound.c - fields whose one text gives several values: env, root, workspace, mounts */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "policy/place.h"
#include "policy/store.h"
#include "policy/value.h"

bool policy_env_find(const struct policy *policy, const char *name, size_t *ret_at)
{
	size_t low = 0, high = policy->n_env;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		int order = strcmp(name, policy->env[middle].name);
		if (order == 0) {
			*ret_at = middle;
			return true;
		}
		if (order < 0)
			high = middle;
		else
			low = middle + 1;
	}
	*ret_at = low;
	return false;
}

int policy_env_check(const char *subject, const char *name, const char *value, struct error *err)
{
	size_t n_name = strlen(name), n_value = strlen(value);
	const char *fault = NULL;
	if (n_name == 0)
		fault = "has no name";
	else if (memchr(name, '=', n_name))
		fault = "has '=' in its name";
	else if (!text_is_utf8(name, n_name))
		fault = "has a name that is not UTF-8";
	else if (n_name + 1 + n_value > POLICY_MAX_STRING_BYTES)
		fault = "is longer than 131071 bytes with its name";
	if (!fault)
		return 0;
	int result = error_set(err, ERR_INVALID, 0, subject, "%s", fault);
	return error_remedy(err, result,
			    "write env.NAME with a value of at most 128 KiB; "
			    "pass larger data as a file");
}

int policy_place_set_env(const struct policy_place *place, struct policy *policy, const char *text,
			 struct error *err)
{
	const char *value = text;
	size_t n_key = place->key ? strlen(place->key) : strcspn(text, "=");
	if (!place->key) {
		if (text[n_key] != '=')
			return policy_value_refuse(place->field, err, place->name,
						   "'%.60s' has no '='", text);
		value = text + n_key + 1;
	}
	auto_free char *name = strndup(place->key ? place->key : text, n_key);
	auto_free char *copy = strdup(value);
	if (!name || !copy)
		return policy_no_memory(place->name, err);
	int result = policy_env_check(place->name, name, value, err);
	if (result != 0)
		return result;
	size_t at = 0;
	if (policy_env_find(policy, name, &at)) {
		policy_string_replace(&policy->env[at].value, take_ptr(&copy));
		return 0;
	}
	if (policy->n_env >= POLICY_MAX_ENV)
		return policy_place_refuse_count(place, place->field, err);
	struct policy_array *array = policy_field_at(place->field, policy);
	if (!policy_array_reserve(array, array->n_items + 1, sizeof(struct policy_env)))
		return policy_no_memory(place->name, err);
	memmove(policy->env + at + 1, policy->env + at,
		(policy->n_env - at) * sizeof(*policy->env));
	struct policy_env *env = &policy->env[at];
	*env = (struct policy_env){ NULL, NULL };
	policy_string_replace(&env->name, take_ptr(&name));
	policy_string_replace(&env->value, take_ptr(&copy));
	policy->n_env++;
	return 0;
}

int policy_place_set_root(const struct policy_place *place, struct policy *policy, const char *text,
			  struct error *err)
{
	const char *path = strchr(text, ':');
	size_t n_word = path ? (size_t)(path - text) : strlen(text);
	const struct policy_word *word = policy_word_find(POLICY_TYPE_ROOT, text, n_word);
	if (!word)
		return policy_value_refuse(place->field, err, place->name, "'%.60s' is not a root",
					   text);
	bool takes_path = word->value == POLICY_ROOT_DIR || word->value == POLICY_ROOT_IMAGE;
	if (takes_path != (path && path[1] != '\0'))
		return policy_value_refuse(place->field, err, place->name, "'%.60s' %s", text,
					   takes_path ? "names nothing behind the colon"
						      : "has something behind it");
	if (takes_path && strlen(path + 1) > 4095)
		return policy_value_refuse(place->field, err, place->name,
					   "is longer than 4095 bytes");
	char *copy = strdup(takes_path ? path + 1 : "");
	if (!copy)
		return policy_no_memory(place->name, err);
	policy_string_replace(&policy->root_path, copy);
	policy->root = (enum policy_root)word->value;
	return 0;
}

/* "PATH[:ro|rw|overlay]" */
int policy_place_set_workspace(const struct policy_place *place, struct policy *policy,
			       const char *text, struct error *err)
{
	const struct policy_field *access_field = &policy_fields[POLICY_FIELD_WORKSPACE_ACCESS];
	unsigned access = POLICY_ACCESS_RO;
	const char *colon = strrchr(text, ':');
	size_t len = colon ? (size_t)(colon - text) : strlen(text);
	if (strcmp(text, "none") == 0)
		len = 0;
	else if (len == 0)
		return policy_value_refuse(place->field, err, place->name,
					   "'%.60s' names no folder", text);
	if (colon && policy_word_parse(access_field, place->name, colon + 1, &access, err) != 0) {
		error_clear(err);
		int result = error_set(err, ERR_INVALID, 0, place->name, "'%.60s' is not an access",
				       colon + 1);
		return error_remedy(err, result,
				    "write ro, rw or overlay behind the last colon; "
				    "a path that holds a colon goes into workspace.path");
	}
	if (len > 4095)
		return policy_value_refuse(place->field, err, place->name,
					   "is longer than 4095 bytes");
	char *copy = strndup(text, len);
	if (!copy)
		return policy_no_memory(place->name, err);
	policy_string_replace(&policy->workspace.path, copy);
	policy->workspace.access = (enum policy_access)access;
	return 0;
}

/* "none" takes every rule away; anything else belongs to the fields below. */
int policy_place_set_network(const struct policy_place *place, struct policy *policy,
			     const char *text, struct error *err)
{
	if (strcmp(text, "none") != 0)
		return policy_value_refuse(place->field, err, place->name,
					   "'%.60s' is not a network", text);
	for (unsigned id = POLICY_FIELD_NETWORK; id <= POLICY_FIELD_NETWORK_PRIVATE; id++)
		policy_field_fini(&policy_fields[id], policy);
	policy->network.is_present = false;
	return 0;
}

/* Sets member @id of a mount that is not part of the policy yet. */
static int set_mount_part(const struct policy_place *whole, enum policy_field_id id,
			  struct policy_mount *mount, const char *text, size_t len,
			  struct error *err)
{
	struct policy_place place = { .name = whole->name, .field = &policy_fields[id] };
	auto_free char *part = strndup(text, len);
	return part ? policy_place_set(&place, mount, part, err)
		    : policy_no_memory(whole->name, err);
}

static int parse_mount(const struct policy_place *place, struct policy_mount *mount,
		       const char *text, struct error *err)
{
	size_t n_source = strcspn(text, ":");
	const char *target = text + n_source + 1;
	if (text[n_source] == '\0' || n_source == 0)
		return policy_value_refuse(place->field, err, place->name,
					   "'%.100s' is not a mount", text);
	size_t n_target = strcspn(target, ":");
	const char *rest = target[n_target] ? target + n_target + 1 : NULL;
	bool is_tmpfs = n_source == 5 && memcmp(text, "tmpfs", 5) == 0;
	int result =
		set_mount_part(place, POLICY_FIELD_MOUNTS_TARGET, mount, target, n_target, err);
	if (result == 0 && is_tmpfs)
		mount->access = POLICY_ACCESS_TMPFS;
	else if (result == 0)
		result = set_mount_part(place, POLICY_FIELD_MOUNTS_SOURCE, mount, text, n_source,
					err);
	if (result == 0 && rest)
		result = set_mount_part(place,
					is_tmpfs ? POLICY_FIELD_MOUNTS_SIZE
						 : POLICY_FIELD_MOUNTS_ACCESS,
					mount, rest, strlen(rest), err);
	return result;
}

int policy_place_set_mount(const struct policy_place *place, struct policy *policy,
			   const char *text, struct error *err)
{
	struct policy_array *array = policy_field_at(place->field, policy);
	struct policy_mount mount = { 0 };
	size_t at = 0;
	int result = policy_owner_init(POLICY_OWNER_policy_mount, &mount, err);
	if (result == 0)
		result = parse_mount(place, &mount, text, err);
	if (result == 0)
		result = policy_place_reserve(place, place->field, array, &at, err);
	if (result != 0) {
		policy_owner_fini(POLICY_OWNER_policy_mount, &mount);
		return result;
	}
	if (at < array->n_items)
		policy_owner_fini(POLICY_OWNER_policy_mount, &policy->mounts[at]);
	else
		array->n_items++;
	policy->mounts[at] = mount;
	return 0;
}
