/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_v2_use.c - version 2: preparing the parent, counters, events, killing and removal */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "limits/cgroup_private.h"

#define SELF_ROUNDS 8 /* of moving processes that appear meanwhile */

/*
 * The processes that stand in the way of enabling controllers go one level down.  This is done in
 * groups alone that were delegated to the caller, where it is the expected thing: a manager of its
 * own groups in there has moved away long ago, for the same rule binds it.
 */
static int processes_move(int parent_fd)
{
	int errnum = mkdirat(parent_fd, CGROUP_SELF, 0755) < 0 ? errno : 0;
	if (errnum != 0 && errnum != EEXIST)
		return errnum;
	auto_fd int self_fd = cgroup_dir_open(parent_fd, CGROUP_SELF);
	if (self_fd < 0)
		return errno;
	for (unsigned round = 0; round < SELF_ROUNDS; round++) {
		pid_t pids[256];
		size_t n = MIN(cgroup_dir_pids(parent_fd, pids, ARRAY_LEN(pids)), ARRAY_LEN(pids));
		if (n == 0)
			return 0;
		for (size_t i = 0; i < n; i++) {
			errnum = cgroup_file_write_u64(self_fd, "cgroup.procs", (uint64_t)pids[i]);
			if (errnum != 0 && errnum != ESRCH) /* ESRCH: it has ended meanwhile */
				return errnum;
		}
	}
	return EBUSY;
}

static int parent_enable(int parent_fd, const char *controllers)
{
	int errnum = cgroup_file_write(parent_fd, "cgroup.subtree_control", controllers);
	if (errnum != EBUSY)
		return errnum;
	errnum = processes_move(parent_fd);
	return errnum != 0 ? errnum
			   : cgroup_file_write(parent_fd, "cgroup.subtree_control", controllers);
}

int cgroup_v2_prepare(const struct cgroup_host *host, int parent_fd, const char *controllers)
{
	int errnum = parent_enable(parent_fd, controllers);
	if (errnum != ENOENT ||
	    strcmp(host->parent[0] + host->mount_len[0], CGROUP_ROOT_PARENT) != 0)
		return errnum;
	/* foso's own folder below the mount: the root of the tree has to enable them first.  It is
	   exempt from the no-internal-process rule. */
	char mount[CGROUP_PATH_BYTES];
	(void)snprintf(mount, sizeof(mount), "%.*s", (int)host->mount_len[0], host->parent[0]);
	auto_fd int mount_fd = open(mount, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (mount_fd < 0)
		return errno;
	errnum = cgroup_file_write(mount_fd, "cgroup.subtree_control", controllers);
	return errnum != 0 ? errnum : parent_enable(parent_fd, controllers);
}

static uint64_t file_u64(int dir_fd, const char *name)
{
	char text[64];
	(void)cgroup_file_read(dir_fd, name, text, sizeof(text));
	return cgroup_text_u64(text);
}

/* Through the watched descriptor if there is one: reading it rearms its poll. */
static uint64_t event_key(int event_fd, int dir_fd, const char *name, const char *key)
{
	char text[512];
	if (event_fd >= 0)
		(void)cgroup_fd_read(event_fd, text, sizeof(text));
	else
		(void)cgroup_file_read(dir_fd, name, text, sizeof(text));
	return cgroup_text_key(text, key);
}

/* cpu.stat counts usage_usec even where the cpu controller is not enabled. */
static uint64_t v2_cpu_ns(struct cgroup *cgroup)
{
	if (cgroup->cpu_fd < 0)
		cgroup->cpu_fd = openat(cgroup->dir_fd[0], "cpu.stat", O_RDONLY | O_CLOEXEC);
	char text[512];
	if (cgroup->cpu_fd < 0 || cgroup_fd_read(cgroup->cpu_fd, text, sizeof(text)) == 0)
		return 0;
	return cgroup_text_key(text, "usage_usec") * 1000;
}

/* Lines "MAJOR:MINOR rbytes=N wbytes=N ...", one per device. */
static void io_usage(int dir_fd, struct cgroup_usage *ret)
{
	char text[4096];
	(void)cgroup_file_read(dir_fd, "io.stat", text, sizeof(text));
	for (const char *word = text; (word = strstr(word, "rbytes=")); word += 7)
		ret->io_read_bytes += cgroup_text_u64(word + 7);
	for (const char *word = text; (word = strstr(word, "wbytes=")); word += 7)
		ret->io_write_bytes += cgroup_text_u64(word + 7);
}

static void v2_hits_read(struct cgroup *cgroup, struct cgroup_usage *ret)
{
	int dir_fd = cgroup->dir_fd[0];
	if (cgroup->is_used[CGROUP_MEMORY])
		ret->oom_kills =
			event_key(cgroup->memory_event_fd, dir_fd, "memory.events", "oom_kill");
	if (cgroup->is_used[CGROUP_PIDS])
		ret->pids_refused = event_key(cgroup->pids_event_fd, dir_fd, "pids.events", "max");
}

static void v2_usage_read(struct cgroup *cgroup, struct cgroup_usage *ret)
{
	int dir_fd = cgroup->dir_fd[0];
	v2_hits_read(cgroup, ret);
	ret->cpu_ns = v2_cpu_ns(cgroup);
	if (cgroup->is_used[CGROUP_MEMORY])
		ret->memory_peak_bytes = file_u64(dir_fd, "memory.peak");
	if (cgroup->is_used[CGROUP_PIDS])
		ret->pids_peak = file_u64(dir_fd, "pids.peak");
	if (cgroup->is_used[CGROUP_IO])
		io_usage(dir_fd, ret);
}

static int watch_file(int dir_fd, const char *name, int epoll_fd, uint64_t tag, int *ret_fd)
{
	auto_fd int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	char text[512];
	(void)cgroup_fd_read(fd, text, sizeof(text)); /* it counts as changed until it was read */
	struct epoll_event event = { .events = EPOLLPRI, .data = { .u64 = tag } };
	if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0)
		return errno;
	*ret_fd = take_fd(&fd);
	return 0;
}

static int v2_watch(struct cgroup *cgroup, int epoll_fd, uint64_t tag, struct error *err)
{
	int errnum = 0;
	if (cgroup->is_used[CGROUP_MEMORY])
		errnum = watch_file(cgroup->dir_fd[0], "memory.events", epoll_fd, tag,
				    &cgroup->memory_event_fd);
	if (errnum == 0 && cgroup->is_used[CGROUP_PIDS])
		errnum = watch_file(cgroup->dir_fd[0], "pids.events", epoll_fd, tag,
				    &cgroup->pids_event_fd);
	if (errnum == 0)
		return 0;
	int result = error_set(err, ERR_SYSTEM, errnum, cgroup->id,
			       "the events of its cgroups cannot be watched");
	return error_remedy(err, result, "run 'foso doctor' to see what this host offers");
}

static int v2_command_open(struct cgroup *cgroup, unsigned command)
{
	if (command == 0)
		return fcntl(cgroup->dir_fd[0], F_DUPFD_CLOEXEC, 0);
	char name[CGROUP_NAME_BYTES];
	cgroup_command_name(name, command);
	return cgroup_dir_open(cgroup->dir_fd[0], name);
}

static int v2_kill(struct cgroup *cgroup, unsigned command, struct error *err)
{
	if (command == 0 && cgroup->kill_fd >= 0 && write(cgroup->kill_fd, "1", 1) == 1)
		return 0;
	auto_fd int dir_fd = v2_command_open(cgroup, command);
	if (dir_fd < 0)
		return 0; /* the command never started or is gone */
	if (cgroup_file_write(dir_fd, "cgroup.kill", "1") == 0)
		return 0;
	/* Before Linux 5.14.  The freezer of version 2 lets a killed process die while frozen. */
	bool is_frozen = cgroup_file_write(dir_fd, "cgroup.freeze", "1") == 0;
	int errnum = cgroup_tree_kill(dir_fd, cgroup_clock_ns() + CGROUP_KILL_NS);
	if (is_frozen)
		(void)cgroup_file_write(dir_fd, "cgroup.freeze", "0");
	if (errnum == 0)
		return 0;
	int result = error_set(err, ERR_TIMEOUT, 0, cgroup->id, "its processes fork too fast");
	return error_remedy(err, result, "set limits.pids, which holds them");
}

static int v2_command_remove(struct cgroup *cgroup, unsigned command)
{
	char name[CGROUP_NAME_BYTES];
	cgroup_command_name(name, command);
	if (unlinkat(cgroup->dir_fd[0], name, AT_REMOVEDIR) == 0)
		return 0;
	return errno == EBUSY ? EBUSY : 0;
}

static bool v2_destroy(struct cgroup *cgroup, uint64_t deadline_ns, struct error_list *leftovers)
{
	if (cgroup->parent_fd < 0)
		return true;
	char name[CGROUP_NAME_BYTES];
	cgroup_name(name, CGROUP_PREFIX, cgroup->id);
	/* The usual case first: the three that were made, without looking for more. */
	if (cgroup->group_fd >= 0) {
		(void)unlinkat(cgroup->group_fd, "work", AT_REMOVEDIR);
		(void)unlinkat(cgroup->group_fd, "agent", AT_REMOVEDIR);
	}
	int errnum = cgroup_tree_remove(cgroup->parent_fd, name, deadline_ns);
	if (errnum != 0)
		cgroup_leftover(leftovers, cgroup->host.parent[0], name, errnum);
	return errnum == 0;
}

static int v2_reclaim(int parent_fd, const char *name, uint64_t deadline_ns)
{
	auto_fd int dir_fd = cgroup_dir_open(parent_fd, name);
	if (dir_fd < 0)
		return errno == ENOENT ? 0 : errno;
	if (cgroup_file_write(dir_fd, "cgroup.kill", "1") != 0)
		(void)cgroup_tree_kill(dir_fd, deadline_ns);
	return cgroup_tree_remove(parent_fd, name, deadline_ns);
}

const struct cgroup_ops cgroup_v2_ops = {
	.create = cgroup_v2_create,
	.finish = cgroup_v2_finish,
	.entry_open = cgroup_v2_entry_open,
	.hits_read = v2_hits_read,
	.usage_read = v2_usage_read,
	.cpu_ns = v2_cpu_ns,
	.watch = v2_watch,
	.kill = v2_kill,
	.command_open = v2_command_open,
	.command_remove = v2_command_remove,
	.destroy = v2_destroy,
	.reclaim = v2_reclaim,
};
