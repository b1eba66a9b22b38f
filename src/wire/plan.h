/* SPDX-License-Identifier: Apache-2.0 */
/*
 * plan.h - the one sealed document that starts a monitor
 *
 * `foso run` and libfoso write it, foso-monitor reads it: a memory file, sealed against every
 * change, at descriptor PLAN_FD.  It holds the whole policy and how the command meets the caller.
 * It comes from the caller, whose rights the monitor has, so it is trusted; it is decoded as if
 * it were not.
 */
#pragma once

#include "base/error.h"
#include "policy/policy.h"

#define PLAN_FD        3
#define PLAN_MAX_BYTES (POLICY_MAX_ENCODED_BYTES + 64 * 1024)

struct plan {
	struct policy policy;
	bool is_tty;     /* give the command a terminal; the caller's is descriptor 0 */
	bool is_quiet;   /* no line on stderr about the end */
	bool is_debug;   /* origin of errors */
	int result_fd;   /* inherited; the record is written here as JSON; -1: none */
	int status_fd;   /* inherited; wire/status.h messages for a waiting caller; -1: none */
	char *level_why; /* why level auto became policy.level; "" if it was named */
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

/* plan_receive() - the other side: check the seals of PLAN_FD, decode, close. */
int plan_receive(struct plan *ret_plan, struct error *err) must_check;
