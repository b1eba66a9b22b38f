/* SPDX-License-Identifier: Apache-2.0 */
/* workspace.h - a change set and the host's folder beside it, opened */
#pragma once

#include "workspace/changes.h"
#include "workspacetool/content.h"
#include "workspacetool/hidden.h"
#include "workspacetool/set.h"
#include "workspacetool/walk.h"

#define WORKSPACE_SHOWN "shown" /* file in the change set: the set that was shown last */

struct workspace {
	int store_fd;
	struct changes changes;
	int host_fd; /* -1 where only the change set is needed */
	struct buf hidden_entries;
	struct hidden hidden;
	struct sides sides;
	struct content content;
};

/* What of a git config runs programs, for people. */
struct workspace_note {
	uint32_t entry;
	char *text; /* owned; lines, hostile bytes */
};

struct workspace_notes {
	struct workspace_note *items;
	size_t n_items;
};

void workspace_init(struct workspace *workspace);
void workspace_fini(struct workspace *workspace); /* may be called twice */

/*
 * workspace_open() - the set @id, or the last one of this folder or of one that it lies in
 * @wants_host:  open the host's folder as well, and see that it is the one of the run
 *
 * As an ordinary user it first becomes root of a user namespace in which only he exists, since a
 * sandbox may have left files that their own owner may not open.
 */
int workspace_open(struct workspace *workspace, const char *id, bool is_read_only, bool wants_host,
		   struct error *err) must_check;

/* workspace_compare() - walk, contents, renames, links, git configs: a set that can be shown. */
int workspace_compare(struct workspace *workspace, struct set *ret, struct workspace_notes *notes,
		      struct error *err) must_check;

/* workspace_note_add() - a copy of the text, cut to 4 KiB. */
int workspace_note_add(struct workspace_notes *notes, size_t entry, const struct buf *text,
		       struct error *err) must_check;
void workspace_notes_fini(struct workspace_notes *notes);

/* workspace_note_find() - lines about an entry; NULL if there are none. */
const char *workspace_note_find(const struct workspace_notes *notes, size_t entry);
