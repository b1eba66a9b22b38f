/* SPDX-License-Identifier: Apache-2.0 */
/*
 * monitor.c - the loop
 *
 * Theory of operation.  The monitor polls; everything it does in between is short.  The one
 * thing that can block is a write to the caller's terminal or file; a timer signal that repeats
 * after the deadline interrupts it, so that a reader that never reads cannot delay the end.
 */
#include "monitor/monitor.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"

#define MONITOR_LIST_PERIOD_NS 500000000ull

uint64_t monitor_now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

void monitor_note(struct monitor *monitor, const char *note)
{
	if (monitor->n_notes < EVIDENCE_MAX_NOTES)
		monitor->notes[monitor->n_notes++] = note;
}

void monitor_kill(struct monitor *monitor)
{
	struct error err = { 0 };
	if (monitor->ending_ns == 0)
		monitor->ending_ns = monitor_now_ns();
	monitor->stage = MONITOR_ENDING;
	if (monitor->sandbox.level->kill(&monitor->sandbox, &err) < 0)
		monitor_note(monitor, "the sandbox could not be killed");
}

int monitor_list(struct monitor *monitor, struct error *err)
{
	monitor->is_listing = true;
	return monitor->sandbox.level->list(&monitor->sandbox, err);
}

static void on_alarm(int number)
{
	UNUSED(number);
}

/* From the deadline on, every 50 ms: whatever blocks us returns with EINTR. */
void monitor_arm_alarm(struct monitor *monitor, uint64_t deadline_ns)
{
	struct sigaction action = { .sa_handler = on_alarm };
	uint64_t now_ns = monitor_now_ns();
	/* The nearest deadline counts; one that has passed only makes it ring too often. */
	bool is_armed = monitor->alarm_ns > now_ns && monitor->alarm_ns <= deadline_ns;
	if (deadline_ns == UINT64_MAX || is_armed)
		return;
	monitor->alarm_ns = deadline_ns;
	uint64_t left_us = (deadline_ns - MIN(deadline_ns, now_ns)) / 1000 + 1;
	struct itimerval timer = {
		.it_value = { (time_t)(left_us / 1000000), (suseconds_t)(left_us % 1000000) },
		.it_interval = { 0, 50000 },
	};
	(void)sigaction(SIGALRM, &action, NULL);
	(void)setitimer(ITIMER_REAL, &timer, NULL);
}

static uint64_t output_budget(const struct command *command)
{
	uint64_t limit = command->output_max_bytes;
	uint64_t used = command->out.n_passed_bytes + command->err.n_passed_bytes;
	return limit == POLICY_UNLIMITED ? UINT64_MAX : limit - MIN(limit, used);
}

/* Passes on what there is; one byte beyond the limit ends the command. */
static void pump_output(struct monitor *monitor, struct command *command, struct relay *relay)
{
	relay_pump(relay, output_budget(command));
	if (relay->is_discarding || output_budget(command) > 0 || !relay_has_waiting(relay))
		return;
	command->out.is_discarding = command->err.is_discarding = true;
	if (monitor->stage == MONITOR_KEPT || command->stage == COMMAND_KEPT)
		return;
	/* It may have ended by itself with more output than it may have: that is the reason then.
	 */
	if (command->end.reason == END_EXIT)
		command->end.reason = END_N_REASONS;
	command_end(command, END_OUTPUT, "limits.output");
	if (monitor->plan->is_session)
		command_kill_tree(monitor, command);
	else
		monitor_kill(monitor);
}

static void on_time(struct monitor *monitor)
{
	if (monitor_now_ns() < monitor->deadline_ns || monitor->stage == MONITOR_ENDING)
		return;
	if (monitor->plan->is_session) {
		monitor_end(monitor, END_DEADLINE, "lifetime");
	} else if (monitor->stage == MONITOR_KEPT) {
		monitor_note(monitor, "lifetime ran out");
	} else {
		judge_deadline(monitor, &monitor->commands[0]);
	}
	monitor_kill(monitor);
}

static uint64_t idle_deadline_ns(const struct monitor *monitor)
{
	uint64_t idle_ns = monitor->plan->policy.idle_ns;
	bool is_idle = monitor->stage == MONITOR_RUNNING && !commands_are_running(monitor);
	if (idle_ns == POLICY_UNLIMITED || !is_idle)
		return UINT64_MAX;
	return monitor->idle_since_ns + idle_ns;
}

/* The times of a session: each command's own, and how long it may stand without one. */
static void check_session(struct monitor *monitor)
{
	for (size_t i = 0; i < monitor->n_commands && monitor->stage != MONITOR_ENDING; i++)
		command_check(monitor, &monitor->commands[i]);
	if (monitor->stage != MONITOR_ENDING && monitor_now_ns() >= idle_deadline_ns(monitor)) {
		monitor_end(monitor, END_DEADLINE, "idle");
		monitor_kill(monitor);
	}
}

/* Has everything been passed on, and by itself? */
static bool has_open_output(const struct monitor *monitor)
{
	for (size_t i = 0; i < monitor->n_commands; i++) {
		if (monitor->commands[i].out.is_open || monitor->commands[i].err.is_open)
			return true;
	}
	return false;
}

static bool has_waiting_output(const struct monitor *monitor)
{
	for (size_t i = 0; i < monitor->n_commands; i++) {
		if (relay_has_waiting(&monitor->commands[i].out) ||
		    relay_has_waiting(&monitor->commands[i].err))
			return true;
	}
	return false;
}

/*
 * Does nobody wait for a reader that is slow?  A session ends because its holder says so: what he
 * has not read by then is not waited for.  Neither is it for a caller whose signal the command
 * died of, as a local one would have at once, or who sends one more.
 */
static bool is_forced(const struct monitor *monitor)
{
	const struct end *end = &monitor->commands[0].end;
	if (monitor->plan->is_session || monitor->is_dismissed)
		return true;
	if (end->reason == END_SIGNAL)
		return end->signal == monitor->passed_signal;
	return end->reason != END_EXIT;
}

/*
 * Is everything said and done?  After the kill the tree gets a grace; the output of a command
 * that ended by itself is waited for as long as its deadline allows, since its reader may be slow.
 * That a pipe stays open is no reason to wait: somebody outside may have been given its end.
 */
static bool is_over(struct monitor *monitor)
{
	if (monitor->stage != MONITOR_ENDING)
		return false;
	if (monitor->is_gone && !has_open_output(monitor))
		return true;
	uint64_t now = monitor_now_ns();
	uint64_t last = monitor->ending_ns + MONITOR_GRACE_NS * 3 / 4;
	if (now < last)
		return false;
	if (!monitor->is_gone) {
		monitor_note(monitor,
			     "a process could not be ended in time; foso gc removes its groups");
		return true;
	}
	return is_forced(monitor) || now >= monitor->deadline_ns || !has_waiting_output(monitor);
}

/* When the next thing is due in a session. */
static uint64_t session_until_ns(const struct monitor *monitor, uint64_t now_ns)
{
	uint64_t until = idle_deadline_ns(monitor);
	for (size_t i = 0; i < monitor->n_commands; i++) {
		const struct command *command = &monitor->commands[i];
		if (command->stage == COMMAND_DRAINING)
			until = MIN(until, now_ns + 10000000);
		else if (command->stage == COMMAND_ORDERED || command->stage == COMMAND_RUNNING)
			until = MIN(until, command->deadline_ns);
	}
	return until;
}

static int timeout_ms(const struct monitor *monitor)
{
	uint64_t now = monitor_now_ns(), until = monitor->deadline_ns;
	if (monitor->stage == MONITOR_ENDING)
		return 10;
	if (monitor->stage == MONITOR_KEPT)
		until = MIN(until, now + MONITOR_LIST_PERIOD_NS);
	if (monitor->plan->is_session)
		until = MIN(until, session_until_ns(monitor, now));
	if (until == UINT64_MAX)
		return -1;
	return until <= now ? 0 : (int)MIN((until - now) / 1000000 + 1, (uint64_t)60000);
}

#define FIXED_POLLS 3

/* Three descriptors for each slot, in its order: in, out, err.  Returns how many in all. */
static size_t fill_polls(const struct monitor *monitor, struct pollfd *polls)
{
	polls[0] = (struct pollfd){ .fd = monitor->signal_fd, .events = POLLIN };
	polls[1] = (struct pollfd){ .fd = monitor->is_gone ? -1 : monitor->sandbox.event_fd,
				    .events = POLLIN };
	polls[2] = (struct pollfd){ .fd = monitor->plan->control_fd, .events = POLLIN };
	size_t n = FIXED_POLLS;
	for (size_t i = 0; i < monitor->n_commands; i++) {
		const struct command *command = &monitor->commands[i];
		const struct relay *relays[] = { &command->in, &command->out, &command->err };
		for (size_t k = 0; k < ARRAY_LEN(relays); k++, n++) {
			polls[n].events = relay_poll(relays[k], &polls[n].fd);
			polls[n].revents = 0;
		}
		if (command->in.is_open && command->in.from_fd == 0 && monitor->is_stdin_terminal &&
		    !terminal_is_ours())
			polls[n - ARRAY_LEN(relays)].fd = -1;
	}
	return n;
}

/* Output first: what a command wrote before its end is passed on before the end is judged. */
static void move_bytes(struct monitor *monitor, const struct pollfd *polls, size_t n_commands)
{
	for (size_t i = 0; i < n_commands; i++, polls += 3) {
		struct command *command = &monitor->commands[i];
		if (polls[1].revents)
			pump_output(monitor, command, &command->out);
		if (polls[2].revents)
			pump_output(monitor, command, &command->err);
		if (polls[0].revents)
			relay_pump(&command->in, UINT64_MAX);
	}
}

/* Whether anything of what was kept lives on; the engine's own timers wake us more often. */
static void ask_for_survivors(struct monitor *monitor)
{
	struct error err = { 0 };
	uint64_t now = monitor_now_ns();
	if (now < monitor->next_list_ns)
		return;
	monitor->next_list_ns = now + MONITOR_LIST_PERIOD_NS;
	if (monitor_list(monitor, &err) < 0)
		monitor_kill(monitor);
}

static void poll_once(struct monitor *monitor)
{
	static struct pollfd polls[FIXED_POLLS + 3 * MONITOR_MAX_COMMANDS];
	size_t n_commands = monitor->n_commands;
	int n = poll(polls, fill_polls(monitor, polls), timeout_ms(monitor));
	if (n > 0) {
		move_bytes(monitor, polls + FIXED_POLLS, n_commands);
		if (polls[0].revents)
			monitor_on_signals(monitor);
		if (polls[1].revents)
			monitor_on_level(monitor);
		if (polls[2].revents)
			monitor_on_control(monitor);
	}
	on_time(monitor);
	if (monitor->plan->is_session)
		check_session(monitor);
	if (monitor->stage == MONITOR_KEPT)
		ask_for_survivors(monitor);
}

static void run_loop(struct monitor *monitor)
{
	monitor_arm_alarm(monitor, monitor->deadline_ns);
	while (!is_over(monitor))
		poll_once(monitor);
	commands_finish(monitor);
}

int monitor_run(struct plan *plan)
{
	static struct monitor monitor;
	static struct command commands[MONITOR_MAX_COMMANDS];
	/* One by one: it is all zeros already, and an assignment would touch each of its pages. */
	monitor.plan = plan;
	monitor.commands = commands;
	monitor.stage = MONITOR_BUILDING;
	monitor.signal_fd = monitor.rundir_fd = monitor.state_fd = -1;
	monitor.evidence_fd = monitor.output_fd = -1;
	monitor.signer = (struct evidence_signer)EVIDENCE_SIGNER_INIT;
	monitor.sandbox.event_fd = -1;
	monitor.end = (struct end){ .reason = END_N_REASONS, .code = -1 };
	if (monitor_start(&monitor, &monitor.failure) == 0)
		run_loop(&monitor);
	else
		monitor_end(&monitor, END_REFUSED, NULL);
	terminal_restore(&monitor);
	return monitor_report(&monitor);
}
