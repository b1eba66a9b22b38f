/* SPDX-License-Identifier: Apache-2.0 */
/*
 * capabilities.c - users, groups and the five sets of capabilities
 *
 * setuid() from 0 empties the effective and permitted sets, and without CAP_SETPCAP the bounding
 * set can no longer be emptied.  So confine_ids() keeps what it has, and confine_capabilities(),
 * which comes after it, empties all and looks whether it is so.
 *
 * Everything is done with plain system calls: the C library's setuid() wakes all threads of the
 * process, and between fork and exec there is one.
 */
#include <errno.h>
#include <grp.h>
#include <linux/capability.h>
#include <linux/securebits.h>
#include <stdbool.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"
#include "confine/confine.h"

#define MAX_GROUPS 65536 /* NGROUPS_MAX of the kernel */

/* What an unmapped group looks like in a user namespace (/proc/sys/kernel/overflowgid). */
#define OVERFLOW_GID 65534

#define SECUREBITS                                                                               \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP |                         \
	 SECBIT_NO_SETUID_FIXUP_LOCKED | SECBIT_KEEP_CAPS_LOCKED | SECBIT_NO_CAP_AMBIENT_RAISE | \
	 SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

struct capability_sets {
	struct __user_cap_data_struct items[_LINUX_CAPABILITY_U32S_3];
};

static int capabilities_get(struct capability_sets *sets)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	return syscall(SYS_capget, &header, sets->items) < 0 ? errno : 0;
}

static int capabilities_set(const struct capability_sets *sets)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	return syscall(SYS_capset, &header, sets->items) < 0 ? errno : 0;
}

/*
 * What this kernel has ends where reading the bounding set fails with EINVAL.  What was read as
 * empty stays so: nothing can add to the bounding set.
 */
static int bounding_reduce(uint32_t kept)
{
	for (int capability = 0; capability < 64; capability++) {
		int is_set = prctl(PR_CAPBSET_READ, capability, 0, 0, 0);
		if (is_set < 0)
			return errno == EINVAL && capability > 0 ? 0 : errno;
		if (!is_set || (capability < 32 && kept & 1u << capability))
			continue;
		if (prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
			return errno;
		if (prctl(PR_CAPBSET_READ, capability, 0, 0, 0) != 0)
			return EPERM;
	}
	return 0;
}

/* Bits that this file does not know (those of exec checks, Linux 6.14) stay as they are. */
static int securebits_lock(void)
{
	int bits = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);
	if (bits < 0)
		return errno;
	int wanted = (bits | SECUREBITS) & ~SECBIT_KEEP_CAPS;
	if (bits != wanted && prctl(PR_SET_SECUREBITS, wanted, 0, 0, 0) < 0)
		return errno;
	return 0;
}

static bool sets_are_empty(const struct capability_sets *sets)
{
	uint32_t all = 0;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		all |= sets->items[i].effective | sets->items[i].permitted |
		       sets->items[i].inheritable;
	return all == 0;
}

/* An ambient capability is always a permitted one (capabilities(7)), so the three sets tell. */
static int capabilities_verify(void)
{
	struct capability_sets sets;
	int result = capabilities_get(&sets);
	if (result != 0)
		return result;
	int bits = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);
	bool is_locked = bits >= 0 && (bits & (SECUREBITS | SECBIT_KEEP_CAPS)) == SECUREBITS;
	return is_locked && sets_are_empty(&sets) ? 0 : EPERM;
}

int confine_capabilities(void)
{
	if (prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return errno;
	int result = bounding_reduce(0);
	if (result != 0)
		return result;
	result = securebits_lock();
	if (result != 0)
		return result;
	static const struct capability_sets none;
	result = capabilities_set(&none);
	return result != 0 ? result : capabilities_verify();
}

/* uid 0 gains nothing at an exec, but does lose what it has by becoming somebody else. */
#define KEEPING_SECUREBITS                                                      \
	(SECBIT_NOROOT | SECBIT_NOROOT_LOCKED | SECBIT_NO_SETUID_FIXUP_LOCKED | \
	 SECBIT_KEEP_CAPS_LOCKED)
#define RAISED_SECUREBITS (SECBIT_NO_CAP_AMBIENT_RAISE | SECBIT_NO_CAP_AMBIENT_RAISE_LOCKED)

static int ambient_raise(uint32_t kept)
{
	for (unsigned long capability = 0; capability < 32; capability++) {
		if (kept & 1u << capability &&
		    prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, capability, 0, 0) < 0)
			return errno;
	}
	return 0;
}

static bool sets_are(const struct capability_sets *sets, uint32_t kept)
{
	const struct __user_cap_data_struct *low = &sets->items[0], *high = &sets->items[1];
	return low->effective == kept && low->permitted == kept && low->inheritable == kept &&
	       (high->effective | high->permitted | high->inheritable) == 0;
}

int confine_capabilities_keep(uint32_t kept)
{
	struct capability_sets sets = { .items[0] = { kept, kept, kept } };
	int bits = prctl(PR_GET_SECUREBITS, 0, 0, 0, 0);
	if (bits < 0 || prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_CLEAR_ALL, 0, 0, 0) < 0)
		return errno;
	int result = bounding_reduce(kept);
	if (result != 0)
		return result;
	bits = (bits | KEEPING_SECUREBITS) & ~SECBIT_KEEP_CAPS;
	if (prctl(PR_SET_SECUREBITS, bits, 0, 0, 0) < 0)
		return errno;
	/* SETPCAP, which securebits need, goes with the first of these sets and comes last. */
	sets.items[0].permitted = sets.items[0].effective = kept | 1u << CAP_SETPCAP;
	if ((result = capabilities_set(&sets)) != 0 || (result = ambient_raise(kept)) != 0)
		return result;
	if (prctl(PR_SET_SECUREBITS, bits | RAISED_SECUREBITS, 0, 0, 0) < 0)
		return errno;
	sets.items[0].permitted = sets.items[0].effective = kept;
	if ((result = capabilities_set(&sets)) != 0 || (result = capabilities_get(&sets)) != 0)
		return result;
	return sets_are(&sets, kept) ? 0 : EPERM;
}

/* ---- users and groups ---- */

/*
 * A user namespace made without newgidmap forbids setgroups() for good: the kernel then keeps
 * the user's supplementary groups, none of which is mapped (user_namespaces(7)).
 */
static bool groups_are_harmless(gid_t gid)
{
	gid_t groups[64];
	int n_groups = getgroups(ARRAY_LEN(groups), groups);
	if (n_groups < 0)
		return false;
	for (int i = 0; i < n_groups; i++) {
		if (groups[i] != gid && groups[i] != OVERFLOW_GID)
			return false;
	}
	return true;
}

static int groups_set(gid_t gid)
{
	if (syscall(SYS_setgroups, 0, NULL) == 0)
		return getgroups(0, NULL) == 0 ? 0 : EPERM;
	int result = errno;
	return result == EPERM && groups_are_harmless(gid) ? 0 : result;
}

static bool ids_are(uid_t uid, gid_t gid)
{
	uid_t uids[3];
	gid_t gids[3];
	if (getresuid(&uids[0], &uids[1], &uids[2]) < 0 ||
	    getresgid(&gids[0], &gids[1], &gids[2]) < 0)
		return false;
	for (size_t i = 0; i < 3; i++) {
		if (uids[i] != uid || gids[i] != gid)
			return false;
	}
	return true;
}

/* After setuid() with KEEPCAPS the permitted set is kept and the effective set is empty. */
static int effective_restore(void)
{
	struct capability_sets sets;
	int result = capabilities_get(&sets);
	if (result != 0)
		return result;
	for (size_t i = 0; i < _LINUX_CAPABILITY_U32S_3; i++)
		sets.items[i].effective = sets.items[i].permitted;
	return capabilities_set(&sets);
}

int confine_ids(uid_t uid, gid_t gid)
{
	int death_signal = 0;
	if (prctl(PR_GET_PDEATHSIG, &death_signal) < 0 || prctl(PR_SET_KEEPCAPS, 1, 0, 0, 0) < 0)
		return errno;
	int result = groups_set(gid);
	if (result != 0)
		return result;
	if (syscall(SYS_setresgid, gid, gid, gid) < 0 || syscall(SYS_setresuid, uid, uid, uid) < 0)
		return errno;
	/* The kernel forgets it with each change of ids, and then who should die lives on. */
	if (prctl(PR_SET_KEEPCAPS, 0, 0, 0, 0) < 0 ||
	    (death_signal != 0 && prctl(PR_SET_PDEATHSIG, death_signal) < 0))
		return errno;
	return ids_are(uid, gid) ? effective_restore() : EPERM;
}
