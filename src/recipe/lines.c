/* SPDX-License-Identifier: Apache-2.0 */
/*
 * lines.c - physical lines become instructions
 *
 * A line that ends with the escape character goes on in the next one; comments and empty lines in
 * between are left out.  The bodies of heredocs follow their instruction and are taken as they
 * are.
 */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "recipe/reader.h"

#define MAX_LINE_BYTES (256 * 1024)

struct span {
	const char *text;
	size_t len;
};

/* The next physical line without its end; false at the end of the text. */
static bool next_physical(struct reader *reader, struct span *ret)
{
	const char *text = reader->order->text + reader->at;
	size_t left = reader->order->len - reader->at;
	if (left == 0)
		return false;
	const char *end = memchr(text, '\n', left);
	size_t len = end ? (size_t)(end - text) : left;
	reader->at += len + (end ? 1 : 0);
	reader->number++;
	if (len > 0 && text[len - 1] == '\r')
		len--;
	*ret = (struct span){ text, len };
	return true;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static struct span trim_left(struct span line)
{
	while (line.len > 0 && is_blank(line.text[0])) {
		line.text++;
		line.len--;
	}
	return line;
}

/* Takes "escape" and what follows it in the line away; true if the line goes on. */
static bool take_continuation(const struct reader *reader, struct span *line)
{
	size_t len = line->len;
	while (len > 0 && is_blank(line->text[len - 1]))
		len--;
	if (len == 0 || line->text[len - 1] != reader->escape)
		return false;
	line->len = len - 1;
	return true;
}

/* "# name=value" at the top of the file; true if it was a directive. */
static bool read_directive(struct span line, struct span *ret_name, struct span *ret_value)
{
	line = trim_left(line);
	if (line.len == 0 || line.text[0] != '#')
		return false;
	line = trim_left((struct span){ line.text + 1, line.len - 1 });
	const char *equals = memchr(line.text, '=', line.len);
	if (!equals)
		return false;
	size_t n = (size_t)(equals - line.text);
	*ret_value = trim_left((struct span){ equals + 1, line.len - n - 1 });
	while (ret_value->len > 0 && is_blank(ret_value->text[ret_value->len - 1]))
		ret_value->len--;
	while (n > 0 && is_blank(line.text[n - 1]))
		n--;
	*ret_name = (struct span){ line.text, n };
	for (size_t i = 0; i < n; i++)
		if (is_blank(line.text[i]))
			return false;
	return n > 0;
}

static bool span_is(struct span span, const char *word)
{
	return span.len == strlen(word) && strncasecmp(span.text, word, span.len) == 0;
}

static int refuse_escape(struct reader *reader, struct span value)
{
	reader->word = "escape";
	int r = reader_fail(reader, ERR_INVALID, "'%.*s' cannot be the escape character",
			    (int)MIN(value.len, (size_t)64), value.text);
	return error_remedy(reader->err, r, "write # escape=\\ or # escape=`");
}

int reader_directives(struct reader *reader)
{
	struct span line, name, value;
	struct reader saved = *reader;
	while (next_physical(reader, &line) && read_directive(line, &name, &value)) {
		reader->line.number = reader->number;
		saved = *reader;
		if (!span_is(name, "escape"))
			continue;
		if (value.len != 1 || (value.text[0] != '\\' && value.text[0] != '`'))
			return refuse_escape(reader, value);
		saved.escape = value.text[0];
		reader->escape = value.text[0];
	}
	/* The line that was no directive is read again. */
	reader->at = saved.at;
	reader->number = saved.number;
	return 0;
}

/* The bytes of a line that ended up in an error or a list must be text. */
static int check_bytes(struct reader *reader, struct span line)
{
	reader->line.number = reader->number;
	if (memchr(line.text, '\0', line.len) || !text_is_utf8(line.text, line.len)) {
		reader->word = "line";
		int r = reader_fail(reader, ERR_INVALID, "has bytes that are not UTF-8 text");
		return error_remedy(reader->err, r, "store the file as UTF-8");
	}
	return 0;
}

/* Finds "<<NAME", "<<-NAME", "<<'NAME'" at the beginning of a word; its end, or NULL. */
static const char *find_heredoc(const char *at, struct span *ret_name, bool *ret_strips,
				bool *ret_literal)
{
	at += 2;
	*ret_strips = *at == '-';
	at += *ret_strips;
	char quote = '\0';
	if (*at == '"' || *at == '\'')
		quote = *at++;
	const char *begin = at;
	while ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z') || *at == '_' ||
	       (at > begin && *at >= '0' && *at <= '9'))
		at++;
	*ret_name = (struct span){ begin, (size_t)(at - begin) };
	*ret_literal = quote != '\0';
	if (at == begin || (quote && *at != quote))
		return NULL;
	at += quote != '\0';
	return *at == '\0' || is_blank(*at) || strchr(";|&)>", *at) ? at : NULL;
}

static int read_body(struct reader *reader, struct span name, bool strips, struct buf *raw,
		     struct buf *body)
{
	struct span line;
	unsigned first = reader->line.number;
	while (next_physical(reader, &line)) {
		int r = check_bytes(reader, line);
		reader->line.number = first;
		if (r != 0)
			return r;
		buf_append(raw, line.text, line.len);
		buf_append_char(raw, '\n');
		while (strips && line.len > 0 && line.text[0] == '\t') {
			line.text++;
			line.len--;
		}
		if (line.len == name.len && memcmp(line.text, name.text, name.len) == 0)
			return 0;
		buf_append(body, line.text, line.len);
		buf_append_char(body, '\n');
	}
	int r = reader_fail(reader, ERR_INVALID, "the heredoc '<<%.*s' has no end",
			    (int)MIN(name.len, (size_t)64), name.text);
	return error_remedy(reader->err, r, "end it with a line that holds %.*s alone",
			    (int)MIN(name.len, (size_t)64), name.text);
}

static int add_heredoc(struct reader *reader, const char *at, struct buf *raw)
{
	struct span name;
	bool strips, is_literal;
	auto_buf struct buf body = BUF_INIT(MAX_LINE_BYTES);
	struct reader_line *line = &reader->line;
	if (!find_heredoc(at, &name, &strips, &is_literal))
		return 0;
	if (line->n_heredocs == READER_MAX_HEREDOCS) {
		int r = reader_fail(reader, ERR_LIMIT, "has more than %d heredocs",
				    READER_MAX_HEREDOCS);
		return error_remedy(reader->err, r, "use several instructions");
	}
	int r = read_body(reader, name, strips, raw, &body);
	if (r != 0)
		return r;
	struct recipe_arena *arena = &reader->plan->arena;
	struct reader_heredoc *heredoc = &line->heredocs[line->n_heredocs++];
	heredoc->name = recipe_copy(arena, name.text, name.len);
	heredoc->content = recipe_copy(arena, buf_string(&body), body.len);
	heredoc->is_literal = is_literal;
	return heredoc->name && heredoc->content && buf_is_whole(&body) ? 0
									: reader_no_memory(reader);
}

/* Only these take heredocs; in others "<<" is text. */
static bool may_have_heredocs(const char *text)
{
	static const char *const words[] = { "RUN", "COPY", "ADD" };
	for (size_t i = 0; i < ARRAY_LEN(words); i++) {
		size_t n = strlen(words[i]);
		if (strncasecmp(text, words[i], n) == 0 && is_blank(text[n]))
			return true;
	}
	return false;
}

static int read_heredocs(struct reader *reader)
{
	struct reader_line *line = &reader->line;
	auto_buf struct buf raw = BUF_INIT(2 * MAX_LINE_BYTES);
	char quote = '\0';
	if (!may_have_heredocs(line->text))
		return 0;
	reader->word = line->text[0] == 'R' || line->text[0] == 'r' ? "RUN" : "COPY";
	buf_append(&raw, line->text, line->len);
	buf_append_char(&raw, '\n');
	for (const char *at = line->text + 1; *at; at++) {
		if (*at == '\\' && at[1] && quote != '\'') {
			at++;
		} else if (quote) {
			if (*at == quote)
				quote = '\0';
		} else if (*at == '"' || *at == '\'') {
			quote = *at;
		} else if (at[0] == '<' && at[1] == '<' &&
			   (is_blank(at[-1]) ||
			    (at[-1] >= '0' && at[-1] <= '9' && is_blank(at[-2])))) {
			int r = add_heredoc(reader, at, &raw);
			if (r != 0)
				return r;
			at++;
		}
	}
	line->raw = recipe_copy(&reader->plan->arena, buf_string(&raw), raw.len);
	return line->raw && buf_is_whole(&raw) ? 0 : reader_no_memory(reader);
}

/* Appends one physical line; 1 if the instruction goes on behind it. */
static int add_physical(struct reader *reader, struct span line, struct buf *text)
{
	int r = check_bytes(reader, line);
	if (r != 0)
		return r;
	struct span trimmed = trim_left(line);
	bool is_first = text->len == 0;
	if (trimmed.len == 0 || trimmed.text[0] == '#')
		return 1;
	bool goes_on = take_continuation(reader, &line);
	if (is_first)
		line = trim_left(line);
	buf_append(text, line.text, line.len);
	return goes_on ? 1 : 0;
}

int reader_next_line(struct reader *reader)
{
	struct span line;
	auto_buf struct buf text = BUF_INIT(MAX_LINE_BYTES);
	unsigned first = 0;
	int r = 1;
	reader->line = (struct reader_line){ .text = "" };
	while (r == 1 && next_physical(reader, &line)) {
		r = add_physical(reader, line, &text);
		if (text.len > 0 && first == 0)
			first = reader->number;
	}
	if (r < 0)
		return r;
	if (text.len == 0)
		return 1;
	reader->line.number = first;
	reader->word = "line";
	if (!buf_is_whole(&text)) {
		r = reader_fail(reader, ERR_LIMIT, "the instruction is longer than %d bytes",
				MAX_LINE_BYTES);
		return error_remedy(reader->err, r, "put long scripts into a file and COPY it");
	}
	while (text.len > 0 && is_blank(text.data[text.len - 1]))
		text.data[--text.len] = '\0';
	reader->line.text = recipe_copy(&reader->plan->arena, text.data, text.len);
	reader->line.len = text.len;
	return reader->line.text ? read_heredocs(reader) : reader_no_memory(reader);
}
