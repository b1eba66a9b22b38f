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

static void on_alarm(int number)
{
	UNUSED(number);
}

/* From the deadline on, every 50 ms: whatever blocks us returns with EINTR. */
static void arm_alarm(const struct monitor *monitor)
{
	struct sigaction action = { .sa_handler = on_alarm };
	(void)sigaction(SIGALRM, &action, NULL);
	if (monitor->deadline_ns == UINT64_MAX)
		return;
	uint64_t left_us = monitor->plan->policy.limits.wall_ns / 1000 + 1;
	struct itimerval timer = {
		.it_value = { (time_t)(left_us / 1000000), (suseconds_t)(left_us % 1000000) },
		.it_interval = { 0, 50000 },
	};
	(void)setitimer(ITIMER_REAL, &timer, NULL);
}

static uint64_t output_budget(const struct monitor *monitor)
{
	uint64_t limit = monitor->plan->policy.limits.output_bytes;
	uint64_t used = monitor->out.n_passed_bytes + monitor->err.n_passed_bytes;
	return limit == POLICY_UNLIMITED ? UINT64_MAX : limit - MIN(limit, used);
}

/* Passes on what there is; one byte beyond the limit ends the command. */
static void pump_output(struct monitor *monitor, struct relay *relay)
{
	relay_pump(relay, output_budget(monitor));
	if (relay->is_discarding || output_budget(monitor) > 0 || !relay_has_waiting(relay))
		return;
	monitor->out.is_discarding = monitor->err.is_discarding = true;
	/* It may have ended by itself with more output than it may have: that is the reason then.
	 */
	if (monitor->end.reason == END_EXIT && monitor->stage != MONITOR_KEPT)
		monitor->end.reason = END_N_REASONS;
	if (monitor->stage == MONITOR_KEPT)
		return;
	monitor_end(monitor, END_OUTPUT, "limits.output");
	monitor_kill(monitor);
}

static void on_time(struct monitor *monitor)
{
	if (monitor_now_ns() < monitor->deadline_ns || monitor->stage == MONITOR_ENDING)
		return;
	if (monitor->stage == MONITOR_KEPT)
		monitor_note(monitor, "lifetime ran out");
	else
		judge_deadline(monitor);
	monitor_kill(monitor);
}

/*
 * Is everything said and done?  After the kill the tree gets a grace; the output of a command
 * that ended by itself is waited for as long as its deadline allows, since its reader may be slow.
 */
static bool is_over(struct monitor *monitor)
{
	if (monitor->stage != MONITOR_ENDING)
		return false;
	if (monitor->is_gone && !monitor->out.is_open && !monitor->err.is_open)
		return true;
	uint64_t now = monitor_now_ns();
	uint64_t last = monitor->ending_ns + MONITOR_GRACE_NS * 3 / 4;
	if (!monitor->is_gone) {
		if (now < last)
			return false;
		monitor_note(monitor,
			     "a process could not be ended in time; foso gc removes its groups");
		return true;
	}
	bool is_forced = monitor->end.reason != END_EXIT && monitor->end.reason != END_SIGNAL;
	return now >= (is_forced ? last : MAX(last, monitor->deadline_ns));
}

static int timeout_ms(const struct monitor *monitor)
{
	uint64_t now = monitor_now_ns(), until = monitor->deadline_ns;
	if (monitor->stage == MONITOR_ENDING)
		return 10;
	if (monitor->stage == MONITOR_KEPT)
		until = MIN(until, now + MONITOR_LIST_PERIOD_NS);
	if (until == UINT64_MAX)
		return -1;
	return until <= now ? 0 : (int)MIN((until - now) / 1000000 + 1, (uint64_t)60000);
}

static void poll_once(struct monitor *monitor)
{
	struct relay *relays[] = { &monitor->in, &monitor->out, &monitor->err };
	struct pollfd polls[5] = {
		{ .fd = monitor->signal_fd, .events = POLLIN },
		{ .fd = monitor->is_gone ? -1 : monitor->sandbox.event_fd, .events = POLLIN },
	};
	struct error err = { 0 };
	for (size_t i = 0; i < ARRAY_LEN(relays); i++)
		polls[2 + i].events = relay_poll(relays[i], &polls[2 + i].fd);
	int n = poll(polls, ARRAY_LEN(polls), timeout_ms(monitor));
	/* Output first: what a command wrote before its end is passed on before the end is judged.
	 */
	if (n > 0 && polls[3].revents)
		pump_output(monitor, &monitor->out);
	if (n > 0 && polls[4].revents)
		pump_output(monitor, &monitor->err);
	if (n > 0 && polls[2].revents)
		relay_pump(&monitor->in, UINT64_MAX);
	if (n > 0 && polls[0].revents)
		monitor_on_signals(monitor);
	if (n > 0 && polls[1].revents)
		monitor_on_level(monitor);
	on_time(monitor);
	if (n == 0 && monitor->stage == MONITOR_KEPT &&
	    monitor->sandbox.level->list(&monitor->sandbox, &err) < 0)
		monitor_kill(monitor);
}

/* The reader did not take it in time: what stays is counted, not waited for. */
static void discard_rest(struct relay *relay)
{
	relay->is_discarding = true;
	for (int round = 0; round < 64 && relay->is_open; round++)
		relay_pump(relay, 0);
	relay_close(relay);
}

static void run_loop(struct monitor *monitor)
{
	arm_alarm(monitor);
	while (!is_over(monitor))
		poll_once(monitor);
	discard_rest(&monitor->out);
	discard_rest(&monitor->err);
	relay_close(&monitor->in);
}

int monitor_run(struct plan *plan)
{
	static struct monitor monitor;
	monitor = (struct monitor){
		.plan = plan,
		.stage = MONITOR_BUILDING,
		.signal_fd = -1,
		.rundir_fd = -1,
		.state_fd = -1,
		.evidence_fd = -1,
		.output_fd = -1,
		.pty_fd = -1,
		.signer = EVIDENCE_SIGNER_INIT,
		.sandbox = { .event_fd = -1 },
		.end = { .reason = END_N_REASONS, .code = -1 },
	};
	if (monitor_start(&monitor, &monitor.failure) == 0)
		run_loop(&monitor);
	else
		monitor_end(&monitor, END_REFUSED, NULL);
	terminal_restore(&monitor);
	return monitor_report(&monitor);
}
