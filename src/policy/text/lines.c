/* SPDX-License-Identifier: Apache-2.0 */
/* lines.c - where each field of a document was given */
#include "policy/text/lines.h"

#include <stdlib.h>
#include <string.h>

#include "policy/store.h"

/* Room for the name in front of a subject; of a longer one the end is shown. */
#define MAX_SHOWN_NAME_BYTES 48

bool policy_text_line_add(struct policy_text *text, const char *path, unsigned line)
{
	if (text->n_lines == text->n_allocated) {
		size_t n_more = MAX(2 * text->n_allocated, (size_t)64);
		struct policy_text_line *lines =
			reallocarray(text->lines, n_more, sizeof(*text->lines));
		if (!lines)
			return false;
		text->lines = lines;
		text->n_allocated = n_more;
	}
	char *copy = strdup(path);
	if (!copy)
		return false;
	struct policy_text_line *last = &text->lines[text->n_lines++];
	*last = (struct policy_text_line){ .line = line };
	policy_string_replace(&last->path, copy);
	return true;
}

unsigned policy_text_line_find(const struct policy_text *text, const char *path)
{
	for (size_t i = 0; i < text->n_lines; i++)
		if (strcmp(text->lines[i].path, path) == 0)
			return text->lines[i].line;
	return 0;
}

void policy_text_fini(struct policy_text *text)
{
	for (size_t i = 0; i < text->n_lines; i++)
		free(text->lines[i].path);
	free(text->lines);
	text->lines = NULL;
	text->n_lines = text->n_allocated = 0;
}

void policy_text_place_at(const struct policy_text *text, unsigned line, struct error *err)
{
	char prefix[MAX_SHOWN_NAME_BYTES + 32];
	size_t len = strlen(text->name);
	bool is_long = len > MAX_SHOWN_NAME_BYTES;
	const char *name = is_long ? text->name + len - MAX_SHOWN_NAME_BYTES : text->name;
	int used = snprintf(prefix, sizeof(prefix), "%s%s", is_long ? "..." : "", name);
	if (line > 0)
		(void)snprintf(prefix + used, sizeof(prefix) - (size_t)used, ":%u", line);
	(void)error_under(err, 0, prefix);
}

void policy_text_place(const struct policy_text *text, struct error *err)
{
	char path[sizeof(err->subject)];
	(void)snprintf(path, sizeof(path), "%s", err->subject);
	unsigned line = policy_text_line_find(text, path);
	/* What is missing has no line; its item or group has one. */
	for (size_t len = strlen(path); line == 0 && len > 0; len--) {
		if (path[len] != '.' && path[len] != '[')
			continue;
		path[len] = '\0';
		line = policy_text_line_find(text, path);
	}
	policy_text_place_at(text, line, err);
}
