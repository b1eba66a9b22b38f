/* SPDX-License-Identifier: Apache-2.0 */
/*
 * restrict.c - what the monitor gives up once its sandbox stands
 *
 * From now on it only waits, carries bytes, ends the sandbox, and writes the evidence.  It keeps
 * the few system calls of the "monitor" profile, so it can make no process, mount or socket;
 * write access to three folders (control groups, run directory, evidence); and, started by root,
 * two capabilities: to signal the sandbox's ids, and to remove groups below a folder whose mode
 * forbids even its owner to write (the roots of the v1 hierarchies are 0555).  With a session a
 * third one, to give away the groups of later commands.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "confine/confine.h"
#include "confine/seccomp.h"
#include "monitor/monitor.h"

/* A session makes groups for its commands later, and on cgroup v2 gives them to the sandbox's id.
 */
static int keep_capabilities(bool is_session)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	if (geteuid() == 0)
		data[0].permitted = 1u << CAP_KILL | 1u << CAP_DAC_OVERRIDE |
				    (is_session ? 1u << CAP_CHOWN : 0);
	data[0].effective = data[0].permitted;
	return syscall(SYS_capset, &header, data) < 0 ? errno : 0;
}

/* Signals are not scoped: the monitor's very purpose is to end a process outside its domain. */
static int restrict_paths(const struct monitor *monitor)
{
	auto_fd int cgroup_fd = openat(AT_FDCWD, "/sys/fs/cgroup", O_PATH | O_CLOEXEC);
	/* Without it the groups could not be removed in the end. */
	if (cgroup_fd < 0 && errno != ENOENT)
		return errno;
	auto_fd int proc_fd = openat(AT_FDCWD, "/proc", O_PATH | O_CLOEXEC);
	const struct {
		int fd;
		unsigned access;
	} wanted[] = {
		{ cgroup_fd, CONFINE_PATH_READ | CONFINE_PATH_WRITE },
		{ proc_fd, CONFINE_PATH_READ },
		{ monitor->rundir_fd, CONFINE_PATH_READ | CONFINE_PATH_WRITE },
		{ monitor->evidence_fd, CONFINE_PATH_READ | CONFINE_PATH_WRITE },
	};
	struct confine_path paths[ARRAY_LEN(wanted)] = { { 0 } };
	size_t n_paths = 0;
	for (size_t i = 0; i < ARRAY_LEN(wanted); i++) {
		if (wanted[i].fd >= 0)
			paths[n_paths++] = (struct confine_path){ wanted[i].fd, wanted[i].access };
	}
	return confine_landlock_if_any(paths, n_paths, false);
}

int monitor_restrict(struct monitor *monitor, struct error *err)
{
	int r = confine_no_new_privs();
	if (r == 0)
		r = restrict_paths(monitor);
	if (r == 0)
		r = keep_capabilities(monitor->plan->is_session);
	if (r == 0)
		r = -seccomp_self_restrict();
	if (r == 0)
		return 0;
	r = error_set(err, ERR_SYSTEM, r, "monitor", "its own rights cannot be given up");
	return error_remedy(err, r, "use a kernel with seccomp filters (CONFIG_SECCOMP_FILTER)");
}
