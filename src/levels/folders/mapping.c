/* SPDX-License-Identifier: Apache-2.0 */
/* mapping.c - whose files a mount shows: one id of the host as one id inside */
#include "levels/folders/mapping.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"

static int write_map(pid_t pid, const char *which, unsigned inside, unsigned outside)
{
	char path[64], text[64];
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, which);
	int len = snprintf(text, sizeof(text), "%u %u 1", inside, outside);
	auto_fd int fd = openat(AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, text, (size_t)len) != len ? -errno : 0;
}

/*
 * A user namespace exists only through a process, so one is made, held until its namespace is
 * open, and ended.  Returns the namespace's descriptor or -errno.
 */
int mapping_make(uid_t host_uid, gid_t host_gid, uid_t inner_uid, gid_t inner_gid)
{
	struct clone_args args = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
	char path[64];
	int status;
	pid_t parent = getpid();
	pid_t pid = (pid_t)sys_clone3(&args);
	if (pid == 0) {
		/* It must not outlive us, and we may be gone already. */
		if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
			_exit(1);
		for (;;)
			pause();
	}
	if (pid < 0)
		return -errno;
	int r = write_map(pid, "uid_map", host_uid, inner_uid);
	if (r == 0)
		r = write_map(pid, "gid_map", host_gid, inner_gid);
	if (r == 0) {
		(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)pid);
		r = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
		r = r < 0 ? -errno : r;
	}
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, &status, 0);
	return r;
}

int mapping_apply(int tree, int mapping_fd)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_IDMAP,
				   .userns_fd = (unsigned)mapping_fd };
	return sys_mount_setattr(tree, "", AT_EMPTY_PATH, &attr) < 0 ? -errno : 0;
}
