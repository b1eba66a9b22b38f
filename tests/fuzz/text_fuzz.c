/* SPDX-License-Identifier: Apache-2.0 */
/* text_fuzz.c - escaping and UTF-8: whatever comes in, what comes out is safe to show */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Escaped text is UTF-8, holds no control byte, and is cut only at the end of a sequence. */
static void check_escape(const char *bytes, size_t len, size_t room)
{
	char *text = malloc(room);
	assert(text);
	text_escape(bytes, len, text, room);
	size_t n = strnlen(text, room);
	assert(n < room);
	assert(text_is_utf8(text, n));
	for (size_t i = 0; i < n; i++)
		assert((unsigned char)text[i] >= 0x20 && text[i] != 0x7f);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	if (size > 64 * 1024)
		return 0;
	check_escape(bytes, size, 4 * size + 1);
	check_escape(bytes, size, size / 2 + 1);
	check_escape(bytes, size, 1);

	bool is_whole = true;
	for (size_t at = 0; at < size;) {
		size_t n = text_utf8_next(bytes + at, size - at);
		assert(n <= 4 && n <= size - at);
		is_whole = is_whole && n > 0;
		at += n > 0 ? n : 1;
	}
	assert(is_whole == text_is_utf8(bytes, size));
	return 0;
}
