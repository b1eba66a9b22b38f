/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - bytes that a stranger chose, made safe to show */
#include "base/text.h"

#include <string.h>

#include "base/macros.h"

static bool is_continuation(unsigned char byte)
{
	return (byte & 0xc0) == 0x80;
}

size_t text_utf8_next(const char *bytes, size_t len)
{
	const unsigned char *b = (const unsigned char *)bytes;
	if (len == 0)
		return 0;
	if (b[0] < 0x80)
		return 1;
	if (b[0] >= 0xc2 && b[0] <= 0xdf)
		return len >= 2 && is_continuation(b[1]) ? 2 : 0;
	if (b[0] >= 0xe0 && b[0] <= 0xef) {
		if (len < 3 || !is_continuation(b[1]) || !is_continuation(b[2]))
			return 0;
		bool is_overlong = b[0] == 0xe0 && b[1] < 0xa0;
		bool is_surrogate = b[0] == 0xed && b[1] > 0x9f;
		return is_overlong || is_surrogate ? 0 : 3;
	}
	if (b[0] >= 0xf0 && b[0] <= 0xf4) {
		if (len < 4 || !is_continuation(b[1]) || !is_continuation(b[2]) ||
		    !is_continuation(b[3]))
			return 0;
		bool is_overlong = b[0] == 0xf0 && b[1] < 0x90;
		bool is_too_large = b[0] == 0xf4 && b[1] > 0x8f;
		return is_overlong || is_too_large ? 0 : 4;
	}
	return 0;
}

bool text_is_utf8(const char *bytes, size_t len)
{
	for (size_t i = 0; i < len;) {
		size_t n = text_utf8_next(bytes + i, len - i);
		if (n == 0)
			return false;
		i += n;
	}
	return true;
}

uint32_t text_utf8_decode(const char *bytes, size_t n)
{
	const unsigned char *b = (const unsigned char *)bytes;
	static const unsigned char masks[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t point = b[0] & masks[n];
	for (size_t i = 1; i < n; i++)
		point = point << 6 | (b[i] & 0x3f);
	return point;
}

bool text_is_invisible(uint32_t point)
{
	static const struct {
		uint32_t first, last;
	} ranges[] = {
		{ 0xad, 0xad },       { 0x34f, 0x34f },     { 0x61c, 0x61c },
		{ 0x115f, 0x1160 },   { 0x17b4, 0x17b5 },   { 0x180b, 0x180f },
		{ 0x200b, 0x200f },   { 0x2028, 0x202e },   { 0x2060, 0x206f },
		{ 0x3164, 0x3164 },   { 0xfe00, 0xfe0f },   { 0xfeff, 0xfeff },
		{ 0xffa0, 0xffa0 },   { 0xfff0, 0xfff8 },   { 0x1bca0, 0x1bca3 },
		{ 0x1d173, 0x1d17a }, { 0xe0000, 0xe0fff },
	};
	if (point < 0xad)
		return false;
	for (size_t i = 0; i < ARRAY_LEN(ranges); i++)
		if (point >= ranges[i].first && point <= ranges[i].last)
			return true;
	return false;
}

/* C1 controls (U+0080..U+009F) drive some terminals just as C0 does. */
static bool is_printable(const char *bytes, size_t n)
{
	const unsigned char *b = (const unsigned char *)bytes;
	if (n == 1)
		return b[0] >= 0x20 && b[0] != 0x7f;
	return !(n == 2 && b[0] == 0xc2 && b[1] < 0xa0) &&
	       !text_is_invisible(text_utf8_decode(bytes, n));
}

void text_escape(const char *bytes, size_t len, char *text, size_t size)
{
	static const char hex[] = "0123456789abcdef";
	size_t used = 0;
	for (size_t i = 0; i < len && size > 0;) {
		char piece[4];
		size_t n = text_utf8_next(bytes + i, len - i);
		size_t n_piece = n;
		if (n == 0 || !is_printable(bytes + i, n)) {
			unsigned char byte = (unsigned char)bytes[i];
			piece[0] = '\\';
			piece[1] = 'x';
			piece[2] = hex[byte >> 4];
			piece[3] = hex[byte & 15];
			n_piece = 4;
			n = 1;
		} else if (bytes[i] == '\\') {
			piece[0] = piece[1] = '\\';
			n_piece = 2;
		} else {
			memcpy(piece, bytes + i, n);
		}
		if (used + n_piece >= size)
			break;
		memcpy(text + used, piece, n_piece);
		used += n_piece;
		i += n;
	}
	if (size > 0)
		text[used] = '\0';
}

bool text_parse_u64(const char *text, uint64_t *ret_value)
{
	uint64_t value = 0;
	if (*text == '\0')
		return false;
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			return false;
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(*text - '0'), &value))
			return false;
	}
	*ret_value = value;
	return true;
}

#define DISTANCE_MAX_BYTES 32

unsigned text_distance(const char *text, size_t len, const char *word)
{
	/* Three rows of the table of distances between heads of the two: optimal string alignment.
	 */
	unsigned rows[3][DISTANCE_MAX_BYTES + 1];
	size_t word_len = strlen(word);
	if (len > DISTANCE_MAX_BYTES || word_len > DISTANCE_MAX_BYTES)
		return TEXT_DISTANCE_FAR;
	for (size_t j = 0; j <= word_len; j++)
		rows[0][j] = (unsigned)j;
	for (size_t i = 1; i <= len; i++) {
		unsigned *now = rows[i % 3], *before = rows[(i + 2) % 3],
			 *earlier = rows[(i + 1) % 3];
		now[0] = (unsigned)i;
		for (size_t j = 1; j <= word_len; j++) {
			bool is_same = text[i - 1] == word[j - 1];
			unsigned best = MIN(before[j], now[j - 1]) + 1;
			best = MIN(best, before[j - 1] + !is_same);
			if (i > 1 && j > 1 && text[i - 1] == word[j - 2] &&
			    text[i - 2] == word[j - 1])
				best = MIN(best, earlier[j - 2] + 1);
			now[j] = best;
		}
	}
	unsigned distance = rows[len % 3][word_len];
	bool is_near = distance <= TEXT_DISTANCE_NEAR && 2 * distance < MAX(len, word_len);
	return is_near ? distance : TEXT_DISTANCE_FAR;
}
