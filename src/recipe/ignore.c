/* SPDX-License-Identifier: Apache-2.0 */
/* ignore.c - .dockerignore: one pattern a line, "!" keeps, the last that matches counts */
#include "recipe/ignore.h"

#include <string.h>

#include "base/text.h"

static int fail(struct reader *reader, unsigned line, const char *text, const char *what)
{
	char subject[128];
	(void)snprintf(subject, sizeof(subject), "%.100s:%u", reader->order->ignore_name, line);
	int r = error_set(reader->err, ERR_INVALID, 0, subject, "'%.100s' %s", text, what);
	return error_remedy(reader->err, r, "write a path or pattern of the context, one a line");
}

static int add_pattern(struct reader *reader, unsigned number, const char *text, size_t len)
{
	struct recipe_plan *plan = reader->plan;
	bool is_kept = len > 0 && text[0] == '!', leads_out = false;
	const char *copy = recipe_copy(&plan->arena, text + is_kept, len - is_kept);
	if (!copy)
		return reader_no_memory(reader);
	if (!text_is_utf8(text, len) || memchr(text, '\0', len))
		return fail(reader, number, "", "has bytes that are not UTF-8 text");
	const char *path = path_relative(&plan->arena, copy, &leads_out);
	if (leads_out)
		return fail(reader, number, copy, "leads out of the build context");
	if (plan->n_ignores >= RECIPE_MAX_ITEMS)
		return fail(reader, number, copy, "is one pattern too many");
	plan->ignores =
		recipe_grow(&plan->arena, plan->ignores, plan->n_ignores, sizeof(*plan->ignores));
	if (!path || !plan->ignores)
		return reader_no_memory(reader);
	/* "." alone would be the context itself, and says nothing. */
	if (path[0])
		plan->ignores[plan->n_ignores++] = (struct recipe_pattern){ path, is_kept };
	return 0;
}

int ignore_read(struct reader *reader)
{
	const char *text = reader->order->ignore;
	const char *end = text ? text + reader->order->ignore_len : text;
	for (unsigned number = 1; text < end; number++) {
		const char *newline = memchr(text, '\n', (size_t)(end - text));
		const char *line_end = newline ? newline : end;
		const char *line = text;
		text = newline ? newline + 1 : end;
		while (line < line_end && (*line == ' ' || *line == '\t'))
			line++;
		while (line < line_end && strchr(" \t\r", line_end[-1]))
			line_end--;
		if (line == line_end || *line == '#')
			continue;
		int r = add_pattern(reader, number, line, (size_t)(line_end - line));
		if (r != 0)
			return r;
	}
	return 0;
}
