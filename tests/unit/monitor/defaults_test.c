/* SPDX-License-Identifier: Apache-2.0 */
/* What the configuration of an image fills of a policy, and what it does not. */
#include "monitor/defaults.c"
#include "support/policy.h"

static struct buf storage;

static struct image_list list(const char *const *items)
{
	uint32_t n = 0;
	while (items[n])
		n++;
	return image_list_from(&storage, items, n);
}

static struct image_record a_record(void)
{
	buf_fini(&storage);
	storage = BUF_INIT(65536);
	return (struct image_record){ .user = "", .cwd = "" };
}

static const char *env_of(const struct policy *policy, const char *name)
{
	size_t at;
	return policy_env_find(policy, name, &at) ? policy->env[at].value : "(none)";
}

static void test_an_empty_policy_takes_all(void)
{
	struct policy policy;
	struct error err = { 0 };
	struct image_record record = a_record();
	record.user = "app:staff";
	record.cwd = "/srv";
	record.env = list((const char *const[]){ "PATH=/bin", "X=a=b", "E=", NULL });
	record.entrypoint = list((const char *const[]){ "/entry", "-v", NULL });
	record.cmd = list((const char *const[]){ "serve", "", NULL });
	policy_make(&policy, (const char *const[]){ "root", "image:x", NULL });
	EQ(defaults_apply(&policy, &record, true, true, &err), 0);
	STR_EQ(policy.user, "app:staff");
	STR_EQ(policy.cwd, "/srv");
	EQ(policy.n_env, 3);
	STR_EQ(env_of(&policy, "PATH"), "/bin");
	STR_EQ(env_of(&policy, "X"), "a=b");
	STR_EQ(env_of(&policy, "E"), "");
	EQ(policy.args.n_items, 4);
	STR_EQ(policy.args.items[0], "/entry");
	STR_EQ(policy.args.items[2], "serve");
	STR_EQ(policy.args.items[3], "");
	policy_fini(&policy);
}

static void test_what_the_policy_says_wins(void)
{
	struct policy policy;
	struct error err = { 0 };
	struct image_record record = a_record();
	record.user = "app";
	record.cwd = "/srv";
	record.env = list((const char *const[]){ "A=image", "B=first", "B=second", NULL });
	record.entrypoint = list((const char *const[]){ "/entry", NULL });
	policy_make(&policy, (const char *const[]){ "root", "image:x", "user", "7", "cwd", "/own",
						    "env.A", "policy", "args", "ls", NULL });
	EQ(defaults_apply(&policy, &record, true, true, &err), 0);
	STR_EQ(policy.user, "7");
	STR_EQ(policy.cwd, "/own");
	STR_EQ(env_of(&policy, "A"), "policy");
	STR_EQ(env_of(&policy, "B"), "second");
	EQ(policy.args.n_items, 1);
	STR_EQ(policy.args.items[0], "ls");
	policy_fini(&policy);
}

static void test_a_workspace_is_where_commands_start(void)
{
	struct policy policy;
	struct error err = { 0 };
	struct image_record record = a_record();
	record.cwd = "/srv";
	policy_make(&policy, (const char *const[]){ "workspace.path", "/tmp", NULL });
	EQ(defaults_apply(&policy, &record, false, true, &err), 0);
	STR_EQ(policy.cwd, "");
	policy_fini(&policy);
}

static void test_a_session_needs_no_command(void)
{
	struct policy policy;
	struct error err = { 0 };
	struct image_record record = a_record();
	policy_make(&policy, (const char *const[]){ NULL });
	EQ(defaults_apply(&policy, &record, false, true, &err), 0);
	EQ(policy.args.n_items, 0);
	EQ(defaults_apply(&policy, &record, true, true, &err), -ERR_INVALID);
	STR_EQ(err.subject, "args");
	STR_EQ(err.message, "no command was given, and the image has none");
	policy_fini(&policy);
}

static void test_a_user_by_name_needs_many_ids(void)
{
	static const struct {
		const char *user, *taken;
		int r;
	} rows[] = {
		{ "1000", "1000", 0 },
		{ "root", "root", 0 },
		{ "1000:100", "1000:100", 0 },
		{ "app", "", DEFAULTS_USER_IS_NAME },
		{ "1000:staff", "", DEFAULTS_USER_IS_NAME },
		{ "root:root", "", DEFAULTS_USER_IS_NAME },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct policy policy;
		struct error err = { 0 };
		struct image_record record = a_record();
		record.user = rows[i].user;
		policy_make(&policy, (const char *const[]){ NULL });
		EQ(defaults_apply(&policy, &record, false, false, &err), rows[i].r);
		STR_EQ(policy.user, rows[i].taken);
		policy_fini(&policy);
	}
}

static void test_values_that_no_policy_could_have_are_refused(void)
{
	struct policy policy;
	struct error err = { 0 };
	struct image_record record = a_record();
	record.cwd = "/a/../b";
	policy_make(&policy, (const char *const[]){ NULL });
	EQ(defaults_apply(&policy, &record, false, true, &err), -ERR_INVALID);
	STR_EQ(err.subject, "cwd");
	STR_EQ(err.remedy, "this is what the image says; give cwd in the policy");
	policy_fini(&policy);

	error_clear(&err);
	record = a_record();
	record.user = "a b:c:d";
	policy_make(&policy, (const char *const[]){ NULL });
	EQ(defaults_apply(&policy, &record, false, true, &err), -ERR_INVALID);
	STR_EQ(err.subject, "user");
	policy_fini(&policy);

	error_clear(&err);
	record = a_record();
	record.env = list((const char *const[]){ "\xff=x", NULL });
	policy_make(&policy, (const char *const[]){ NULL });
	EQ(defaults_apply(&policy, &record, false, true, &err), -ERR_INVALID);
	STR_EQ(err.subject, "env");
	policy_fini(&policy);
}

static void test_more_variables_than_a_policy_may_have_are_refused(void)
{
	static char texts[POLICY_MAX_ENV + 1][16];
	static const char *items[POLICY_MAX_ENV + 2];
	struct policy policy;
	struct error err = { 0 };
	struct image_record record = a_record();
	for (size_t i = 0; i <= POLICY_MAX_ENV; i++) {
		(void)snprintf(texts[i], sizeof(texts[i]), "V%zu=x", i);
		items[i] = texts[i];
	}
	record.env = list(items);
	policy_make(&policy, (const char *const[]){ NULL });
	EQ(defaults_apply(&policy, &record, false, true, &err), -ERR_LIMIT);
	policy_fini(&policy);
}

int main(void)
{
	RUN(test_an_empty_policy_takes_all);
	RUN(test_what_the_policy_says_wins);
	RUN(test_a_workspace_is_where_commands_start);
	RUN(test_a_session_needs_no_command);
	RUN(test_a_user_by_name_needs_many_ids);
	RUN(test_values_that_no_policy_could_have_are_refused);
	RUN(test_more_variables_than_a_policy_may_have_are_refused);
	buf_fini(&storage);
	return tap_done();
}
