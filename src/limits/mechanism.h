/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mechanism.h - by what each limit is held on this host, for doctor, evidence and strict
 */
#pragma once

#include "limits/cgroup.h"

/* In the order of the table in limit_table.h. */
enum limit_id {
	LIMIT_WALL,
	LIMIT_CPU_TIME,
	LIMIT_CPUS,
	LIMIT_MEMORY,
	LIMIT_PIDS,
	LIMIT_DISK,
	LIMIT_DISK_INODES,
	LIMIT_FILES,
	LIMIT_FILE_SIZE,
	LIMIT_OUTPUT,
	LIMIT_N
};

struct limit_mechanism {
	const char *field;  /* "limits.memory" */
	const char *name;   /* "cgroup v2 memory.max", "RLIMIT_DATA per process, watchdog over the
			       tree" */
	bool is_whole_tree; /* the kernel itself holds it for the whole tree (or it is a limit of
			       one process by definition, as files and file_size are) */
	const char *remedy; /* what makes it whole-tree; "" if it is */
};

/* limit_mechanism_get() - constant record; never NULL. */
const struct limit_mechanism *limit_mechanism_get(const struct cgroup_host *host,
						  enum limit_id limit);

/*
 * limit_check_strict() - limits.strict: refuse each set limit that is not whole-tree here
 *
 * One -ERR_REFUSED item per limit: field, mechanism, remedy.  Does nothing unless is_strict.
 */
int limit_check_strict(const struct cgroup_host *host, const struct policy_limits *limits,
		       struct error_list *errors) must_check;

/*
 * tree_usage_read() - CPU, memory and processes of a process tree, from /proc
 * @root:  host pid of foso-init; itself not counted
 *
 * For hosts without a usable cgroup.  Follows children files; a process that was orphaned is
 * found below foso-init, its reaper.  Bounded: at most 4096 processes and 16384 threads are
 * visited.  What tree.c says it cannot see is not seen.  Never fails: a tree that has ended uses
 * nothing but the CPU time that its root has waited for.
 */
struct tree_usage {
	uint64_t cpu_ns;       /* in steps of 10 ms; children that were waited for included */
	uint64_t memory_bytes; /* private, shared and swapped out; no file pages */
	uint64_t pids;         /* processes and threads */
	bool is_whole; /* false: bound met, root gone, or no children files in this kernel */
};
void tree_usage_read(pid_t root, struct tree_usage *ret);
