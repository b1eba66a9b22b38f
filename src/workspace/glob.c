/* SPDX-License-Identifier: Apache-2.0 */
/* glob.c - does a path fit a glob? */
#include "workspace/glob.h"

static unsigned char lower(char c)
{
	unsigned char byte = (unsigned char)c;
	return byte >= 'A' && byte <= 'Z' ? (unsigned char)(byte + 32) : byte;
}

/* Where a set ends, behind its bracket; 0 if it has no end, and then it is a plain bracket. */
static size_t set_end(const char *glob, size_t len)
{
	size_t at = 1;
	if (at < len && (glob[at] == '!' || glob[at] == '^'))
		at++;
	if (at < len && glob[at] == ']')
		at++;
	while (at < len && glob[at] != ']')
		at++;
	return at < len ? at + 1 : 0;
}

static bool set_has(const char *set, size_t end, char c)
{
	size_t at = 1;
	bool is_negated = set[at] == '!' || set[at] == '^', has = false;
	at += is_negated;
	/* A bracket that comes first is one of the set: the end was looked for behind it. */
	while (at + 1 < end) {
		unsigned char from = lower(set[at]), to = from;
		if (at + 3 < end && set[at + 1] == '-') {
			to = lower(set[at + 2]);
			at += 2;
		}
		has = has || (lower(c) >= from && lower(c) <= to);
		at++;
	}
	return has != is_negated;
}

/* One byte of the path against one item of the glob: the item's length, or 0 if it does not fit. */
static size_t fit_one(const char *glob, size_t len, char c)
{
	size_t end;
	if (glob[0] == '?')
		return c != '/';
	if (glob[0] == '[' && (end = set_end(glob, len)) > 0)
		return c != '/' && set_has(glob, end, c) ? end : 0;
	if (glob[0] == '\\' && len > 1)
		return glob[1] == c || lower(glob[1]) == lower(c) ? 2 : 0;
	return lower(glob[0]) == lower(c) ? 1 : 0;
}

/*
 * Two places to come back to: behind the last single star, and behind the last pair of them,
 * which a single one that came later cannot replace, as it ends at a slash.
 */
struct retreat {
	size_t glob, path;
	bool is_set;
	bool by_part; /* two stars and a slash: whole parts of the path are left out */
};

/* Behind what one more step leaves out; false if there is no such place. */
static bool step(struct retreat *retreat, const char *path, size_t len, bool crosses_slashes)
{
	size_t at = retreat->path;
	if (!retreat->is_set || at >= len || (!crosses_slashes && path[at] == '/'))
		return false;
	while (retreat->by_part && at < len && path[at] != '/')
		at++;
	if (at >= len)
		return false;
	retreat->path = at + 1;
	return true;
}

bool glob_fits(const char *glob, size_t glob_len, const char *path, size_t len)
{
	struct retreat one = { 0 }, two = { 0 };
	size_t g = 0, p = 0, n;
	while (p < len || g < glob_len) {
		if (g < glob_len && glob[g] == '*') {
			bool is_pair = g + 1 < glob_len && glob[g + 1] == '*';
			g += is_pair ? 2 : 1;
			bool by_part = is_pair && g < glob_len && glob[g] == '/' &&
				       (p == 0 || path[p - 1] == '/');
			g += by_part;
			*(is_pair ? &two : &one) = (struct retreat){ g, p, true, by_part };
			one.is_set = !is_pair;
		} else if (g < glob_len && p < len &&
			   (n = fit_one(glob + g, glob_len - g, path[p])) > 0) {
			g += n;
			p++;
		} else if (step(&one, path, len, false)) {
			p = one.path;
			g = one.glob;
		} else if (step(&two, path, len, true)) {
			p = two.path;
			g = two.glob;
			one.is_set = false;
		} else {
			return false;
		}
	}
	return true;
}
