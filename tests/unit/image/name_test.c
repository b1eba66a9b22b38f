/* SPDX-License-Identifier: Apache-2.0 */
/* name_test.c - names of images: what is taken, what is refused, and the way to a file name */
#include "image/name.h"
#include "support/tap.h"

static const struct {
	const char *text, *name;
} good[] = {
	{ "base", "base:latest" },
	{ "base:v1", "base:v1" },
	{ "tools/node:20", "tools/node:20" },
	{ "a.b_c__d---e/f", "a.b_c__d---e/f:latest" },
	{ "localhost:5000/base", "localhost:5000/base:latest" },
	{ "localhost:5000/base:V_1.x-y", "localhost:5000/base:V_1.x-y" },
	{ "5000:80", "5000:80" },
};

static const char *const bad[] = {
	"",    ":v1",  "/base", "base/", "a//b",       "a..b",  "a___b",    ".a",     "-a",
	"a-",  "Base", "a:",    "a:.x",  "a:-x",       "a:b:c", "a/b:80/c", "../a",   "a/../b",
	"a b", "a\nb", "a+b",   "a@b",   "a:800000/b", "a:/b",  "a\xff",    "a:\xff", "a:80/b:x y",
};

static void full_names(void)
{
	char name[IMAGE_NAME_BYTES], again[IMAGE_NAME_BYTES];
	for (size_t i = 0; i < ARRAY_LEN(good); i++) {
		struct error err = { .code = ERR_NONE };
		EQ(image_name_parse(good[i].text, name, &err), 0);
		STR_EQ(name, good[i].name);
		EQ(image_name_parse(name, again, &err), 0);
		STR_EQ(again, name);
	}
}

static void refused_names(void)
{
	for (size_t i = 0; i < ARRAY_LEN(bad); i++) {
		char name[IMAGE_NAME_BYTES] = "untouched";
		struct error err = { .code = ERR_NONE };
		ERR(image_name_parse(bad[i], name, &err), &err, ERR_INVALID, bad[i]);
		OK(err.remedy[0]);
		STR_EQ(name, "untouched");
	}
}

static void longest_names(void)
{
	char text[300], name[IMAGE_NAME_BYTES];
	struct error err = { .code = ERR_NONE };
	memset(text, 'a', sizeof(text));
	text[IMAGE_NAME_MAX - 7] = '\0';
	EQ(image_name_parse(text, name, &err), 0);
	EQ(strlen(name), IMAGE_NAME_MAX);
	text[IMAGE_NAME_MAX - 7] = 'a';
	text[IMAGE_NAME_MAX - 6] = '\0';
	EQ(image_name_parse(text, name, &err), -ERR_INVALID);
}

static void escapes(void)
{
	char file[IMAGE_NAME_BYTES], name[IMAGE_NAME_BYTES];
	image_name_escape("localhost:5000/a/b:v1", file);
	STR_EQ(file, "localhost:5000+a+b:v1");
	OK(image_name_unescape(file, name));
	STR_EQ(name, "localhost:5000/a/b:v1");
	OK(!image_name_unescape("base", name));
	OK(!image_name_unescape(".", name));
	OK(!image_name_unescape("..", name));
	OK(!image_name_unescape("a/b:v1", name));
	OK(!image_name_unescape(".base:v1.tmp", name));
}

int main(void)
{
	RUN(full_names);
	RUN(refused_names);
	RUN(longest_names);
	RUN(escapes);
	return tap_done();
}
