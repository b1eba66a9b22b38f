/* SPDX-License-Identifier: Apache-2.0 */
/*
 * json.h - writing JSON, commas and escapes included
 *
 * The writer appends to a bounded buffer and cannot fail half-way: check buf_is_whole() at the
 * end.  Bytes that are not UTF-8 become U+FFFD unless written by json_bytes(), which marks them
 * (RFC 8259 section 8.1 demands UTF-8).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"

#define JSON_MAX_DEPTH 16

struct json {
	struct buf *out;               /* borrowed */
	unsigned depth;                /* open objects and arrays */
	bool has_item[JSON_MAX_DEPTH]; /* whether the next item at this depth needs a comma */
};

void json_init(struct json *json, struct buf *out);

/* @key is NULL inside an array and at the top. */
void json_object_open(struct json *json, const char *key);
void json_object_close(struct json *json);
void json_array_open(struct json *json, const char *key);
void json_array_close(struct json *json);

/*
 * jansson has functions of these two names.  Their symbols are foso's own, as otherwise a program
 * linked with both would call the wrong one, and jansson would call ours.
 */
void json_string(struct json *json, const char *key, const char *text) __asm__("foso_json_string");
void json_null(struct json *json, const char *key) __asm__("foso_json_null");
void json_u64(struct json *json, const char *key, uint64_t value);
void json_i64(struct json *json, const char *key, int64_t value);
void json_bool(struct json *json, const char *key, bool value);

/* json_raw() - a value that is JSON already, written by this writer; copied as it is. */
void json_raw(struct json *json, const char *key, const char *value, size_t len);

/*
 * json_bytes() - a string from bytes that a stranger chose
 *
 * Valid UTF-8 is written as it is; otherwise each bad byte becomes the three characters \xNN
 * behind a doubled backslash, as text_escape() does, so that nothing is lost.
 */
void json_bytes(struct json *json, const char *key, const char *bytes, size_t len);
