/* SPDX-License-Identifier: Apache-2.0 */
/*
 * match.c - patterns of COPY and .dockerignore
 *
 * Within a segment the last "*" is where a mismatch goes back to, and among segments the last
 * "**" likewise, so a hostile pattern costs the product of two lengths and not more.
 */
#include <string.h>

#include "recipe/recipe.h"

/* One character of a set "[...]"; moves *at behind the set.  A set without an end is no set. */
static bool set_matches(const char **at, const char *end, char c)
{
	const char *p = *at + 1;
	bool is_negated = p < end && (*p == '^' || *p == '!'), is_in = false;
	p += is_negated;
	for (bool is_first = true; p < end && (*p != ']' || is_first); is_first = false) {
		if (*p == '\\' && p + 1 < end)
			p++;
		char low = *p++, high = low;
		if (p + 1 < end && *p == '-' && p[1] != ']') {
			p++;
			if (*p == '\\' && p + 1 < end)
				p++;
			high = *p++;
		}
		is_in = is_in || ((unsigned char)c >= (unsigned char)low &&
				  (unsigned char)c <= (unsigned char)high);
	}
	if (p >= end)
		return false;
	*at = p + 1;
	return is_in != is_negated;
}

/* One character against the pattern at *at, which moves behind what stood for it. */
static bool char_matches(const char **at, const char *end, char c)
{
	if (*at == end)
		return false;
	switch (**at) {
	case '?':
		(*at)++;
		return true;
	case '[':
		return set_matches(at, end, c);
	case '\\':
		if (*at + 1 < end)
			(*at)++;
		break;
	default:
		break;
	}
	return *(*at)++ == c;
}

static bool segment_matches(const char *pattern, size_t n_pattern, const char *text, size_t n_text)
{
	const char *at = pattern, *end = pattern + n_pattern;
	const char *stop = text + n_text, *star = NULL, *star_text = NULL;
	while (text < stop) {
		if (at < end && *at == '*') {
			star = ++at;
			star_text = text;
			continue;
		}
		const char *next = at;
		if (char_matches(&next, end, *text)) {
			at = next;
			text++;
			continue;
		}
		if (!star)
			return false;
		at = star;
		text = ++star_text;
	}
	while (at < end && *at == '*')
		at++;
	return at == end;
}

static const char *skip_segment(const char *at, size_t len)
{
	return at + len + (at[len] == '/');
}

bool recipe_match(const char *pattern, const char *path)
{
	const char *star = NULL, *star_path = NULL;
	while (*path) {
		size_t n_pattern = strcspn(pattern, "/"), n_path = strcspn(path, "/");
		if (n_pattern == 2 && pattern[0] == '*' && pattern[1] == '*') {
			star = pattern = skip_segment(pattern, 2);
			star_path = path;
			/* At its end it stands for all that is left. */
			if (*pattern == '\0')
				return true;
			continue;
		}
		if (*pattern && segment_matches(pattern, n_pattern, path, n_path)) {
			pattern = skip_segment(pattern, n_pattern);
			path = skip_segment(path, n_path);
			continue;
		}
		if (!star)
			return false;
		pattern = star;
		star_path = path = skip_segment(star_path, strcspn(star_path, "/"));
	}
	while (strcmp(pattern, "**") == 0 || strncmp(pattern, "**/", 3) == 0)
		pattern = skip_segment(pattern, 2);
	return *pattern == '\0';
}

/* A pattern that matches a folder matches what is in it. */
static bool matches_or_above(const char *pattern, const char *path, char *copy)
{
	for (const char *slash = strchr(path, '/');; slash = strchr(slash + 1, '/')) {
		size_t len = slash ? (size_t)(slash - path) : strlen(path);
		memcpy(copy, path, len);
		copy[len] = '\0';
		if (recipe_match(pattern, copy))
			return true;
		if (!slash)
			return false;
	}
}

bool recipe_is_ignored(const struct recipe_plan *plan, const char *path)
{
	char copy[4096];
	bool is_ignored = false;
	if (strlen(path) >= sizeof(copy))
		return false;
	for (size_t i = 0; i < plan->n_ignores; i++) {
		const struct recipe_pattern *pattern = &plan->ignores[i];
		/* One that changes nothing need not be looked at. */
		if (pattern->is_kept == is_ignored && matches_or_above(pattern->text, path, copy))
			is_ignored = !pattern->is_kept;
	}
	return is_ignored;
}

bool recipe_may_keep_below(const struct recipe_plan *plan)
{
	for (size_t i = 0; i < plan->n_ignores; i++)
		if (plan->ignores[i].is_kept)
			return true;
	return false;
}
