/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp_install.c - put a filter on the calling thread
 *
 * SECCOMP_FILTER_FLAG_SPEC_ALLOW is not used: on kernels before 5.16 the speculation
 * mitigations that come with a filter are what an untrusted program should run under.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine/seccomp.h"
#include "confine/seccomp_table.h"

/* Linux 5.19; Debian 12's headers have it, those of older systems do not. */
#ifndef SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV
#	define SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV (1UL << 5)
#endif

static int filter_set(const struct sock_filter *instructions, size_t n_instructions,
		      unsigned long flags)
{
	struct sock_fprog program = {
		.len = (unsigned short)n_instructions,
		/* The kernel only copies it. */
		.filter = (struct sock_filter *)(uintptr_t)instructions,
	};
	long result = syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, flags, &program);
	return result < 0 ? -errno : (int)result;
}

int seccomp_program_install(const struct sock_filter *instructions, size_t n_instructions)
{
	if (n_instructions == 0 || n_instructions > SECCOMP_MAX_INSTRUCTIONS)
		return -EINVAL;
	/*
	 * With the flag, a signal cannot interrupt a call that the listener has already received:
	 * without it a program that signals itself could have each call counted many times.
	 */
	unsigned long flags = SECCOMP_FILTER_FLAG_NEW_LISTENER;
	int listener_fd = filter_set(instructions, n_instructions,
				     flags | SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV);
	if (listener_fd == -EINVAL)
		listener_fd = filter_set(instructions, n_instructions, flags);
	return listener_fd;
}

int seccomp_self_restrict(void)
{
	size_t n_instructions;
	const struct sock_filter *instructions =
		seccomp_table_filter(SECCOMP_FILTER_MONITOR, &n_instructions);
	return filter_set(instructions, n_instructions, 0);
}
