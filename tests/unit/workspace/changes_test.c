/* SPDX-License-Identifier: Apache-2.0 */
/* Change sets: made, opened, listed, removed, found again after a kill; the disk's exact quota. */
#include <dirent.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/statfs.h>
#include <sys/wait.h>

#include "support/tap.h"
#include "workspace/changes.c"

static char store_path[] = "/tmp/foso-changes-XXXXXX";
static int store_fd = -1;

static void open_store(void)
{
	OK(mkdtemp(store_path));
	store_fd = open(store_path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	OK(store_fd >= 0);
}

static struct changes_record a_record(const char *id)
{
	struct changes_record record = {
		.kind = CHANGES_WORKSPACE,
		.path = "/srv/project",
		.dev = 7,
		.inode = 11,
		.started_realtime_ns = 5,
		.host_uid = 1000,
		.disk_uid = 1000,
		.disk_bytes = 1024 * 1024,
		.disk_inodes = 100,
	};
	(void)snprintf(record.id, sizeof(record.id), "%s", id);
	return record;
}

/* Loop devices that hang on a file of the store. */
static int count_loops(void)
{
	int n = 0;
	for (int i = 0; i < 64; i++) {
		char path[64], text[256] = "";
		(void)snprintf(path, sizeof(path), "/sys/block/loop%d/loop/backing_file", i);
		FILE *file = fopen(path, "re");
		if (!file)
			continue;
		if (fgets(text, sizeof(text), file) && strstr(text, store_path))
			n++;
		(void)fclose(file);
	}
	return n;
}

/* The loop device is let go by the kernel once its last user has ended, which can take a moment. */
static int loops_left(void)
{
	for (int i = 0; i < 200 && count_loops() > 0; i++)
		(void)poll(NULL, 0, 10);
	return count_loops();
}

static bool has_disk(void)
{
	return !changes_disk_lack();
}

static void folder_is_made_and_removed(void)
{
	struct error err = { 0 };
	struct changes changes = CHANGES_CLOSED;
	struct changes_record record = a_record("aaaa");
	const struct changes_options options = { .wants_folder = true };
	EQ(changes_create(store_fd, &record, &options, &changes, &err), 0);
	EQ(changes.record.mechanism, CHANGES_FOLDER);
	EQ(faccessat(store_fd, "aaaa/upper", F_OK, 0), 0);
	EQ(faccessat(store_fd, "aaaa/work", F_OK, 0), 0);
	struct changes other = CHANGES_CLOSED;
	ERR(changes_create(store_fd, &record, &options, &other, &err), &err, ERR_EXISTS, "aaaa");
	error_clear(&err);
	/* What an overlay leaves in its work folder has no mode at all. */
	EQ(mkdirat(changes.tree_fd, "work/work", 0), 0);
	EQ(changes_remove(&changes, &err), 0);
	OK(faccessat(store_fd, "aaaa", F_OK, 0) < 0 && errno == ENOENT);
	changes_close(&changes);
}

static void strict_refuses_a_folder(void)
{
	struct error err = { 0 };
	struct changes changes = CHANGES_CLOSED;
	struct changes_record record = a_record("strict");
	const struct changes_options options = { .wants_folder = true, .is_strict = true };
	ERR(changes_create(store_fd, &record, &options, &changes, &err), &err, ERR_REFUSED,
	    "limits.disk");
	OK(faccessat(store_fd, "strict", F_OK, 0) < 0 && errno == ENOENT);
}

static void one_user_at_a_time(void)
{
	struct error err = { 0 };
	struct changes changes = CHANGES_CLOSED, other = CHANGES_CLOSED;
	struct changes_record record = a_record("bbbb");
	const struct changes_options options = { .wants_folder = true };
	EQ(changes_create(store_fd, &record, &options, &changes, &err), 0);
	ERR(changes_open(store_fd, "bbbb", true, &other, &err), &err, ERR_UNAVAILABLE, "bbbb");
	error_clear(&err);
	changes.record.state = CHANGES_STOPPED;
	changes.record.n_changed = 42;
	EQ(changes_write(&changes, &err), 0);
	changes_close(&changes);
	EQ(changes_open(store_fd, "bbbb", true, &changes, &err), 0);
	EQ(changes.record.n_changed, 42);
	EQ(changes_open(store_fd, "bbbb", true, &other, &err), 0);
	changes_close(&other);
	ERR(changes_open(store_fd, "bbbb", false, &other, &err), &err, ERR_UNAVAILABLE, "bbbb");
	error_clear(&err);
	changes_close(&changes);
	ERR(changes_open(store_fd, "cccc", false, &other, &err), &err, ERR_NOT_FOUND, "cccc");
	error_clear(&err);
	ERR(changes_open(store_fd, "../etc", false, &other, &err), &err, ERR_NOT_FOUND, "../etc");
}

static void the_last_of_a_folder_is_found(void)
{
	struct error err = { 0 };
	struct changes changes = CHANGES_CLOSED;
	struct changes_record record = a_record("later");
	const struct changes_options options = { .wants_folder = true };
	char id[CHANGES_ID_BYTES];
	record.started_realtime_ns = 6;
	EQ(changes_create(store_fd, &record, &options, &changes, &err), 0);
	EQ(changes_find_last(store_fd, 7, 11, id, &err), 0);
	STR_EQ(id, "later");
	changes.record.state = CHANGES_COMMITTED;
	EQ(changes_write(&changes, &err), 0);
	EQ(changes_find_last(store_fd, 7, 11, id, &err), 0);
	STR_EQ(id, "bbbb");
	ERR(changes_find_last(store_fd, 7, 12, id, &err), &err, ERR_NOT_FOUND, "workspace");
	error_clear(&err);
	EQ(changes_remove(&changes, &err), 0);
	EQ(changes_open(store_fd, "bbbb", false, &changes, &err), 0);
	EQ(changes_remove(&changes, &err), 0);
}

static void broken_records_are_told(void)
{
	struct error err = { 0 };
	struct changes changes = CHANGES_CLOSED;
	EQ(mkdirat(store_fd, "broken", 0700), 0);
	ERR(changes_open(store_fd, "broken", false, &changes, &err), &err, ERR_CORRUPT, "broken");
	error_clear(&err);
	int fd = openat(store_fd, "broken/record", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	EQ(write(fd, "FSC1 and more", 13), 13);
	close(fd);
	ERR(changes_open(store_fd, "broken", false, &changes, &err), &err, ERR_CORRUPT, "record");
	error_clear(&err);
	EQ(changes_tree_remove(store_fd, "broken"), 0);
}

static void hidden_paths_are_kept(void)
{
	static const char odd[] = "a\nb/\xff.env";
	struct error err = { 0 };
	struct changes changes = CHANGES_CLOSED;
	struct changes_record record = a_record("hidden");
	const struct changes_options options = { .wants_folder = true };
	struct buf entries = BUF_INIT(CHANGES_MAX_HIDDEN_BYTES), read = entries;
	enum changes_hiding hiding;
	const char *path;
	size_t at = 0, len;
	EQ(changes_create(store_fd, &record, &options, &changes, &err), 0);
	EQ(changes_hidden_read(&changes, &read, &err), 0);
	EQ(read.len, 0);
	changes_hidden_put(&entries, CHANGES_HIDDEN_ABSENT, ".env", 4);
	changes_hidden_put(&entries, CHANGES_HIDDEN_REPLACED, odd, sizeof(odd) - 1);
	EQ(changes_hidden_write(&changes, &entries, &err), 0);
	EQ(changes_hidden_read(&changes, &read, &err), 0);
	EQ(changes_hidden_next(&read, &at, &hiding, &path, &len), 1);
	EQ(hiding, CHANGES_HIDDEN_ABSENT);
	EQ(changes_hidden_next(&read, &at, &hiding, &path, &len), 1);
	EQ(hiding, CHANGES_HIDDEN_REPLACED);
	EQ(len, sizeof(odd) - 1);
	EQ(memcmp(path, odd, len), 0);
	EQ(changes_hidden_next(&read, &at, &hiding, &path, &len), 0);
	buf_clear(&entries);
	changes_hidden_put(&entries, CHANGES_HIDDEN_ABSENT, "a/../../etc", 11);
	EQ(changes_hidden_write(&changes, &entries, &err), 0);
	ERR(changes_hidden_read(&changes, &read, &err), &err, ERR_CORRUPT, "hidden");
	error_clear(&err);
	buf_fini(&entries);
	buf_fini(&read);
	EQ(changes_remove(&changes, &err), 0);
}

static void a_disk_has_exactly_its_quota(void)
{
	static const struct {
		uint64_t bytes, inodes;
	} sizes[] = { { 0, 0 }, { 1024 * 1024, 100 }, { 300u * 1024 * 1024, 5000 } };
	if (!has_disk())
		SKIP(changes_disk_lack());
	for (size_t i = 0; i < ARRAY_LEN(sizes); i++) {
		struct error err = { 0 };
		struct changes changes = CHANGES_CLOSED;
		struct changes_record record = a_record("disk");
		struct statfs space;
		record.disk_bytes = sizes[i].bytes;
		record.disk_inodes = sizes[i].inodes;
		EQ(changes_create(store_fd, &record, &(struct changes_options){ .is_strict = true },
				  &changes, &err),
		   0);
		if (err.code != ERR_NONE)
			FAIL("%s", err.message);
		EQ(changes.record.mechanism, CHANGES_DISK);
		/* The overlay's own folder in work/ comes first. */
		EQ(mkdirat(changes.tree_fd, "work/work", 0), 0);
		EQ(fstatfs(changes.tree_fd, &space), 0);
		EQ((uint64_t)space.f_bavail * 4096, sizes[i].bytes);
		EQ(space.f_ffree, sizes[i].inodes);
		EQ(count_loops(), 1);
		EQ(changes_remove(&changes, &err), 0);
		EQ(loops_left(), 0);
	}
}

static void an_unnamed_disk_goes_with_its_mount(void)
{
	struct error err = { 0 };
	struct statfs space;
	int mount_fd = -1;
	if (!has_disk())
		SKIP(changes_disk_lack());
	EQ(changes_disk_unnamed(store_fd, 1024 * 1024, 100, &mount_fd, &err), 0);
	if (err.code != ERR_NONE)
		FAIL("%s", err.message);
	OK(faccessat(mount_fd, "upper", F_OK, 0) == 0);
	EQ(mkdirat(mount_fd, "work/work", 0), 0);
	EQ(fstatfs(mount_fd, &space), 0);
	EQ((uint64_t)space.f_bavail * 4096, 1024 * 1024);
	EQ(space.f_ffree, 100);
	EQ(count_loops(), 1);
	close(mount_fd);
	EQ(loops_left(), 0);
}

static void a_disk_is_opened_again_and_copied(void)
{
	struct error err = { 0 };
	struct changes changes = CHANGES_CLOSED, copy = CHANGES_CLOSED;
	struct changes_record record = a_record("first");
	struct changes_options options = { .is_strict = true };
	int mount_fd = -1;
	if (!has_disk())
		SKIP(changes_disk_lack());
	EQ(changes_create(store_fd, &record, &options, &changes, &err), 0);
	int fd = openat(changes.upper_fd, "file", O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
	EQ(write(fd, "content", 7), 7);
	close(fd);
	EQ(changes_tree_clone(&changes, &mount_fd, &err), 0);
	EQ(faccessat(mount_fd, "upper/file", F_OK, 0), 0);
	fd_close(&mount_fd);
	changes_close(&changes);
	EQ(loops_left(), 0);
	EQ(changes_open(store_fd, "first", true, &changes, &err), 0);
	EQ(faccessat(changes.upper_fd, "file", F_OK, 0), 0);
	OK(mkdirat(changes.upper_fd, "no", 0755) < 0 && errno == EROFS);
	options.copy_of = &changes;
	record = a_record("second");
	EQ(changes_create(store_fd, &record, &options, &copy, &err), 0);
	EQ(faccessat(copy.upper_fd, "file", F_OK, 0), 0);
	EQ(mkdirat(copy.upper_fd, "more", 0755), 0);
	OK(faccessat(changes.upper_fd, "more", F_OK, 0) < 0 && errno == ENOENT);
	EQ(changes_remove(&copy, &err), 0);
	changes_close(&changes);
	EQ(changes_open(store_fd, "first", false, &changes, &err), 0);
	EQ(changes_remove(&changes, &err), 0);
	EQ(loops_left(), 0);
}

/* A process that makes a set, tells, and is killed while it holds it. */
static void kill_a_holder(const char *id, bool wants_folder, bool changes_something)
{
	int ready[2];
	char byte;
	OK(pipe2(ready, O_CLOEXEC) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct error err = { 0 };
		struct changes changes = CHANGES_CLOSED;
		struct changes_record record = a_record(id);
		const struct changes_options options = { .wants_folder = wants_folder };
		if (changes_create(store_fd, &record, &options, &changes, &err) < 0)
			_exit(1);
		if (changes_something && mkdirat(changes.upper_fd, "new", 0755) < 0)
			_exit(1);
		(void)!write(ready[1], "r", 1);
		for (;;)
			pause();
	}
	close(ready[1]);
	EQ(read(ready[0], &byte, 1), 1);
	close(ready[0]);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static size_t n_reclaimed, n_kept;

static void count_reclaimed(const struct changes_reclaim_item *item, void *context)
{
	UNUSED(context);
	n_reclaimed += item->is_removed;
	n_kept += !item->is_removed;
}

static void what_a_killed_holder_left_is_found(void)
{
	struct error err = { 0 };
	struct error_list leftovers = { 0 };
	struct changes changes = CHANGES_CLOSED;
	size_t n_expected = 2;
	kill_a_holder("dead", true, false);
	EQ(mkdirat(store_fd, "half", 0700), 0);
	kill_a_holder("kept", true, true);
	if (has_disk()) {
		kill_a_holder("deaddisk", false, false);
		n_expected++;
		EQ(loops_left(), 0);
	}
	EQ(changes_reclaim(store_fd, false, count_reclaimed, NULL, &leftovers, &err), 0);
	EQ(leftovers.n_errors, 0);
	EQ(n_reclaimed, n_expected);
	EQ(n_kept, 1);
	OK(faccessat(store_fd, "dead", F_OK, 0) < 0);
	OK(faccessat(store_fd, "half", F_OK, 0) < 0);
	OK(faccessat(store_fd, "deaddisk", F_OK, 0) < 0);
	EQ(loops_left(), 0);
	EQ(changes_open(store_fd, "kept", false, &changes, &err), 0);
	EQ(changes.record.state, CHANGES_STOPPED);
	OK(changes.record.was_lost);
	EQ(changes.record.n_changed, 1);
	EQ(changes_remove(&changes, &err), 0);
}

static void a_deep_tree_is_walked_and_removed(void)
{
	struct error err = { 0 };
	struct changes changes = CHANGES_CLOSED;
	struct changes_record record = a_record("deep");
	const struct changes_options options = { .wants_folder = true };
	struct changes_usage usage;
	EQ(changes_create(store_fd, &record, &options, &changes, &err), 0);
	int fd = fcntl(changes.upper_fd, F_DUPFD_CLOEXEC, 3);
	for (int i = 0; i < 1500; i++) {
		EQ(mkdirat(fd, "d", 0755), 0);
		int next = openat(fd, "d", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		OK(next >= 0);
		close(fd);
		fd = next;
	}
	close(fd);
	changes_usage_read(&changes, -1, &usage);
	OK(usage.is_whole);
	EQ(usage.inodes, 1500);
	EQ(usage.n_changed, 1500);
	EQ(changes_remove(&changes, &err), 0);
	if (err.code != ERR_NONE)
		FAIL("%s", err.message);
	OK(faccessat(store_fd, "deep", F_OK, 0) < 0 && errno == ENOENT);
}

int main(void)
{
	open_store();
	RUN(folder_is_made_and_removed);
	RUN(strict_refuses_a_folder);
	RUN(one_user_at_a_time);
	RUN(the_last_of_a_folder_is_found);
	RUN(broken_records_are_told);
	RUN(hidden_paths_are_kept);
	RUN(a_disk_has_exactly_its_quota);
	RUN(an_unnamed_disk_goes_with_its_mount);
	RUN(a_disk_is_opened_again_and_copied);
	RUN(what_a_killed_holder_left_is_found);
	RUN(a_deep_tree_is_walked_and_removed);
	(void)changes_tree_remove(store_fd, "templates");
	(void)unlinkat(store_fd, "lock", 0);
	OK(rmdir(store_path) == 0);
	return tap_done();
}
