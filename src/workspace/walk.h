/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.h - every entry of a tree that a stranger may have made
 *
 * Depth first, without recursion: 100,000 folders inside each other cost a few bytes each, and
 * no more than WALK_MAX_FDS descriptors.  Never follows a link.  A tree that is changed while it
 * is walked can make the walk fail (EAGAIN), but never leads it out of the tree: on the way back
 * from below the kept descriptors each ".." is compared with the folder that was entered.
 */
#pragma once

#include <dirent.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define WALK_MAX_FDS        64
#define WALK_DESCEND        (-1)
#define WALK_MAX_NAME_BYTES (256u * 1024 * 1024) /* of folders that wait, and of the path */

struct walk_entry {
	int dir_fd;       /* the folder it lies in */
	const char *name; /* any bytes */
	const char *path; /* from the top; "" + name at depth 0; NULL unless wants_paths */
	size_t path_len;
	unsigned char type; /* DT_DIR, ...; never DT_UNKNOWN */
	uint64_t inode;     /* as getdents tells */
	size_t depth;       /* 0: in the top folder */
	bool is_leaving;    /* a folder, all of whose entries were told (tells_leaving) */
};

struct walk_options {
	uint64_t max_entries; /* more: EOVERFLOW */
	uint64_t deadline_ns; /* CLOCK_MONOTONIC; 0: none; passed: ETIME */
	bool wants_paths, tells_leaving;
	bool stays_on_device; /* what is mounted below is not entered */
	/*
	 * Returns 0; WALK_DESCEND to have the entries of a folder told as well; or an errno, which
	 * ends the walk.
	 */
	int (*found)(const struct walk_entry *entry, void *context);
};

/*
 * walk() - all entries below the folder @top_fd, "." and ".." left out
 *
 * Returns 0; what @found returned; or an errno: EOVERFLOW, ETIME, EAGAIN (see above), ENOMEM, or
 * the one of a folder that cannot be read.
 */
int walk(int top_fd, const struct walk_options *options, void *context);
