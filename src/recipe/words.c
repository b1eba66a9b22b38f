/* SPDX-License-Identifier: Apache-2.0 */
/*
 * words.c - quotes, escapes and variables
 *
 * As the Dockerfile reference has it: nothing is replaced within single quotes; the escape
 * character takes the next one as it is; $NAME, ${NAME}, ${NAME:-word}, ${NAME:+word},
 * ${NAME:?word}, and the same without the colon, which asks only whether the variable is set.
 * What a shell has beyond that (${NAME#pattern}) is refused by name.
 */
#include <string.h>

#include "base/cleanup.h"
#include "recipe/reader.h"

#define MAX_DEPTH 8

struct words {
	struct reader *reader;
	const char *at, *end;
	struct buf *out;
	unsigned depth;
	bool has_quotes; /* they quote */
};

static bool is_name(char c, bool is_first)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       (!is_first && c >= '0' && c <= '9');
}

static int expand_until(struct words *words, char closing);

static int bad_variable(const struct words *words, const char *begin, const char *what,
			const char *remedy)
{
	size_t len = MIN((size_t)(words->end - begin), (size_t)60);
	int r = reader_fail(words->reader, ERR_INVALID, "'%.*s' %s", (int)len, begin, what);
	return error_remedy(words->reader->err, r, "%s", remedy);
}

/* The word behind ":-" and its like, and what it is for. */
/* NOLINTNEXTLINE(misc-no-recursion): MAX_DEPTH bounds it */
static int expand_operator(struct words *words, const char *begin, const char *value)
{
	static const char forms[] = "write ${NAME}, ${NAME:-word}, ${NAME:+word} or ${NAME:?word}";
	bool has_colon = *words->at == ':';
	words->at += has_colon;
	char sign = '\0';
	if (words->at < words->end)
		sign = *words->at;
	if (sign != '-' && sign != '+' && sign != '?')
		return bad_variable(words, begin, "has an operator that a Dockerfile lacks", forms);
	words->at++;
	auto_buf struct buf word = BUF_INIT(RECIPE_MAX_WORD_BYTES);
	struct buf *out = words->out;
	bool is_given = value && (!has_colon || value[0] != '\0');
	words->out = &word;
	int r = expand_until(words, '}');
	words->out = out;
	if (r != 0)
		return r;
	if (sign == '?' && !is_given) {
		r = reader_fail(words->reader, ERR_INVALID, "'%.60s' is not set: %.100s", begin,
				buf_string(&word));
		return error_remedy(words->reader->err, r, "give it a value with --build-arg");
	}
	if (sign == '+' ? is_given : !is_given)
		buf_append(out, buf_string(&word), word.len);
	else if (sign != '+')
		buf_append_string(out, value);
	return buf_is_whole(&word) ? 0 : reader_no_memory(words->reader);
}

/* "${...}", the brace is next */
/* NOLINTNEXTLINE(misc-no-recursion): MAX_DEPTH bounds it */
static int expand_braced(struct words *words)
{
	const char *begin = words->at - 1;
	const char *name = ++words->at;
	while (words->at < words->end && is_name(*words->at, words->at == name))
		words->at++;
	size_t n_name = (size_t)(words->at - name);
	if (words->at == words->end)
		return bad_variable(words, begin, "has no closing brace", "write ${NAME}");
	if (n_name == 0)
		return bad_variable(words, begin, "names no variable", "write ${NAME}");
	const char *value = reader_lookup(words->reader, name, n_name);
	if (*words->at == '}') {
		words->at++;
		buf_append_string(words->out, value ? value : "");
		return 0;
	}
	if (words->depth >= MAX_DEPTH)
		return bad_variable(words, begin, "is nested too deeply",
				    "use at most 8 levels, or an ARG in between");
	words->depth++;
	int r = expand_operator(words, begin, value);
	words->depth--;
	return r;
}

/* The dollar was read. */
/* NOLINTNEXTLINE(misc-no-recursion): MAX_DEPTH bounds it */
static int expand_variable(struct words *words)
{
	const char *name = words->at;
	if (name < words->end && *name == '{')
		return expand_braced(words);
	while (words->at < words->end && is_name(*words->at, words->at == name))
		words->at++;
	if (words->at == name) {
		buf_append_char(words->out, '$');
		return 0;
	}
	const char *value = reader_lookup(words->reader, name, (size_t)(words->at - name));
	buf_append_string(words->out, value ? value : "");
	return 0;
}

static int expand_single(struct words *words)
{
	const char *end = memchr(words->at, '\'', (size_t)(words->end - words->at));
	if (!end)
		return bad_variable(words, words->at - 1, "has no closing quote",
				    "add the quote, or escape it");
	buf_append(words->out, words->at, (size_t)(end - words->at));
	words->at = end + 1;
	return 0;
}

/* NOLINTNEXTLINE(misc-no-recursion): MAX_DEPTH bounds it */
static int expand_double(struct words *words)
{
	const char *begin = words->at - 1;
	char escape = words->reader->escape;
	while (words->at < words->end && *words->at != '"') {
		char c = *words->at++;
		int r = 0;
		bool is_taken = words->at < words->end && c == escape &&
				(*words->at == '"' || *words->at == '$' || *words->at == escape);
		if (is_taken)
			buf_append_char(words->out, *words->at++);
		else if (c == '$')
			r = expand_variable(words);
		else
			buf_append_char(words->out, c);
		if (r != 0)
			return r;
	}
	if (words->at == words->end)
		return bad_variable(words, begin, "has no closing quote",
				    "add the quote, or escape it");
	words->at++;
	return 0;
}

/* Up to @closing, which is taken too; NUL: up to the end. */
/* NOLINTNEXTLINE(misc-no-recursion): MAX_DEPTH bounds it */
static int expand_until(struct words *words, char closing)
{
	const char *begin = words->at;
	while (words->at < words->end) {
		char c = *words->at++;
		int r = 0;
		if (closing && c == closing)
			return 0;
		bool is_escape = c == words->reader->escape && words->at < words->end;
		if (c == '\'' && words->has_quotes)
			r = expand_single(words);
		else if (c == '"' && words->has_quotes)
			r = expand_double(words);
		else if (c == '$')
			r = expand_variable(words);
		else if (is_escape && (words->has_quotes || *words->at == '$'))
			buf_append_char(words->out, *words->at++);
		else
			buf_append_char(words->out, c);
		if (r != 0)
			return r;
	}
	return closing ? bad_variable(words, begin, "has no closing brace", "write ${NAME:-word}")
		       : 0;
}

static int expand_all(struct reader *reader, const char *text, size_t len, bool has_quotes,
		      const char **ret)
{
	auto_buf struct buf out = BUF_INIT(RECIPE_MAX_WORD_BYTES);
	struct words words = { reader, text, text + len, &out, 0, has_quotes };
	int r = expand_until(&words, '\0');
	if (r != 0)
		return r;
	if (!buf_is_whole(&out)) {
		r = reader_fail(reader, ERR_LIMIT, "a value is longer than %d bytes",
				RECIPE_MAX_WORD_BYTES);
		return error_remedy(reader->err, r, "put long values into a file and COPY it");
	}
	*ret = recipe_copy(&reader->plan->arena, buf_string(&out), out.len);
	return *ret ? 0 : reader_no_memory(reader);
}

int reader_expand(struct reader *reader, const char *text, size_t len, const char **ret)
{
	return expand_all(reader, text, len, true, ret);
}

int reader_expand_body(struct reader *reader, const char *text, size_t len, const char **ret)
{
	return expand_all(reader, text, len, false, ret);
}

/* The end of the word at @at: the next blank that is neither quoted nor escaped nor in ${...}. */
static const char *word_end(const struct reader *reader, const char *at, const char *end)
{
	char quote = '\0';
	unsigned n_braces = 0;
	for (; at < end; at++) {
		if (*at == reader->escape && quote != '\'' && at + 1 < end) {
			at++;
		} else if (quote) {
			if (*at == quote)
				quote = '\0';
		} else if (*at == '"' || *at == '\'') {
			quote = *at;
		} else if (*at == '$' && at + 1 < end && at[1] == '{') {
			n_braces++;
			at++;
		} else if (*at == '}' && n_braces > 0) {
			n_braces--;
		} else if ((*at == ' ' || *at == '\t') && n_braces == 0) {
			return at;
		}
	}
	return end;
}

static int too_many_words(struct reader *reader)
{
	int r = reader_fail(reader, ERR_LIMIT, "has more than %d words", RECIPE_MAX_ITEMS);
	return error_remedy(reader->err, r, "use several instructions");
}

int reader_split(struct reader *reader, const char *text, size_t len, struct recipe_list *ret)
{
	const char *end = text + len;
	*ret = (struct recipe_list){ .items = NULL };
	while (text < end) {
		if (*text == ' ' || *text == '\t') {
			text++;
			continue;
		}
		const char *word = text;
		text = word_end(reader, text, end);
		if (ret->n_items >= RECIPE_MAX_ITEMS)
			return too_many_words(reader);
		if (!list_add(&reader->plan->arena, ret,
			      recipe_copy(&reader->plan->arena, word, (size_t)(text - word))))
			return reader_no_memory(reader);
	}
	return 0;
}

int reader_flag(struct reader *reader, const char **rest, const char **ret_name,
		const char **ret_value)
{
	const char *begin = *rest;
	if (begin[0] != '-' || begin[1] != '-')
		return 1;
	const char *end = word_end(reader, begin, begin + strlen(begin));
	const char *equals = memchr(begin, '=', (size_t)(end - begin));
	const char *name_end = equals ? equals : end;
	*ret_value = "";
	*ret_name = recipe_copy(&reader->plan->arena, begin + 2, (size_t)(name_end - begin - 2));
	if (!*ret_name)
		return reader_no_memory(reader);
	*rest = end + strspn(end, " \t");
	if (!equals)
		return 0;
	return reader_expand(reader, equals + 1, (size_t)(end - equals - 1), ret_value);
}
