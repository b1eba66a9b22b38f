/* SPDX-License-Identifier: Apache-2.0 */
/*
 * codec.h - how values lie in a message: little-endian integers, length-prefixed bytes
 *
 * A writer appends to a bounded struct buf.  A reader walks bytes that may be hostile: it never
 * reads past the end, and the first violation marks it broken; later reads return zero values.
 * The caller checks wire_reader_is_done() once, which also demands that no byte is left over.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct wire_reader {
	const uint8_t *bytes; /* borrowed */
	size_t len;
	size_t at;
	bool is_broken;
};

void wire_put_u8(struct buf *out, uint8_t value);
void wire_put_u32(struct buf *out, uint32_t value);
void wire_put_u64(struct buf *out, uint64_t value);
void wire_put_bytes(struct buf *out, const void *bytes, size_t len); /* u32 length, then bytes */
void wire_put_string(struct buf *out, const char *text);             /* the NUL is not sent */

void wire_reader_init(struct wire_reader *reader, const void *bytes, size_t len);
uint8_t wire_get_u8(struct wire_reader *reader);
uint32_t wire_get_u32(struct wire_reader *reader);
uint64_t wire_get_u64(struct wire_reader *reader);
bool wire_get_bool(struct wire_reader *reader); /* anything but 0 and 1 breaks the reader */

/* wire_get_enum() - a u8 below @n_values; anything else breaks the reader and returns 0. */
uint8_t wire_get_enum(struct wire_reader *reader, uint8_t n_values);

/* wire_get_bytes() - points into the message; NULL and 0 when broken. */
const uint8_t *wire_get_bytes(struct wire_reader *reader, size_t *ret_len);

/*
 * wire_get_string() - a fresh NUL-terminated copy, owned by the caller
 *
 * A NUL inside the bytes breaks the reader: two readers must never see two strings.  Returns
 * NULL when broken or out of memory (which also breaks the reader).
 */
char *wire_get_string(struct wire_reader *reader);

/* wire_get_count() - a u32 of at most @max; more breaks the reader and returns 0. */
uint32_t wire_get_count(struct wire_reader *reader, uint32_t max);

bool wire_reader_is_done(const struct wire_reader *reader) must_check;
