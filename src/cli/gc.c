/* SPDX-License-Identifier: Apache-2.0 */
/* gc.c - foso gc: remove what dead monitors left behind, and say what it was */
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/data.h"
#include "cli/cli.h"
#include "evidence/lost.h"
#include "levels/wasm/wasm.h"
#include "limits/reclaim.h"
#include "wire/rundir.h"
#include "workspace/changes.h"

struct gc {
	bool is_dry_run;
	size_t n_found, n_removed;
};

static void tell(const struct reclaim_item *item, void *context)
{
	struct gc *gc = context;
	gc->n_found++;
	gc->n_removed += item->is_removed;
	(void)printf("%s: %s%s%s", item->id, item->has_folder ? "its monitor is dead" : "",
		     item->has_init ? ", processes were alive" : "",
		     item->has_folder ? "" : "control groups without a run folder");
	if (item->n_groups > 0)
		(void)printf(", %zu control group%s", item->n_groups,
			     item->n_groups == 1 ? "" : "s");
	(void)printf("; %s\n", item->is_removed                       ? "removed"
			       : !item->has_folder && !gc->is_dry_run ? "left (--orphans removes)"
								      : "left");
}

static void tell_changes(const struct changes_reclaim_item *item, void *context)
{
	struct gc *gc = context;
	const char *done = gc->is_dry_run ? "left" : "removed";
	gc->n_found += item->is_removed;
	gc->n_removed += item->is_removed && !gc->is_dry_run;
	(void)printf("%s: %s\n", item->id,
		     item->is_removed
			     ? done
			     : "its monitor was killed; its changes are kept, see foso diff");
}

/* Change sets lie elsewhere; who has no place for data has none of them. */
static int reclaim_changes(struct gc *gc, struct error_list *leftovers, struct error *err)
{
	char path[DATA_PATH_BYTES];
	auto_fd int store_fd = -1;
	int r = data_path("workspaces", path, err);
	if (r == -ERR_NOT_FOUND || (r == 0 && faccessat(AT_FDCWD, path, F_OK, 0) < 0)) {
		error_clear(err);
		return 0;
	}
	if (r == 0)
		r = changes_store_open(&store_fd, err);
	return r < 0 ? r
		     : changes_reclaim(store_fd, gc->is_dry_run, tell_changes, gc, leftovers, err);
}

/* Compiled modules of level wasm: what was used longest ago, beyond the bound. */
static void trim_modules(struct gc *gc, struct error_list *leftovers)
{
	struct wasm_cache_trimmed trimmed;
	struct error err = { 0 };
	auto_fd int folder_fd = -1;
	if (wasm_cache_open_existing(&folder_fd, &err) < 0)
		*error_list_next(leftovers) = err;
	if (folder_fd < 0)
		return;
	wasm_cache_trim(folder_fd, WASM_CACHE_BYTES, gc->is_dry_run, &trimmed);
	if (trimmed.n_modules == 0)
		return;
	gc->n_found += trimmed.n_modules;
	gc->n_removed += gc->is_dry_run ? 0 : trimmed.n_modules;
	(void)printf("modules: %zu compiled module%s of %llu KiB; %s\n", trimmed.n_modules,
		     trimmed.n_modules == 1 ? "" : "s", (unsigned long long)trimmed.bytes / 1024,
		     gc->is_dry_run ? "left" : "removed");
}

int command_gc(struct cli *cli, int *ret_status, struct error *err)
{
	struct gc gc = { .is_dry_run = false };
	struct reclaim_options reclaim = { .lost = evidence_lost_record,
					   .found = tell,
					   .context = &gc };
	struct option option;
	int r;
	while ((r = options_next(&cli->options, &option, err)) == 0) {
		if (option.row->id == OPTION_DRY_RUN)
			gc.is_dry_run = reclaim.is_dry_run = true;
		else if (option.row->id == OPTION_ORPHANS)
			reclaim.with_orphans = true;
	}
	if (r > 0)
		r = options_operands(&cli->options, 0, 0, "[OPTION]...", err);
	auto_fd int dir_fd = -1;
	if (r == 0)
		r = rundir_open(&dir_fd, err);
	not_zeroed struct error_list leftovers;
	leftovers.n_errors = leftovers.n_lost = 0;
	if (r == 0)
		r = reclaim_all(dir_fd, &reclaim, &leftovers, err);
	if (r == 0)
		r = reclaim_changes(&gc, &leftovers, err);
	if (r < 0)
		return r;
	trim_modules(&gc, &leftovers);
	for (size_t i = 0; i < leftovers.n_errors; i++)
		error_print(stderr, &leftovers.items[i]);
	(void)printf("%zu left over, %zu removed\n", gc.n_found, gc.n_removed);
	*ret_status = leftovers.n_errors > 0 ? error_code_exit_status(ERR_SYSTEM) : 0;
	return 0;
}
