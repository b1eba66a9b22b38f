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

static void open_terminal(struct monitor *monitor, struct command *command, int pty_fd)
{
	int input = fcntl(pty_fd, F_DUPFD_CLOEXEC, 3);
	(void)fcntl(pty_fd, F_SETFL, O_NONBLOCK);
	command->pty_fd = pty_fd;
	/* What a holder's streams are is his own: he tells the size, and sees to raw mode. */
	if (monitor->plan->control_fd < 0) {
		terminal_save(monitor);
		terminal_resize(monitor);
	}
	relay_open(&command->in, take_fd(&command->caller_fds[0]), input, true);
	relay_open(&command->out, pty_fd, take_fd(&command->caller_fds[1]), false);
	command->in.can_splice = command->out.can_splice = false;
}

static void restrict_self(struct monitor *monitor)
{
	struct error err = { 0 };
	if (monitor->stage == MONITOR_BUILDING)
		monitor->stage = MONITOR_RUNNING;
	monitor->is_started = true;
	if (monitor_restrict(monitor, &err) < 0) {
		monitor->failure = err;
		monitor_end(monitor, END_REFUSED, NULL);
		monitor_kill(monitor);
	}
}

static void say_ready(struct monitor *monitor)
{
	struct control_words words = { 0 };
	if (monitor->plan->control_fd < 0 || monitor->stage == MONITOR_ENDING)
		return;
	(void)snprintf(words.name, sizeof(words.name), "%s", monitor->id);
	control_say(monitor, CONTROL_READY, &words);
}

/* A session stands without a command; else its rights go when the command has started. */
static void on_ready(struct monitor *monitor)
{
	if (monitor->plan->is_session)
		restrict_self(monitor);
	say_ready(monitor);
}

static void on_started(struct monitor *monitor, struct command *command, struct level_event *event)
{
	command->is_started = true;
	if (command->stage == COMMAND_ORDERED) {
		command->stage = COMMAND_RUNNING;
		if (event->pty_fd >= 0)
			open_terminal(monitor, command, take_fd(&event->pty_fd));
	}
	fd_close(&event->pty_fd); /* Killed meanwhile: nobody reads it. */
	if (!monitor->plan->is_session)
		restrict_self(monitor);
	if (monitor->plan->control_fd >= 0)
		control_say(monitor, CONTROL_STARTED,
			    &(struct control_words){ .command = command->number });
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
	{ ENAMETOOLONG, "is longer than the name of a file can be", "name a program" },
	{ ELOOP, "is a link in a circle of links", "name a program, or mend the links" },
	{ E2BIG, "has more arguments and environment than the kernel takes",
	  "pass the data through a file or stdin" },
};

static void explain_exec(const char *name, int errnum, struct error *err)
{
	for (size_t i = 0; i < ARRAY_LEN(exec_causes); i++) {
		if (exec_causes[i].errnum == errnum) {
			int r = error_set(err, ERR_NOT_FOUND, 0, "args[0]", "'%.120s' %s", name,
					  exec_causes[i].words);
			(void)error_remedy(err, r, "%s", exec_causes[i].remedy);
			return;
		}
	}
	int r = error_set(err, ERR_SYSTEM, errnum, "args[0]", "'%.120s' cannot be executed", name);
	(void)error_remedy(err, r, "see foso doctor");
}

static void on_not_started(struct monitor *monitor, struct command *command,
			   const struct level_event *event)
{
	bool is_session = monitor->plan->is_session;
	struct error *failure = is_session ? &command->failure : &monitor->failure;
	if (failure->code != ERR_NONE)
		return;
	if (event->err.code != ERR_NONE) {
		*failure = event->err;
		command_end(command, END_REFUSED, NULL);
	} else {
		const char *name = is_session ? command->name : monitor->plan->policy.args.items[0];
		explain_exec(name, event->errnum, failure);
		command->end.code = event->code;
		command_end(command, END_EXIT, NULL);
	}
	if (is_session) {
		command->is_kept = false;
		command_exited(monitor, command);
	} else {
		monitor_kill(monitor);
	}
}

/* What an engine judges for each command by itself: fuel, memory; and what a module may not do. */
static void judge_own_limit(struct monitor *monitor, struct command *command,
			    const struct level_event *event)
{
	struct error *failure = monitor->plan->is_session ? &command->failure : &monitor->failure;
	if (event->reason != END_TRAP && !event->limit)
		return;
	if (command->end.reason == END_N_REASONS && event->err.code != ERR_NONE)
		*failure = event->err;
	command_end(command, event->reason, event->limit);
}

static void on_exited(struct monitor *monitor, struct command *command,
		      const struct level_event *event)
{
	struct error err = { 0 };
	bool may_keep = monitor->plan->policy.background == POLICY_BACKGROUND_KEEP &&
			command->end.reason == END_N_REASONS;
	judge_own_limit(monitor, command, event);
	judge_exit(monitor, command, event->code, event->signal);
	monitor->n_survivors = 0;
	if (monitor->plan->is_session) {
		command_exited(monitor, command);
		return;
	}
	command->is_exited = true;
	if (!may_keep || monitor_list(monitor, &err) < 0)
		monitor_kill(monitor);
}

/* The list tells whether anything lives on: asked at the end of the command, then regularly. */
static void on_list_end(struct monitor *monitor)
{
	monitor->is_listing = false;
	if (monitor->plan->is_session) {
		control_say(monitor, CONTROL_LIST_END, NULL);
		return;
	}
	if (monitor->n_survivors == 0)
		monitor_kill(monitor);
	else if (monitor->stage == MONITOR_RUNNING)
		monitor_keep(monitor);
	if (monitor->stage == MONITOR_KEPT)
		monitor->n_survivors = 0;
}

/* What used up the memory cannot be told; when all is given back, the sandbox can go on. */
static void end_commands(struct monitor *monitor, enum end_reason reason, const char *limit)
{
	struct error err = { 0 };
	if (monitor->sandbox.level->kill_command(&monitor->sandbox, 0, &err) < 0) {
		monitor_end(monitor, reason, limit);
		monitor_kill(monitor);
		return;
	}
	for (size_t i = 0; i < monitor->n_commands; i++) {
		struct command *command = &monitor->commands[i];
		if (command->stage == COMMAND_FREE || command->stage == COMMAND_KEPT)
			continue;
		command_end(command, reason, limit);
		command_kill_tree(monitor, command);
	}
}

static void on_limit(struct monitor *monitor, const struct level_event *event)
{
	if (event->reason == END_PIDS && event->is_used_up) {
		monitor->pids_full_ns = monitor_now_ns();
	} else if (event->reason == END_PIDS) {
		monitor->pids_hit_ns = monitor_now_ns();
	} else if (event->reason == END_DISK && !event->is_exceeded) {
		monitor->disk_hit_ns = monitor_now_ns();
		monitor->disk_limit = event->limit;
	} else if (event->reason == END_MEMORY && monitor->plan->is_session) {
		end_commands(monitor, event->reason, event->limit);
	} else {
		monitor_end(monitor, event->reason, event->limit);
		monitor_kill(monitor);
	}
}

static void on_lost(struct monitor *monitor, const struct level_event *event)
{
	if (monitor->stage == MONITOR_ENDING)
		return; /* Whatever it says now, it is being ended. */
	if (monitor->failure.code == ERR_NONE)
		monitor->failure = event->err;
	bool has_run = monitor->is_started || event->may_have_run;
	monitor_end(monitor, has_run ? END_SANDBOX_LOST : END_REFUSED, NULL);
	monitor_kill(monitor);
}

static void on_lie(struct monitor *monitor)
{
	struct level_event event = { .type = LEVEL_EVENT_LOST };
	int r = error_set(&event.err, ERR_PROTOCOL, 0, "sandbox",
			  "foso-init told what cannot be, or what nobody asked");
	(void)error_remedy(&event.err, r, "run it again; if it repeats, report it");
	on_lost(monitor, &event);
}

static void on_process(struct monitor *monitor, const struct level_event *event)
{
	struct control_words words = { .pid = (uint32_t)event->pid };
	monitor->n_survivors++;
	if (!monitor->plan->is_session)
		return;
	memcpy(words.name, event->name, sizeof(words.name));
	control_say(monitor, CONTROL_PROCESS, &words);
}

/* A command that was never ordered, one that starts twice, or a terminal that nobody wanted. */
static bool is_lie(const struct monitor *monitor, const struct command *command,
		   const struct level_event *event)
{
	if (event->command == 0 || event->command > monitor->last_number)
		return true;
	if (event->type != LEVEL_EVENT_STARTED || !command || command->is_exited)
		return false;
	return command->is_started || (event->pty_fd >= 0) != command->is_tty;
}

static void on_command_event(struct monitor *monitor, struct level_event *event)
{
	struct command *command = command_by_number(monitor, event->command);
	if (is_lie(monitor, command, event)) {
		fd_close(&event->pty_fd);
		on_lie(monitor);
	} else if (!command || command->is_exited) {
		fd_close(&event->pty_fd); /* It is over: what is left of it says no more. */
	} else if (event->type == LEVEL_EVENT_STARTED) {
		on_started(monitor, command, event);
	} else if (event->type == LEVEL_EVENT_NOT_STARTED) {
		on_not_started(monitor, command, event);
	} else if (monitor->plan->is_session || monitor->stage == MONITOR_RUNNING) {
		on_exited(monitor, command, event);
	}
}

static void on_event(struct monitor *monitor, struct level_event *event)
{
	switch (event->type) {
	case LEVEL_EVENT_READY:
		on_ready(monitor);
		break;
	case LEVEL_EVENT_STARTED:
	case LEVEL_EVENT_NOT_STARTED:
	case LEVEL_EVENT_EXITED:
		on_command_event(monitor, event);
		break;
	case LEVEL_EVENT_LIMIT:
		on_limit(monitor, event);
		break;
	case LEVEL_EVENT_PROCESS:
	case LEVEL_EVENT_LIST_END:
		if (!monitor->is_listing)
			on_lie(monitor);
		else if (event->type == LEVEL_EVENT_PROCESS)
			on_process(monitor, event);
		else
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
	/* A flood of events must not keep the deadline from being looked at. */
	for (int i = 0; i < MONITOR_EVENTS_AT_ONCE; i++) {
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
	/* Not raise(): musl makes it of tkill(), which the monitor has given up. */
	(void)kill(getpid(), SIGSTOP);
	/* A job that its user stopped does not use up its deadline meanwhile. */
	if (monitor->deadline_ns != UINT64_MAX)
		monitor->deadline_ns += monitor_now_ns() - stopped_ns;
	send_signal(monitor, SIGCONT);
}

/* The command's own end, if it had one, stays what it was. */
static void end_by_caller(struct monitor *monitor, int number)
{
	struct end *end = monitor->plan->is_session ? &monitor->end : &monitor->commands[0].end;
	if (monitor->stage == MONITOR_ENDING) {
		monitor->is_dismissed = true;
		return;
	}
	if (end->reason == END_N_REASONS)
		end->signal = number == RUNDIR_KILL_SIGNAL ? SIGKILL : number;
	else
		monitor_note(monitor,
			     number == RUNDIR_KILL_SIGNAL
				     ? "what had lived on was ended by foso kill"
				     : "what had lived on was ended by a signal to its monitor");
	monitor_end(monitor, END_KILLED, NULL);
	monitor_kill(monitor);
}

/* USR1 and USR2 mean something to a command only. */
static bool is_request_to_end(int number)
{
	return number == SIGINT || number == SIGTERM || number == SIGHUP || number == SIGQUIT;
}

static void on_signal(struct monitor *monitor, int number)
{
	bool is_quiet = number == SIGWINCH || number == SIGCONT || number == SIGTSTP;
	bool is_session = monitor->plan->is_session;
	/* A session has no command that signals to the monitor could be meant for. */
	bool has_begun = !is_session && command_has_begun(&monitor->commands[0]);
	/* Nor has what was kept: whoever stops the machine must not have to wait for it. */
	bool is_kept = monitor->stage == MONITOR_KEPT && is_request_to_end(number);
	if (number == RUNDIR_KILL_SIGNAL || is_kept || (!has_begun && !is_quiet)) {
		end_by_caller(monitor, number);
	} else if (number == SIGWINCH) {
		terminal_resize(monitor);
	} else if (number == SIGTSTP && monitor->stage == MONITOR_RUNNING && !is_session) {
		stop_and_continue(monitor);
	} else if (!is_quiet && monitor->stage <= MONITOR_RUNNING) {
		monitor->passed_signal = number;
		send_signal(monitor, number);
	} else if (monitor->stage == MONITOR_ENDING && is_request_to_end(number)) {
		monitor->is_dismissed = true;
	}
}

void monitor_on_signals(struct monitor *monitor)
{
	struct signalfd_siginfo info;
	while (read(monitor->signal_fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
		on_signal(monitor, (int)info.ssi_signo);
}
