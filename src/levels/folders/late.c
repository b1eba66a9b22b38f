/* SPDX-License-Identifier: Apache-2.0 */
/*
 * late.c - files that appear on the host after the walk
 *
 * A new file on the host shows in the view at once.  So the kernel asks before it opens one
 * (fanotify, FAN_OPEN_PERM), the keeper answers by name, and for what it allowed the kernel does
 * not ask again: what is done inside costs one question per file.
 *
 * In an overlay the sandbox can give a late file another name before it opens it.  But what
 * stat() says of a file there tells which layer it came from, also after it was copied up, and its
 * inode there: a file of the host's that was not there at the walk is shown only where the host
 * has it under the same name.  A configuration of git is parsed as at the start, and shown if it
 * holds no secret.  In a folder with access rw that cannot be told, so a name on the
 * list cannot be opened, whoever made the file, and a name that was given to a late file inside is
 * not seen through (docs/threat-model.md).
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/fanotify.h>
#include <sys/stat.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/syscalls.h"
#include "levels/folders/attach.h"

#ifndef FAN_MARK_EVICTABLE
#	define FAN_MARK_EVICTABLE 0x00000200
#endif

#define VIEW_PREFIX "/workspace/"
#define DELETED     " (deleted)"

int late_open(bool is_overlay, int view_fd, int *ret_fd)
{
	auto_fd int fd = fanotify_init(FAN_CLASS_CONTENT | FAN_CLOEXEC | FAN_NONBLOCK |
					       FAN_UNLIMITED_QUEUE | FAN_UNLIMITED_MARKS,
				       O_RDONLY | O_LARGEFILE | O_CLOEXEC | O_NOATIME);
	if (fd < 0)
		return errno;
	/* An overlay is the sandbox's alone, whatever mounts of it are made inside. */
	unsigned what = is_overlay ? FAN_MARK_FILESYSTEM : FAN_MARK_MOUNT;
	if (fanotify_mark(fd, FAN_MARK_ADD | what, FAN_OPEN_PERM, view_fd, NULL) < 0)
		return errno;
	*ret_fd = take_fd(&fd);
	return 0;
}

/* The name by which it was opened; false if there is none that can be told. */
static bool read_name(int fd, const struct stat *status, char path[PATH_MAX], size_t *ret_len)
{
	ssize_t len = fd_path(fd, path, PATH_MAX);
	size_t n_deleted = sizeof(DELETED) - 1;
	if (len <= 0)
		return false;
	if (status->st_nlink == 0 && (size_t)len > n_deleted &&
	    memcmp(path + len - n_deleted, DELETED, n_deleted) == 0)
		len -= (ssize_t)n_deleted;
	path[len] = '\0';
	*ret_len = (size_t)len;
	return true;
}

/* Mounted elsewhere inside, it is not known where the workspace begins: then any part counts. */
static bool is_hidden_name(const struct late *late, const char *path, size_t len)
{
	size_t prefix = sizeof(VIEW_PREFIX) - 1;
	if (len > prefix && memcmp(path, VIEW_PREFIX, prefix) == 0) {
		enum redact_class class =
			redact_class_of(late->redact, path + prefix, len - prefix, false);
		return class == REDACT_HIDE || class == REDACT_ENV;
	}
	for (size_t at = 0; at < len; at++) {
		enum redact_class class = REDACT_SHOW;
		if (path[at] == '/' && at + 1 < len)
			class = redact_class_of(late->redact, path + at + 1, len - at - 1, false);
		if (class == REDACT_HIDE || class == REDACT_ENV)
			return true;
	}
	return false;
}

/* A folder on the way can be on the list, too: what was made in it late is hidden. */
static bool lies_in_hidden(const struct late *late, const char *path, size_t len)
{
	size_t prefix = sizeof(VIEW_PREFIX) - 1;
	if (len <= prefix || memcmp(path, VIEW_PREFIX, prefix) != 0)
		return false;
	for (size_t at = prefix; at < len; at++) {
		if (path[at] == '/' &&
		    redact_class_of(late->redact, path + prefix, at - prefix, true) == REDACT_HIDE)
			return true;
	}
	return false;
}

static bool is_same_below(int dir_fd, const char *path, const struct stat *status)
{
	struct stat there;
	return dir_fd >= 0 && fstatat(dir_fd, path, &there, AT_SYMLINK_NOFOLLOW) == 0 &&
	       there.st_ino == status->st_ino;
}

/* Is anything hidden on the host now, or elsewhere, that was not at the walk?  If unsure, yes. */
static bool has_late_secret(const struct late *late)
{
	struct redact_found now;
	struct error ignored = { 0 };
	if (redact_walk(late->attach->folder_fd, late->redact, false, &now, &ignored) < 0)
		return true;
	bool is_same = redact_is_same(&late->attach->found, &now);
	redact_found_fini(&now);
	return !is_same;
}

/*
 * Of a file that looks as if it were the set's alone.  A hard link to what was copied up does so,
 * too: all that is left of where it came from is that it came from somewhere.  So such a link is
 * shown as long as the host has nothing that must not be seen, and had nothing when asked before.
 */
static bool may_show_own(struct late *late, const struct stat *status, const char *below)
{
	char value[256];
	struct stat there;
	auto_fd int fd = below ? openat(late->attach->changes.upper_fd, below,
					O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC)
			       : -1;
	if (fd < 0 || fstat(fd, &there) < 0 || there.st_ino != status->st_ino)
		return false;
	if (fgetxattr(fd, "user.overlay.origin", value, sizeof(value)) < 0 && errno == ENODATA)
		return true;
	late->has_met_secret = late->has_met_secret || has_late_secret(late);
	return !late->has_met_secret;
}

static bool is_mask(const struct attach *attach, const struct stat *status)
{
	return attach->mask_dev != 0 && status->st_dev == attach->mask_dev;
}

/* A file of the set. */
static bool is_own(const struct late *late, const struct stat *status, const char *below)
{
	const struct attach *attach = late->attach;
	if (!attach->has_changes)
		return false;
	/* On one file system with the host's folder, all have the same number. */
	if (!late->is_one_device)
		return attach->own_dev != 0 && status->st_dev == attach->own_dev;
	return below && is_same_below(attach->changes.upper_fd, below, status);
}

/* A configuration of git, which may be another one than at the walk, with the same number. */
static bool is_hidden_config(const struct late *late, const char *below, const struct stat *status)
{
	auto_buf struct buf content = BUF_INIT(ATTACH_MAX_PARSED_BYTES);
	struct redact_entry entry = { .class = REDACT_GIT, .type = DT_REG, .path = below };
	uint64_t inode = 0;
	if (!below)
		return false;
	entry.len = strlen(below);
	return redact_class_of(late->redact, below, entry.len, false) == REDACT_GIT &&
	       (attach_parse(late->attach, &entry, &content, &inode) != PARSE_UNCHANGED ||
		inode != status->st_ino);
}

static bool may_open(struct late *late, int fd)
{
	const struct attach *attach = late->attach;
	char path[PATH_MAX];
	size_t len, prefix = sizeof(VIEW_PREFIX) - 1;
	struct stat status;
	if (fstat(fd, &status) < 0)
		return false;
	bool has_name = read_name(fd, &status, path, &len);
	const char *below = has_name && len > prefix && memcmp(path, VIEW_PREFIX, prefix) == 0
				    ? path + prefix
				    : NULL;
	if (attach->is_overlay && is_mask(attach, &status))
		return true;
	if (attach->is_overlay && is_own(late, &status, below))
		return may_show_own(late, &status, below);
	if (redact_is_hidden_inode(&attach->found, status.st_ino))
		return false;
	/* Too deep for its name to be told: only what was there at the walk. */
	if (has_name ? is_hidden_name(late, path, len) || lies_in_hidden(late, path, len)
		     : !attach->is_overlay)
		return false;
	if (is_hidden_config(late, below, &status))
		return false;
	if (!attach->is_overlay || !attach->has_changes)
		return true;
	return redact_is_shown_inode(&attach->found, status.st_ino) ||
	       (below && is_same_below(attach->folder_fd, below, &status));
}

static bool is_listed(const struct buf *hidden, const struct redact_entry *entry)
{
	enum changes_hiding hiding;
	const char *path;
	size_t at = 0, len;
	while (changes_hidden_next(hidden, &at, &hiding, &path, &len) == 1) {
		if (len == entry->len && memcmp(path, entry->path, len) == 0)
			return true;
	}
	return false;
}

void late_list(const struct late *late, struct buf *hidden)
{
	struct redact_found now;
	struct redact_entry entry;
	struct error ignored = { 0 };
	if (!late->redact || !has_late_secret(late) ||
	    redact_walk(late->attach->folder_fd, late->redact, false, &now, &ignored) < 0)
		return;
	for (size_t at = 0; redact_next(&now, &at, &entry) == 1;) {
		if (entry.class != REDACT_GIT && !is_listed(hidden, &entry))
			changes_hidden_put(hidden, CHANGES_HIDDEN_LATE, entry.path, entry.len);
	}
	redact_found_fini(&now);
}

static int answer(struct late *late, int fd)
{
	struct fanotify_response response = { .fd = fd, .response = FAN_DENY };
	struct stat status;
	/* Only files have contents that can be secret, and other things must not be held up. */
	bool is_file = fstat(fd, &status) == 0 && S_ISREG(status.st_mode);
	if (!is_file || may_open(late, fd)) {
		unsigned flags =
			FAN_MARK_ADD | FAN_MARK_IGNORED_MASK | FAN_MARK_IGNORED_SURV_MODIFY;
		response.response = FAN_ALLOW;
		/* Linux before 6.0 cannot let go of such a mark by itself. */
		if (fanotify_mark(late->attach->late_fd, flags | FAN_MARK_EVICTABLE, FAN_OPEN_PERM,
				  fd, NULL) < 0 &&
		    errno == EINVAL)
			(void)!fanotify_mark(late->attach->late_fd, flags, FAN_OPEN_PERM, fd, NULL);
	} else {
		late->n_refused++;
		late->has_met_secret = true;
	}
	ssize_t n = write(late->attach->late_fd, &response, sizeof(response));
	return n == sizeof(response) || errno == ENOENT ? 0 : errno;
}

int late_answer(struct late *late)
{
	_Alignas(struct fanotify_event_metadata) not_zeroed char events[8192];
	for (;;) {
		ssize_t len = read(late->attach->late_fd, events, sizeof(events));
		if (len < 0 && errno == EINTR)
			continue;
		if (len <= 0)
			return len < 0 && errno != EAGAIN ? errno : 0;
		struct fanotify_event_metadata *event = (void *)events;
		for (; FAN_EVENT_OK(event, len); event = FAN_EVENT_NEXT(event, len)) {
			if (event->fd < 0)
				continue;
			int r = answer(late, event->fd);
			close(event->fd);
			if (r != 0)
				return r;
		}
	}
}
