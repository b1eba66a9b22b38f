/* SPDX-License-Identifier: Apache-2.0 */
/* json_form.c - ["program", "argument"]: an array of strings, as RFC 8259 has it */
#include <string.h>

#include "base/cleanup.h"
#include "recipe/reader.h"

struct cursor {
	const char *at, *end;
};

static void skip_space(struct cursor *cursor)
{
	while (cursor->at < cursor->end && strchr(" \t\r\n", *cursor->at))
		cursor->at++;
}

static bool take(struct cursor *cursor, char c)
{
	skip_space(cursor);
	if (cursor->at == cursor->end || *cursor->at != c)
		return false;
	cursor->at++;
	return true;
}

static bool read_hex(struct cursor *cursor, uint32_t *ret)
{
	*ret = 0;
	if (cursor->end - cursor->at < 4)
		return false;
	for (int i = 0; i < 4; i++) {
		char c = *cursor->at++;
		uint32_t digit;
		if (c >= '0' && c <= '9')
			digit = (uint32_t)(c - '0');
		else if ((c | 0x20) >= 'a' && (c | 0x20) <= 'f')
			digit = (uint32_t)((c | 0x20) - 'a') + 10;
		else
			return false;
		*ret = *ret * 16 + digit;
	}
	return true;
}

static void put_utf8(struct buf *out, uint32_t value)
{
	if (value < 0x80) {
		buf_append_char(out, (char)value);
	} else if (value < 0x800) {
		buf_append_char(out, (char)(0xc0 | value >> 6));
		buf_append_char(out, (char)(0x80 | (value & 0x3f)));
	} else if (value < 0x10000) {
		buf_append_char(out, (char)(0xe0 | value >> 12));
		buf_append_char(out, (char)(0x80 | (value >> 6 & 0x3f)));
		buf_append_char(out, (char)(0x80 | (value & 0x3f)));
	} else {
		buf_append_char(out, (char)(0xf0 | value >> 18));
		buf_append_char(out, (char)(0x80 | (value >> 12 & 0x3f)));
		buf_append_char(out, (char)(0x80 | (value >> 6 & 0x3f)));
		buf_append_char(out, (char)(0x80 | (value & 0x3f)));
	}
}

/* Behind "\u"; a surrogate needs its other half, and NUL is no part of an argument. */
static bool read_unicode(struct cursor *cursor, struct buf *out)
{
	uint32_t value, low;
	if (!read_hex(cursor, &value) || value == 0 || (value >= 0xdc00 && value <= 0xdfff))
		return false;
	if (value >= 0xd800 && value <= 0xdbff) {
		if (cursor->end - cursor->at < 2 || *cursor->at++ != '\\' || *cursor->at++ != 'u')
			return false;
		if (!read_hex(cursor, &low) || low < 0xdc00 || low > 0xdfff)
			return false;
		value = 0x10000 + ((value - 0xd800) << 10) + (low - 0xdc00);
	}
	put_utf8(out, value);
	return true;
}

static bool read_escape(struct cursor *cursor, struct buf *out)
{
	static const char letters[] = "\"\\/bfnrt";
	static const char values[] = "\"\\/\b\f\n\r\t";
	if (cursor->at == cursor->end)
		return false;
	char c = *cursor->at++;
	if (c == 'u')
		return read_unicode(cursor, out);
	const char *found = c ? strchr(letters, c) : NULL;
	if (found)
		buf_append_char(out, values[found - letters]);
	return found != NULL;
}

static bool read_string(struct cursor *cursor, struct buf *out)
{
	if (!take(cursor, '"'))
		return false;
	while (cursor->at < cursor->end) {
		char c = *cursor->at++;
		if (c == '"')
			return true;
		if ((unsigned char)c < 0x20)
			return false;
		if (c != '\\')
			buf_append_char(out, c);
		else if (!read_escape(cursor, out))
			return false;
	}
	return false;
}

/* 0, 1 if it is no array of strings, or -code. */
static int read_items(struct reader *reader, struct cursor *cursor, struct recipe_list *ret)
{
	struct recipe_arena *arena = &reader->plan->arena;
	if (take(cursor, ']'))
		return 0;
	do {
		auto_buf struct buf text = BUF_INIT(RECIPE_MAX_WORD_BYTES);
		if (!read_string(cursor, &text))
			return 1;
		if (!buf_is_whole(&text) ||
		    !list_add(arena, ret, recipe_copy(arena, buf_string(&text), text.len)))
			return reader_no_memory(reader);
	} while (take(cursor, ','));
	return take(cursor, ']') ? 0 : 1;
}

int reader_json_form(struct reader *reader, const char *text, size_t len, struct recipe_list *ret)
{
	struct cursor cursor = { text, text + len };
	struct recipe_list items = { .items = NULL };
	if (!take(&cursor, '['))
		return 1;
	if (cursor.at == text + 1 && cursor.at < cursor.end && *cursor.at == '\'') {
		int r = reader_fail(reader, ERR_INVALID, "'%.60s' is not JSON", text);
		return error_remedy(reader->err, r,
				    "use double quotes: [\"program\", \"argument\"]");
	}
	int r = read_items(reader, &cursor, &items);
	if (r != 0)
		return r;
	skip_space(&cursor);
	if (cursor.at != cursor.end)
		return 1;
	*ret = items;
	return 0;
}
