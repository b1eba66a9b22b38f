/* SPDX-License-Identifier: Apache-2.0 */
/*
 * apply.h - the operations of a plan on the host's folder: made ready, done, undone, tidied
 *
 * Theory of operation.  A new version is made beside its place under a name that holds the
 * journal's token (".foso-TOKEN-N").  Then the two names are exchanged by one renameat2(2), which
 * is atomic: the old version now lies under the temporary name, and undoing is exchanging again.
 * What was moved away is looked at once more, so that a change of the host that came between the
 * check and the exchange is noticed and undone.  Old versions are removed at the very end.
 *
 * Whether an operation was done is told by which inode lies under which name, so every function
 * here may be called again after a kill at any moment.
 *
 * Parents are opened from the top without following links (tree.h).
 */
#pragma once

#include "workspacetool/ahead.h"
#include "workspacetool/journal.h"
#include "workspacetool/tree.h"
#include "workspacetool/workspace.h"

struct commit {
	struct workspace *workspace;
	struct plan plan;
	struct journal journal;
	uid_t uid; /* owner of what is made: that of the workspace's folder */
	gid_t gid;
	bool syncs_each; /* few files: each is written out by itself */
	bool is_resumed; /* something of it may be there */
	/* Folders that are worked in: of the change set, of the host, of a new folder. */
	struct tree_held from, to, made;
	struct ahead ahead; /* files of the change set, by their entries */
	char *chunk;        /* a small file; owned */
	size_t n_copies;    /* names that should have been links, and are files of their own */
	size_t n_bare;      /* files and folders whose attributes this file system cannot keep */
};

#define COMMIT_NONE                                  \
	((struct commit){ .journal = JOURNAL_CLOSED, \
			  .from = TREE_HELD_NONE,    \
			  .to = TREE_HELD_NONE,      \
			  .made = TREE_HELD_NONE })

/* stage.c: the new version under the temporary name, and its inode into *op. */
int stage_op(struct commit *commit, uint32_t index, struct error *err) must_check;

/*
 * apply_op() - one exchange
 *
 * -ERR_REFUSED, subject: the path, if the host's side is not as it was shown; nothing of this
 * operation is then left.
 */
int apply_op(struct commit *commit, uint32_t index, struct error *err) must_check;

/* undo_op() - as it was before; -ERR_REFUSED if the host has changed what was committed. */
int undo_op(struct commit *commit, uint32_t index, struct error *err) must_check;

/* tidy_op() - removes the old version of an operation that was applied. */
int tidy_op(struct commit *commit, uint32_t index, struct error *err) must_check;

/* apply_sync() - all that was changed is on disk when it returns. */
int apply_sync(struct commit *commit, struct error *err) must_check;

/* ---- shared by stage.c and apply.c ---- */

#define TEMPORARY_BYTES 48
void temporary_name(const struct commit *commit, uint32_t index, char name[TEMPORARY_BYTES]);

/* tree_remove() - @name and all that is in it, no link followed; 0 or errno; not there is 0. */
int tree_remove(int dir_fd, const char *name);
