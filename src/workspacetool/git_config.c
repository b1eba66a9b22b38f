/* SPDX-License-Identifier: Apache-2.0 */
/*
 * git_config.c - the keys of a git config that run programs
 *
 * The syntax as git's config.c reads it: sections "[name]", "[name \"sub\"]" and the old
 * "[name.sub]"; "name = value" with quotes, escapes, comments and continued lines; "name" alone.
 */
#include "workspacetool/git_config.h"

#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "workspacetool/git_keys.h"
#include "workspacetool/glob.h"

#define MAX_VALUE_BYTES (1u << 20)
#define MAX_LIST_BYTES  (2 * MAX_VALUE_BYTES)

struct reader {
	const char *at, *end;
	char section[GIT_MAX_NAME_BYTES];
	size_t section_len;
	struct buf value;
};

static const struct {
	const char *pattern, *reason;
} keys[] = {
#define KEY_ROW(pattern_, reason_) { pattern_, reason_ },
	GIT_KEYS(KEY_ROW)
#undef KEY_ROW
};

bool git_key(size_t index, const char **ret_pattern, const char **ret_reason)
{
	if (index >= ARRAY_LEN(keys))
		return false;
	*ret_pattern = keys[index].pattern;
	*ret_reason = keys[index].reason;
	return true;
}

/* The next byte, "\r\n" as '\n'; -1 at the end. */
static int next_byte(struct reader *reader)
{
	if (reader->at == reader->end)
		return -1;
	int byte = (unsigned char)*reader->at++;
	if (byte == '\r' && reader->at < reader->end && *reader->at == '\n') {
		reader->at++;
		return '\n';
	}
	return byte;
}

static bool is_key_byte(int byte)
{
	return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z') ||
	       (byte >= '0' && byte <= '9') || byte == '-';
}

static int lower(int byte)
{
	return byte >= 'A' && byte <= 'Z' ? byte | 0x20 : byte;
}

static bool is_space(int byte)
{
	return byte == ' ' || byte == '\t' || byte == '\v' || byte == '\f' || byte == '\r';
}

static bool add_section(struct reader *reader, int byte)
{
	if (reader->section_len + 1 >= sizeof(reader->section))
		return false;
	reader->section[reader->section_len++] = (char)byte;
	return true;
}

/* Behind `[name `: `"sub"]`. */
static bool read_subsection(struct reader *reader)
{
	int byte;
	do
		byte = next_byte(reader);
	while (is_space(byte));
	if (byte != '"' || !add_section(reader, '.'))
		return false;
	while ((byte = next_byte(reader)) != '"') {
		if (byte == '\\')
			byte = next_byte(reader);
		if (byte < 0 || byte == '\n' || byte == '\0' || !add_section(reader, byte))
			return false;
	}
	return next_byte(reader) == ']';
}

/* Behind "[". */
static bool read_section(struct reader *reader)
{
	reader->section_len = 0;
	for (;;) {
		int byte = next_byte(reader);
		if (byte == ']')
			return reader->section_len > 0;
		if (is_space(byte))
			return read_subsection(reader);
		if (!is_key_byte(byte) && byte != '.')
			return false;
		if (!add_section(reader, lower(byte)))
			return false;
	}
}

/* @ret_byte is what an escape stands for; -1 for a continued line; false if there is none such. */
static bool read_escape(struct reader *reader, int *ret_byte)
{
	int byte = next_byte(reader);
	switch (byte) {
	case '\n':
		*ret_byte = -1;
		return true;
	case 't':
		*ret_byte = '\t';
		return true;
	case 'b':
		*ret_byte = '\b';
		return true;
	case 'n':
		*ret_byte = '\n';
		return true;
	case '\\':
	case '"':
		*ret_byte = byte;
		return true;
	default:
		return false;
	}
}

/* A value that is being read. */
struct value_state {
	bool is_quoted, is_comment;
	size_t kept; /* length without the spaces at the end */
};

/* One byte of a value, escapes included; false if git would not read it. */
static bool take_value_byte(struct reader *reader, struct value_state *state, int byte)
{
	if (state->is_comment)
		return true;
	if (byte == '\0')
		return false;
	if (!state->is_quoted && is_space(byte)) {
		if (reader->value.len > 0)
			buf_append_char(&reader->value, (char)byte);
		return true;
	}
	if (!state->is_quoted && (byte == ';' || byte == '#')) {
		state->is_comment = true;
		return true;
	}
	if (byte == '"') {
		state->is_quoted = !state->is_quoted;
		state->kept = reader->value.len;
		return true;
	}
	if (byte == '\\' && !read_escape(reader, &byte))
		return false;
	if (byte < 0) /* The line goes on. */
		return true;
	buf_append_char(&reader->value, (char)byte);
	state->kept = reader->value.len;
	return true;
}

/* Behind "=", up to the end of the line. */
static bool read_value(struct reader *reader)
{
	struct value_state state = { 0 };
	buf_clear(&reader->value);
	for (;;) {
		int byte = next_byte(reader);
		if (byte < 0 || byte == '\n')
			break;
		if (!take_value_byte(reader, &state, byte))
			return false;
	}
	if (state.is_quoted || !buf_is_whole(&reader->value))
		return false;
	reader->value.len = state.kept;
	return true;
}

static const char *find_reason(const struct git_item *item)
{
	char folded[GIT_MAX_NAME_BYTES];
	for (size_t i = 0; i < item->name_len; i++) {
		/* A slash in a subsection would stop a star. */
		int byte = lower((unsigned char)item->name[i]);
		if (byte == '/')
			byte = '_';
		folded[i] = (char)byte;
	}
	for (size_t i = 0; i < ARRAY_LEN(keys); i++)
		if (glob_matches_all(keys[i].pattern, folded, item->name_len))
			return keys[i].reason;
	return NULL;
}

static bool name_item(struct git_item *item, const struct reader *reader, const char *key,
		      size_t key_len)
{
	if (reader->section_len + 1 + key_len >= sizeof(item->name))
		return false;
	memcpy(item->name, reader->section, reader->section_len);
	item->name[reader->section_len] = '.';
	for (size_t i = 0; i < key_len; i++)
		item->name[reader->section_len + 1 + i] = (char)lower((unsigned char)key[i]);
	item->name_len = reader->section_len + 1 + key_len;
	item->name[item->name_len] = '\0';
	return true;
}

/* At the first byte of a name. */
static bool read_item(struct reader *reader, struct git_item *item)
{
	const char *key = reader->at - 1;
	while (reader->at < reader->end && is_key_byte((unsigned char)*reader->at))
		reader->at++;
	size_t key_len = (size_t)(reader->at - key);
	if (reader->section_len == 0 || !name_item(item, reader, key, key_len))
		return false;
	int byte;
	do
		byte = next_byte(reader);
	while (byte == ' ' || byte == '\t');
	buf_clear(&reader->value);
	if (byte >= 0 && byte != '\n' && (byte != '=' || !read_value(reader)))
		return false;
	item->value = buf_string(&reader->value);
	item->value_len = reader->value.len;
	item->reason = find_reason(item);
	return true;
}

static void skip_line(struct reader *reader)
{
	int byte;
	do
		byte = next_byte(reader);
	while (byte >= 0 && byte != '\n');
}

bool git_config_walk(const char *text, size_t len,
		     void (*found)(const struct git_item *item, void *context), void *context)
{
	struct reader reader = { .at = text, .end = text + len };
	struct git_item item;
	bool is_good = true;
	buf_init(&reader.value, MAX_VALUE_BYTES);
	/* A byte order mark is skipped by git. */
	if (len >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
		reader.at += 3;
	while (is_good) {
		int byte = next_byte(&reader);
		if (byte < 0)
			break;
		if (is_space(byte) || byte == '\n')
			continue;
		if (byte == '#' || byte == ';') {
			skip_line(&reader);
		} else if (byte == '[') {
			is_good = read_section(&reader);
		} else if ((byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z')) {
			is_good = read_item(&reader, &item);
			if (is_good)
				found(&item, context);
		} else {
			is_good = false;
		}
	}
	buf_fini(&reader.value);
	return is_good;
}

/* How often a name was met. */
static size_t count_name(const struct buf *items, const struct git_item *item)
{
	char name[GIT_MAX_NAME_BYTES + 2] = { '\0' };
	size_t n = 0, len = item->name_len + 2;
	memcpy(name + 1, item->name, item->name_len);
	name[len - 1] = '\n';
	const char *end = items->len > 0 ? items->data + items->len : NULL;
	for (const char *at = items->data; at != end; n++, at += len) {
		at = memmem(at, (size_t)(end - at), name, len);
		if (!at)
			break;
	}
	return n;
}

/*
 * "\0name\nwhich\nvalue\0", so that a search for the whole finds that very item.  Of several values
 * of one name the last one counts, so it is told which of them each is.
 */
static void put_item(const struct git_item *item, size_t which, struct buf *out)
{
	buf_append_char(out, '\0');
	buf_append(out, item->name, item->name_len);
	buf_printf(out, "\n%zu\n", which);
	buf_append(out, item->value, item->value_len);
	buf_append_char(out, '\0');
}

static void note_item(const struct git_item *item, void *context)
{
	struct buf *items = context;
	if (item->reason)
		put_item(item, count_name(items, item), items);
}

struct comparison {
	const struct buf *others; /* the items of the other side */
	struct buf *out;
	const char *words; /* before the reason */
	struct buf met;
};

static void add_difference(const struct git_item *item, void *context)
{
	struct comparison *comparison = context;
	const struct buf *others = comparison->others;
	auto_buf struct buf own = BUF_INIT(MAX_VALUE_BYTES + GIT_MAX_NAME_BYTES + 32);
	if (!item->reason)
		return;
	put_item(item, count_name(&comparison->met, item), &own);
	buf_append(&comparison->met, own.data, own.len);
	if (others->len > 0 && own.len > 0 && memmem(others->data, others->len, own.data, own.len))
		return;
	buf_append(comparison->out, item->name, item->name_len);
	buf_append_string(comparison->out, " = ");
	for (size_t i = 0; i < item->value_len; i++)
		buf_append(comparison->out, item->value[i] == '\n' ? " " : item->value + i, 1);
	buf_printf(comparison->out, " (%s%s)\n", comparison->words, item->reason);
}

/* What of @text is not among @others; false if the text, or all of it, cannot be read. */
static bool differ(const char *text, size_t len, const struct buf *others, const char *words,
		   struct buf *out)
{
	struct comparison comparison = { others, out, words, BUF_INIT(MAX_LIST_BYTES) };
	bool is_read = git_config_walk(text, len, add_difference, &comparison) &&
		       buf_is_whole(&comparison.met);
	buf_fini(&comparison.met);
	return is_read;
}

bool git_config_compare(const char *before, size_t n_before, const char *now, size_t n_now,
			struct buf *out)
{
	auto_buf struct buf known = BUF_INIT(MAX_LIST_BYTES), present = BUF_INIT(MAX_LIST_BYTES);
	size_t len = out->len;
	/* What of the old one cannot be read is not known, and so its items are news. */
	(void)git_config_walk(before, n_before, note_item, &known);
	bool is_read = git_config_walk(now, n_now, note_item, &present) && buf_is_whole(&present) &&
		       differ(now, n_now, &known, "", out);
	/* One that is gone was there to keep something from running, or makes an earlier one count.
	 */
	if (is_read)
		(void)differ(before, n_before, &present, "taken out: ", out);
	if (is_read && buf_is_whole(out))
		return true;
	out->len = len;
	return false;
}
