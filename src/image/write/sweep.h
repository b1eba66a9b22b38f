/* SPDX-License-Identifier: Apache-2.0 */
/* sweep.h - what no image of the store needs any more */
#pragma once

#include "image/store.h"

struct sweep {
	uint64_t n_blobs, n_layers, n_leftovers; /* removed, or to be */
	uint64_t n_held;  /* layers that no image names and somebody uses: they stay */
	uint64_t n_bytes; /* of blobs and file system images; layers: of their files */
};

/*
 * image_sweep() - removes blobs, layers, file system images and staging folders without an owner
 * @is_dry:  only counts them
 *
 * What is held (a sandbox runs on it, an import builds on it) stays, with all that lies below it.
 * A record that cannot be read stops it before anything is removed: what it names is unknown.
 */
int image_sweep(const struct image_store *store, bool is_dry, struct sweep *ret, struct error *err)
	must_check;

/*
 * image_sweep_layers() - the same for staging folders, and of layers for these alone
 * @chains:  what an import made that came to nothing; may be NULL if there are none
 *
 * What else has no name may be of use to somebody: a cache of builds.
 */
int image_sweep_layers(const struct image_store *store, const uint8_t (*chains)[DIGEST_BYTES],
		       size_t n_chains, struct error *err) must_check;

/* image_forget() - takes the name away, and mends index.json.  -ERR_NOT_FOUND. */
int image_forget(const struct image_store *store, const char *name, struct error *err) must_check;
