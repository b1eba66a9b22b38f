/* SPDX-License-Identifier: Apache-2.0 */
/* diff.c - foso diff */
#include "base/cleanup.h"
#include "workspacetool/commands.h"
#include "workspacetool/exec.h"
#include "workspacetool/git_config.h"
#include "workspacetool/show.h"

static void print_exec_paths(void)
{
	const char *pattern, *reason;
	for (unsigned i = 1; i < exec_n_reasons(); i++)
		(void)printf("%-28s %s\n", exec_reason_pattern(i), exec_reason_words(i));
	(void)printf("\nKeys of a git config:\n");
	for (size_t i = 0; git_key(i, &pattern, &reason); i++)
		(void)printf("%-28s %s\n", pattern, reason);
}

static int show(struct workspace *workspace, const struct args *args, const struct set *set,
		const struct workspace_notes *notes, struct error *err)
{
	CLEANUP(show_fini) struct show show = { 0 };
	int r = show_init(&show, workspace, set, notes, err);
	if (r < 0)
		return r;
	if (args->is_json)
		return show_json(&show, err);
	if (args->is_patch)
		return show_patch(&show, err);
	if (args->is_stat)
		return show_stat(&show, err);
	show_list(&show);
	return 0;
}

int command_diff(const struct args *args, struct error *err)
{
	CLEANUP(workspace_fini) struct workspace workspace;
	CLEANUP(set_fini) struct set set = { 0 };
	CLEANUP(workspace_notes_fini) struct workspace_notes notes = { 0 };
	workspace_init(&workspace);
	if (args->is_exec_paths) {
		print_exec_paths();
		return 0;
	}
	if (args->is_list)
		return command_list(args, err);
	int r = workspace_open(&workspace, args->id, true, true, err);
	if (r == 0 && workspace.changes.record.state == CHANGES_COMMITTING) {
		r = error_set(err, ERR_REFUSED, 0, workspace.changes.record.id,
			      "a commit of it was interrupted, and the folder is half-way");
		return error_remedy(err, r, "run foso commit --resume or --rollback first");
	}
	if (r == 0)
		r = workspace_compare(&workspace, &set, &notes, err);
	if (r == 0)
		r = show(&workspace, args, &set, &notes, err);
	/* Only now was it shown. */
	if (r == 0)
		r = set_save(&set, workspace.changes.dir_fd, WORKSPACE_SHOWN, err);
	return r;
}
