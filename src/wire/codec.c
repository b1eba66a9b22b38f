/* SPDX-License-Identifier: Apache-2.0 */
/* codec.c - how values lie in a message */
#include "wire/codec.h"

#include <stdlib.h>
#include <string.h>

void wire_put_u8(struct buf *out, uint8_t value)
{
	buf_append(out, &value, 1);
}

static void put_integer(struct buf *out, uint64_t value, size_t n_bytes)
{
	uint8_t bytes[8];
	for (size_t i = 0; i < n_bytes; i++)
		bytes[i] = (uint8_t)(value >> (8 * i));
	buf_append(out, bytes, n_bytes);
}

void wire_put_u32(struct buf *out, uint32_t value)
{
	put_integer(out, value, 4);
}

void wire_put_u64(struct buf *out, uint64_t value)
{
	put_integer(out, value, 8);
}

void wire_put_bytes(struct buf *out, const void *bytes, size_t len)
{
	if (len > UINT32_MAX) {
		out->is_broken = true;
		return;
	}
	wire_put_u32(out, (uint32_t)len);
	buf_append(out, bytes, len);
}

void wire_put_string(struct buf *out, const char *text)
{
	wire_put_bytes(out, text, strlen(text));
}

void wire_reader_init(struct wire_reader *reader, const void *bytes, size_t len)
{
	*reader = (struct wire_reader){ .bytes = bytes, .len = len };
}

/* The next @n_bytes, or NULL and a broken reader. */
static const uint8_t *take(struct wire_reader *reader, size_t n_bytes)
{
	if (reader->is_broken || n_bytes > reader->len - reader->at) {
		reader->is_broken = true;
		return NULL;
	}
	const uint8_t *bytes = reader->bytes + reader->at;
	reader->at += n_bytes;
	return bytes;
}

static uint64_t get_integer(struct wire_reader *reader, size_t n_bytes)
{
	const uint8_t *bytes = take(reader, n_bytes);
	uint64_t value = 0;
	for (size_t i = 0; bytes && i < n_bytes; i++)
		value |= (uint64_t)bytes[i] << (8 * i);
	return value;
}

uint8_t wire_get_u8(struct wire_reader *reader)
{
	return (uint8_t)get_integer(reader, 1);
}

uint32_t wire_get_u32(struct wire_reader *reader)
{
	return (uint32_t)get_integer(reader, 4);
}

uint64_t wire_get_u64(struct wire_reader *reader)
{
	return get_integer(reader, 8);
}

bool wire_get_bool(struct wire_reader *reader)
{
	return wire_get_enum(reader, 2) == 1;
}

uint8_t wire_get_enum(struct wire_reader *reader, uint8_t n_values)
{
	uint8_t value = wire_get_u8(reader);
	if (value >= n_values) {
		reader->is_broken = true;
		return 0;
	}
	return value;
}

const uint8_t *wire_get_bytes(struct wire_reader *reader, size_t *ret_len)
{
	size_t len = wire_get_u32(reader);
	const uint8_t *bytes = take(reader, len);
	*ret_len = bytes ? len : 0;
	return bytes;
}

char *wire_get_string(struct wire_reader *reader)
{
	size_t len = 0;
	const uint8_t *bytes = wire_get_bytes(reader, &len);
	if (!bytes)
		return NULL;
	char *text = memchr(bytes, '\0', len) ? NULL : malloc(len + 1);
	if (!text) {
		reader->is_broken = true;
		return NULL;
	}
	memcpy(text, bytes, len);
	text[len] = '\0';
	return text;
}

uint32_t wire_get_count(struct wire_reader *reader, uint32_t max)
{
	uint32_t count = wire_get_u32(reader);
	if (count > max) {
		reader->is_broken = true;
		return 0;
	}
	return count;
}

bool wire_reader_is_done(const struct wire_reader *reader)
{
	return !reader->is_broken && reader->at == reader->len;
}
