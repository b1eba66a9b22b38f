/* SPDX-License-Identifier: Apache-2.0 */
/* fd.c - what is asked of a descriptor in many places */
#include "base/fd.h"

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

int fd_write_all(int fd, const void *bytes, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = write(fd, (const char *)bytes + at, len - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n == 0)
			errno = EIO;
		if (n <= 0)
			return -1;
		at += (size_t)n;
	}
	return 0;
}
