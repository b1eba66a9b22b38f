/* SPDX-License-Identifier: Apache-2.0 */
/*
 * monitor.h - what the files of foso-monitor share
 *
 * One monitor per sandbox: it holds the deadline, the kill switch and the evidence, and carries
 * the bytes between the caller and the command.  It never waits for anything but its poll, so no
 * sandbox and no slow reader can keep it from ending the sandbox in time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <termios.h>

#include "evidence/record.h"
#include "evidence/signer.h"
#include "levels/level.h"
#include "monitor/relay.h"
#include "wire/plan.h"
#include "wire/rundir.h"

#define MONITOR_GRACE_NS 1000000000ull /* after the deadline: the tree dies, the output drains */
#define MONITOR_COMMAND  1u            /* the number of the one command of `foso run` */

enum monitor_stage { MONITOR_BUILDING, MONITOR_RUNNING, MONITOR_KEPT, MONITOR_ENDING };

struct monitor {
	struct plan *plan;
	struct sandbox sandbox;
	char id[RUNDIR_ID_BYTES];
	enum monitor_stage stage;
	int signal_fd, rundir_fd, state_fd, evidence_fd, output_fd;
	struct rundir_state state;
	uint64_t started_ns, deadline_ns; /* CLOCK_MONOTONIC; UINT64_MAX: no deadline */
	uint64_t ending_ns;               /* when the kill was given; 0 before */
	uint64_t started_realtime_ns;
	struct relay in, out, err; /* with a terminal: in and out share its master */
	int pty_fd;
	bool has_saved_terminal, is_gone, is_started;
	struct termios saved_terminal;
	struct end end;                    /* of the command; reason END_N_REASONS: not yet */
	uint64_t pids_hit_ns, disk_hit_ns; /* when the limit was last reached; 0: never */
	struct error failure;              /* why it could not run, or was lost */
	uint64_t n_survivors;
	const char *notes[EVIDENCE_MAX_NOTES];
	size_t n_notes;
	struct evidence_signer signer;
	struct error_list leftovers;
};

uint64_t monitor_now_ns(void);

/* monitor_run() - the whole life; returns the exit status of the program. */
int monitor_run(struct plan *plan);

/* monitor_note() - a sentence for the evidence; static text. */
void monitor_note(struct monitor *monitor, const char *note);

/* monitor_end() - the command is over for @reason; the first reason stays. */
void monitor_end(struct monitor *monitor, enum end_reason reason, const char *limit);

/* monitor_kill() - end every process of the sandbox; the loop then waits for it to be gone. */
void monitor_kill(struct monitor *monitor);

/* start.c: from the plan to a running command. */
int monitor_start(struct monitor *monitor, struct error *err) must_check;

/* events.c */
void monitor_on_level(struct monitor *monitor);
void monitor_on_signals(struct monitor *monitor);

/* keep.c: background: keep, after the command has ended. */
void monitor_keep(struct monitor *monitor);
void monitor_send_status(struct monitor *monitor, int exit_status);

/* judge.c: what the end of the main process means, given the limits that were reached. */
void judge_exit(struct monitor *monitor, int code, int signal_number);
void judge_deadline(struct monitor *monitor);

/* report.c: evidence, result, the line on stderr; returns the exit status. */
int monitor_report(struct monitor *monitor);

/* restrict.c: the monitor's own rights, once its sandbox stands. */
int monitor_restrict(struct monitor *monitor, struct error *err) must_check;

/* terminal.c */
void terminal_save(struct monitor *monitor);
void terminal_restore(struct monitor *monitor);
void terminal_resize(struct monitor *monitor);
