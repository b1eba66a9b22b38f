/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - one command that runs; include <foso/foso.h> */
#pragma once

#include <foso/order.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct foso_error;
struct foso_policy;
struct foso_run;

/* How a command ended.  Numbers stay; new ones are added at the end. */
enum foso_reason {
	FOSO_REASON_EXIT = 0,          /* by itself; foso_run_code() */
	FOSO_REASON_SIGNAL = 1,        /* by a signal; foso_run_signal_number() */
	FOSO_REASON_DEADLINE = 2,      /* limits.wall, lifetime or idle; foso_run_limit() */
	FOSO_REASON_CPU = 3,           /* limits.cpu_time */
	FOSO_REASON_MEMORY = 4,        /* limits.memory */
	FOSO_REASON_PIDS = 5,          /* limits.pids */
	FOSO_REASON_DISK = 6,          /* limits.disk or limits.file_size */
	FOSO_REASON_FILES = 7,         /* limits.files */
	FOSO_REASON_OUTPUT = 8,        /* limits.output */
	FOSO_REASON_FUEL = 9,          /* limits.fuel */
	FOSO_REASON_KILLED = 10,       /* by the caller */
	FOSO_REASON_SANDBOX_LOST = 11, /* the sandbox itself was lost; foso_run_failure() */
	FOSO_REASON_REFUSED = 12,      /* it never ran; foso_run_failure() */
	FOSO_REASON_CLOSED = 13,       /* of a sandbox: its holder closed it */
	FOSO_REASON_TRAP = 14,         /* a WebAssembly module trapped; foso_run_failure() */
};

/*
 * foso_run_start() - a sandbox for one command
 *
 * Returns as soon as foso-monitor is on its way; that the sandbox cannot be built or the command
 * not be found is told by the run's end.  The caller owns *ret_run.  @policy and @order are
 * copied; args of the policy are not looked at.  With background: keep the sandbox lives on
 * after the end of its command until foso_run_free().
 * Every mistake of the policy as in foso_policy_check(); -FOSO_ERROR_NOT_FOUND, subject
 * "foso-monitor"; -FOSO_ERROR_SYSTEM, -FOSO_ERROR_LIMIT.
 */
int foso_run_start(const struct foso_policy *policy, const struct foso_order *order,
		   struct foso_run **ret_run, struct foso_error *err);

/*
 * foso_run_fd() - readable when foso_run_wait() has something to do; -1 if it never has
 *
 * Borrowed.  For a loop of poll() or epoll: when it is readable, call foso_run_wait() with a
 * timeout of 0.  Runs of one sandbox share it.
 */
int foso_run_fd(const struct foso_run *run);

/* What foso_run_wait() says. */
#define FOSO_WAIT_OVER    0 /* it has ended; its end, its output and its record are there */
#define FOSO_WAIT_RUNNING 1 /* the time ran out first */

/*
 * foso_run_wait() - carry captured output and news for up to @timeout_ms (-1: without bound)
 *
 * FOSO_WAIT_OVER or FOSO_WAIT_RUNNING; an end is no error, whatever its reason.
 * -FOSO_ERROR_SYSTEM: the library itself cannot go on (no memory).
 */
int foso_run_wait(struct foso_run *run, int timeout_ms, struct foso_error *err);

/* foso_run_is_over() - has it ended, as far as foso_run_wait() knows? */
bool foso_run_is_over(const struct foso_run *run);

/*
 * foso_run_signal() - a signal for the command, as if from a terminal: its whole process group
 * @number:  1 to 64
 *
 * A run that is over is fine.  -FOSO_ERROR_INVALID, subject "signal"; -FOSO_ERROR_UNAVAILABLE.
 */
int foso_run_signal(struct foso_run *run, int number, struct foso_error *err);

/*
 * foso_run_kill() - end the command and all that it started, whatever it did to hide
 *
 * foso_run_wait() tells when it has.  A run that is over is fine; with background: keep what it
 * left is killed then.  -FOSO_ERROR_UNAVAILABLE: foso-monitor does not answer.
 */
int foso_run_kill(struct foso_run *run, struct foso_error *err);

/*
 * foso_run_resize() - a new size for the command's terminal, which gets SIGWINCH
 *
 * A run that is over is fine.  -FOSO_ERROR_INVALID, subject "terminal": its order asked for none;
 * -FOSO_ERROR_UNAVAILABLE: foso-monitor does not answer.
 */
int foso_run_resize(struct foso_run *run, uint16_t rows, uint16_t columns, struct foso_error *err);

/* How it ended; valid once it is over. */
enum foso_reason foso_run_reason(const struct foso_run *run);
const char *foso_reason_word(enum foso_reason reason);  /* "deadline"; static */
int foso_run_code(const struct foso_run *run);          /* exit status; -1 if it has none */
int foso_run_signal_number(const struct foso_run *run); /* that ended it; 0 if none */
const char *foso_run_limit(const struct foso_run *run); /* "limits.wall"; NULL if none; static */

/* foso_run_exit_status() - what `foso run` would exit with: the command's own, 128+n, 124, 125. */
int foso_run_exit_status(const struct foso_run *run);

/*
 * foso_run_failure() - why it could not run, or how its sandbox was lost
 *
 * 0 if there is nothing to tell; else -enum foso_error_code and *err.
 */
int foso_run_failure(const struct foso_run *run, struct foso_error *err);

/*
 * foso_run_output() - what was captured of a stream so far
 *
 * Borrowed until the next foso_run_wait() or foso_run_free(); a NUL follows the @ret_len bytes.
 * NULL if the stream is not captured.
 */
const char *foso_run_output(const struct foso_run *run, enum foso_stream stream, size_t *ret_len);

/* foso_run_dropped_bytes() - of a captured stream, beyond max_bytes. */
uint64_t foso_run_dropped_bytes(const struct foso_run *run, enum foso_stream stream);

/* foso_run_lost_bytes() - written by the command, but not passed on (limits.output, no reader). */
uint64_t foso_run_lost_bytes(const struct foso_run *run);

/*
 * foso_run_record() - the evidence of a run with a sandbox of its own, as one line of JSON
 *
 * NULL before its sandbox is gone, and for a run of foso_sandbox_exec().  Borrowed.
 */
const char *foso_run_record(const struct foso_run *run);

/* foso_run_id() - of its sandbox, for foso ps; "" before the sandbox stands. */
const char *foso_run_id(const struct foso_run *run);

/*
 * foso_run_free() - kills what still runs, waits for it to be gone (about a second at most)
 *
 * Accepts NULL; returns NULL.
 */
struct foso_run *foso_run_free(struct foso_run *run);

#ifdef __cplusplus
}
#endif
