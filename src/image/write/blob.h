/* SPDX-License-Identifier: Apache-2.0 */
/* blob.h - bytes into the staging folder, named by their digest */
#pragma once

#include "image/write/staging.h"

/* @n_bytes of @fd, a file that can be seeked, from @offset on. */
struct blob_source {
	int fd; /* borrowed */
	uint64_t offset, n_bytes;
};

/*
 * blob_take() - copies and hashes; the copy is what everybody reads from then on
 * @expected:  digest that it must have, or NULL
 * @where:     what an error names, such as "config sha256:0123..."
 *
 * -ERR_CORRUPT if the digest is another one or the source is shorter than it says.
 */
int blob_take(struct staging *staging, const struct blob_source *source, const uint8_t *expected,
	      const char *where, uint8_t ret_digest[DIGEST_BYTES], struct error *err) must_check;

/* blob_write() - a blob of foso's own making. */
int blob_write(struct staging *staging, const void *bytes, size_t len,
	       uint8_t ret_digest[DIGEST_BYTES], struct error *err) must_check;

/* blob_open() - to read: from the staging folder, or the store. */
int blob_open(const struct staging *staging, const uint8_t digest[DIGEST_BYTES], int *ret_fd,
	      struct error *err) must_check;

/* blob_label() - "layer 2 of 3 (sha256:0123456789ab)": @what and the digest's first digits. */
#define BLOB_LABEL_BYTES 80
void blob_label(const char *what, const uint8_t digest[DIGEST_BYTES],
		char ret_label[BLOB_LABEL_BYTES]);
