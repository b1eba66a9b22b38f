/* SPDX-License-Identifier: Apache-2.0 */
/* changes.c - making, opening, closing and removing change sets; changes.h tells the whole */
#include "workspace/changes.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "base/syscalls.h"
#include "workspace/private.h"

#define WAIT_STEP_MS 5

static int failed(struct error *err, int errnum, const char *subject, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errnum, subject, "%s", what);
	return error_remedy(err, r, "check owner, mode and free space of the store of workspaces");
}

int changes_store_open(int *ret_store_fd, struct error *err)
{
	return data_open("workspaces", ret_store_fd, err);
}

/*
 * The lock of the whole store: shared while a set is born, so that it is not taken for a dead
 * one's, exclusive while dead ones are looked for.
 */
int changes_store_lock(int store_fd, bool is_exclusive, int *ret_fd, struct error *err)
{
	auto_fd int fd = openat(store_fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || flock(fd, is_exclusive ? LOCK_EX : LOCK_SH) < 0)
		return failed(err, errno, "workspaces", "the store cannot be locked");
	*ret_fd = take_fd(&fd);
	return 0;
}

void changes_close(struct changes *changes)
{
	int *fds[] = { &changes->upper_fd, &changes->tree_fd, &changes->dir_fd, &changes->lock_fd,
		       &changes->store_fd };
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fd_close(fds[i]);
}

static int make_folders(struct changes *changes, struct error *err)
{
	static const char *const names[] = { "upper", "work" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (mkdirat(changes->dir_fd, names[i], 0755) < 0)
			return failed(err, errno, changes->record.id, "a folder cannot be made");
	}
	return 0;
}

/* What holds upper/: the disk's mount, or the folder of the set. */
static int open_upper(struct changes *changes, bool is_read_only, struct error *err)
{
	const char *id = changes->record.id;
	int r = 0;
	if (changes->record.mechanism == CHANGES_DISK)
		r = disk_mount(changes->dir_fd, is_read_only, &changes->tree_fd, &changes->loop, id,
			       err);
	else if ((changes->tree_fd = fcntl(changes->dir_fd, F_DUPFD_CLOEXEC, 3)) < 0)
		r = failed(err, errno, id, "cannot be opened");
	if (r < 0)
		return r;
	changes->upper_fd =
		openat(changes->tree_fd, "upper", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return changes->upper_fd < 0 ? failed(err, errno, id, "its upper folder cannot be opened")
				     : 0;
}

static int make_disk(struct changes *changes, const struct changes_options *options,
		     struct error *err)
{
	struct changes_record *record = &changes->record;
	if (!options->copy_of) {
		disk_size(changes->store_fd, &record->disk_bytes, &record->disk_inodes);
		return disk_make(changes->store_fd, changes->dir_fd, record->disk_bytes,
				 record->disk_inodes, record->id, err);
	}
	record->disk_bytes = options->copy_of->record.disk_bytes;
	record->disk_inodes = options->copy_of->record.disk_inodes;
	/* What is mounted for reading lies in the file as a whole only once it was written out. */
	(void)syncfs(options->copy_of->tree_fd);
	auto_fd int from_fd =
		openat(options->copy_of->dir_fd, "disk", O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	auto_fd int to_fd =
		openat(changes->dir_fd, "disk", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	int r = from_fd < 0 || to_fd < 0 ? errno : disk_copy(from_fd, to_fd);
	return r == 0 ? 0 : failed(err, r, record->id, "the disk cannot be copied");
}

static int refuse_folder(const char *lack, struct error *err)
{
	int r = error_set(
		err, ERR_REFUSED, 0, "limits.disk",
		"limits.strict is set, but the kernel cannot hold it for a change set: %s", lack);
	return error_remedy(err, r, CHANGES_DISK_REMEDY ", or set limits.strict: false");
}

static int choose_mechanism(struct changes *changes, const struct changes_options *options,
			    struct error *err)
{
	const char *lack = options->wants_folder ? "a folder was asked for" : changes_disk_lack();
	changes->record.mechanism = lack ? CHANGES_FOLDER : CHANGES_DISK;
	if (options->copy_of && (lack || options->copy_of->record.mechanism != CHANGES_DISK)) {
		int r = error_set(err, ERR_UNSUPPORTED, 0, changes->record.id,
				  "a set that is no disk cannot be copied");
		return error_remedy(err, r, "run as root, on a host with loop devices");
	}
	return lack && options->is_strict ? refuse_folder(lack, err) : 0;
}

static int lock_set(int dir_fd, int operation, bool waits, int *ret_fd, const char *id,
		    struct error *err)
{
	auto_fd int fd = openat(dir_fd, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return failed(err, errno, id, "its lock cannot be opened");
	bool is_locked = flock(fd, operation | LOCK_NB) == 0;
	for (int i = 0; i < CHANGES_WAIT_MS / WAIT_STEP_MS && waits && !is_locked; i++) {
		if (errno != EWOULDBLOCK)
			break;
		(void)poll(NULL, 0, WAIT_STEP_MS);
		is_locked = flock(fd, operation | LOCK_NB) == 0;
	}
	if (!is_locked) {
		int r = errno == EWOULDBLOCK
				? error_set(err, ERR_UNAVAILABLE, 0, id, "the change set is in use")
				: error_set(err, ERR_SYSTEM, errno, id, "cannot be locked");
		return error_remedy(err, r, "wait for the sandbox that writes to it, see foso ps");
	}
	*ret_fd = take_fd(&fd);
	return 0;
}

static int fill(struct changes *changes, const struct changes_options *options, struct error *err)
{
	int r = choose_mechanism(changes, options, err);
	if (r < 0)
		return r;
	bool is_disk = changes->record.mechanism == CHANGES_DISK;
	if ((r = is_disk ? make_disk(changes, options, err) : make_folders(changes, err)) < 0 ||
	    (r = open_upper(changes, false, err)) < 0)
		return r;
	changes->record.state = CHANGES_RUNNING;
	/* A record that is there names a set that is whole. */
	return changes_write(changes, err);
}

static int refuse_id(struct error *err, const char *id)
{
	int r = error_set(err, ERR_NOT_FOUND, 0, id, "is no id of a change set");
	return error_remedy(err, r, "see foso diff --list");
}

int changes_create(int store_fd, const struct changes_record *record,
		   const struct changes_options *options, struct changes *ret, struct error *err)
{
	struct changes changes = CHANGES_CLOSED;
	auto_fd int store_lock = -1;
	int r;
	changes.record = *record;
	const char *id = changes.record.id;
	if (!changes_id_is_valid(id))
		return refuse_id(err, id);
	if ((r = changes_store_lock(store_fd, false, &store_lock, err)) < 0)
		return r;
	if (mkdirat(store_fd, id, 0700) < 0) {
		r = errno == EEXIST
			    ? error_set(err, ERR_EXISTS, 0, id, "a change set of this id exists")
			    : error_set(err, ERR_SYSTEM, errno, id, "cannot be made");
		return error_remedy(err, r, "check the store of workspaces, or choose another id");
	}
	changes.store_fd = fcntl(store_fd, F_DUPFD_CLOEXEC, 3);
	changes.dir_fd = openat(store_fd, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	r = changes.store_fd < 0 || changes.dir_fd < 0 ? failed(err, errno, id, "cannot be opened")
						       : 0;
	if (r == 0)
		r = lock_set(changes.dir_fd, LOCK_EX, false, &changes.lock_fd, id, err);
	fd_close(&store_lock);
	if (r == 0)
		r = fill(&changes, options, err);
	if (r < 0) {
		(void)changes_tree_remove(store_fd, id);
		changes_close(&changes);
		return r;
	}
	*ret = changes;
	return 0;
}

static int read_record(struct changes *changes, const char *id, struct error *err)
{
	not_zeroed char storage[1024];
	auto_buf struct buf bytes = BUF_ON(storage, CHANGES_MAX_RECORD_BYTES);
	int r = changes_file_read(changes->dir_fd, "record", &bytes, id, err);
	if (r > 0) {
		r = error_set(err, ERR_CORRUPT, 0, id, "the change set has no record");
		return error_remedy(err, r, "run foso gc");
	}
	if (r == 0)
		r = changes_record_decode(&changes->record, bytes.data, bytes.len, err);
	if (r == 0 && strcmp(changes->record.id, id) != 0) {
		r = error_set(err, ERR_CORRUPT, 0, id, "its record is that of '%s'",
			      changes->record.id);
		return error_remedy(err, r, "remove the change set with foso discard");
	}
	return r;
}

/* One that a sandbox writes to is not waited for. */
static bool is_running(struct changes *changes, const char *id)
{
	struct error ignored = { 0 };
	return read_record(changes, id, &ignored) == 0 && changes->record.state == CHANGES_RUNNING;
}

int changes_open(int store_fd, const char *id, bool is_read_only, struct changes *ret,
		 struct error *err)
{
	struct changes changes = CHANGES_CLOSED;
	int r;
	if (!changes_id_is_valid(id))
		return refuse_id(err, id);
	changes.dir_fd = openat(store_fd, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (changes.dir_fd < 0) {
		r = errno == ENOENT
			    ? error_set(err, ERR_NOT_FOUND, 0, id, "there is no such change set")
			    : error_set(err, ERR_SYSTEM, errno, id, "cannot be opened");
		return error_remedy(err, r, "see foso diff --list");
	}
	changes.store_fd = fcntl(store_fd, F_DUPFD_CLOEXEC, 3);
	r = changes.store_fd < 0 ? failed(err, errno, id, "cannot be opened") : 0;
	if (r == 0)
		r = lock_set(changes.dir_fd, is_read_only ? LOCK_SH : LOCK_EX,
			     !is_running(&changes, id), &changes.lock_fd, id, err);
	if (r == 0)
		r = read_record(&changes, id, err);
	if (r == 0)
		r = open_upper(&changes, is_read_only, err);
	if (r < 0) {
		changes_close(&changes);
		return r;
	}
	*ret = changes;
	return 0;
}

int changes_write(struct changes *changes, struct error *err)
{
	not_zeroed char storage[1024];
	auto_buf struct buf bytes = BUF_ON(storage, CHANGES_MAX_RECORD_BYTES);
	changes_record_encode(&changes->record, &bytes);
	if (!buf_is_whole(&bytes))
		return failed(err, ENOMEM, changes->record.id, "its record cannot be made");
	return changes_file_write(changes->dir_fd, "record", bytes.data, bytes.len,
				  changes->record.id, err);
}

/* The record goes first: what is left of a removal that was interrupted is no set any more. */
int changes_erase(struct changes *changes, struct error *err)
{
	const char *id = changes->record.id;
	(void)unlinkat(changes->dir_fd, "record", 0);
	int errnum = changes_tree_remove(changes->store_fd, id);
	return errnum == 0 ? 0 : failed(err, errnum, id, "the change set cannot be removed");
}

int changes_remove(struct changes *changes, struct error *err)
{
	int r = changes_erase(changes, err);
	changes_close(changes);
	return r;
}

int changes_tree_clone(const struct changes *changes, int *ret_mount_fd, struct error *err)
{
	int errnum = 0;
	if (changes->record.mechanism == CHANGES_DISK) {
		/* A mount that is attached to nothing can be cloned from Linux 6.15 on only. */
		errnum = disk_mount_again(changes->loop, ret_mount_fd);
	} else {
		int fd = sys_open_tree(changes->dir_fd, "",
				       OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
		errnum = fd < 0 ? errno : 0;
		if (fd >= 0)
			*ret_mount_fd = fd;
	}
	return errnum == 0 ? 0
			   : failed(err, errnum, changes->record.id, "its tree cannot be mounted");
}
