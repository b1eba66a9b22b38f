/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp_table.h - the generated filters and names, for the files of this folder */
#pragma once

#include <linux/filter.h>
#include <stddef.h>

enum seccomp_filter_id {
	SECCOMP_FILTER_DEFAULT,
	SECCOMP_FILTER_STRICT,
	SECCOMP_FILTER_MONITOR,
};

/*
 * The first four instructions check the architecture and load the number; those of a policy's
 * lists come between them and the rest, which jumps forward only and so needs no change.
 */
#define SECCOMP_HEAD_INSTRUCTIONS 4

/* seccomp_table_filter() - static; borrowed. */
const struct sock_filter *seccomp_table_filter(enum seccomp_filter_id id,
					       size_t *ret_n_instructions);
