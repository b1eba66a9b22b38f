/* SPDX-License-Identifier: Apache-2.0 */
/*
 * links.h - names of one file in the change set, which are committed as names of one file
 *
 * Only among what is committed: a name is never made for a file that lies in the host's folder
 * already, since that may have names which nobody was shown.
 */
#pragma once

#include "workspacetool/set.h"

struct link_name {
	uint64_t inode; /* of the upper side */
	uint32_t entry;
};

struct links {
	struct link_name *items; /* by inode, then entry */
	size_t n_items;
};

/* links_counts() - whether an entry that was chosen is a file that a commit makes. */
bool links_counts(const struct entry *entry);

/* links_init() - all names of files with several that are chosen; @choices as in plan.h. */
int links_init(struct links *links, const struct set *set, const uint8_t *choices,
	       struct error *err) must_check;
void links_fini(struct links *links); /* may be called twice */

/* links_find() - the first name of the file of an entry, and how many of them are chosen. */
uint32_t links_find(const struct links *links, const struct set *set, uint32_t entry,
		    size_t *ret_n);
