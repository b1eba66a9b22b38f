/* SPDX-License-Identifier: Apache-2.0 */
/* replace_git.c - the configuration of a repository, without credentials */
#include <ctype.h>
#include <string.h>

#include "base/cleanup.h"
#include "workspace/replace.h"

#define MAX_VALUE_BYTES (64 * 1024)

/* Lower case; in a name of a variable they make it a secret. */
static const char *const secret_names[] = { "pass",   "token",  "secret", "extraheader",
					    "cookie", "apikey", "oauth",  "authorization" };

/* In a value, such as a command that prints a password. */
static const char *const secret_words[] = { "authorization", "bearer ", "password", "passwd",
					    "token",         "secret",  "apikey" };

struct reader {
	const char *text;
	size_t len, at;
	struct buf *out;
	bool is_changed;
};

static unsigned char lower(char c)
{
	return (unsigned char)(c >= 'A' && c <= 'Z' ? c + 32 : c);
}

static bool has_word(const char *text, size_t len, const char *word)
{
	size_t n = strlen(word);
	for (size_t i = 0; i + n <= len; i++) {
		size_t k = 0;
		while (k < n && lower(text[i + k]) == (unsigned char)word[k])
			k++;
		if (k == n)
			return true;
	}
	return false;
}

static bool has_any(const char *text, size_t len, const char *const *words, size_t n_words)
{
	for (size_t i = 0; i < n_words; i++) {
		if (has_word(text, len, words[i]))
			return true;
	}
	return false;
}

bool replace_git_may_hold(const char *text, size_t len)
{
	return memchr(text, '@', len) ||
	       has_any(text, len, secret_names, ARRAY_LEN(secret_names)) ||
	       has_any(text, len, secret_words, ARRAY_LEN(secret_words));
}

/* Where the host of a URL ends, credentials included: at a slash, a blank or a quote. */
static size_t authority_end(const char *text, size_t len, size_t at)
{
	while (at < len && !strchr("/?# \t\"'\n", text[at]) && text[at] != '\0')
		at++;
	return at;
}

static bool is_ssh(const char *text, size_t scheme_end)
{
	return scheme_end >= 3 && lower(text[scheme_end - 3]) == 's' &&
	       lower(text[scheme_end - 2]) == 's' && lower(text[scheme_end - 1]) == 'h';
}

/* Copies @text without what stands before the last @ of a URL's host; true if something went. */
static bool strip_urls(const char *text, size_t len, struct buf *out)
{
	bool is_changed = false;
	for (size_t at = 0; at < len;) {
		bool is_url = at + 3 <= len && memcmp(text + at, "://", 3) == 0;
		if (!is_url) {
			buf_append_char(out, text[at++]);
			continue;
		}
		bool keeps_user = is_ssh(text, at);
		buf_append(out, text + at, 3);
		at += 3;
		size_t end = authority_end(text, len, at);
		const char *mark = memrchr(text + at, '@', end - at);
		if (!mark)
			continue;
		size_t mark_at = (size_t)(mark - text);
		const char *colon = memchr(text + at, ':', mark_at - at);
		if (keeps_user) {
			buf_append(out, text + at, (colon ? (size_t)(colon - text) : mark_at) - at);
			buf_append_char(out, '@');
		}
		is_changed = is_changed || !keeps_user || colon;
		at = mark_at + 1;
	}
	return is_changed;
}

static bool at_newline(const struct reader *reader)
{
	const char *text = reader->text + reader->at;
	size_t left = reader->len - reader->at;
	return left == 0 || text[0] == '\n' || (left > 1 && text[0] == '\r' && text[1] == '\n');
}

static void skip_newline(struct reader *reader)
{
	reader->at += reader->at < reader->len && reader->text[reader->at] == '\r';
	reader->at += reader->at < reader->len;
}

static void skip_blanks(struct reader *reader)
{
	while (reader->at < reader->len && !at_newline(reader) &&
	       strchr(" \t\r\f\v", reader->text[reader->at]) && reader->text[reader->at])
		reader->at++;
}

/* The rest of the line, a comment; what could be a secret is left out. */
static void read_comment(struct reader *reader)
{
	size_t from = reader->at;
	while (!at_newline(reader))
		reader->at++;
	if (replace_git_may_hold(reader->text + from, reader->at - from)) {
		reader->is_changed = true;
		buf_append_char(reader->out, '#');
	} else {
		buf_append(reader->out, reader->text + from, reader->at - from);
	}
}

static void put_quoted(struct buf *out, const char *text, size_t len)
{
	buf_append_char(out, '"');
	for (size_t i = 0; i < len; i++) {
		if (text[i] == '"' || text[i] == '\\')
			buf_append_char(out, '\\');
		if (text[i] == '\n')
			buf_append_string(out, "\\n");
		else if (text[i] == '\t')
			buf_append_string(out, "\\t");
		else if (text[i] == '\b')
			buf_append_string(out, "\\b");
		else
			buf_append_char(out, text[i]);
	}
	buf_append_char(out, '"');
}

/* [name], [name.sub] or [name "sub"]; false: not understood. */
static bool read_section(struct reader *reader)
{
	auto_buf struct buf sub = BUF_INIT(MAX_VALUE_BYTES), clean = sub;
	size_t from = reader->at++, name_end;
	while (reader->at < reader->len &&
	       (isalnum((unsigned char)reader->text[reader->at]) ||
		reader->text[reader->at] == '-' || reader->text[reader->at] == '.'))
		reader->at++;
	name_end = reader->at;
	skip_blanks(reader);
	bool has_sub = reader->at < reader->len && reader->text[reader->at] == '"';
	if (has_sub) {
		for (reader->at++; !at_newline(reader) && reader->text[reader->at] != '"';
		     reader->at++) {
			if (reader->text[reader->at] == '\\') {
				reader->at++;
				if (at_newline(reader))
					return false;
			}
			buf_append_char(&sub, reader->text[reader->at]);
		}
		reader->at++;
	}
	if (reader->at >= reader->len || reader->text[reader->at] != ']' || !buf_is_whole(&sub))
		return false;
	reader->at++;
	if (!has_sub || !strip_urls(sub.data ? sub.data : "", sub.len, &clean)) {
		buf_append(reader->out, reader->text + from, reader->at - from);
		return true;
	}
	reader->is_changed = true;
	buf_append(reader->out, reader->text + from, name_end - from);
	buf_append_char(reader->out, ' ');
	put_quoted(reader->out, clean.data ? clean.data : "", clean.len);
	buf_append_char(reader->out, ']');
	return true;
}

/* What a backslash and @c stand for; -1: nothing that git knows. */
static int unescape(char c)
{
	switch (c) {
	case 'n':
		return '\n';
	case 't':
		return '\t';
	case 'b':
		return '\b';
	case '\\':
	case '"':
		return c;
	default:
		return -1;
	}
}

/* From behind the equals sign to the end of the line, continued lines included. */
static bool read_value(struct reader *reader, struct buf *value, bool *ret_comment_may_hold)
{
	bool is_quoted = false;
	*ret_comment_may_hold = false;
	skip_blanks(reader);
	for (; !at_newline(reader); reader->at++) {
		char c = reader->text[reader->at];
		if (!is_quoted && (c == '#' || c == ';')) {
			size_t from = reader->at;
			while (!at_newline(reader))
				reader->at++;
			*ret_comment_may_hold =
				replace_git_may_hold(reader->text + from, reader->at - from);
			break;
		}
		if (c == '"') {
			is_quoted = !is_quoted;
		} else if (c == '\\') {
			reader->at++;
			if (reader->at >= reader->len)
				return false;
			if (at_newline(reader)) {
				skip_newline(reader);
				reader->at--;
				continue;
			}
			int meant = unescape(reader->text[reader->at]);
			if (meant < 0)
				return false;
			buf_append_char(value, (char)meant);
		} else {
			buf_append_char(value, c);
		}
	}
	while (value->len > 0 && !is_quoted && strchr(" \t", value->data[value->len - 1]))
		value->len--;
	return !is_quoted && buf_is_whole(value);
}

static bool is_secret(const char *name, size_t name_len, const struct buf *value)
{
	const char *text = value->data ? value->data : "";
	bool is_file = has_word(name, name_len, "cookiefile");
	if (!is_file && has_any(name, name_len, secret_names, ARRAY_LEN(secret_names)))
		return true;
	/* A proxy without a scheme can have credentials as well. */
	if (has_word(name, name_len, "proxy") && memchr(text, '@', value->len) &&
	    !has_word(text, value->len, "://"))
		return true;
	/* A helper that is a program's name is none, but one that is a script may be. */
	bool is_script = value->len > 0 && (text[0] == '!' || memchr(text, ' ', value->len) ||
					    memchr(text, '\t', value->len));
	return is_script && has_any(text, value->len, secret_words, ARRAY_LEN(secret_words));
}

static bool read_variable(struct reader *reader)
{
	auto_buf struct buf value = BUF_INIT(MAX_VALUE_BYTES), clean = value;
	size_t from = reader->at, name_end;
	bool comment_may_hold = false;
	while (reader->at < reader->len && (isalnum((unsigned char)reader->text[reader->at]) ||
					    reader->text[reader->at] == '-'))
		reader->at++;
	name_end = reader->at;
	skip_blanks(reader);
	if (name_end == from)
		return false;
	if (at_newline(reader) || strchr("#;", reader->text[reader->at])) {
		buf_append(reader->out, reader->text + from, reader->at - from);
		return true;
	}
	if (reader->text[reader->at++] != '=' || !read_value(reader, &value, &comment_may_hold))
		return false;
	const char *name = reader->text + from;
	size_t name_len = name_end - from;
	if (is_secret(name, name_len, &value)) {
		reader->is_changed = true;
		buf_append_string(reader->out, "# hidden by foso");
		return true;
	}
	bool has_url = strip_urls(value.data ? value.data : "", value.len, &clean);
	if (!has_url && !comment_may_hold) {
		buf_append(reader->out, reader->text + from, reader->at - from);
		return true;
	}
	reader->is_changed = true;
	buf_append(reader->out, name, name_len);
	buf_append_string(reader->out, " = ");
	put_quoted(reader->out, clean.data ? clean.data : "", clean.len);
	return true;
}

static bool read_line(struct reader *reader)
{
	size_t from = reader->at;
	bool is_understood = true;
	skip_blanks(reader);
	buf_append(reader->out, reader->text + from, reader->at - from);
	while (is_understood && !at_newline(reader)) {
		char c = reader->text[reader->at];
		if (c == '#' || c == ';')
			read_comment(reader);
		else if (c == '[')
			is_understood = read_section(reader);
		else
			is_understood = read_variable(reader);
		from = reader->at;
		skip_blanks(reader);
		buf_append(reader->out, reader->text + from, reader->at - from);
	}
	from = reader->at;
	skip_newline(reader);
	buf_append(reader->out, reader->text + from, reader->at - from);
	return is_understood;
}

enum replace_result replace_git_config(const char *text, size_t len, struct buf *out)
{
	struct reader reader = { .text = text, .len = len, .out = out };
	if (memchr(text, '\0', len))
		return REPLACE_UNKNOWN;
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0) {
		buf_append(out, text, 3);
		reader.at = 3;
	}
	while (reader.at < reader.len) {
		if (!read_line(&reader))
			return REPLACE_UNKNOWN;
	}
	if (!buf_is_whole(out))
		return REPLACE_UNKNOWN;
	return reader.is_changed ? REPLACE_CHANGED : REPLACE_UNCHANGED;
}
