/* SPDX-License-Identifier: Apache-2.0 */
#include "base/text.h"
#include "support/tap.h"

static const char *escaped(const char *bytes, size_t len)
{
	static char text[128];
	text_escape(bytes, len, text, sizeof(text));
	return text;
}

static void test_text_escape_control_bytes_are_shown(void)
{
	STR_EQ(escaped("a\x1b[31m", 6), "a\\x1b[31m");
	STR_EQ(escaped("a\nb", 3), "a\\x0ab");
	STR_EQ(escaped("\\", 1), "\\\\");
	STR_EQ(escaped("\xc2\x9b", 2), "\\xc2\\x9b");
	STR_EQ(escaped("\xff\xc3\xa9", 3), "\\xff\xc3\xa9");
}

/* "gpj.exe" would be seen as "exe.jpg", and two names as one. */
static void test_text_escape_invisible_characters_are_shown(void)
{
	STR_EQ(escaped("a\xe2\x80\xaegpj.exe", 11), "a\\xe2\\x80\\xaegpj.exe");
	STR_EQ(escaped("a\xe2\x80\x8b", 4), "a\\xe2\\x80\\x8b");
	STR_EQ(escaped("a\xe2\x81\xa6\xf3\xa0\x80\xa0", 8), "a\\xe2\\x81\\xa6\\xf3\\xa0\\x80\\xa0");
	STR_EQ(escaped("\xe2\x82\xac\xe6\x97\xa5", 6), "\xe2\x82\xac\xe6\x97\xa5");
	OK(!text_is_invisible('a'));
	OK(text_is_invisible(0x202e));
}

static void test_text_escape_never_ends_in_half_a_piece(void)
{
	char text[5];
	text_escape("abc\x01", 4, text, sizeof(text));
	STR_EQ(text, "abc");
	text_escape("ab\xe2\x82\xac", 5, text, sizeof(text));
	STR_EQ(text, "ab");
}

static void test_text_is_utf8_refuses_what_rfc_3629_refuses(void)
{
	OK(text_is_utf8("\xf4\x8f\xbf\xbf", 4));
	OK(!text_is_utf8("\xf4\x90\x80\x80", 4));
	OK(!text_is_utf8("\xc0\x80", 2));
	OK(!text_is_utf8("\xed\xa0\x80", 3));
	OK(!text_is_utf8("\xe2\x82", 2));
}

static void test_text_parse_u64_takes_whole_decimal_numbers_only(void)
{
	uint64_t value = 0;
	OK(text_parse_u64("18446744073709551615", &value));
	OK(value == UINT64_MAX);
	OK(!text_parse_u64("18446744073709551616", &value));
	OK(!text_parse_u64("", &value));
	OK(!text_parse_u64("+1", &value));
	OK(!text_parse_u64("1 ", &value));
	OK(!text_parse_u64("0x1", &value));
}

static void test_text_distance_counts_edits_of_near_words(void)
{
	EQ(text_distance("level", 5, "level"), 0);
	EQ(text_distance("levle", 5, "level"), 1);
	EQ(text_distance("lvel", 4, "level"), 1);
	EQ(text_distance("levell", 6, "level"), 1);
	EQ(text_distance("bevel", 5, "level"), 1);
	EQ(text_distance("limit", 5, "level"), TEXT_DISTANCE_FAR);
	EQ(text_distance("", 0, "ps"), TEXT_DISTANCE_FAR);
	EQ(text_distance("levelxx", 5, "level"), 0);
	EQ(text_distance("abcdefghijklmnopqrstuvwxyzabcdefg", 33, "a"), TEXT_DISTANCE_FAR);
}

int main(void)
{
	RUN(test_text_escape_control_bytes_are_shown);
	RUN(test_text_escape_invisible_characters_are_shown);
	RUN(test_text_escape_never_ends_in_half_a_piece);
	RUN(test_text_is_utf8_refuses_what_rfc_3629_refuses);
	RUN(test_text_parse_u64_takes_whole_decimal_numbers_only);
	RUN(test_text_distance_counts_edits_of_near_words);
	return tap_done();
}
