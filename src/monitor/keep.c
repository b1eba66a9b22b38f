/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep.c - background: keep, after the command itself has ended
 *
 * The caller gets the end that he waits for, and his descriptors back; what lives on is the
 * monitor's alone, until the last process ends, the lifetime runs out or `foso kill` comes.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "monitor/monitor.h"
#include "wire/status.h"

/* What kept processes may write; more is counted as lost. */
#define KEEP_OUTPUT_BYTES (16ull * 1024 * 1024)

void monitor_send_status(struct monitor *monitor, const struct end *end, int exit_status)
{
	struct status_message message = {
		.type = STATUS_ENDED,
		.reason = (uint32_t)end->reason,
		.exit_status = exit_status,
		.code = end->code,
		.signal = end->signal,
		.n_survivors = (uint32_t)monitor->n_survivors,
	};
	if (monitor->plan->status_fd < 0)
		return;
	(void)snprintf(message.id, sizeof(message.id), "%s", monitor->id);
	(void)send(monitor->plan->status_fd, &message, sizeof(message), MSG_NOSIGNAL);
	fd_close(&monitor->plan->status_fd);
}

static void redirect_output(struct monitor *monitor, struct command *command)
{
	char name[RUNDIR_NAME_BYTES];
	rundir_output_name(monitor->id, name);
	monitor->output_fd =
		openat(monitor->rundir_fd, name, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
	for (int fd = 0; fd < 3; fd++) {
		if (monitor->output_fd < 0 || dup3(monitor->output_fd, fd, 0) < 0)
			close(fd);
	}
	/* Files now: copying works for any, and both streams share an offset. */
	relay_redirect(&command->out, 1);
	relay_redirect(&command->err, 2);
	command->output_max_bytes =
		command->out.n_passed_bytes + command->err.n_passed_bytes + KEEP_OUTPUT_BYTES;
}

void monitor_keep(struct monitor *monitor)
{
	struct command *command = &monitor->commands[0];
	struct error err = { 0 };
	uint64_t lifetime_ns = monitor->plan->policy.lifetime_ns;
	/* What was written before the end still belongs to the caller. */
	relay_pump(&command->out, UINT64_MAX);
	relay_pump(&command->err, UINT64_MAX);
	relay_close(&command->in);
	redirect_output(monitor, command);
	(void)setsid();
	monitor->state.is_background = 1;
	if (rundir_update(monitor->state_fd, &monitor->state, &err) < 0)
		monitor_note(monitor, "the run directory could not be updated");
	monitor->deadline_ns =
		lifetime_ns == POLICY_UNLIMITED ? UINT64_MAX : monitor->started_ns + lifetime_ns;
	monitor->stage = MONITOR_KEPT;
	monitor_send_status(monitor, &command->end, end_exit_status(&command->end));
	control_say_ended(monitor, command, end_exit_status(&command->end));
}
