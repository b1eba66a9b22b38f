/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replace_fuzz.c - configurations of git and .env files, from any bytes
 *
 * What comes out holds nothing to be replaced any more, and is read again without a change.
 */
#include <assert.h>
#include <string.h>

#include "workspace/glob.h"
#include "workspace/replace.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_git(const char *text, size_t size)
{
	struct buf out = BUF_INIT(1024 * 1024), again = out;
	enum replace_result result = replace_git_config(text, size, &out);
	if (result == REPLACE_CHANGED) {
		enum replace_result second = replace_git_config(buf_string(&out), out.len, &again);
		assert(second == REPLACE_UNCHANGED);
	}
	if (result == REPLACE_UNCHANGED)
		assert(out.len == size && (size == 0 || memcmp(out.data, text, size) == 0));
	if (result == REPLACE_CHANGED)
		assert(replace_git_may_hold(text, size));
	buf_fini(&out);
	buf_fini(&again);
}

static void check_dotenv(const char *text, size_t size)
{
	char star[] = "*", *items[] = { star };
	const struct policy_list names = { items, 1 };
	struct buf out = BUF_INIT(1024 * 1024), again = out;
	if (replace_dotenv(text, size, &names, &out) == REPLACE_CHANGED) {
		enum replace_result second =
			replace_dotenv(buf_string(&out), out.len, &names, &again);
		assert(second != REPLACE_UNKNOWN);
		assert(again.len == out.len &&
		       (out.len == 0 || memcmp(again.data, out.data, out.len) == 0));
	}
	buf_fini(&out);
	buf_fini(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 64 * 1024)
		return 0;
	const char *text = size > 0 ? (const char *)data : "";
	const char *slash = memchr(text, '\0', size);
	size_t n_glob = slash ? (size_t)(slash - text) : size / 2;
	(void)glob_fits(text, n_glob, text + n_glob, size - n_glob);
	check_git(text, size);
	check_dotenv(text, size);
	return 0;
}
