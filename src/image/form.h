/* SPDX-License-Identifier: Apache-2.0 */
/*
 * form.h - how strings, lists and digests lie in image records and answers of foso-unpack
 *
 * A string is u32 length, bytes, NUL; a list is u32 count, u32 bytes, then its strings, each with
 * its NUL.  What is read points into the message, so nothing is copied.
 */
#pragma once

#include "image/record.h"
#include "wire/codec.h"

void image_put_string(struct buf *out, const char *text); /* NULL is "" */
void image_put_list(struct buf *out, const struct image_list *list);

/* image_take() - the next @n_bytes; NULL and a broken reader if fewer are there. */
const char *image_take(struct wire_reader *reader, size_t n_bytes);

/* image_get_string() - "" and a broken reader for more than @max_bytes or a NUL inside. */
const char *image_get_string(struct wire_reader *reader, size_t max_bytes);

struct image_list image_get_list(struct wire_reader *reader);

void image_get_digest(struct wire_reader *reader, uint8_t ret_digest[DIGEST_BYTES]);

/* What a config says, from user to volumes. */
void image_put_config(struct buf *out, const struct image_record *record);
void image_get_config(struct wire_reader *reader, struct image_record *record);

#define IMAGE_PLATFORM_WORD_MAX 32 /* bytes of "amd64", "linux" */
