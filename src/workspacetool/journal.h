/* SPDX-License-Identifier: Apache-2.0 */
/*
 * journal.h - how far a commit came, so that it can be finished or undone after a kill
 *
 * Two files in the change set: WORKSPACE_PLAN, the set that is applied, and WORKSPACE_JOURNAL:
 *
 *   head      "FOSOJRN1", token, time, number of entries, SHA-256 of the set's stored form
 *   choices   a byte for each entry
 *   SHA-256 of all before it
 *   records   one after the other, each with a check of its own: what was staged; which phase
 *
 * A torn record at the end was not written.  What an operation did is read from the host's
 * folder itself (which inode lies under which name), so the journal is not written between them.
 */
#pragma once

#include "workspacetool/plan.h"

#define WORKSPACE_PLAN    "plan"
#define WORKSPACE_JOURNAL "journal"

enum journal_phase {
	JOURNAL_STAGE, /* new versions are made beside their places */
	JOURNAL_APPLY, /* names are exchanged */
	JOURNAL_FINAL, /* all is applied; old versions are removed: no way back */
	JOURNAL_UNDO,  /* names are exchanged back: no way forward */
	JOURNAL_N_PHASES
};

struct journal {
	int fd;
	uint64_t token;  /* part of the names of temporary files */
	int64_t time_ns; /* mtime of all that is committed */
	enum journal_phase phase;
	uint8_t *choices; /* owned */
	size_t n_choices;
	size_t n_good; /* bytes up to the last whole record */
	/*
	 * What was staged is written many at a time: if a kill takes the record, it is staged
	 * again, or goes by its name.
	 */
	char waiting[4096];
	size_t n_waiting;
};

#define JOURNAL_CLOSED ((struct journal){ .fd = -1 })

/* journal_create() - a new one for @set, on disk before it returns; takes a copy of @choices. */
int journal_create(struct journal *journal, int dir_fd, const struct set *set,
		   const uint8_t *choices, struct error *err) must_check;

/*
 * journal_open() - the one that is there, for the plan's @set
 *
 * -ERR_NOT_FOUND if there is none, -ERR_CORRUPT if it is not of this set.
 */
int journal_open(struct journal *journal, int dir_fd, const struct set *set, struct error *err)
	must_check;

/* journal_read() - fills what was staged into @plan, and the phase. */
int journal_read(struct journal *journal, struct plan *plan, struct error *err) must_check;

int journal_note_staged(struct journal *journal, uint32_t op, const struct op *staged,
			struct error *err) must_check;

/* journal_enter() - a phase begins; on disk before it returns. */
int journal_enter(struct journal *journal, enum journal_phase phase, struct error *err) must_check;

void journal_close(struct journal *journal); /* the files stay */

/* journal_parse() - the same from bytes, for tests and fuzzing: false if they are no journal. */
bool journal_parse(struct journal *journal, const char *bytes, size_t len,
		   const uint8_t digest[DIGEST_BYTES], struct plan *plan);

/* journal_is_there() - whether a commit was interrupted. */
bool journal_is_there(int dir_fd);
int journal_remove(int dir_fd, struct error *err) must_check;
