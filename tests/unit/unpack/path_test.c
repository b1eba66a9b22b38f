/* SPDX-License-Identifier: Apache-2.0 */
/* path_test.c - names of members: one form, and what is refused */
#include "support/tap.h"
#include "unpack/path.h"

static void one_form(void)
{
	static const struct {
		const char *name, *path;
	} rows[] = { { "a", "a" },         { "./a//b/", "a/b" },      { ".", "" },
		     { "./", "" },         { "a/./b/.", "a/b" },      { "..a/...", "..a/..." },
		     { "a b\n", "a b\n" }, { "\xff\xfe", "\xff\xfe" } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		static struct unpack_fault fault;
		char path[IMAGE_PATH_MAX + 1];
		EQ(path_normalize(&fault, rows[i].name, path), 0);
		STR_EQ(path, rows[i].path);
	}
}

static void expect_fault(const char *name, enum image_fault_id id, uint64_t first, uint64_t second)
{
	static struct unpack_fault fault;
	char path[IMAGE_PATH_MAX + 1];
	EQ(path_normalize(&fault, name, path), -1);
	EQ(fault.id, id);
	EQ(fault.numbers[0], first);
	EQ(fault.numbers[1], second);
}

static void refused(void)
{
	static char text[2 * IMAGE_PATH_MAX];
	expect_fault("", IMAGE_FAULT_NO_NAME, 0, 0);
	expect_fault("/", IMAGE_FAULT_ABSOLUTE, 0, 0);
	expect_fault("..", IMAGE_FAULT_UP, 0, 0);
	expect_fault("a/..", IMAGE_FAULT_UP, 0, 0);
	expect_fault("a/../b", IMAGE_FAULT_UP, 0, 0);
	memset(text, 'n', 256);
	expect_fault(text, IMAGE_FAULT_NAME_LONG, 256, 0);
	for (size_t i = 0; i < 512; i++)
		text[i] = i % 2 == 0 ? 'p' : '/';
	expect_fault(text, IMAGE_FAULT_PATH_LONG, 512, 256);
	memset(text, 0, sizeof(text));
	for (size_t i = 0; i < IMAGE_PATH_MAX + 1; i++)
		text[i] = i % 200 == 199 ? '/' : 'p';
	expect_fault(text, IMAGE_FAULT_PATH_LONG, IMAGE_PATH_MAX + 1, 21);
}

static void longest(void)
{
	static struct unpack_fault fault;
	static char text[IMAGE_PATH_MAX + 1], path[IMAGE_PATH_MAX + 1];
	for (size_t i = 0; i < IMAGE_PATH_MAX; i++)
		text[i] = i % 200 == 199 ? '/' : 'p';
	EQ(path_normalize(&fault, text, path), 0);
	STR_EQ(path, text);
}

int main(void)
{
	RUN(one_form);
	RUN(refused);
	RUN(longest);
	return tap_done();
}
