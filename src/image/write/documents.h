/* SPDX-License-Identifier: Apache-2.0 */
/* documents.h - config and manifest of an image that foso itself puts together */
#pragma once

#include "format/json.h"
#include "image/record.h"
#include "image/write/staging.h"

/* document_put_digest() - "sha256:HEX" under @key; NULL in an array. */
void document_put_digest(struct json *json, const char *key, const uint8_t digest[DIGEST_BYTES]);

/* document_put_descriptor() - what names a blob: media type, digest, size. */
void document_put_descriptor(struct json *json, const char *key, const char *type,
			     const uint8_t digest[DIGEST_BYTES], uint64_t n_bytes);

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
