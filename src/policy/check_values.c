/* SPDX-License-Identifier: Apache-2.0 */
/* check_values.c - each value of a policy by itself */
#include <string.h>

#include "policy/store.h"
#include "policy/value.h"

struct walk {
	struct error_list *errors; /* NULL: only count */
	size_t n_wrong;
	struct error err; /* of the value at hand */
};

/* Takes the result of a check on walk->err. */
static void note(struct walk *walk, int result)
{
	if (result == 0)
		return;
	if (walk->errors)
		*error_list_next(walk->errors) = walk->err;
	walk->n_wrong++;
	error_clear(&walk->err);
}

/* A walk that only counts ends at the first finding. */
static bool is_over(const struct walk *walk)
{
	return !walk->errors && walk->n_wrong > 0;
}

/* "mounts[2].target", "network.allow[0]" */
static void name_item(char *text, size_t size, const char *list, size_t index, const char *member)
{
	(void)snprintf(text, size, "%s[%zu]%s", list, index, member);
}

static void check_env(struct walk *walk, const struct policy *policy)
{
	char subject[sizeof(walk->err.subject)];
	for (size_t i = 0; i < policy->n_env; i++) {
		const struct policy_env *env = &policy->env[i];
		(void)snprintf(subject, sizeof(subject), "env.%s", env->name);
		note(walk, policy_env_check(subject, env->name, env->value, &walk->err));
		if (i > 0 && strcmp(policy->env[i - 1].name, env->name) >= 0) {
			int result = error_set(&walk->err, ERR_INVALID, 0, subject,
					       "is not in its place, or is there twice");
			note(walk, error_remedy(&walk->err, result, "set it by policy_set()"));
		}
	}
}

/* False if the array holds more than it may; says so. */
static bool check_count(struct walk *walk, const struct policy_field *field, const char *subject,
			const struct policy_array *array)
{
	size_t max = policy_array_max(field);
	if (array->n_items <= max)
		return true;
	int result = error_set(&walk->err, ERR_LIMIT, 0, subject, "has more than %zu items", max);
	note(walk, error_remedy(&walk->err, result, "write at most %zu", max));
	return false;
}

static void check_list(struct walk *walk, const struct policy_field *field, const char *subject,
		       const struct policy_list *list)
{
	char item[sizeof(walk->err.subject)];
	for (size_t i = 0; i < list->n_items && !is_over(walk); i++) {
		name_item(item, sizeof(item), subject, i, "");
		note(walk, policy_string_check((enum policy_type)field->type, item, list->items[i],
					       &walk->err));
	}
}

static void check_root(struct walk *walk, const struct policy *policy)
{
	const struct policy_field *field = &policy_fields[POLICY_FIELD_ROOT];
	bool takes_path = policy->root == POLICY_ROOT_DIR || policy->root == POLICY_ROOT_IMAGE;
	if (!policy_word_get(POLICY_TYPE_ROOT, policy->root))
		note(walk, policy_value_refuse(field, &walk->err, "root", "is not a root"));
	else if (takes_path && policy->root_path[0] == '\0')
		note(walk, policy_value_refuse(field, &walk->err, "root",
					       "names nothing behind the colon"));
	else if (!takes_path && policy->root_path[0] != '\0')
		note(walk,
		     policy_value_refuse(field, &walk->err, "root", "has something behind it"));
	else if (strlen(policy->root_path) > 4095)
		note(walk,
		     policy_value_refuse(field, &walk->err, "root", "is longer than 4095 bytes"));
}

/* Every field but mounts and secrets, whose items have fields themselves. */
static void check_plain(struct walk *walk, const struct policy_field *field, const char *subject,
			const void *object)
{
	const void *at = policy_field_at_const(field, object);
	enum policy_type type = (enum policy_type)field->type;
	const char *text;
	switch (policy_type_storage(type)) {
	case POLICY_STORAGE_NUMBER:
		note(walk, policy_number_check(field, subject, *(const uint64_t *)at, &walk->err));
		break;
	case POLICY_STORAGE_ENUM:
		if (!policy_word_get(type, *(const unsigned *)at))
			note(walk, policy_value_refuse(field, &walk->err, subject,
						       "is not one of its words"));
		break;
	case POLICY_STORAGE_STRING:
		text = *(char *const *)at;
		if (text[0] != '\0')
			note(walk, policy_string_check(type, subject, text, &walk->err));
		break;
	case POLICY_STORAGE_ROOT:
		check_root(walk, object);
		break;
	case POLICY_STORAGE_ENV:
		if (check_count(walk, field, subject, at))
			check_env(walk, object);
		break;
	case POLICY_STORAGE_LIST:
		if (check_count(walk, field, subject, at))
			check_list(walk, field, subject, at);
		break;
	case POLICY_STORAGE_ITEMS:
	case POLICY_STORAGE_NONE:
	case POLICY_STORAGE_BOOL:
	case POLICY_STORAGE_NETWORK:
		break;
	}
}

static void check_items(struct walk *walk, const struct policy_field *items,
			const struct policy_array *array)
{
	char subject[sizeof(walk->err.subject)];
	enum policy_owner owner = policy_items_owner(items);
	size_t n_items = check_count(walk, items, items->name, array) ? array->n_items : 0;
	for (size_t i = 0; i < n_items && !is_over(walk); i++) {
		const char *item = (const char *)array->items + i * policy_array_item_bytes(items);
		for (const struct policy_field *field = policy_next_field(NULL, owner); field;
		     field = policy_next_field(field, owner)) {
			name_item(subject, sizeof(subject), items->name, i,
				  strchr(field->name, '.'));
			check_plain(walk, field, subject, item);
		}
	}
}

size_t policy_values_check(const struct policy *policy, struct error_list *errors)
{
	struct walk walk = { .errors = errors };
	for (const struct policy_field *field = policy_next_field(NULL, POLICY_OWNER_policy);
	     field && !is_over(&walk); field = policy_next_field(field, POLICY_OWNER_policy)) {
		if (policy_type_storage((enum policy_type)field->type) == POLICY_STORAGE_ITEMS)
			check_items(&walk, field, policy_field_at_const(field, policy));
		else
			check_plain(&walk, field, field->name, policy);
	}
	return walk.n_wrong;
}
