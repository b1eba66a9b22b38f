/* SPDX-License-Identifier: Apache-2.0 */
/* apply.c - names exchanged, looked at, exchanged back */
#include "workspacetool/apply.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "workspacetool/tree.h"

/* Where an operation takes place. */
struct place {
	struct commit *commit;
	struct op *op;
	const struct entry *entry;
	int dir_fd; /* borrowed from the commit */
	const char *name;
	char temporary[TEMPORARY_BYTES];
	struct node at_name, at_temporary; /* what lies there now */
};

static int failed(struct error *err, const struct place *place, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errno, place->entry->path, "%s", what);
	return error_remedy(err, r,
			    "see rights and space of the folder, then run foso commit "
			    "--resume or --rollback");
}

static int host_changed(struct error *err, const struct place *place)
{
	int r = error_set(err, ERR_REFUSED, 0, place->entry->path,
			  "was changed on the host since it was shown");
	return error_remedy(err, r, "run foso diff again, and commit what it shows");
}

/* Without waiting for the clock: times are not compared for these. */
static int look_at(struct place *place, const char *name, struct node *ret, struct error *err)
{
	struct stat status;
	*ret = (struct node){ .type = NODE_ABSENT };
	if (fstatat(place->dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) == 0)
		node_of_stat(&status, ret);
	else if (errno != ENOENT)
		return failed(err, place, "cannot be looked at");
	return 0;
}

static int look_at_temporary(struct place *place, struct error *err)
{
	return look_at(place, place->temporary, &place->at_temporary, err);
}

static int place_find(struct place *place, struct commit *commit, uint32_t index, struct error *err)
{
	*place = (struct place){ .commit = commit, .op = &commit->plan.ops[index] };
	place->entry = &commit->plan.set->entries[place->op->entry];
	temporary_name(commit, index, place->temporary);
	place->dir_fd = tree_hold_parent(&commit->to, commit->workspace->sides.host_fd,
					 place->entry->path, &place->name);
	return place->dir_fd < 0 ? failed(err, place, "its folder cannot be opened") : 0;
}

/* With a look at what lies under its name. */
static int place_open(struct place *place, struct commit *commit, uint32_t index, struct error *err)
{
	int r = place_find(place, commit, index, err);
	return r < 0 ? r : look_at(place, place->name, &place->at_name, err);
}

static bool is_staged_one(const struct place *place, const struct node *node)
{
	return node->type != NODE_ABSENT && place->op->is_staged &&
	       node->inode == place->op->inode && node->dev == place->op->dev;
}

static bool is_host_one(const struct place *place, const struct node *node)
{
	return node->type != NODE_ABSENT && node->inode == place->entry->host.inode &&
	       node->dev == place->entry->host.dev;
}

static int exchange(const struct place *place)
{
	return renameat2(place->dir_fd, place->temporary, place->dir_fd, place->name,
			 RENAME_EXCHANGE);
}

static int move(const struct place *place, const char *from, const char *to)
{
	return renameat2(place->dir_fd, from, place->dir_fd, to, RENAME_NOREPLACE);
}

/* ---- whether a tree that was moved away is the one that is expected ---- */

struct check {
	const struct place *place;
	const struct set *set;
	bool is_new;   /* the new version; else the host's old one */
	size_t n_left; /* entries that were not met yet */
	char path[SET_MAX_PATH_BYTES + 260];
};

/* A file that was committed has the commit's time until somebody writes to it. */
static bool is_untouched(const struct commit *commit, const struct entry *entry,
			 const struct node *node)
{
	return node->type == entry->upper.type &&
	       (node->type != NODE_FILE || (node->mtime_ns == commit->journal.time_ns &&
					    node->size_bytes == entry->upper.size_bytes));
}

static bool counts(const struct check *check, size_t index)
{
	const struct entry *entry = &check->set->entries[index];
	if (!check->is_new)
		return entry->host.type != NODE_ABSENT;
	return entry->change == CHANGE_CREATED &&
	       check->place->commit->plan.choices[index] == CHOICE_IN;
}

static bool is_folder(const struct check *check, size_t index)
{
	const struct entry *entry = &check->set->entries[index];
	return (check->is_new ? entry->upper.type : entry->host.type) == NODE_FOLDER;
}

static bool is_expected(struct check *check, int dir_fd, const char *name)
{
	struct node node;
	struct stat status;
	const struct op *op = check->place->op;
	size_t index = set_find(check->set, check->path, strlen(check->path));
	if (index == SET_NO_ENTRY || index <= op->entry || index >= op->end ||
	    !counts(check, index) || fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	node_of_stat(&status, &node);
	check->n_left--;
	const struct entry *entry = &check->set->entries[index];
	return check->is_new ? is_untouched(check->place->commit, entry, &node)
			     : node_is_moved(&entry->host, &node);
}

/* The folder of entry @at, which lies below @top_fd. */
static bool folder_is_expected(struct check *check, int top_fd, size_t at)
{
	const struct entry *folder = &check->set->entries[at];
	size_t skip = check->place->entry->path_len + 1;
	const char *below = folder->path_len >= skip ? folder->path + skip : "";
	const struct dir_entry *found;
	auto_fd int fd = tree_open_folder(top_fd, below, strlen(below));
	if (fd < 0)
		return false;
	DIR_READER(reader, fd);
	while ((found = dir_next(&reader))) {
		if (strcmp(found->name, ".") == 0 || strcmp(found->name, "..") == 0)
			continue;
		int n = snprintf(check->path, sizeof(check->path), "%s/%s", folder->path,
				 found->name);
		if (n < 0 || (size_t)n >= sizeof(check->path) ||
		    !is_expected(check, fd, found->name))
			return false;
	}
	return reader.len >= 0;
}

/* Everything that should be in the folder under the temporary name, and nothing else. */
static bool tree_is_expected(const struct place *place, bool is_new)
{
	auto_free struct check *check = calloc(1, sizeof(*check));
	auto_fd int top_fd =
		tree_open_folder(place->dir_fd, place->temporary, strlen(place->temporary));
	if (!check || top_fd < 0)
		return false;
	check->place = place;
	check->set = place->commit->plan.set;
	check->is_new = is_new;
	for (size_t i = place->op->entry + 1; i < place->op->end; i++)
		check->n_left += counts(check, i);
	for (size_t i = place->op->entry; i < place->op->end; i++) {
		bool is_there = i == place->op->entry || counts(check, i);
		if (is_there && is_folder(check, i) && !folder_is_expected(check, top_fd, i))
			return false;
	}
	return check->n_left == 0;
}

/* What lies under the temporary name now is what was shown as the host's side. */
static bool old_is_expected(const struct place *place)
{
	if (!node_is_moved(&place->entry->host, &place->at_temporary))
		return false;
	return place->entry->host.type != NODE_FOLDER || tree_is_expected(place, false);
}

/* ---- doing it ---- */

static int apply_make(struct place *place, struct error *err)
{
	if (is_staged_one(place, &place->at_name))
		return 0;
	if (move(place, place->temporary, place->name) == 0)
		return 0;
	return errno == EEXIST ? host_changed(err, place)
			       : failed(err, place, "cannot be put there");
}

/* The old version was moved away; if it is not the one that was shown, it comes back. */
static int check_old(struct place *place, bool was_exchanged, struct error *err)
{
	int r = look_at_temporary(place, err);
	if (r < 0 || old_is_expected(place))
		return r;
	r = was_exchanged ? exchange(place) : move(place, place->temporary, place->name);
	return r < 0 ? failed(err, place, "cannot be put back") : host_changed(err, place);
}

static int apply_replace(struct place *place, struct error *err)
{
	/* Killed behind the exchange: the look at the old version may be missing. */
	if (is_staged_one(place, &place->at_name))
		return check_old(place, true, err);
	if (!node_is_moved(&place->entry->host, &place->at_name))
		return host_changed(err, place);
	if (exchange(place) < 0)
		return failed(err, place, "cannot be put there");
	return check_old(place, true, err);
}

static int apply_remove(struct place *place, struct error *err)
{
	if (place->at_name.type == NODE_ABSENT) {
		int r = look_at_temporary(place, err);
		if (r < 0)
			return r;
		if (is_host_one(place, &place->at_temporary))
			return check_old(place, false, err);
	}
	if (!node_is_moved(&place->entry->host, &place->at_name))
		return host_changed(err, place);
	if (move(place, place->name, place->temporary) < 0)
		return failed(err, place, "cannot be taken away");
	return check_old(place, false, err);
}

/* A folder keeps what the host gave it beyond the mode of reading, writing and entering. */
static mode_t wanted_mode(const struct entry *entry)
{
	mode_t kept = entry->host.type == NODE_FOLDER ? entry->host.mode & 07000 : 0;
	return kept | (entry->upper.mode & 0777);
}

static int change_mode(struct place *place, mode_t from, mode_t to, struct error *err)
{
	struct node node;
	auto_fd int fd = place->entry->host.type == NODE_FOLDER
				 ? tree_open_folder(place->dir_fd, place->name, strlen(place->name))
				 : tree_open_file(place->dir_fd, place->name);
	if (fd < 0 || node_of_fd(fd, &node) != 0)
		return failed(err, place, "cannot be opened");
	if (!is_host_one(place, &node) || (node.mode != from && node.mode != to))
		return host_changed(err, place);
	if (node.mode != to && fchmod(fd, to) < 0)
		return failed(err, place, "its mode cannot be set");
	return 0;
}

int apply_op(struct commit *commit, uint32_t index, struct error *err)
{
	struct place place;
	int r = place_open(&place, commit, index, err);
	if (r < 0)
		return r;
	switch ((enum op_kind)place.op->kind) {
	case OP_MAKE:
		return apply_make(&place, err);
	case OP_REPLACE:
		return apply_replace(&place, err);
	case OP_REMOVE:
		return apply_remove(&place, err);
	case OP_MODE:
		return change_mode(&place, place.entry->host.mode, wanted_mode(place.entry), err);
	case OP_N_KINDS:
	default:
		return error_set(err, ERR_INTERNAL, 0, place.entry->path, "no such operation");
	}
}

/* ---- and back ---- */

static int changed_after(struct error *err, const struct place *place)
{
	int r = error_set(err, ERR_REFUSED, 0, place->entry->path,
			  "was changed on the host after it was committed");
	return error_remedy(err, r,
			    "compare it by hand with %s beside it, remove one of the two, then run "
			    "foso commit --rollback again",
			    place->temporary);
}

/* The new version lies under the temporary name, and goes. */
static int drop_staged(struct place *place, struct error *err)
{
	if (tree_remove(place->dir_fd, place->temporary) == 0)
		return 0;
	return failed(err, place, "its new version cannot be removed");
}

/* Nothing was put into its place.  A file system that is read-only by now removes not even nothing.
 */
static int drop_unused(struct place *place, struct error *err)
{
	return place->at_temporary.type == NODE_ABSENT ? 0 : drop_staged(place, err);
}

/* Under the temporary name again; a folder with nothing that came after the commit. */
static bool new_is_expected(const struct place *place)
{
	return place->entry->upper.type != NODE_FOLDER || tree_is_expected(place, true);
}

static int undo_make(struct place *place, struct error *err)
{
	if (!is_staged_one(place, &place->at_name))
		return drop_unused(place, err);
	if (!is_untouched(place->commit, place->entry, &place->at_name))
		return changed_after(err, place);
	if (move(place, place->name, place->temporary) < 0)
		return failed(err, place, "cannot be taken away");
	if (new_is_expected(place))
		return drop_staged(place, err);
	return move(place, place->temporary, place->name) < 0
		       ? failed(err, place, "cannot be left where it was")
		       : changed_after(err, place);
}

static int undo_replace(struct place *place, struct error *err)
{
	if (!is_host_one(place, &place->at_temporary))
		return drop_unused(place, err);
	if (!is_staged_one(place, &place->at_name) ||
	    !is_untouched(place->commit, place->entry, &place->at_name))
		return changed_after(err, place);
	if (exchange(place) < 0)
		return failed(err, place, "cannot be put back");
	if (new_is_expected(place))
		return drop_staged(place, err);
	return exchange(place) < 0 ? failed(err, place, "cannot be left where it was")
				   : changed_after(err, place);
}

static int undo_remove(struct place *place, struct error *err)
{
	if (!is_host_one(place, &place->at_temporary))
		return 0;
	if (move(place, place->temporary, place->name) == 0)
		return 0;
	return errno == EEXIST ? changed_after(err, place)
			       : failed(err, place, "cannot be put back");
}

int undo_op(struct commit *commit, uint32_t index, struct error *err)
{
	struct place place;
	int r = place_open(&place, commit, index, err);
	if (r == 0)
		r = look_at_temporary(&place, err);
	if (r < 0)
		return r;
	switch ((enum op_kind)place.op->kind) {
	case OP_MAKE:
		return undo_make(&place, err);
	case OP_REPLACE:
		return undo_replace(&place, err);
	case OP_REMOVE:
		return undo_remove(&place, err);
	case OP_MODE:
		return change_mode(&place, wanted_mode(place.entry), place.entry->host.mode, err);
	case OP_N_KINDS:
	default:
		return error_set(err, ERR_INTERNAL, 0, place.entry->path, "no such operation");
	}
}

int tidy_op(struct commit *commit, uint32_t index, struct error *err)
{
	struct place place;
	const struct op *op = &commit->plan.ops[index];
	if (op->kind != OP_REPLACE && op->kind != OP_REMOVE)
		return 0;
	int r = place_find(&place, commit, index, err);
	if (r < 0)
		return r;
	if (tree_remove(place.dir_fd, place.temporary) == 0)
		return 0;
	return failed(err, &place, "its old version cannot be removed");
}

int apply_sync(struct commit *commit, struct error *err)
{
	int r = 0;
	if (!commit->syncs_each && syncfs(commit->workspace->host_fd) < 0) {
		r = error_set(err, ERR_SYSTEM, errno, commit->workspace->changes.record.path,
			      "cannot be written out to disk");
		return error_remedy(err, r, "see the disk, then foso commit --resume");
	}
	for (size_t i = 0; commit->syncs_each && i < commit->plan.n_ops; i++) {
		struct place place;
		r = place_find(&place, commit, (uint32_t)i, err);
		if (r < 0)
			return r;
		if (fsync(place.dir_fd) < 0 && errno != EINVAL)
			return failed(err, &place, "its folder cannot be written out to disk");
	}
	return 0;
}
