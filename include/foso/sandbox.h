/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.h - a sandbox for many commands; include <foso/foso.h> */
#pragma once

#include <foso/run.h>
#include <stdbool.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

struct foso_sandbox;

/*
 * foso_sandbox_open() - a sandbox that stands, without a command yet
 *
 * Waits until it does (milliseconds), or cannot: every reason why is an error, with the field
 * as its subject where one caused it.  limits.wall and limits.output are those of each command,
 * the other limits of all together; lifetime and idle end the sandbox.  The caller owns
 * *ret_sandbox.
 */
int foso_sandbox_open(const struct foso_policy *policy, struct foso_sandbox **ret_sandbox,
		      struct foso_error *err);

const char *foso_sandbox_id(const struct foso_sandbox *sandbox);
int foso_sandbox_fd(const struct foso_sandbox *sandbox); /* as foso_run_fd() */

/*
 * foso_sandbox_exec() - start one more command in it
 *
 * The caller owns *ret_run, and frees it before the sandbox.  As foso_run_start(); that the
 * program cannot be found, or that too many commands run, is told by the run's end.
 * -FOSO_ERROR_UNAVAILABLE: the sandbox is over.
 */
int foso_sandbox_exec(struct foso_sandbox *sandbox, const struct foso_order *order,
		      struct foso_run **ret_run, struct foso_error *err);

/*
 * foso_sandbox_list() - every process in it
 * @found:  called for each, with its pid inside and the name that it gave itself (any bytes)
 *
 * Waits for the answer.  -FOSO_ERROR_UNAVAILABLE: the sandbox is over.
 */
int foso_sandbox_list(struct foso_sandbox *sandbox,
		      void (*found)(pid_t pid, const char *name, void *context), void *context,
		      struct foso_error *err);

/* foso_sandbox_signal() - a signal for one process of foso_sandbox_list(), by its pid inside. */
int foso_sandbox_signal(struct foso_sandbox *sandbox, pid_t pid, int number,
			struct foso_error *err);

/*
 * foso_sandbox_close() - end everything in it and wait until nothing of it is left
 *
 * Runs that were not over end as killed.  0 also if it was over before;
 * foso_sandbox_reason() tells.  -FOSO_ERROR_UNAVAILABLE: foso-monitor was lost;
 * -FOSO_ERROR_SYSTEM: something of it could not be removed (foso gc does).
 */
int foso_sandbox_close(struct foso_sandbox *sandbox, struct foso_error *err);

/* foso_sandbox_is_over() - has it ended, by itself or not, as far as the last wait knows? */
bool foso_sandbox_is_over(const struct foso_sandbox *sandbox);

enum foso_reason foso_sandbox_reason(const struct foso_sandbox *sandbox); /* once it is over */

/* foso_sandbox_record() - the evidence of the whole as one line of JSON; NULL before its end. */
const char *foso_sandbox_record(const struct foso_sandbox *sandbox);

/* foso_sandbox_free() - closes it first.  Accepts NULL; returns NULL. */
struct foso_sandbox *foso_sandbox_free(struct foso_sandbox *sandbox);

#ifdef __cplusplus
}
#endif
