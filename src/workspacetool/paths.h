/* SPDX-License-Identifier: Apache-2.0 */
/* paths.h - folders that wait for their turn, by their path from the top */
#pragma once

#include <stddef.h>

struct paths {
	char **items; /* owned; "" is the top */
	size_t n_items, n_room;
};

/* paths_add() - @name in @folder; 0 or ENOMEM. */
int paths_add(struct paths *paths, const char *folder, const char *name);
void paths_fini(struct paths *paths);
