/* SPDX-License-Identifier: Apache-2.0 */
/*
 * record_fuzz.c - a record made from any strings is one line of JSON that means the same
 *
 * The input is cut at NULs into the strings.  jansson, which foso does not write with, reads it.
 */
#include <assert.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "evidence/record.h"

#define MAX_STRINGS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_same(const json_t *value, const char *text)
{
	size_t len = strlen(text);
	assert(json_is_string(value));
	if (text_is_utf8(text, len) && len <= EVIDENCE_MAX_TEXT_BYTES)
		assert(strcmp(json_string_value(value), text) == 0);
}

static void check_argv(const json_t *root, const char *const *argv)
{
	const json_t *shown = json_object_get(root, "argv");
	json_int_t n_cut = json_integer_value(json_object_get(root, "argv_cut_bytes"));
	size_t n = 0;
	for (; argv[n]; n++) {
		if (n_cut == 0 && text_is_utf8(argv[n], strlen(argv[n])))
			assert(strcmp(json_string_value(json_array_get(shown, n)), argv[n]) == 0);
	}
	assert(json_integer_value(json_object_get(root, "argv_count")) == (json_int_t)n);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *strings[MAX_STRINGS + 1] = { NULL };
	size_t n = 0;
	if (size > 64 * 1024)
		return 0;
	char *bytes = malloc(size + 1);
	assert(bytes);
	if (size > 0)
		memcpy(bytes, data, size);
	bytes[size] = '\0';
	for (size_t at = 0; at <= size && n < MAX_STRINGS; at += strlen(bytes + at) + 1)
		strings[n++] = bytes + at;

	struct buf out = BUF_INIT(EVIDENCE_MAX_RECORD_BYTES);
	struct evidence_record record = {
		.id = strings[0],
		.level_why = strings[0],
		.root = strings[n / 2],
		.notes = { strings[n - 1] },
		.n_notes = 1,
		.end = { .reason = (enum end_reason)(size % END_N_REASONS), .code = -1 },
		.started_realtime_ns = size * 1000003u,
		.argv = strings,
	};
	evidence_record_format(&record, &out);
	assert(buf_is_whole(&out));
	for (size_t i = 0; i < out.len; i++)
		assert((unsigned char)out.data[i] >= 0x20);
	json_error_t error;
	json_t *root = json_loadb(out.data, out.len, JSON_REJECT_DUPLICATES, &error);
	assert(root);
	check_same(json_object_get(root, "id"), record.id);
	check_same(json_array_get(json_object_get(root, "notes"), 0), record.notes[0]);
	check_argv(root, record.argv);
	json_decref(root);
	buf_fini(&out);
	free(bytes);
	return 0;
}
