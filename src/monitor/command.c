/* SPDX-License-Identifier: Apache-2.0 */
/*
 * command.c - one command of a session, from its slot to its last byte
 *
 * The command is over when its main process has ended; what it started goes with it, unless it
 * may keep it.  Its holder is told once the output has been passed on, so that he never sees an
 * end before the bytes that came first.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "monitor/monitor.h"

struct command *command_by_number(struct monitor *monitor, unsigned number)
{
	for (size_t i = 0; i < monitor->n_commands; i++) {
		struct command *command = &monitor->commands[i];
		if (command->stage != COMMAND_FREE && command->number == number)
			return command;
	}
	return NULL;
}

struct command *command_new(struct monitor *monitor)
{
	size_t i = 0;
	while (i < monitor->n_commands && monitor->commands[i].stage != COMMAND_FREE)
		i++;
	if (i == MONITOR_MAX_COMMANDS)
		return NULL;
	if (i == monitor->n_commands)
		monitor->n_commands++;
	struct command *command = &monitor->commands[i];
	command->number = ++monitor->last_number;
	command->stage = COMMAND_ORDERED;
	command->deadline_ns = UINT64_MAX;
	command->output_max_bytes = monitor->plan->policy.limits.output_bytes;
	command->pty_fd = -1;
	command->end = (struct end){ .reason = END_N_REASONS, .code = -1 };
	for (int fd = 0; fd < 3; fd++)
		command->caller_fds[fd] = -1;
	return command;
}

void command_close(struct command *command)
{
	relay_close(&command->in);
	relay_close(&command->out);
	relay_close(&command->err);
	for (int i = 0; i < 3; i++) {
		if (command->caller_fds[i] > 2)
			fd_close(&command->caller_fds[i]);
	}
	memset(command, 0, sizeof(*command));
}

void command_end(struct command *command, enum end_reason reason, const char *limit)
{
	if (command->end.reason != END_N_REASONS)
		return;
	command->end.reason = reason;
	command->end.limit = limit;
}

/* Its first bytes can come before the word that it runs. */
bool command_has_begun(const struct command *command)
{
	return command->is_started || command->out.n_passed_bytes > 0 ||
	       command->err.n_passed_bytes > 0;
}

bool commands_are_running(const struct monitor *monitor)
{
	for (size_t i = 0; i < monitor->n_commands; i++) {
		enum command_stage stage = monitor->commands[i].stage;
		if (stage != COMMAND_FREE && stage != COMMAND_KEPT)
			return true;
	}
	return false;
}

static void drain(struct command *command)
{
	relay_close(&command->in);
	command->stage = COMMAND_DRAINING;
	if (command->ending_ns == 0)
		command->ending_ns = monitor_now_ns();
}

/*
 * The main process by its own signal too: it may not have entered its group yet.  Whatever it
 * starts meanwhile is ended when it has exited.
 */
void command_kill_tree(struct monitor *monitor, struct command *command)
{
	const struct level *level = monitor->sandbox.level;
	struct error err = { 0 };
	if (command->stage != COMMAND_KEPT)
		drain(command);
	if (level->kill_command(&monitor->sandbox, command->number, &err) < 0 ||
	    (!command->is_exited &&
	     level->signal(&monitor->sandbox, command->number, 0, SIGKILL, &err) < 0)) {
		/* A command that nobody can end is ended with everything around it. */
		monitor_note(monitor, "a command could not be killed alone");
		monitor_end(monitor, END_SANDBOX_LOST, NULL);
		monitor_kill(monitor);
	}
}

static void remember(struct monitor *monitor, const struct command *command)
{
	if (!monitor->history)
		monitor->history = calloc(EVIDENCE_MAX_COMMANDS, sizeof(*monitor->history));
	size_t at = monitor->n_history++;
	if (!monitor->history || at >= EVIDENCE_MAX_COMMANDS)
		return;
	struct evidence_command *item = &monitor->history[at];
	item->number = command->number;
	(void)snprintf(item->name, sizeof(item->name), "%s", command->name);
	item->end = command->end;
	item->started_realtime_ns = command->started_realtime_ns;
	item->wall_ns = monitor_now_ns() - command->started_ns;
	item->stdout_bytes = command->out.n_passed_bytes;
	item->stderr_bytes = command->err.n_passed_bytes;
	item->lost_bytes = command->out.n_lost_bytes + command->err.n_lost_bytes;
}

/* The reader did not take it in time: what stays is counted, not waited for. */
static void discard_rest(struct relay *relay)
{
	relay->is_discarding = true;
	for (int round = 0; round < 64 && relay->is_open; round++)
		relay_pump(relay, 0);
	relay_close(relay);
}

static void tell_end(struct monitor *monitor, struct command *command)
{
	command_end(command, END_SANDBOX_LOST, NULL);
	remember(monitor, command);
	control_say_ended(monitor, command, end_exit_status(&command->end));
	if (!commands_are_running(monitor))
		monitor->idle_since_ns = monitor_now_ns();
}

static void free_slot(struct monitor *monitor, struct command *command)
{
	monitor->n_stdout_bytes += command->out.n_passed_bytes;
	monitor->n_stderr_bytes += command->err.n_passed_bytes;
	monitor->n_lost_bytes += command->out.n_lost_bytes + command->err.n_lost_bytes;
	command_close(command);
}

static void finish(struct monitor *monitor, struct command *command)
{
	relay_close(&command->in);
	discard_rest(&command->out);
	discard_rest(&command->err);
	if (command->stage != COMMAND_KEPT)
		tell_end(monitor, command);
	free_slot(monitor, command);
}

/* What was written before the end comes before the end; what follows is a guest's. */
static void keep(struct monitor *monitor, struct command *command)
{
	relay_pump(&command->out, command->output_max_bytes);
	relay_pump(&command->err, command->output_max_bytes);
	relay_close(&command->in);
	command->out.outlives_reader = command->err.outlives_reader = true;
	tell_end(monitor, command);
	command->stage = COMMAND_KEPT;
}

void command_exited(struct monitor *monitor, struct command *command)
{
	command->is_exited = true;
	if (command->is_kept && command->stage == COMMAND_RUNNING) {
		keep(monitor, command);
		return;
	}
	/* Also after a kill: only now is it certain that nothing new can come from it. */
	command_kill_tree(monitor, command);
}

static bool is_drained(const struct command *command, uint64_t now_ns)
{
	if (command->is_exited && !command->out.is_open && !command->err.is_open)
		return true;
	if (now_ns < command->ending_ns + MONITOR_GRACE_NS * 3 / 4)
		return false;
	/* Only the bytes of a command that ended by itself are worth waiting for, and only them. */
	bool is_forced = command->end.reason != END_EXIT && command->end.reason != END_SIGNAL;
	return is_forced || now_ns >= command->deadline_ns ||
	       (!relay_has_waiting(&command->out) && !relay_has_waiting(&command->err));
}

void command_check(struct monitor *monitor, struct command *command)
{
	uint64_t now_ns = monitor_now_ns();
	switch (command->stage) {
	case COMMAND_FREE:
		break;
	case COMMAND_ORDERED:
	case COMMAND_RUNNING:
		if (now_ns >= command->deadline_ns) {
			judge_deadline(monitor, command);
			command_kill_tree(monitor, command);
		}
		break;
	case COMMAND_DRAINING:
		if (is_drained(command, now_ns))
			finish(monitor, command);
		break;
	case COMMAND_KEPT:
		if (!command->out.is_open && !command->err.is_open)
			free_slot(monitor, command);
		break;
	}
}

void commands_finish(struct monitor *monitor)
{
	for (size_t i = 0; i < monitor->n_commands; i++) {
		struct command *command = &monitor->commands[i];
		if (command->stage == COMMAND_FREE)
			continue;
		if (monitor->plan->is_session) {
			finish(monitor, command);
			continue;
		}
		discard_rest(&command->out);
		discard_rest(&command->err);
		relay_close(&command->in);
	}
}
