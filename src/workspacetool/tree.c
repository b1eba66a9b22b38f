/* SPDX-License-Identifier: Apache-2.0 */
/* tree.c - opening what lies below a folder that somebody else can change meanwhile */
#include "workspacetool/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"

#define RESOLVE_INSIDE \
	(RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS | RESOLVE_NO_XDEV)
#define MAX_TRIES 32

int tree_open_folder(int top_fd, const char *path, size_t len)
{
	char own[PATH_MAX] = ".";
	struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
				.resolve = RESOLVE_INSIDE };
	if (len >= sizeof(own)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	if (len > 0) {
		memcpy(own, path, len);
		own[len] = '\0';
	}
	/* EAGAIN: something was renamed meanwhile, and the kernel could not tell. */
	for (int i = 0; i < MAX_TRIES; i++) {
		int fd = sys_openat2(top_fd, own, &how);
		if (fd >= 0 || errno != EAGAIN)
			return fd;
	}
	return -1;
}

int tree_open_parent(int top_fd, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	*ret_name = slash ? slash + 1 : path;
	return tree_open_folder(top_fd, path, slash ? (size_t)(slash - path) : 0);
}

void tree_let_go(struct tree_held *held)
{
	fd_close(&held->fd);
	*held = TREE_HELD_NONE;
}

int tree_hold_parent(struct tree_held *held, int top_fd, const char *path, const char **ret_name)
{
	const char *slash = strrchr(path, '/');
	size_t len = slash ? (size_t)(slash - path) : 0;
	bool is_same = held->fd >= 0 && held->len == len && held->n_uses < TREE_HELD_MAX_USES &&
		       memcmp(held->path, path, len) == 0;
	*ret_name = slash ? slash + 1 : path;
	if (!is_same) {
		tree_let_go(held);
		held->fd = tree_open_folder(top_fd, path, len);
		held->path = path;
		held->len = len;
	}
	held->n_uses++;
	return held->fd;
}

int tree_open_file(int dir_fd, const char *name)
{
	struct stat status;
	if (fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return -1;
	if (!S_ISREG(status.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	return tree_open_known(dir_fd, name);
}

int tree_open_known(int dir_fd, const char *name)
{
	struct stat status;
	auto_fd int fd =
		openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return -1;
	if (!S_ISREG(status.st_mode)) {
		errno = EINVAL;
		return -1;
	}
	return take_fd(&fd);
}

ssize_t tree_read_link(int dir_fd, const char *name, char *target, size_t size)
{
	return readlinkat(dir_fd, name, target, size);
}
