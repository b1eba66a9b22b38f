/* SPDX-License-Identifier: Apache-2.0 */
/* keep.c - foso discard and foso fork */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "workspacetool/commands.h"
#include "workspacetool/copy.h"
#include "workspacetool/show.h"

#define MAX_FORKS 100

int command_discard(const struct args *args, struct error *err)
{
	CLEANUP(workspace_fini) struct workspace workspace;
	char id[CHANGES_ID_BYTES], path[CHANGES_MAX_PATH_BYTES + 1];
	workspace_init(&workspace);
	int r = workspace_open(&workspace, args->id, false, false, err);
	if (r == 0 && workspace.changes.record.state == CHANGES_COMMITTING) {
		r = error_set(err, ERR_REFUSED, 0, workspace.changes.record.id,
			      "a commit of it was interrupted, and the folder is half-way");
		return error_remedy(err, r, "run foso commit --resume or --rollback first");
	}
	if (r < 0)
		return r;
	memcpy(id, workspace.changes.record.id, sizeof(id));
	memcpy(path, workspace.changes.record.path, sizeof(path));
	r = changes_remove(&workspace.changes, err);
	if (r < 0)
		return r;
	(void)printf("discarded the changes of %s in ", id);
	show_path(path, strlen(path));
	(void)putchar('\n');
	return 0;
}

/* A copy of the host's own file of redacted paths. */
static int copy_hidden(struct workspace *workspace, struct changes *copy, struct error *err)
{
	if (workspace->hidden_entries.len == 0)
		return 0;
	return changes_hidden_write(copy, &workspace->hidden_entries, err);
}

static int fill_copy(struct workspace *workspace, struct changes *copy, struct error *err)
{
	int r = 0;
	if (copy->record.mechanism == CHANGES_FOLDER)
		r = copy_tree(workspace->changes.upper_fd, copy->upper_fd, copy->record.id, err);
	if (r == 0)
		r = copy_hidden(workspace, copy, err);
	if (r < 0)
		return r;
	copy->record.state = CHANGES_STOPPED;
	return changes_write(copy, err);
}

/* "IDf1", "IDf2", ...: the first that is free from *at on. */
static int make_copy(struct workspace *workspace, unsigned *at, struct changes *ret,
		     struct error *err)
{
	struct changes_record record = workspace->changes.record;
	bool is_disk = record.mechanism == CHANGES_DISK;
	const struct changes_options options = { .wants_folder = !is_disk,
						 .copy_of = is_disk ? &workspace->changes : NULL };
	memcpy(record.parent, workspace->changes.record.id, sizeof(record.parent));
	for (;; (*at)++) {
		int n = snprintf(record.id, sizeof(record.id), "%sf%u", record.parent, *at);
		if (n < 0 || (size_t)n >= sizeof(record.id)) {
			int r = error_set(err, ERR_LIMIT, 0, record.parent,
					  "a copy of it would have too long an ID");
			return error_remedy(err, r, "fork the run that it was forked from");
		}
		int r = changes_create(workspace->store_fd, &record, &options, ret, err);
		if (r == 0 || err->code != ERR_EXISTS)
			return r;
		error_clear(err);
	}
}

static int fork_once(struct workspace *workspace, unsigned *at, struct error *err)
{
	struct error later = { 0 };
	struct changes copy = CHANGES_CLOSED;
	int r = make_copy(workspace, at, &copy, err);
	if (r < 0)
		return r;
	r = fill_copy(workspace, &copy, err);
	if (r < 0) {
		if (changes_remove(&copy, &later) < 0)
			error_print(stderr, &later);
		return r;
	}
	(void)printf("%s\n", copy.record.id);
	changes_close(&copy);
	(*at)++;
	return 0;
}

int command_fork(const struct args *args, struct error *err)
{
	CLEANUP(workspace_fini) struct workspace workspace;
	uint64_t n = 1;
	unsigned at = 1;
	int r;
	workspace_init(&workspace);
	if (args->number && (!text_parse_u64(args->number, &n) || n == 0 || n > MAX_FORKS)) {
		r = error_set(err, ERR_INVALID, 0, "--number", "'%s' is no number of copies",
			      args->number);
		return error_remedy(err, r, "write a number from 1 to %d", MAX_FORKS);
	}
	r = workspace_open(&workspace, args->id, false, false, err);
	if (r == 0 && workspace.changes.record.state == CHANGES_COMMITTING) {
		r = error_set(err, ERR_REFUSED, 0, args->id,
			      "a commit of it was interrupted, and the folder is half-way");
		return error_remedy(err, r, "run foso commit --resume or --rollback first");
	}
	for (uint64_t i = 0; r == 0 && i < n; i++)
		r = fork_once(&workspace, &at, err);
	return r;
}
