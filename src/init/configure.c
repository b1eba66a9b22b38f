/* SPDX-License-Identifier: Apache-2.0 */
/*
 * configure.c - what foso-init gives up before the first command
 *
 * Landlock is applied here and not for each command: all commands of a sandbox then share one
 * domain, so that one can signal another's processes, while nothing reaches out of it.
 * foso-init keeps four capabilities in the sandbox's own user namespace: to become a command's
 * user, to signal it, and to take the rest from it; the workload keeps none.  Of a step of an
 * image build it keeps those over files too, and leaves them to commands of uid 0.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "confine/confine.h"
#include "init/init.h"

static int apply_landlock(const struct init *init)
{
	struct confine_path paths[INIT_MAX_PATHS] = { { 0 } };
	const struct init_configure *configure = &init->configure;
	int r = 0;
	size_t n_paths = 0;
	for (size_t i = 0; i < configure->n_paths; i++) {
		int fd =
			openat(AT_FDCWD, configure->paths[i].path, O_PATH | O_CLOEXEC | O_NOFOLLOW);
		/* A root without this folder has nothing to open there. */
		if (fd >= 0)
			paths[n_paths++] = (struct confine_path){ fd, configure->paths[i].access };
	}
	r = confine_landlock(paths, n_paths, true);
	for (size_t i = 0; i < n_paths; i++)
		close(paths[i].fd);
	bool is_missing = r == ENOSYS || r == EOPNOTSUPP;
	return is_missing && !configure->needs_landlock ? 0 : r;
}

static int keep_own_capabilities(const struct init *init)
{
	const uint32_t kept = 1u << CAP_SETUID | 1u << CAP_SETGID | 1u << CAP_KILL |
			      1u << CAP_SETPCAP |
			      (init->configure.is_installer ? CONFINE_INSTALLER : 0);
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2] = { { 0 } };
	if (syscall(SYS_capget, &header, data) < 0)
		return errno;
	data[0].permitted &= kept;
	data[0].effective = data[0].permitted;
	data[0].inheritable = data[1].inheritable = 0;
	data[1].permitted = data[1].effective = 0;
	return syscall(SYS_capset, &header, data) < 0 ? errno : 0;
}

int init_configure_apply(struct init *init, enum init_stage *ret_stage)
{
	int r;
	*ret_stage = STAGE_PRIVILEGES;
	if ((r = confine_no_new_privs()) != 0 || (r = confine_not_dumpable()) != 0)
		return r;
	*ret_stage = STAGE_KEYRING;
	if ((r = confine_keyring()) != 0)
		return r;
	*ret_stage = STAGE_LANDLOCK;
	if ((r = apply_landlock(init)) != 0)
		return r;
	*ret_stage = STAGE_PRIVILEGES;
	return keep_own_capabilities(init);
}
