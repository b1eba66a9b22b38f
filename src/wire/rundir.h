/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rundir.h - what is known of running sandboxes outside their monitors
 *
 * /run/foso (root) or $XDG_RUNTIME_DIR/foso, else /tmp/foso-<uid> (others), mode 0700, owner
 * checked.  It holds of each sandbox:
 *   <id>         its state, one struct rundir_state; the monitor holds flock(LOCK_EX) on it while
 *                it lives, so an unlocked state is a dead monitor's, whatever its pid has become
 *   <id>.output  with background: keep, what the processes wrote after their command had ended
 * Files and no folder for each: on a disk, a folder takes a block, which has to be given back.
 *
 * Written by the monitor, read by ps, kill, logs and gc of the same user.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

#define RUNDIR_ID_BYTES   32
#define RUNDIR_NAME_BYTES (RUNDIR_ID_BYTES + 8) /* of the output of one */
#define RUNDIR_MAGIC      0x31534f46u           /* "FOS1" */

/* Fixed layout; extended at the end only. */
struct rundir_state {
	uint32_t magic;
	uint32_t size; /* sizeof(struct rundir_state) of the writer */
	int32_t monitor_pid;
	int32_t init_pid;          /* host pid of foso-init; 0 before it runs */
	uint64_t init_start_ticks; /* field 22 of /proc/PID/stat: tells a reused pid apart */
	uint64_t started_realtime_ns;
	uint32_t is_background; /* its first command ended; processes were kept */
	char level[16];
	char command[256]; /* escaped text of argv, cut */
	char reserved[72];
};

/* rundir_open() - the folder that holds all; made if missing.  -ERR_DENIED if not safe. */
int rundir_open(int *ret_dir_fd, struct error *err) must_check;

/*
 * rundir_create() - the state of one sandbox, written and locked
 *
 * @ret_state_fd stays open as the lock.  -ERR_EXISTS if the id is taken.
 */
int rundir_create(int dir_fd, const char *id, const struct rundir_state *state, int *ret_state_fd,
		  struct error *err) must_check;

/*
 * rundir_will_write() - what the record of the run needs, should its monitor die before it wrote
 * one; the bytes are of evidence/lost.h
 */
int rundir_will_write(int state_fd, const char *bytes, size_t len, struct error *err) must_check;

/* rundir_will_read() - of a sandbox that may be dead; @ret stays empty if it left none. */
int rundir_will_read(int dir_fd, const char *id, struct buf *ret, struct error *err) must_check;

/* rundir_update() - rewrite the state through the locked descriptor. */
int rundir_update(int state_fd, const struct rundir_state *state, struct error *err) must_check;

/* rundir_output_name() - the file of what kept processes write. */
void rundir_output_name(const char *id, char ret_name[RUNDIR_NAME_BYTES]);

/* rundir_remove() - state and output; a missing one is fine. */
int rundir_remove(int dir_fd, const char *id, struct error *err) must_check;

/* One sandbox found by rundir_scan(). */
struct rundir_entry {
	char id[RUNDIR_ID_BYTES];
	bool is_alive;             /* a monitor holds the lock */
	bool has_state;            /* state could be read and has our magic */
	struct rundir_state state; /* strings are NUL-terminated by the reader */
};

/*
 * rundir_scan() - calls @found for each sandbox; stops when it returns non-zero
 *
 * Returns 0, what @found returned, or -ERR_SYSTEM.
 */
int rundir_scan(int dir_fd, int (*found)(const struct rundir_entry *entry, void *context),
		void *context, struct error *err) must_check;

/* rundir_start_ticks() - when a process began (field 22 of /proc/PID/stat); 0 if it is gone. */
uint64_t rundir_start_ticks(pid_t pid);

/* rundir_id_is_valid() - 1 to 31 of [a-z0-9]. */
bool rundir_id_is_valid(const char *id);

/* The signal by which `foso kill` asks a monitor to end its sandbox (reason: killed). */
#define RUNDIR_KILL_SIGNAL (34 + 6) /* SIGRTMIN as the kernel counts, clear of libc's own */
