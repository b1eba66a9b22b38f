/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.c - from a policy to a foso-monitor that the library holds
 *
 * The caller may have threads, so between fork and exec only async-signal-safe functions run:
 * whatever allocates happens before.  The monitor gets descriptors 0 to 5 and nothing else, a
 * session of its own (the terminal's signals are the caller's), and default signals.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "client/client.h"
#include "wire/plan.h"

#define CONTROL_FD 4
#define RESULT_FD  5
#define FIRST_FD   10 /* ours, clear of those */

#ifndef CLOSE_RANGE_CLOEXEC
#	define CLOSE_RANGE_CLOEXEC (1u << 2)
#endif

/* What the child needs, all of it made before the fork. */
struct launch {
	struct plan_start start;
	int stdio[3], control_fd, record_fd;
};

static int failed(const char *what, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errno, "foso-monitor", "%s", what);
	return error_remedy(err, r, "raise the limits of open files and processes, free memory");
}

/* Frees what @policy holds in its list of arguments and takes copies of @args. */
static int set_args(struct policy *policy, const struct control_exec *exec, struct error *err)
{
	int r = policy_reset(policy, "args", err);
	for (size_t i = 0; exec && r == 0 && i < exec->args.n_items; i++)
		r = policy_set(policy, "args", exec->args.items[i], err);
	for (size_t i = 0; exec && r == 0 && i < exec->n_env; i++) {
		char name[160];
		(void)snprintf(name, sizeof(name), "env.%s", exec->env[i].name);
		r = policy_set(policy, name, exec->env[i].value, err);
	}
	if (exec && r == 0 && exec->cwd[0])
		r = policy_set(policy, "cwd", exec->cwd, err);
	if (exec && r == 0 && exec->user[0])
		r = policy_set(policy, "user", exec->user, err);
	return r;
}

static int copy_policy(struct policy *ret, const struct policy *policy, struct error *err)
{
	auto_buf struct buf bytes = BUF_INIT(POLICY_MAX_ENCODED_BYTES);
	policy_encode(policy, &bytes);
	if (!buf_is_whole(&bytes))
		return client_no_memory(err);
	return policy_decode(ret, bytes.data, bytes.len, err);
}

/* A run's order is the policy's command; what the order bounds, it bounds further. */
static int fill_plan(struct plan *plan, const struct policy *policy,
		     const struct control_exec *exec, struct error *err)
{
	int r = copy_policy(&plan->policy, policy, err);
	if (r < 0)
		return r;
	plan->level_why = strdup(
		policy->level == POLICY_LEVEL_AUTO ? "the strongest level of this build" : "");
	if (!plan->level_why)
		return client_no_memory(err);
	if (plan->policy.level == POLICY_LEVEL_AUTO)
		plan->policy.level = POLICY_LEVEL_PROCESS;
	r = set_args(&plan->policy, exec, err);
	if (r < 0 || !exec)
		return r;
	struct policy_limits *limits = &plan->policy.limits;
	limits->wall_ns = MIN(limits->wall_ns, exec->wall_ns);
	limits->output_bytes = MIN(limits->output_bytes, exec->output_bytes);
	plan->policy.background = exec->background;
	plan->is_tty = exec->is_tty;
	plan->rows = exec->rows;
	plan->columns = exec->columns;
	return 0;
}

static _Noreturn void become_monitor(const struct launch *launch)
{
	static const int places[] = { 0, 1, 2, CONTROL_FD, RESULT_FD };
	const int fds[] = { launch->stdio[0], launch->stdio[1], launch->stdio[2],
			    launch->control_fd, launch->record_fd };
	struct sigaction action = { .sa_handler = SIG_DFL };
	sigset_t none;
	(void)setsid();
	for (int number = 1; number <= SIGRTMAX; number++)
		(void)sigaction(number, &action, NULL);
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		if (dup3(fds[i], places[i], 0) < 0)
			_exit(125);
	}
	/* What the caller left open without close-on-exec is none of the monitor's business. */
	(void)syscall(SYS_close_range, RESULT_FD + 1, ~0u, CLOSE_RANGE_CLOEXEC);
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL); /* NOLINT(concurrency-mt-unsafe) */
	(void)plan_start_exec(&launch->start);
	_exit(125);
}

/* No handler of the caller's may run in the child, so every signal waits until it has none. */
static int fork_monitor(struct foso_sandbox *sandbox, const struct launch *launch,
			struct error *err)
{
	sigset_t all, before;
	(void)sigfillset(&all);
	(void)pthread_sigmask(SIG_SETMASK, &all, &before);
	pid_t pid = fork();
	if (pid == 0)
		become_monitor(launch);
	int errnum = errno;
	(void)pthread_sigmask(SIG_SETMASK, &before, NULL);
	errno = errnum;
	if (pid < 0)
		return failed("it cannot be started", err);
	sandbox->pid = pid;
	return 0;
}

static int move_up(int *fd)
{
	int copy = fcntl(*fd, F_DUPFD_CLOEXEC, FIRST_FD);
	fd_close(fd);
	*fd = copy;
	return copy < 0 ? -1 : 0;
}

static int open_record(struct foso_sandbox *sandbox, struct error *err)
{
	sandbox->record_fd = sys_memfd_create("foso-record", MFD_CLOEXEC);
	if (sandbox->record_fd < 0 || move_up(&sandbox->record_fd) < 0)
		return failed("no file for its record", err);
	return 0;
}

static int open_control(struct foso_sandbox *sandbox, int *ret_far_fd, struct error *err)
{
	int ends[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return failed("no socket to it", err);
	sandbox->control_fd = ends[0];
	*ret_far_fd = ends[1];
	sandbox->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	struct epoll_event event = { .events = EPOLLIN };
	if (move_up(ret_far_fd) < 0 || sandbox->epoll_fd < 0 ||
	    epoll_ctl(sandbox->epoll_fd, EPOLL_CTL_ADD, sandbox->control_fd, &event) < 0)
		return failed("its socket cannot be watched", err);
	return 0;
}

static int launch(struct foso_sandbox *sandbox, struct plan *plan, const int stdio[3],
		  struct error *err)
{
	struct launch launch = { .start = { .plan_fd = -1 }, .control_fd = -1 };
	int r;
	plan->is_quiet = true;
	plan->is_session = sandbox->is_session;
	plan->status_fd = plan->root_changes_fd = plan->root_image_fd = -1;
	plan->control_fd = CONTROL_FD;
	plan->result_fd = RESULT_FD;
	if ((r = open_record(sandbox, err)) < 0 ||
	    (r = open_control(sandbox, &launch.control_fd, err)) < 0)
		goto close_fds;
	memcpy(launch.stdio, stdio, sizeof(launch.stdio));
	launch.record_fd = sandbox->record_fd;
	r = plan_start_prepare(plan, client_programs(), &launch.start, err);
	if (r == 0 && move_up(&launch.start.plan_fd) < 0)
		r = failed("no descriptor for its plan", err);
	if (r == 0)
		r = fork_monitor(sandbox, &launch, err);
close_fds:
	fd_close(&launch.start.plan_fd);
	fd_close(&launch.control_fd);
	return r;
}

int client_start(struct foso_sandbox *sandbox, const struct policy *policy,
		 const struct control_exec *exec, const int stdio[3], struct error *err)
{
	struct plan plan = { .result_fd = -1 };
	auto_fd int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	if (null_fd < 0 || move_up(&null_fd) < 0)
		return failed("/dev/null cannot be opened", err);
	const int nothing[3] = { null_fd, null_fd, null_fd };
	int r = fill_plan(&plan, policy, exec, err);
	if (r == 0)
		r = launch(sandbox, &plan, stdio ? stdio : nothing, err);
	plan_fini(&plan);
	return r;
}
