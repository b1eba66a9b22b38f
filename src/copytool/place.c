/* SPDX-License-Identifier: Apache-2.0 */
/* place.c - an entry of the stream becomes a file of this root */
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "copytool/copy.h"

#define COPY_BYTES (256 * 1024)

bool read_whole(int fd, void *bytes, size_t len)
{
	char *at = bytes;
	while (len > 0) {
		ssize_t n = read(fd, at, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += n;
		len -= (size_t)n;
	}
	return true;
}

static int fail(const char *path, int errnum, const char *what, struct error *err)
{
	static const char *const remedies[] = {
		"raise it with --limit disk=SIZE",
		"name another target, or remove what is there in a RUN before",
	};
	bool is_full = errnum == ENOSPC || errnum == EDQUOT;
	int r = error_set(err, is_full ? ERR_LIMIT : ERR_SYSTEM, errnum, path, "%s", what);
	return error_remedy(err, r, "%s", remedies[!is_full]);
}

/* The last of several folders, opened; those that are missing are made. */
static int open_folders(const struct place *place, const char *path, int *ret_fd, struct error *err)
{
	char part[FILES_MAX_NAME_BYTES + 1];
	auto_fd int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *at = path;
	while (fd >= 0 && *at) {
		size_t n = strcspn(at, "/");
		memcpy(part, at, n);
		part[n] = '\0';
		at += n + (at[n] == '/');
		if (n == 0)
			continue;
		bool is_new = mkdirat(fd, part, 0755) == 0;
		if (!is_new && errno != EEXIST)
			return fail(path, errno, "a folder cannot be made", err);
		int next = openat(fd, part, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (next < 0)
			return fail(path, errno, "cannot be entered", err);
		close(fd);
		fd = next;
		if (is_new && (fchown(fd, place->uid, place->gid) < 0 || fchmod(fd, 0755) < 0))
			return fail(path, errno, "cannot be given to its owner", err);
	}
	*ret_fd = take_fd(&fd);
	return *ret_fd < 0 ? fail(path, errno, "cannot be entered", err) : 0;
}

static bool is_folder_now(const char *path)
{
	struct stat status;
	return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

/* Splits the target into the folder above, opened, and the name of the source in it. */
static int begin_as(struct place *place, struct error *err)
{
	char path[FILES_MAX_NAME_BYTES + 1];
	(void)snprintf(path, sizeof(path), "%s", place->order->target);
	char *slash = strrchr(path, '/');
	if (!slash || slash[1] == '\0')
		return fail("/", EISDIR, "a file cannot replace it", err);
	(void)snprintf(place->name, sizeof(place->name), "%s", slash + 1);
	*slash = '\0';
	return open_folders(place, path, &place->parent_fd, err);
}

int place_begin(struct place *place, const char *source, bool is_folder, struct error *err)
{
	const char *target = place->order->target;
	place->parent_fd = -1;
	if (strlen(target) > FILES_MAX_NAME_BYTES || strlen(source) > FILES_MAX_NAME_BYTES)
		return fail(target, ENAMETOOLONG, "cannot be made", err);
	if (is_folder) {
		place->name[0] = '\0';
		return open_folders(place, target, &place->parent_fd, err);
	}
	if (!place->order->is_folder && !is_folder_now(target))
		return begin_as(place, err);
	(void)snprintf(place->name, sizeof(place->name), "%s", source);
	return open_folders(place, target, &place->parent_fd, err);
}

void place_end(struct place *place)
{
	fd_close(&place->parent_fd);
}

static int finish(const struct place *place, const struct files_header *header, int fd,
		  const char *path, struct error *err)
{
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   { header->mtime_s, header->mtime_ns } };
	bool is_own = place->order->mode != FILES_NO_MODE;
	mode_t mode = is_own ? place->order->mode : header->mode & 07777;
	if (fchown(fd, place->uid, place->gid) < 0)
		return fail(path, errno, "cannot be given to its owner", err);
	if (fchmod(fd, mode) < 0 || futimens(fd, times) < 0)
		return fail(path, errno, "cannot get its mode and time", err);
	return 0;
}

static int put_folder(const struct place *place, const struct files_header *header,
		      const char *path, struct error *err)
{
	if (path[0] == '\0')
		return 0;
	if (mkdirat(place->parent_fd, path, 0700) < 0 && errno != EEXIST)
		return fail(path, errno, "the folder cannot be made", err);
	auto_fd int fd = openat(place->parent_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return fail(path, errno, "is there already, and no folder", err);
	return finish(place, header, fd, path, err);
}

static int put_content(int fd, uint64_t size, int input_fd, const char *path, struct error *err)
{
	static char bytes[COPY_BYTES];
	while (size > 0) {
		size_t len = MIN(size, (uint64_t)sizeof(bytes));
		if (!read_whole(input_fd, bytes, len)) {
			int r = error_set(err, ERR_PROTOCOL, 0, path, "its content ended early");
			return error_remedy(err, r, "start the build again");
		}
		for (size_t at = 0; at < len;) {
			ssize_t n = write(fd, bytes + at, len - at);
			if (n <= 0)
				return fail(path, errno, "cannot be written", err);
			at += (size_t)n;
		}
		size -= len;
	}
	return 0;
}

/* What is there goes first: a link is never written through, nor a file that is linked twice. */
static int make_room(const struct place *place, const char *path, struct error *err)
{
	if (unlinkat(place->parent_fd, path, 0) == 0 || errno == ENOENT)
		return 0;
	return fail(path, errno, "cannot be replaced", err);
}

static int put_file(const struct place *place, const struct files_header *header, const char *path,
		    int input_fd, struct error *err)
{
	int r = make_room(place, path, err);
	if (r != 0)
		return r;
	auto_fd int fd = openat(place->parent_fd, path,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return fail(path, errno, "cannot be made", err);
	r = put_content(fd, header->size, input_fd, path, err);
	return r == 0 ? finish(place, header, fd, path, err) : r;
}

static int put_link(const struct place *place, const struct files_header *header, const char *path,
		    int input_fd, struct error *err)
{
	char leads_to[FILES_MAX_NAME_BYTES + 1];
	const struct timespec times[2] = { { .tv_nsec = UTIME_OMIT },
					   { header->mtime_s, header->mtime_ns } };
	if (header->size > FILES_MAX_NAME_BYTES || !read_whole(input_fd, leads_to, header->size)) {
		int r = error_set(err, ERR_PROTOCOL, 0, path, "its content ended early");
		return error_remedy(err, r, "start the build again");
	}
	leads_to[header->size] = '\0';
	int r = make_room(place, path, err);
	if (r != 0)
		return r;
	if (symlinkat(leads_to, place->parent_fd, path) < 0)
		return fail(path, errno, "cannot be made", err);
	if (fchownat(place->parent_fd, path, place->uid, place->gid, AT_SYMLINK_NOFOLLOW) < 0 ||
	    utimensat(place->parent_fd, path, times, AT_SYMLINK_NOFOLLOW) < 0)
		return fail(path, errno, "cannot be given to its owner", err);
	return 0;
}

int place_put(struct place *place, const struct files_header *header, const char *name,
	      int input_fd, struct error *err)
{
	char path[2 * FILES_MAX_NAME_BYTES + 2];
	const char *separator = place->name[0] && name[0] ? "/" : "";
	(void)snprintf(path, sizeof(path), "%s%s%s", place->name, separator, name);
	if (path[0] == '\0' && header->type != FILES_FOLDER)
		return fail(place->order->target, EISDIR, "a file cannot replace it", err);
	switch (header->type) {
	case FILES_FOLDER:
		return put_folder(place, header, path, err);
	case FILES_FILE:
		return put_file(place, header, path, input_fd, err);
	case FILES_LINK:
		return put_link(place, header, path, input_fd, err);
	case FILES_ORDER:
	case FILES_SOURCE:
	case FILES_END:
	case FILES_N_TYPES:
		break;
	}
	return error_set(err, ERR_INTERNAL, 0, path, "is of no kind");
}
