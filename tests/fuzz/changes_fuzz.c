/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes_fuzz.c - the record and the list of redacted paths of a change set, from any bytes
 *
 * What is accepted means one thing only: written again, it is the same bytes.
 */
#include <assert.h>
#include <string.h>

#include "workspace/changes.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_record(const uint8_t *data, size_t size)
{
	struct changes_record record;
	struct error err = { .code = ERR_NONE };
	struct buf again = BUF_INIT(CHANGES_MAX_RECORD_BYTES);
	if (changes_record_decode(&record, data, size, &err) == 0) {
		changes_record_encode(&record, &again);
		assert(buf_is_whole(&again) && again.len == size);
		assert(memcmp(again.data, data, size) == 0);
	} else {
		assert(err.code == ERR_CORRUPT && err.remedy[0]);
	}
	buf_fini(&again);
}

static void check_hidden(const uint8_t *data, size_t size)
{
	struct buf entries = BUF_INIT(CHANGES_MAX_HIDDEN_BYTES), again = entries;
	enum changes_hiding hiding;
	const char *path;
	size_t at = 0, len;
	buf_append(&entries, data, size);
	while (changes_hidden_next(&entries, &at, &hiding, &path, &len) == 1) {
		assert(len > 0 && path[0] != '/' && !memchr(path, '\0', len));
		changes_hidden_put(&again, hiding, path, len);
	}
	assert(again.len == at);
	assert(at == 0 || memcmp(again.data, data, at) == 0);
	buf_fini(&entries);
	buf_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 64 * 1024)
		return 0;
	check_record(data, size);
	check_hidden(data, size);
	return 0;
}
