/* SPDX-License-Identifier: Apache-2.0 */
/*
 * status.h - what a monitor tells a caller that waits for it
 *
 * One fixed-size message per event over a SOCK_SEQPACKET socket (plan.status_fd).  Used with
 * background: keep, where the monitor outlives the command that the caller waits for, and by
 * libfoso.
 */
#pragma once

#include <stdint.h>

#include "wire/end.h"

enum status_type {
	STATUS_READY = 1, /* the sandbox stands */
	STATUS_ENDED = 2, /* the first command ended; exit_status is what the caller exits with */
};

struct status_message {
	uint32_t type;
	uint32_t reason; /* enum end_reason */
	int32_t exit_status;
	int32_t code;
	int32_t signal;
	uint32_t n_survivors; /* processes that live on (background: keep) */
	char id[32];          /* of the sandbox, NUL-terminated */
};
