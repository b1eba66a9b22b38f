/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reclaim.c - end and remove what monitors that were killed left behind
 *
 * The pid of foso-init is trusted only together with its start time: the number may be somebody
 * else's by now.  A pidfd is taken before the time is compared, so the process that is killed is
 * the one that was looked at.  Its death ends all of its pid namespace.
 */
#include "limits/reclaim.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "limits/cgroup.h"
#include "wire/rundir.h"

/* A folder without a state is being made, for as long as this. */
#define BIRTH_SECONDS 10
#define DEATH_MS      2000
#define MAX_ORPHANS   256

struct reclaim {
	int run_dir_fd;
	const struct reclaim_options *options;
	struct error_list *leftovers;
	struct cgroup_host host;
	size_t n_orphans;
	char orphans[MAX_ORPHANS][RUNDIR_ID_BYTES];
};

/* A pidfd of the sandbox's foso-init; -1 if it is gone. */
static int init_open(const struct rundir_state *state)
{
	if (state->init_pid <= 1)
		return -1;
	auto_fd int fd = sys_pidfd_open(state->init_pid);
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	/* One that its new parent has not waited for yet is dead all the same. */
	if (fd >= 0 && poll(&poll_fd, 1, 0) > 0)
		return -1;
	if (fd < 0 || rundir_start_ticks(state->init_pid) != state->init_start_ticks)
		return -1;
	return take_fd(&fd);
}

static bool init_kill(int pidfd, const char *id, struct error_list *leftovers)
{
	struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };
	int r = sys_pidfd_send_signal(pidfd, SIGKILL);
	if (r == 0 || errno == ESRCH) {
		r = poll(&poll_fd, 1, DEATH_MS);
		if (r > 0)
			return true;
		errno = ETIMEDOUT;
	}
	struct error *err = error_list_next(leftovers);
	r = error_set(err, ERR_SYSTEM, errno, id, "foso-init does not end");
	(void)error_remedy(err, r, "look for a process in state D, and run foso gc again");
	return false;
}

static bool is_being_born(int run_dir_fd, const struct rundir_entry *entry)
{
	struct stat status;
	if (entry->has_state || fstatat(run_dir_fd, entry->id, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	return time(NULL) - status.st_mtime < BIRTH_SECONDS;
}

/* One at a time: others may have found it too, and its record is written once. */
static int take_over(const struct reclaim *reclaim, const struct rundir_entry *entry)
{
	auto_fd int fd = openat(reclaim->run_dir_fd, entry->id,
				O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
	return fd < 0 || flock(fd, LOCK_EX | LOCK_NB) < 0 ? -1 : take_fd(&fd);
}

static void remove_all(struct reclaim *reclaim, const struct rundir_entry *entry, int pidfd,
		       struct reclaim_item *item)
{
	size_t n_before = reclaim->leftovers->n_errors;
	if (pidfd >= 0 && !init_kill(pidfd, entry->id, reclaim->leftovers))
		return;
	item->n_groups = cgroup_reclaim(&reclaim->host, entry->id, reclaim->leftovers);
	/* The state stays until all else is gone: it is how the next gc finds the sandbox. */
	if (reclaim->leftovers->n_errors > n_before)
		return;
	struct error err = { .code = ERR_NONE };
	bool has_record = !reclaim->options->lost || !entry->has_state ||
			  reclaim->options->lost(reclaim->run_dir_fd, entry, &err) == 0;
	item->is_removed = has_record && rundir_remove(reclaim->run_dir_fd, entry->id, &err) == 0;
	if (!item->is_removed)
		*error_list_next(reclaim->leftovers) = err;
}

static int found_folder(const struct rundir_entry *entry, void *context)
{
	struct reclaim *reclaim = context;
	if (entry->is_alive || is_being_born(reclaim->run_dir_fd, entry))
		return 0;
	bool is_locked = entry->has_state && !reclaim->options->is_dry_run;
	auto_fd int lock_fd = is_locked ? take_over(reclaim, entry) : -1;
	if (is_locked && lock_fd < 0)
		return 0;
	auto_fd int pidfd = entry->has_state ? init_open(&entry->state) : -1;
	struct reclaim_item item = { .id = entry->id, .has_init = pidfd >= 0, .has_folder = true };
	if (!reclaim->options->is_dry_run)
		remove_all(reclaim, entry, pidfd, &item);
	reclaim->options->found(&item, reclaim->options->context);
	return 0;
}

static void found_group(const char *id, void *context)
{
	struct reclaim *reclaim = context;
	if (faccessat(reclaim->run_dir_fd, id, F_OK, AT_SYMLINK_NOFOLLOW) == 0)
		return;
	if (reclaim->n_orphans < MAX_ORPHANS && rundir_id_is_valid(id))
		(void)snprintf(reclaim->orphans[reclaim->n_orphans++], RUNDIR_ID_BYTES, "%s", id);
}

static void reclaim_orphans(struct reclaim *reclaim)
{
	const struct reclaim_options *options = reclaim->options;
	bool is_dry_run = options->is_dry_run || !options->with_orphans;
	cgroup_list_ids(&reclaim->host, found_group, reclaim);
	for (size_t i = 0; i < reclaim->n_orphans; i++) {
		struct reclaim_item item = { .id = reclaim->orphans[i] };
		size_t n_before = reclaim->leftovers->n_errors;
		if (!is_dry_run) {
			item.n_groups = cgroup_reclaim(&reclaim->host, item.id, reclaim->leftovers);
			item.is_removed = reclaim->leftovers->n_errors == n_before;
		}
		options->found(&item, options->context);
	}
}

int reclaim_all(int run_dir_fd, const struct reclaim_options *options, struct error_list *leftovers,
		struct error *err)
{
	struct reclaim reclaim = {
		.run_dir_fd = run_dir_fd,
		.options = options,
		.leftovers = leftovers,
	};
	cgroup_host_probe(&reclaim.host);
	int r = rundir_scan(run_dir_fd, found_folder, &reclaim, err);
	if (r == 0)
		reclaim_orphans(&reclaim);
	return r;
}
