/* SPDX-License-Identifier: Apache-2.0 */
/* copy.c - contents and trees copied */
#include "workspacetool/copy.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "base/syscalls.h"
#include "workspacetool/paths.h"
#include "workspacetool/tree.h"

#define CHUNK_BYTES     (256u * 1024)
#define MAX_XATTR_BYTES 65536
#define MAX_PATH_BYTES  4000

/* For file systems that share nothing and copy nothing between each other. */
static int copy_by_hand(int from_fd, int to_fd, off_t at, off_t end)
{
	auto_free char *bytes = malloc(CHUNK_BYTES);
	if (!bytes)
		return ENOMEM;
	while (at < end) {
		ssize_t n = pread(from_fd, bytes, (size_t)MIN((off_t)CHUNK_BYTES, end - at), at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EIO; /* It became shorter. */
		for (ssize_t done = 0; done < n;) {
			ssize_t written =
				pwrite(to_fd, bytes + done, (size_t)(n - done), at + done);
			if (written < 0 && errno == EINTR)
				continue;
			if (written < 0)
				return errno;
			done += written;
		}
		at += n;
	}
	return 0;
}

static int copy_run(int from_fd, int to_fd, off_t at, off_t end)
{
	while (at < end) {
		off_t from = at, to = at;
		ssize_t n = copy_file_range(from_fd, &from, to_fd, &to, (size_t)(end - at), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return copy_by_hand(from_fd, to_fd, at, end);
		at += n;
	}
	return 0;
}

int copy_file(int from_fd, int to_fd)
{
	struct stat status;
	if (sys_ioctl(to_fd, FICLONE, (void *)(intptr_t)from_fd) == 0)
		return 0;
	if (fstat(from_fd, &status) < 0 || ftruncate(to_fd, status.st_size) < 0)
		return errno;
	for (off_t at = 0; at < status.st_size;) {
		off_t data = lseek(from_fd, at, SEEK_DATA);
		if (data < 0 && errno == ENXIO)
			return 0;
		/* EINVAL: this file system does not tell. */
		off_t hole = data < 0 ? status.st_size : lseek(from_fd, data, SEEK_HOLE);
		if (hole < 0)
			hole = status.st_size;
		int errnum = copy_run(from_fd, to_fd, data < 0 ? at : data, hole);
		if (errnum != 0)
			return errnum;
		at = hole;
	}
	return 0;
}

struct copier {
	struct paths waiting; /* folders to copy */
	int from_top, to_top;
};

static void copier_fini(struct copier *copier)
{
	paths_fini(&copier->waiting);
}

/* The overlay's own marks, and what else an owner may set. */
static int copy_xattrs(int from_fd, int to_fd)
{
	auto_free char *names = malloc(2 * (size_t)MAX_XATTR_BYTES);
	char *value = names ? names + MAX_XATTR_BYTES : NULL;
	ssize_t n = names ? flistxattr(from_fd, names, MAX_XATTR_BYTES) : -1;
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1) {
		if (strncmp(names + at, "user.", 5) != 0)
			continue;
		ssize_t len = fgetxattr(from_fd, names + at, value, MAX_XATTR_BYTES);
		if (len < 0 || fsetxattr(to_fd, names + at, value, (size_t)len, 0) < 0)
			return errno;
	}
	return n < 0 && errno != EOPNOTSUPP ? errno : 0;
}

static int copy_regular(int from_dir, int to_dir, const char *name, const struct stat *status)
{
	struct timespec times[2] = { status->st_atim, status->st_mtim };
	auto_fd int from_fd = tree_open_file(from_dir, name);
	auto_fd int to_fd =
		openat(to_dir, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (from_fd < 0 || to_fd < 0)
		return errno;
	int errnum = copy_file(from_fd, to_fd);
	if (errnum == 0)
		errnum = copy_xattrs(from_fd, to_fd);
	if (errnum == 0 &&
	    (fchmod(to_fd, status->st_mode & 07777) < 0 || futimens(to_fd, times) < 0))
		errnum = errno;
	return errnum;
}

static int copy_link(int from_dir, int to_dir, const char *name)
{
	char target[PATH_MAX];
	ssize_t n = tree_read_link(from_dir, name, target, sizeof(target) - 1);
	if (n < 0)
		return errno;
	target[n] = '\0';
	return symlinkat(target, to_dir, name) < 0 ? errno : 0;
}

static int copy_one(struct copier *copier, const char *folder, int from_dir, int to_dir,
		    const char *name)
{
	struct stat status;
	if (fstatat(from_dir, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno;
	switch (status.st_mode & S_IFMT) {
	case S_IFREG:
		return copy_regular(from_dir, to_dir, name, &status);
	case S_IFLNK:
		return copy_link(from_dir, to_dir, name);
	case S_IFDIR:
		if (mkdirat(to_dir, name, 0700) < 0)
			return errno;
		if (strlen(folder) + strlen(name) + 1 > MAX_PATH_BYTES)
			return ENAMETOOLONG;
		return paths_add(&copier->waiting, folder, name);
	case S_IFCHR:
		/* A whiteout: anybody may make one (Linux 5.8). */
		if (status.st_rdev != 0)
			return 0;
		return mknodat(to_dir, name, S_IFCHR | 0600, 0) < 0 ? errno : 0;
	default:
		return mknodat(to_dir, name, status.st_mode & (S_IFMT | 0777), 0) < 0 ? errno : 0;
	}
}

static int copy_folder(struct copier *copier, const char *folder)
{
	struct stat status;
	const struct dir_entry *found;
	auto_fd int from_dir = tree_open_folder(copier->from_top, folder, strlen(folder));
	auto_fd int to_dir = tree_open_folder(copier->to_top, folder, strlen(folder));
	if (from_dir < 0 || to_dir < 0 || fstat(from_dir, &status) < 0)
		return errno;
	DIR_READER(reader, from_dir);
	int errnum = 0;
	while (errnum == 0 && (found = dir_next(&reader)))
		if (strcmp(found->name, ".") != 0 && strcmp(found->name, "..") != 0)
			errnum = copy_one(copier, folder, from_dir, to_dir, found->name);
	if (errnum == 0 && reader.len < 0)
		errnum = errno;
	if (errnum == 0)
		errnum = copy_xattrs(from_dir, to_dir);
	/* At last: a folder that nobody may write to would not take its files. */
	if (errnum == 0 && fchmod(to_dir, status.st_mode & 07777) < 0)
		errnum = errno;
	return errnum;
}

int copy_tree(int from_fd, int to_fd, const char *subject, struct error *err)
{
	CLEANUP(copier_fini)
	struct copier copier = { .from_top = from_fd, .to_top = to_fd };
	int errnum = copy_folder(&copier, "");
	while (errnum == 0 && copier.waiting.n_items > 0) {
		auto_free char *path = copier.waiting.items[--copier.waiting.n_items];
		errnum = copy_folder(&copier, path);
	}
	if (errnum == 0)
		return 0;
	int r = error_set(err, ERR_SYSTEM, errnum, subject, "the changes cannot be copied");
	return error_remedy(err, r, "see the space of the store of change sets");
}
