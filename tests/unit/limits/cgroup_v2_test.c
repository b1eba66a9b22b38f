/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_v2_test.c - version 2: who may start a process in the groups, and from where */
#include <sys/mount.h>

#include "unit/limits/box.h"

#define SANDBOX_ID 4321 /* a uid and gid that nothing else has */

#define NEED_V2()                                        \
	do {                                             \
		NEED_CGROUP();                           \
		if (host.version != CGROUP_V2)           \
			SKIP("this host has version 1"); \
	} while (0)

#define CGROUP_TEST_GROUP "/sys/fs/cgroup/foso/t-container"

static struct box box;

static int work_fork_once(void)
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	return wait_status(pid);
}

/* Born in the agent group, as foso-init is. */
static pid_t agent_start(int (*work)(void))
{
	(void)fflush(stdout);
	struct clone_args args = {
		.flags = (__u64)CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = (__u64)box.cgroup.agent_fd,
	};
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0)
		_exit(work());
	return pid;
}

/* Starts a process in a group; exits with 0, or the errno of clone3(). */
static int clone_into(int dir_fd)
{
	struct clone_args args = {
		.flags = (__u64)CLONE_INTO_CGROUP,
		.exit_signal = SIGCHLD,
		.cgroup = (__u64)dir_fd,
	};
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return errno;
	return WEXITSTATUS(wait_status(pid));
}

static int work_as_sandbox(void)
{
	if (geteuid() == 0 && (setresgid(SANDBOX_ID, SANDBOX_ID, SANDBOX_ID) < 0 ||
			       setresuid(SANDBOX_ID, SANDBOX_ID, SANDBOX_ID) < 0))
		return 200;
	return clone_into(box.cgroup.dir_fd[0]);
}

static int command_fd;

static int work_command_as_sandbox(void)
{
	box.cgroup.dir_fd[0] = command_fd;
	return work_as_sandbox();
}

static int work_from_own_namespace(void)
{
	if (unshare(CLONE_NEWCGROUP) < 0)
		return 200;
	return clone_into(box.cgroup.dir_fd[0]);
}

static bool box_v2_open(uid_t owner)
{
	box_init(&box);
	box.limits.pids = 20;
	box.limits.memory_bytes = 64 << 20;
	box.limits.cpus_milli = 1000;
	box.options.owner_uid = owner;
	box.options.owner_gid = owner;
	return box_open(&box);
}

static void the_limits_stand_in_work_and_not_in_agent(void)
{
	NEED_V2();
	if (!box_v2_open((uid_t)-1))
		return;
	static const struct {
		const char *file, *work, *agent;
	} rows[] = {
		{ "pids.max", "20\n", "max\n" },
		{ "memory.max", "67108864\n", "max\n" },
		{ "memory.swap.max", "0\n", "max\n" },
		{ "memory.oom.group", "1\n", "0\n" },
		{ "cpu.max", "100000 100000\n", "max 100000\n" },
		{ "cgroup.subtree_control", "", "" },
	};
	char text[64];
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		(void)cgroup_file_read(box.cgroup.dir_fd[0], rows[i].file, text, sizeof(text));
		STR_EQ(text, rows[i].work);
		(void)cgroup_file_read(box.cgroup.agent_fd, rows[i].file, text, sizeof(text));
		STR_EQ(text, rows[i].agent);
	}
	OK(box.cgroup.host.has_kill);
	OK(box.cgroup.host.has_swap_limit);
	box_close(&box);
}

static void the_sandbox_may_start_processes_in_its_own_groups_alone(void)
{
	NEED_V2();
	if (geteuid() != 0)
		SKIP("only root can be another user");
	if (!box_v2_open(SANDBOX_ID))
		return;
	struct cgroup_entry entry;
	struct error err = { 0 };
	EQ(cgroup_entry_open(&box.cgroup, 1, &entry, &err), 0);
	command_fd = entry.clone_fd;
	EQ(WEXITSTATUS(wait_status(agent_start(work_as_sandbox))), 0);
	EQ(WEXITSTATUS(wait_status(agent_start(work_command_as_sandbox))), 0);
	cgroup_entry_close(&entry);

	/* What was given is cgroup.procs and nothing else: no limit can be raised. */
	int fds[] = { box.cgroup.group_fd, box.cgroup.agent_fd, box.cgroup.dir_fd[0] };
	static const char *const files[] = { ".", "cgroup.subtree_control", "cgroup.threads" };
	struct stat info;
	for (size_t i = 0; i < ARRAY_LEN(fds); i++) {
		EQ(fstatat(fds[i], "cgroup.procs", &info, 0), 0);
		EQ(info.st_uid, SANDBOX_ID);
		for (size_t at = 0; at < ARRAY_LEN(files); at++) {
			EQ(fstatat(fds[i], files[at], &info, 0), 0);
			EQ(info.st_uid, 0);
		}
	}
	static const char *const limits[] = { "memory.max", "pids.max", "cpu.max", "cgroup.kill" };
	for (size_t at = 0; at < ARRAY_LEN(limits); at++) {
		EQ(fstatat(box.cgroup.dir_fd[0], limits[at], &info, 0), 0);
		EQ(info.st_uid, 0);
	}
	box_close(&box);

	/* The other side: without an owner the same process is refused. */
	if (!box_v2_open((uid_t)-1))
		return;
	EQ(WEXITSTATUS(wait_status(agent_start(work_as_sandbox))), EACCES);
	box_close(&box);
}

/* Why foso-init has no cgroup namespace of its own (theory of cgroup_v2.c). */
static void with_nsdelegate_a_namespace_at_agent_closes_the_way(void)
{
	NEED_V2();
	if (geteuid() != 0)
		SKIP("only root can make a cgroup namespace without a user namespace");
	char mounts[4096];
	(void)cgroup_file_read(AT_FDCWD, "/proc/self/mounts", mounts, sizeof(mounts));
	if (!strstr(mounts, "nsdelegate"))
		SKIP("the tree is mounted without nsdelegate");
	if (!box_v2_open((uid_t)-1))
		return;
	EQ(WEXITSTATUS(wait_status(agent_start(work_from_own_namespace))), ENOENT);
	box_close(&box);
}

static int told_fd[2], finished_fd[2]; /* from the agent, and to it */

/* As foso-init's forerunner does: a user namespace, then the cgroup namespace, then the clone. */
static int work_stage(void)
{
	char byte = 0, text[64];
	if (unshare(CLONE_NEWUSER) < 0)
		return 200;
	struct cgroup_namespace namespace;
	int errnum = cgroup_namespace_start(box.cgroup.group_fd, &namespace);
	if (errnum == 0)
		errnum = cgroup_namespace_enter(&namespace);
	if (errnum != 0 || write(told_fd[1], "n", 1) != 1 || read(finished_fd[0], &byte, 1) != 1)
		return errnum != 0 ? errnum : 201;
	(void)cgroup_file_read(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text));
	if (strcmp(text, "0::/agent\n") != 0)
		return 202;
	auto_fd int work_fd = cgroup_dir_open(box.cgroup.group_fd, "work");
	return clone_into(work_fd);
}

static void a_staged_sandbox_can_clone_from_its_own_namespace(void)
{
	NEED_V2();
	box_init(&box);
	box.limits.pids = 20;
	box.limits.memory_bytes = 64 << 20;
	box.options.is_staged = true;
	if (!box_open(&box))
		return;
	struct error err = { 0 };
	struct cgroup_entry entry;
	OK(cgroup_entry_open(&box.cgroup, 0, &entry, &err) < 0); /* there is no work yet */
	error_clear(&err);
	EQ(pipe2(told_fd, O_CLOEXEC), 0);
	EQ(pipe2(finished_fd, O_CLOEXEC), 0);
	pid_t pid = agent_start(work_stage);
	close(told_fd[1]);
	char byte = 0;
	EQ(read(told_fd[0], &byte, 1), 1);
	EQ(cgroup_finish(&box.cgroup, &box.limits, &err), 0);
	EQ(cgroup_finish(&box.cgroup, &box.limits, &err), 0); /* twice is once */
	EQ(write(finished_fd[1], "f", 1), 1);
	EQ(WEXITSTATUS(wait_status(pid)), 0);
	close(told_fd[0]);
	close(finished_fd[0]);
	close(finished_fd[1]);
	EQ(run_inside(&box, work_fork_once), 0);
	char text[64];
	(void)cgroup_file_read(box.cgroup.dir_fd[0], "pids.max", text, sizeof(text));
	STR_EQ(text, "20\n");
	box_close(&box);
}

static void a_staged_sandbox_that_is_given_up_leaves_nothing(void)
{
	NEED_V2();
	box_init(&box);
	box.limits.pids = 20;
	box.options.is_staged = true;
	if (!box_open(&box))
		return;
	OK(is_on_disk(box.id));
	box_close(&box);
	OK(!is_on_disk(box.id));

	box_init(&box);
	box.limits.cpus_milli = 0; /* refused at the second half */
	box.options.is_staged = true;
	if (!box_open(&box))
		return;
	struct error err = { 0 };
	ERR(cgroup_finish(&box.cgroup, &box.limits, &err), &err, ERR_REFUSED, "limits.cpus");
	box_close(&box);
	OK(!is_on_disk(box.id));
}

static void kill_spares_the_agent(void)
{
	NEED_V2();
	if (!box_v2_open((uid_t)-1))
		return;
	pid_t agent = agent_start(work_sleep);
	pid_t work = box_start(&box, 0, work_sleep);
	struct error err = { 0 };
	EQ(cgroup_kill(&box.cgroup, 0, &err), 0);
	EQ(WTERMSIG(wait_status(work)), SIGKILL);
	EQ(n_pids(&box, 0), 0);
	EQ(waitpid(agent, NULL, WNOHANG), 0);
	if (agent > 0)
		(void)kill(agent, SIGKILL);
	(void)wait_status(agent);
	box_close(&box);
}

static int work_in_a_container(void)
{
	char procs[] = CGROUP_TEST_GROUP "/cgroup.procs";
	if (cgroup_file_write(AT_FDCWD, procs, "0") != 0 ||
	    unshare(CLONE_NEWCGROUP | CLONE_NEWNS) < 0)
		return 200;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    umount2("/sys/fs/cgroup", MNT_DETACH) < 0 ||
	    mount("cgroup2", "/sys/fs/cgroup", "cgroup2", 0, NULL) < 0)
		return 201;
	cgroup_host_probe(&host);
	EQ(host.version, CGROUP_V2);
	STR_EQ(host.parent[0], "/sys/fs/cgroup");
	for (int i = 0; i < 2; i++) { /* the second time from foso-self */
		if (!box_v2_open((uid_t)-1))
			return 1;
		EQ(run_inside(&box, work_fork_once), 0);
		box_close(&box);
		cgroup_host_probe(&host);
		STR_EQ(host.parent[0], "/sys/fs/cgroup");
	}
	char text[256];
	(void)cgroup_file_read(AT_FDCWD, "/proc/self/cgroup", text, sizeof(text));
	STR_EQ(text, "0::/foso-self\n");
	return tap_is_failing;
}

/* As in a container with a cgroup namespace of its own, whose processes are at its root. */
static void the_root_of_a_namespace_is_used_by_root(void)
{
	NEED_V2();
	if (geteuid() != 0 || strcmp(host.parent[0], "/sys/fs/cgroup/foso") != 0)
		SKIP("needs root in the root of the tree");
	EQ(mkdir(CGROUP_TEST_GROUP, 0755), 0);
	EQ(run_outside(work_in_a_container), 0);
	(void)rmdir(CGROUP_TEST_GROUP "/foso-self");
	EQ(rmdir(CGROUP_TEST_GROUP), 0);
}

int main(void)
{
	RUN(host_is_as_expected);
	RUN(the_limits_stand_in_work_and_not_in_agent);
	RUN(the_sandbox_may_start_processes_in_its_own_groups_alone);
	RUN(with_nsdelegate_a_namespace_at_agent_closes_the_way);
	RUN(a_staged_sandbox_can_clone_from_its_own_namespace);
	RUN(a_staged_sandbox_that_is_given_up_leaves_nothing);
	RUN(kill_spares_the_agent);
	RUN(the_root_of_a_namespace_is_used_by_root);
	return tap_done();
}
