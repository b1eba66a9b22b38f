/* SPDX-License-Identifier: Apache-2.0 */
/* process.c - level `process`: Linux namespaces, control groups, seccomp and Landlock */
#include "levels/process/process.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "levels/process/events.h"

static int fail(struct error *err, int errnum, const char *message)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "sandbox", "%s", message);
	return error_remedy(err, r, "see foso doctor");
}

static int process_probe(const struct policy *policy, struct error_list *errors)
{
	int r = policy_check(policy, POLICY_LEVEL_PROCESS, errors);
	/* The host is asked only if it matters here: else there is time while the child builds. */
	int strict = policy->limits.is_strict
			     ? limit_check_strict(cgroup_this_host(), &policy->limits, errors)
			     : 0;
	return r < 0 ? r : strict;
}

/* How long the groups are waited for: the caller's grace is used up if a process is stuck. */
#define DYING_WAIT_MS 1000
#define STUCK_WAIT_MS 50

static void process_teardown(struct sandbox *sandbox, struct error_list *leftovers)
{
	struct process *process = sandbox->impl;
	if (!process)
		return;
	if (process->pid > 0 && !process->is_gone) {
		(void)sys_pidfd_send_signal(process->pidfd, SIGKILL);
		/* A process that the kernel cannot end in time is left: gc finds its group. */
		struct pollfd end = { .fd = process->pidfd, .events = POLLIN };
		(void)poll(&end, 1, PROCESS_END_MS);
		(void)waitpid(process->pid, NULL, WNOHANG);
	}
	bool is_stuck = process->pid > 0 && !process->is_gone && process->is_killed;
	int *fds[] = { &process->channel_fd,    &process->sync_fd,       &process->pidfd,
		       &process->scratch_fd,    &process->watch_fd,      &process->setup.channel_fd,
		       &process->setup.sync_fd, &process->setup.init_fd, &process->setup.null_fd,
		       &process->epoll_fd };
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fd_close(fds[i]);
	for (size_t i = 0; i < process->n_listeners; i++)
		fd_close(&process->listeners[i].fd);
	attach_fini(&process->attach);
	if (process->has_cgroup)
		cgroup_destroy(&process->cgroup, is_stuck ? STUCK_WAIT_MS : DYING_WAIT_MS,
			       leftovers);
	free(process);
	sandbox->impl = NULL;
	sandbox->event_fd = -1;
}

/* Nothing can be asked of a sandbox that does not stand yet, or does no longer. */
int process_check_stands(const struct sandbox *sandbox, struct error *err)
{
	const struct process *process = sandbox->impl;
	if (process && !process->is_killed && !process->is_gone)
		return 0;
	int r = error_set(err, ERR_UNAVAILABLE, 0, "sandbox", "it does not stand");
	return error_remedy(err, r, "open another one");
}

static kept_apart void undo_provision(struct sandbox *sandbox)
{
	struct error_list leftovers = { 0 };
	process_teardown(sandbox, &leftovers);
}

static int process_provision(struct sandbox *sandbox, struct error *err)
{
	if (sandbox->impl) {
		int exists = error_set(err, ERR_EXISTS, 0, "sandbox", "it stands already");
		return error_remedy(err, exists, "open another one");
	}
	struct process *process = calloc(1, sizeof(*process));
	if (!process)
		return fail(err, ENOMEM, "no memory");
	process->setup = (struct process_setup){
		.channel_fd = -1, .sync_fd = -1, .init_fd = -1, .null_fd = -1, .group_fd = -1
	};
	process->channel_fd = process->sync_fd = process->pidfd = process->epoll_fd = -1;
	process->scratch_fd = process->watch_fd = -1;
	attach_init(&process->attach);
	sandbox->impl = process;
	int r = process_stand_up(sandbox, process, err);
	if (r == 0)
		r = process_events_open(sandbox, process, err);
	if (r < 0) {
		r = process_prefer_child_words(process, r, err);
		undo_provision(sandbox);
	}
	return r;
}

/*
 * At the limit itself the kernel would refuse a request before the watchdog can see the limit
 * reached, and the command would fail for a reason that nobody can tell: so the watchdog comes
 * first, and this bounds what a process can take between two looks of it.
 */
#define RLIMIT_DATA_FACTOR 4

static void add_rlimit(struct init_spawn *spawn, int resource, uint64_t value)
{
	struct rlimit now;
	if (value == POLICY_UNLIMITED || spawn->n_rlimits == INIT_MAX_RLIMITS)
		return;
	/*
	 * Only root may raise; the caller's own bound then holds, and it is the smaller one.  By
	 * number, since glibc's getrlimit() wants an enum and musl's an int.
	 */
	if (syscall(SYS_prlimit64, 0, resource, NULL, &now) == 0 && now.rlim_max != RLIM_INFINITY)
		value = MIN(value, (uint64_t)now.rlim_max);
	spawn->rlimits[spawn->n_rlimits++] = (struct init_rlimit){ (uint32_t)resource, value };
}

static void add_rlimits(const struct process *process, const struct policy_limits *limits,
			struct init_spawn *spawn)
{
	const bool *used = process->cgroup.is_used;
	bool has_pids = process->has_cgroup && used[CGROUP_PIDS];
	bool has_memory = process->has_cgroup && used[CGROUP_MEMORY];
	add_rlimit(spawn, RLIMIT_CORE, 0);
	add_rlimit(spawn, RLIMIT_NOFILE, limits->files);
	/* Between two looks of a watchdog one file shall not grow beyond all bounds. */
	bool has_watchdog = process->attach.has_changes &&
			    process->attach.changes.record.mechanism == CHANGES_FOLDER;
	add_rlimit(spawn, RLIMIT_FSIZE,
		   has_watchdog ? MIN(limits->file_size_bytes, limits->disk_bytes)
				: limits->file_size_bytes);
	add_rlimit(spawn, RLIMIT_NICE, 0);
	add_rlimit(spawn, RLIMIT_RTPRIO, 0);
	add_rlimit(spawn, RLIMIT_SIGPENDING, PROCESS_MAX_SIGNALS);
	if (limits->cpu_time_ns != POLICY_UNLIMITED)
		add_rlimit(spawn, RLIMIT_CPU, limits->cpu_time_ns / 1000000000 + 1);
	/* foso-init has the same id when rootless, and counts. */
	if (!has_pids && limits->pids != POLICY_UNLIMITED)
		add_rlimit(spawn, RLIMIT_NPROC,
			   limits->pids + (process->setup.is_rootless ? 1 : 0));
	if (!has_memory && limits->memory_bytes != POLICY_UNLIMITED)
		add_rlimit(spawn, RLIMIT_DATA, limits->memory_bytes * RLIMIT_DATA_FACTOR);
}

/* Sends the order; a long one goes through a file. */
static int send_spawn(struct process *process, const struct init_spawn *spawn, int *fds,
		      size_t n_fds)
{
	not_zeroed char storage[2048];
	auto_buf struct buf bytes = BUF_ON(storage, INIT_MAX_SPAWN_BYTES);
	auto_fd int file = -1;
	init_spawn_encode(spawn, &bytes);
	if (!buf_is_whole(&bytes))
		return E2BIG;
	if (bytes.len <= INIT_MAX_MESSAGE_BYTES)
		return init_channel_send(process->channel_fd, INIT_SPAWN, bytes.data, bytes.len,
					 fds, n_fds);
	file = sys_memfd_create("foso-spawn", MFD_CLOEXEC);
	if (file < 0 || write(file, bytes.data, bytes.len) != (ssize_t)bytes.len)
		return errno;
	fds[n_fds++] = file;
	return init_channel_send(process->channel_fd, INIT_SPAWN, NULL, 0, fds, n_fds);
}

/*
 * Need foso-init outlive its command?  Where no group counts, the last look at the tree needs it.
 */
static bool ends_with_command(const struct sandbox *sandbox)
{
	const struct process *process = sandbox->impl;
	return process && !sandbox->has_many_commands &&
	       sandbox->policy->background == POLICY_BACKGROUND_KILL && process->has_cgroup &&
	       process->cgroup.is_used[CGROUP_MEMORY] && process_counts_cpu(process);
}

static int process_execute(struct sandbox *sandbox, struct exec_plan *plan, struct error *err)
{
	struct process *process = sandbox->impl;
	struct cgroup_entry entry = { .clone_fd = -1 };
	int fds[INIT_MAX_FDS + 1];
	size_t n_fds = 0;
	/* The strings are only read for the length of this call. */
	struct init_spawn spawn = {
		.command = plan->command,
		.is_tty = plan->is_tty,
		.is_last = ends_with_command(sandbox),
		.rows = plan->rows,
		.columns = plan->columns,
		.cwd = (char *)(uintptr_t)plan->cwd,
		.user = (char *)(uintptr_t)plan->user,
		.args = *plan->args,
	};
	int r = process_check_stands(sandbox, err);
	if (r < 0)
		return r;
	spawn.n_cpus = process->n_bound_cpus;
	add_rlimits(process, &sandbox->policy->limits, &spawn);
	if (process->has_cgroup) {
		unsigned group = sandbox->has_many_commands ? plan->command : 0;
		r = cgroup_entry_open(&process->cgroup, group, &entry, err);
		if (r < 0)
			return r;
	}
	for (size_t i = 0; i < 3 && !plan->is_tty; i++)
		fds[n_fds++] = plan->stdio[i];
	spawn.has_clone_fd = entry.clone_fd >= 0;
	if (spawn.has_clone_fd)
		fds[n_fds++] = entry.clone_fd;
	for (size_t i = 0; i < entry.n_task_fds; i++)
		fds[n_fds++] = entry.task_fds[i];
	int errnum = policy_env_join(plan->env, plan->n_env, &spawn.env) < 0
			     ? ENOMEM
			     : send_spawn(process, &spawn, fds, n_fds);
	for (size_t i = 0; i < spawn.env.n_items; i++)
		free(spawn.env.items[i]);
	free(spawn.env.items);
	cgroup_entry_close(&entry);
	if (errnum != 0) {
		r = fail(err, errnum, "the command cannot be handed to foso-init");
		return process_prefer_child_words(process, r, err);
	}
	process->ends_itself = spawn.is_last;
	if (sandbox->has_many_commands)
		process_commands_add(process, plan->command);
	for (size_t i = 0; i < 3 && !plan->is_tty; i++)
		fd_close(&plan->stdio[i]);
	return 0;
}

static int send_order(struct process *process, enum init_message number,
		      const struct init_event *order, struct error *err)
{
	not_zeroed char storage[INIT_EVENT_BYTES];
	auto_buf struct buf bytes = BUF_ON(storage, 256);
	init_event_encode(order, &bytes);
	size_t len = number == INIT_LIST ? 0 : bytes.len;
	int errnum = init_channel_send(process->channel_fd, number, bytes.data, len, NULL, 0);
	return errnum == 0 ? 0 : fail(err, errnum, "foso-init cannot be reached");
}

static int process_signal(struct sandbox *sandbox, unsigned command, pid_t pid, int signal_number,
			  struct error *err)
{
	struct init_event order = { .command = command,
				    .pid = (uint32_t)pid,
				    .signal = signal_number };
	int r = process_check_stands(sandbox, err);
	return r < 0 ? r : send_order(sandbox->impl, INIT_SIGNAL, &order, err);
}

static int process_list(struct sandbox *sandbox, struct error *err)
{
	int r = process_check_stands(sandbox, err);
	return r < 0 ? r : send_order(sandbox->impl, INIT_LIST, &(struct init_event){ 0 }, err);
}

static int process_kill(struct sandbox *sandbox, struct error *err)
{
	struct process *process = sandbox->impl;
	if (!process)
		return process_check_stands(sandbox, err);
	bool is_done = process->is_gone || process->is_killed;
	process->is_killed = true;
	if (is_done)
		return 0;
	/* The end of process 1 is the end of its namespace: nothing in it can outlive it. */
	if (sys_pidfd_send_signal(process->pidfd, SIGKILL) < 0 && errno != ESRCH)
		return fail(err, errno, "foso-init cannot be killed");
	return 0;
}

const struct level level_process = {
	.name = "process",
	.id = POLICY_LEVEL_PROCESS,
	.features = LEVEL_PTY | LEVEL_BACKGROUND | LEVEL_SIGNALS,
	.probe = process_probe,
	.provision = process_provision,
	.execute = process_execute,
	.dispatch = process_dispatch,
	.signal = process_signal,
	.kill_command = process_kill_command,
	.list = process_list,
	.kill = process_kill,
	.describe = process_describe,
	.teardown = process_teardown,
};
