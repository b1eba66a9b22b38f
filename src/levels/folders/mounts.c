/* SPDX-License-Identifier: Apache-2.0 */
/* mounts.c - small wrappers of the mount calls */
#include "levels/folders/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "policy/policy.h"

#define SAFE (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

static int configure(int context, const struct mount_option *options, size_t n_options,
		     unsigned last_command)
{
	for (size_t i = 0; i < n_options; i++) {
		unsigned command = options[i].value ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG;
		if (sys_fsconfig(context, command, options[i].key, options[i].value, 0) < 0)
			return -errno;
	}
	return sys_fsconfig(context, last_command, NULL, NULL, 0) < 0 ? -errno : 0;
}

int mounts_change(int mount_fd, const struct mount_option *options, size_t n_options)
{
	auto_fd int context = sys_fspick(mount_fd, "", FSPICK_CLOEXEC | FSPICK_EMPTY_PATH);
	return context < 0 ? -errno
			   : configure(context, options, n_options, FSCONFIG_CMD_RECONFIGURE);
}

int mounts_make(const char *type, const struct mount_option *options, size_t n_options,
		unsigned attributes)
{
	auto_fd int context = sys_fsopen(type, FSOPEN_CLOEXEC);
	if (context < 0)
		return -errno;
	int r = configure(context, options, n_options, FSCONFIG_CMD_CREATE);
	if (r < 0)
		return r;
	int fd = sys_fsmount(context, FSMOUNT_CLOEXEC, attributes);
	return fd < 0 ? -errno : fd;
}

int mounts_attach(int mount_fd, int dir_fd, const char *path)
{
	unsigned flags = MOVE_MOUNT_F_EMPTY_PATH | (path[0] ? 0 : MOVE_MOUNT_T_EMPTY_PATH);
	return sys_move_mount(mount_fd, "", dir_fd, path, flags) < 0 ? -errno : 0;
}

int mounts_clone(int dir_fd, const char *path, bool is_recursive)
{
	unsigned flags = OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC;
	flags |= is_recursive ? AT_RECURSIVE : 0;
	flags |= path[0] ? 0 : AT_EMPTY_PATH;
	int fd = sys_open_tree(dir_fd, path, flags);
	return fd < 0 ? -errno : fd;
}

int mounts_restrict(int mount_fd, unsigned attributes, bool is_recursive)
{
	struct mount_attr attr = { .attr_set = attributes, .propagation = MS_PRIVATE };
	unsigned flags = AT_EMPTY_PATH | (is_recursive ? AT_RECURSIVE : 0);
	return sys_mount_setattr(mount_fd, "", flags, &attr) < 0 ? -errno : 0;
}

static int open_below(int root_fd, const char *path, uint64_t flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC,
		.mode = flags & O_CREAT ? 0644 : 0,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	int fd = sys_openat2(root_fd, path, &how);
	return fd < 0 ? -errno : fd;
}

/* Makes the folders above the last part of @path, each resolved inside the root. */
static int make_parents(int root_fd, const char *path)
{
	char part[4096];
	size_t len = strlen(path);
	if (len >= sizeof(part))
		return -ENAMETOOLONG;
	memcpy(part, path, len + 1);
	for (char *slash = strchr(part + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		char *name = strrchr(part, '/');
		*name = '\0';
		auto_fd int parent =
			open_below(root_fd, part[0] ? part : "/", O_PATH | O_DIRECTORY);
		*name = '/';
		if (parent < 0)
			return parent;
		if (mkdirat(parent, name + 1, 0755) < 0 && errno != EEXIST)
			return -errno;
		*slash = '/';
	}
	return 0;
}

/* Makes the last part, in a parent that was resolved inside the root. */
static int make_last(int root_fd, const char *path, bool is_directory)
{
	char parent[4096];
	int r = make_parents(root_fd, path);
	if (r < 0)
		return r;
	const char *name = strrchr(path, '/') + 1;
	(void)snprintf(parent, sizeof(parent), "%.*s", (int)(name - path), path);
	auto_fd int parent_fd = open_below(root_fd, parent, O_PATH | O_DIRECTORY);
	if (parent_fd < 0)
		return parent_fd;
	if (is_directory)
		return mkdirat(parent_fd, name, 0755) < 0 && errno != EEXIST ? -errno : 0;
	auto_fd int file =
		openat(parent_fd, name, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC | O_NOFOLLOW, 0644);
	return file < 0 && errno != EEXIST ? -errno : 0;
}

int mounts_target(int root_fd, const char *path, bool is_directory)
{
	struct stat status;
	auto_fd int fd = open_below(root_fd, path, O_PATH | O_NOFOLLOW);
	if (fd == -ENOENT) {
		int r = make_last(root_fd, path, is_directory);
		if (r < 0)
			return r;
		fd = open_below(root_fd, path, O_PATH | O_NOFOLLOW);
	}
	if (fd < 0)
		return fd;
	if (fstat(fd, &status) < 0)
		return -errno;
	if (S_ISLNK(status.st_mode))
		return -ELOOP;
	if (is_directory != S_ISDIR(status.st_mode))
		return is_directory ? -ENOTDIR : -EISDIR;
	return take_fd(&fd);
}

int mounts_mkdir(int dir_fd, const char *path, mode_t mode)
{
	if (mkdirat(dir_fd, path, mode) < 0)
		return errno;
	/* The child's umask is 0, but mkdir() takes no set-id bits. */
	return mode & 06000 && fchmodat(dir_fd, path, mode, 0) < 0 ? errno : 0;
}

/* A view that can be written while the source stays as it is; the changes live on the scratch. */
int mounts_make_overlay(int scratch_fd, size_t index, int source_fd)
{
	char lower[16], upper[16], work[16];
	(void)snprintf(lower, sizeof(lower), "l%zu", index);
	(void)snprintf(upper, sizeof(upper), "u%zu", index);
	(void)snprintf(work, sizeof(work), "w%zu", index);
	struct stat status;
	int r;
	/* The upper folder is what the view's top folder shows: owner and mode are the source's. */
	if (fstat(source_fd, &status) < 0)
		return -errno;
	if ((r = mounts_mkdir(scratch_fd, lower, 0755)) != 0 ||
	    (r = mounts_mkdir(scratch_fd, upper, status.st_mode & 07777)) != 0 ||
	    (r = mounts_mkdir(scratch_fd, work, 0755)) != 0)
		return -r;
	if (fchownat(scratch_fd, upper, status.st_uid, status.st_gid, 0) < 0 && errno != EINVAL &&
	    errno != EPERM)
		return -errno;
	if ((r = mounts_attach(source_fd, scratch_fd, lower)) < 0)
		return r;
	if (fchdir(scratch_fd) < 0)
		return -errno;
	const struct mount_option options[] = {
		{ "source", "foso" }, { "lowerdir", lower }, { "upperdir", upper },
		{ "workdir", work },  { "userxattr", NULL },
	};
	return mounts_make("overlay", options, ARRAY_LEN(options), SAFE);
}

/* Without a size of its own a tmpfs is a folder of the scratch, so limits.disk bounds them all. */
int mounts_make_tmpfs(int scratch_fd, size_t index, uint64_t size_bytes)
{
	char name[16], size[32];
	if (size_bytes == POLICY_UNLIMITED) {
		(void)snprintf(name, sizeof(name), "t%zu", index);
		int r = mounts_mkdir(scratch_fd, name, 01777);
		return r != 0 ? -r : mounts_clone(scratch_fd, name, false);
	}
	(void)snprintf(size, sizeof(size), "%llu",
		       (unsigned long long)MAX(size_bytes, (uint64_t)4096));
	const struct mount_option options[] = {
		{ "source", "foso" },
		{ "size", size },
		{ "nr_inodes", "65536" },
		{ "mode", "1777" },
	};
	return mounts_make("tmpfs", options, ARRAY_LEN(options), SAFE);
}
