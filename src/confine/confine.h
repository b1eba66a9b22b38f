/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confine.h - how a process gives up rights, one right per function
 *
 * Used by foso-init for itself and for each command, between fork and exec, so every function is
 * async-signal-safe, allocates nothing, and returns 0 or an errno.  The order that works is in
 * confine.c's opening comment; callers stop at the first failure (fail closed).
 */
#pragma once

#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* What the Landlock of this kernel can do: 0 if it has none, else its ABI number. */
int confine_landlock_abi(void);

enum confine_path_access {
	CONFINE_PATH_READ = 1u << 0,  /* read, list, execute */
	CONFINE_PATH_WRITE = 1u << 1, /* create, write, remove, rename, truncate */
	CONFINE_PATH_IOCTL = 1u << 2, /* ioctl on devices */
};

struct confine_path {
	int fd; /* O_PATH; borrowed */
	unsigned access;
};

/*
 * confine_landlock() - nothing but @paths, at the highest ABI the kernel has
 * @is_scoped:  from ABI 6, also keep signals and abstract sockets inside
 *
 * Handles every file system right that the ABI knows.  TCP is left to the network namespace.
 * Needs no_new_privs.  ENOSYS or EOPNOTSUPP if the kernel has no Landlock: the caller decides
 * (the evidence says so).
 */
int confine_landlock(const struct confine_path *paths, size_t n_paths, bool is_scoped);

/*
 * confine_landlock_if_any() - the same as one wall of several: 0 too where there is no Landlock
 *
 * For whoever is confined by more than paths, and need not say which walls it has.
 */
int confine_landlock_if_any(const struct confine_path *paths, size_t n_paths, bool is_scoped);

/* confine_no_new_privs() - exec can never add rights again. */
int confine_no_new_privs(void);

/*
 * confine_capabilities() - empty every set: ambient, bounding, effective, permitted, inheritable
 *
 * And lock securebits: NOROOT, NO_SETUID_FIXUP, NO_CAP_AMBIENT_RAISE, KEEP_CAPS off, all locked.
 * Verified afterwards by reading the sets back: EPERM if any bit stayed.
 */
int confine_capabilities(void);

/*
 * What uid 0 needs to install files for others, within its own user namespace.  Nothing that
 * mounts, traces, loads, or configures.
 */
#define CONFINE_INSTALLER                                                                 \
	(1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_FOWNER | 1u << CAP_FSETID | \
	 1u << CAP_SETUID | 1u << CAP_SETGID)

/*
 * confine_capabilities_keep() - all but @kept, which commands of uid 0 have over exec
 * @kept:  bits of the first 32 capabilities, all of them permitted
 *
 * The kept ones are in every set, ambient included, since securebits still say that uid 0 as
 * such is nothing.  Whoever becomes another user loses them, as on any system.
 */
int confine_capabilities_keep(uint32_t kept);

/*
 * confine_ids() - no supplementary groups, then gid, then uid, all three of each; verified
 *
 * The signal at the parent's death stays as it was.  Capabilities are kept, since emptying the
 * bounding set needs one: confine_capabilities() must follow.  In a user namespace that forbids
 * setgroups() (rootless without newgidmap) the groups that stay must all be unmapped there, else
 * EPERM.
 */
int confine_ids(uid_t uid, gid_t gid);

/*
 * confine_close_fds() - close everything from @first on
 *
 * close_range(), or /proc/self/fd where that is ENOSYS; EBADF (fail closed) if neither works:
 * counting up to RLIMIT_NOFILE would miss descriptors opened before the limit was lowered.
 */
int confine_close_fds(unsigned first);

/*
 * confine_keyring() - a new, empty session keyring; ENOSYS kernels have none to leak: returns 0
 *
 * EDQUOT if the user has too many keys: /proc/sys/kernel/keys/maxkeys, 200 for all but root, and
 * keyrings of ended processes are freed with a delay.
 */
int confine_keyring(void);

struct confine_rlimit {
	int resource; /* RLIMIT_... */
	uint64_t value;
};

/*
 * confine_rlimits() - soft and hard alike
 *
 * EPERM for a value above the hard limit, without CAP_SYS_RESOURCE in the first user namespace.
 * A RLIMIT_CORE of 0 is set as 1: see confine_not_dumpable().
 */
int confine_rlimits(const struct confine_rlimit *rlimits, size_t n_rlimits);

/* confine_signals() - default dispositions and an empty mask, as exec of a fresh process has. */
void confine_signals(void);

/*
 * confine_not_dumpable() - no core, and /proc/self belongs to root
 *
 * RLIMIT_CORE becomes 1 and not 0: with 0 the kernel would still start the host's handler where
 * core_pattern names a program, and feed it the memory of the sandbox; 1 stops that as well
 * (fs/coredump.c, since 2.6.32).  It outlives exec, being dumpable does not.  Where the hard
 * limit is 0 already and cannot be raised, it stays 0.  The seccomp profiles keep the value.
 */
int confine_not_dumpable(void);
