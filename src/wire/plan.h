/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - the one sealed document that starts a monitor
 *
 * libfoso and `foso run` with background: keep write it, foso-monitor reads it: a memory file,
 * sealed against every change, at descriptor PLAN_FD.  It holds the whole policy and how the
 * command meets the caller.  It comes from the caller, whose rights the monitor has, so it is
 * trusted; it is decoded as if it were not.
 */
#pragma once

#include "base/error.h"
#include "policy/policy.h"

#define PLAN_FD        3
#define PLAN_MAX_BYTES (POLICY_MAX_ENCODED_BYTES + 64 * 1024)

struct plan {
	struct policy policy;
	bool is_tty; /* give the command a terminal; the caller's is descriptor 0, or with a
			control_fd none of the monitor's business */
	uint16_t rows, columns; /* of it, with a control_fd */
	bool is_quiet;          /* no line on stderr about the end */
	bool is_debug;          /* origin of errors */
	int result_fd;          /* inherited; the record is written here as JSON; -1: none */
	int status_fd;  /* inherited; wire/status.h messages for a waiting caller; -1: none */
	int control_fd; /* inherited; wire/control_messages.h with whoever holds the sandbox; -1 */
	int root_changes_fd; /* inherited; keeps what the root's changes are (level.h); -1: nothing
				does */
	int root_image_fd; /* inherited; the record of a root: image that has no name yet (a step of
			      image build, which installs); -1: the policy's name counts */
	bool is_session;   /* no command of its own: those of control_fd, until it says CLOSE */
	char *level_why;   /* why level auto became policy.level; "" if it was named */
};

/* plan_init() - an empty plan around a default policy. */
int plan_init(struct plan *plan, struct error *err) must_check;
void plan_fini(struct plan *plan);

void plan_encode(const struct plan *plan, struct buf *out);
int plan_decode(struct plan *ret_plan, const void *bytes, size_t len, struct error *err) must_check;

/*
 * plan_launch() - become the monitor: seal the plan, put it at PLAN_FD, exec foso-monitor
 *
 * Returns only on failure.  Descriptors 0-2, result_fd and status_fd (above PLAN_FD) are handed
 * on.  With background: keep the caller forks first and waits for status messages (wire/status.h).
 */
int plan_launch(const struct plan *plan, struct error *err) must_check;

/*
 * plan_keeps_variable() - is @variable, "NAME=VALUE", one of the few that a monitor has?
 *
 * They say where its folders are.  Everything else could hold secrets (case T02).
 */
#define PLAN_N_KEPT_VARIABLES 6
bool plan_keeps_variable(const char *variable);

/*
 * plan_start_prepare() / plan_start_exec() - the two halves of plan_launch(), for a program that
 * must call only async-signal-safe functions after its fork
 * @folder:  where foso's programs are; NULL: where the running program is
 *
 * exec() returns errno on failure only.  It uses only @start and the descriptors of the plan,
 * which must be above PLAN_FD.
 */
struct plan_start {
	char path[4096];
	int plan_fd; /* owned; -1 while unused */
	int fds[5];  /* borrowed: result, status, control, changes and record of the root; -1 */
	char *envp[PLAN_N_KEPT_VARIABLES + 1];
};
int plan_start_prepare(const struct plan *plan, const char *folder, struct plan_start *ret,
		       struct error *err) must_check;
int plan_start_exec(const struct plan_start *start);

/* plan_receive() - the other side: check the seals of PLAN_FD, decode, close. */
int plan_receive(struct plan *ret_plan, struct error *err) must_check;
