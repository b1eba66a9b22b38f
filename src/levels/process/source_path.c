/* SPDX-License-Identifier: Apache-2.0 */
/*
 * source_path.c - opening what a policy shows, past what a sandbox left in the way
 *
 * A folder that is shown to be written keeps what the run before left in it.  Where another source
 * of the policy lies below it (the repository at one place, its cache at another), a link in the
 * place of that would show whatever it names, with the rights of the caller.  So what lies below a
 * written folder is resolved below it: links within it lead on, those out of it nowhere.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "levels/process/process.h"

struct written {
	struct stat folders[POLICY_MAX_MOUNTS + 1];
	size_t n_folders;
};

static void add(struct written *written, const char *path, enum policy_access access)
{
	struct stat *status = &written->folders[written->n_folders];
	if (access == POLICY_ACCESS_RW && path[0] && stat(path, status) == 0)
		written->n_folders++;
}

static bool is_written(const struct written *written, int fd)
{
	struct stat status;
	if (fstat(fd, &status) < 0)
		return false;
	for (size_t i = 0; i < written->n_folders; i++) {
		if (written->folders[i].st_dev == status.st_dev &&
		    written->folders[i].st_ino == status.st_ino)
			return true;
	}
	return false;
}

static int open_below(int dir_fd, const char *rest)
{
	struct open_how how = {
		.flags = O_PATH | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	int fd = sys_openat2(dir_fd, rest, &how);
	return fd < 0 ? -errno : fd;
}

/* The first part of @path that is a written folder decides about the rest. */
static int open_past(const struct written *written, const char *path)
{
	char part[4096];
	size_t len = strlen(path);
	const char *rest = path + strspn(path, "/");
	if (len >= sizeof(part))
		return -ENAMETOOLONG;
	(void)snprintf(part, sizeof(part), "%s", rest == path ? "." : "/");
	while (*rest) {
		auto_fd int fd = openat(AT_FDCWD, part, O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			return -errno;
		if (is_written(written, fd))
			return open_below(fd, rest);
		rest += strcspn(rest, "/");
		rest += strspn(rest, "/");
		(void)snprintf(part, sizeof(part), "%.*s", (int)(rest - path), path);
	}
	int fd = openat(AT_FDCWD, path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

int process_source_open(const struct policy *policy, const char *path)
{
	struct written written;
	written.n_folders = 0;
	add(&written, policy->workspace.path, policy->workspace.access);
	for (size_t i = 0; i < policy->n_mounts; i++)
		add(&written, policy->mounts[i].source, policy->mounts[i].access);
	if (written.n_folders > 0)
		return open_past(&written, path);
	int fd = openat(AT_FDCWD, path, O_PATH | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}
