/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commit.c - foso commit
 *
 * What is written when: the plan and the journal; the new versions beside their places, all of
 * them; on disk; "apply"; the exchanges; on disk; "final"; the old versions go; the journal goes.
 * Up to "final" all can be undone, and a failure is undone at once; from "apply" on all can be
 * finished.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "workspacetool/apply.h"
#include "workspacetool/commands.h"
#include "workspacetool/exec.h"
#include "workspacetool/show.h"

#define MAX_SYNCED_EACH 16

static void commit_fini(struct commit *commit)
{
	journal_close(&commit->journal);
	plan_fini(&commit->plan);
	tree_let_go(&commit->from);
	tree_let_go(&commit->to);
	tree_let_go(&commit->made);
	ahead_fini(&commit->ahead);
	free(commit->chunk);
}

static int commit_init(struct commit *commit, struct workspace *workspace, struct error *err)
{
	struct stat status;
	commit->workspace = workspace;
	if (fstat(workspace->host_fd, &status) < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, workspace->changes.record.path,
				  "cannot be looked at");
		return error_remedy(err, r, "see who may read it");
	}
	commit->uid = status.st_uid;
	commit->gid = status.st_gid;
	return 0;
}

static size_t count_written(const struct plan *plan)
{
	size_t n = 0;
	for (size_t i = 0; i < plan->n_ops; i++)
		n += plan->ops[i].end - plan->ops[i].entry;
	return n;
}

/* ---- forward and back ---- */

static int stage_all(struct commit *commit, struct error *err)
{
	int r = 0;
	/* Resumed, all of it again: what was made before a crash may not have reached the disk. */
	for (uint32_t i = 0; r == 0 && i < commit->plan.n_ops; i++)
		r = stage_op(commit, i, err);
	if (r == 0)
		r = apply_sync(commit, err);
	return r == 0 ? journal_enter(&commit->journal, JOURNAL_APPLY, err) : r;
}

static int apply_all(struct commit *commit, struct error *err)
{
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < commit->plan.n_ops; i++)
		r = apply_op(commit, i, err);
	if (r == 0)
		r = apply_sync(commit, err);
	return r == 0 ? journal_enter(&commit->journal, JOURNAL_FINAL, err) : r;
}

/* The record goes first: a journal counts only while it says that a commit is half-way. */
static int end(struct commit *commit, enum changes_state state, struct error *err)
{
	struct changes *changes = &commit->workspace->changes;
	changes->record.state = state;
	int r = changes_write(changes, err);
	return r == 0 ? journal_remove(changes->dir_fd, err) : r;
}

/* Undone in the opposite order; what cannot be is named, and the rest is undone all the same. */
static int undo_all(struct commit *commit, struct error *err)
{
	int r = journal_enter(&commit->journal, JOURNAL_UNDO, err);
	if (r < 0)
		return r;
	for (size_t i = commit->plan.n_ops; i-- > 0;) {
		struct error own = { 0 };
		if (undo_op(commit, (uint32_t)i, &own) < 0 && r == 0) {
			*err = own;
			r = -(int)own.code;
		}
	}
	return r == 0 ? end(commit, CHANGES_STOPPED, err) : r;
}

/* A set of which all is on the host now has nothing more to give. */
static enum changes_state final_state(const struct commit *commit)
{
	const struct set *set = commit->plan.set;
	for (size_t i = 0; i < set->n_entries; i++)
		if (commit->plan.choices[i] != CHOICE_NONE && commit->plan.choices[i] != CHOICE_IN)
			return CHANGES_STOPPED;
	return CHANGES_COMMITTED;
}

/* From where the journal is to the end; *ret_is_undone if a failure was undone. */
static int go_forward(struct commit *commit, bool *ret_is_undone, struct error *err)
{
	struct error later = { 0 };
	int r = 0;
	*ret_is_undone = false;
	if (commit->journal.phase == JOURNAL_STAGE)
		r = stage_all(commit, err);
	if (r == 0 && commit->journal.phase == JOURNAL_APPLY)
		r = apply_all(commit, err);
	if (r < 0) {
		*ret_is_undone = undo_all(commit, &later) == 0;
		return r;
	}
	for (uint32_t i = 0; r == 0 && i < commit->plan.n_ops; i++)
		r = tidy_op(commit, i, err);
	return r == 0 ? end(commit, final_state(commit), err) : r;
}

/* ---- what is said ---- */

static void print_left_out(const struct set *set, const uint8_t *choices)
{
	size_t n_unasked = 0, n_shown = 0;
	for (size_t i = 0; i < set->n_entries; i++) {
		const struct entry *entry = &set->entries[i];
		enum choice choice = (enum choice)choices[i];
		n_unasked += choice == CHOICE_UNASKED;
		if (choice == CHOICE_NONE || choice == CHOICE_IN || choice == CHOICE_UNASKED)
			continue;
		if (n_shown++ == 0)
			(void)printf("stayed out:\n");
		(void)printf("  ");
		show_path(entry->path, entry->path_len);
		if (choice == CHOICE_HELD && entry->flags & ENTRY_EXECUTES)
			(void)printf(": %s\n", exec_reason_words(entry->reason));
		else if (choice == CHOICE_NEVER)
			(void)printf(": %s\n", show_why_not(entry));
		else
			(void)printf(": %s\n", plan_choice_words(choice));
	}
	if (n_unasked > 0)
		(void)printf("%zu %s not asked for\n", n_unasked, n_unasked == 1 ? "was" : "were");
}

/* Names of one file in the sandbox that are not names of one file on the host. */
static void print_links(const struct commit *commit)
{
	const struct set *set = commit->plan.set;
	size_t n_shown = 0;
	for (uint32_t i = 0; i < set->n_entries; i++) {
		const struct entry *entry = &set->entries[i];
		size_t n;
		if (commit->plan.choices[i] != CHOICE_IN || !links_counts(entry) ||
		    entry->upper.n_links < 2)
			continue;
		(void)links_find(&commit->plan.links, set, i, &n);
		if (n == entry->upper.n_links)
			continue;
		if (n_shown++ == 0)
			(void)printf("hard links that were not kept:\n");
		(void)printf("  ");
		show_path(entry->path, entry->path_len);
		(void)printf(": of its %u names, %zu %s committed\n", entry->upper.n_links, n,
			     n == 1 ? "was" : "were");
	}
	if (commit->n_copies > 0)
		(void)printf("%zu hard link%s could not be made here, and became files of their "
			     "own\n",
			     commit->n_copies, commit->n_copies == 1 ? "" : "s");
	if (commit->n_bare > 0)
		(void)printf("%zu lost the attributes that it had in the sandbox: this file system "
			     "keeps none\n",
			     commit->n_bare);
}

static void print_end(const struct commit *commit)
{
	const struct changes_record *record = &commit->workspace->changes.record;
	size_t n = 0;
	for (size_t i = 0; i < commit->plan.set->n_entries; i++)
		n += commit->plan.choices[i] == CHOICE_IN;
	(void)printf("committed %zu change%s of %s to ", n, n == 1 ? "" : "s", record->id);
	show_path(record->path, strlen(record->path));
	(void)putchar('\n');
	print_left_out(commit->plan.set, commit->plan.choices);
	print_links(commit);
	show_folder_attributes(commit->plan.set);
}

/* ---- a commit that begins ---- */

static int refuse_stale(const char *path, bool is_host, struct error *err)
{
	int r = error_set(err, ERR_REFUSED, 0, path, "was changed %s since it was shown",
			  is_host ? "on the host" : "in the change set");
	return error_remedy(err, r, "run foso diff again, and commit what it shows");
}

/* Both sides are now as the last diff saw them. */
static int check_fresh(struct workspace *workspace, const struct set *shown, struct error *err)
{
	static struct walk_difference difference;
	int r = walk_again(&workspace->sides, shown, &difference, err);
	return r > 0 ? refuse_stale(difference.path, difference.is_host, err) : r;
}

/* Without a diff before it, a commit shows what it is going to do. */
static int show_first(struct workspace *workspace, struct set *ret, struct error *err)
{
	CLEANUP(show_fini) struct show show = { 0 };
	CLEANUP(workspace_notes_fini) struct workspace_notes notes = { 0 };
	int r = workspace_compare(workspace, ret, &notes, err);
	if (r == 0)
		r = show_init(&show, workspace, ret, &notes, err);
	if (r < 0)
		return r;
	show_list(&show);
	(void)fflush(stdout);
	return 0;
}

static int load_shown(struct workspace *workspace, struct set *ret, struct error *err)
{
	int r = set_load(ret, workspace->changes.dir_fd, WORKSPACE_SHOWN, err);
	if (r == 0)
		return check_fresh(workspace, ret, err);
	if (err->code != ERR_NOT_FOUND)
		return r;
	error_clear(err);
	return show_first(workspace, ret, err);
}

static int check_conflicts(const struct set *set, const uint8_t *choices, struct error *err)
{
	const struct entry *first = NULL;
	size_t n = 0;
	for (size_t i = 0; i < set->n_entries; i++) {
		const struct entry *entry = &set->entries[i];
		if (choices[i] != CHOICE_IN || !(entry->flags & ENTRY_CONFLICT))
			continue;
		if (n++ == 0)
			first = entry;
		(void)printf("conflict: ");
		show_path(entry->path, entry->path_len);
		(void)putchar('\n');
	}
	if (!first)
		return 0;
	int r = error_set(err, ERR_REFUSED, 0, first->path,
			  n == 1 ? "was changed on the host since the sandbox started"
				 : "and %zu more: changed on the host since the sandbox started",
			  n - 1);
	return error_remedy(err, r,
			    "leave out what the host keeps (--except GLOB), or take the "
			    "sandbox's (--overwrite)");
}

static int begin(struct commit *commit, const struct set *set, const uint8_t *choices,
		 struct error *err)
{
	struct changes *changes = &commit->workspace->changes;
	/* One that is over, but was not removed, must not be taken for the new one. */
	int r = journal_remove(changes->dir_fd, err);
	changes->record.state = CHANGES_COMMITTING;
	if (r == 0)
		r = changes_write(changes, err);
	if (r == 0)
		r = set_save(set, changes->dir_fd, WORKSPACE_PLAN, err);
	if (r == 0)
		r = journal_create(&commit->journal, changes->dir_fd, set, choices, err);
	return r;
}

static int explain_undone(struct error *err, int result, bool is_undone)
{
	if (is_undone)
		(void)fprintf(stderr, "foso: the commit was undone: the folder is as it was\n");
	else
		(void)fprintf(stderr, "foso: the commit is half-way: foso commit --rollback or "
				      "--resume\n");
	UNUSED(err);
	return result;
}

static int apply_set(struct workspace *workspace, const struct args *args, const struct set *set,
		     struct error *err)
{
	CLEANUP(commit_fini) struct commit commit = COMMIT_NONE;
	const struct choose choose = { args->only, args->except, args->n_only, args->n_except,
				       args->allows_exec_paths };
	auto_free uint8_t *choices = calloc(set->n_entries + 1, 1);
	bool is_undone;
	int r = commit_init(&commit, workspace, err);
	if (r < 0)
		return r;
	if (!choices) {
		r = error_set(err, ERR_SYSTEM, ENOMEM, "change set", "does not fit into memory");
		return error_remedy(err, r, "free some memory");
	}
	plan_choose(set, &choose, choices);
	if (!args->is_overwrite && (r = check_conflicts(set, choices, err)) < 0)
		return r;
	if ((r = plan_init(&commit.plan, set, choices, err)) < 0 ||
	    (r = begin(&commit, set, choices, err)) < 0)
		return r;
	commit.syncs_each = count_written(&commit.plan) <= MAX_SYNCED_EACH;
	r = go_forward(&commit, &is_undone, err);
	if (r < 0)
		return explain_undone(err, r, is_undone);
	/* The host is another one now: what was shown is over. */
	(void)unlinkat(workspace->changes.dir_fd, WORKSPACE_SHOWN, 0);
	print_end(&commit);
	return 0;
}

/* ---- a commit that was interrupted ---- */

static int refuse_direction(const struct commit *commit, bool is_rollback, struct error *err)
{
	const char *id = commit->workspace->changes.record.id;
	int r = 0;
	if (is_rollback && commit->journal.phase == JOURNAL_FINAL) {
		r = error_set(err, ERR_REFUSED, 0, id,
			      "all of the commit is applied: old versions are being removed");
		return error_remedy(err, r, "run foso commit --resume");
	}
	if (!is_rollback && commit->journal.phase == JOURNAL_UNDO) {
		r = error_set(err, ERR_REFUSED, 0, id, "the commit is being rolled back");
		return error_remedy(err, r, "run foso commit --rollback");
	}
	return 0;
}

/* Killed before the journal was there: nothing was done to the host's folder. */
static int forget(struct workspace *workspace, struct error *err)
{
	struct commit commit = { .workspace = workspace };
	int r = end(&commit, CHANGES_STOPPED, err);
	if (r == 0)
		(void)printf("nothing of the commit had begun\n");
	return r;
}

static int go_back(struct commit *commit, struct error *err)
{
	int r = undo_all(commit, err);
	if (r == 0)
		(void)printf("rolled back: the folder is as it was\n");
	return r;
}

static int finish(struct workspace *workspace, bool is_rollback, struct error *err)
{
	CLEANUP(set_fini) struct set set = { 0 };
	CLEANUP(commit_fini) struct commit commit = COMMIT_NONE;
	bool is_undone;
	commit.is_resumed = true;
	if (!journal_is_there(workspace->changes.dir_fd))
		return forget(workspace, err);
	int r = commit_init(&commit, workspace, err);
	if (r == 0)
		r = set_load(&set, workspace->changes.dir_fd, WORKSPACE_PLAN, err);
	if (r == 0)
		r = journal_open(&commit.journal, workspace->changes.dir_fd, &set, err);
	if (r == 0)
		r = plan_init(&commit.plan, &set, commit.journal.choices, err);
	if (r == 0)
		r = journal_read(&commit.journal, &commit.plan, err);
	if (r == 0)
		r = refuse_direction(&commit, is_rollback, err);
	if (r < 0)
		return r;
	commit.syncs_each = count_written(&commit.plan) <= MAX_SYNCED_EACH;
	if (is_rollback)
		return go_back(&commit, err);
	r = go_forward(&commit, &is_undone, err);
	if (r < 0)
		return explain_undone(err, r, is_undone);
	(void)unlinkat(workspace->changes.dir_fd, WORKSPACE_SHOWN, 0);
	print_end(&commit);
	return 0;
}

static int check_state(const struct workspace *workspace, const struct args *args,
		       struct error *err)
{
	const struct changes_record *record = &workspace->changes.record;
	bool is_half_way = record->state == CHANGES_COMMITTING;
	bool is_finish = args->is_resume || args->is_rollback;
	int r = 0;
	if (is_half_way == is_finish && record->state != CHANGES_COMMITTED)
		return 0;
	if (is_half_way) {
		r = error_set(err, ERR_REFUSED, 0, record->id, "a commit of it was interrupted");
		return error_remedy(err, r, "run foso commit --resume or --rollback");
	}
	r = error_set(err, ERR_REFUSED, 0, record->id,
		      is_finish ? "no commit of it was interrupted" : "all of it is committed");
	return error_remedy(err, r,
			    is_finish ? "run foso commit without --resume or --rollback"
				      : "foso discard %s removes it",
			    record->id);
}

int command_commit(const struct args *args, struct error *err)
{
	CLEANUP(workspace_fini) struct workspace workspace;
	CLEANUP(set_fini) struct set set = { 0 };
	workspace_init(&workspace);
	int r = workspace_open(&workspace, args->id, false, true, err);
	if (r == 0)
		r = check_state(&workspace, args, err);
	if (r < 0)
		return r;
	if (args->is_resume || args->is_rollback)
		return finish(&workspace, args->is_rollback, err);
	r = load_shown(&workspace, &set, err);
	return r == 0 ? apply_set(&workspace, args, &set, err) : r;
}
