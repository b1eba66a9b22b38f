/* SPDX-License-Identifier: Apache-2.0 */
/* erofs.h - one file system image of all layers of an image */
#pragma once

#include "image/image.h"

#define EROFS_EXISTS 1 /* it is there already */

/*
 * erofs_make() - make erofs/HEX.erofs of the store, HEX being the manifest's digest
 * @image:  open, so that its layers stay
 *
 * The same layers give the same bytes.  Owners, modes, times and user.* attributes are the
 * image's.  Needs mkfs.erofs (Debian: erofs-utils).
 *
 * Returns 0 or EROFS_EXISTS; -ERR_UNSUPPORTED, subject "mkfs.erofs", if it is not installed;
 * -ERR_TIMEOUT; -ERR_SYSTEM with what mkfs.erofs said.  On failure nothing is left.
 */
int erofs_make(const struct image_store *store, const struct image *image, struct error *err)
	must_check;
