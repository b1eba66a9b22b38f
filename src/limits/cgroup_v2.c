/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_v2.c - version 2: creation and entry
 *
 *	<parent>/foso-<id>         controllers enabled for its children; no process
 *	<parent>/foso-<id>/agent   foso-init, without limits
 *	<parent>/foso-<id>/work    all limits; the commands
 *	<parent>/foso-<id>/work/c<N>   one command, so that it can be killed alone
 *
 * A group that enables a controller for its children may hold no process (the no-internal-process
 * rule).  work enables none for c<N>, so it may hold both: the limits are its own and count what
 * is in c<N>, and c<N> needs nothing but cgroup.kill.
 *
 * Whoever clones a process from agent into work must be allowed to write cgroup.procs of both and
 * of their common ancestor foso-<id>; these files are given to the sandbox's root.  With the mount
 * option nsdelegate, both groups must lie below the root of the cloner's cgroup namespace, too:
 * cgroup_namespace.c.
 *
 * Source: Documentation/admin-guide/cgroup-v2.rst of Linux, clone(2).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "limits/cgroup_private.h"

#define PIDS_MAX       4194304ULL /* PID_MAX_LIMIT of 64-bit Linux: more is "max" to the kernel */
#define CPUS_MAX_MILLI 8192000ULL /* NR_CPUS of the largest kernels: more is no limit */

static const struct {
	enum cgroup_controller controller;
	const char *word; /* as cgroup.subtree_control takes it */
} words[] = {
	{ CGROUP_MEMORY, "+memory" },
	{ CGROUP_PIDS, "+pids" },
	{ CGROUP_CPU, "+cpu" },
	{ CGROUP_IO, "+io" },
};

static void control_text(const struct cgroup *cgroup, char text[64])
{
	text[0] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		if (!cgroup->is_used[words[i].controller])
			continue;
		size_t used = strlen(text);
		(void)snprintf(text + used, 64 - used, "%s%s", used ? " " : "", words[i].word);
	}
}

static int system_failed(const char *path, const char *name, int errnum, const char *what,
			 struct error *err)
{
	char subject[CGROUP_PATH_BYTES + CGROUP_NAME_BYTES + 1];
	(void)snprintf(subject, sizeof(subject), "%s/%s", path, name);
	bool is_denied = errnum == EACCES || errnum == EPERM || errnum == EROFS;
	int result =
		error_set(err, is_denied ? ERR_DENIED : ERR_SYSTEM, errnum, subject, "%s", what);
	return error_remedy(err, result, "run 'foso doctor' to see what this host offers");
}

/* Opens the parent; makes it first where it is foso's own folder below the mount (root's case). */
static int parent_open(struct cgroup *cgroup, struct error *err)
{
	const char *path = cgroup->host.parent[0];
	int fd = openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		(void)mkdir(path, 0755); /* EEXIST: another foso was faster; the open tells */
		fd = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	}
	if (fd < 0)
		return system_failed(path, "", errno, "the cgroup cannot be opened", err);
	cgroup->parent_fd = fd;
	return 0;
}

static int group_make(struct cgroup *cgroup, struct error *err)
{
	char name[CGROUP_NAME_BYTES];
	cgroup_name(name, CGROUP_PREFIX, cgroup->id);
	int errnum = cgroup_dir_make(cgroup->parent_fd, name, &cgroup->group_fd);
	if (errnum == 0)
		return 0;
	fd_close(&cgroup->parent_fd); /* so that destroy leaves alone what is not ours */
	if (errnum != EEXIST)
		return system_failed(cgroup->host.parent[0], name, errnum,
				     "the cgroup cannot be made", err);
	char subject[CGROUP_PATH_BYTES + CGROUP_NAME_BYTES + 1];
	(void)snprintf(subject, sizeof(subject), "%s/%s", cgroup->host.parent[0], name);
	int result = error_set(err, ERR_EXISTS, 0, subject, "there is such a group already");
	return error_remedy(err, result, "run 'foso gc' or use another sandbox id");
}

/* The helper of cgroup_namespace_enter() has ended, but may still be on its way out. */
static int group_enable(const struct cgroup *cgroup, const char *text)
{
	uint64_t deadline_ns = cgroup_clock_ns() + CGROUP_KILL_NS;
	for (unsigned step = 0;; cgroup_nap(deadline_ns, &step)) {
		int errnum = cgroup_file_write(cgroup->group_fd, "cgroup.subtree_control", text);
		if (errnum != EBUSY || cgroup_clock_ns() >= deadline_ns)
			return errnum;
	}
}

/*
 * The controllers of a new group are those that its parent has enabled, which is so from the
 * second start on; so the cheap way is tried first, and the parent is only prepared if need be.
 */
static int controllers_enable(struct cgroup *cgroup, struct error *err)
{
	char text[64];
	control_text(cgroup, text);
	if (text[0] == '\0')
		return 0;
	int errnum = group_enable(cgroup, text);
	if (errnum == ENOENT) { /* "not in cgroup.controllers of this group" */
		errnum = cgroup_v2_prepare(&cgroup->host, cgroup->parent_fd, text);
		if (errnum == 0)
			errnum =
				cgroup_file_write(cgroup->group_fd, "cgroup.subtree_control", text);
	}
	if (errnum == 0)
		return 0;
	int result = system_failed(cgroup->host.parent[0], "cgroup.subtree_control", errnum,
				   "the controllers cannot be enabled", err);
	return error_remedy(err, result, "%s",
			    cgroup->host.remedy[0] ? cgroup->host.remedy : CGROUP_REMEDY_DELEGATE);
}

static int owner_set(const struct cgroup *cgroup, int dir_fd)
{
	if (cgroup->owner_uid == (uid_t)-1 || cgroup->owner_uid == geteuid())
		return 0;
	return fchownat(dir_fd, "cgroup.procs", cgroup->owner_uid, cgroup->owner_gid, 0) < 0 ? errno
											     : 0;
}

static int leaf_make(struct cgroup *cgroup, const char *name, int *ret_fd, struct error *err)
{
	int errnum = cgroup_dir_make(cgroup->group_fd, name, ret_fd);
	if (errnum == 0)
		errnum = owner_set(cgroup, *ret_fd);
	if (errnum == 0)
		return 0;
	return system_failed(cgroup->host.parent[0], cgroup->id, errnum,
			     "the groups below it cannot be made", err);
}

static int refuse(struct error *err, const char *field, int errnum, const char *file)
{
	int result = error_set(err, ERR_REFUSED, errnum, field,
			       "the kernel does not take this value for %s", file);
	return error_remedy(err, result,
			    "use a value within what the cgroup that foso runs in allows");
}

static int memory_limit(struct cgroup *cgroup, uint64_t bytes, struct error *err)
{
	int dir_fd = cgroup->dir_fd[0];
	int errnum = cgroup_file_write_u64(dir_fd, "memory.max", bytes);
	if (errnum != 0)
		return refuse(err, "limits.memory", errnum, "memory.max");
	errnum = cgroup_file_write(dir_fd, "memory.swap.max", "0");
	if (errnum != 0 && errnum != ENOENT)
		return refuse(err, "limits.memory", errnum, "memory.swap.max");
	if (errnum == ENOENT && access("/proc/swaps", F_OK) == 0)
		cgroup->host.has_swap_limit = false;
	errnum = cgroup_file_write(dir_fd, "memory.oom.group", "1");
	if (errnum != 0 &&
	    errnum != ENOENT) /* ENOENT: before Linux 4.19; foso ends the rest itself */
		return refuse(err, "limits.memory", errnum, "memory.oom.group");
	return 0;
}

static int cpu_limit(struct cgroup *cgroup, uint64_t cpus_milli, struct error *err)
{
	if (cpus_milli > CPUS_MAX_MILLI)
		return 0;
	/* The kernel takes no quota below 1 ms, so a tiny share needs the longest period: 1 s. */
	uint64_t period_us = cpus_milli < 10 ? 1000000 : 100000;
	char text[64];
	(void)snprintf(text, sizeof(text), "%llu %llu",
		       (unsigned long long)(cpus_milli * period_us / 1000),
		       (unsigned long long)period_us);
	int errnum = cgroup_file_write(cgroup->dir_fd[0], "cpu.max", text);
	return errnum == 0 ? 0 : refuse(err, "limits.cpus", errnum, "cpu.max");
}

static int limits_set(struct cgroup *cgroup, const struct policy_limits *limits, struct error *err)
{
	int result = 0;
	if (cgroup->is_used[CGROUP_MEMORY])
		result = memory_limit(cgroup, limits->memory_bytes, err);
	if (result == 0 && cgroup->is_used[CGROUP_PIDS] && limits->pids < PIDS_MAX) {
		int errnum = cgroup_file_write_u64(cgroup->dir_fd[0], "pids.max", limits->pids);
		if (errnum != 0)
			result = refuse(err, "limits.pids", errnum, "pids.max");
	}
	if (result == 0 && cgroup->is_used[CGROUP_CPU])
		result = cpu_limit(cgroup, limits->cpus_milli, err);
	return result;
}

int cgroup_v2_create(struct cgroup *cgroup, const struct cgroup_options *options, struct error *err)
{
	const struct policy_limits *limits = options->limits;
	const bool *has = cgroup->host.has;
	cgroup->is_used[CGROUP_MEMORY] =
		has[CGROUP_MEMORY] && limits->memory_bytes != POLICY_UNLIMITED;
	cgroup->is_used[CGROUP_PIDS] = has[CGROUP_PIDS] && limits->pids != POLICY_UNLIMITED;
	cgroup->is_used[CGROUP_CPU] = has[CGROUP_CPU] && limits->cpus_milli != POLICY_UNLIMITED;
	cgroup->is_used[CGROUP_IO] = has[CGROUP_IO] && options->needs_io;

	int result = parent_open(cgroup, err);
	if (result == 0)
		result = group_make(cgroup, err);
	if (result == 0 && owner_set(cgroup, cgroup->group_fd) != 0)
		result = system_failed(cgroup->host.parent[0], cgroup->id, errno,
				       "its cgroup.procs cannot be given to the sandbox", err);
	if (result == 0)
		result = leaf_make(cgroup, "agent", &cgroup->agent_fd, err);
	if (result == 0 && !options->is_staged)
		result = cgroup_v2_finish(cgroup, limits, err);
	return result;
}

int cgroup_v2_finish(struct cgroup *cgroup, const struct policy_limits *limits, struct error *err)
{
	if (cgroup->dir_fd[0] >= 0)
		return 0;
	int result = controllers_enable(cgroup, err);
	if (result == 0)
		result = leaf_make(cgroup, "work", &cgroup->dir_fd[0], err);
	if (result < 0)
		return result;
	cgroup->kill_fd = openat(cgroup->dir_fd[0], "cgroup.kill", O_WRONLY | O_CLOEXEC);
	cgroup->host.has_kill = cgroup->kill_fd >= 0;
	return limits_set(cgroup, limits, err);
}

int cgroup_v2_entry_open(struct cgroup *cgroup, unsigned command, struct cgroup_entry *ret,
			 struct error *err)
{
	char name[CGROUP_NAME_BYTES] = "work";
	int work_fd = cgroup->dir_fd[0];
	int errnum = 0;
	if (command == 0) {
		ret->clone_fd = fcntl(work_fd, F_DUPFD_CLOEXEC, 0);
		errnum = ret->clone_fd < 0 ? errno : 0;
	} else {
		cgroup_command_name(name, command);
		errnum = cgroup_dir_make(work_fd, name, &ret->clone_fd);
		if (errnum == EEXIST) {
			ret->clone_fd = cgroup_dir_open(work_fd, name);
			errnum = ret->clone_fd < 0 ? errno : 0;
		}
		if (errnum == 0)
			errnum = owner_set(cgroup, ret->clone_fd);
	}
	if (errnum == 0)
		return 0;
	return system_failed(cgroup->id, name, errnum, "the cgroup cannot be made or entered", err);
}
