/* SPDX-License-Identifier: Apache-2.0 */
/* fd_path.c - the name of what is open */
#include "base/fd_path.h"

#include <errno.h>
#include <stdio.h>
#include <unistd.h>

ssize_t fd_path(int fd, char *ret, size_t size)
{
	char name[32];
	(void)snprintf(name, sizeof(name), "/proc/self/fd/%d", fd);
	ssize_t len = readlink(name, ret, size);
	if (len < 0)
		return -errno;
	if ((size_t)len >= size)
		return -ENAMETOOLONG;
	ret[len] = '\0';
	return len;
}
