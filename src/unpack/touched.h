/* SPDX-License-Identifier: Apache-2.0 */
/*
 * touched.h - which paths the layer that is being unpacked has made
 *
 * A whiteout removes what lies below and nothing that its own layer brought, and a path may be
 * there once only; so both need to know.  Paths are kept as hashes of 63 bits with a random seed:
 * a false hit costs an image that is refused, one in 10^7 images of a million files.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum touched { TOUCHED_NOT, TOUCHED_FOLDER, TOUCHED_OTHER };

struct touched_set {
	uint64_t *slots; /* owned; 0 is free, the lowest bit: is no folder */
	size_t n_slots;  /* a power of two, or 0 */
	size_t n_used;
	uint64_t seed;
};

void touched_init(struct touched_set *set);
void touched_fini(struct touched_set *set);

/* touched_add() - false if there is no memory. */
bool touched_add(struct touched_set *set, const char *path, enum touched kind);

enum touched touched_get(const struct touched_set *set, const char *path);
