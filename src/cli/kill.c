/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill.c - foso kill: end sandboxes, with every process in them
 *
 * The monitor is asked by a signal and ends its sandbox itself, so that the record of the run is
 * written.  The pid is that of a living monitor because the lock on the sandbox's state is held;
 * a pidfd is taken first and the lock looked at afterwards, so that the number cannot become
 * somebody else's in between.  A monitor that does not end in time is killed, and the rest is
 * removed as foso gc does.
 */
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "cli/cli.h"
#include "evidence/lost.h"
#include "limits/reclaim.h"
#include "wire/rundir.h"

/* A monitor has a grace of 1 s for its sandbox; the rest is for writing the evidence. */
#define END_MS 10000

/* What a scan looks for, and what it found. */
struct search {
	const char *id;
	struct rundir_entry entry;
};

static int match(const struct rundir_entry *entry, void *context)
{
	struct search *search = context;
	if (strcmp(entry->id, search->id) != 0)
		return 0;
	search->entry = *entry;
	return 1;
}

static void ignore(const struct reclaim_item *item, void *context)
{
	UNUSED(item);
	UNUSED(context);
}

/* Removes what is left of all sandboxes whose monitors are dead. */
static int reclaim(int dir_fd, struct error *err)
{
	const struct reclaim_options options = { .lost = evidence_lost_record, .found = ignore };
	not_zeroed struct error_list leftovers;
	leftovers.n_errors = leftovers.n_lost = 0;
	int r = reclaim_all(dir_fd, &options, &leftovers, err);
	if (r == 0 && leftovers.n_errors > 0) {
		*err = leftovers.items[0];
		r = -(int)err->code;
	}
	return r;
}

/* Asks the monitor, then makes sure. */
static int end_monitor(int dir_fd, const char *id, int pidfd, struct error *err)
{
	struct pollfd end = { .fd = pidfd, .events = POLLIN };
	if (sys_pidfd_send_signal(pidfd, RUNDIR_KILL_SIGNAL) < 0 && errno != ESRCH) {
		int r = error_set(err, ERR_DENIED, errno, id, "its monitor cannot be signalled");
		return error_remedy(err, r, "run foso kill as the user who started it");
	}
	if (poll(&end, 1, END_MS) > 0)
		return 0;
	(void)sys_pidfd_send_signal(pidfd, SIGKILL);
	(void)poll(&end, 1, END_MS);
	return reclaim(dir_fd, err);
}

static int kill_one(int dir_fd, const char *id, struct error *err)
{
	struct search search = { .id = id };
	int r = rundir_scan(dir_fd, match, &search, err);
	if (r == 0) {
		r = error_set(err, ERR_NOT_FOUND, 0, id, "no sandbox of this user has this id");
		return error_remedy(err, r, "foso ps lists the ids");
	}
	if (r < 0)
		return r;
	auto_fd int pidfd = sys_pidfd_open(search.entry.state.monitor_pid);
	r = rundir_scan(dir_fd, match, &search, err);
	if (r <= 0)
		return r; /* It ended by itself meanwhile. */
	if (!search.entry.is_alive || pidfd < 0)
		return reclaim(dir_fd, err);
	return end_monitor(dir_fd, id, pidfd, err);
}

/* What went wrong is told as it comes, and the next one is tried. */
static void kill_and_tell(int dir_fd, const char *id, int *status)
{
	struct error err = { .code = ERR_NONE };
	if (kill_one(dir_fd, id, &err) < 0) {
		error_print(stderr, &err);
		*status = error_code_exit_status(err.code);
	}
}

struct all {
	int dir_fd;
	int status;
};

static int kill_found(const struct rundir_entry *entry, void *context)
{
	struct all *all = context;
	kill_and_tell(all->dir_fd, entry->id, &all->status);
	return 0;
}

int command_kill(struct cli *cli, int *ret_status, struct error *err)
{
	auto_fd int dir_fd = -1;
	struct option option;
	bool is_all = false;
	int r;
	while ((r = options_next(&cli->options, &option, err)) == 0)
		is_all = is_all || option.row->id == OPTION_ALL;
	if (r < 0)
		return r;
	char **ids = cli->options.words + cli->options.at;
	if (is_all == (ids[0] != NULL)) {
		r = error_set(err, ERR_INVALID, 0, "kill", "%s",
			      is_all ? "both --all and an id were given" : "no id was given");
		return error_remedy(err, r, "write foso kill ID... or foso kill --all");
	}
	r = rundir_open(&dir_fd, err);
	if (r < 0)
		return r;
	struct all all = { .dir_fd = dir_fd };
	if (is_all)
		r = rundir_scan(dir_fd, kill_found, &all, err);
	for (; *ids; ids++)
		kill_and_tell(dir_fd, *ids, &all.status);
	*ret_status = all.status;
	return r;
}
