/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine.c - how a process gives up rights, and in which order
 *
 * Each step takes what a later one would need, so the order is fixed.  For a command, in the
 * child between fork and exec:
 *
 *   1  confine_keyring()          before the ids change: it is accounted to the user
 *   2  confine_signals()
 *   3  confine_close_fds()        while /proc can still be opened; what later steps need lies
 *                                 below @first or is opened again
 *   4  confine_rlimits()          raising a hard limit needs CAP_SYS_RESOURCE
 *   5  confine_ids()              needs CAP_SETUID and CAP_SETGID; keeps capabilities
 *   6  confine_capabilities()     needs CAP_SETPCAP; afterwards there are none
 *   7  confine_not_dumpable()     setuid() and exec() change it, so it is late; exec sets it back
 *   8  confine_no_new_privs()     without CAP_SYS_ADMIN, 9 and 10 need it
 *   9  confine_landlock()         forbids opening what is not listed
 *  10  seccomp_program_install()  last: it forbids most of the above
 *  11  execve()
 */
#include "confine/confine.h"

#include <errno.h>
#include <linux/keyctl.h>
#include <linux/seccomp.h>
#include <signal.h>
#include <stdint.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

int confine_no_new_privs(void)
{
	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) < 0)
		return errno;
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? 0 : EPERM;
}

/* The only value with which no handler of the host is started (confine.h). */
#define NO_CORE_BYTES 1

int confine_not_dumpable(void)
{
	const struct rlimit none = { .rlim_cur = NO_CORE_BYTES, .rlim_max = NO_CORE_BYTES };
	if (syscall(SYS_prlimit64, 0, RLIMIT_CORE, &none, NULL) < 0 && errno != EPERM)
		return errno;
	return prctl(PR_SET_DUMPABLE, 0, 0, 0, 0) < 0 ? errno : 0;
}

int confine_keyring(void)
{
	if (syscall(SYS_keyctl, KEYCTL_JOIN_SESSION_KEYRING, NULL) >= 0 || errno == ENOSYS)
		return 0;
	/* Inside a container whose filter forbids keyctl(), no keyring can be reached either. */
	int result = errno;
	if (result == EPERM && prctl(PR_GET_SECCOMP, 0, 0, 0, 0) == SECCOMP_MODE_FILTER)
		return 0;
	return result;
}

int confine_rlimits(const struct confine_rlimit *rlimits, size_t n_rlimits)
{
	for (size_t i = 0; i < n_rlimits; i++) {
		uint64_t value = rlimits[i].value;
		if (rlimits[i].resource == RLIMIT_CORE && value == 0)
			value = NO_CORE_BYTES;
		struct rlimit rlimit = { .rlim_cur = value, .rlim_max = value };
		if (syscall(SYS_prlimit64, 0, rlimits[i].resource, &rlimit, NULL) < 0)
			return errno;
	}
	return 0;
}

/*
 * By the system call: the C libraries keep some real-time signals for themselves and refuse to
 * reset them, but a parent may have left them ignored.
 */
void confine_signals(void)
{
	const struct {
		uintptr_t handler, flags, restorer;
		uint64_t mask;
	} by_default = { .handler = (uintptr_t)SIG_DFL };
	const uint64_t empty = 0;
	for (int number = 1; number <= 64; number++)
		(void)syscall(SYS_rt_sigaction, number, &by_default, NULL, sizeof(empty));
	(void)syscall(SYS_rt_sigprocmask, SIG_SETMASK, &empty, NULL, sizeof(empty));
}
