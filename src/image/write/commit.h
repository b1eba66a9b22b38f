/* SPDX-License-Identifier: Apache-2.0 */
/* commit.h - an image that is whole gets its name */
#pragma once

#include "image/record.h"
#include "image/write/staging.h"

/*
 * image_commit() - blobs of the staging folder into the store, then the record, then index.json
 *
 * An image of that name is replaced in one step; *ret_replaced says whether there was one.
 * Whoever dies in between leaves blobs and layers that no image names, which sweep.h removes.
 */
int image_commit(struct staging *staging, const struct image_record *record, bool *ret_replaced,
		 struct error *err) must_check;

/* image_write_index() - index.json anew, from the names; with the lock held exclusively. */
int image_write_index(const struct image_store *store, struct error *err) must_check;

/*
 * image_each() - calls @visit with each record of the store, in the order of names
 *
 * Stops at the first that returns other than 0.  A record that cannot be read is
 * -ERR_CORRUPT, subject its name.  With the lock held.
 */
int image_each(const struct image_store *store,
	       int (*visit)(void *context, const struct image_record *record, struct error *err),
	       void *context, struct error *err) must_check;
