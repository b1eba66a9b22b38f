/* SPDX-License-Identifier: Apache-2.0 */
/*
 * landlock.c - a second wall around files, abstract sockets and signals
 *
 * The first wall is the mount namespace: what is not mounted has no name.  Landlock holds if a
 * descriptor or a mount slips through that one.  Every right that the kernel's ABI knows is
 * handled, that is, denied unless a path grants it; rights that a later ABI adds are not denied
 * by older kernels, which is why callers report the ABI.
 *
 * The numbers are the kernel's ABI (include/uapi/linux/landlock.h of Linux 6.12) and are given
 * here because the headers of older systems lack the later ones.
 */
#include <errno.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "confine/confine.h"

#ifndef SYS_landlock_create_ruleset
#	define SYS_landlock_create_ruleset 444
#	define SYS_landlock_add_rule       445
#	define SYS_landlock_restrict_self  446
#endif

#define CREATE_RULESET_VERSION 1u
#define RULE_PATH_BENEATH      1

struct ruleset_attr {
	uint64_t handled_fs;
	uint64_t handled_net; /* ABI 4 */
	uint64_t scoped;      /* ABI 6 */
};

struct path_beneath_attr {
	uint64_t allowed;
	int32_t parent_fd;
} __attribute__((packed));

enum landlock_right {
	RIGHT_EXECUTE = 1u << 0,
	RIGHT_WRITE_FILE = 1u << 1,
	RIGHT_READ_FILE = 1u << 2,
	RIGHT_READ_DIR = 1u << 3,
	RIGHT_REMOVE_DIR = 1u << 4,
	RIGHT_REMOVE_FILE = 1u << 5,
	RIGHT_MAKE_CHAR = 1u << 6,
	RIGHT_MAKE_DIR = 1u << 7,
	RIGHT_MAKE_REG = 1u << 8,
	RIGHT_MAKE_SOCK = 1u << 9,
	RIGHT_MAKE_FIFO = 1u << 10,
	RIGHT_MAKE_BLOCK = 1u << 11,
	RIGHT_MAKE_SYM = 1u << 12,
	RIGHT_REFER = 1u << 13,     /* ABI 2 */
	RIGHT_TRUNCATE = 1u << 14,  /* ABI 3 */
	RIGHT_IOCTL_DEV = 1u << 15, /* ABI 5 */
};

#define SCOPE_ABSTRACT_UNIX_SOCKET (1u << 0) /* ABI 6 */
#define SCOPE_SIGNAL               (1u << 1) /* ABI 6 */

#define RIGHTS_READ (RIGHT_EXECUTE | RIGHT_READ_FILE | RIGHT_READ_DIR)
/* No devices: nothing that a sandbox makes may be one. */
#define RIGHTS_WRITE                                                                         \
	(RIGHT_WRITE_FILE | RIGHT_REMOVE_DIR | RIGHT_REMOVE_FILE | RIGHT_MAKE_DIR |          \
	 RIGHT_MAKE_REG | RIGHT_MAKE_SOCK | RIGHT_MAKE_FIFO | RIGHT_MAKE_SYM | RIGHT_REFER | \
	 RIGHT_TRUNCATE)
/* The kernel refuses the others for a path that is no directory (EINVAL). */
#define RIGHTS_OF_FILES \
	(RIGHT_EXECUTE | RIGHT_WRITE_FILE | RIGHT_READ_FILE | RIGHT_TRUNCATE | RIGHT_IOCTL_DEV)

static uint64_t rights_of_abi(int abi)
{
	uint64_t rights = (RIGHT_MAKE_SYM << 1) - 1;
	if (abi >= 2)
		rights |= RIGHT_REFER;
	if (abi >= 3)
		rights |= RIGHT_TRUNCATE;
	if (abi >= 5)
		rights |= RIGHT_IOCTL_DEV;
	return rights;
}

/* Kernels refuse a structure with set bytes that they do not know (E2BIG). */
static size_t attr_size_of_abi(int abi)
{
	if (abi >= 6)
		return sizeof(struct ruleset_attr);
	return abi >= 4 ? offsetof(struct ruleset_attr, scoped)
			: offsetof(struct ruleset_attr, handled_net);
}

static long landlock_version(void)
{
	return syscall(SYS_landlock_create_ruleset, NULL, 0, CREATE_RULESET_VERSION);
}

int confine_landlock_abi(void)
{
	long abi = landlock_version();
	return abi > 0 ? (int)abi : 0;
}

static uint64_t path_rights(const struct confine_path *path)
{
	uint64_t rights = 0;
	if (path->access & CONFINE_PATH_READ)
		rights |= RIGHTS_READ;
	if (path->access & CONFINE_PATH_WRITE)
		rights |= RIGHTS_WRITE;
	if (path->access & CONFINE_PATH_IOCTL)
		rights |= RIGHT_IOCTL_DEV;
	return rights;
}

static int ruleset_add(int ruleset_fd, const struct confine_path *path, uint64_t handled)
{
	struct path_beneath_attr attr = { .allowed = path_rights(path) & handled,
					  .parent_fd = path->fd };
	if (attr.allowed == 0)
		return 0;
	long result = syscall(SYS_landlock_add_rule, ruleset_fd, RULE_PATH_BENEATH, &attr, 0);
	/* Most paths are directories, so the kernel is asked what a look at each would tell. */
	if (result < 0 && errno == EINVAL && (attr.allowed & ~(uint64_t)RIGHTS_OF_FILES)) {
		attr.allowed &= RIGHTS_OF_FILES;
		if (attr.allowed == 0)
			return 0;
		result = syscall(SYS_landlock_add_rule, ruleset_fd, RULE_PATH_BENEATH, &attr, 0);
	}
	return result < 0 ? errno : 0;
}

int confine_landlock(const struct confine_path *paths, size_t n_paths, bool is_scoped)
{
	long version = landlock_version();
	if (version < 0)
		return errno;
	int abi = (int)version;
	struct ruleset_attr attr = { .handled_fs = rights_of_abi(abi) };
	if (abi >= 6 && is_scoped)
		attr.scoped = SCOPE_ABSTRACT_UNIX_SOCKET | SCOPE_SIGNAL;
	auto_fd int ruleset_fd =
		(int)syscall(SYS_landlock_create_ruleset, &attr, attr_size_of_abi(abi), 0);
	if (ruleset_fd < 0)
		return errno;
	for (size_t i = 0; i < n_paths; i++) {
		int result = ruleset_add(ruleset_fd, &paths[i], attr.handled_fs);
		if (result != 0)
			return result;
	}
	return syscall(SYS_landlock_restrict_self, ruleset_fd, 0) < 0 ? errno : 0;
}

int confine_landlock_if_any(const struct confine_path *paths, size_t n_paths, bool is_scoped)
{
	int errnum = confine_landlock(paths, n_paths, is_scoped);
	return errnum == ENOSYS || errnum == EOPNOTSUPP ? 0 : errnum;
}
