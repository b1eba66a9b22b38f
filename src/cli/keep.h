/* SPDX-License-Identifier: Apache-2.0 */
/* keep.h - foso run with background: keep, where the monitor outlives the command */
#pragma once

#include "base/error.h"
#include "wire/plan.h"

/* An outcome: the monitor or its start failed and has said why on stderr. */
#define KEEP_FAILED 1

/*
 * keep_launch() - start a monitor as a child and wait until the command has ended
 *
 * Returns 0 and what foso shall exit with; KEEP_FAILED; or -ERR_SYSTEM.  Signals that would end
 * foso are handed on to the monitor, which ends the command and tells.
 */
int keep_launch(struct plan *plan, int *ret_status, struct error *err) must_check;
