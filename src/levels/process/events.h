/* SPDX-License-Identifier: Apache-2.0 */
/* events.h - what a sandbox tells: messages of foso-init, limits, refused system calls */
#pragma once

#include "levels/process/process.h"

/* process_events_open() - everything that can become ready, behind sandbox->event_fd. */
int process_events_open(struct sandbox *sandbox, struct process *process, struct error *err)
	must_check;

int process_dispatch(struct sandbox *sandbox, struct level_event *ret, struct error *err)
	must_check;

/* describe.c */
void process_describe(struct sandbox *sandbox, struct evidence_record *record);

/* watch.c: what the kernel does not tell by itself. */
int process_watch_open(struct process *process, struct error *err) must_check;

/* process_watch_check() - 1: *ret is a limit that was reached; 0: none. */
int process_watch_check(struct process *process, struct level_event *ret);
