/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record.h - what foso knows of an image, in a fixed form
 *
 * Written by foso-image from what foso-unpack read in the image's JSON; the monitor and the level
 * read this and never JSON.  Integers are little-endian; a string is u32 length, bytes, NUL; a
 * list is u32 count, u32 bytes, then its strings, each with its NUL.  Nothing is copied when a
 * record is decoded: strings and lists point into the encoded bytes.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/error.h"

#define IMAGE_RECORD_MAX_BYTES (256u * 1024)
#define IMAGE_MAX_LAYERS       127  /* of one overlay, with room for the upper side */
#define IMAGE_MAX_STRINGS      4096 /* in one list */

enum image_compression {
	IMAGE_COMPRESSION_NONE,
	IMAGE_COMPRESSION_GZIP,
	IMAGE_COMPRESSION_ZSTD,
	IMAGE_N_COMPRESSIONS, /* of layers; in other archives there may be: */
	IMAGE_COMPRESSION_XZ = IMAGE_N_COMPRESSIONS,
	IMAGE_COMPRESSION_BZIP2
};

/* image_compression_of() - by the first @n bytes of a file; IMAGE_COMPRESSION_NONE if none is
 * known. */
enum image_compression image_compression_of(const void *bytes, size_t n);

/* Strings that lie one behind the other, each with its NUL. */
struct image_list {
	const char *first; /* NULL if there are none */
	uint32_t n_strings, n_bytes;
};

struct image_layer {
	uint8_t blob[DIGEST_BYTES];    /* of the blob as it is stored */
	uint8_t diff_id[DIGEST_BYTES]; /* of the tar in it */
	uint8_t chain[DIGEST_BYTES];   /* of this layer and all below: names its folder */
	uint64_t blob_bytes;
	uint64_t tree_bytes; /* of regular files, as the tar says */
	uint64_t n_entries;
	enum image_compression compression;
};

struct image_record {
	const char *name; /* full: image_name_parse() */
	uint64_t imported_realtime_s;
	uint8_t manifest[DIGEST_BYTES], config[DIGEST_BYTES];
	uint64_t manifest_bytes, config_bytes;
	const char *architecture, *os; /* "amd64", "linux" */

	/* Of the image's config; "" and empty where it says nothing. */
	const char *user, *cwd, *stop_signal;
	struct image_list env; /* NAME=VALUE */
	struct image_list entrypoint, cmd, shell;
	struct image_list labels;                 /* NAME=VALUE */
	struct image_list exposed_ports, volumes; /* "80/tcp"; "/data" */

	uint32_t n_layers;                           /* 0 is an image without files */
	struct image_layer layers[IMAGE_MAX_LAYERS]; /* the lowest first */
};

/* image_list_next() - the string behind @previous, or the first for NULL; NULL at the end. */
const char *image_list_next(const struct image_list *list, const char *previous);

/* image_list_from() - a list of @n_strings in @storage, which it points into; broken if too long.
 */
struct image_list image_list_from(struct buf *storage, const char *const *strings,
				  uint32_t n_strings);

/* image_record_encode() - appends to @out; check buf_is_whole(). */
void image_record_encode(const struct image_record *record, struct buf *out);

/*
 * image_record_decode() - the only reader
 * @bytes:    borrowed for as long as @ret is used
 * @subject:  what an error names
 *
 * Strict: every count is bounded, no byte is left over, names and paths obey their rules, chains
 * agree with diff ids.  -ERR_CORRUPT.
 */
int image_record_decode(const void *bytes, size_t len, const char *subject,
			struct image_record *ret, struct error *err) must_check;

/*
 * image_chain() - chain id of a layer with @diff_id on top of @below (NULL: it is the lowest)
 *
 * The lowest layer's is its diff id, every other's the SHA-256 of the two digests as text.
 * Source: OCI image spec, config.md, "Layer ChainID".
 */
void image_chain(const uint8_t *below, const uint8_t diff_id[DIGEST_BYTES],
		 uint8_t ret_chain[DIGEST_BYTES]);
