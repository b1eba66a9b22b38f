/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pen.h - a child that reads one folder and writes one file, and can do nothing else
 *
 * For trees that a sandbox wrote: names, links, modes and contents are hostile, and whoever walks
 * them should have nothing to lose.
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

struct pen {
	int dir_fd; /* the folder, which becomes its root; borrowed */
	int out_fd; /* may be written; borrowed */
	uint64_t max_out_bytes;
	uint64_t cpu_seconds;
	/* What it does; the answer, of @answer_bytes, is handed to the parent. */
	int (*run)(int dir_fd, int out_fd, const void *order, void *ret_answer, struct error *err);
	const void *order;
	void *ret_answer;    /* hostile: the parent checks it */
	size_t answer_bytes; /* at most PEN_MAX_ANSWER_BYTES */
	const char *name;    /* for errors */
};

#define PEN_MAX_ANSWER_BYTES 1024

/*
 * pen_run() - fork, give up, run, wait
 *
 * The child's root is the folder; network, mounts and IPC are its own; it is nobody, with the one
 * capability to read what belongs to others; a filter allows reading calls alone.  Returns what
 * @run returned, with its error; -ERR_SYSTEM if the walls cannot be raised or the child was lost.
 */
int pen_run(const struct pen *pen, struct error *err) must_check;
