/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - what the sandbox and the caller tell the monitor */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "monitor/monitor.h"

static void open_terminal(struct monitor *monitor, int pty_fd)
{
	int input = fcntl(pty_fd, F_DUPFD_CLOEXEC, 3);
	(void)fcntl(pty_fd, F_SETFL, O_NONBLOCK);
	monitor->pty_fd = pty_fd;
	terminal_save(monitor);
	terminal_resize(monitor);
	relay_open(&monitor->in, 0, input, true);
	relay_open(&monitor->out, pty_fd, 1, false);
	monitor->in.can_splice = monitor->out.can_splice = false;
}

static void on_started(struct monitor *monitor, struct level_event *event)
{
	struct error err = { 0 };
	monitor->is_started = true;
	monitor->stage = MONITOR_RUNNING;
	if (event->pty_fd >= 0)
		open_terminal(monitor, event->pty_fd);
	if (monitor_restrict(monitor, &err) < 0) {
		monitor->failure = err;
		monitor_end(monitor, END_REFUSED, NULL);
		monitor_kill(monitor);
	}
}

/* Why a command cannot be executed, in words; the errno is foso-init's (see init/exec.c). */
static const struct {
	int errnum;
	const char *words, *remedy;
} exec_causes[] = {
	{ ENOENT, "is not in the sandbox", "install it there, or name its path" },
	{ ENOTDIR, "is not in the sandbox", "install it there, or name its path" },
	{ EACCES, "is not executable", "chmod +x it, or run it through its interpreter" },
	{ EISDIR, "is a directory", "name a program" },
	{ ENOEXEC, "is neither a program nor a script with an interpreter line",
	  "begin it with #!/bin/sh, or run it through its interpreter" },
	{ ELIBACC, "names an interpreter that is not in the sandbox",
	  "install the interpreter, or mend the first line" },
	{ E2BIG, "has more arguments and environment than the kernel takes",
	  "pass the data through a file or stdin" },
};

static void explain_exec(struct monitor *monitor, int errnum)
{
	const char *name = monitor->plan->policy.args.items[0];
	struct error *err = &monitor->failure;
	for (size_t i = 0; i < ARRAY_LEN(exec_causes); i++) {
		if (exec_causes[i].errnum == errnum) {
			int r = error_set(err, ERR_NOT_FOUND, 0, "args[0]", "'%s' %s", name,
					  exec_causes[i].words);
			(void)error_remedy(err, r, "%s", exec_causes[i].remedy);
			return;
		}
	}
	int r = error_set(err, ERR_SYSTEM, errnum, "args[0]", "'%s' cannot be executed", name);
	(void)error_remedy(err, r, "see foso doctor");
}

static void on_not_started(struct monitor *monitor, const struct level_event *event)
{
	if (event->err.code != ERR_NONE) {
		monitor->failure = event->err;
		monitor_end(monitor, END_REFUSED, NULL);
	} else {
		explain_exec(monitor, event->errnum);
		monitor->end.code = event->code;
		monitor_end(monitor, END_EXIT, NULL);
	}
	monitor_kill(monitor);
}

static void on_exited(struct monitor *monitor, const struct level_event *event)
{
	struct error err = { 0 };
	bool may_keep = monitor->plan->policy.background == POLICY_BACKGROUND_KEEP &&
			monitor->end.reason == END_N_REASONS;
	judge_exit(monitor, event->code, event->signal);
	monitor->n_survivors = 0;
	if (!may_keep || monitor->sandbox.level->list(&monitor->sandbox, &err) < 0)
		monitor_kill(monitor);
}

/* The list tells whether anything lives on: asked at the end of the command, then regularly. */
static void on_list_end(struct monitor *monitor)
{
	if (monitor->n_survivors == 0)
		monitor_kill(monitor);
	else if (monitor->stage == MONITOR_RUNNING)
		monitor_keep(monitor);
	if (monitor->stage == MONITOR_KEPT)
		monitor->n_survivors = 0;
}

static void on_limit(struct monitor *monitor, const struct level_event *event)
{
	if (event->reason == END_PIDS) {
		monitor->pids_hit_ns = monitor_now_ns();
	} else if (event->reason == END_DISK) {
		monitor->disk_hit_ns = monitor_now_ns();
	} else {
		monitor_end(monitor, event->reason, event->limit);
		monitor_kill(monitor);
	}
}

static void on_lost(struct monitor *monitor, const struct level_event *event)
{
	if (monitor->failure.code == ERR_NONE)
		monitor->failure = event->err;
	monitor_end(monitor, monitor->is_started ? END_SANDBOX_LOST : END_REFUSED, NULL);
	monitor_kill(monitor);
}

static void on_event(struct monitor *monitor, struct level_event *event)
{
	bool is_running = event->command == MONITOR_COMMAND && monitor->stage == MONITOR_RUNNING;
	switch (event->type) {
	case LEVEL_EVENT_READY:
		break;
	case LEVEL_EVENT_STARTED:
		on_started(monitor, event);
		break;
	case LEVEL_EVENT_NOT_STARTED:
		on_not_started(monitor, event);
		break;
	case LEVEL_EVENT_EXITED:
		if (is_running)
			on_exited(monitor, event);
		break;
	case LEVEL_EVENT_LIMIT:
		on_limit(monitor, event);
		break;
	case LEVEL_EVENT_PROCESS:
		monitor->n_survivors++;
		break;
	case LEVEL_EVENT_LIST_END:
		on_list_end(monitor);
		break;
	case LEVEL_EVENT_LOST:
		on_lost(monitor, event);
		break;
	case LEVEL_EVENT_GONE:
		monitor->is_gone = true;
		break;
	}
}

void monitor_on_level(struct monitor *monitor)
{
	for (;;) {
		struct level_event event;
		struct error err = { 0 };
		int r = monitor->sandbox.level->dispatch(&monitor->sandbox, &event, &err);
		if (r == 0)
			return;
		if (r < 0) {
			event = (struct level_event){ .type = LEVEL_EVENT_LOST, .err = err };
			on_lost(monitor, &event);
			return;
		}
		on_event(monitor, &event);
	}
}

static void send_signal(struct monitor *monitor, int number)
{
	struct error err = { 0 };
	if (monitor->sandbox.level->signal(&monitor->sandbox, MONITOR_COMMAND, 0, number, &err) < 0)
		monitor_note(monitor, "a signal could not be delivered");
}

/* Ctrl-Z: the command stops, then we do, as one job; and both go on together. */
static void stop_and_continue(struct monitor *monitor)
{
	uint64_t stopped_ns = monitor_now_ns();
	send_signal(monitor, SIGSTOP);
	(void)raise(SIGSTOP);
	/* A job that its user stopped does not use up its deadline meanwhile. */
	if (monitor->deadline_ns != UINT64_MAX)
		monitor->deadline_ns += monitor_now_ns() - stopped_ns;
	send_signal(monitor, SIGCONT);
}

/* The command's own end, if it had one, stays what it was. */
static void end_by_caller(struct monitor *monitor, int number)
{
	if (monitor->end.reason == END_N_REASONS)
		monitor->end.signal = number == RUNDIR_KILL_SIGNAL ? SIGKILL : number;
	else
		monitor_note(monitor, "what had lived on was ended by foso kill");
	monitor_end(monitor, END_KILLED, NULL);
	monitor_kill(monitor);
}

static void on_signal(struct monitor *monitor, int number)
{
	bool is_quiet = number == SIGWINCH || number == SIGCONT || number == SIGTSTP;
	if (number == RUNDIR_KILL_SIGNAL || (!monitor->is_started && !is_quiet)) {
		end_by_caller(monitor, number);
	} else if (number == SIGWINCH) {
		terminal_resize(monitor);
	} else if (number == SIGTSTP && monitor->stage == MONITOR_RUNNING) {
		stop_and_continue(monitor);
	} else if (!is_quiet && monitor->stage == MONITOR_RUNNING) {
		send_signal(monitor, number);
	}
}

void monitor_on_signals(struct monitor *monitor)
{
	struct signalfd_siginfo info;
	while (read(monitor->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		on_signal(monitor, (int)info.ssi_signo);
}
