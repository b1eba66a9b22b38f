/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "policy/fields.h"
#include "support/policy.h"
#include "support/tap.h"

static struct error_list errors;

/* The subjects of all findings, joined by spaces. */
static const char *subjects(const struct policy *policy, enum policy_level level)
{
	static char text[1024];
	size_t used = 0;
	memset(&errors, 0, sizeof(errors));
	int result = policy_check(policy, level, &errors);
	EQ(result, errors.n_errors > 0 ? -(int)errors.items[0].code : 0);
	text[0] = '\0';
	for (size_t i = 0; i < errors.n_errors && used < sizeof(text); i++) {
		OK(errors.items[i].remedy[0] != '\0');
		used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s", i ? " " : "",
					 errors.items[i].subject);
	}
	return text;
}

static void test_check_defaults_are_sound_for_process(void)
{
	struct policy policy;
	policy_make(&policy, (const char *const[]){ NULL });
	STR_EQ(subjects(&policy, POLICY_LEVEL_AUTO), "");
	STR_EQ(subjects(&policy, POLICY_LEVEL_PROCESS), "");
	STR_EQ(subjects(&policy, POLICY_LEVEL_KERNEL), "");
	policy_fini(&policy);
}

static void test_check_levels_refuse_with_the_code_refused(void)
{
	struct policy policy;
	policy_make(&policy, (const char *const[]){ "network.allow", "example.com", "module", "m",
						    "limits.fuel", "5", NULL });
	STR_EQ(subjects(&policy, POLICY_LEVEL_AUTO), "");
	STR_EQ(subjects(&policy, POLICY_LEVEL_PROCESS), "limits.fuel module network");
	for (size_t i = 0; i < errors.n_errors; i++)
		EQ(errors.items[i].code, ERR_REFUSED);
	policy_fini(&policy);
}

static void test_check_contradictions_are_invalid(void)
{
	struct policy policy;
	policy_make(&policy, (const char *const[]){ "workspace.access", "rw", "mounts", "/a:/b",
						    "mounts", "/c:/b", NULL });
	STR_EQ(subjects(&policy, POLICY_LEVEL_AUTO), "workspace.access mounts[1].target");
	EQ(errors.items[0].code, ERR_INVALID);
	policy_fini(&policy);
}

/* A program may fill the struct itself; then check() is the only one to look. */
static void test_check_values_that_no_text_gave(void)
{
	struct policy policy;
	policy_make(&policy, (const char *const[]){ "args", "ls", "mounts", "/a:/b", NULL });
	policy.limits.pids = 0;
	policy.limits.wall_ns = 1;
	policy.level = (enum policy_level)77;
	free(policy.mounts[0].target);
	policy.mounts[0].target = strdup("/b/../../c");
	free(policy.cwd);
	policy.cwd = strdup("x");
	policy.root = POLICY_ROOT_DIR;
	STR_EQ(subjects(&policy, POLICY_LEVEL_PROCESS),
	       "cwd level limits.pids limits.wall mounts[0].target root");
	policy_fini(&policy);
}

static void test_check_a_policy_that_is_too_large_as_a_whole(void)
{
	struct policy policy;
	struct error err = { 0 };
	static char argument[POLICY_MAX_STRING_BYTES + 1];
	policy_make(&policy, (const char *const[]){ NULL });
	memset(argument, 'x', sizeof(argument) - 1);
	for (int i = 0; i < 31; i++)
		EQ(policy_set(&policy, "args", argument, &err), 0);
	STR_EQ(subjects(&policy, POLICY_LEVEL_AUTO), "");
	EQ(policy_set(&policy, "args", argument, &err), 0);
	STR_EQ(subjects(&policy, POLICY_LEVEL_AUTO), "policy");
	EQ(errors.items[0].code, ERR_LIMIT);
	policy_fini(&policy);
}

/* What check() calls sound, encode() can hold. */
static void test_check_bound_is_within_the_bound_of_encode(void)
{
	struct policy policy;
	struct error err = { 0 };
	struct buf bytes = BUF_INIT(POLICY_MAX_ENCODED_BYTES);
	static char text[4000];
	policy_make(&policy, (const char *const[]){ NULL });
	for (unsigned i = 0; i < 1000; i++) {
		char name[32];
		memset(text, 'a', sizeof(text) - 1);
		(void)snprintf(name, sizeof(name), "env.K%u", i);
		EQ(policy_set(&policy, name, text, &err), 0);
	}
	EQ(policy_check(&policy, POLICY_LEVEL_AUTO, &errors), 0);
	policy_encode(&policy, &bytes);
	OK(buf_is_whole(&bytes));
	buf_fini(&bytes);
	policy_fini(&policy);
}

/* Every field with a column other than y is refused by that level once it asks for something. */
static void test_check_every_column_of_the_table_refuses(void)
{
	static const char *const values[][2] = {
		{ "args", "x" },
		{ "cwd", "/x" },
		{ "devices", "fuse" },
		{ "env", "A=B" },
		{ "hostname", "x" },
		{ "idle", "5s" },
		{ "lifetime", "70s" },
		{ "limits.fuel", "5" },
		{ "limits.instances", "5" },
		{ "limits.stack", "1MiB" },
		{ "limits.tables", "5" },
		{ "module", "m" },
		{ "network.allow", "example.com" },
		{ "runtime", "lua" },
		{ "secrets[0].name", "A" },
		{ "syscalls.allow", "mount" },
		{ "syscalls.deny", "ptrace" },
		{ "syscalls.namespaces", "true" },
		{ "user", "nobody" },
		{ "workspace.redact", "*.pem" },
	};
	for (size_t i = 0; i < ARRAY_LEN(values); i++) {
		struct policy policy;
		policy_make(&policy, (const char *const[]){ "workspace.path", ".", values[i][0],
							    values[i][1], NULL });
		bool is_group = strncmp(values[i][0], "network", 7) == 0 ||
				strncmp(values[i][0], "secrets", 7) == 0;
		const char *name =
			is_group ? (values[i][0][0] == 'n' ? "network" : "secrets") : values[i][0];
		const struct policy_field *field = policy_field_find(name, strlen(name));
		for (unsigned level = 1; level < POLICY_N_LEVELS; level++) {
			bool is_refused = false;
			memset(&errors, 0, sizeof(errors));
			(void)!policy_check(&policy, (enum policy_level)level, &errors);
			for (size_t j = 0; j < errors.n_errors; j++)
				is_refused |= errors.items[j].code == ERR_REFUSED &&
					      strcmp(errors.items[j].subject, name) == 0;
			if (is_refused != (field->levels[level - 1] != 'y'))
				FAIL("%s at level %u", name, level);
		}
		policy_fini(&policy);
	}
}

int main(void)
{
	RUN(test_check_defaults_are_sound_for_process);
	RUN(test_check_levels_refuse_with_the_code_refused);
	RUN(test_check_contradictions_are_invalid);
	RUN(test_check_values_that_no_text_gave);
	RUN(test_check_a_policy_that_is_too_large_as_a_whole);
	RUN(test_check_bound_is_within_the_bound_of_encode);
	RUN(test_check_every_column_of_the_table_refuses);
	return tap_done();
}
