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
#include "wire/control_messages.h"
#include "wire/plan.h"
#include "wire/rundir.h"

#define MONITOR_GRACE_NS       1000000000ull /* after a deadline: all die, the output drains */
#define MONITOR_COMMAND        1u            /* the number of the one command of `foso run` */
#define MONITOR_EVENTS_AT_ONCE 64
#define MONITOR_MAX_COMMANDS   64 /* at once, those that left something behind included */

enum monitor_stage { MONITOR_BUILDING, MONITOR_RUNNING, MONITOR_KEPT, MONITOR_ENDING };

enum command_stage {
	COMMAND_FREE,    /* nobody uses the slot */
	COMMAND_ORDERED, /* the engine has the order */
	COMMAND_RUNNING,
	COMMAND_DRAINING, /* ended or killed: its output and, if need be, its exit are waited for */
	COMMAND_KEPT,     /* over for the holder; what it left in the background still writes */
};

/*
 * One command.  `foso run` has one, whose end is the end of the sandbox: its deadline and kill
 * are the monitor's.  In a session (plan.is_session) each has its own.
 */
struct command {
	unsigned number;
	enum command_stage stage;
	bool is_tty, is_started, is_exited, is_told, is_kept; /* is_kept: background: keep */
	uint64_t started_ns, started_realtime_ns;
	uint64_t deadline_ns;      /* CLOCK_MONOTONIC; UINT64_MAX: none of its own */
	uint64_t ending_ns;        /* when it ended or was killed; 0 before */
	uint64_t output_max_bytes; /* POLICY_UNLIMITED: none */
	int caller_fds[3];         /* where its streams come from and go to; -1 once in a relay */
	struct relay in, out, err; /* with a terminal: in and out share its master */
	int pty_fd;                /* borrowed from out; -1 without a terminal */
	struct end end;            /* reason END_N_REASONS: not yet */
	struct error failure;      /* why it could not run */
	char name[EVIDENCE_MAX_COMMAND_BYTES]; /* argv[0], for the evidence of a session */
};

struct monitor {
	struct plan *plan;
	struct sandbox sandbox;
	char id[RUNDIR_ID_BYTES];
	enum monitor_stage stage;
	int signal_fd, rundir_fd, state_fd, evidence_fd, output_fd;
	struct rundir_state state;
	uint64_t started_ns, deadline_ns; /* CLOCK_MONOTONIC; UINT64_MAX: no deadline */
	uint64_t ending_ns;               /* when the kill was given; 0 before */
	uint64_t alarm_ns;                /* for when SIGALRM is armed; 0: it is not */
	uint64_t next_list_ns;            /* kept: when to ask again what lives on */
	int passed_signal;      /* the last of the caller's that the command got; 0: none */
	uint64_t idle_since_ns; /* session: since when no command runs */
	uint64_t started_realtime_ns;
	struct command *commands; /* MONITOR_MAX_COMMANDS slots, of which n_commands were used */
	size_t n_commands;
	unsigned last_number; /* of a command */
	bool has_saved_terminal, is_stdin_terminal, is_gone, is_started, is_listing, is_shut;
	bool is_dismissed; /* the caller does not wait for the rest of the output */
	struct termios saved_terminal;
	struct end end;                    /* of the sandbox; reason END_N_REASONS: not yet */
	uint64_t pids_hit_ns, disk_hit_ns; /* when the limit was last reached; 0: never */
	const char *disk_limit;            /* which one disk_hit_ns is of; static */
	uint64_t pids_full_ns; /* when the tree was last seen to have all that it may have */
	struct error failure;  /* why it could not run, or was lost */
	uint64_t n_survivors;
	uint64_t n_stdout_bytes, n_stderr_bytes, n_lost_bytes; /* of slots that were used again */
	const char *notes[EVIDENCE_MAX_NOTES];
	size_t n_notes;
	struct buf canonical;             /* of monitor_canonical() */
	struct evidence_command *history; /* session: what its commands were; owned */
	size_t n_history;
	const char *root_digest; /* of an image: SHA-256 of its manifest, hex; else NULL */
	struct evidence_signer signer;
	struct error_list leftovers;
};

uint64_t monitor_now_ns(void);

/* monitor_run() - the whole life; returns the exit status of the program. */
int monitor_run(struct plan *plan);

/* monitor_note() - a sentence for the evidence; static text. */
void monitor_note(struct monitor *monitor, const char *note);

/* monitor_canonical() - the policy's canonical form; broken if there was no memory for it. */
const struct buf *monitor_canonical(struct monitor *monitor);

/* monitor_end() - the sandbox is over for @reason, and so what runs in it; the first one stays. */
void monitor_end(struct monitor *monitor, enum end_reason reason, const char *limit);

/* monitor_kill() - end every process of the sandbox; the loop then waits for it to be gone. */
void monitor_kill(struct monitor *monitor);

/* monitor_list() - ask what lives; PROCESS and LIST_END are lies unless this was asked. */
int monitor_list(struct monitor *monitor, struct error *err) must_check;

/* monitor_arm_alarm() - so that a write that blocks returns once a deadline has passed. */
void monitor_arm_alarm(struct monitor *monitor, uint64_t deadline_ns);

/* start.c: from the plan to a sandbox, and to its command unless it is a session. */
int monitor_start(struct monitor *monitor, struct error *err) must_check;

/*
 * monitor_execute() - start @command, whose caller_fds are set; they are taken
 *
 * On failure the slot is as before, but that its descriptors are closed.
 */
int monitor_execute(struct monitor *monitor, struct command *command, struct exec_plan *plan,
		    struct error *err) must_check;

/* command.c: one command; of a session, unless its line says otherwise. */
struct command *command_by_number(struct monitor *monitor, unsigned number); /* any plan */
struct command *command_new(struct monitor *monitor); /* NULL: no free slot */
void command_close(struct command *command);          /* any plan */
void command_end(struct command *command, enum end_reason reason, const char *limit); /* any */
void command_kill_tree(struct monitor *monitor, struct command *command);
void command_exited(struct monitor *monitor, struct command *command);
void command_check(struct monitor *monitor, struct command *command); /* time, end of output */
void commands_finish(struct monitor *monitor);                        /* the sandbox is over */
bool command_has_begun(const struct command *command);                /* any plan */
bool commands_are_running(const struct monitor *monitor);

/* image.c: opens the image of the policy and fills what the policy leaves to it. */
int monitor_open_image(struct monitor *monitor, struct error *err) must_check;

/* root_disk.c: for the root's changes, where memory is not good enough. */
void monitor_open_root_disk(struct monitor *monitor);

/* control.c: whoever holds the sandbox. */
void monitor_on_control(struct monitor *monitor);
void control_say(struct monitor *monitor, enum control_message number,
		 const struct control_words *words);
void control_say_ended(struct monitor *monitor, struct command *command, int exit_status);
void control_say_closed(struct monitor *monitor, int exit_status);

/* events.c */
void monitor_on_level(struct monitor *monitor);
void monitor_on_signals(struct monitor *monitor);

/* keep.c: background: keep, after the command has ended. */
void monitor_keep(struct monitor *monitor);
void monitor_send_status(struct monitor *monitor, const struct end *end, int exit_status);

/* judge.c: what the end of the main process means, given the limits that were reached. */
void judge_exit(struct monitor *monitor, struct command *command, int code, int signal_number);
void judge_deadline(struct monitor *monitor, struct command *command);

/* report.c: evidence, result, the line on stderr; returns the exit status. */
int monitor_report(struct monitor *monitor);

/* restrict.c: the monitor's own rights, once its sandbox stands. */
int monitor_restrict(struct monitor *monitor, struct error *err) must_check;

/* terminal.c: the caller's own, of `foso run --tty`. */
void terminal_save(struct monitor *monitor);
void terminal_restore(struct monitor *monitor);
void terminal_resize(struct monitor *monitor);

/*
 * terminal_is_ours() - may descriptor 0 be read?
 *
 * A job in the background that reads its terminal is stopped (SIGTTIN), and a monitor that is
 * stopped holds no deadline.
 */
bool terminal_is_ours(void);
