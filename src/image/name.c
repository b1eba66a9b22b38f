/* SPDX-License-Identifier: Apache-2.0 */
/* name.c - what an image may be called */
#include "image/name.h"

#include <string.h>

static bool is_alphanumeric(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
}

/* Length of the separator between two runs of letters: ".", "_", "__" or dashes; 0 if none. */
static size_t separator(const char *at)
{
	if (*at == '.')
		return 1;
	if (*at == '_')
		return at[1] == '_' ? 2 : 1;
	return strspn(at, "-");
}

/* Runs of letters and digits with single separators between them; returns where it ends. */
static const char *skip_part(const char *at)
{
	for (;;) {
		const char *run = at;
		while (is_alphanumeric(*at))
			at++;
		if (at == run)
			return NULL;
		size_t len = separator(at);
		if (len == 0)
			return at;
		at += len;
	}
}

/* A port, where a first part can be a host: only if a further part follows. */
static const char *skip_port(const char *at)
{
	size_t n_digits = *at == ':' ? strspn(at + 1, "0123456789") : 0;
	return n_digits > 0 && n_digits <= 5 && at[1 + n_digits] == '/' ? at + 1 + n_digits : at;
}

static bool is_tag(const char *text)
{
	size_t len = strlen(text);
	return len > 0 && len <= IMAGE_TAG_MAX && *text != '.' && *text != '-' &&
	       strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-") ==
		       len;
}

/* What is wrong with @text, or NULL; *ret_has_tag tells whether it names a tag. */
static const char *find_fault(const char *text, bool *ret_has_tag)
{
	const char *at = skip_part(text);
	*ret_has_tag = false;
	if (at)
		at = skip_port(at);
	while (at && *at == '/')
		at = skip_part(at + 1);
	if (!at)
		return "has a part that is not lower-case letters and digits with single signs between them";
	if (*at == ':') {
		*ret_has_tag = true;
		return is_tag(at + 1) ? NULL
				      : "has a tag that is not letters, digits, '_', '.', '-'";
	}
	return *at == '\0'
		       ? NULL
		       : "has something that is not lower-case letters, digits or one of . _ - / :";
}

int image_name_parse(const char *text, char ret_name[IMAGE_NAME_BYTES], struct error *err)
{
	static const char tag[] = ":latest";
	bool has_tag;
	const char *fault = find_fault(text, &has_tag);
	size_t len = strlen(text);
	if (!fault && len + (has_tag ? 0 : sizeof(tag) - 1) > IMAGE_NAME_MAX)
		fault = "is too long: with its tag a name has at most 200 bytes";
	if (fault) {
		int r = error_set(err, ERR_INVALID, 0, text, "as the name of an image, %s", fault);
		return error_remedy(err, r,
				    "write a name such as base, tools/node:20 or "
				    "localhost:5000/base:v1");
	}
	(void)snprintf(ret_name, IMAGE_NAME_BYTES, "%s%s", text, has_tag ? "" : tag);
	return 0;
}

void image_name_escape(const char *name, char ret_file[IMAGE_NAME_BYTES])
{
	(void)snprintf(ret_file, IMAGE_NAME_BYTES, "%s", name);
	for (char *at = ret_file; *at; at++) {
		if (*at == '/')
			*at = '+';
	}
}

bool image_name_unescape(const char *file, char ret_name[IMAGE_NAME_BYTES])
{
	char name[IMAGE_NAME_BYTES];
	bool has_tag;
	if (strlen(file) > IMAGE_NAME_MAX || strchr(file, '/'))
		return false;
	(void)snprintf(name, sizeof(name), "%s", file);
	for (char *at = name; *at; at++) {
		if (*at == '+')
			*at = '/';
	}
	if (find_fault(name, &has_tag) || !has_tag)
		return false;
	memcpy(ret_name, name, sizeof(name));
	return true;
}
