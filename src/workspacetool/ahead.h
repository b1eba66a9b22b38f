/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ahead.h - files opened and read ahead, in the order in which they will be needed
 *
 * The disk of a change set was just mounted, so the first read of each file waits for its device,
 * which is a thread of the kernel.  Files that are asked for together are one wait.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define AHEAD_FILES 64
#define AHEAD_BYTES 65536 /* of each file */

struct ahead {
	size_t at, n;
	struct {
		const void *key; /* whatever tells the caller which one it is */
		int fd;
	} files[AHEAD_FILES];
};

/* ahead_is_used_up() - all were taken: the next ones are to be put. */
static inline bool ahead_is_used_up(const struct ahead *ahead)
{
	return ahead->at == ahead->n;
}

/* ahead_put() - one more, known to be a regular file; false: there is no room left. */
bool ahead_put(struct ahead *ahead, int dir_fd, const char *name, const void *key);

/* ahead_take() - its descriptor, those before it closed; -1 if it was not put, or not opened. */
int ahead_take(struct ahead *ahead, const void *key);

void ahead_fini(struct ahead *ahead); /* closes what was not taken; may be called twice */
