/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn.c - from an order to a running command
 *
 * Between fork and exec the child gives up everything, in the order that lets each step still
 * work: control groups, terminal, limits, processors, directory, ids, capabilities, descriptors,
 * and the system call filter last.  A step that fails is told over the socket, which the child
 * still holds, and nothing is executed.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "confine/confine.h"
#include "confine/seccomp.h"
#include "init/init.h"
#include "limits/cgroup.h"

#define SPAWN_STACK_BYTES 65536

/* What the child needs, gathered before the fork. */
struct spawn {
	struct init *init;
	const struct init_spawn *order;
	struct init_user user;
	int stdio[3];
	int terminal_fd; /* slave side; -1 without a terminal */
	struct cgroup_entry entry;
};

static int join_groups(const struct spawn *spawn)
{
	return cgroup_entry_join(&spawn->entry);
}

static int take_stdio(const struct spawn *spawn)
{
	for (int i = 0; i < 3; i++) {
		int fd = spawn->terminal_fd >= 0 ? spawn->terminal_fd : spawn->stdio[i];
		if (dup3(fd, i, 0) < 0)
			return errno;
	}
	return 0;
}

static int take_terminal(const struct spawn *spawn)
{
	if (setsid() < 0)
		return errno;
	if (spawn->terminal_fd >= 0 && ioctl(spawn->terminal_fd, TIOCSCTTY, 0) < 0)
		return errno;
	return take_stdio(spawn);
}

static int set_rlimits(const struct spawn *spawn)
{
	struct confine_rlimit rlimits[INIT_MAX_RLIMITS];
	for (size_t i = 0; i < spawn->order->n_rlimits; i++)
		rlimits[i] = (struct confine_rlimit){ (int)spawn->order->rlimits[i].resource,
						      spawn->order->rlimits[i].value };
	return confine_rlimits(rlimits, spawn->order->n_rlimits);
}

/*
 * The processors from the one on that we run on: the scheduler has chosen it as an idle one, and
 * being bound elsewhere means waiting until the kernel has moved us.
 */
static int set_affinity(const struct spawn *spawn)
{
	uint64_t allowed[16] = { 0 }, mask[16] = { 0 };
	unsigned cpu = 0, n_left = spawn->order->n_cpus;
	if (n_left == 0)
		return 0;
	if (syscall(SYS_sched_getaffinity, 0, sizeof(allowed), allowed) < 0 ||
	    syscall(SYS_getcpu, &cpu, NULL, NULL) < 0)
		return errno;
	for (unsigned i = 0; i < 1024 && n_left > 0; i++, cpu = (cpu + 1) % 1024) {
		uint64_t bit = 1ull << (cpu % 64);
		if (allowed[cpu / 64] & bit) {
			mask[cpu / 64] |= bit;
			n_left--;
		}
	}
	return syscall(SYS_sched_setaffinity, 0, sizeof(mask), mask) < 0 ? errno : 0;
}

/*
 * A magic link of /proc leads wherever the process has something open, past every mount: the
 * caller's descriptors were long closed, but this is where such a mistake would count.
 */
static int change_directory(const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_CLOEXEC,
		.resolve = RESOLVE_NO_MAGICLINKS,
	};
	auto_fd int fd = sys_openat2(AT_FDCWD, path, &how);
	return fd < 0 || fchdir(fd) < 0 ? errno : 0;
}

/* A directory that the policy names must exist; the user's home is only a first choice. */
static int enter_directory(const struct spawn *spawn)
{
	if (spawn->order->cwd[0])
		return change_directory(spawn->order->cwd);
	if (spawn->user.home[0] && chdir(spawn->user.home) == 0)
		return 0;
	return chdir("/") < 0 ? errno : 0;
}

static int become_user(const struct spawn *spawn)
{
	if (spawn->init->configure.has_many_ids)
		return confine_ids(spawn->user.uid, spawn->user.gid);
	/* One id is mapped, and it is this one already. */
	return spawn->user.uid == getuid() ? 0 : EINVAL;
}

static int drop_capabilities(const struct spawn *spawn)
{
	if (spawn->init->configure.is_installer && spawn->user.uid == 0)
		return confine_capabilities_keep(CONFINE_INSTALLER);
	return confine_capabilities();
}

static int new_keyring(const struct spawn *spawn)
{
	UNUSED(spawn);
	return confine_keyring();
}

static int install_filter(const struct spawn *spawn)
{
	const struct init *init = spawn->init;
	int listener = seccomp_program_install(init->filter, init->n_filter);
	if (listener < 0)
		return -listener;
	init_send_event(init, INIT_FILTER, &(struct init_event){ .command = spawn->order->command },
			listener);
	close(listener);
	return 0;
}

static int close_descriptors(const struct spawn *spawn)
{
	/* The socket stays for the messages below; it is close-on-exec. */
	int r = fcntl(spawn->init->channel_fd, F_SETFD, FD_CLOEXEC) < 0 ? errno : 0;
	return r != 0 ? r : confine_close_fds((unsigned)spawn->init->channel_fd + 1);
}

static int execute(const struct spawn *spawn)
{
	return init_exec(spawn->order->args.items, spawn->order->env.items);
}

static const struct {
	enum init_stage stage;
	int (*run)(const struct spawn *spawn);
} steps[] = {
	{ STAGE_CGROUP, join_groups },
	{ STAGE_TERMINAL, take_terminal },
	{ STAGE_RLIMITS, set_rlimits },
	{ STAGE_AFFINITY, set_affinity },
	{ STAGE_DESCRIPTORS, close_descriptors },
	{ STAGE_USER, become_user },
	{ STAGE_CWD, enter_directory },
	{ STAGE_PRIVILEGES, drop_capabilities },
	{ STAGE_KEYRING, new_keyring },
	{ STAGE_FILTER, install_filter },
	{ STAGE_EXEC, execute },
};

static int exec_status(enum init_stage stage, int errnum)
{
	if (stage != STAGE_EXEC)
		return 125;
	return errnum == ENOENT || errnum == ENOTDIR ? 127 : 126;
}

static void send_failure(const struct spawn *spawn, enum init_stage stage, int errnum)
{
	struct init_event event = {
		.command = spawn->order->command,
		.code = exec_status(stage, errnum),
		.errnum = errnum,
		.stage = stage,
	};
	init_send_event(spawn->init, INIT_NOT_STARTED, &event, -1);
}

static _Noreturn void run_child(const struct spawn *spawn)
{
	sigset_t none;
	sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL); /* NOLINT(concurrency-mt-unsafe) */
	(void)prctl(PR_SET_PDEATHSIG, 0);
	for (size_t i = 0; i < ARRAY_LEN(steps); i++) {
		int errnum = steps[i].run(spawn);
		if (errnum != 0) {
			send_failure(spawn, steps[i].stage, errnum);
			_exit(exec_status(steps[i].stage, errnum));
		}
	}
	_exit(125);
}

static int run_on_stack(void *context)
{
	run_child(context);
}

static pid_t copy(struct spawn *spawn)
{
	pid_t pid = fork();
	if (pid == 0)
		run_child(spawn);
	/* He goes in by himself, and goes no further if he cannot; but who is told that he has
	 * started will look for him there. */
	if (pid > 0)
		(void)cgroup_entry_put(&spawn->entry, pid);
	return pid;
}

/*
 * The child borrows our memory until it executes, and we wait for it: a copy of the page tables
 * and a fault for each page written cost more than all of the steps.  Nothing of the workload
 * runs meanwhile in this memory, and it is not dumpable, so nobody can attach to the child.  But
 * he can be stopped by whoever has his id, and we with him, so this is for the first command only,
 * beside which nobody is.
 */
static pid_t borrow(struct spawn *spawn)
{
	static _Alignas(16) char stack[SPAWN_STACK_BYTES];
	pid_t pid =
		clone(run_on_stack, stack + sizeof(stack), CLONE_VM | CLONE_VFORK | SIGCHLD, spawn);
	/* A time namespace of our children's own forbids it until the next exec (before Linux 6.0).
	 */
	return pid < 0 && errno == EINVAL ? copy(spawn) : pid;
}

static pid_t fork_into(struct spawn *spawn)
{
	struct clone_args args = { .flags = CLONE_INTO_CGROUP, .exit_signal = SIGCHLD };
	if (spawn->entry.clone_fd < 0)
		return spawn->init->has_started ? copy(spawn) : borrow(spawn);
	args.cgroup = (unsigned)spawn->entry.clone_fd;
	pid_t pid = (pid_t)sys_clone3(&args);
	if (pid == 0)
		run_child(spawn);
	return pid;
}

/* The terminal is the command's: it may be opened again, by its name or /dev/stdout. */
static int open_master(const struct init_user *user)
{
	(void)syscall(SYS_setfsuid, user->uid);
	int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	(void)syscall(SYS_setfsuid, getuid());
	return master;
}

static int open_terminal(const struct spawn *spawn, int *ret_master, int *ret_slave)
{
	int zero = 0;
	struct winsize size = { .ws_row = spawn->order->rows, .ws_col = spawn->order->columns };
	auto_fd int master = open_master(&spawn->user);
	if (master < 0 || ioctl(master, TIOCSPTLCK, &zero) < 0)
		return errno;
	auto_fd int slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (slave < 0 || ioctl(slave, TIOCSWINSZ, &size) < 0)
		return errno;
	*ret_master = take_fd(&master);
	*ret_slave = take_fd(&slave);
	return 0;
}

/* Sorts the descriptors of the order: stdio, then the entry into the control groups. */
static bool sort_fds(struct spawn *spawn, const int *fds, size_t n_fds)
{
	size_t at = 0;
	if (!spawn->order->is_tty) {
		if (n_fds < 3)
			return false;
		for (; at < 3; at++)
			spawn->stdio[at] = fds[at];
	}
	spawn->entry.clone_fd = -1;
	if (spawn->order->has_clone_fd) {
		if (at == n_fds)
			return false;
		spawn->entry.clone_fd = fds[at++];
	}
	for (; at < n_fds && spawn->entry.n_task_fds < CGROUP_MAX_ENTRY_FDS; at++)
		spawn->entry.task_fds[spawn->entry.n_task_fds++] = fds[at];
	return at == n_fds;
}

static struct init_command *free_slot(struct init *init)
{
	for (size_t i = 0; i < INIT_MAX_COMMANDS; i++) {
		if (init->commands[i].number == 0)
			return &init->commands[i];
	}
	return NULL;
}

/* Everything before the fork; 0, or errno and the step that failed. */
static int prepare(struct spawn *spawn, const int *fds, size_t n_fds, int *ret_master,
		   enum init_stage *ret_stage)
{
	*ret_stage = STAGE_PROTOCOL;
	if (!sort_fds(spawn, fds, n_fds))
		return EPROTO;
	*ret_stage = STAGE_USER;
	int r = init_user_find(spawn->init, spawn->order->user, &spawn->user);
	if (r != 0 || !spawn->order->is_tty)
		return r;
	*ret_stage = STAGE_TERMINAL;
	return open_terminal(spawn, ret_master, &spawn->terminal_fd);
}

void init_spawn(struct init *init, const struct init_spawn *order, const int *fds, size_t n_fds)
{
	struct spawn spawn = { .init = init, .order = order, .terminal_fd = -1 };
	enum init_stage stage = STAGE_FORK;
	auto_fd int master = -1;
	struct init_command *slot = free_slot(init);
	int r = slot ? prepare(&spawn, fds, n_fds, &master, &stage) : EAGAIN;
	pid_t pid = -1;
	if (r == 0) {
		stage = STAGE_FORK;
		pid = fork_into(&spawn);
		init->has_started = true;
		r = pid < 0 ? errno : 0;
	}
	fd_close(&spawn.terminal_fd);
	if (r != 0) {
		send_failure(&spawn, stage, r);
		return;
	}
	*slot = (struct init_command){ order->command, pid, order->is_last };
	init_send_event(init, INIT_STARTED,
			&(struct init_event){ .command = order->command, .pid = (uint32_t)pid },
			master);
}
