/* SPDX-License-Identifier: Apache-2.0 */
/* ahead.c - files opened and read ahead */
#include "workspacetool/ahead.h"

#include <fcntl.h>

#include "base/cleanup.h"

bool ahead_put(struct ahead *ahead, int dir_fd, const char *name, const void *key)
{
	if (ahead_is_used_up(ahead))
		ahead->at = ahead->n = 0;
	if (ahead->n == AHEAD_FILES)
		return false;
	int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	/* A hint: where it is not taken, the read waits. */
	if (fd >= 0)
		(void)posix_fadvise(fd, 0, AHEAD_BYTES, POSIX_FADV_WILLNEED);
	ahead->files[ahead->n].key = key;
	ahead->files[ahead->n++].fd = fd;
	return true;
}

int ahead_take(struct ahead *ahead, const void *key)
{
	while (!ahead_is_used_up(ahead)) {
		size_t at = ahead->at++;
		if (ahead->files[at].key == key)
			return take_fd(&ahead->files[at].fd);
		fd_close(&ahead->files[at].fd);
	}
	return -1;
}

void ahead_fini(struct ahead *ahead)
{
	while (!ahead_is_used_up(ahead))
		fd_close(&ahead->files[ahead->at++].fd);
}
