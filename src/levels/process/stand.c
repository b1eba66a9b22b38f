/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stand.c - the engine's side of building a sandbox up
 *
 * The order is for speed: the child starts as early as it can and works while the engine maps
 * ids, opens sources, asks the host what it has and makes control groups.  On cgroup v2 the groups
 * come first, because foso-init is born in one.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <linux/securebits.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/vfs.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/programs.h"
#include "base/syscalls.h"
#include "confine/confine.h"
#include "levels/process/process.h"

#define NAMESPACES (CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS)

static int fail(struct error *err, int errnum, const char *subject, const char *message,
		const char *remedy)
{
	int r = error_set(err, ERR_SYSTEM, errnum, subject, "%s", message);
	return error_remedy(err, r, "%s", remedy);
}

/* A file system in memory cannot be larger than the memory; the evidence says when that counts. */
static void choose_scratch(struct process *process)
{
	struct process_setup *setup = &process->setup;
	const struct policy_limits *limits = &setup->policy->limits;
	uint64_t bytes = limits->disk_bytes;
	if (limits->memory_bytes != POLICY_UNLIMITED) {
		uint64_t most = limits->memory_bytes - limits->memory_bytes / 8;
		if (bytes > most) {
			bytes = most;
			process->notes[process->n_notes++] =
				"limits.disk: the scratch is memory, so it is bounded to 7/8 of limits.memory";
		}
	} else if (bytes == POLICY_UNLIMITED) {
		bytes = (uint64_t)sysconf(_SC_PHYS_PAGES) / 2 * 4096;
	}
	for (size_t i = 0; i < setup->policy->n_mounts; i++) {
		const struct policy_mount *mount = &setup->policy->mounts[i];
		if (mount->access == POLICY_ACCESS_TMPFS && mount->size_bytes != POLICY_UNLIMITED)
			bytes -= MIN(bytes, mount->size_bytes);
	}
	setup->scratch_bytes = bytes;
	setup->scratch_inodes = MIN(limits->disk_inodes, (uint64_t)INT32_MAX);
}

/* How many processors the sandbox sees; foso-init chooses which, as it knows where it runs. */
static void choose_cpus(struct process *process)
{
	uint64_t allowed[16] = { 0 };
	unsigned n_allowed = 0, wanted = UINT32_MAX;
	uint64_t cpus_milli = process->setup.policy->limits.cpus_milli;
	(void)syscall(SYS_sched_getaffinity, 0, sizeof(allowed), allowed);
	for (unsigned i = 0; i < 1024; i++)
		n_allowed += (unsigned)((allowed[i / 64] >> (i % 64)) & 1);
	if (cpus_milli != POLICY_UNLIMITED)
		wanted = (unsigned)MIN((cpus_milli + 999) / 1000, (uint64_t)1024);
	process->setup.n_cpus = MAX(MIN(wanted, n_allowed), 1u);
	process->n_bound_cpus = wanted < n_allowed ? (uint16_t)wanted : 0;
}

static int fill_setup(struct sandbox *sandbox, struct process *process, struct error *err)
{
	struct process_setup *setup = &process->setup;
	char path[PROGRAM_PATH_BYTES];
	setup->policy = sandbox->policy;
	setup->image = sandbox->image;
	setup->changes_fd =
		sandbox->keeps_changes || sandbox->has_root_disk ? sandbox->changes_fd : -1;
	setup->keeps_changes = sandbox->keeps_changes;
	setup->is_installer = sandbox->is_installer;
	if (setup->policy->root == POLICY_ROOT_IMAGE && !setup->image)
		return fail(err, 0, "root", "the image was not opened", "start it with foso run");
	int r = process_choose_ids(setup, err);
	if (r < 0)
		return r;
	/* Names are looked up in the root that is to be built, so each may be root's. */
	setup->may_be_root = setup->is_rootless ? setup->inner_uid == 0
						: sandbox->has_many_commands ||
							  setup->policy->root != POLICY_ROOT_HOST ||
							  setup->policy->user[0] != '\0';
	choose_scratch(process);
	process_note_attributes(process);
	choose_cpus(process);
	if (!process_layers_open(setup))
		process->notes[process->n_notes++] =
			"root: the layers of /etc that sandboxes share cannot be made or are damaged in /run: this one made its own, which is slower";
	r = program_path("foso-init", path, err);
	if (r < 0)
		return r;
	setup->init_fd = openat(AT_FDCWD, path, O_PATH | O_CLOEXEC);
	setup->null_fd = openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
	if (setup->init_fd < 0 || setup->null_fd < 0)
		return fail(err, errno, setup->init_fd < 0 ? path : "/dev/null", "cannot be opened",
			    "build or install foso as a whole (./x build)");
	return 0;
}

static int make_sockets(struct process *process, struct error *err)
{
	int channel[2], sync[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, channel) < 0)
		return fail(err, errno, "sandbox", "no socket to foso-init",
			    "raise the limit of open files");
	process->channel_fd = channel[0];
	process->setup.channel_fd = channel[1];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sync) < 0)
		return fail(err, errno, "sandbox", "no socket to foso-init",
			    "raise the limit of open files");
	process->sync_fd = sync[0];
	process->setup.sync_fd = sync[1];
	return 0;
}

/*
 * The owner of a user namespace is the effective uid of its maker, and the kernel charges what
 * happens inside (inotify instances, namespaces, ...) to the owner as well.  Made by root, ten
 * sandboxes could use up root's own quota; so for the moment of the clone the engine takes the
 * sandbox's id, keeping its capabilities.
 */
static pid_t clone_as_owner(const struct process_setup *setup, struct clone_args *args)
{
	int saved = prctl(PR_GET_SECUREBITS);
	bool is_switched =
		!setup->is_rootless && saved >= 0 &&
		prctl(PR_SET_SECUREBITS, (unsigned long)saved | SECBIT_NO_SETUID_FIXUP) == 0 &&
		syscall(SYS_setresuid, -1, setup->base_uid, -1) == 0;
	pid_t pid = (pid_t)sys_clone3(args);
	if (pid == 0)
		return 0;
	int errnum = errno;
	if (is_switched && syscall(SYS_setresuid, -1, 0, -1) < 0)
		abort(); /* Going on with half of root's rights would be worse. */
	if (!setup->is_rootless)
		(void)prctl(PR_SET_SECUREBITS, (unsigned long)saved);
	errno = errnum;
	return pid;
}

static int explain_clone(struct error *err, int errnum)
{
	int r = error_set(err, ERR_UNSUPPORTED, errnum, "level 'process'",
			  "namespaces cannot be made");
	if (errnum == EPERM)
		return error_remedy(
			err, r,
			"allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, kernel.apparmor_restrict_unprivileged_userns=0; in a container: an own seccomp profile), or run as root");
	if (errnum == ENOSPC)
		return error_remedy(err, r, "raise sysctl user.max_user_namespaces");
	return error_remedy(err, r, "see foso doctor");
}

static int clone_child(struct process *process, struct error *err)
{
	int pidfd = -1;
	struct clone_args args = {
		.flags = NAMESPACES | CLONE_NEWTIME | CLONE_PIDFD,
		.pidfd = (uint64_t)(uintptr_t)&pidfd,
		.exit_signal = SIGCHLD,
	};
	if (process->has_cgroup && process->cgroup.agent_fd >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (unsigned)process->cgroup.agent_fd;
	}
	pid_t pid = clone_as_owner(&process->setup, &args);
	if (pid < 0 && errno == EINVAL) {
		/* Kernels without time namespaces (CONFIG_TIME_NS). */
		args.flags &= ~(uint64_t)CLONE_NEWTIME;
		pid = clone_as_owner(&process->setup, &args);
		if (pid > 0 && process->n_notes < ARRAY_LEN(process->notes))
			process->notes[process->n_notes++] = "this kernel offers no time namespace";
	}
	if (pid == 0) {
		close(process->sync_fd);
		close(process->channel_fd);
		process_child_main(&process->setup);
	}
	if (pid < 0)
		return explain_clone(err, errno);
	process->pid = pid;
	process->pidfd = pidfd;
	fd_close(&process->setup.channel_fd);
	fd_close(&process->setup.sync_fd);
	return 0;
}

static int write_proc(pid_t pid, const char *name, const char *text)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	auto_fd int fd = openat(AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, text, strlen(text)) < 0 ? -1 : 0;
}

static int map_ids(struct process *process, struct error *err)
{
	const struct process_setup *setup = &process->setup;
	char uids[64], gids[64];
	unsigned count = setup->is_rootless ? 1 : PROCESS_N_UIDS;
	(void)snprintf(uids, sizeof(uids), "%u %u %u", setup->inner_uid, setup->base_uid, count);
	(void)snprintf(gids, sizeof(gids), "%u %u %u", setup->inner_gid, setup->base_gid, count);
	/* An ordinary user may map his group only once setgroups() is given up. */
	if (write_proc(process->pid, "uid_map", uids) < 0 ||
	    (setup->is_rootless && write_proc(process->pid, "setgroups", "deny") < 0) ||
	    write_proc(process->pid, "gid_map", gids) < 0)
		return fail(err, errno, "level 'process'",
			    "the ids of the user namespace cannot be mapped",
			    "allow user namespaces; see foso doctor");
	if (send(process->sync_fd, "m", 1, MSG_NOSIGNAL) != 1)
		return fail(err, errno, "sandbox", "the child is gone", "see foso doctor");
	return 0;
}

static int make_groups(struct sandbox *sandbox, struct process *process, struct error *err)
{
	const struct process_setup *setup = &process->setup;
	if (process->host.version == CGROUP_NONE)
		return 0;
	const struct cgroup_options options = {
		.id = sandbox->id,
		.limits = &sandbox->policy->limits,
		.owner_uid = setup->base_uid,
		.owner_gid = setup->base_gid,
		.needs_kill = sandbox->has_many_commands ||
			      sandbox->policy->background == POLICY_BACKGROUND_KEEP,
		.needs_cpu = sandbox->policy->evidence.is_on,
		.is_staged = true,
	};
	int r = cgroup_create(&process->cgroup, &process->host, &options, err);
	process->has_cgroup = r == 0;
	process->setup.group_fd = r == 0 ? process->cgroup.group_fd : -1;
	return r;
}

/* The limits wait until the child has the cgroup namespace that begins above them. */
static int finish_groups(struct sandbox *sandbox, struct process *process, struct error *err)
{
	char byte;
	ssize_t n;
	if (!process->has_cgroup)
		return 0;
	do
		n = recv(process->sync_fd, &byte, 1, 0);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		return fail(err, 0, "sandbox", "the child is gone", "see foso doctor");
	return cgroup_finish(&process->cgroup, &sandbox->policy->limits, err);
}

static int announce(struct sandbox *sandbox, struct error *err)
{
	return sandbox->announce ? sandbox->announce(sandbox, err) : 0;
}

static int open_workspace(struct sandbox *sandbox, struct process *process, struct error *err)
{
	struct attach *attach = &process->attach;
	attach->policy = process->setup.policy;
	attach->is_rootless = process->setup.is_rootless;
	attach->inner_uid = process_inner_user(process->setup.policy);
	attach->pid = process->pid;
	attach->pidfd = process->pidfd;
	attach->sync_fd = process->sync_fd;
	attach->null_fd = process->setup.null_fd;
	return attach_open(sandbox->id, attach, err);
}

static int start_child(struct sandbox *sandbox, struct process *process, struct error *err)
{
	int r;
	if ((r = make_sockets(process, err)) < 0 || (r = clone_child(process, err)) < 0)
		return r;
	sandbox->root_pid = process->pid;
	if ((r = map_ids(process, err)) < 0 || (r = process_sources_send(process, err)) < 0 ||
	    (r = open_workspace(sandbox, process, err)) < 0)
		return r;
	return attach_send(&process->attach, err);
}

/* As if it had never been: it waits for its maps, or builds what nobody else can see. */
static void drop_child(struct sandbox *sandbox, struct process *process)
{
	(void)sys_pidfd_send_signal(process->pidfd, SIGKILL);
	(void)waitpid(process->pid, NULL, 0);
	fd_close(&process->pidfd);
	fd_close(&process->channel_fd);
	fd_close(&process->sync_fd);
	attach_fini(&process->attach);
	attach_init(&process->attach);
	process->pid = sandbox->root_pid = 0;
}

/* Version 2: foso-init is born in its group, so the groups come first. */
static int stand_up_in_groups(struct sandbox *sandbox, struct process *process, struct error *err)
{
	int r;
	if ((r = announce(sandbox, err)) < 0 || (r = make_groups(sandbox, process, err)) < 0 ||
	    (r = start_child(sandbox, process, err)) < 0)
		return r;
	return finish_groups(sandbox, process, err);
}

/*
 * Else the child comes first, and while it builds the host is asked and the groups are made.  One
 * look tells: a tree of version 1 with the memory controller is all but sure to be chosen.
 */
static bool is_child_first(void)
{
	struct statfs status;
	return statfs("/sys/fs/cgroup/memory", &status) == 0 && status.f_type == CGROUP_SUPER_MAGIC;
}

int process_stand_up(struct sandbox *sandbox, struct process *process, struct error *err)
{
	bool child_first = is_child_first();
	int r;
	if ((r = seccomp_listener_check(err)) < 0 || (r = fill_setup(sandbox, process, err)) < 0 ||
	    (child_first && (r = start_child(sandbox, process, err)) < 0))
		return r;
	process->host = *cgroup_this_host();
	bool is_in_groups = process->host.version == CGROUP_V2;
	if (child_first && is_in_groups)
		drop_child(sandbox, process);
	if (is_in_groups)
		r = stand_up_in_groups(sandbox, process, err);
	else if (child_first || (r = start_child(sandbox, process, err)) == 0)
		r = announce(sandbox, err);
	if (r == 0 && !is_in_groups)
		r = make_groups(sandbox, process, err);
	if (r == 0)
		r = attach_finish(&process->attach, err);
	return r < 0 ? r : process_configure(process, sandbox->policy, err);
}

/* Where the workload may write, for Landlock; everything may be read and executed. */
static void add_path(struct init_configure *configure, const char *path, unsigned access)
{
	char *copy = configure->n_paths < INIT_MAX_PATHS ? strdup(path) : NULL;
	if (copy)
		configure->paths[configure->n_paths++] = (struct init_path){ copy, access };
}

static void add_paths(struct init_configure *configure, const struct policy *policy)
{
	/* Of /dev, /dev/shm is a part. */
	static const char *const writable[] = { "/tmp",  "/var/tmp", "/run",
						"/home", "/root",    "/proc" };
	add_path(configure, "/",
		 CONFINE_PATH_READ | (policy->root != POLICY_ROOT_HOST ? CONFINE_PATH_WRITE : 0));
	add_path(configure, "/dev", CONFINE_PATH_READ | CONFINE_PATH_WRITE | CONFINE_PATH_IOCTL);
	for (size_t i = 0; i < ARRAY_LEN(writable); i++)
		add_path(configure, writable[i], CONFINE_PATH_READ | CONFINE_PATH_WRITE);
	if (policy->workspace.path[0] && policy->workspace.access != POLICY_ACCESS_RO)
		add_path(configure, "/workspace", CONFINE_PATH_READ | CONFINE_PATH_WRITE);
	for (size_t i = 0; i < policy->n_mounts; i++) {
		if (policy->mounts[i].access != POLICY_ACCESS_RO)
			add_path(configure, policy->mounts[i].target,
				 CONFINE_PATH_READ | CONFINE_PATH_WRITE);
	}
}

int process_configure(struct process *process, const struct policy *policy, struct error *err)
{
	struct init_configure configure = {
		.has_many_ids = !process->setup.is_rootless,
		.needs_landlock = true,
		/* With one id there is nobody to install for. */
		.is_installer = process->setup.is_installer && !process->setup.is_rootless,
		.default_uid = policy->root == POLICY_ROOT_HOST ? PROCESS_DEFAULT_USER : 0,
	};
	struct seccomp_program program;
	not_zeroed char storage[3072]; /* most of it is the filter */
	auto_buf struct buf bytes = BUF_ON(storage, INIT_MAX_MESSAGE_BYTES);
	bool has_quota = process->has_cgroup && process->cgroup.is_used[CGROUP_CPU];
	if (process->setup.is_rootless)
		configure.default_uid = process->setup.inner_uid;
	configure.default_gid =
		process->setup.is_rootless ? process->setup.inner_gid : configure.default_uid;
	process->landlock_abi = confine_landlock_abi();
	int r = seccomp_program_build(&program, policy, !has_quota, err);
	if (r < 0)
		return r;
	configure.filter = program.instructions;
	configure.n_filter_bytes = program.n_instructions * sizeof(program.instructions[0]);
	add_paths(&configure, policy);
	init_configure_encode(&configure, &bytes);
	init_configure_fini(&configure);
	seccomp_program_fini(&program);
	int errnum = buf_is_whole(&bytes) ? init_channel_send(process->channel_fd, INIT_CONFIGURE,
							      bytes.data, bytes.len, NULL, 0)
					  : EMSGSIZE;
	return errnum == 0 ? 0
			   : fail(err, errnum, "sandbox", "foso-init cannot be configured",
				  "see foso doctor");
}
