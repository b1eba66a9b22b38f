/* SPDX-License-Identifier: Apache-2.0 */
/* shmem.h - what files in memory (tmpfs) can hold on this kernel */
#pragma once

#include <errno.h>
#include <linux/memfd.h>
#include <stdbool.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/syscalls.h"

/*
 * shmem_has_attributes() - can they have attributes user.*?  Since Linux 6.6.
 *
 * Asking costs three system calls and changes nothing.  Where it cannot be asked: true.
 */
static inline bool shmem_has_attributes(void)
{
	int fd = sys_memfd_create("foso-probe", MFD_CLOEXEC);
	bool is_lacking = fd >= 0 && fgetxattr(fd, "user.foso", NULL, 0) < 0 && errno == EOPNOTSUPP;
	if (fd >= 0)
		close(fd);
	return !is_lacking;
}
