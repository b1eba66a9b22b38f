/* SPDX-License-Identifier: Apache-2.0 */
/*
 * compare.h - contents: the same or not, moved, executable
 *
 * Bytes are compared and hashed here, never parsed.  Holes of sparse files are skipped.
 */
#pragma once

#include "workspacetool/walk.h"

/* Files whose content is looked for elsewhere: no larger, and all together no more. */
#define COMPARE_MAX_HASHED_BYTES (16u << 20)
#define COMPARE_MAX_TOTAL_BYTES  (UINT64_C(1) << 30)

#define COMPARE_CHUNK_BYTES (256u * 1024)

/* Where an entry lies while it is compared; all borrowed. */
struct compare_place {
	int upper_fd, host_fd; /* its folder on each side; -1 where there is none */
	int file_fd;           /* the upper side's file, open for reading; -1 if it is no file */
	const char *name;
	char *chunks;  /* room for 2 * COMPARE_CHUNK_BYTES */
	size_t n_read; /* filled: the first bytes of the file, which are in @chunks */
};

/*
 * compare_entry() - change of a file or link that is on both sides, and ENTRY_EXECUTES where a
 * name, mode or the first bytes say so
 *
 * Conflicts remain only where something would be written.
 */
int compare_entry(struct compare_place *place, struct entry *entry, struct error *err) must_check;

/* compare_renames() - renamed_from of created files whose content a deleted one has. */
int compare_renames(const struct sides *sides, struct set *set, struct error *err) must_check;

/*
 * compare_files() - 1: same bytes; 0: not; -1 and errno.  Both are at most @size bytes long.
 * @chunks:  as in struct compare_place
 */
int compare_files(int upper_fd, int host_fd, uint64_t size_bytes, char *chunks);
