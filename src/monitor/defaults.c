/* SPDX-License-Identifier: Apache-2.0 */
/*
 * defaults.c - what the configuration of an image says where the policy says nothing
 *
 * The values go through the policy's own checks, as if the caller had written them, and into the
 * policy itself: its canonical form, which the evidence holds, shows what was in force.
 */
#include "monitor/defaults.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "policy/store.h"

/* Gives a field the image's value; an error says whose value it was. */
static int set(struct policy *policy, const char *field, const char *value, struct error *err)
{
	int r = policy_set(policy, field, value, err);
	if (r < 0 && err->code == ERR_INVALID)
		error_remedy_set(err, "this is what the image says; give %s in the policy", field);
	return r;
}

static int no_memory(struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, ENOMEM, "env", "no memory");
	return error_remedy(err, r, "free some memory");
}

static int add_env(struct policy *policy, const char *assignment, struct error *err)
{
	size_t at;
	auto_free char *name = strndup(assignment, strcspn(assignment, "="));
	if (!name)
		return no_memory(err);
	return policy_env_find(policy, name, &at) ? 0 : set(policy, "env", assignment, err);
}

/* Backwards: of two of one name the later one counts, and what is there already counts more. */
static int apply_env(struct policy *policy, const struct image_list *env, struct error *err)
{
	auto_free const char **items = calloc(env->n_strings + 1, sizeof(*items));
	const char *item = NULL;
	size_t n_items = 0;
	int r = 0;
	if (!items)
		return no_memory(err);
	while (n_items < env->n_strings && (item = image_list_next(env, item)))
		items[n_items++] = item;
	while (n_items > 0 && r == 0)
		r = add_env(policy, items[--n_items], err);
	return r;
}

static int apply_args(struct policy *policy, const struct image_record *image, struct error *err)
{
	const struct image_list *parts[] = { &image->entrypoint, &image->cmd };
	int r = 0;
	for (size_t i = 0; i < ARRAY_LEN(parts); i++) {
		const char *item = NULL;
		while (r == 0 && (item = image_list_next(parts[i], item)))
			r = set(policy, "args", item, err);
	}
	if (r < 0 || policy->args.n_items > 0)
		return r;
	r = error_set(err, ERR_INVALID, 0, "args", "no command was given, and the image has none");
	return error_remedy(err, r, "write the command behind --");
}

static bool is_number(const char *user)
{
	char name[64];
	uint64_t uid;
	size_t len = strcspn(user, ":");
	if (len >= sizeof(name))
		return false;
	(void)snprintf(name, sizeof(name), "%.*s", (int)len, user);
	const char *group = user[len] == ':' ? user + len + 1 : "0";
	return (strcmp(name, "root") == 0 || text_parse_u64(name, &uid)) &&
	       text_parse_u64(group, &uid);
}

int defaults_apply(struct policy *policy, const struct image_record *image, bool has_command,
		   bool has_many_ids, struct error *err)
{
	bool is_user_wanted = policy->user[0] == '\0' && image->user[0] != '\0';
	bool is_cwd_wanted = policy->cwd[0] == '\0' && image->cwd[0] != '\0' &&
			     policy->workspace.path[0] == '\0';
	bool is_user_mapped = has_many_ids || is_number(image->user);
	int r = apply_env(policy, &image->env, err);
	if (r == 0 && is_user_wanted && is_user_mapped)
		r = set(policy, "user", image->user, err);
	if (r == 0 && is_cwd_wanted)
		r = set(policy, "cwd", image->cwd, err);
	if (r == 0 && has_command && policy->args.n_items == 0)
		r = apply_args(policy, image, err);
	return r == 0 && is_user_wanted && !is_user_mapped ? DEFAULTS_USER_IS_NAME : r;
}
