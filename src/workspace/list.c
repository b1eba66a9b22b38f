/* SPDX-License-Identifier: Apache-2.0 */
/* list.c - which change sets there are, and what killed processes left of them */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "workspace/private.h"

/* Free to be taken just now?  The lock is held by @ret_fd then. */
static bool try_lock(int dir_fd, int *ret_fd)
{
	auto_fd int fd = openat(dir_fd, "lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return errno == ENOENT;
	if (flock(fd, LOCK_EX | LOCK_NB) < 0)
		return false;
	*ret_fd = take_fd(&fd);
	return true;
}

static bool look(int store_fd, const char *id, struct changes_entry *ret)
{
	not_zeroed char storage[1024];
	auto_buf struct buf bytes = BUF_ON(storage, CHANGES_MAX_RECORD_BYTES);
	struct error ignored = { 0 };
	auto_fd int lock_fd = -1;
	*ret = (struct changes_entry){ .id = "" };
	(void)snprintf(ret->id, sizeof(ret->id), "%s", id);
	auto_fd int dir_fd = openat(store_fd, id, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (dir_fd < 0)
		return false;
	ret->is_used = !try_lock(dir_fd, &lock_fd);
	if (changes_file_read(dir_fd, "record", &bytes, id, &ignored) == 0)
		ret->is_whole =
			changes_record_decode(&ret->record, bytes.data, bytes.len, &ignored) == 0 &&
			strcmp(ret->record.id, id) == 0;
	return true;
}

int changes_list(int store_fd, int (*found)(const struct changes_entry *entry, void *context),
		 void *context, struct error *err)
{
	auto_fd int fd = openat(store_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, "workspaces", "the store cannot be read");
		return error_remedy(err, r, "check its owner and mode");
	}
	DIR_READER(reader, fd);
	for (const struct dir_entry *item; (item = dir_next(&reader));) {
		struct changes_entry entry;
		if (!changes_id_is_valid(item->name) || strcmp(item->name, "templates") == 0 ||
		    strcmp(item->name, "lock") == 0 || !look(store_fd, item->name, &entry))
			continue;
		int r = found(&entry, context);
		if (r != 0)
			return r;
	}
	return 0;
}

struct last {
	uint64_t dev, inode, started_ns;
	char id[CHANGES_ID_BYTES];
};

static int keep_last(const struct changes_entry *entry, void *context)
{
	struct last *last = context;
	const struct changes_record *record = &entry->record;
	if (!entry->is_whole || record->kind != CHANGES_WORKSPACE ||
	    record->state == CHANGES_COMMITTED || record->dev != last->dev ||
	    record->inode != last->inode || record->started_realtime_ns < last->started_ns)
		return 0;
	last->started_ns = record->started_realtime_ns;
	memcpy(last->id, entry->id, sizeof(last->id));
	return 0;
}

int changes_find_last(int store_fd, uint64_t dev, uint64_t inode, char ret_id[CHANGES_ID_BYTES],
		      struct error *err)
{
	struct last last = { .dev = dev, .inode = inode };
	int r = changes_list(store_fd, keep_last, &last, err);
	if (r < 0)
		return r;
	if (last.id[0] == '\0') {
		r = error_set(err, ERR_NOT_FOUND, 0, "workspace",
			      "no change set of this folder waits");
		return error_remedy(err, r, "run something with --workspace PATH:overlay first");
	}
	memcpy(ret_id, last.id, sizeof(last.id));
	return 0;
}

struct reclaim {
	int store_fd;
	bool is_dry_run;
	void (*found)(const struct changes_reclaim_item *item, void *context);
	void *context;
	struct error_list *leftovers;
};

/* Was anything changed in it?  If that cannot be told, yes. */
static bool has_changes(struct changes *changes)
{
	struct changes_usage usage;
	auto_fd int lower_fd = -1;
	if (changes->record.path[0])
		lower_fd = openat(AT_FDCWD, changes->record.path,
				  O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	changes_usage_read(changes, lower_fd, &usage);
	changes->record.n_changed = usage.n_changed;
	return usage.n_changed > 0 || !usage.is_whole;
}

static bool reclaim_running(const struct reclaim *reclaim, const char *id, struct error *err)
{
	struct changes changes = CHANGES_CLOSED;
	if (changes_open(reclaim->store_fd, id, false, &changes, err) < 0)
		return false;
	if (changes.record.kind == CHANGES_WORKSPACE && has_changes(&changes)) {
		changes.record.state = CHANGES_STOPPED;
		changes.record.was_lost = true;
		if (!reclaim->is_dry_run)
			(void)!changes_write(&changes, err);
		changes_close(&changes);
		return false;
	}
	if (reclaim->is_dry_run)
		changes_close(&changes);
	else
		(void)!changes_remove(&changes, err);
	return true;
}

static int reclaim_one(const struct changes_entry *entry, void *context)
{
	const struct reclaim *reclaim = context;
	struct changes_reclaim_item item = { .is_removed = true };
	struct error err = { 0 };
	if (entry->is_used || (entry->is_whole && entry->record.state != CHANGES_RUNNING))
		return 0;
	memcpy(item.id, entry->id, sizeof(item.id));
	if (entry->is_whole) {
		item.is_removed = reclaim_running(reclaim, entry->id, &err);
	} else if (!reclaim->is_dry_run) {
		int errnum = changes_tree_remove(reclaim->store_fd, entry->id);
		if (errnum != 0)
			(void)error_remedy(&err,
					   error_set(&err, ERR_SYSTEM, errnum, entry->id,
						     "what is left of it cannot be removed"),
					   "remove it by hand");
	}
	if (err.code != ERR_NONE)
		*error_list_next(reclaim->leftovers) = err;
	if (reclaim->found)
		reclaim->found(&item, reclaim->context);
	return 0;
}

int changes_reclaim(int store_fd, bool is_dry_run,
		    void (*found)(const struct changes_reclaim_item *item, void *context),
		    void *context, struct error_list *leftovers, struct error *err)
{
	struct reclaim reclaim = { store_fd, is_dry_run, found, context, leftovers };
	auto_fd int lock_fd = -1;
	int r = changes_store_lock(store_fd, true, &lock_fd, err);
	return r < 0 ? r : changes_list(store_fd, reclaim_one, &reclaim, err);
}
