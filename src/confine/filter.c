/* SPDX-License-Identifier: Apache-2.0 */
/* filter.c - a short filter of system calls comes into force */
#include "confine/filter.h"

#include <unistd.h>

int confine_filter(struct sock_filter *instructions, size_t n_instructions)
{
	struct sock_fprog program = { .len = (unsigned short)n_instructions,
				      .filter = instructions };
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0 ? errno : 0;
}
