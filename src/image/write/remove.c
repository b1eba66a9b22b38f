/* SPDX-License-Identifier: Apache-2.0 */
/* remove.c - whole trees, whatever is in them */
#include "image/write/remove.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"

static int failed(struct error *err, int errnum, const char *name)
{
	int r = error_set(err, ERR_SYSTEM, errnum, name, "cannot be removed");
	return error_remedy(err, r, "look at the disk that holds the image store");
}

/* A layer can have folders of mode 0; made by an ordinary user, they keep him out as well. */
static int open_folder(int dir_fd, const char *name)
{
	struct stat status;
	int flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
	if (fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0 && S_ISDIR(status.st_mode) &&
	    (status.st_mode & 0700) != 0700)
		(void)!fchmodat(dir_fd, name, 0700, 0);
	return openat(dir_fd, name, flags);
}

/* Empties one folder: what is a folder itself is moved up to @top_fd under a fresh name. */
static int empty_folder(int top_fd, int fd, bool is_top, unsigned *counter, bool *ret_is_empty)
{
	struct stat status;
	*ret_is_empty = true;
	DIR_READER(reader, fd);
	for (const struct dir_entry *entry; (entry = dir_next(&reader));) {
		char fresh[32];
		const char *name = entry->name;
		if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0)
			continue;
		if (fstatat(fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
			return errno;
		*ret_is_empty = false;
		if (!S_ISDIR(status.st_mode)) {
			if (unlinkat(fd, name, 0) < 0)
				return errno;
			continue;
		}
		if (unlinkat(fd, name, AT_REMOVEDIR) == 0 || is_top)
			continue;
		/* Moving a folder writes its "..", which takes the right to write into it. */
		if ((status.st_mode & 0700) != 0700)
			(void)!fchmodat(fd, name, 0700, 0);
		do
			(void)snprintf(fresh, sizeof(fresh), ".%u", (*counter)++);
		while (faccessat(top_fd, fresh, F_OK, AT_SYMLINK_NOFOLLOW) == 0);
		if (renameat(fd, name, top_fd, fresh) < 0)
			return errno;
	}
	return 0;
}

/* One round over the folders right below the top; returns errno. */
static int empty_children(int top_fd, unsigned *counter)
{
	DIR_READER(reader, top_fd);
	if (lseek(top_fd, 0, SEEK_SET) < 0)
		return errno;
	for (const struct dir_entry *entry; (entry = dir_next(&reader));) {
		bool is_empty = false;
		if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0)
			continue;
		auto_fd int fd = open_folder(top_fd, entry->name);
		if (fd < 0 && errno != ENOENT && errno != ENOTDIR && errno != ELOOP)
			return errno;
		if (fd < 0)
			continue; /* no folder: the next round over the top removes it */
		while (!is_empty) {
			int errnum = lseek(fd, 0, SEEK_SET) < 0
					     ? errno
					     : empty_folder(top_fd, fd, false, counter, &is_empty);
			if (errnum != 0)
				return errnum;
		}
		(void)unlinkat(top_fd, entry->name, AT_REMOVEDIR);
	}
	return 0;
}

static int empty_top(int top_fd)
{
	unsigned counter = 0;
	for (bool is_empty = false; !is_empty;) {
		int errnum = lseek(top_fd, 0, SEEK_SET) < 0
				     ? errno
				     : empty_folder(top_fd, top_fd, true, &counter, &is_empty);
		if (errnum == 0 && !is_empty)
			errnum = empty_children(top_fd, &counter);
		if (errnum != 0)
			return errnum;
	}
	return 0;
}

int tree_remove(int dir_fd, const char *name, struct error *err)
{
	if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	auto_fd int fd = open_folder(dir_fd, name);
	if (fd < 0)
		return failed(err, errno, name);
	int errnum = empty_top(fd);
	if (errnum == 0 && unlinkat(dir_fd, name, AT_REMOVEDIR) < 0)
		errnum = errno;
	return errnum == 0 ? 0 : failed(err, errnum, name);
}
