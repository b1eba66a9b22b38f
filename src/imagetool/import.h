/* SPDX-License-Identifier: Apache-2.0 */
/* import.h - one image on its way from a source into the store */
#pragma once

#include "image/name.h"
#include "imagetool/source.h"

#define IMPORT_MAX_NESTING 4 /* of indexes that name indexes */

struct import {
	struct staging staging;
	struct source source;
	struct unpack_limits limits;
	const char *ref;  /* which one of several; NULL: there is one */
	const char *name; /* as the user gave it; NULL: the image says */
	char full_name[IMAGE_NAME_BYTES];
	struct unpack_reply config; /* strings of the record */
	struct image_record record;
};

/*
 * import_oci(), import_docker(), import_rootfs() - fill the record, and the staging folder with
 * blobs; layers are not unpacked yet
 */
int import_oci(struct import *import, struct error *err) must_check;
int import_docker(struct import *import, struct error *err) must_check;
int import_rootfs(struct import *import, struct error *err) must_check;

/* import_config() - read the config, a blob already, into the record. */
int import_config(struct import *import, const uint8_t digest[DIGEST_BYTES], struct error *err)
	must_check;

/* import_choose_name() - the user's name, or @said if it is one. */
int import_choose_name(struct import *import, const char *said, struct error *err) must_check;
