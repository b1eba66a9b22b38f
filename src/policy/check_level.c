/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check_level.c - what an isolation level cannot honour
 *
 * The columns "levels" and "remedy" of the tables decide; the few rules that depend on a value
 * or on two fields are written out below.  A field that is left at its default asks for nothing
 * and is not refused.
 */
#include <string.h>

#include "policy/store.h"
#include "policy/value.h"

struct walk {
	const struct policy *policy;
	enum policy_level level;
	struct error_list *errors;
	size_t n_refused;
};

/* 'y', 'l' or 'n' */
static char levels_get(const char levels[5], enum policy_level level)
{
	static_assert(POLICY_LEVEL_PROCESS == 1 && POLICY_LEVEL_WASM == 4, "order of the column");
	return levels[level - POLICY_LEVEL_PROCESS];
}

static void refuse(struct walk *walk, const char *subject, const char *message, const char *remedy)
{
	struct error *err = error_list_next(walk->errors);
	int result = error_set(err, ERR_REFUSED, 0, subject, "level '%s' %s",
			       policy_level_name(walk->level), message);
	(void)error_remedy(err, result, "%s", remedy);
	walk->n_refused++;
}

/* @what: the value in quotes, or "it" */
static void refuse_column(struct walk *walk, const char *subject, const char *what, char column,
			  const char *remedy)
{
	char message[128];
	(void)snprintf(message, sizeof(message),
		       column == 'l' ? "does not serve %.80s in this version"
				     : "cannot honour %.80s",
		       what);
	refuse(walk, subject, message, remedy);
}

static bool is_default_number(const struct policy_field *field, uint64_t value)
{
	uint64_t initial = 0;
	struct error err = { .code = ERR_NONE };
	return policy_number_parse(field, field->name, field->initial, &initial, &err) == 0 &&
	       value == initial;
}

bool policy_field_is_default(const struct policy_field *field, const void *object)
{
	const void *at = policy_field_at_const(field, object);
	enum policy_type type = (enum policy_type)field->type;
	const struct policy_word *word;
	bool is_on;
	switch (policy_type_storage(type)) {
	case POLICY_STORAGE_BOOL:
		is_on = field->initial[0] == 't' || strcmp(field->initial, "on") == 0;
		return *(const bool *)at == is_on;
	case POLICY_STORAGE_NETWORK:
		return !*(const bool *)at;
	case POLICY_STORAGE_NUMBER:
		return is_default_number(field, *(const uint64_t *)at);
	case POLICY_STORAGE_STRING:
		return strcmp(*(char *const *)at, field->initial) == 0;
	case POLICY_STORAGE_LIST:
	case POLICY_STORAGE_ENV:
	case POLICY_STORAGE_ITEMS:
		return ((const struct policy_array *)at)->n_items == 0;
	case POLICY_STORAGE_ENUM:
	case POLICY_STORAGE_ROOT:
		word = policy_word_get(type, *(const unsigned *)at);
		return word && strcmp(word->word, field->initial) == 0;
	case POLICY_STORAGE_NONE:
		break;
	}
	return true;
}

static void check_word(struct walk *walk, const struct policy_field *field, const char *subject,
		       unsigned value, const char *behind)
{
	const struct policy_word *word = policy_word_get((enum policy_type)field->type, value);
	char what[128];
	if (!word || levels_get(word->levels, walk->level) == 'y')
		return;
	(void)snprintf(what, sizeof(what), "'%s%s%.60s'", word->word, behind[0] ? ":" : "", behind);
	refuse_column(walk, subject, what, levels_get(word->levels, walk->level),
		      policy_word_remedy((enum policy_type)field->type, value));
}

static void check_mounts(struct walk *walk)
{
	char subject[64];
	for (size_t i = 0; i < walk->policy->n_mounts; i++) {
		(void)snprintf(subject, sizeof(subject), "mounts[%zu].access", i);
		check_word(walk, &policy_fields[POLICY_FIELD_MOUNTS_ACCESS], subject,
			   walk->policy->mounts[i].access, "");
	}
}

static void check_field(struct walk *walk, const struct policy_field *field)
{
	const struct policy *policy = walk->policy;
	char column = levels_get(field->levels, walk->level);
	if (field->type == POLICY_TYPE_ROOT)
		check_word(walk, field, field->name, policy->root, policy->root_path);
	else if (policy_type_storage((enum policy_type)field->type) == POLICY_STORAGE_ENUM)
		check_word(walk, field, field->name,
			   *(const unsigned *)policy_field_at_const(field, policy), "");
	else if (column != 'y' && !policy_field_is_default(field, policy))
		refuse_column(walk, field->name, "it", column,
			      policy_field_remedy(policy_field_id(field)));
}

/*
 * Until its command ends, limits.wall holds the lifetime too, if it is not longer; over what is
 * kept after that the monitor holds it.  Nobody sees whether kept processes are idle.
 */
static void check_process(struct walk *walk)
{
	const struct policy *policy = walk->policy;
	bool has_lifetime = policy->lifetime_ns != POLICY_UNLIMITED;
	bool has_idle = policy->idle_ns != POLICY_UNLIMITED;
	if (policy->background == POLICY_BACKGROUND_KEEP && has_idle)
		refuse(walk, "idle", "does not hold it over kept processes in this version",
		       "write lifetime, or background: kill");
	if (has_lifetime && policy->limits.wall_ns > policy->lifetime_ns)
		refuse(walk, "lifetime", "holds it through limits.wall, which is longer",
		       "set limits.wall to the lifetime or less, or remove it");
}

static void check_microvm(struct walk *walk)
{
	if (walk->policy->limits.memory_bytes == POLICY_UNLIMITED)
		refuse(walk, "limits.memory", "cannot honour 'none': a guest has a size",
		       "write a size");
	if (walk->policy->limits.disk_bytes == POLICY_UNLIMITED)
		refuse(walk, "limits.disk", "cannot honour 'none': a guest's disk has a size",
		       "write a size");
}

#define MAX_WASM_STACK (64 * POLICY_MIB) /* as WASM_MAX_STACK_BYTES of wire/wasm_messages.h */

static bool has_access(const struct policy *policy, bool is_rw_only)
{
	bool has = policy->workspace.path[0] &&
		   (is_rw_only ? policy->workspace.access == POLICY_ACCESS_RW
			       : policy->workspace.access != POLICY_ACCESS_RO);
	for (size_t i = 0; i < policy->n_mounts; i++) {
		enum policy_access access = policy->mounts[i].access;
		has = has || (is_rw_only ? access == POLICY_ACCESS_RW : access != POLICY_ACCESS_RO);
	}
	return has;
}

/* WASI counts what is written to all folders together; of the host's own no kernel holds that. */
static void check_wasm_disk(struct walk *walk)
{
	const struct policy_limits *limits = &walk->policy->limits;
	bool is_limited =
		limits->disk_bytes != POLICY_UNLIMITED || limits->disk_inodes != POLICY_UNLIMITED;
	if (limits->is_strict && is_limited && has_access(walk->policy, true))
		refuse(walk, "limits.disk",
		       "has foso count what is written to a folder of the host, and not the kernel",
		       "write access overlay in place of rw, or limits.strict: false");
	if (has_access(walk->policy, false))
		return;
	if (limits->disk_bytes != 0 &&
	    !is_default_number(&policy_fields[POLICY_FIELD_LIMITS_DISK], limits->disk_bytes))
		refuse(walk, "limits.disk", "has no writable folder to hold it over",
		       "write 0, remove it, or give a workspace or mount with access rw or overlay");
	if (limits->disk_inodes != 0 &&
	    !is_default_number(&policy_fields[POLICY_FIELD_LIMITS_DISK_INODES],
			       limits->disk_inodes))
		refuse(walk, "limits.disk_inodes", "has no writable folder to hold it over",
		       "write 0, remove it, or give a workspace or mount with access rw or overlay");
}

static void check_wasm(struct walk *walk)
{
	const struct policy_limits *limits = &walk->policy->limits;
	if (limits->cpus_milli > 1000 && limits->cpus_milli != POLICY_UNLIMITED)
		refuse(walk, "limits.cpus", "runs on one processor", "write 1, or remove it");
	check_wasm_disk(walk);
	if (limits->stack_bytes != POLICY_UNLIMITED && limits->stack_bytes > MAX_WASM_STACK)
		refuse(walk, "limits.stack", "gives at most 64 MiB", "write 64MiB or less");
	if (limits->pids != 1 &&
	    !is_default_number(&policy_fields[POLICY_FIELD_LIMITS_PIDS], limits->pids))
		refuse(walk, "limits.pids", "runs one process", "write 1, or remove it");
	bool has_module = walk->policy->module[0] != '\0';
	bool has_runtime = walk->policy->runtime != POLICY_RUNTIME_NONE;
	if (!has_module && !has_runtime)
		refuse(walk, "module", "runs a Wasm module, and there is none",
		       "write the path of the module, or runtime: python");
	if (has_module && has_runtime)
		refuse(walk, "runtime", "runs one Wasm module, and there is another one",
		       "remove it, or module");
}

size_t policy_level_check(const struct policy *policy, enum policy_level level,
			  struct error_list *errors)
{
	struct walk walk = { .policy = policy, .level = level, .errors = errors };
	for (const struct policy_field *field = policy_next_field(NULL, POLICY_OWNER_policy); field;
	     field = policy_next_field(field, POLICY_OWNER_policy)) {
		enum policy_field_id id = policy_field_id(field);
		/* "network" speaks for its rules. */
		if (id > POLICY_FIELD_NETWORK && id <= POLICY_FIELD_NETWORK_PRIVATE)
			continue;
		check_field(&walk, field);
	}
	check_mounts(&walk);
	if (level == POLICY_LEVEL_PROCESS)
		check_process(&walk);
	if (level == POLICY_LEVEL_MICROVM)
		check_microvm(&walk);
	if (level == POLICY_LEVEL_WASM)
		check_wasm(&walk);
	return walk.n_refused;
}
