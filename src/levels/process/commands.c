/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.c - which commands live, and how one of many is ended alone
 *
 * With control groups each command has its own, which the kernel empties.  Without them nothing
 * that the sandbox cannot change tells whose a process is: a command then loses its process
 * group at once, and what had left that group ends with the next moment at which no other
 * command runs, by the one signal that reaches every process but foso-init.
 */
#include <signal.h>
#include <string.h>

#include "levels/process/process.h"

#define EVERY_PROCESS ((pid_t)-1)

static bool has_groups(const struct process *process)
{
	if (!process->has_cgroup)
		return false;
	return process->host.version == CGROUP_V2 || process->cgroup.is_used[CGROUP_FREEZER];
}

/* Takes @command off a list; false if it is not on it. */
static bool take_off(unsigned *numbers, size_t *n_numbers, unsigned command)
{
	for (size_t i = 0; i < *n_numbers; i++) {
		if (numbers[i] != command)
			continue;
		numbers[i] = numbers[--*n_numbers];
		return true;
	}
	return false;
}

void process_commands_add(struct process *process, unsigned command)
{
	if (process->n_live < PROCESS_MAX_COMMANDS)
		process->live[process->n_live++] = command;
}

/* A group can be removed once its last process is gone; this tries each that waits for it. */
void process_commands_sweep(struct process *process)
{
	for (size_t i = 0; i < process->n_ended;) {
		if (cgroup_command_remove(&process->cgroup, process->ended[i]) == 0)
			process->ended[i] = process->ended[--process->n_ended];
		else
			i++;
	}
}

/* What does not fit on the list is removed with the sandbox. */
static void remember_ended(struct process *process, unsigned command)
{
	process_commands_sweep(process);
	(void)take_off(process->ended, &process->n_ended, command);
	if (process->n_ended < PROCESS_MAX_COMMANDS)
		process->ended[process->n_ended++] = command;
	process_commands_sweep(process);
}

static int signal_every(struct sandbox *sandbox, struct error *err)
{
	struct process *process = sandbox->impl;
	process->has_strays = false;
	return sandbox->level->signal(sandbox, 0, EVERY_PROCESS, SIGKILL, err);
}

void process_commands_exited(struct sandbox *sandbox, unsigned command)
{
	struct process *process = sandbox->impl;
	struct error err = { 0 };
	if (!sandbox->has_many_commands || !take_off(process->live, &process->n_live, command))
		return;
	if (has_groups(process))
		remember_ended(process, command);
	else if (process->has_strays && process->n_live == 0)
		(void)signal_every(sandbox, &err);
}

/* The one way without groups; see above. */
static int kill_without_groups(struct sandbox *sandbox, unsigned command, struct error *err)
{
	struct process *process = sandbox->impl;
	bool is_live = false;
	for (size_t i = 0; i < process->n_live; i++)
		is_live = is_live || process->live[i] == command;
	if (command == 0 || process->n_live == 0 || (process->n_live == 1 && is_live))
		return signal_every(sandbox, err);
	process->has_strays = true;
	return sandbox->level->signal(sandbox, command, 0, SIGKILL, err);
}

int process_kill_command(struct sandbox *sandbox, unsigned command, struct error *err)
{
	struct process *process = sandbox->impl;
	if (!process)
		return process_check_stands(sandbox, err);
	if (process->is_gone || process->is_killed)
		return 0;
	if (!sandbox->has_many_commands)
		return sandbox->level->kill(sandbox, err);
	if (!has_groups(process))
		return kill_without_groups(sandbox, command, err);
	int r = cgroup_kill(&process->cgroup, command, err);
	if (r == 0 && command != 0)
		remember_ended(process, command);
	return r;
}
