/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_namespace.c - a cgroup namespace that begins at foso-<id>
 *
 * Where the tree is mounted with nsdelegate (systemd does it), a process can be cloned into a
 * group only if both its parent's group and the new one lie below the root of its parent's cgroup
 * namespace.  So the namespace of foso-init has to begin at the common ancestor of agent and work.
 * A namespace begins where its maker is at that moment; but foso-init must not be in foso-<id>,
 * which holds no process once it has enabled controllers, and moving it from there costs
 * milliseconds (a write to cgroup.procs waits for all processors).
 *
 * So a helper is born there, makes the namespace, leaves its descriptor in the shared table and
 * ends; foso-init enters by the descriptor.  Only then are the controllers enabled: that is why
 * cgroup_create() can stop half-way (is_staged).
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "limits/cgroup.h"

/* In the helper: shares its parent's descriptors, so @target_fd is replaced for both. */
static int namespace_make(int target_fd)
{
	if (unshare(CLONE_NEWCGROUP) < 0)
		return errno;
	int fd = open("/proc/thread-self/ns/cgroup", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	int errnum = dup3(fd, target_fd, O_CLOEXEC) < 0 ? errno : 0;
	close(fd);
	return errnum;
}

int cgroup_namespace_start(int group_fd, struct cgroup_namespace *ret)
{
	*ret = (struct cgroup_namespace){ .pid = -1, .fd = -1 };
	if (group_fd < 0)
		return unshare(CLONE_NEWCGROUP) < 0 ? errno : 0;

	auto_fd int fd = fcntl(group_fd, F_DUPFD_CLOEXEC, 0); /* a number of our own */
	if (fd < 0)
		return errno;
	struct clone_args args = {
		.flags = (__u64)CLONE_INTO_CGROUP | CLONE_FILES,
		.exit_signal = SIGCHLD,
		.cgroup = (__u64)group_fd,
	};
	pid_t pid = (pid_t)sys_clone3(&args);
	if (pid == 0)
		_exit(namespace_make(fd));
	if (pid < 0)
		return errno;
	ret->pid = pid;
	ret->fd = take_fd(&fd);
	return 0;
}

int cgroup_namespace_enter(struct cgroup_namespace *namespace)
{
	if (namespace->pid < 0)
		return 0;
	int status;
	while (waitpid(namespace->pid, &status, 0) < 0) {
		if (errno != EINTR)
			return errno;
	}
	namespace->pid = -1;
	auto_fd int fd = take_fd(&namespace->fd);
	if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
		return WIFEXITED(status) ? WEXITSTATUS(status) : ECHILD;
	return setns(fd, CLONE_NEWCGROUP) < 0 ? errno : 0;
}
