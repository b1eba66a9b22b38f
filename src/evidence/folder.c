/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folder.c - the folder of the log and its files
 *
 * The log proves something only if no other user can write it, so the folder and each file must
 * belong to the caller, be writable by nobody else, and be what they seem: a symbolic link could
 * be pointed elsewhere between two runs.
 */
#include "evidence/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "evidence/log.h"

#define MIN_FREE_BYTES (1024 * 1024)

static int describe_open_failure(struct error *err, int errnum, const char *subject)
{
	enum error_code code = ERR_SYSTEM;
	const char *remedy = "look at the disk that holds it";
	if (errnum == EACCES || errnum == EPERM || errnum == EROFS) {
		code = ERR_DENIED;
		remedy = "make it writable for the user who runs foso, or name another folder in "
			 "evidence.path";
	} else if (errnum == ENOENT) {
		code = ERR_NOT_FOUND;
		remedy = "name a folder that exists or can be made in evidence.path";
	} else if (errnum == ENOSPC || errnum == EDQUOT) {
		remedy = "free some space there, or name another folder in evidence.path";
	}
	int r = error_set(err, code, errnum, subject, "cannot be opened for writing evidence");
	return error_remedy(err, r, "%s", remedy);
}

static int refuse_link(struct error *err, const char *subject)
{
	int r = error_set(err, ERR_DENIED, 0, subject,
			  "is a symbolic link, which could point elsewhere in the next run");
	return error_remedy(err, r, "name the place that it points to, or remove it");
}

static int refuse_kind(struct error *err, const char *subject, const char *kind)
{
	int r = error_set(err, ERR_DENIED, 0, subject, "is not a %s", kind);
	return error_remedy(err, r, "move it away, or name another folder in evidence.path");
}

/* Only the caller may be able to change it. */
static int check_owner(const struct stat *status, const char *subject, struct error *err)
{
	if (status->st_uid != geteuid()) {
		int r = error_set(err, ERR_DENIED, 0, subject,
				  "belongs to uid %u and not to uid %u, who runs foso",
				  status->st_uid, geteuid());
		return error_remedy(err, r,
				    "change its owner, or name another folder in "
				    "evidence.path");
	}
	if (status->st_mode & (S_IWGRP | S_IWOTH)) {
		int r = error_set(err, ERR_DENIED, 0, subject,
				  "may be written by others than its owner (mode %04o)",
				  status->st_mode & 07777);
		return error_remedy(err, r, "take the right away with chmod go-w");
	}
	return 0;
}

int evidence_file_open(int dir_fd, const char *name, int flags, int *ret_fd, struct error *err)
{
	struct stat status;
	auto_fd int fd =
		openat(dir_fd, name, flags | O_CREAT | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
	if (fd < 0 && errno == ELOOP)
		return refuse_link(err, name);
	if (fd < 0 && errno == EISDIR)
		return refuse_kind(err, name, "file");
	if (fd < 0)
		return describe_open_failure(err, errno, name);
	if (fstat(fd, &status) < 0)
		return describe_open_failure(err, errno, name);
	if (!S_ISREG(status.st_mode))
		return refuse_kind(err, name, "file");
	int r = check_owner(&status, name, err);
	if (r < 0)
		return r;
	*ret_fd = take_fd(&fd);
	return 0;
}

/* The user's own place for data (XDG base directory specification): relative values are void. */
static const char *data_home(void)
{
	const char *home = getenv("XDG_DATA_HOME"); /* NOLINT(concurrency-mt-unsafe) */
	return home && home[0] == '/' ? home : NULL;
}

int evidence_log_path(const char *path, struct buf *ret_path, struct error *err)
{
	const char *home = getenv("HOME"); /* NOLINT(concurrency-mt-unsafe): one thread */
	buf_clear(ret_path);
	if (path[0] != '\0') {
		buf_append_string(ret_path, path);
	} else if (geteuid() == 0) {
		buf_append_string(ret_path, EVIDENCE_DEFAULT_FOLDER);
	} else if (data_home()) {
		buf_printf(ret_path, "%s/foso/evidence", data_home());
	} else if (home && home[0] == '/') {
		buf_printf(ret_path, "%s/.local/share/foso/evidence", home);
	} else {
		int r = error_set(err, ERR_NOT_FOUND, 0, "evidence.path",
				  "has no default, as neither XDG_DATA_HOME nor HOME is set");
		return error_remedy(err, r, "name a folder in evidence.path, or set HOME");
	}
	if (!buf_is_whole(ret_path) || ret_path->len >= PATH_MAX) {
		int r = error_set(err, ERR_LIMIT, 0, "evidence.path", "is longer than %d bytes",
				  PATH_MAX - 1);
		return error_remedy(err, r, "name a shorter path");
	}
	/* Behind a slash at the end, a symbolic link would be followed. */
	while (ret_path->len > 1 && ret_path->data[ret_path->len - 1] == '/')
		ret_path->data[--ret_path->len] = '\0';
	return 0;
}

/* Makes the folder 0700 and its parents 0755.  @path is changed and restored. */
static int make_folders(char *path, struct error *err)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return 0;
	if (errno != ENOENT)
		return describe_open_failure(err, errno, path);
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int result = mkdir(path, 0755);
		int errnum = errno;
		*slash = '/';
		if (result < 0 && errnum != EEXIST)
			return describe_open_failure(err, errnum, path);
	}
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return describe_open_failure(err, errno, path);
	return 0;
}

static int open_folder(const char *path, int *ret_fd, struct error *err)
{
	struct stat status;
	auto_fd int fd = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		int errnum = errno;
		bool is_there = lstat(path, &status) == 0;
		if (is_there && S_ISLNK(status.st_mode))
			return refuse_link(err, path);
		if (is_there && !S_ISDIR(status.st_mode))
			return refuse_kind(err, path, "folder");
		return describe_open_failure(err, errnum, path);
	}
	if (fstat(fd, &status) < 0)
		return describe_open_failure(err, errno, path);
	int r = check_owner(&status, path, err);
	if (r < 0)
		return r;
	*ret_fd = take_fd(&fd);
	return 0;
}

/* A record has at least this much room, as far as one can know beforehand. */
static int check_space(int dir_fd, const char *path, struct error *err)
{
	struct statfs space;
	if (fstatfs(dir_fd, &space) < 0)
		return describe_open_failure(err, errno, path);
	uint64_t free_bytes = (uint64_t)space.f_bavail * (uint64_t)space.f_bsize;
	/* Some file systems tell no sizes at all (f_blocks is 0 then). */
	if (space.f_blocks == 0 || free_bytes >= MIN_FREE_BYTES)
		return 0;
	int r = error_set(err, ERR_SYSTEM, ENOSPC, path,
			  "has %llu bytes left, and a record may need %d",
			  (unsigned long long)free_bytes, MIN_FREE_BYTES);
	return error_remedy(err, r,
			    "free some space there, or name another folder in "
			    "evidence.path");
}

/* That the caller's files may not grow is no failure of the disk, and found at the end only. */
static int check_growth(int log_fd, struct error *err)
{
	struct rlimit most;
	struct stat status;
	if (getrlimit(RLIMIT_FSIZE, &most) < 0 || fstat(log_fd, &status) < 0)
		return describe_open_failure(err, errno, EVIDENCE_LOG_NAME);
	if (most.rlim_cur == RLIM_INFINITY ||
	    most.rlim_cur >= (rlim_t)status.st_size + MIN_FREE_BYTES)
		return 0;
	int r = error_set(err, ERR_SYSTEM, EFBIG, EVIDENCE_LOG_NAME,
			  "has %llu bytes, and files may have %llu",
			  (unsigned long long)status.st_size, (unsigned long long)most.rlim_cur);
	return error_remedy(err, r, "raise the limit with ulimit -f, or write evidence: off");
}

int evidence_log_open(const char *path, int *ret_dir_fd, struct error *err)
{
	auto_buf struct buf folder = BUF_INIT(PATH_MAX);
	auto_fd int dir_fd = -1, log_fd = -1, head_fd = -1;
	int r = evidence_log_path(path, &folder, err);
	if (r < 0)
		return r;
	r = make_folders(folder.data, err);
	if (r < 0)
		return r;
	r = open_folder(folder.data, &dir_fd, err);
	if (r < 0)
		return r;
	r = check_space(dir_fd, folder.data, err);
	if (r < 0)
		return r;
	/* Opened as the append will: what is wrong with them is found before the run. */
	r = evidence_file_open(dir_fd, EVIDENCE_LOG_NAME, O_RDWR | O_APPEND, &log_fd, err);
	if (r == 0)
		r = evidence_file_open(dir_fd, EVIDENCE_HEAD_NAME, O_RDWR, &head_fd, err);
	if (r == 0)
		r = check_growth(log_fd, err);
	if (r < 0)
		return error_under(err, r, folder.data);
	*ret_dir_fd = take_fd(&dir_fd);
	return 0;
}
