/* SPDX-License-Identifier: Apache-2.0 */
/* store.c - a log as foso-evidence reads it */
#include "evidencetool/store.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "evidence/log.h"

static int describe_open_failure(struct error *err, int errnum, const char *path)
{
	if (errnum == ENOENT) {
		int r = error_set(err, ERR_NOT_FOUND, 0, path, "there is no evidence log");
		return error_remedy(err, r,
				    "name the folder that evidence.path names; each foso "
				    "run adds a record to it");
	}
	if (errnum == EACCES || errnum == EPERM) {
		int r = error_set(err, ERR_DENIED, errnum, path, "cannot be read");
		return error_remedy(err, r, "run it as the user whose runs these are");
	}
	int r = error_set(err, ERR_SYSTEM, errnum, path, "cannot be read");
	return error_remedy(err, r, "look at the disk that holds it");
}

/* A plain file below @dir_fd, to read; 0 or an errno, EINVAL if it is of another kind. */
static int file_open(int dir_fd, const char *name, int *ret_fd, struct stat *ret_status)
{
	auto_fd int fd = openat(dir_fd, name, O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, ret_status) < 0)
		return errno == ELOOP ? EINVAL : errno;
	if (!S_ISREG(ret_status->st_mode))
		return EINVAL;
	*ret_fd = take_fd(&fd);
	return 0;
}

static int head_open(struct store *store, int dir_fd, struct error *err)
{
	struct stat status = { 0 };
	auto_fd int fd = -1;
	int errnum = file_open(dir_fd, EVIDENCE_HEAD_NAME, &fd, &status);
	if (errnum == ENOENT || errnum == EINVAL) {
		store->head_state = errnum == ENOENT ? STORE_HEAD_MISSING : STORE_HEAD_MALFORMED;
		return 0;
	}
	if (errnum != 0)
		return describe_open_failure(err, errnum, EVIDENCE_HEAD_NAME);
	/* Empty: as foso leaves it before the first run has ended. */
	store->head = (struct evidence_head){ .hash = EVIDENCE_NO_HASH };
	store->head_state = STORE_HEAD_READ;
	int r = status.st_size > 0 ? evidence_head_read(fd, &store->head, err) : 0;
	if (r > 0)
		store->head_state = STORE_HEAD_MALFORMED;
	return r < 0 ? r : 0;
}

static size_t count_torn(int dir_fd)
{
	size_t n = 0;
	int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_dir DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	if (!dir) {
		fd_close(&fd);
		return 0;
	}
	/* NOLINTNEXTLINE(concurrency-mt-unsafe): one thread */
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir)) {
		if (strncmp(entry->d_name, EVIDENCE_TORN_PREFIX, strlen(EVIDENCE_TORN_PREFIX)) == 0)
			n++;
	}
	return n;
}

static int folder_open(struct store *store, int dir_fd, struct error *err)
{
	struct stat status = { 0 };
	int errnum = file_open(dir_fd, EVIDENCE_LOG_NAME, &store->log_fd, &status);
	if (errnum == EINVAL) {
		int r = error_set(err, ERR_INVALID, 0, EVIDENCE_LOG_NAME, "is not a plain file");
		return error_remedy(err, r, "look who put it there");
	}
	if (errnum != 0)
		return describe_open_failure(err, errnum, EVIDENCE_LOG_NAME);
	while (flock(store->log_fd, LOCK_SH) < 0) {
		if (errno != EINTR)
			return describe_open_failure(err, errno, EVIDENCE_LOG_NAME);
	}
	int r = head_open(store, dir_fd, err);
	if (r == 0 && fstat(store->log_fd, &status) < 0)
		r = describe_open_failure(err, errno, EVIDENCE_LOG_NAME);
	(void)flock(store->log_fd, LOCK_UN);
	store->log_bytes = (uint64_t)status.st_size;
	store->n_torn = count_torn(dir_fd);
	return r;
}

/* The folder that foso run would use. */
static int set_path(struct store *store, const char *path, struct error *err)
{
	auto_buf struct buf own = BUF_INIT(PATH_MAX);
	int r = path ? 0 : evidence_log_path("", &own, err);
	if (r < 0)
		return r;
	path = path ? path : buf_string(&own);
	if (snprintf(store->path, sizeof(store->path), "%s", path) < (int)sizeof(store->path))
		return 0;
	r = error_set(err, ERR_LIMIT, 0, path, "is longer than a path can be");
	return error_remedy(err, r, "name a shorter path");
}

int store_open(struct store *ret, const char *path, struct error *err)
{
	struct stat status;
	*ret = (struct store){ .log_fd = -1 };
	int r = set_path(ret, path, err);
	if (r < 0)
		return r;
	auto_fd int fd = open(ret->path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return describe_open_failure(err, errno, ret->path);
	if (S_ISDIR(status.st_mode)) {
		r = folder_open(ret, fd, err);
		if (r == 0)
			return 0;
		store_close(ret);
		return error_under(err, r, ret->path);
	}
	if (S_ISREG(status.st_mode)) {
		ret->log_fd = take_fd(&fd);
		ret->log_bytes = (uint64_t)status.st_size;
		ret->head_state = STORE_HEAD_NONE;
		return 0;
	}
	r = error_set(err, ERR_INVALID, 0, ret->path, "is neither a folder nor a file");
	return error_remedy(err, r, "name the folder of the log, or a copy of log.jsonl");
}

void store_close(struct store *store)
{
	fd_close(&store->log_fd);
}

int head_file_read(const char *path, struct evidence_head *ret, struct error *err)
{
	auto_fd int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int r;
	if (fd < 0) {
		r = error_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM, errno, path,
			      "cannot be opened");
		return error_remedy(err, r, "name a file that foso evidence export --head wrote");
	}
	r = evidence_head_read(fd, ret, err);
	if (r > 0) {
		r = error_set(err, ERR_INVALID, 0, path, "is not a head");
		return error_remedy(err, r, "name a file that foso evidence export --head wrote");
	}
	return r;
}
