/* SPDX-License-Identifier: Apache-2.0 */
/* mechanism_test.c - by what each limit is held, on each kind of host, word for word */
#include "limits/mechanism.h"
#include "support/tap.h"

static struct cgroup_host host_of(enum cgroup_version version, bool has_swap_limit)
{
	struct cgroup_host host = { .version = version, .has_swap_limit = has_swap_limit };
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS && version != CGROUP_NONE; i++)
		host.has[i] = true;
	return host;
}

static struct policy_limits limits_all(uint64_t value)
{
	return (struct policy_limits){
		.wall_ns = value,
		.cpu_time_ns = value,
		.cpus_milli = value,
		.memory_bytes = value,
		.pids = value,
		.disk_bytes = value,
		.disk_inodes = value,
		.files = value,
		.file_size_bytes = value,
		.output_bytes = value,
		.is_strict = true,
	};
}

static void every_limit_has_words_on_every_host(void)
{
	static const enum cgroup_version versions[] = { CGROUP_NONE, CGROUP_V1, CGROUP_V2 };
	static const char *const fields[LIMIT_N] = {
		"limits.wall",      "limits.cpu_time", "limits.cpus",        "limits.memory",
		"limits.pids",      "limits.disk",     "limits.disk_inodes", "limits.files",
		"limits.file_size", "limits.output",
	};
	for (size_t v = 0; v < ARRAY_LEN(versions); v++) {
		for (int swap = 0; swap < 2; swap++) {
			struct cgroup_host host = host_of(versions[v], swap);
			for (int i = 0; i < LIMIT_N; i++) {
				const struct limit_mechanism *mechanism =
					limit_mechanism_get(&host, (enum limit_id)i);
				STR_EQ(mechanism->field, fields[i]);
				OK(mechanism->name[0] != '\0');
				EQ(mechanism->is_whole_tree, mechanism->remedy[0] == '\0');
			}
		}
	}
}

static void is_named(enum cgroup_version version, bool has_swap_limit, enum limit_id limit,
		     const char *name, bool is_whole_tree)
{
	struct cgroup_host host = host_of(version, has_swap_limit);
	STR_EQ(limit_mechanism_get(&host, limit)->name, name);
	EQ(limit_mechanism_get(&host, limit)->is_whole_tree, is_whole_tree);
}

static void the_words_are_these(void)
{
	is_named(CGROUP_V2, true, LIMIT_MEMORY, "cgroup v2 memory.max, memory.swap.max 0", true);
	is_named(CGROUP_V2, false, LIMIT_MEMORY, "cgroup v2 memory.max, swap not counted", false);
	is_named(CGROUP_V1, true, LIMIT_MEMORY, "cgroup v1 memory.memsw.limit_in_bytes", true);
	is_named(CGROUP_V1, false, LIMIT_MEMORY,
		 "cgroup v1 memory.limit_in_bytes, swap not counted", false);
	is_named(CGROUP_NONE, false, LIMIT_MEMORY,
		 "RLIMIT_DATA per process, watchdog over the tree", false);
	is_named(CGROUP_V2, true, LIMIT_PIDS, "cgroup v2 pids.max", true);
	is_named(CGROUP_V1, true, LIMIT_PIDS, "cgroup v1 pids.max", true);
	is_named(CGROUP_NONE, true, LIMIT_PIDS, "RLIMIT_NPROC in the user namespace", false);
	is_named(CGROUP_V2, true, LIMIT_CPUS, "cgroup v2 cpu.max", true);
	is_named(CGROUP_V1, true, LIMIT_CPUS, "cgroup v1 cpu.cfs_quota_us", true);
	is_named(CGROUP_NONE, true, LIMIT_CPUS,
		 "CPU affinity mask of each process, in whole processors", false);
	is_named(CGROUP_V2, true, LIMIT_CPU_TIME, "cgroup v2 cpu.stat, timer of the monitor", true);
	is_named(CGROUP_V1, true, LIMIT_CPU_TIME, "cgroup v1 cpuacct.usage, timer of the monitor",
		 true);
	is_named(CGROUP_NONE, true, LIMIT_CPU_TIME,
		 "RLIMIT_CPU per process, watchdog over the tree", false);
	is_named(CGROUP_NONE, true, LIMIT_WALL,
		 "monotonic timer of the monitor, which kills the tree", true);
	is_named(CGROUP_NONE, true, LIMIT_DISK, "tmpfs size=", true);
	is_named(CGROUP_NONE, true, LIMIT_DISK_INODES, "tmpfs nr_inodes=", true);
	is_named(CGROUP_NONE, true, LIMIT_FILES, "RLIMIT_NOFILE, of each process by definition",
		 true);
	is_named(CGROUP_NONE, true, LIMIT_FILE_SIZE, "RLIMIT_FSIZE, of each file by definition",
		 true);
	is_named(CGROUP_NONE, true, LIMIT_OUTPUT,
		 "count of the monitor, through which all output passes", true);
}

static void one_missing_controller_changes_one_limit(void)
{
	struct cgroup_host host = host_of(CGROUP_V1, true);
	host.has[CGROUP_CPUACCT] = false;
	OK(!limit_mechanism_get(&host, LIMIT_CPU_TIME)->is_whole_tree);
	OK(limit_mechanism_get(&host, LIMIT_CPUS)->is_whole_tree);
	OK(limit_mechanism_get(&host, LIMIT_PIDS)->is_whole_tree);
	/* A host record that says none has nothing, whatever else is in it. */
	host.version = CGROUP_NONE;
	OK(!limit_mechanism_get(&host, LIMIT_PIDS)->is_whole_tree);
}

static void strict_refuses_what_is_not_whole_tree(void)
{
	struct cgroup_host none = {
		.lack = "the cgroup /a is not delegated to uid 7",
		.remedy = "run foso in a cgroup of its own: systemd-run --user --scope",
	};
	struct policy_limits limits = limits_all(1);
	struct error_list errors = { 0 };
	EQ(limit_check_strict(&none, &limits, &errors), -ERR_REFUSED);
	EQ(errors.n_errors, 4);
	static const char *const fields[] = { "limits.cpu_time", "limits.cpus", "limits.memory",
					      "limits.pids" };
	for (size_t i = 0; i < ARRAY_LEN(fields); i++) {
		EQ(errors.items[i].code, ERR_REFUSED);
		STR_EQ(errors.items[i].subject, fields[i]);
	}
	STR_EQ(errors.items[3].message, "limits.strict is set, but this host holds it only by "
					"RLIMIT_NPROC in the user namespace");
	STR_EQ(errors.items[3].remedy,
	       "give foso the cgroup controller pids (run foso in a cgroup of its own: "
	       "systemd-run --user --scope), or set limits.strict: false");
}

static void strict_is_content_with_cgroups_and_with_limits_that_are_not_set(void)
{
	struct error_list errors = { 0 };
	struct policy_limits limits = limits_all(1);
	struct cgroup_host host = host_of(CGROUP_V2, true);
	EQ(limit_check_strict(&host, &limits, &errors), 0);
	host = host_of(CGROUP_V1, true);
	EQ(limit_check_strict(&host, &limits, &errors), 0);
	host = host_of(CGROUP_NONE, true);
	limits = limits_all(POLICY_UNLIMITED);
	EQ(limit_check_strict(&host, &limits, &errors), 0);
	limits = limits_all(1);
	limits.is_strict = false;
	EQ(limit_check_strict(&host, &limits, &errors), 0);
	EQ(errors.n_errors, 0);
	/* Zero is a value, not "none". */
	limits = limits_all(POLICY_UNLIMITED);
	limits.pids = 0;
	EQ(limit_check_strict(&host, &limits, &errors), -ERR_REFUSED);
	EQ(errors.n_errors, 1);
}

int main(void)
{
	RUN(every_limit_has_words_on_every_host);
	RUN(the_words_are_these);
	RUN(one_missing_controller_changes_one_limit);
	RUN(strict_refuses_what_is_not_whole_tree);
	RUN(strict_is_content_with_cgroups_and_with_limits_that_are_not_set);
	return tap_done();
}
