/* SPDX-License-Identifier: Apache-2.0 */
/*
 * watch.c - the limits that the kernel counts but does not tell, by a timer
 *
 * CPU time of the tree (the kernel counts it in the control group), memory and CPU time where
 * no control group is delegated, and the scratch being full.  The timer runs at 100 ms, and
 * earlier when the CPU limit can be reached earlier.
 */
#include <errno.h>
#include <string.h>
#include <sys/timerfd.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "levels/process/events.h"

#define WATCH_PERIOD_NS      100000000ull
#define WATCH_TREE_PERIOD_NS 25000000ull
#define FULL_BLOCKS          16 /* ext4 refuses the last few, which the map of a file may take */

static uint64_t next_period_ns(struct process *process, uint64_t cpu_ns)
{
	const struct policy_limits *limits = &process->setup.policy->limits;
	uint64_t period = process->has_cgroup ? WATCH_PERIOD_NS : WATCH_TREE_PERIOD_NS;
	if (limits->cpu_time_ns != POLICY_UNLIMITED && cpu_ns < limits->cpu_time_ns)
		period = MIN(period, (limits->cpu_time_ns - cpu_ns) / process->setup.n_cpus);
	return MAX(period, (uint64_t)1000000);
}

static void arm(struct process *process, uint64_t period_ns)
{
	struct itimerspec timer = { .it_value = { (time_t)(period_ns / 1000000000),
						  (long)(period_ns % 1000000000) } };
	(void)timerfd_settime(process->watch_fd, 0, &timer, NULL);
}

int process_watch_open(struct process *process, struct error *err)
{
	process->watch_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
	if (process->watch_fd < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, "limits", "no timer");
		return error_remedy(err, r, "raise the limit of open files");
	}
	arm(process, next_period_ns(process, 0));
	return 0;
}

static int reached(struct level_event *ret, enum end_reason reason, const char *limit)
{
	ret->type = LEVEL_EVENT_LIMIT;
	ret->reason = reason;
	ret->limit = limit;
	return 1;
}

void process_scratch_usage(const struct process *process, uint64_t *ret_bytes, uint64_t *ret_inodes)
{
	struct statfs status;
	*ret_bytes = process->disk_end_bytes;
	*ret_inodes = process->disk_end_inodes;
	if (process->scratch_fd < 0 || fstatfs(process->scratch_fd, &status) < 0)
		return;
	*ret_bytes = ((uint64_t)status.f_blocks - status.f_bfree) * (uint64_t)status.f_bsize;
	*ret_inodes = (uint64_t)status.f_files - status.f_ffree;
}

void process_scratch_learn(struct process *process)
{
	struct statfs status;
	if (process->scratch_fd < 0 || fstatfs(process->scratch_fd, &status) < 0)
		return;
	uint64_t unit = (uint64_t)status.f_bsize, limit = process->setup.scratch_bytes;
	uint64_t n_own = (uint64_t)status.f_blocks - (limit + unit - 1) / unit;
	process->own_bytes = n_own * unit;
	process->own_inodes = (uint64_t)status.f_files - process->setup.scratch_inodes;
}

void process_scratch_let_go(struct process *process)
{
	process_scratch_usage(process, &process->disk_end_bytes, &process->disk_end_inodes);
	fd_close(&process->scratch_fd);
}

bool process_counts_cpu(const struct process *process)
{
	return process->has_cgroup &&
	       (process->host.version == CGROUP_V2 || process->cgroup.is_used[CGROUP_CPUACCT]);
}

static int check_tree(struct process *process, struct tree_usage *now, struct level_event *ret)
{
	const struct policy_limits *limits = &process->setup.policy->limits;
	uint64_t scratch_bytes, scratch_inodes;
	tree_usage_read(process->pid, now);
	/* What the sandbox wrote is memory too. */
	process_scratch_usage(process, &scratch_bytes, &scratch_inodes);
	now->memory_bytes += scratch_bytes - MIN(scratch_bytes, process->own_bytes);
	process->tree_peak.cpu_ns = MAX(process->tree_peak.cpu_ns, now->cpu_ns);
	process->tree_peak.memory_bytes = MAX(process->tree_peak.memory_bytes, now->memory_bytes);
	process->tree_peak.pids = MAX(process->tree_peak.pids, now->pids);
	bool has_memory = process->has_cgroup && process->cgroup.is_used[CGROUP_MEMORY];
	if (!has_memory && now->memory_bytes > limits->memory_bytes)
		return reached(ret, END_MEMORY, "limits.memory");
	return 0;
}

static int disk_is_full(struct process *process, bool of_inodes, struct level_event *ret)
{
	process->was_disk_full = process->was_disk_full || !of_inodes;
	process->was_disk_full_of_inodes = process->was_disk_full_of_inodes || of_inodes;
	return reached(ret, END_DISK, of_inodes ? "limits.disk_inodes" : "limits.disk");
}

static int check_scratch(struct process *process, struct level_event *ret)
{
	struct statfs status;
	const struct changes *changes = &process->attach.changes;
	if (process->attach.has_changes && changes->record.mechanism == CHANGES_DISK &&
	    changes->tree_fd >= 0 && fstatfs(changes->tree_fd, &status) == 0 &&
	    (status.f_bavail < FULL_BLOCKS || status.f_ffree == 0))
		return disk_is_full(process, status.f_ffree == 0, ret);
	if (process->scratch_fd < 0 || fstatfs(process->scratch_fd, &status) < 0)
		return 0;
	/* A limit of nothing is always reached, which tells of no refusal. */
	uint64_t bytes, inodes;
	process_scratch_usage(process, &bytes, &inodes);
	if (status.f_bfree == 0 && bytes > process->own_bytes)
		return disk_is_full(process, false, ret);
	if (status.f_ffree == 0 && inodes > process->own_inodes)
		return disk_is_full(process, true, ret);
	return 0;
}

/*
 * Without a control group nobody tells of a refused fork; that a tree has all that it may have is
 * told instead.
 */
static int check_pids(const struct process *process, const struct tree_usage *now,
		      struct level_event *ret)
{
	uint64_t limit = process->setup.policy->limits.pids;
	bool has_pids = process->has_cgroup && process->cgroup.is_used[CGROUP_PIDS];
	if (has_pids || limit == POLICY_UNLIMITED || now->pids < limit)
		return 0;
	ret->is_used_up = true;
	return reached(ret, END_PIDS, "limits.pids");
}

int process_watch_check(struct process *process, struct level_event *ret)
{
	const struct policy_limits *limits = &process->setup.policy->limits;
	struct tree_usage tree = { 0 };
	uint64_t expirations, cpu_ns = 0;
	(void)!read(process->watch_fd, &expirations, sizeof(expirations));
	bool has_memory = process->has_cgroup && process->cgroup.is_used[CGROUP_MEMORY];
	bool counts_cpu = process_counts_cpu(process);
	int r = 0;
	if (!has_memory || !counts_cpu)
		r = check_tree(process, &tree, ret);
	if (r == 0 && limits->cpu_time_ns != POLICY_UNLIMITED) {
		cpu_ns = counts_cpu ? cgroup_cpu_ns(&process->cgroup) : tree.cpu_ns;
		if (cpu_ns >= limits->cpu_time_ns)
			r = reached(ret, END_CPU, "limits.cpu_time");
	}
	if (r == 0)
		r = check_scratch(process, ret);
	/* Last: it ends nothing, and must not keep the others from being looked at. */
	if (r == 0)
		r = check_pids(process, &tree, ret);
	arm(process, next_period_ns(process, cpu_ns));
	return r;
}
