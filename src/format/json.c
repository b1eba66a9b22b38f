/* SPDX-License-Identifier: Apache-2.0 */
/* json.c - writing JSON */
#include "format/json.h"

#include <inttypes.h>
#include <string.h>

#include "base/text.h"

/* Bytes from @bytes on that stand for themselves and are ASCII: most of what is ever written. */
static size_t count_plain(const char *bytes, size_t len)
{
	size_t n = 0;
	while (n < len && bytes[n] >= 0x20 && bytes[n] < 0x7f && bytes[n] != '"' &&
	       bytes[n] != '\\')
		n++;
	return n;
}

static void put_quoted(struct buf *out, const char *bytes, size_t len)
{
	buf_append_char(out, '"');
	for (size_t i = 0; i < len;) {
		size_t n_plain = count_plain(bytes + i, len - i);
		if (n_plain > 0) {
			buf_append(out, bytes + i, n_plain);
			i += n_plain;
			continue;
		}
		size_t n = text_utf8_next(bytes + i, len - i);
		unsigned char c = (unsigned char)bytes[i];
		if (n == 0)
			buf_append_string(out, "\xef\xbf\xbd");
		else if (c == '"' || c == '\\')
			buf_printf(out, "\\%c", c);
		else if (c == '\n')
			buf_append_string(out, "\\n");
		else if (c < 0x20 || c == 0x7f)
			buf_printf(out, "\\u%04x", c);
		else
			buf_append(out, bytes + i, n);
		i += n == 0 ? 1 : n;
	}
	buf_append_char(out, '"');
}

/* The comma and the key that precede every value. */
static void begin_item(struct json *json, const char *key)
{
	if (json->depth > 0) {
		if (json->has_item[json->depth - 1])
			buf_append_char(json->out, ',');
		json->has_item[json->depth - 1] = true;
	}
	if (key) {
		put_quoted(json->out, key, strlen(key));
		buf_append_char(json->out, ':');
	}
}

static void open_group(struct json *json, const char *key, char bracket)
{
	assert(json->depth < JSON_MAX_DEPTH);
	begin_item(json, key);
	buf_append_char(json->out, bracket);
	json->has_item[json->depth++] = false;
}

static void close_group(struct json *json, char bracket)
{
	assert(json->depth > 0);
	json->depth--;
	buf_append_char(json->out, bracket);
}

void json_init(struct json *json, struct buf *out)
{
	*json = (struct json){ .out = out };
}

void json_object_open(struct json *json, const char *key)
{
	open_group(json, key, '{');
}

void json_object_close(struct json *json)
{
	close_group(json, '}');
}

void json_array_open(struct json *json, const char *key)
{
	open_group(json, key, '[');
}

void json_array_close(struct json *json)
{
	close_group(json, ']');
}

void json_string(struct json *json, const char *key, const char *text)
{
	begin_item(json, key);
	put_quoted(json->out, text, strlen(text));
}

void json_u64(struct json *json, const char *key, uint64_t value)
{
	begin_item(json, key);
	buf_printf(json->out, "%" PRIu64, value);
}

void json_i64(struct json *json, const char *key, int64_t value)
{
	begin_item(json, key);
	buf_printf(json->out, "%" PRId64, value);
}

void json_bool(struct json *json, const char *key, bool value)
{
	begin_item(json, key);
	buf_append_string(json->out, value ? "true" : "false");
}

void json_null(struct json *json, const char *key)
{
	begin_item(json, key);
	buf_append_string(json->out, "null");
}

void json_raw(struct json *json, const char *key, const char *value, size_t len)
{
	begin_item(json, key);
	buf_append(json->out, value, len);
}

void json_bytes(struct json *json, const char *key, const char *bytes, size_t len)
{
	if (text_is_utf8(bytes, len)) {
		begin_item(json, key);
		put_quoted(json->out, bytes, len);
		return;
	}
	struct buf escaped = BUF_INIT(len * 4 + 1);
	for (size_t i = 0; i < len;) {
		size_t n = text_utf8_next(bytes + i, len - i);
		if (n == 0)
			buf_printf(&escaped, "\\x%02x", (unsigned char)bytes[i]);
		else
			buf_append(&escaped, bytes + i, n);
		i += n == 0 ? 1 : n;
	}
	begin_item(json, key);
	put_quoted(json->out, buf_string(&escaped), escaped.len);
	if (!buf_is_whole(&escaped))
		json->out->is_broken = true; /* no memory: the string above is not the whole one */
	buf_fini(&escaped);
}
