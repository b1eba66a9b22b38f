/* SPDX-License-Identifier: Apache-2.0 */
/* Globs, byte by byte. */
#include "support/tap.h"
#include "workspace/glob.c"

static const struct {
	const char *glob, *path;
	bool fits;
} rows[] = {
	{ "", "", true },
	{ "", "a", false },
	{ "a", "a", true },
	{ "a", "A", true },
	{ ".env*", ".ENV.local", true },
	{ ".env*", ".env", true },
	{ ".env*", ".env/x", false },
	{ "*", "a\nb", true },
	{ "*.pem", "a.pem.pem", true },
	{ "*.pem", "\xff\xfe.pem", true },
	{ "a?c",
	  "a\xff"
	  "c",
	  true },
	{ "a?c", "a/c", false },
	{ "*a*b*c*", "xxaxxbxxc", true },
	{ "*a*b*c*", "xxaxxcxxb", false },
	{ "[a-c]x", "Bx", true },
	{ "[!a-c]x", "dx", true },
	{ "[!a-c]x", "bx", false },
	{ "[!a]x", "/x", false },
	{ "[]]x", "]x", true },
	{ "[x", "[x", true },
	{ "a\\*", "a*", true },
	{ "a\\*", "ab", false },
	{ "**/.aws", ".aws", true },
	{ "**/.aws", "x/.aws", true },
	{ "**/.aws", "x/y/.aws", true },
	{ "**/.aws", "x.aws", false },
	{ "**/.aws", "y/x.aws", false },
	{ "**/a/*/c", "a/b/c", true },
	{ "**/a/*/c", "a/b/x/a/b/c", true },
	{ "**/a/*/c", "a/b/b/c", false },
	{ "**/.git/modules/**/config", ".git/modules/config", true },
	{ "**/.git/modules/**/config", ".git/modules/a/b/config", true },
	{ "**/.git/modules/**/config", "x/.git/modules/a/modules/b/config", true },
	{ "**/.git/modules/**/config", ".git/modules/a/xconfig", false },
	{ "config/*.yml", "config/a.yml", true },
	{ "config/*.yml", "config/a/b.yml", false },
	{ "config/**", "config/a/b.yml", true },
	{ "a**b", "a/x/b", true },
	{ "**", "a/b", true },
	{ "*/x", "a/b/x", false },
};

static void every_row_fits_or_not(void)
{
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		bool fits = glob_fits(rows[i].glob, strlen(rows[i].glob), rows[i].path,
				      strlen(rows[i].path));
		if (fits != rows[i].fits)
			FAIL("'%s' and '%s': %d", rows[i].glob, rows[i].path, fits);
	}
}

/* Many stars must not take exponential time. */
static void many_stars_are_quick(void)
{
	char path[4096];
	static const char glob[] = "*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*a*b";
	memset(path, 'a', sizeof(path));
	OK(!glob_fits(glob, strlen(glob), path, sizeof(path)));
	OK(!glob_fits("**/**/**/**/**/x", 16, path, sizeof(path)));
}

int main(void)
{
	RUN(every_row_fits_or_not);
	RUN(many_stars_are_quick);
	return tap_done();
}
