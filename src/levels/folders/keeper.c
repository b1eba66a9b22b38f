/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keeper.c - what must be done for a workspace after the monitor gave up its rights
 *
 * A fork of the engine that outlives a killed monitor by as long as it takes to put the change set
 * in order.  It reads no contents: names, inodes and extended attributes' presence, bounded.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "confine/confine.h"
#include "levels/folders/attach.h"

#define CHORES_AFTER_MS 200  /* what later runs need, done when this one does not wait for it */
#define WATCH_MS        250  /* between two looks at a folder that no kernel bounds */
#define WATCH_SHARE     10   /* of its time a keeper spends at most on that */
#define DYING_MS        5000 /* until a sandbox whose monitor was killed is gone */

struct keeper {
	struct attach *attach;
	int engine_fd, folder_fd;
	struct late late;
	bool has_done_chores;
	int spare_fd; /* a disk for the next start, not yet written out; -1 for none */
	uint64_t next_watch_ns;
};

static uint64_t clock_ns(clockid_t clock)
{
	struct timespec now;
	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Everything open but what is needed is closed: streams above all, whose ends somebody awaits. */
static void close_others(const struct keeper *keeper)
{
	const struct attach *attach = keeper->attach;
	const int kept[] = { keeper->engine_fd,        keeper->folder_fd,
			     attach->late_fd,          attach->folder_fd,
			     attach->changes.dir_fd,   attach->changes.lock_fd,
			     attach->changes.tree_fd,  attach->changes.upper_fd,
			     attach->changes.store_fd, keeper->attach->pidfd };
	int from = 3;
	for (;;) {
		int next = INT32_MAX;
		for (size_t i = 0; i < ARRAY_LEN(kept); i++) {
			if (kept[i] >= from && kept[i] < next)
				next = kept[i];
		}
		if (next == INT32_MAX)
			break;
		for (int fd = from; fd < next; fd++)
			close(fd);
		from = next + 1;
	}
	(void)confine_close_fds((unsigned)from);
}

static void settle(struct keeper *keeper)
{
	int null_fd = keeper->attach->null_fd;
	for (int fd = 0; fd < 3; fd++)
		(void)dup3(null_fd, fd, 0);
	(void)prctl(PR_SET_NAME, "foso-keeper");
	(void)!chdir("/");
	/* The monitor's grave is ours as well only through the socket: a terminal's signals are
	 * not. */
	(void)setsid();
	keeper->folder_fd = openat(keeper->attach->folder_fd, ".",
				   O_RDONLY | O_DIRECTORY | O_NOATIME | O_CLOEXEC);
	if (keeper->folder_fd < 0)
		keeper->folder_fd =
			openat(keeper->attach->folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	close_others(keeper);
}

static void prepare_late(struct keeper *keeper)
{
	struct attach *attach = keeper->attach;
	struct stat upper, folder;
	keeper->late = (struct late){
		.attach = attach,
		.redact = attach->redact,
	};
	if (attach->has_changes && fstat(attach->changes.upper_fd, &upper) == 0 &&
	    fstat(keeper->folder_fd, &folder) == 0)
		keeper->late.is_one_device = upper.st_dev == folder.st_dev && attach->mask_dev == 0;
}

/* What killed monitors left, and a disk for the next start. */
static void do_chores(struct keeper *keeper)
{
	struct attach *attach = keeper->attach;
	struct error_list leftovers = { 0 };
	struct error ignored = { 0 };
	auto_fd int store_fd = -1;
	if (keeper->has_done_chores || !attach->has_changes)
		return;
	keeper->has_done_chores = true;
	if (changes_store_open(&store_fd, &ignored) < 0)
		return;
	changes_prepare(store_fd, &attach->changes.record, &keeper->spare_fd);
	(void)!changes_reclaim(store_fd, false, NULL, NULL, &leftovers, &ignored);
}

/* The kernel does not bound a folder, so somebody has to look. */
static void watch_folder(struct keeper *keeper)
{
	const struct changes_record *record = &keeper->attach->changes.record;
	struct changes_usage usage;
	uint64_t now_ns = clock_ns(CLOCK_MONOTONIC);
	if (!keeper->attach->has_changes || record->mechanism != CHANGES_FOLDER ||
	    now_ns < keeper->next_watch_ns)
		return;
	changes_usage_read(&keeper->attach->changes, -1, &usage);
	if (usage.bytes > record->disk_bytes || usage.inodes > record->disk_inodes ||
	    !usage.is_whole)
		(void)send(keeper->engine_fd, (char[]){ KEEPER_DISK_FULL }, 1,
			   MSG_NOSIGNAL | MSG_DONTWAIT);
	uint64_t took_ns = clock_ns(CLOCK_MONOTONIC) - now_ns;
	keeper->next_watch_ns = now_ns + MAX(WATCH_MS * UINT64_C(1000000), took_ns * WATCH_SHARE);
}

/* 1: the run is over; -1: so is the monitor. */
static int look_at_engine(struct keeper *keeper)
{
	char byte;
	ssize_t n = recv(keeper->engine_fd, &byte, 1, MSG_DONTWAIT);
	if (n == 1)
		return 1;
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static int wait_for_end(struct keeper *keeper)
{
	struct pollfd fds[] = { { .fd = keeper->engine_fd, .events = POLLIN },
				{ .fd = keeper->attach->late_fd, .events = POLLIN } };
	bool is_folder = keeper->attach->has_changes &&
			 keeper->attach->changes.record.mechanism == CHANGES_FOLDER;
	for (;;) {
		int wait_ms = !keeper->has_done_chores && keeper->attach->has_changes
				      ? CHORES_AFTER_MS
			      : is_folder ? WATCH_MS
					  : -1;
		int n = poll(fds, 2, is_folder ? MIN(wait_ms, WATCH_MS) : wait_ms);
		if (n < 0 && errno != EINTR)
			return -1;
		/* Without answers nothing could be opened any more; without us, all of it could. */
		if (n > 0 && fds[1].revents && late_answer(&keeper->late) != 0)
			return -1;
		int r = n > 0 && fds[0].revents ? look_at_engine(keeper) : 0;
		if (r != 0)
			return r;
		watch_folder(keeper);
		if (n == 0)
			do_chores(keeper);
	}
}

/* The sandbox dies with its monitor, but not in the same instant; questions are answered on. */
static void outwait_sandbox(struct keeper *keeper)
{
	uint64_t end_ns = clock_ns(CLOCK_MONOTONIC) + DYING_MS * UINT64_C(1000000);
	struct pollfd fds[] = { { .fd = keeper->attach->pidfd, .events = POLLIN },
				{ .fd = keeper->attach->late_fd, .events = POLLIN } };
	while (clock_ns(CLOCK_MONOTONIC) < end_ns) {
		int n = poll(fds, 2, 100);
		if (n > 0 && fds[1].revents)
			(void)late_answer(&keeper->late);
		if (n > 0 && fds[0].revents)
			return;
	}
}

/* Copied up by a rename, a late secret lies in the set: who shows or uses the set is told. */
static int list_late(struct keeper *keeper, struct error *err)
{
	struct changes *changes = &keeper->attach->changes;
	struct buf hidden = BUF_INIT(CHANGES_MAX_HIDDEN_BYTES);
	int r = keeper->attach->late_fd < 0 ? 0 : changes_hidden_read(changes, &hidden, err);
	size_t len = hidden.len;
	if (r == 0 && keeper->attach->late_fd >= 0)
		late_list(&keeper->late, &hidden);
	if (r == 0 && hidden.len > len && buf_is_whole(&hidden))
		r = changes_hidden_write(changes, &hidden, err);
	buf_fini(&hidden);
	return r;
}

static void finish(struct keeper *keeper, bool was_lost, struct keeper_report *report)
{
	struct changes *changes = &keeper->attach->changes;
	struct changes_usage usage;
	struct error err = { 0 };
	int r;
	if (!keeper->attach->has_changes)
		return;
	changes_usage_read(changes, keeper->folder_fd, &usage);
	report->n_changed = usage.n_changed;
	report->bytes = usage.bytes;
	report->inodes = usage.inodes;
	report->is_whole = usage.is_whole;
	report->is_kept = usage.n_changed > 0 || !usage.is_whole || !keeper->attach->is_fresh;
	if (!report->is_kept) {
		r = changes_erase(changes, &err);
	} else {
		changes->record.state = CHANGES_STOPPED;
		changes->record.ended_realtime_ns = clock_ns(CLOCK_REALTIME);
		changes->record.n_changed = usage.n_changed;
		changes->record.was_lost = changes->record.was_lost || was_lost;
		(void)!policy_digest(keeper->attach->policy, changes->record.policy_digest, &err);
		error_clear(&err);
		if ((r = list_late(keeper, &err)) == 0)
			r = changes_write(changes, &err);
	}
	report->has_failed = r < 0;
}

_Noreturn void keeper_main(struct attach *attach, int engine_fd)
{
	struct keeper keeper = {
		.attach = attach,
		.engine_fd = engine_fd,
		.folder_fd = -1,
		.spare_fd = -1,
	};
	struct keeper_report report = { .is_kept = false };
	settle(&keeper);
	prepare_late(&keeper);
	bool was_lost = wait_for_end(&keeper) < 0;
	if (was_lost)
		outwait_sandbox(&keeper);
	finish(&keeper, was_lost, &report);
	report.n_late = keeper.late.n_refused;
	(void)send(engine_fd, &report, sizeof(report), MSG_NOSIGNAL);
	do_chores(&keeper);
	/*
	 * No name is touched any more, which is what the monitor waits for.  Whoever opens the set
	 * next waits for its lock, which goes with this process.
	 */
	fd_close(&engine_fd);
	changes_close(&keeper.attach->changes);
	if (keeper.spare_fd >= 0)
		(void)fdatasync(keeper.spare_fd);
	_exit(0);
}
