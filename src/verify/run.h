/* SPDX-License-Identifier: Apache-2.0 */
/* run.h - programs that are started, watched and always ended */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

#define RUN_MAX_OUTPUT_BYTES (1024 * 1024)
#define RUN_MAX_MS           20000 /* a program that takes longer is killed */
#define RUN_MAX_WORDS        128

struct verify;

/* An argument list; the strings are owned. */
struct words {
	char *items[RUN_MAX_WORDS + 1]; /* ends with NULL */
	size_t n_items;
};

/*
 * words_add() - adds the words of @text, split at spaces, each {name} replaced by its value
 *
 * NULL adds nothing.  -ERR_INTERNAL for a name that the world does not have, -ERR_LIMIT.
 */
int words_add(struct words *words, const struct verify *verify, const char *text, struct error *err)
	must_check;

/* words_add_whole() - adds @text as one word, as it is. */
int words_add_whole(struct words *words, const char *text, struct error *err) must_check;
void words_fini(struct words *words);

struct run {
	pid_t pid; /* 0: not started, or ended */
	int pidfd, out_fd, err_fd;
	int status;   /* once ended: exit status, or 128 and the signal's number */
	bool is_late; /* it was killed, since it took too long */
	uint64_t started_ns, duration_ns;
	struct buf out, err;
};

#define RUN_INIT ((struct run){ .pidfd = -1, .out_fd = -1, .err_fd = -1, .status = -1 })

/*
 * run_start() - a program with stdin /dev/null and the environment of @verify
 * @flags:  enum row_flag
 */
int run_start(struct run *run, const struct verify *verify, char *const *argv, unsigned flags,
	      struct error *err) must_check;

/* run_await() - reads until stdout holds @text; false if it ends or @ms pass before. */
bool run_await(struct run *run, const char *text, uint64_t ms);

/* run_finish() - reads to its end; kills it after RUN_MAX_MS.  Its descriptors are closed. */
void run_finish(struct run *run);

/* run_fini() - kills what still runs. */
void run_fini(struct run *run);

/* run_whole() - start and finish. */
int run_whole(struct run *run, const struct verify *verify, char *const *argv, unsigned flags,
	      struct error *err) must_check;

/* run_line() - the first line of an output, made safe to show; "" if there is none. */
void run_line(const struct buf *output, char *line, size_t size);

uint64_t run_now_ns(void);
