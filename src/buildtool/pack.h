/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pack.h - the upper side of an overlay becomes a layer: a tar in OCI form
 *
 * Entries in the order of their names, times in whole seconds, numbers for owners: the same tree
 * gives the same bytes.  A whiteout becomes an empty file .wh.NAME, an opaque folder gets
 * .wh..wh..opq as its first entry (OCI image-spec, layer.md, "Whiteouts").
 */
#pragma once

#include <stdint.h>

#include "base/error.h"

struct pack_order {
	uint64_t max_bytes; /* of the tar; more is -ERR_LIMIT */
	uint64_t max_entries;
	int64_t latest_mtime_s; /* later times become this one; INT64_MAX: none does */
	bool is_flat;           /* every owner is 0:0: the caller's files, rootless */
};

struct pack_result {
	uint64_t n_bytes;
	uint64_t n_entries; /* 0: nothing was changed */
};

/*
 * pack_upper() - write @upper_fd as a tar to @out_fd, in a pen (pen.h)
 *
 * -ERR_INVALID, subject the path, for what no layer can hold (a name that begins with .wh., a
 * device); -ERR_LIMIT; -ERR_SYSTEM.
 */
int pack_upper(int upper_fd, int out_fd, const struct pack_order *order, struct pack_result *ret,
	       struct error *err) must_check;
