/* SPDX-License-Identifier: Apache-2.0 */
/* replace_dotenv.c - variables of an .env file, by placeholders */
#include <ctype.h>
#include <string.h>

#include "workspace/replace.h"

struct reader {
	const char *text;
	size_t len, at;
};

static bool is_over(const struct reader *reader)
{
	return reader->at >= reader->len;
}

static bool at_newline(const struct reader *reader)
{
	return is_over(reader) || reader->text[reader->at] == '\n' ||
	       (reader->text[reader->at] == '\r' && reader->at + 1 < reader->len &&
		reader->text[reader->at + 1] == '\n');
}

static void skip_blanks(struct reader *reader)
{
	while (!is_over(reader) &&
	       (reader->text[reader->at] == ' ' || reader->text[reader->at] == '\t'))
		reader->at++;
}

static void skip_line(struct reader *reader)
{
	while (!is_over(reader) && reader->text[reader->at] != '\n')
		reader->at++;
	reader->at += !is_over(reader);
}

/* Behind the value nothing may follow but a comment. */
static bool ends_here(struct reader *reader)
{
	skip_blanks(reader);
	if (!at_newline(reader) && reader->text[reader->at] != '#')
		return false;
	skip_line(reader);
	return true;
}

/*
 * From quote to quote, over lines.  Some readers take a backslash before a single quote for an
 * escape and some do not, so it is not understood.
 */
static bool read_quoted(struct reader *reader, char quote)
{
	for (reader->at++; !is_over(reader) && reader->text[reader->at] != quote; reader->at++) {
		if (reader->text[reader->at] != '\\')
			continue;
		if (quote == '\'' && reader->at + 1 < reader->len &&
		    reader->text[reader->at + 1] == quote)
			return false;
		reader->at += quote == '"';
	}
	if (is_over(reader))
		return false;
	reader->at++;
	return true;
}

/* A word up to the end of the line or a comment; blanks at its end are not part of it. */
static bool read_plain(struct reader *reader, size_t *ret_end)
{
	size_t end = reader->at;
	for (; !at_newline(reader); reader->at++) {
		char c = reader->text[reader->at];
		bool is_blank = c == ' ' || c == '\t';
		if (strchr("\"'`\\", c))
			return false;
		if (c == '#' && reader->at > 0 && strchr(" \t=", reader->text[reader->at - 1]))
			break;
		if (!is_blank)
			end = reader->at + 1;
	}
	*ret_end = end;
	return true;
}

static bool is_named(const struct policy_list *names, const char *name, size_t len)
{
	for (size_t i = 0; i < names->n_items; i++) {
		const char *item = names->items[i];
		if (strcmp(item, "*") == 0 || (strlen(item) == len && memcmp(item, name, len) == 0))
			return true;
	}
	return false;
}

/* NAME=VALUE, with or without "export" before it; false: not understood. */
static bool read_variable(struct reader *reader, const struct policy_list *names, struct buf *out,
			  bool *is_changed)
{
	static const char export[] = "export ";
	if (reader->len - reader->at > sizeof(export) &&
	    memcmp(reader->text + reader->at, export, sizeof(export) - 1) == 0) {
		buf_append_string(out, export);
		reader->at += sizeof(export) - 1;
		skip_blanks(reader);
	}
	size_t name_at = reader->at, value_at, value_end;
	while (!is_over(reader) && (isalnum((unsigned char)reader->text[reader->at]) ||
				    reader->text[reader->at] == '_'))
		reader->at++;
	size_t name_len = reader->at - name_at;
	skip_blanks(reader);
	if (name_len == 0 || isdigit((unsigned char)reader->text[name_at]) || is_over(reader) ||
	    reader->text[reader->at] != '=')
		return false;
	reader->at++;
	skip_blanks(reader);
	value_at = reader->at;
	bool is_quoted = !is_over(reader) && strchr("\"'", reader->text[reader->at]) &&
			 reader->text[reader->at];
	if (is_quoted ? !read_quoted(reader, reader->text[reader->at])
		      : !read_plain(reader, &value_end))
		return false;
	if (is_quoted)
		value_end = reader->at;
	const char *name = reader->text + name_at;
	buf_append(out, name, name_len);
	buf_append_char(out, '=');
	if (is_named(names, name, name_len)) {
		*is_changed = true;
		buf_append_string(out, REPLACE_PLACEHOLDER);
		buf_append(out, name, name_len);
	} else {
		buf_append(out, reader->text + value_at, value_end - value_at);
	}
	buf_append_char(out, '\n');
	return ends_here(reader);
}

enum replace_result replace_dotenv(const char *text, size_t len, const struct policy_list *names,
				   struct buf *out)
{
	struct reader reader = { .text = text, .len = len };
	bool is_changed = false;
	if (memchr(text, '\0', len))
		return REPLACE_UNKNOWN;
	while (!is_over(&reader)) {
		skip_blanks(&reader);
		if (at_newline(&reader) || reader.text[reader.at] == '#') {
			is_changed = is_changed || !at_newline(&reader);
			skip_line(&reader);
			continue;
		}
		if (!read_variable(&reader, names, out, &is_changed))
			return REPLACE_UNKNOWN;
	}
	if (!buf_is_whole(out))
		return REPLACE_UNKNOWN;
	return is_changed ? REPLACE_CHANGED : REPLACE_UNCHANGED;
}
