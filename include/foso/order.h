/* SPDX-License-Identifier: Apache-2.0 */
/* order.h - what to run, and where its streams go; include <foso/foso.h> */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct foso_error;
struct foso_order;

enum foso_stream { FOSO_STDIN = 0, FOSO_STDOUT = 1, FOSO_STDERR = 2 };

/*
 * foso_order_new() - a command
 * @argv:  program and arguments, NULL at the end, at least one; copied
 *
 * Its stdin is empty, its output goes nowhere, until said otherwise.  The caller owns
 * *ret_order; it can be used for many runs.  -FOSO_ERROR_INVALID, subject "args": no program.
 */
int foso_order_new(const char *const argv[], struct foso_order **ret_order, struct foso_error *err);

/* foso_order_free() - accepts NULL; returns NULL.  Runs that were started from it go on. */
struct foso_order *foso_order_free(struct foso_order *order);

/*
 * foso_order_env() - one environment variable, over those of the policy
 *
 * A second value for a name replaces the first.  -FOSO_ERROR_INVALID, subject "env": a name that
 * is empty or has a "=".
 */
int foso_order_env(struct foso_order *order, const char *name, const char *value,
		   struct foso_error *err);

/* foso_order_cwd() - where it starts, a path inside; instead of the policy's cwd. */
int foso_order_cwd(struct foso_order *order, const char *path, struct foso_error *err);

/* foso_order_user() - whom it runs as, as the field user; instead of the policy's. */
int foso_order_user(struct foso_order *order, const char *user, struct foso_error *err);

/* foso_order_wall() - its own deadline, in milliseconds from its start; limits.wall still holds. */
int foso_order_wall(struct foso_order *order, uint64_t wall_ms, struct foso_error *err);

/* foso_order_output() - its own bound of stdout and stderr together; limits.output still holds. */
int foso_order_output(struct foso_order *order, uint64_t max_bytes, struct foso_error *err);

/*
 * foso_order_keep() - what it leaves in the background lives on (true) or not
 *
 * The default is the policy's field background; keeping needs background: keep there.
 */
int foso_order_keep(struct foso_order *order, bool keeps, struct foso_error *err);

/*
 * foso_order_stream() - join a stream to a descriptor of the caller
 * @fd:  borrowed until the last run of the order has started; a duplicate of it is used
 *
 * The library never changes the descriptor's flags, and bytes are passed on as they come.
 * -FOSO_ERROR_INVALID, subject "stdin", "stdout" or "stderr": not an open descriptor.
 */
int foso_order_stream(struct foso_order *order, enum foso_stream stream, int fd,
		      struct foso_error *err);

/* foso_order_input() - @len bytes for stdin, then its end; copied. */
int foso_order_input(struct foso_order *order, const void *bytes, size_t len,
		     struct foso_error *err);

/*
 * foso_order_capture() - keep a stream in memory, for foso_run_output()
 * @stream:     FOSO_STDOUT or FOSO_STDERR
 * @max_bytes:  what is kept; more is read and counted, but dropped
 */
int foso_order_capture(struct foso_order *order, enum foso_stream stream, size_t max_bytes,
		       struct foso_error *err);

/*
 * foso_order_terminal() - a terminal of its own for the command, instead of pipes
 * @rows, @columns:  its size; 0 if that is not known.  foso_run_resize() changes it
 *
 * Bytes of stdin are what is typed into it, and all that the command writes, to stderr too, comes
 * out of stdout.  The end of stdin is not the end of input there: for that, type a byte of 4
 * (Ctrl-D).  A terminal at which the caller himself sits is never changed: make it raw, and tell
 * of its sizes.
 */
int foso_order_terminal(struct foso_order *order, uint16_t rows, uint16_t columns,
			struct foso_error *err);

#ifdef __cplusplus
}
#endif
