/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init.h - what the files of foso-init share
 *
 * foso-init is process 1 of a sandbox.  It assumes nothing about the host: it finds a socket at
 * INIT_CHANNEL_FD, does what it is told there, reaps, and ends when the socket does.  Everything
 * in the sandbox may attack it; it reads nothing that the workload writes, but /etc/passwd and
 * /etc/group of the sandbox's own root, bounded.
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "confine/seccomp.h"
#include "wire/init_messages.h"

#define INIT_MAX_COMMANDS 256

struct init_command {
	unsigned number; /* 0: the slot is free */
	pid_t pid;       /* its main process, leader of its own session */
	bool is_last;    /* we end when it does */
};

struct init {
	int channel_fd;
	bool has_started; /* a command: who it is and what it left may be here */
	struct sock_filter filter[SECCOMP_MAX_INSTRUCTIONS];
	size_t n_filter;
	struct init_configure configure;
	struct init_command commands[INIT_MAX_COMMANDS];
};

/* init_configure_apply() - give up what foso-init itself does not need; 0 or errno and the stage.
 */
int init_configure_apply(struct init *init, enum init_stage *ret_stage);

/*
 * init_spawn() - start one command; its outcome is sent as STARTED or NOT_STARTED
 * @fds:  stdio unless is_tty, then the control group entry; borrowed
 */
void init_spawn(struct init *init, const struct init_spawn *order, const int *fds, size_t n_fds);

/* init_exec() - replaces the process or returns errno; searches PATH of @env, else the default. */
int init_exec(char *const argv[], char *const env[]);

/* Who a command runs as. */
struct init_user {
	uid_t uid;
	gid_t gid;
	char home[256]; /* "" if unknown */
};

/*
 * init_user_find() - "", NAME, UID, NAME:GROUP, UID:GID
 *
 * Names are looked up in the sandbox's own /etc/passwd and /etc/group.  0 or errno; ENOENT for
 * an unknown name.
 */
int init_user_find(const struct init *init, const char *user, struct init_user *ret);

/* init_list() - send PROCESS for each process but ourselves, then LIST_END. */
void init_list(const struct init *init);

/* init_send_event() - an event of fixed fields; a socket that is gone ends foso-init. */
void init_send_event(const struct init *init, enum init_message number,
		     const struct init_event *event, int fd);
