/* SPDX-License-Identifier: Apache-2.0 */
#include "support/policy.h"
#include "support/tap.h"

static struct policy policy;
static struct error err;

static void reset(void)
{
	policy_fini(&policy);
	policy_make(&policy, (const char *const[]){ NULL });
	error_clear(&err);
}

/* Refused with this code, and the whole line that a user would read. */
static void refused(const char *name, const char *text, enum error_code code, const char *line)
{
	char shown[1024];
	error_clear(&err);
	EQ(policy_set(&policy, name, text, &err), -(int)code);
	EQ(err.code, code);
	error_format(&err, shown, sizeof(shown));
	STR_EQ(shown, line);
	error_clear(&err);
}

static void taken(const char *name, const char *text)
{
	error_clear(&err);
	if (policy_set(&policy, name, text, &err) != 0)
		FAIL("%s: %s: %s", name, text, err.message);
}

static void test_set_sizes_need_a_unit_and_are_exact(void)
{
	reset();
	taken("limits.memory", "64MiB");
	EQ(policy.limits.memory_bytes, 64 << 20);
	taken("limits.memory", "64MB");
	EQ(policy.limits.memory_bytes, 64000000);
	taken("limits.memory", "1.5GiB");
	EQ(policy.limits.memory_bytes, 1610612736);
	taken("limits.disk", "0");
	EQ(policy.limits.disk_bytes, 0);
	taken("limits.disk", "none");
	OK(policy.limits.disk_bytes == POLICY_UNLIMITED);
	refused("limits.memory", "64", ERR_INVALID,
		"foso: limits.memory: '64' has no unit; write 64MiB or 64MB");
	refused("limits.memory", "64mb", ERR_INVALID,
		"foso: limits.memory: '64mb' has the unknown unit 'mb'; write a size such as 512MiB, "
		"64MB or 4096B, from 1MiB to 4PiB, or none");
	refused("limits.memory", "4kB", ERR_INVALID,
		"foso: limits.memory: '4kB' is below the least value 1MiB; write a size such as "
		"512MiB, 64MB or 4096B, from 1MiB to 4PiB, or none");
	refused("limits.memory", "99999999999999999999TiB", ERR_INVALID,
		"foso: limits.memory: '99999999999999999999TiB' is above the greatest value 4PiB; "
		"write a size such as 512MiB, 64MB or 4096B, from 1MiB to 4PiB, or none");
	/* 2^64-1 is what "none" becomes; a number is never that. */
	refused("limits.memory", "18446744073709551615B", ERR_INVALID,
		"foso: limits.memory: '18446744073709551615B' is above the greatest value 4PiB; "
		"write a size such as 512MiB, 64MB or 4096B, from 1MiB to 4PiB, or none");
	refused("limits.pids", "18446744073709551615", ERR_INVALID,
		"foso: limits.pids: '18446744073709551615' is above the greatest value 4194304; "
		"write a whole number, from 1 to 4194304, or none");
	refused("limits.memory", "-1MiB", ERR_INVALID,
		"foso: limits.memory: '-1MiB' is not a size; write a size such as 512MiB, 64MB or "
		"4096B, from 1MiB to 4PiB, or none");
	refused("limits.disk", "0.3B", ERR_INVALID,
		"foso: limits.disk: '0.3B' is not a whole number of bytes; write a size such as "
		"512MiB, 64MB or 4096B, from 0 to 4PiB, or none");
	refused("limits.disk", "1.2345GB", ERR_INVALID,
		"foso: limits.disk: '1.2345GB' is not a size; write a size such as 512MiB, 64MB or "
		"4096B, from 0 to 4PiB, or none");
	OK(policy.limits.disk_bytes == POLICY_UNLIMITED);
}

static void test_set_durations(void)
{
	reset();
	taken("limits.wall", "500ms");
	EQ(policy.limits.wall_ns, 500000000);
	taken("limits.wall", "1.5s");
	EQ(policy.limits.wall_ns, 1500000000);
	taken("limits.wall", "5min");
	EQ(policy.limits.wall_ns, 300000000000);
	taken("limits.wall", "2h");
	taken("limits.wall", "100d");
	taken("limits.wall", "none");
	refused("limits.wall", "60", ERR_INVALID,
		"foso: limits.wall: '60' has no unit; write 60s or 60min");
	refused("limits.wall", "5m", ERR_INVALID,
		"foso: limits.wall: '5m' has the unknown unit 'm'; write a duration such as 60s, "
		"5min, 500ms or 2h, from 1ms to 100d, or none");
	refused("limits.wall", "0.5ms", ERR_INVALID,
		"foso: limits.wall: '0.5ms' is not a whole number of milliseconds; write a duration "
		"such as 60s, 5min, 500ms or 2h, from 1ms to 100d, or none");
	refused("limits.wall", "0", ERR_INVALID,
		"foso: limits.wall: '0' is below the least value 1ms; write a duration such as 60s, "
		"5min, 500ms or 2h, from 1ms to 100d, or none");
	refused("limits.wall", "101d", ERR_INVALID,
		"foso: limits.wall: '101d' is above the greatest value 100d; write a duration such "
		"as 60s, 5min, 500ms or 2h, from 1ms to 100d, or none");
}

static void test_set_counts_and_cpus(void)
{
	reset();
	taken("limits.cpus", "1.5");
	EQ(policy.limits.cpus_milli, 1500);
	taken("limits.cpus", "0.01");
	EQ(policy.limits.cpus_milli, 10);
	taken("limits.pids", "7");
	EQ(policy.limits.pids, 7);
	refused("limits.pids", "7k", ERR_INVALID,
		"foso: limits.pids: '7k' has a unit, which a count has not; write a whole number, "
		"from 1 to 4194304, or none");
	refused("limits.pids", "1.5", ERR_INVALID,
		"foso: limits.pids: '1.5' is not a whole number; write a whole number, from 1 to "
		"4194304, or none");
	refused("limits.pids", "", ERR_INVALID,
		"foso: limits.pids: is empty; write a whole number, from 1 to 4194304, or none");
	refused("limits.cpus", "0.001", ERR_INVALID,
		"foso: limits.cpus: '0.001' is below the least value 0.01; write a number of "
		"processors such as 1, 2 or 1.5, from 0.01 to 1024, or none");
}

static void test_set_words_and_truth(void)
{
	reset();
	taken("level", "process");
	EQ(policy.level, POLICY_LEVEL_PROCESS);
	taken("syscalls", "strict");
	EQ(policy.syscalls.profile, POLICY_PROFILE_STRICT);
	taken("evidence", "off");
	OK(!policy.evidence.is_on);
	taken("limits.strict", "true");
	OK(policy.limits.is_strict);
	refused("level", "Process", ERR_INVALID,
		"foso: level: 'Process' is not one of its words; write auto, process, kernel, "
		"microvm or wasm");
	refused("limits.strict", "1", ERR_INVALID,
		"foso: limits.strict: '1' is neither true nor false; write true or false");
}

static void test_set_unknown_names_suggest_the_nearest(void)
{
	reset();
	refused("limits.memry", "1", ERR_NOT_FOUND,
		"foso: limits.memry: is not a field of a policy; did you mean limits.memory?");
	refused("memory", "1", ERR_NOT_FOUND,
		"foso: memory: is not a field of a policy; did you mean limits.memory?");
	refused("limits.mem", "1", ERR_NOT_FOUND,
		"foso: limits.mem: is not a field of a policy; did you mean limits.memory?");
	refused("mounts[0].tget", "1", ERR_NOT_FOUND,
		"foso: mounts[0].tget: is not a field of a policy; did you mean mounts[].target?");
	refused("xyzzy", "1", ERR_NOT_FOUND,
		"foso: xyzzy: is not a field of a policy; foso-policy(5) lists the fields");
	refused("limits", "1", ERR_INVALID,
		"foso: limits: is a group of fields, not a field; name one of its fields; "
		"foso-policy(5) lists them");
	refused("", "1", ERR_NOT_FOUND,
		"foso: is not a field of a policy; foso-policy(5) lists the fields");
}

static void test_set_env_is_sorted_and_replaces(void)
{
	reset();
	taken("env.PATH", "/bin");
	taken("env.A", "1");
	taken("env", "B=2=3");
	taken("env.A", "");
	EQ(policy.n_env, 3);
	STR_EQ(policy.env[0].name, "A");
	STR_EQ(policy.env[0].value, "");
	STR_EQ(policy.env[1].value, "2=3");
	STR_EQ(policy.env[2].name, "PATH");
	refused("env.", "x", ERR_INVALID,
		"foso: env.: has no name; write env.NAME with a value of at most 128 KiB; pass "
		"larger data as a file");
	refused("env.A=B", "x", ERR_INVALID,
		"foso: env.A=B: has '=' in its name; write env.NAME with a value of at most 128 KiB; "
		"pass larger data as a file");
	refused("env", "x", ERR_INVALID, "foso: env: 'x' has no '='; write NAME=VALUE");
}

static void test_set_mounts(void)
{
	reset();
	taken("mounts", "./data:/data");
	taken("mounts", "/srv:/a//b/./c/:overlay");
	taken("mounts", "tmpfs:/scratch:16MiB");
	taken("mounts[3].target", "/x");
	taken("mounts[3].source", "/a:b");
	taken("mounts[3].access", "rw");
	EQ(policy.n_mounts, 4);
	STR_EQ(policy.mounts[0].source, "./data");
	STR_EQ(policy.mounts[0].target, "/data");
	EQ(policy.mounts[0].access, POLICY_ACCESS_RO);
	STR_EQ(policy.mounts[1].target, "/a/b/c");
	EQ(policy.mounts[1].access, POLICY_ACCESS_OVERLAY);
	EQ(policy.mounts[2].access, POLICY_ACCESS_TMPFS);
	EQ(policy.mounts[2].size_bytes, 16 << 20);
	STR_EQ(policy.mounts[2].source, "");
	STR_EQ(policy.mounts[3].source, "/a:b");
	refused("mounts", "/data", ERR_INVALID,
		"foso: mounts: '/data' is not a mount; write HOST:GUEST[:ro|rw|overlay] or "
		"tmpfs:GUEST[:SIZE]");
	refused("mounts", "/a:/b:rwx", ERR_INVALID,
		"foso: mounts: 'rwx' is not one of its words; write ro, rw, overlay or tmpfs");
	refused("mounts", "/a:b", ERR_INVALID,
		"foso: mounts: 'b' is not an absolute path; write an absolute path without .., not / "
		"and not below /proc, /dev or /sys");
	refused("mounts", "/a:/b/../c", ERR_INVALID,
		"foso: mounts: '/b/../c' contains '..'; write an absolute path without .., not / and "
		"not below /proc, /dev or /sys");
	refused("mounts", "/a:/", ERR_INVALID,
		"foso: mounts: '/' is the root itself; write an absolute path without .., not / and "
		"not below /proc, /dev or /sys");
	refused("mounts", "/a:/proc/x", ERR_INVALID,
		"foso: mounts: '/proc/x' lies in a folder that foso itself makes; write an absolute "
		"path without .., not / and not below /proc, /dev or /sys");
	refused("mounts[9].target", "/y", ERR_INVALID,
		"foso: mounts[9].target: leaves out an index; the next one is [4]");
	refused("mounts[4].target", "y", ERR_INVALID,
		"foso: mounts[4].target: 'y' is not an absolute path; write an absolute path without "
		".., not / and not below /proc, /dev or /sys");
	EQ(policy.n_mounts, 4);
	taken("mounts", "/processes:/processes");
}

static void test_set_root_and_workspace(void)
{
	reset();
	taken("root", "dir:/srv/root:1");
	EQ(policy.root, POLICY_ROOT_DIR);
	STR_EQ(policy.root_path, "/srv/root:1");
	taken("root", "image:debian:12");
	STR_EQ(policy.root_path, "debian:12");
	refused("root", "dir:", ERR_INVALID,
		"foso: root: 'dir:' names nothing behind the colon; write host, dir:PATH, image:NAME "
		"or none");
	refused("root", "host:x", ERR_INVALID,
		"foso: root: 'host:x' has something behind it; write host, dir:PATH, image:NAME or none");
	refused("root", "chroot", ERR_INVALID,
		"foso: root: 'chroot' is not a root; write host, dir:PATH, image:NAME or none");
	EQ(policy.root, POLICY_ROOT_IMAGE);
	taken("workspace", ".:rw");
	STR_EQ(policy.workspace.path, ".");
	EQ(policy.workspace.access, POLICY_ACCESS_RW);
	taken("workspace", "/src");
	EQ(policy.workspace.access, POLICY_ACCESS_RO);
	refused("workspace", "/src:rwx", ERR_INVALID,
		"foso: workspace: 'rwx' is not an access; write ro, rw or overlay behind the last "
		"colon; a path that holds a colon goes into workspace.path");
	taken("workspace", "none");
	STR_EQ(policy.workspace.path, "");
}

static void test_set_lists_append_and_are_bounded(void)
{
	reset();
	taken("args", "ls");
	taken("args", "");
	taken("args[2]", "c");
	taken("args[1]", "b");
	EQ(policy.args.n_items, 3);
	STR_EQ(policy.args.items[1], "b");
	for (int i = 0; i < POLICY_MAX_DEVICES; i++)
		taken("devices", "fuse");
	refused("devices", "fuse", ERR_LIMIT,
		"foso: devices: is more than 16 items; write at most 16 in devices");
	refused("syscalls.deny", "Ptrace!", ERR_INVALID,
		"foso: syscalls.deny: 'Ptrace!' is not a system call; write the name of a system "
		"call, such as ptrace");
}

static void test_set_network_rules(void)
{
	reset();
	OK(!policy.network.is_present);
	taken("network.allow", "GitHub.com:443/tcp");
	OK(policy.network.is_present);
	STR_EQ(policy.network.allow.items[0], "github.com:443/tcp");
	taken("network.allow", "*.example.org");
	taken("network.allow", "192.0.2.0/24");
	taken("network.allow", "192.0.2.1:80");
	taken("network.allow", "2001:db8::1");
	taken("network.allow", "[2001:db8::1]:443");
	taken("network.allow", "2001:db8::/32");
	taken("network.private", "10.0.0.0/8");
	taken("network.http", "GET API.example.com/v1/*");
	STR_EQ(policy.network.http.items[0], "GET api.example.com/v1/*");
	static const char *const wrong[] = { "2852039166",    "0xA9FEA9FE",  "0251.0376.0251.0376",
					     "169.254.43518", "127.1",       "*",
					     "*.*.com",       "-a.com",      "a..b",
					     "a.com:0",       "a.com:65536", "192.0.2.1/24",
					     "[::1",          "a b",         "" };
	for (size_t i = 0; i < ARRAY_LEN(wrong); i++) {
		error_clear(&err);
		if (policy_set(&policy, "network.allow", wrong[i], &err) != -ERR_INVALID)
			FAIL("'%s' is taken", wrong[i]);
	}
	EQ(policy.network.allow.n_items, 7);
	taken("network", "none");
	OK(!policy.network.is_present);
	EQ(policy.network.allow.n_items, 0);
}

static void test_set_strings_have_a_shape(void)
{
	reset();
	taken("user", "1000:1000");
	taken("user", "www-data");
	taken("cwd", "/");
	taken("cwd", "/a//b/");
	STR_EQ(policy.cwd, "/a/b");
	taken("hostname", "box-1.local");
	refused("user", "4294967295", ERR_INVALID,
		"foso: user: '4294967295' is not a user; write NAME or UID, either with :GROUP, such "
		"as nobody or 1000:1000");
	refused("cwd", "a", ERR_INVALID,
		"foso: cwd: 'a' is not an absolute path; write an absolute path without ..");
	refused("hostname", "-x", ERR_INVALID,
		"foso: hostname: '-x' is not a host name; write letters, digits, - and ., at most 64");
	refused("evidence.sign", "", ERR_INVALID,
		"foso: evidence.sign: is empty; write a path of this host, at most 4095 bytes");
}

int main(void)
{
	RUN(test_set_sizes_need_a_unit_and_are_exact);
	RUN(test_set_durations);
	RUN(test_set_counts_and_cpus);
	RUN(test_set_words_and_truth);
	RUN(test_set_unknown_names_suggest_the_nearest);
	RUN(test_set_env_is_sorted_and_replaces);
	RUN(test_set_mounts);
	RUN(test_set_root_and_workspace);
	RUN(test_set_lists_append_and_are_bounded);
	RUN(test_set_network_rules);
	RUN(test_set_strings_have_a_shape);
	policy_fini(&policy);
	return tap_done();
}
