/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob.c - patterns over paths
 *
 * The pattern is a small automaton whose states are the positions in it; all states that can be
 * reached are followed at once, so a hostile name cannot make the match slow.
 */
#include "workspacetool/glob.h"

#include <string.h>

#include "base/macros.h"

/* Length of the item of the pattern at @at: "x", "\x", "?", "*", "**", "[...]"; 0 if unfinished. */
static size_t item_len(const char *at)
{
	if (at[0] == '\\')
		return at[1] ? 2 : 0;
	if (at[0] == '*')
		return at[1] == '*' ? 2 : 1;
	if (at[0] != '[')
		return 1;
	size_t len = at[1] == '!' || at[1] == '^' ? 2 : 1;
	/* A closing bracket that comes first is a member. */
	if (at[len] == ']')
		len++;
	while (at[len] && at[len] != ']')
		len++;
	return at[len] ? len + 1 : 0;
}

static bool set_has(const char *set, size_t len, unsigned char byte)
{
	bool is_negated = set[1] == '!' || set[1] == '^', has = false;
	if (byte == '/')
		return false;
	for (size_t i = is_negated ? 2 : 1; i + 1 < len; i++) {
		unsigned char low = (unsigned char)set[i], high = low;
		if (i + 3 < len && set[i + 1] == '-') {
			high = (unsigned char)set[i + 2];
			i += 2;
		}
		has = has || (byte >= low && byte <= high);
	}
	return has != is_negated;
}

static bool item_takes(const char *item, size_t len, char byte)
{
	switch (item[0]) {
	case '\\':
		return item[1] == byte;
	case '?':
		return byte != '/';
	case '[':
		return set_has(item, len, (unsigned char)byte);
	case '*':
		return len == 2 || byte != '/';
	default:
		return item[0] == byte;
	}
}

/* What is reached without a byte: behind a star, and behind the slash of a "**" and a slash. */
static void follow(const char *pattern, size_t n, bool *states)
{
	for (size_t i = 0; i < n; i++) {
		if (!states[i] || pattern[i] != '*')
			continue;
		size_t len = item_len(pattern + i);
		states[i + len] = true;
		/* At the beginning of a name, so that "a" and "b/a" both match. */
		bool begins = i == 0 || pattern[i - 1] == '/';
		if (len == 2 && begins && pattern[i + 2] == '/')
			states[i + 3] = true;
	}
}

static bool step(const char *pattern, size_t n, bool *states, char byte)
{
	not_zeroed bool next[GLOB_MAX_BYTES + 2];
	bool is_alive = false;
	memset(next, 0, n + 2);
	for (size_t i = 0; i < n; i++) {
		size_t len = states[i] ? item_len(pattern + i) : 0;
		if (len == 0 || !item_takes(pattern + i, len, byte))
			continue;
		next[pattern[i] == '*' ? i : i + len] = true;
		is_alive = true;
	}
	memcpy(states, next, n + 1);
	return is_alive;
}

static bool matches_from(const char *pattern, size_t n, const char *path, size_t len, bool is_whole)
{
	not_zeroed bool states[GLOB_MAX_BYTES + 2];
	memset(states, 0, n + 2);
	states[0] = true;
	follow(pattern, n, states);
	for (size_t i = 0; i < len; i++) {
		/* All of the pattern was used up by a folder that the path lies in. */
		if (path[i] == '/' && states[n] && !is_whole)
			return true;
		if (!step(pattern, n, states, path[i]))
			return false;
		follow(pattern, n, states);
	}
	return states[n];
}

bool glob_is_valid(const char *pattern)
{
	size_t n = strlen(pattern);
	if (n == 0 || n > GLOB_MAX_BYTES)
		return false;
	for (size_t i = 0; i < n;) {
		size_t len = item_len(pattern + i);
		if (len == 0)
			return false;
		i += len;
	}
	return true;
}

/* Without slashes at its ends; *ret_n is the length that counts. */
static const char *trim(const char *pattern, size_t *ret_n)
{
	size_t n = strlen(pattern);
	while (n > 0 && pattern[n - 1] == '/')
		n--;
	if (n > 0 && pattern[0] == '/') {
		pattern++;
		n--;
	}
	*ret_n = n;
	return pattern;
}

bool glob_matches_below(const char *pattern, const char *path, size_t len)
{
	size_t n;
	pattern = trim(pattern, &n);
	return n == 0 || matches_from(pattern, n, path, len, false);
}

bool glob_matches(const char *pattern, const char *path, size_t len)
{
	size_t n;
	const char *trimmed = trim(pattern, &n);
	if (!glob_is_valid(pattern))
		return false;
	if (trimmed != pattern || memchr(trimmed, '/', n))
		return glob_matches_below(pattern, path, len);
	for (size_t at = 0;; at++) {
		if (n == 0 || matches_from(trimmed, n, path + at, len - at, false))
			return true;
		const char *slash = memchr(path + at, '/', len - at);
		if (!slash)
			return false;
		at = (size_t)(slash - path);
	}
}

bool glob_matches_all(const char *pattern, const char *path, size_t len)
{
	size_t n = strlen(pattern);
	return n > 0 && n <= GLOB_MAX_BYTES && matches_from(pattern, n, path, len, true);
}
