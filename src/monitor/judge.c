/* SPDX-License-Identifier: Apache-2.0 */
/*
 * judge.c - which reason an end has
 *
 * A limit that ends the tree at once (deadline, CPU, memory, output) is its own reason.  A limit
 * at which the kernel only refuses (a fork, a write) leaves the program to decide; if it then
 * fails, or is still being refused when its deadline comes, that limit is the reason.  A program
 * that copes and exits with 0 has not been ended by anything: its hits are in the record.
 */
#include <signal.h>

#include "monitor/monitor.h"

/* "Still being refused" when the deadline comes. */
#define JUDGE_RECENT_NS 2000000000ull

void monitor_end(struct monitor *monitor, enum end_reason reason, const char *limit)
{
	for (size_t i = 0; i < monitor->n_commands; i++) {
		if (monitor->commands[i].stage != COMMAND_FREE)
			command_end(&monitor->commands[i], reason, limit);
	}
	if (monitor->end.reason != END_N_REASONS)
		return;
	monitor->end.reason = reason;
	monitor->end.limit = limit;
}

/* In a session, what others ran into before this command began is not its own. */
static void judge_failure(const struct monitor *monitor, struct command *command)
{
	if (monitor->pids_hit_ns > command->started_ns)
		command_end(command, END_PIDS, "limits.pids");
	else if (monitor->disk_hit_ns > command->started_ns)
		command_end(command, END_DISK, monitor->disk_limit);
}

void judge_exit(struct monitor *monitor, struct command *command, int code, int signal_number)
{
	bool has_cpu_limit = monitor->plan->policy.limits.cpu_time_ns != POLICY_UNLIMITED;
	command->end.code = code;
	command->end.signal = signal_number;
	/* A shell says of a child that the signal ended: 128 + n. */
	bool has_size_limit = monitor->plan->policy.limits.file_size_bytes != POLICY_UNLIMITED;
	if (signal_number == SIGXFSZ || (has_size_limit && code == 128 + SIGXFSZ))
		command_end(command, END_DISK, has_size_limit ? "limits.file_size" : "limits.disk");
	if (signal_number == SIGXCPU && has_cpu_limit)
		command_end(command, END_CPU, "limits.cpu_time");
	if (code != 0 || signal_number != 0)
		judge_failure(monitor, command);
	command_end(command, signal_number != 0 ? END_SIGNAL : END_EXIT, NULL);
}

void judge_deadline(struct monitor *monitor, struct command *command)
{
	uint64_t now = monitor_now_ns();
	uint64_t hit_ns = MAX(monitor->pids_hit_ns, monitor->pids_full_ns);
	if (hit_ns != 0 && now - hit_ns < JUDGE_RECENT_NS)
		command_end(command, END_PIDS, "limits.pids");
	command_end(command, END_DEADLINE, "limits.wall");
}
