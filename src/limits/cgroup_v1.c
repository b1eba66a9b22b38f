/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_v1.c - version 1: one group per controller, each in a hierarchy of its own: creation
 *
 * Source of the file formats: Documentation/admin-guide/cgroup-v1/ of Linux.  Controllers that
 * are mounted together (cpu,cpuacct) share one group: the first of them owns it, and
 * cgroup_v1_alias() finds the owner.  Every step costs tens of microseconds per hierarchy, so a
 * hierarchy that no limit needs is not touched.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "limits/cgroup_private.h"

#define PIDS_MAX         4194304ULL /* PID_MAX_LIMIT of 64-bit Linux: more is "max" to the kernel */
#define SOCKET_BYTES_MIN 1048576ULL /* enough for some connections within the sandbox */
#define CPUS_MAX_MILLI   8192000ULL /* NR_CPUS of the largest kernels: more is no limit */

/* The controller whose group this one shares, or itself. */
size_t cgroup_v1_alias(const struct cgroup *cgroup, size_t controller)
{
	for (size_t i = 0; i < controller; i++) {
		if (cgroup->is_used[i] &&
		    strcmp(cgroup->host.parent[i], cgroup->host.parent[controller]) == 0)
			return i;
	}
	return controller;
}

int cgroup_v1_dir(const struct cgroup *cgroup, enum cgroup_controller controller)
{
	return cgroup->is_used[controller] ? cgroup->dir_fd[cgroup_v1_alias(cgroup, controller)]
					   : -1;
}

/* A look at the whole path costs less than opening and closing the folder above. */
void cgroup_v1_group_path(const struct cgroup *cgroup, size_t controller,
			  char path[CGROUP_GROUP_PATH_BYTES])
{
	(void)snprintf(path, CGROUP_GROUP_PATH_BYTES, "%s/" CGROUP_PREFIX "%s",
		       cgroup->host.parent[controller], cgroup->id);
}

static int make_failed(const char *subject, int errnum, struct error *err)
{
	if (errnum == EEXIST) {
		int result =
			error_set(err, ERR_EXISTS, 0, subject, "there is such a group already");
		return error_remedy(err, result, "run 'foso gc' or use another sandbox id");
	}
	bool is_denied = errnum == EACCES || errnum == EPERM || errnum == EROFS;
	int result = error_set(err, is_denied ? ERR_DENIED : ERR_SYSTEM, errnum, subject,
			       "the cgroup cannot be made");
	return error_remedy(err, result, "run 'foso doctor' to see what this host offers");
}

static int group_make(struct cgroup *cgroup, enum cgroup_controller controller, struct error *err)
{
	cgroup->is_used[controller] = true;
	if (cgroup_v1_alias(cgroup, controller) != controller)
		return 0;
	char path[CGROUP_GROUP_PATH_BYTES];
	cgroup_v1_group_path(cgroup, controller, path);
	int errnum = cgroup_dir_make(AT_FDCWD, path, &cgroup->dir_fd[controller]);
	return errnum == 0 ? 0 : make_failed(path, errnum, err);
}

static int refuse(struct error *err, const char *field, int errnum, const char *file)
{
	int result = error_set(err, ERR_REFUSED, errnum, field,
			       "the kernel does not take this value for %s", file);
	return error_remedy(err, result,
			    "use a value within what the cgroup that foso runs in allows");
}

/*
 * What TCP and UDP buffer is no part of memory.limit_in_bytes on version 1: it has a counter of
 * its own, and counts at all only once that has a limit.  (On version 2 it is part of memory.max.)
 * Beyond it the kernel still gives each socket some pages, so many sockets can have more.
 */
static void socket_memory_limit(int dir_fd, uint64_t bytes)
{
	(void)cgroup_file_write_u64(dir_fd, "memory.kmem.tcp.limit_in_bytes",
				    MAX(bytes / 8, SOCKET_BYTES_MIN));
}

/* A new group is without limits, so memory is lowered before memory+swap, which may not be less. */
static int memory_limit(struct cgroup *cgroup, uint64_t bytes, struct error *err)
{
	int dir_fd = cgroup_v1_dir(cgroup, CGROUP_MEMORY);
	int errnum = cgroup_file_write_u64(dir_fd, "memory.limit_in_bytes", bytes);
	if (errnum != 0)
		return refuse(err, "limits.memory", errnum, "memory.limit_in_bytes");
	socket_memory_limit(dir_fd, bytes);
	if (!cgroup->host.has_swap_limit) {
		/* The next best: the group's anonymous memory is not swapped out. */
		(void)cgroup_file_write(dir_fd, "memory.swappiness", "0");
		return 0;
	}
	errnum = cgroup_file_write_u64(dir_fd, "memory.memsw.limit_in_bytes", bytes);
	return errnum == 0 ? 0
			   : refuse(err, "limits.memory", errnum, "memory.memsw.limit_in_bytes");
}

static int pids_limit(struct cgroup *cgroup, uint64_t pids, struct error *err)
{
	if (pids >= PIDS_MAX)
		return 0; /* a new group is at "max" */
	int errnum = cgroup_file_write_u64(cgroup_v1_dir(cgroup, CGROUP_PIDS), "pids.max", pids);
	return errnum == 0 ? 0 : refuse(err, "limits.pids", errnum, "pids.max");
}

/* True if an ancestor's quota is tighter already: then the kernel refuses ours, rightly. */
static bool quota_is_tighter_above(const struct cgroup *cgroup, uint64_t cpus_milli)
{
	char text[32];
	auto_fd int parent_fd =
		openat(AT_FDCWD, cgroup->host.parent[CGROUP_CPU], O_PATH | O_DIRECTORY | O_CLOEXEC);
	(void)cgroup_file_read(parent_fd, "cpu.cfs_quota_us", text, sizeof(text));
	uint64_t quota_us = cgroup_text_u64(text); /* "-1" reads as 0: none */
	(void)cgroup_file_read(parent_fd, "cpu.cfs_period_us", text, sizeof(text));
	uint64_t period_us = cgroup_text_u64(text);
	return quota_us > 0 && period_us > 0 && quota_us < UINT64_MAX / 1000 &&
	       quota_us * 1000 / period_us <= cpus_milli;
}

static int cpu_limit(struct cgroup *cgroup, uint64_t cpus_milli, struct error *err)
{
	if (cpus_milli > CPUS_MAX_MILLI)
		return 0;
	/* The kernel takes no quota below 1 ms, so a tiny share needs the longest period: 1 s. */
	uint64_t period_us = cpus_milli < 10 ? 1000000 : 100000;
	int dir_fd = cgroup_v1_dir(cgroup, CGROUP_CPU);
	int errnum = 0;
	if (period_us != 100000)
		errnum = cgroup_file_write_u64(dir_fd, "cpu.cfs_period_us", period_us);
	if (errnum == 0)
		errnum = cgroup_file_write_u64(dir_fd, "cpu.cfs_quota_us",
					       cpus_milli * period_us / 1000);
	if (errnum == 0 || (errnum == EINVAL && quota_is_tighter_above(cgroup, cpus_milli)))
		return 0;
	return refuse(err, "limits.cpus", errnum, "cpu.cfs_quota_us");
}

/*
 * Newer kernels (seen with 6.1 and 6.18) count nothing until a device is given a throttle rule,
 * which foso does not do.  Then not even the root of the hierarchy has a sum, and a group there
 * would cost time for nothing.
 */
static kept_apart bool io_is_counted(const struct cgroup_host *host)
{
	char path[CGROUP_PATH_BYTES + 64], text[8192];
	(void)snprintf(path, sizeof(path), "%.*s/blkio.throttle.io_service_bytes",
		       (int)host->mount_len[CGROUP_IO], host->parent[CGROUP_IO]);
	(void)cgroup_file_read(AT_FDCWD, path, text, sizeof(text));
	return cgroup_text_key(text, "Total") > 0;
}

int cgroup_v1_create(struct cgroup *cgroup, const struct cgroup_options *options, struct error *err)
{
	const struct policy_limits *limits = options->limits;
	const bool is_wanted[CGROUP_N_CONTROLLERS] = {
		[CGROUP_MEMORY] = limits->memory_bytes != POLICY_UNLIMITED,
		[CGROUP_PIDS] = limits->pids != POLICY_UNLIMITED,
		[CGROUP_CPU] = limits->cpus_milli != POLICY_UNLIMITED,
		[CGROUP_CPUACCT] = limits->cpu_time_ns != POLICY_UNLIMITED || options->needs_cpu,
		[CGROUP_FREEZER] = options->needs_kill,
		[CGROUP_IO] = options->needs_io && cgroup->host.has[CGROUP_IO] &&
			      io_is_counted(&cgroup->host),
	};
	int result = 0;
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS && result == 0; i++) {
		if (is_wanted[i] && cgroup->host.has[i])
			result = group_make(cgroup, (enum cgroup_controller)i, err);
	}
	if (result == 0 && is_wanted[CGROUP_MEMORY] && cgroup->is_used[CGROUP_MEMORY])
		result = memory_limit(cgroup, limits->memory_bytes, err);
	if (result == 0 && is_wanted[CGROUP_PIDS] && cgroup->is_used[CGROUP_PIDS])
		result = pids_limit(cgroup, limits->pids, err);
	if (result == 0 && is_wanted[CGROUP_CPU] && cgroup->is_used[CGROUP_CPU])
		result = cpu_limit(cgroup, limits->cpus_milli, err);
	return result;
}

static int entry_failed(const char *file, int errnum, struct error *err)
{
	int result = error_set(err, ERR_SYSTEM, errnum, file, "the cgroup cannot be entered");
	return error_remedy(err, result, "run 'foso doctor' to see what this host offers");
}

static int entry_add(struct cgroup_entry *entry, int dir_fd, struct error *err)
{
	int fd = openat(dir_fd, "tasks", O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return entry_failed("tasks", errno, err);
	entry->task_fds[entry->n_task_fds++] = fd;
	return 0;
}

/* The command's own group in the freezer hierarchy; made by the first call for it. */
static int command_add(struct cgroup *cgroup, unsigned command, struct cgroup_entry *entry,
		       struct error *err)
{
	char name[CGROUP_NAME_BYTES];
	cgroup_command_name(name, command);
	int freezer_fd = cgroup_v1_dir(cgroup, CGROUP_FREEZER);
	auto_fd int dir_fd = -1;
	int errnum = cgroup_dir_make(freezer_fd, name, &dir_fd);
	if (errnum == EEXIST) {
		dir_fd = cgroup_dir_open(freezer_fd, name);
		errnum = dir_fd < 0 ? errno : 0;
	}
	return errnum == 0 ? entry_add(entry, dir_fd, err) : entry_failed(name, errnum, err);
}

int cgroup_v1_entry_open(struct cgroup *cgroup, unsigned command, struct cgroup_entry *ret,
			 struct error *err)
{
	int result = 0;
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS && result == 0; i++) {
		if (!cgroup->is_used[i] || cgroup_v1_alias(cgroup, i) != i)
			continue;
		bool is_command = command > 0 && i == cgroup_v1_alias(cgroup, CGROUP_FREEZER) &&
				  cgroup->is_used[CGROUP_FREEZER];
		result = is_command ? command_add(cgroup, command, ret, err)
				    : entry_add(ret, cgroup->dir_fd[i], err);
	}
	return result;
}
