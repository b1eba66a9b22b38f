/* SPDX-License-Identifier: Apache-2.0 */
/*
 * explain.c - a policy in words: what a sandbox under it can read, write, reach and spend
 *
 * Values come from the policy and so from a stranger: they are escaped.  Values of env are not
 * shown, since they may be credentials.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "policy/store.h"
#include "policy/text/lines.h"
#include "policy/value.h"
#include "policytool/tool.h"
#include "workspace/secrets.h"

#define auto_document CLEANUP(document_fini)
#define MAX_COLUMNS   96

/* Prints text of the policy so that a terminal can show it. */
static void print_value(const char *text)
{
	char shown[512];
	text_escape(text, strlen(text), shown, sizeof(shown));
	(void)fputs(shown, stdout);
}

static void print_list(const struct policy_list *list)
{
	for (size_t i = 0; i < list->n_items; i++) {
		(void)printf("%s", i > 0 ? ", " : "");
		print_value(list->items[i]);
	}
}

static void number_text(enum policy_field_id id, uint64_t value,
			char ret_text[POLICY_NUMBER_TEXT_BYTES])
{
	if (value == POLICY_UNLIMITED)
		(void)snprintf(ret_text, POLICY_NUMBER_TEXT_BYTES, "unlimited");
	else
		policy_number_format((enum policy_type)policy_fields[id].type, value, ret_text);
}

static void explain_level(const struct policy *policy)
{
	(void)printf("Isolation\n");
	if (policy->level == POLICY_LEVEL_AUTO)
		(void)printf(
			"  The strongest level that can honour the whole policy on the host.\n");
	else
		(void)printf("  Level %s, or the run is refused.\n",
			     policy_level_name(policy->level));
}

static void explain_environment(const struct policy *policy)
{
	(void)printf("  Environment: ");
	for (size_t i = 0; i < policy->n_env; i++) {
		(void)printf("%s", i > 0 ? ", " : "");
		print_value(policy->env[i].name);
	}
	if (policy->root == POLICY_ROOT_IMAGE)
		(void)printf("%swhat else the image names.\n", policy->n_env > 0 ? ", and " : "");
	else
		(void)printf("%s\n", policy->n_env > 0 ? "." : "empty.");
}

/* "The command ... of the runtime python 3.12.0" */
static void explain_runtime(const struct policy *policy)
{
	const struct policy_runtime_row *runtime = &policy_runtimes[policy->runtime];
	if (policy->runtime != POLICY_RUNTIME_NONE)
		(void)printf(" of the language runtime %s %s", runtime->name, runtime->version);
}

static void explain_command(const struct policy *policy)
{
	bool is_image = policy->root == POLICY_ROOT_IMAGE;
	(void)printf("\nRuns\n  ");
	if (policy->args.n_items > 0) {
		(void)printf("The command ");
		print_list(&policy->args);
	} else if (policy->module[0]) {
		(void)printf("The Wasm module ");
		print_value(policy->module);
	} else {
		(void)printf("The command that the caller names%s",
			     is_image ? ", or the image's" : "");
	}
	explain_runtime(policy);
	(void)printf(",\n  as ");
	if (policy->user[0])
		print_value(policy->user);
	else
		(void)printf("%s", is_image ? "the image's user"
					    : "the default user of its root file system");
	(void)printf(", in ");
	if (policy->cwd[0])
		print_value(policy->cwd);
	else
		(void)printf("%s", policy->workspace.path[0] ? "/workspace"
				   : is_image                ? "the image's folder"
							     : "the user's home or /");
	(void)printf(", on a machine that calls itself ");
	print_value(policy->hostname[0] ? policy->hostname : "foso");
	(void)printf(".\n");
	explain_environment(policy);
	(void)printf("  %s\n",
		     policy->background == POLICY_BACKGROUND_KEEP
			     ? "What outlives the command is kept, listed and can be killed."
			     : "What outlives the command is killed.");
}

static void explain_root(const struct policy *policy)
{
	switch (policy->root) {
	case POLICY_ROOT_HOST:
		(void)printf(
			"  This machine's system folders, read-only and masked: no home folders, "
			"keys or sockets.\n");
		break;
	case POLICY_ROOT_DIR:
		(void)printf("  The root file system in ");
		print_value(policy->root_path);
		(void)printf(".\n");
		break;
	case POLICY_ROOT_IMAGE:
		(void)printf("  The image ");
		print_value(policy->root_path);
		(void)printf(
			" of this machine's store, which other sandboxes see too and none writes.\n");
		break;
	case POLICY_ROOT_NONE:
		(void)printf("  No root file system at all.\n");
		break;
	}
}

/* "  The host's ./src, seen at /workspace.\n" */
static void print_mount(const char *source, const char *target, const char *how)
{
	(void)printf("  The host's ");
	print_value(source);
	(void)printf(", seen at ");
	print_value(target);
	(void)printf("%s.\n", how);
}

static const struct {
	char glob[46], why[46];
} secrets[] = {
#define SECRET_ROW(glob, why) { glob, why },
#define OTHER_ROW(...)
	SECRETS(SECRET_ROW, OTHER_ROW, OTHER_ROW)
#undef SECRET_ROW
#undef OTHER_ROW
};

static bool is_first_of_kind(size_t row)
{
	for (size_t i = 0; i < row; i++) {
		if (strcmp(secrets[i].why, secrets[row].why) == 0)
			return false;
	}
	return true;
}

/* "    private keys: id_rsa*, id_dsa*, ..." and so on. */
static void print_secrets(void)
{
	for (size_t row = 0; row < ARRAY_LEN(secrets); row++) {
		if (!is_first_of_kind(row))
			continue;
		(void)printf("    %s:", secrets[row].why);
		for (size_t i = row, n = 0; i < ARRAY_LEN(secrets); i++) {
			if (strcmp(secrets[i].why, secrets[row].why) == 0)
				(void)printf("%s %s", n++ > 0 ? "," : "", secrets[i].glob);
		}
		(void)printf("\n");
	}
}

/* The policy's own globs: those that hide, or those behind a "!". */
static void print_globs(const char *lead, const struct policy_list *globs, bool is_shown)
{
	size_t n = 0;
	for (size_t i = 0; i < globs->n_items; i++) {
		const char *glob = globs->items[i];
		if ((glob[0] == '!') != is_shown)
			continue;
		(void)printf("%s", n++ == 0 ? lead : ", ");
		print_value(glob + is_shown);
	}
	if (n > 0)
		(void)printf("\n");
}

static void explain_hidden(const struct policy *policy)
{
	bool hides_secrets = policy->workspace.secrets == POLICY_SECRETS_HIDE;
	if (!hides_secrets && policy->workspace.redact.n_items == 0) {
		(void)printf("  Nothing is hidden in it, not even credentials.\n");
		return;
	}
	(void)printf("  Hidden below /workspace, by any of their names, and %s there:\n",
		     policy->workspace.redact_as == POLICY_REDACT_ABSENT ? "absent" : "empty");
	if (hides_secrets)
		print_secrets();
	print_globs("    by this policy: ", &policy->workspace.redact, false);
	print_globs("    but not: ", &policy->workspace.redact, true);
	if (hides_secrets)
		(void)printf("  Credentials in .git/config are taken out of it.\n");
	if (policy->workspace.placeholders.n_items > 0) {
		(void)printf("  .env files are shown, with placeholders for: ");
		print_list(&policy->workspace.placeholders);
		(void)printf(".\n");
	}
	(void)printf("  What appears on the host later is hidden by its name if root runs foso, "
		     "else it is seen.\n");
}

static void explain_reads(const struct policy *policy)
{
	(void)printf("\nReads\n");
	explain_root(policy);
	if (policy->workspace.path[0])
		print_mount(policy->workspace.path, "/workspace", "");
	if (policy->workspace.path[0])
		explain_hidden(policy);
	for (size_t i = 0; i < policy->n_mounts; i++)
		if (policy->mounts[i].access != POLICY_ACCESS_TMPFS)
			print_mount(policy->mounts[i].source, policy->mounts[i].target, "");
	if (policy->devices.n_items > 0) {
		(void)printf("  Devices beyond the usual ones: ");
		print_list(&policy->devices);
		(void)printf(".\n");
	}
}

static void explain_tmpfs(const struct policy_mount *mount)
{
	char size[POLICY_NUMBER_TEXT_BYTES];
	number_text(POLICY_FIELD_MOUNTS_SIZE, mount->size_bytes, size);
	(void)printf("  An empty folder in memory at ");
	print_value(mount->target);
	if (mount->size_bytes != POLICY_UNLIMITED)
		(void)printf(", of at most %s", size);
	(void)printf(".\n");
}

static void explain_writes(const struct policy *policy)
{
	char disk[POLICY_NUMBER_TEXT_BYTES], inodes[POLICY_NUMBER_TEXT_BYTES];
	number_text(POLICY_FIELD_LIMITS_DISK, policy->limits.disk_bytes, disk);
	number_text(POLICY_FIELD_LIMITS_DISK_INODES, policy->limits.disk_inodes, inodes);
	(void)printf("\nWrites\n");
	if (policy->workspace.path[0] && policy->workspace.access == POLICY_ACCESS_RW)
		print_mount(policy->workspace.path, "/workspace",
			    ": changes are made on the host at once");
	if (policy->workspace.path[0] && policy->workspace.access == POLICY_ACCESS_OVERLAY)
		print_mount(policy->workspace.path, "/workspace",
			    ": changes wait for diff, commit or discard");
	for (size_t i = 0; i < policy->n_mounts; i++) {
		const struct policy_mount *mount = &policy->mounts[i];
		if (mount->access == POLICY_ACCESS_RW)
			print_mount(mount->source, mount->target,
				    ": changes are made on the host at once");
		if (mount->access == POLICY_ACCESS_OVERLAY)
			print_mount(mount->source, mount->target,
				    ": changes are thrown away at the end");
		if (mount->access == POLICY_ACCESS_TMPFS)
			explain_tmpfs(mount);
	}
	(void)printf("  In its own folders, until the end: ");
	(void)printf("bytes %s, files and folders %s.\n", disk, inodes);
}

static void explain_rule(const char *lead, const struct policy_list *list)
{
	if (list->n_items == 0)
		return;
	(void)printf("  %s: ", lead);
	print_list(list);
	(void)printf(".\n");
}

static void explain_reaches(const struct policy *policy)
{
	(void)printf("\nReaches\n");
	if (!policy->network.is_present) {
		(void)printf("  Nothing: there is no network.\n");
		return;
	}
	if (policy->network.allow.n_items == 0)
		(void)printf("  Nothing: no host is allowed.\n");
	explain_rule("Allowed", &policy->network.allow);
	explain_rule("Denied, whatever is allowed", &policy->network.deny);
	explain_rule("Requests", &policy->network.http);
	explain_rule("Private ranges that may be reached", &policy->network.private_ranges);
	explain_rule("Ports that may be reached from outside", &policy->network.ports);
	for (size_t i = 0; i < policy->n_secrets; i++) {
		(void)printf("  The secret ");
		print_value(policy->secrets[i].name);
		(void)printf(" goes, in the header ");
		print_value(policy->secrets[i].header);
		(void)printf(", to ");
		print_list(&policy->secrets[i].hosts);
		(void)printf("; the sandbox sees a placeholder.\n");
	}
}

static void explain_spends(const struct policy *policy)
{
	static const struct {
		enum policy_field_id id;
		char what[52];
	} rows[] = {
		{ POLICY_FIELD_LIMITS_WALL, "time by the clock" },
		{ POLICY_FIELD_LIMITS_CPU_TIME, "processor time of all processes" },
		{ POLICY_FIELD_LIMITS_CPUS, "processors at a time" },
		{ POLICY_FIELD_LIMITS_MEMORY, "memory of all processes, swap and tmpfs included" },
		{ POLICY_FIELD_LIMITS_PIDS, "processes and threads" },
		{ POLICY_FIELD_LIMITS_FILES, "open descriptors of one process" },
		{ POLICY_FIELD_LIMITS_FILE_SIZE, "bytes of one file" },
		{ POLICY_FIELD_LIMITS_OUTPUT, "bytes of output" },
		{ POLICY_FIELD_LIFETIME, "time that the sandbox exists" },
		{ POLICY_FIELD_IDLE, "time without a running command" },
		{ POLICY_FIELD_LIMITS_FUEL, "Wasm instructions" },
	};
	(void)printf("\nSpends at most\n");
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		const struct policy_field *field = &policy_fields[rows[i].id];
		uint64_t value = *(const uint64_t *)policy_field_at_const(field, policy);
		char text[POLICY_NUMBER_TEXT_BYTES];
		number_text(rows[i].id, value, text);
		if (value != POLICY_UNLIMITED)
			(void)printf("  %-10s %s\n", text, rows[i].what);
	}
	if (policy->limits.is_strict)
		(void)printf(
			"  Each held by the kernel for the whole tree, or the run is refused.\n");
}

static void explain_calls(const struct policy *policy)
{
	const struct policy_word *profile =
		policy_word_get(POLICY_TYPE_PROFILE, policy->syscalls.profile);
	(void)printf("\nSystem calls\n  Profile %s", profile ? profile->word : "unknown");
	if (policy->syscalls.allow.n_items > 0) {
		(void)printf(", with ");
		print_list(&policy->syscalls.allow);
	}
	if (policy->syscalls.deny.n_items > 0) {
		(void)printf(", without ");
		print_list(&policy->syscalls.deny);
	}
	(void)printf("; %s.\n", policy->syscalls.may_nest ? "new namespaces may be made"
							  : "no new namespaces");
}

static void explain_evidence(const struct policy *policy)
{
	(void)printf("\nLeaves\n");
	if (!policy->evidence.is_on) {
		(void)printf("  No evidence.\n");
		return;
	}
	(void)printf("  A record of the run in ");
	if (policy->evidence.path[0])
		print_value(policy->evidence.path);
	else
		(void)printf("the evidence log");
	if (policy->evidence.sign[0]) {
		(void)printf(", signed with ");
		print_value(policy->evidence.sign);
	}
	(void)printf(".\n");
}

/* The findings at each level; those that hold at every level were reported before. */
static void explain_refusals(const struct policy *policy)
{
	static struct error_list errors;
	(void)printf("\nRefused by level (foso doctor says which levels this host has)\n");
	for (unsigned level = POLICY_LEVEL_PROCESS; level < POLICY_N_LEVELS; level++) {
		errors.n_errors = errors.n_lost = 0;
		if (policy_check(policy, (enum policy_level)level, &errors) == 0)
			(void)printf("  %-8s nothing\n",
				     policy_level_name((enum policy_level)level));
		for (size_t i = 0; i < errors.n_errors; i++)
			(void)printf("  %-8s %s: %s; %s\n",
				     i == 0 ? policy_level_name((enum policy_level)level) : "",
				     errors.items[i].subject, errors.items[i].message,
				     errors.items[i].remedy);
	}
}

/* What has a default and keeps it, without being named: the caller may not know of it. */
static void explain_defaults(const struct document *document)
{
	size_t column = 0;
	(void)printf("\nDefaults");
	for (const struct policy_field *field = policy_next_field(NULL, POLICY_OWNER_policy); field;
	     field = policy_next_field(field, POLICY_OWNER_policy)) {
		if (field->initial[0] == '\0' ||
		    !policy_field_is_default(field, &document->policy) ||
		    policy_text_line_find(&document->text, field->name) > 0)
			continue;
		size_t len = strlen(field->name) + strlen(field->initial) + 3;
		bool is_first = column == 0 || column + len > MAX_COLUMNS;
		column = is_first ? 2 + len : column + len;
		(void)printf("%s%s %s,", is_first ? "\n  " : " ", field->name, field->initial);
	}
	(void)printf("\n  and nothing in every list.\n");
}

int tool_explain(const char *file)
{
	auto_document struct document document;
	if (document_read(&document, file, file) != 0 ||
	    document_check(&document, POLICY_LEVEL_AUTO) != 0) {
		errors_print(&document.errors);
		return TOOL_EXIT_REFUSED;
	}
	const struct policy *policy = &document.policy;
	explain_level(policy);
	explain_command(policy);
	explain_reads(policy);
	explain_writes(policy);
	explain_reaches(policy);
	explain_spends(policy);
	explain_calls(policy);
	explain_evidence(policy);
	explain_refusals(policy);
	explain_defaults(&document);
	return fflush(stdout) == 0 ? 0 : TOOL_EXIT_REFUSED;
}
