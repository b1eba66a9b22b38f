/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pairs.c - the one escape of JSON that YAML does not know
 *
 * JSON writes a character beyond U+FFFF as two escapes, "\ud83d\ude00"; YAML as one,
 * "\U0001f600".  Only in a quoted scalar is that an escape, and where those begin is plain in a
 * text that is built as JSON is.  So this follows a text from its first brace for as long as it
 * is, and leaves alone whatever comes from the first byte on that JSON would not have there.
 */
#include <string.h>

#include "policy/text/lines.h"

static bool is_space(char c)
{
	return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/* What stands between the strings of JSON. */
static bool is_structure(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       (c != '\0' && strchr("{}[]:,+-.", c));
}

/* "\uXXXX" at @at: its value, or 0. */
static uint32_t read_escape(const char *at, size_t len)
{
	uint32_t value = 0;
	if (len < 6 || at[0] != '\\' || at[1] != 'u')
		return 0;
	for (size_t i = 2; i < 6; i++) {
		static const char digits[] = "0123456789abcdef";
		const char *digit = at[i] ? strchr(digits, at[i] | 0x20) : NULL;
		if (!digit)
			return 0;
		value = value * 16 + (uint32_t)(digit - digits);
	}
	return value;
}

/* One escape, or a pair; returns how many bytes it had. */
static size_t copy_escape(const char *at, size_t len, struct buf *out)
{
	uint32_t first = read_escape(at, len);
	uint32_t second = len > 6 ? read_escape(at + 6, len - 6) : 0;
	if (first >> 10 == 0xd800 >> 10 && second >> 10 == 0xdc00 >> 10) {
		buf_printf(out, "\\U%08x", 0x10000 + ((first & 0x3ff) << 10) + (second & 0x3ff));
		return 12;
	}
	size_t n = MIN(len, (size_t)2);
	buf_append(out, at, n);
	return n;
}

/* A string from its first quote on; returns how many bytes it had. */
static size_t copy_string(const char *bytes, size_t len, struct buf *out)
{
	size_t at = 1;
	buf_append_char(out, '"');
	while (at < len) {
		if (bytes[at] == '\\') {
			at += copy_escape(bytes + at, len - at, out);
			continue;
		}
		buf_append_char(out, bytes[at]);
		if (bytes[at++] == '"')
			break;
	}
	return at;
}

void policy_text_join_pairs(const char *bytes, size_t len, struct buf *out)
{
	char before = '\0'; /* the last byte that is no space */
	size_t at = 0;
	while (at < len) {
		char c = bytes[at];
		bool may_begin = before != '\0' && strchr("{[,:", before);
		if (c == '"' && may_begin) {
			at += copy_string(bytes + at, len - at, out);
			before = '"';
			continue;
		}
		if (before == '\0' ? !is_space(c) && c != '{' : !is_space(c) && !is_structure(c))
			break;
		if (!is_space(c))
			before = c;
		buf_append_char(out, c);
		at++;
	}
	buf_append(out, bytes + at, len - at);
}
