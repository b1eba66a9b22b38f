/* SPDX-License-Identifier: Apache-2.0 */
/* view.c - records for people */
#include "evidencetool/view.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"

#define MAX_DEPTH      8
#define PATH_BYTES     256
#define LABEL_COLUMNS  28
#define MAX_TEXT_BYTES (64 * 1024) /* of one value of a record on the terminal */

static bool is_terminal;

void view_terminal_init(void)
{
	is_terminal = isatty(STDOUT_FILENO) == 1;
}

json_t *view_parse(const char *record, size_t len, json_error_t *ret_error)
{
	const size_t flags = JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL;
	json_t *root = json_loadb(record, len, flags, ret_error);
	/* Whole numbers above INT64_MAX, which foso does not write: better roughly than not. */
	if (!root && json_error_code(ret_error) == json_error_numeric_overflow)
		root = json_loadb(record, len, flags | JSON_DECODE_INT_AS_REAL, ret_error);
	return root;
}

void view_print_text(const char *bytes, size_t len, size_t max)
{
	/* An escaped byte takes four; more input than this cannot add to the output. */
	size_t size = (len < max ? len : max) * 4 + 1;
	auto_free char *text = malloc(size);
	if (!text)
		return;
	text_escape(bytes, len < max ? len : max, text, size);
	size_t n = strlen(text);
	if (n <= max && len <= max) {
		(void)fwrite(text, 1, n, stdout);
		return;
	}
	size_t cut = n < max ? n : max - 3;
	while (cut > 0 && ((unsigned char)text[cut] & 0xc0) == 0x80)
		cut--;
	(void)fwrite(text, 1, cut, stdout);
	(void)fputs("...", stdout);
}

static void print_json_character(const char *bytes, size_t n)
{
	const unsigned char *b = (const unsigned char *)bytes;
	if (n == 0)
		(void)fputs("\xef\xbf\xbd", stdout);
	else if (n == 1 && (b[0] < 0x20 || b[0] == 0x7f))
		printf("\\u%04x", b[0]);
	else if (n == 2 && b[0] == 0xc2 && b[1] < 0xa0)
		printf("\\u%04x", b[1]);
	else
		(void)fwrite(bytes, 1, n, stdout);
}

void view_print_json(const char *bytes, size_t len)
{
	if (!is_terminal) {
		(void)fwrite(bytes, 1, len, stdout);
		(void)putchar('\n');
		return;
	}
	for (size_t i = 0; i < len;) {
		size_t n = text_utf8_next(bytes + i, len - i);
		print_json_character(bytes + i, n);
		i += n == 0 ? 1 : n;
	}
	(void)putchar('\n');
}

void view_duration(uint64_t ns, char ret_text[VIEW_TEXT_BYTES])
{
	uint64_t s = ns / 1000000000u;
	double seconds = (double)ns / 1e9;
	if (seconds < 1)
		(void)snprintf(ret_text, VIEW_TEXT_BYTES, "%.1fms", seconds * 1e3);
	else if (s < 60)
		(void)snprintf(ret_text, VIEW_TEXT_BYTES, "%.2fs", seconds);
	else if (s < 3600)
		(void)snprintf(ret_text, VIEW_TEXT_BYTES, "%" PRIu64 "m%02" PRIu64 "s", s / 60,
			       s % 60);
	else
		(void)snprintf(ret_text, VIEW_TEXT_BYTES, "%" PRIu64 "h%02" PRIu64 "m", s / 3600,
			       s / 60 % 60);
}

void view_bytes(uint64_t n_bytes, char ret_text[VIEW_TEXT_BYTES])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	double value = (double)n_bytes;
	size_t unit = 0;
	while (value >= 1024 && unit + 1 < sizeof(units) / sizeof(units[0])) {
		value /= 1024;
		unit++;
	}
	(void)snprintf(ret_text, VIEW_TEXT_BYTES, unit == 0 ? "%.0f%s" : "%.1f%s", value,
		       units[unit]);
}

static bool has_suffix(const char *text, const char *suffix)
{
	size_t len = strlen(text), n = strlen(suffix);
	return len >= n && strcmp(text + len - n, suffix) == 0;
}

/* A number, and what it is in words that are easier to read. */
static void print_integer(const char *key, json_int_t value)
{
	char text[VIEW_TEXT_BYTES];
	printf("%" JSON_INTEGER_FORMAT, value);
	if (value < 0)
		return;
	if (strcmp(key, "started_ns") == 0 || strcmp(key, "ended_ns") == 0)
		return; /* "started" and "ended" say it */
	if (has_suffix(key, "_ns"))
		view_duration((uint64_t)value, text);
	else if (has_suffix(key, "_bytes") && value >= 1024)
		view_bytes((uint64_t)value, text);
	else
		return;
	printf(" (%s)", text);
}

static void print_value(const char *key, const json_t *value)
{
	switch (json_typeof(value)) {
	case JSON_STRING:
		view_print_text(json_string_value(value), json_string_length(value),
				MAX_TEXT_BYTES);
		break;
	case JSON_INTEGER:
		print_integer(key, json_integer_value(value));
		break;
	case JSON_REAL:
		printf("%g", json_real_value(value));
		break;
	case JSON_TRUE:
		(void)fputs("yes", stdout);
		break;
	case JSON_FALSE:
		(void)fputs("no", stdout);
		break;
	case JSON_NULL:
	case JSON_OBJECT:
	case JSON_ARRAY:
	default:
		(void)fputs("none", stdout);
		break;
	}
}

/* The path of a field; keys are hostile as well. */
static void print_label(const char *path)
{
	char text[PATH_BYTES * 4];
	text_escape(path, strlen(path), text, sizeof(text));
	printf("%-*s ", LABEL_COLUMNS, text);
}

/* One level of a walk without recursion: a hostile record may be nested deeply. */
struct level {
	json_t *group;
	void *object_at;  /* iterator of an object */
	size_t array_at;  /* next item of an array */
	size_t path_used; /* length of the path that leads to this group */
};

/* The next member of the group; its key or index is appended to the path. */
static json_t *level_next(struct level *level, char path[PATH_BYTES], const char **ret_key)
{
	char *end = path + level->path_used;
	size_t room = PATH_BYTES - level->path_used;
	if (json_is_array(level->group)) {
		json_t *item = json_array_get(level->group, level->array_at);
		(void)snprintf(end, room, "[%zu]", level->array_at++);
		*ret_key = "";
		return item;
	}
	if (!level->object_at)
		return NULL;
	*ret_key = json_object_iter_key(level->object_at);
	json_t *item = json_object_iter_value(level->object_at);
	(void)snprintf(end, room, "%s%s", level->path_used > 0 ? "." : "", *ret_key);
	level->object_at = json_object_iter_next(level->group, level->object_at);
	return item;
}

static struct level level_enter(json_t *group, size_t path_used)
{
	return (struct level){
		.group = group,
		.object_at = json_is_object(group) ? json_object_iter(group) : NULL,
		.path_used = path_used,
	};
}

static bool is_empty(const json_t *value)
{
	return (json_is_array(value) && json_array_size(value) == 0) ||
	       (json_is_object(value) && json_object_size(value) == 0);
}

void view_print_record(json_t *record)
{
	struct level levels[MAX_DEPTH];
	char path[PATH_BYTES] = "";
	size_t depth = 1;
	levels[0] = level_enter(record, 0);
	while (depth > 0) {
		const char *key = "";
		json_t *item = level_next(&levels[depth - 1], path, &key);
		if (!item) {
			depth--;
			continue;
		}
		bool is_group = (json_is_object(item) || json_is_array(item)) && !is_empty(item);
		if (is_group && depth < MAX_DEPTH) {
			levels[depth++] = level_enter(item, strnlen(path, PATH_BYTES - 1));
			continue;
		}
		print_label(path);
		if (is_group)
			(void)fputs("(nested more deeply: see --json)", stdout);
		else
			print_value(key, item);
		(void)putchar('\n');
	}
}
