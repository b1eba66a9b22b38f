/* SPDX-License-Identifier: Apache-2.0 */
/* text.h - bytes that a stranger chose, made safe to show */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * text_escape() - copy bytes so that a terminal and a log can show them
 *
 * Control bytes, DEL, bytes that are not part of valid UTF-8, and characters that are invisible or
 * turn the direction of writing, become \xNN, a backslash becomes two.  The result always ends with
 * a NUL and never with half a sequence; it is cut when @size is too small.
 */
void text_escape(const char *bytes, size_t len, char *text, size_t size);

/*
 * text_utf8_next() - length in bytes of the UTF-8 sequence at @bytes
 *
 * 1 to 4; 0 if the bytes are not valid UTF-8 (overlong forms, surrogates and values above
 * U+10FFFF included).  Source: RFC 3629 section 4.
 */
size_t text_utf8_next(const char *bytes, size_t len);

/* text_utf8_decode() - the code point of a sequence of @n bytes, as text_utf8_next() measured it.
 */
uint32_t text_utf8_decode(const char *bytes, size_t n);

/*
 * text_is_invisible() - whether a character leaves no mark of its own
 *
 * Those that Unicode calls default ignorable (HFS+, and ext4 and f2fs where they fold case, leave
 * them out of a comparison), and those that turn the direction of writing or begin a line.
 * Source: Unicode 15 DerivedCoreProperties.txt.
 */
bool text_is_invisible(uint32_t point);

/* text_is_utf8() - true if all @len bytes are valid UTF-8. */
bool text_is_utf8(const char *bytes, size_t len);

/*
 * text_parse_u64() - a whole decimal number, nothing around it
 *
 * Returns true and the value, false for an empty text, a sign, a space, another base or a value
 * above UINT64_MAX.
 */
bool text_parse_u64(const char *text, uint64_t *ret_value);

/*
 * text_distance() - how many letters must be added, removed, changed or swapped with their
 * neighbour to make @word of the @len bytes at @text; at most TEXT_DISTANCE_FAR
 *
 * For "did you mean": words that are within TEXT_DISTANCE_NEAR, and less than half of the longer
 * one apart, are near; all others are TEXT_DISTANCE_FAR.
 */
unsigned text_distance(const char *text, size_t len, const char *word);

#define TEXT_DISTANCE_NEAR 3
#define TEXT_DISTANCE_FAR  1000
