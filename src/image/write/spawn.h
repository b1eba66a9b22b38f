/* SPDX-License-Identifier: Apache-2.0 */
/*
 * spawn.h - foso-unpack as a child: what it is given, how long it may take, what it answers
 *
 * Everything that a child says is a stranger's word: reading it is bounded in bytes and time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "image/write/staging.h"

struct child {
	pid_t pid;     /* 0: none */
	int pidfd;     /* -1: none */
	int answer_fd; /* what it writes to descriptor 3; -1: none */
	bool is_flat;  /* it has one id: owners are not kept */
};

#define CHILD_NONE ((struct child){ .pidfd = -1, .answer_fd = -1 })

/*
 * child_start() - a reader: no namespaces, but it drops all rights by itself
 * @words:      arguments behind the program's name, NULL-terminated
 * @output_fd:  its stdout; -1 for /dev/null.  Both stay open here.
 */
int child_start(const char *const *words, int input_fd, int output_fd, struct child *ret,
		struct error *err) must_check;

/*
 * child_start_apart() - one that makes files, in namespaces of its own
 * @top:        path of the folder to work in, below the store's
 * @has_lower:  it also gets the folder of all layers, to read
 *
 * For root, its ids are mapped to ids that nobody has, and both folders are id-mapped mounts, so
 * that owners on disk are what it says.  For everybody else it has the caller's id alone.
 */
int child_start_apart(const struct image_store *store, const char *const *words, int input_fd,
		      const char *top, bool has_lower, struct child *ret, struct error *err)
	must_check;

/* child_answer() - all that it answers, until @deadline_ns of the monotonic clock; then it ends. */
int child_answer(struct child *child, uint64_t deadline_ns, struct buf *ret_answer,
		 struct error *err) must_check;

void child_fini(struct child *child); /* kills and reaps it; may be called twice */

/* wait_for() - until @fd is ready for @events; -ERR_TIMEOUT at the deadline. */
int wait_for(int fd, short events, uint64_t deadline_ns, struct error *err) must_check;

uint64_t monotonic_ns(void);

/* store_is_flat() - the caller cannot give files to other users, so owners are not kept. */
bool store_is_flat(void);
