/* SPDX-License-Identifier: Apache-2.0 */
/*
 * check.c - everything that is wrong with a policy, whatever the host
 *
 * In three passes: each value by itself (check_values.c), values that contradict each other
 * (here), and what the level cannot honour (check_level.c).
 */
#include <string.h>

#include "policy/store.h"
#include "policy/value.h"

#define WORKSPACE_TARGET "/workspace"

static void contradict(struct error_list *errors, const char *subject, const char *message,
		       const char *remedy)
{
	struct error *err = error_list_next(errors);
	int result = error_set(err, ERR_INVALID, 0, subject, "%s", message);
	(void)error_remedy(err, result, "%s", remedy);
}

/* A mount that covers a file cannot make its name go away. */
static void check_redaction(const struct policy *policy, struct error_list *errors)
{
	if (policy->workspace.redact_as == POLICY_REDACT_ABSENT &&
	    policy->workspace.access == POLICY_ACCESS_RW)
		contradict(errors, "workspace.redact_as",
			   "'absent' cannot be had where the host's folder itself is written",
			   "write empty, or workspace.access: overlay");
	if (policy->workspace.changes[0] != '\0' &&
	    policy->workspace.access != POLICY_ACCESS_OVERLAY)
		contradict(errors, "workspace.changes", "is given, but the access is no overlay",
			   "write workspace.access: overlay, or remove it");
	if (policy->workspace.placeholders.n_items > 0 &&
	    policy->workspace.secrets == POLICY_SECRETS_SHOW)
		contradict(errors, "workspace.placeholders",
			   "is given, but .env files are shown as they are",
			   "write workspace.secrets: hide, or remove it");
}

static void check_workspace(const struct policy *policy, struct error_list *errors)
{
	if (policy->workspace.path[0] != '\0') {
		check_redaction(policy, errors);
		return;
	}
	if (policy->workspace.access != POLICY_ACCESS_RO)
		contradict(errors, "workspace.access", "is given, but there is no workspace",
			   "write workspace.path, or remove it");
	const struct {
		const char *subject;
		bool is_given;
	} others[] = {
		{ "workspace.changes", policy->workspace.changes[0] != '\0' },
		{ "workspace.placeholders", policy->workspace.placeholders.n_items > 0 },
		{ "workspace.redact", policy->workspace.redact.n_items > 0 },
		{ "workspace.redact_as", policy->workspace.redact_as != POLICY_REDACT_EMPTY },
		{ "workspace.secrets", policy->workspace.secrets != POLICY_SECRETS_HIDE },
	};
	for (size_t i = 0; i < ARRAY_LEN(others); i++) {
		if (others[i].is_given)
			contradict(errors, others[i].subject, "is given, but there is no workspace",
				   "write workspace.path, or remove it");
	}
}

static void check_mount_target(const struct policy *policy, size_t index, const char *subject,
			       struct error_list *errors)
{
	char message[sizeof(errors->items[0].message)];
	const char *target = policy->mounts[index].target;
	if (target[0] == '\0') {
		contradict(errors, subject, "is missing", "write the absolute path inside");
		return;
	}
	if (policy->workspace.path[0] != '\0' && strcmp(target, WORKSPACE_TARGET) == 0) {
		contradict(errors, subject, "'" WORKSPACE_TARGET "' is where the workspace is seen",
			   "mount it elsewhere, or remove the workspace");
		return;
	}
	for (size_t i = 0; i < index; i++) {
		if (strcmp(policy->mounts[i].target, target) != 0)
			continue;
		(void)snprintf(message, sizeof(message),
			       "'%.100s' is the target of mounts[%zu] too", target, i);
		contradict(errors, subject, message, "mount one of them elsewhere");
		return;
	}
}

static void check_mounts(const struct policy *policy, struct error_list *errors)
{
	char subject[64];
	for (size_t i = 0; i < MIN(policy->n_mounts, (size_t)POLICY_MAX_MOUNTS); i++) {
		const struct policy_mount *mount = &policy->mounts[i];
		bool is_tmpfs = mount->access == POLICY_ACCESS_TMPFS;
		(void)snprintf(subject, sizeof(subject), "mounts[%zu].target", i);
		check_mount_target(policy, i, subject, errors);
		(void)snprintf(subject, sizeof(subject), "mounts[%zu].source", i);
		if (is_tmpfs && mount->source[0] != '\0')
			contradict(errors, subject, "is given, but a tmpfs has none", "remove it");
		if (!is_tmpfs && mount->source[0] == '\0')
			contradict(errors, subject, "is missing",
				   "write the path on this host, or access: tmpfs");
		(void)snprintf(subject, sizeof(subject), "mounts[%zu].size", i);
		if (!is_tmpfs && mount->size_bytes != POLICY_UNLIMITED)
			contradict(errors, subject, "is given, but only a tmpfs has a size",
				   "remove it, or write access: tmpfs");
	}
}

static void check_secret(const struct policy *policy, size_t index, struct error_list *errors)
{
	const struct policy_secret *secret = &policy->secrets[index];
	char subject[64];
	size_t at;
	const struct {
		const char *member, *remedy;
		bool is_missing;
	} needs[] = {
		{ "name", "write the variable that holds the placeholder",
		  secret->name[0] == '\0' },
		{ "from", "write file:PATH, env:NAME or command:PATH", secret->from[0] == '\0' },
		{ "hosts", "write the hosts to which it may go", secret->hosts.n_items == 0 },
	};
	for (size_t i = 0; i < ARRAY_LEN(needs); i++) {
		(void)snprintf(subject, sizeof(subject), "secrets[%zu].%s", index, needs[i].member);
		if (needs[i].is_missing)
			contradict(errors, subject, "is missing", needs[i].remedy);
	}
	(void)snprintf(subject, sizeof(subject), "secrets[%zu].name", index);
	if (secret->name[0] != '\0' && policy_env_find(policy, secret->name, &at))
		contradict(errors, subject, "is a variable of env too", "remove one of them");
	for (size_t i = 0; i < index; i++)
		if (secret->name[0] != '\0' && strcmp(secret->name, policy->secrets[i].name) == 0)
			contradict(errors, subject, "is the name of an earlier secret",
				   "rename one of them");
}

static void check_secrets(const struct policy *policy, struct error_list *errors)
{
	for (size_t i = 0; i < MIN(policy->n_secrets, (size_t)POLICY_MAX_SECRETS); i++)
		check_secret(policy, i, errors);
	if (policy->n_secrets > 0 && !policy->network.is_present)
		contradict(errors, "secrets", "is given, but there is no network to use them on",
			   "write network.allow, or remove it");
}

static void check_rest(const struct policy *policy, struct error_list *errors)
{
	if (!policy->evidence.is_on && policy->evidence.sign[0] != '\0')
		contradict(errors, "evidence.sign", "is given, but there is no evidence",
			   "write evidence.enabled: true, or remove it");
	if (!policy->evidence.is_on && policy->evidence.path[0] != '\0')
		contradict(errors, "evidence.path", "is given, but there is no evidence",
			   "write evidence.enabled: true, or remove it");
	if (policy->on_expiry != POLICY_EXPIRY_KILL && policy->lifetime_ns == POLICY_UNLIMITED &&
	    policy->idle_ns == POLICY_UNLIMITED)
		contradict(errors, "on_expiry", "is given, but nothing expires",
			   "write lifetime or idle, or remove it");
	if (policy->args.n_items > 0 && policy->args.items[0][0] == '\0')
		contradict(errors, "args[0]", "is empty, but names the program",
			   "write the program");
	if (policy->syscalls.allow.n_items + policy->syscalls.deny.n_items > POLICY_MAX_SYSCALLS) {
		struct error *err = error_list_next(errors);
		int result = error_set(err, ERR_LIMIT, 0, "syscalls",
				       "allow and deny together have more than %d names",
				       POLICY_MAX_SYSCALLS);
		(void)error_remedy(err, result, "write at most %d", POLICY_MAX_SYSCALLS);
	}
}

static size_t list_bytes(const struct policy_list *list)
{
	size_t n_bytes = 4;
	for (size_t i = 0; i < list->n_items; i++)
		n_bytes += 4 + strlen(list->items[i]);
	return n_bytes;
}

/* A bound over everything, since the single bounds multiply to half a gigabyte. */
static void check_size(const struct policy *policy, struct error_list *errors)
{
	const struct policy_list *const lists[] = {
		&policy->args,
		&policy->devices,
		&policy->network.allow,
		&policy->network.deny,
		&policy->network.http,
		&policy->network.private_ranges,
		&policy->network.ports,
		&policy->syscalls.allow,
		&policy->syscalls.deny,
		&policy->workspace.redact,
		&policy->workspace.placeholders,
	};
	size_t n_bytes = 64 * (size_t)POLICY_KIB; /* numbers and single strings */
	for (size_t i = 0; i < ARRAY_LEN(lists); i++)
		n_bytes += list_bytes(lists[i]);
	for (size_t i = 0; i < policy->n_env; i++)
		n_bytes += 8 + strlen(policy->env[i].name) + strlen(policy->env[i].value);
	for (size_t i = 0; i < policy->n_mounts; i++)
		n_bytes += 17 + strlen(policy->mounts[i].source) + strlen(policy->mounts[i].target);
	for (size_t i = 0; i < policy->n_secrets; i++)
		n_bytes += 8192 + list_bytes(&policy->secrets[i].hosts);
	if (n_bytes <= POLICY_MAX_ENCODED_BYTES)
		return;
	struct error *err = error_list_next(errors);
	int result = error_set(err, ERR_LIMIT, 0, "policy", "is larger than 4 MiB as a whole");
	(void)error_remedy(err, result, "pass large data as a file: mounts, or standard input");
}

int policy_check(const struct policy *policy, enum policy_level level, struct error_list *errors)
{
	size_t n_before = errors->n_errors;
	/* Contradictions are worked out over values that are right by themselves. */
	if (policy_values_check(policy, errors) == 0) {
		check_workspace(policy, errors);
		check_mounts(policy, errors);
		check_secrets(policy, errors);
		check_rest(policy, errors);
		check_size(policy, errors);
		if (level != POLICY_LEVEL_AUTO)
			(void)!policy_level_check(policy, level, errors);
	}
	return errors->n_errors == n_before ? 0 : -(int)errors->items[n_before].code;
}
