/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control.c - what the holder of the sandbox asks, and what he is told
 *
 * The holder has the rights of whoever started the monitor, so he is trusted, but what he sends
 * is held to the table of wire/control_messages.h as if he were not: a monitor that carries
 * kill rights must not be led astray by a program that was.  When he goes away, or breaks the
 * table, the sandbox ends.
 */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "base/text.h"
#include "monitor/monitor.h"

static int fd_of(const struct monitor *monitor)
{
	return monitor->plan->control_fd;
}

static void holder_gone(struct monitor *monitor)
{
	fd_close(&monitor->plan->control_fd);
	monitor->is_dismissed = true;
	if (monitor->stage == MONITOR_ENDING)
		return;
	monitor_note(monitor, "the holder of the sandbox went away");
	monitor_end(monitor, END_KILLED, NULL);
	monitor_kill(monitor);
}

static void violation(struct monitor *monitor, const char *what)
{
	if (monitor->stage == MONITOR_ENDING)
		return;
	if (monitor->failure.code == ERR_NONE) {
		int r = error_set(&monitor->failure, ERR_PROTOCOL, 0, "control", "%s", what);
		(void)error_remedy(&monitor->failure, r,
				   "use libfoso of the same version as foso-monitor");
	}
	monitor_end(monitor, END_SANDBOX_LOST, NULL);
	monitor_kill(monitor);
}

/* A holder that does not read is gone: the socket's send timeout bounds the wait for him. */
static void say(struct monitor *monitor, enum control_message number, const struct buf *payload)
{
	if (fd_of(monitor) < 0)
		return;
	int r = control_send(fd_of(monitor), number, payload, NULL, 0);
	if (r != 0 && r != ENOMEM)
		holder_gone(monitor);
}

void control_say(struct monitor *monitor, enum control_message number,
		 const struct control_words *words)
{
	auto_buf struct buf bytes = BUF_INIT(256);
	if (fd_of(monitor) < 0)
		return;
	if (number != CONTROL_LIST_END)
		control_words_encode(number, words, &bytes);
	say(monitor, number, &bytes);
}

static void say_end(struct monitor *monitor, enum control_message number,
		    const struct control_end *end)
{
	auto_buf struct buf bytes = BUF_INIT(4096);
	control_end_encode(end, &bytes);
	say(monitor, number, &bytes);
}

void control_say_ended(struct monitor *monitor, struct command *command, int exit_status)
{
	if (fd_of(monitor) < 0 || command->is_told)
		return;
	command->is_told = true;
	bool is_lost =
		command->end.reason == END_SANDBOX_LOST || command->end.reason == END_REFUSED;
	struct control_end end = {
		.command = command->number,
		.end = command->end,
		.exit_status = exit_status,
		.stdout_bytes = command->out.n_passed_bytes,
		.stderr_bytes = command->err.n_passed_bytes,
		.lost_bytes = command->out.n_lost_bytes + command->err.n_lost_bytes,
		.n_survivors = (uint32_t)monitor->n_survivors,
		.err = command->failure,
	};
	if (end.err.code == ERR_NONE && (is_lost || !monitor->plan->is_session))
		end.err = monitor->failure;
	say_end(monitor, CONTROL_ENDED, &end);
}

void control_say_closed(struct monitor *monitor, int exit_status)
{
	if (fd_of(monitor) < 0)
		return;
	struct control_end end = {
		.end = monitor->end,
		.exit_status = exit_status,
		.n_leftovers = (uint32_t)(monitor->leftovers.n_errors + monitor->leftovers.n_lost),
		.err = monitor->failure,
	};
	say_end(monitor, CONTROL_CLOSED, &end);
}

static void refuse(struct monitor *monitor, unsigned command, const struct error *err)
{
	struct control_end end = {
		.command = command,
		.end = { .reason = END_REFUSED, .code = -1 },
		.exit_status = error_code_exit_status(err->code),
		.err = *err,
	};
	say_end(monitor, CONTROL_REFUSED, &end);
}

static void refuse_unknown(struct monitor *monitor, unsigned command)
{
	struct error err = { 0 };
	int r = error_set(&err, ERR_NOT_FOUND, 0, "command", "%u does not run", command);
	(void)error_remedy(&err, r, "wait for its end instead");
	refuse(monitor, command, &err);
}

/* The policy's own variables, and over them those of the order; the strings are borrowed. */
static struct policy_env *merge_env(const struct policy *policy, const struct control_exec *exec,
				    size_t *ret_n_env)
{
	struct policy_env *env = calloc(policy->n_env + exec->n_env + 1, sizeof(*env));
	size_t n_env = 0;
	for (size_t i = 0; env && i < policy->n_env; i++) {
		bool is_replaced = false;
		for (size_t k = 0; k < exec->n_env && !is_replaced; k++)
			is_replaced = strcmp(exec->env[k].name, policy->env[i].name) == 0;
		if (!is_replaced)
			env[n_env++] = policy->env[i];
	}
	for (size_t k = 0; env && k < exec->n_env; k++)
		env[n_env++] = exec->env[k];
	*ret_n_env = n_env;
	return env;
}

static uint64_t deadline_after(uint64_t now_ns, uint64_t wall_ns)
{
	return wall_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + wall_ns;
}

static int check_background(const struct monitor *monitor, const struct control_exec *exec,
			    struct error *err)
{
	if (exec->background == POLICY_BACKGROUND_KILL ||
	    monitor->plan->policy.background == POLICY_BACKGROUND_KEEP)
		return 0;
	int r = error_set(err, ERR_REFUSED, 0, "background",
			  "the command would keep processes, which its policy does not");
	return error_remedy(err, r, "write background: keep in the policy");
}

static int start_command(struct monitor *monitor, struct command *command,
			 const struct control_exec *exec, struct error *err)
{
	const struct policy *policy = &monitor->plan->policy;
	const char *cwd = exec->cwd[0] ? exec->cwd : policy->cwd;
	struct exec_plan plan = {
		.args = &exec->args,
		.cwd = cwd[0] || !policy->workspace.path[0] ? cwd : "/workspace",
		.user = exec->user[0] ? exec->user : policy->user,
		.is_tty = exec->is_tty,
		.rows = exec->rows,
		.columns = exec->columns,
	};
	int r = check_background(monitor, exec, err);
	if (r < 0)
		return r;
	auto_free struct policy_env *env = merge_env(policy, exec, &plan.n_env);
	if (!env) {
		r = error_set(err, ERR_SYSTEM, ENOMEM, "env", "no memory");
		return error_remedy(err, r, "free some memory");
	}
	plan.env = env;
	return monitor_execute(monitor, command, &plan, err);
}

static void fill_command(struct monitor *monitor, struct command *command,
			 const struct control_exec *exec)
{
	const struct policy_limits *limits = &monitor->plan->policy.limits;
	command->is_kept = exec->background == POLICY_BACKGROUND_KEEP;
	command->output_max_bytes = MIN(exec->output_bytes, limits->output_bytes);
	command->deadline_ns =
		deadline_after(monitor_now_ns(), MIN(exec->wall_ns, limits->wall_ns));
	(void)snprintf(command->name, sizeof(command->name), "%s", exec->args.items[0]);
	monitor_arm_alarm(monitor, command->deadline_ns);
}

static void refuse_command(struct monitor *monitor, unsigned number, const struct error *err)
{
	struct command refused = {
		.number = number,
		.end = { .reason = END_REFUSED, .code = -1 },
		.failure = *err,
	};
	control_say_ended(monitor, &refused, error_code_exit_status(err->code));
}

static void on_exec(struct monitor *monitor, struct control_packet *packet)
{
	struct control_exec exec;
	struct error err = { 0 };
	if (!control_exec_read(&exec, packet)) {
		violation(monitor, "the order of a command is malformed");
		return;
	}
	struct command *command = NULL;
	unsigned number = monitor->last_number + 1;
	if (exec.command != number) {
		violation(monitor, "commands are not numbered one after the other");
	} else if (!(command = command_new(monitor))) {
		monitor->last_number = number;
		int r = error_set(&err, ERR_LIMIT, 0, "command",
				  "%d commands run or keep their streams open",
				  MONITOR_MAX_COMMANDS);
		(void)error_remedy(&err, r, "wait for one to end, or open another sandbox");
		refuse_command(monitor, number, &err);
	} else {
		fill_command(monitor, command, &exec);
		for (int i = 0; i < 3; i++)
			command->caller_fds[i] = take_fd(&packet->fds[i]);
		if (start_command(monitor, command, &exec, &err) < 0) {
			refuse_command(monitor, number, &err);
			command_close(command);
		}
	}
	control_exec_fini(&exec);
}

static void kill_sandbox(struct monitor *monitor, int signal_number)
{
	if (monitor->stage == MONITOR_ENDING) {
		monitor->is_dismissed = true;
		return;
	}
	monitor_end(monitor, END_KILLED, NULL);
	for (size_t i = 0; i < monitor->n_commands; i++) {
		if (monitor->commands[i].end.reason == END_KILLED)
			monitor->commands[i].end.signal = signal_number;
	}
	monitor_kill(monitor);
}

static void on_signal(struct monitor *monitor, const struct control_words *words)
{
	const struct command *command = command_by_number(monitor, words->command);
	struct error err = { 0 };
	if (!monitor->plan->is_session && !command_has_begun(&monitor->commands[0])) {
		kill_sandbox(monitor, (int)words->signal);
		return;
	}
	if (words->pid == 0 && (!command || command->is_exited)) {
		refuse_unknown(monitor, words->command);
		return;
	}
	if (monitor->sandbox.level->signal(&monitor->sandbox, words->command, (pid_t)words->pid,
					   (int)words->signal, &err) < 0)
		refuse(monitor, words->command, &err);
}

static void on_kill(struct monitor *monitor, const struct control_words *words)
{
	struct command *command = command_by_number(monitor, words->command);
	struct error err = { 0 };
	if (!monitor->plan->is_session) {
		kill_sandbox(monitor, SIGKILL);
	} else if (words->command == 0 || words->command > monitor->last_number) {
		refuse_unknown(monitor, words->command);
	} else if (command) {
		if (command->stage == COMMAND_DRAINING) {
			command->deadline_ns = 0; /* It is over: its reader is not waited for. */
		} else if (command->stage != COMMAND_KEPT) {
			command_end(command, END_KILLED, NULL);
			command->end.signal = SIGKILL;
		}
		command_kill_tree(monitor, command);
	} else if (monitor->sandbox.level->kill_command(&monitor->sandbox, words->command, &err) <
		   0) {
		/* Its slot is free, but what it left in the background can still be there. */
		refuse(monitor, words->command, &err);
	}
}

static void on_list(struct monitor *monitor)
{
	struct error err = { 0 };
	if (monitor->is_listing)
		return; /* The answer that is on its way serves both. */
	if (monitor_list(monitor, &err) < 0) {
		monitor->is_listing = false;
		refuse(monitor, 0, &err);
	}
}

static void on_resize(struct monitor *monitor, const struct control_words *words)
{
	const struct command *command = command_by_number(monitor, words->command);
	struct winsize size = { .ws_row = words->rows, .ws_col = words->columns };
	if (!command || command->pty_fd < 0 || !command->out.is_open)
		refuse_unknown(monitor, words->command);
	else
		(void)sys_ioctl(command->pty_fd, TIOCSWINSZ, &size);
}

static void on_close(struct monitor *monitor)
{
	monitor->is_shut = true;
	if (!monitor->plan->is_session)
		kill_sandbox(monitor, SIGKILL);
	if (monitor->stage == MONITOR_ENDING)
		return;
	if (monitor->end.reason == END_N_REASONS)
		monitor->end.reason = END_CLOSED;
	monitor_end(monitor, END_KILLED, NULL);
	monitor_kill(monitor);
}

static void on_message(struct monitor *monitor, struct control_packet *packet)
{
	struct control_words words = { 0 };
	bool has_words = packet->number == CONTROL_SIGNAL || packet->number == CONTROL_KILL ||
			 packet->number == CONTROL_RESIZE;
	if (has_words &&
	    !control_words_decode(packet->number, &words, packet->bytes, packet->len)) {
		violation(monitor, "a message is malformed");
		return;
	}
	/* It may have been sent before the holder could know that the sandbox ends. */
	if (monitor->stage == MONITOR_ENDING && packet->number != CONTROL_CLOSE) {
		monitor->is_dismissed = monitor->is_dismissed || packet->number == CONTROL_KILL;
		return;
	}
	if (packet->number == CONTROL_EXEC)
		on_exec(monitor, packet);
	else if (packet->number == CONTROL_SIGNAL)
		on_signal(monitor, &words);
	else if (packet->number == CONTROL_KILL)
		on_kill(monitor, &words);
	else if (packet->number == CONTROL_LIST)
		on_list(monitor);
	else if (packet->number == CONTROL_RESIZE)
		on_resize(monitor, &words);
	else
		on_close(monitor);
}

static enum control_state state_of(const struct monitor *monitor)
{
	if (monitor->is_shut)
		return CONTROL_SHUT;
	if (!monitor->plan->is_session)
		return monitor->is_started ? CONTROL_SINGLE : CONTROL_BUILDING;
	return monitor->stage == MONITOR_BUILDING ? CONTROL_BUILDING : CONTROL_OPEN;
}

void monitor_on_control(struct monitor *monitor)
{
	static struct control_packet packet;
	/* A few at a time: the output and the deadlines of others get their turn in between. */
	for (int round = 0; round < 16 && fd_of(monitor) >= 0; round++) {
		int r = control_recv(fd_of(monitor), &packet, MSG_DONTWAIT);
		if (r == EAGAIN)
			return;
		if (r == EPROTO)
			violation(monitor, "a message breaks the table of messages");
		else if (r != 0)
			holder_gone(monitor);
		else if (!control_is_allowed(packet.number, state_of(monitor)) &&
			 monitor->stage != MONITOR_ENDING)
			violation(monitor, "a message came out of turn");
		else
			on_message(monitor, &packet);
		control_packet_close(&packet);
	}
}
