/* SPDX-License-Identifier: Apache-2.0 */
/*
 * store.h - the folder that holds images, and who may change it when
 *
 *   oci-layout, index.json    with blobs/, a valid OCI image layout
 *   blobs/sha256/HEX          as they came, digest verified
 *   layers/HEX/fs/            an unpacked layer in overlay form; HEX is its chain id (record.h)
 *   layers/HEX/parent         "HEX\n" of the layer below; absent in the lowest
 *   layers/HEX/sizes          "ENTRIES BYTES\n", for images that come later
 *   names/NAME-ESCAPED        image records
 *   erofs/HEX.erofs           one file system image a manifest
 *   staging/                  what is being made; renamed from here
 *   lock                      flock: see below
 *
 * Owners on disk are the image's own (0 to 65535) for root, and the caller otherwise; the folder
 * is mode 0700, so nobody but its owner reaches a file in it.
 *
 * Two kinds of lock.  `lock` is held shared while a name is turned into open descriptors, and
 * exclusive while names, layers and blobs come or go; both are short.  A layer folder is held
 * shared (image_hold()) by every sandbox that runs on it and every import that builds on it, and
 * nobody removes what is held.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/digest.h"
#include "base/error.h"

#define IMAGE_STORE_PATH_BYTES 4096

/* A digest as a path below the store's folder: the longest is "blobs/sha256/" and 64 digits. */
#define IMAGE_PATH_BYTES 96

struct image_store {
	int dir_fd; /* owned; O_RDONLY | O_DIRECTORY */
	char path[IMAGE_STORE_PATH_BYTES];
};

/*
 * image_store_open() - the store at @path, or the caller's own if @path is NULL
 *
 * The caller's own: $FOSO_IMAGES if it is an absolute path, else /var/lib/foso/images for root,
 * else $XDG_DATA_HOME/foso/images or ~/.local/share/foso/images.
 *
 * -ERR_NOT_FOUND if there is none yet (subject: its path), -ERR_DENIED if it belongs to somebody
 * else or others may enter it, -ERR_SYSTEM.
 */
int image_store_open(struct image_store *ret, const char *path, struct error *err) must_check;

/* image_store_create() - the same, but makes what is missing: all folders and oci-layout. */
int image_store_create(struct image_store *ret, const char *path, struct error *err) must_check;

void image_store_fini(struct image_store *store); /* may be called twice and on zeroed memory */

/*
 * image_store_lock() - waits for the store's lock; closing *ret_lock_fd gives it back
 *
 * Every holder is short, so waiting is bounded by what others do between two renames.
 */
int image_store_lock(const struct image_store *store, bool is_exclusive, int *ret_lock_fd,
		     struct error *err) must_check;

/* Paths below store->dir_fd. */
void image_blob_path(const uint8_t digest[DIGEST_BYTES], char ret_path[IMAGE_PATH_BYTES]);
void image_layer_path(const uint8_t chain[DIGEST_BYTES], char ret_path[IMAGE_PATH_BYTES]);
void image_erofs_path(const uint8_t manifest[DIGEST_BYTES], char ret_path[IMAGE_PATH_BYTES]);
