/* SPDX-License-Identifier: Apache-2.0 */
/* glob_test.c - patterns over paths */
#include <string.h>

#include "support/tap.h"
#include "workspacetool/glob.h"

static bool matches(const char *pattern, const char *path)
{
	return glob_matches(pattern, path, strlen(path));
}

static void test_names_are_looked_for_in_every_folder(void)
{
	OK(matches("*.c", "a.c"));
	OK(matches("*.c", "src/deep/a.c"));
	OK(!matches("*.c", "a.h"));
	OK(matches("build", "build"));
	OK(matches("build", "sub/build/out"));
	OK(matches("build/", "build/out"));
	OK(!matches("build", "rebuild"));
}

static void test_a_slash_counts_from_the_top(void)
{
	OK(matches("src/*.c", "src/a.c"));
	OK(!matches("src/*.c", "lib/src/a.c"));
	OK(!matches("src/*.c", "src/deep/a.c"));
	OK(matches("src/**/a.c", "src/deep/er/a.c"));
	OK(matches("src/**/a.c", "src/a.c"));
	OK(matches("/a", "a"));
	OK(!matches("/a", "b/a"));
	OK(matches("src/x", "src/x/a.c"));
	OK(matches("/", "anything/at/all"));
}

static void test_sets_and_escapes(void)
{
	OK(matches("[a-c]", "b"));
	OK(!matches("[a-c]", "d"));
	OK(matches("[!a-c]", "d"));
	OK(matches("[]]", "]"));
	OK(!matches("x[!a]y", "x/y"));
	OK(matches("\\*", "*"));
	OK(!matches("\\*", "a"));
	OK(matches("a?c", "abc"));
	OK(!matches("a?c", "a/c"));
	OK(matches("[\x80-\xff]", "\xf0"));
}

static void test_what_has_no_end_is_no_pattern(void)
{
	char long_one[GLOB_MAX_BYTES + 2];
	memset(long_one, 'a', sizeof(long_one) - 1);
	long_one[sizeof(long_one) - 1] = '\0';
	OK(!glob_is_valid(""));
	OK(!glob_is_valid("[a"));
	OK(!glob_is_valid("a\\"));
	OK(!glob_is_valid(long_one));
	OK(glob_is_valid(long_one + 1));
}

/* A matcher that tries one way after the other would take longer than anybody waits. */
static void test_many_stars_are_not_slow(void)
{
	char name[3000];
	memset(name, 'a', sizeof(name));
	OK(!glob_matches("*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b", name, sizeof(name)));
}

int main(void)
{
	RUN(test_names_are_looked_for_in_every_folder);
	RUN(test_a_slash_counts_from_the_top);
	RUN(test_sets_and_escapes);
	RUN(test_what_has_no_end_is_no_pattern);
	RUN(test_many_stars_are_not_slow);
	return tap_done();
}
