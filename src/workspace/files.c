/* SPDX-License-Identifier: Apache-2.0 */
/* files.c - the small files of a change set, and the removal of trees that a stranger made */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "workspace/private.h"
#include "workspace/walk.h"

static int failed(struct error *err, const char *subject, const char *what)
{
	int r = error_set(err, errno == EDQUOT || errno == ENOSPC ? ERR_LIMIT : ERR_SYSTEM, errno,
			  subject, "%s", what);
	return error_remedy(err, r, "check owner, mode and free space of the store of workspaces");
}

int changes_file_write(int dir_fd, const char *name, const void *bytes, size_t len,
		       const char *subject, struct error *err)
{
	char fresh[64];
	(void)snprintf(fresh, sizeof(fresh), ".%s", name);
	(void)unlinkat(dir_fd, fresh, 0); /* of somebody who was killed; the lock is ours */
	auto_fd int fd =
		openat(dir_fd, fresh, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || fd_write_all(fd, bytes, len) < 0 ||
	    renameat(dir_fd, fresh, dir_fd, name) < 0) {
		int r = failed(err, subject, "a file of the change set cannot be written");
		(void)unlinkat(dir_fd, fresh, 0);
		return r;
	}
	return 0;
}

int changes_file_read(int dir_fd, const char *name, struct buf *ret, const char *subject,
		      struct error *err)
{
	not_zeroed char part[16384];
	auto_fd int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 1;
	if (fd < 0)
		return failed(err, subject, "a file of the change set cannot be opened");
	buf_clear(ret);
	for (;;) {
		ssize_t n = read(fd, part, sizeof(part));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed(err, subject, "a file of the change set cannot be read");
		if (n == 0)
			break;
		buf_append(ret, part, (size_t)n);
	}
	if (buf_is_whole(ret))
		return 0;
	int r = error_set(err, ERR_CORRUPT, 0, subject, "a file of the change set is too large");
	return error_remedy(err, r, "remove the change set with foso discard");
}

/* A folder's own mode may forbid what its removal needs: a work folder of an overlay has none. */
static int remove_entry(const struct walk_entry *entry, void *context)
{
	UNUSED(context);
	if (entry->is_leaving)
		return unlinkat(entry->dir_fd, entry->name, AT_REMOVEDIR) < 0 && errno != ENOENT
			       ? errno
			       : 0;
	if (entry->type == DT_DIR) {
		(void)!fchmodat(entry->dir_fd, entry->name, 0700, 0);
		return WALK_DESCEND;
	}
	return unlinkat(entry->dir_fd, entry->name, 0) < 0 && errno != ENOENT ? errno : 0;
}

int changes_tree_remove(int dir_fd, const char *name)
{
	if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return errno;
	(void)!fchmodat(dir_fd, name, 0700, 0);
	auto_fd int fd = openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno;
	const struct walk_options options = {
		.max_entries = UINT64_MAX,
		.tells_leaving = true,
		.found = remove_entry,
	};
	int r = walk(fd, &options, NULL);
	if (r != 0)
		return r;
	return unlinkat(dir_fd, name, AT_REMOVEDIR) < 0 && errno != ENOENT ? errno : 0;
}
