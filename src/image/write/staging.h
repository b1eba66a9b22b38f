/* SPDX-License-Identifier: Apache-2.0 */
/*
 * staging.h - a folder of the store in which an image is made
 *
 * staging/ID/blobs/HEX, verified blobs; staging/ID/layers/HEX/, a layer that is being unpacked.
 * The folder is held by a flock for as long as its maker lives, whoever ends it; what is not held
 * is left over, and sweep.h removes it.
 */
#pragma once

#include "image/store.h"

#define STAGING_PATH_BYTES 256

struct staging {
	const struct image_store *store; /* borrowed */
	int dir_fd;                      /* owned; -1: none */
	char name[64];                   /* "staging/ID", below the store */
	int holds[128];                  /* owned: layers that the image in the making stands on */
	size_t n_holds;
	uint8_t made[128]
		    [DIGEST_BYTES]; /* chains of the layers that were not in the store before */
	size_t n_made;
};

int staging_begin(const struct image_store *store, struct staging *ret, struct error *err)
	must_check;

/* staging_end() - removes it with all that is still in it; may be called twice. */
void staging_end(struct staging *staging);

/* staging_hold() - keep a layer until staging_end(); takes @hold_fd. */
void staging_hold(struct staging *staging, int hold_fd);
