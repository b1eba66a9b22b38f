/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/policy.h"
#include "support/policy.h"
#include "support/tap.h"

static void test_policy_init_gives_the_documented_defaults(void)
{
	struct policy policy;
	policy_make(&policy, (const char *const[]){ NULL });
	EQ(policy.level, POLICY_LEVEL_AUTO);
	EQ(policy.root, POLICY_ROOT_HOST);
	STR_EQ(policy.root_path, "");
	STR_EQ(policy.module, "");
	STR_EQ(policy.workspace.path, "");
	EQ(policy.limits.wall_ns, 60000000000);
	OK(policy.limits.cpu_time_ns == POLICY_UNLIMITED);
	EQ(policy.limits.cpus_milli, 1000);
	EQ(policy.limits.memory_bytes, 512 << 20);
	EQ(policy.limits.pids, 128);
	EQ(policy.limits.disk_bytes, 1 << 30);
	EQ(policy.limits.disk_inodes, 262144);
	EQ(policy.limits.files, 1024);
	OK(policy.limits.file_size_bytes == POLICY_UNLIMITED);
	EQ(policy.limits.output_bytes, 1 << 30);
	OK(!policy.limits.is_strict);
	OK(!policy.network.is_present);
	OK(!policy.syscalls.may_nest);
	EQ(policy.background, POLICY_BACKGROUND_KILL);
	OK(policy.lifetime_ns == POLICY_UNLIMITED);
	OK(policy.idle_ns == POLICY_UNLIMITED);
	OK(policy.evidence.is_on);
	policy_fini(&policy);
	policy_fini(&policy);
}

static void test_policy_level_name_is_the_word_of_policies(void)
{
	STR_EQ(policy_level_name(POLICY_LEVEL_PROCESS), "process");
	STR_EQ(policy_level_name(POLICY_LEVEL_AUTO), "auto");
	STR_EQ(policy_level_name(POLICY_N_LEVELS), "unknown");
}

static void test_policy_reset_gives_a_default_again(void)
{
	struct policy policy;
	struct error err = { 0 };
	policy_make(&policy,
		    (const char *const[]){ "args", "a", "args", "b", "root", "dir:/srv",
					   "network.allow", "example.com", "workspace", ".:rw",
					   "limits.wall", "5s", "user", "nobody", NULL });
	EQ(policy_reset(&policy, "args", &err), 0);
	EQ(policy.args.n_items, 0);
	EQ(policy_reset(&policy, "root", &err), 0);
	EQ(policy.root, POLICY_ROOT_HOST);
	STR_EQ(policy.root_path, "");
	EQ(policy_reset(&policy, "network", &err), 0);
	OK(!policy.network.is_present);
	EQ(policy.network.allow.n_items, 0);
	EQ(policy_reset(&policy, "workspace", &err), 0);
	STR_EQ(policy.workspace.path, "");
	EQ(policy.workspace.access, POLICY_ACCESS_RO);
	EQ(policy_reset(&policy, "limits.wall", &err), 0);
	EQ(policy.limits.wall_ns, 60000000000);
	EQ(policy_reset(&policy, "user", &err), 0);
	STR_EQ(policy.user, "");
	ERR(policy_reset(&policy, "env.PATH", &err), &err, ERR_INVALID, "env.PATH");
	error_clear(&err);
	ERR(policy_reset(&policy, "nothing", &err), &err, ERR_NOT_FOUND, "nothing");
	policy_fini(&policy);
}

int main(void)
{
	RUN(test_policy_init_gives_the_documented_defaults);
	RUN(test_policy_level_name_is_the_word_of_policies);
	RUN(test_policy_reset_gives_a_default_again);
	return tap_done();
}
