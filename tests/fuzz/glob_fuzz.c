/* SPDX-License-Identifier: Apache-2.0 */
/* glob_fuzz.c - the first line is a pattern, the rest a path; against a matcher that is simple */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/macros.h"
#include "workspacetool/exec.h"
#include "workspacetool/glob.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Without sets and escapes, by trying; NOLINTNEXTLINE(misc-no-recursion) */
static bool matches_simply(const char *p, const char *path, size_t len, unsigned *budget)
{
	if (*budget == 0 || --*budget == 0)
		return false;
	if (p[0] == '\0')
		return len == 0;
	if (p[0] == '*') {
		bool is_double = p[1] == '*';
		if (matches_simply(p + (is_double ? 2 : 1), path, len, budget))
			return true;
		return len > 0 && (is_double || path[0] != '/') &&
		       matches_simply(p, path + 1, len - 1, budget);
	}
	return len > 0 && (p[0] == '?' ? path[0] != '/' : p[0] == path[0]) &&
	       matches_simply(p + 1, path + 1, len - 1, budget);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char pattern[GLOB_MAX_BYTES + 8];
	not_zeroed char folded[EXEC_FOLDED_BYTES];
	const uint8_t *newline = memchr(data, '\n', size);
	size_t n = newline ? (size_t)(newline - data) : size;
	unsigned budget = 100000;
	if (size > 64 * 1024 || n >= sizeof(pattern))
		return 0;
	memcpy(pattern, data, n);
	pattern[n] = '\0';
	const char *path = newline ? (const char *)newline + 1 : "";
	size_t len = newline ? size - n - 1 : 0;
	(void)glob_is_valid(pattern);
	(void)glob_matches(pattern, path, len);
	bool is_whole = glob_matches_all(pattern, path, len);
	/* A "**" and a slash also stand for nothing, which the simple one does not know. */
	if (glob_is_valid(pattern) && !strpbrk(pattern, "[\\") && !strstr(pattern, "**/") &&
	    strlen(pattern) == n) {
		bool expected = matches_simply(pattern, path, len, &budget);
		assert(budget == 0 || is_whole == expected);
	}
	size_t n_folded = exec_fold(path, len, folded);
	assert(n_folded < EXEC_FOLDED_BYTES && folded[n_folded] == '\0');
	(void)exec_path_reason(path, len, true);
	(void)exec_leads_outside(path, len, pattern, strlen(pattern));
	return 0;
}
