/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.h - one walk over the upper side, beside the host's folder
 *
 * Only what the sandbox touched is visited on the host: the cost is that of the change and not
 * of the tree.  The walk looks at names and what stat says; contents are for compare.h.
 */
#pragma once

#include "workspacetool/hidden.h"
#include "workspacetool/set.h"

struct sides {
	int upper_fd, host_fd; /* borrowed: tops of the two trees */
	const struct hidden *hidden;
	int64_t started_ns; /* of the sandbox, CLOCK_REALTIME */
};

/*
 * walk_sides() - fills @ret, sorted: both sides of each path, and the flags that need no content
 *
 * change is CHANGE_CREATED, _DELETED, _CHANGED where the types differ, _MODE for folders; files
 * and links that are on both sides are CHANGE_NONE until compared.
 */
int walk_sides(const struct sides *sides, struct set *ret, struct error *err) must_check;
