/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - what a sandbox tells: messages of foso-init, limits, refused system calls */
#pragma once

#include "levels/process/process.h"

/* process_events_open() - everything that can become ready, behind sandbox->event_fd. */
int process_events_open(struct sandbox *sandbox, struct process *process, struct error *err)
	must_check;

int process_dispatch(struct sandbox *sandbox, struct level_event *ret, struct error *err)
	must_check;

/*
 * process_prefer_child_words() - what the child said before it ended, if it said something
 *
 * A step of the engine that fails because the child is gone (EPIPE) is not the cause.  Returns
 * @result, or the code of the child's own failure, which then is in *err.
 */
int process_prefer_child_words(struct process *process, int result, struct error *err);

/* describe.c */
void process_describe(struct sandbox *sandbox, struct evidence_record *record);

/* process_counts_cpu() - true if a control group counts the CPU time of the whole tree. */
bool process_counts_cpu(const struct process *process);

/*
 * process_scratch_learn() - how much of the scratch is foso's own
 *
 * It is what its bounds exceed the limits by (bound_scratch() in root.c).  What is in use would be
 * no answer: a command may be writing already.
 */
void process_scratch_learn(struct process *process);

/* process_scratch_let_go() - keeps what is used now, and the scratch itself no longer. */
void process_scratch_let_go(struct process *process);

/* process_scratch_usage() - what of the scratch is in use; zeros before there is one. */
void process_scratch_usage(const struct process *process, uint64_t *ret_bytes,
			   uint64_t *ret_inodes);

/* watch.c: what the kernel does not tell by itself. */
int process_watch_open(struct process *process, struct error *err) must_check;

/* process_watch_check() - 1: *ret is a limit that was reached; 0: none. */
int process_watch_check(struct process *process, struct level_event *ret);
