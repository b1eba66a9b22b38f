/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image.h - from the name of an image to its record and its layers
 *
 * A sandbox, or whoever builds on an image:
 *
 *	image_open(&store, "base", &image, &err)
 *	for each layer: image_layer_open(&store, image.record.layers[i].chain, &fd, &err)
 *	... and keeps image.hold_fd open for as long as it uses the layers.
 */
#pragma once

#include "image/name.h"
#include "image/record.h"
#include "image/store.h"

struct image {
	struct image_record record; /* points into bytes */
	struct buf bytes;
	int hold_fd; /* owned: as long as it is open, no layer of the image is removed; -1: none */
};

/*
 * image_open() - read the record of @name and hold its layers
 *
 * @name is taken as image_name_parse() takes it, so "base" finds "base:latest".  The store's
 * lock is held shared meanwhile.  -ERR_INVALID, -ERR_NOT_FOUND (subject: the full name),
 * -ERR_CORRUPT, -ERR_SYSTEM.  On failure @ret needs no image_fini().
 */
int image_open(const struct image_store *store, const char *name, struct image *ret,
	       struct error *err) must_check;

/*
 * image_open_record() - the same by a record that no name has: one that is being built
 * @fd:  holds the record and nothing else; its offset does not count and does not move
 */
int image_open_record(const struct image_store *store, int fd, struct image *ret, struct error *err)
	must_check;

void image_fini(struct image *image); /* may be called twice and on zeroed memory */

/*
 * image_read_record() - the bytes of the record of the full name @name, for image_record_decode()
 *
 * To be called with the store's lock held.  -ERR_NOT_FOUND, -ERR_CORRUPT, -ERR_SYSTEM.
 */
int image_read_record(const struct image_store *store, const char *name, struct buf *bytes,
		      struct error *err) must_check;

/* image_layer_open() - O_PATH descriptor of layers/HEX/fs, owned by the caller. */
int image_layer_open(const struct image_store *store, const uint8_t chain[DIGEST_BYTES],
		     int *ret_fd, struct error *err) must_check;

/*
 * image_hold() - keep a layer, and so all below it, from being removed
 *
 * Returns 0 and a descriptor; 1 if the layer is not in the store.  To be called with the store's
 * lock held.
 */
int image_hold(const struct image_store *store, const uint8_t chain[DIGEST_BYTES], int *ret_hold_fd,
	       struct error *err) must_check;
