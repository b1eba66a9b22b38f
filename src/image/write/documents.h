/* SPDX-License-Identifier: Apache-2.0 */
/* documents.h - config and manifest of an image that foso itself puts together */
#pragma once

#include "image/record.h"
#include "image/write/staging.h"

/*
 * config_write() - the OCI config of @record as a blob: sets config and config_bytes
 *
 * Used: architecture, os, user to volumes, the diff ids of the layers.
 */
int config_write(struct staging *staging, struct image_record *record, struct error *err)
	must_check;

/*
 * manifest_write() - the OCI manifest of @record as a blob: sets manifest and manifest_bytes
 *
 * Used: config, and of the layers blob, blob_bytes, compression.
 */
int manifest_write(struct staging *staging, struct image_record *record, struct error *err)
	must_check;
