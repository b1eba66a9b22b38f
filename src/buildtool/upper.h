/* SPDX-License-Identifier: Apache-2.0 */
/* upper.h - foso image bootstrap --from: packages as one layer on top of an image */
#pragma once

#include "base/buf.h"
#include "image/write/staging.h"

/* Everything is borrowed. */
struct upper {
	const struct image_store *store;
	const struct staging *staging; /* where the packages are fetched to */
	const char *from;              /* the image below */
	const char *name;              /* of the one to make */
	const char *cache;             /* folder of packages; NULL: none */
	const struct buf *packages;    /* names, with commas */
	const struct buf *sources;     /* lines of sources.list */
	const struct buf *options;     /* lines of apt.conf */
};

/*
 * upper_make() - fetch the packages, install them in a sandbox, name the result
 *
 * 0; VERB_SAID; -ERR_NOT_FOUND if the image below knows no packages; -code.
 */
int upper_make(const struct upper *upper, struct error *err) must_check;
