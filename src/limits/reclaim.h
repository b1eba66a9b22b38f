/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reclaim.h - end and remove what monitors that were killed left behind
 *
 * A sandbox whose monitor is gone can be told by its run folder, whose lock nobody holds.  What
 * may be left: processes below foso-init, control groups, the run folder.  Mounts and namespaces
 * go with the last process.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "wire/rundir.h"

/* One sandbox that is left over. */
struct reclaim_item {
	const char *id;
	bool has_init;   /* foso-init still ran, and with it perhaps others */
	bool has_folder; /* in the run directory; false: only control groups were found */
	bool is_removed; /* false on a dry run, or if not all could be removed */
	size_t n_groups; /* control groups that were removed */
};

struct reclaim_options {
	bool is_dry_run;
	/*
	 * Take control groups without a run folder for left over.  Not safe where a user has two
	 * run directories (with and without $XDG_RUNTIME_DIR): sandboxes of the other are alive.
	 */
	bool with_orphans;
	/* Called for each that has a folder before that is removed; if it fails, the folder stays.
	 */
	int (*lost)(int run_dir_fd, const struct rundir_entry *entry, struct error *err);
	void (*found)(const struct reclaim_item *item, void *context); /* called for each */
	void *context;
};

/*
 * reclaim_all() - every sandbox of this user's that is left over
 * @run_dir_fd:  of rundir_open(), borrowed
 *
 * Goes on after a failure; what stays is in @leftovers.  Returns 0, or -ERR_SYSTEM if the run
 * directory cannot be read.
 */
int reclaim_all(int run_dir_fd, const struct reclaim_options *options, struct error_list *leftovers,
		struct error *err) must_check;
