/* SPDX-License-Identifier: Apache-2.0 */
/*
 * show.h - a set for people and for programs, on stdout
 *
 * Names, targets and keys are hostile: no control byte of them reaches the output, be it a
 * terminal or not.  Contents (--patch) are written as they are into a pipe or file, so that the
 * patch can be applied, and escaped on a terminal.
 */
#pragma once

#include "workspacetool/workspace.h"

struct show {
	struct workspace *workspace;
	const struct set *set;
	const struct workspace_notes *notes;
	bool *is_source; /* per entry: shown with the one that it was renamed to; owned */
	bool is_terminal;
};

int show_init(struct show *show, struct workspace *workspace, const struct set *set,
	      const struct workspace_notes *notes, struct error *err) must_check;
void show_fini(struct show *show);

/* show_list() - what is committed, what executes, what is never committed, and a count. */
void show_list(struct show *show);

int show_stat(struct show *show, struct error *err) must_check;
int show_patch(struct show *show, struct error *err) must_check;
int show_json(struct show *show, struct error *err) must_check;

/* ---- for the files of show_*.c, and for the commit's own words ---- */

/* show_path() - escaped, to stdout. */
void show_path(const char *path, size_t len);

/* show_folder_attributes() - which folders of the host keep the attributes that they have. */
void show_folder_attributes(const struct set *set);

/* show_change_word() - "created", "renamed", ... */
const char *show_change_word(const struct entry *entry);

/* show_why_not() - why an entry is never committed; NULL if nothing speaks against it. */
const char *show_why_not(const struct entry *entry);

/* show_open() - both sides of a file's entry for content_ask(); -1 where there is none. */
void show_open(const struct show *show, size_t index, int *ret_old_fd, int *ret_new_fd);

/* Entries are shown if they are a change or never committed, and no source of a rename. */
bool show_is_shown(const struct show *show, size_t index);
