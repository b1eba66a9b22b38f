/* SPDX-License-Identifier: Apache-2.0 */
/* paths.c - folders that wait for their turn */
#include "workspacetool/paths.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void paths_fini(struct paths *paths)
{
	for (size_t i = 0; i < paths->n_items; i++)
		free(paths->items[i]);
	free(paths->items);
	*paths = (struct paths){ 0 };
}

int paths_add(struct paths *paths, const char *folder, const char *name)
{
	if (paths->n_items == paths->n_room) {
		size_t n_room = paths->n_room ? 2 * paths->n_room : 16;
		char **more = reallocarray(paths->items, n_room, sizeof(*more));
		if (!more)
			return ENOMEM;
		paths->items = more;
		paths->n_room = n_room;
	}
	size_t len = strlen(folder) + strlen(name) + 2;
	char *path = malloc(len);
	if (!path)
		return ENOMEM;
	(void)snprintf(path, len, "%s%s%s", folder, folder[0] ? "/" : "", name);
	paths->items[paths->n_items++] = path;
	return 0;
}
