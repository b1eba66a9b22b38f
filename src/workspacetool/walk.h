/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.h - one walk over the upper side, beside the host's folder
 *
 * Only what the sandbox touched is visited on the host: the cost is that of the change and not
 * of the tree.  A file is opened once, for its attributes and its content (compare.h).
 */
#pragma once

#include "workspacetool/hidden.h"
#include "workspacetool/set.h"

struct sides {
	int upper_fd, host_fd; /* borrowed: tops of the two trees */
	const struct hidden *hidden;
	int64_t started_ns; /* of the sandbox, CLOCK_REALTIME */
};

/* walk_sides() - fills @ret, sorted: both sides of each path, compared */
int walk_sides(const struct sides *sides, struct set *ret, struct error *err) must_check;

/* What is not as it was shown. */
struct walk_difference {
	char path[SET_MAX_PATH_BYTES + 260];
	bool is_host; /* the host's side was changed; else the change set */
};

/*
 * walk_again() - whether both sides are as @shown has them; no content is read
 *
 * Returns 0: they are; 1: not, and *ret is filled.
 */
int walk_again(const struct sides *sides, const struct set *shown, struct walk_difference *ret,
	       struct error *err) must_check;
