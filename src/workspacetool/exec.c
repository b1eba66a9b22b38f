/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c - whether a path or its content executes on the host */
#include "workspacetool/exec.h"

#include <string.h>

#include "base/macros.h"
#include "base/text.h"
#include "workspacetool/glob.h"

static const struct reason {
	const char *pattern, *words;
} reasons[] = { { "", "" },
#define KIND_ROW(name, pattern_, words_) { pattern_, words_ },
		EXEC_KINDS(KIND_ROW)
#undef KIND_ROW
#define PATH_ROW(pattern_, words_) { pattern_, words_ },
			EXEC_PATHS(PATH_ROW)
#undef PATH_ROW
};

/* One character that folds to several of ASCII.  Source: Unicode 15 CaseFolding.txt, status F. */
static const struct {
	uint32_t point;
	char ascii[4];
	uint8_t len;
} longer[] = {
	{ 0xdf, "ss", 2 },    { 0x1e9e, "ss", 2 }, { 0xfb00, "ff", 2 },
	{ 0xfb01, "fi", 2 },  { 0xfb02, "fl", 2 }, { 0xfb03, "ffi", 3 },
	{ 0xfb04, "ffl", 3 }, { 0xfb05, "st", 2 }, { 0xfb06, "st", 2 },
};

/* Bytes of the character folded to @out, of which there are at least 4. */
static size_t fold_one(const char *bytes, size_t n, char *out)
{
	uint32_t point = text_utf8_decode(bytes, n);
	if (n == 1) {
		if (point >= 'A' && point <= 'Z')
			point |= 0x20;
		out[0] = (char)point;
		return 1;
	}
	if (point == 0x212a || point == 0x17f) {
		out[0] = point == 0x17f ? 's' : 'k';
		return 1;
	}
	if (point >= 0xff21 && point <= 0xff5a) { /* Full width: NFKC makes ASCII of them. */
		out[0] = (char)((point - 0xff21 + 'A') | 0x20);
		return 1;
	}
	for (size_t i = 0; i < ARRAY_LEN(longer); i++)
		if (longer[i].point == point) {
			memcpy(out, longer[i].ascii, longer[i].len);
			return longer[i].len;
		}
	if (text_is_invisible(point))
		return 0;
	memcpy(out, bytes, n);
	return n;
}

static size_t trim_name(const char *folded, size_t name, size_t used)
{
	size_t end = used;
	while (end > name && (folded[end - 1] == '.' || folded[end - 1] == ' '))
		end--;
	return end > name ? end : used;
}

size_t exec_fold(const char *path, size_t len, char folded[EXEC_FOLDED_BYTES])
{
	size_t used = 0, name = 0;
	for (size_t i = 0; i < len && used + 4 < EXEC_FOLDED_BYTES;) {
		size_t n = text_utf8_next(path + i, len - i);
		if (path[i] == '/') {
			used = trim_name(folded, name, used);
			folded[used++] = '/';
			name = used;
			i++;
		} else if (n == 0) {
			folded[used++] = path[i++];
		} else {
			used += fold_one(path + i, n, folded + used);
			i += n;
		}
	}
	used = trim_name(folded, name, used);
	folded[used] = '\0';
	return used;
}

/* "git~1" is how FAT and NTFS shorten ".git". */
static size_t fold_for_match(const char *path, size_t len, char folded[EXEC_FOLDED_BYTES])
{
	static const char short_name[] = "git~1";
	size_t used = exec_fold(path, len, folded);
	for (size_t i = 0; i + 5 <= used; i++) {
		bool begins = i == 0 || folded[i - 1] == '/';
		bool ends = i + 5 == used || folded[i + 5] == '/';
		if (!begins || !ends || memcmp(folded + i, short_name, 5) != 0)
			continue;
		memcpy(folded + i, ".git", 4);
		memmove(folded + i + 4, folded + i + 5, used - i - 5 + 1);
		used--;
	}
	return used;
}

/* A link named as the first folder of a pattern leads to whatever its maker wants there. */
static bool link_stands_for(const char *pattern, const char *name, size_t len)
{
	char first[GLOB_MAX_BYTES];
	size_t n = strcspn(pattern, "/");
	if (pattern[n] == '\0' || n >= sizeof(first))
		return false;
	memcpy(first, pattern, n);
	first[n] = '\0';
	return glob_matches_all(first, name, len);
}

/* @path begins with a name; most rows are told from it by their first or last byte. */
static bool row_matches(const char *pattern, const char *path, size_t len)
{
	/* Of a name of ignored characters nothing is left. */
	if (len == 0 || (pattern[0] != '*' && pattern[0] != path[0]))
		return false;
	size_t n = strlen(pattern);
	char last = pattern[n - 1];
	if (last != '/' && last != '*' && last != '?' && last != ']' && last != path[len - 1])
		return false;
	return pattern[n - 1] == '/' ? glob_matches_below(pattern, path, len)
				     : glob_matches_all(pattern, path, len);
}

static unsigned find_row(const char *path, size_t len)
{
	for (unsigned i = EXEC_PATH_FIRST; i < ARRAY_LEN(reasons); i++)
		if (row_matches(reasons[i].pattern, path, len))
			return i;
	return EXEC_NONE;
}

static const char *last_name(const char *path, size_t *len)
{
	const char *slash = memrchr(path, '/', *len);
	if (!slash)
		return path;
	*len -= (size_t)(slash + 1 - path);
	return slash + 1;
}

unsigned exec_path_reason(const char *path, size_t len, bool is_link)
{
	char folded[EXEC_FOLDED_BYTES];
	size_t n = fold_for_match(path, len, folded), n_name = n;
	const char *name = last_name(folded, &n_name);
	if (n_name == 4 && memcmp(name, ".git", 4) == 0)
		return EXEC_GIT_DIR;
	for (size_t at = 0;; at++) {
		unsigned row = find_row(folded + at, n - at);
		if (row != EXEC_NONE)
			return row;
		const char *slash = memchr(folded + at, '/', n - at);
		if (!slash)
			break;
		at = (size_t)(slash - folded);
	}
	for (unsigned i = EXEC_PATH_FIRST; is_link && i < ARRAY_LEN(reasons); i++)
		if (link_stands_for(reasons[i].pattern, name, n_name))
			return i;
	return EXEC_NONE;
}

bool exec_is_git_config(const char *path, size_t len)
{
	char folded[EXEC_FOLDED_BYTES];
	size_t n = exec_fold(path, len, folded);
	const char *name = last_name(folded, &n);
	return strcmp(name, "config") == 0 || strcmp(name, "config.worktree") == 0;
}

bool exec_leads_outside(const char *path, size_t len, const char *target, size_t target_len)
{
	size_t depth = 0;
	if (target_len == 0 || target[0] == '/')
		return true;
	for (size_t i = 0; i < len; i++)
		depth += path[i] == '/';
	for (size_t at = 0; at < target_len;) {
		const char *slash = memchr(target + at, '/', target_len - at);
		size_t n = slash ? (size_t)(slash - target) - at : target_len - at;
		if (n == 2 && memcmp(target + at, "..", 2) == 0) {
			if (depth-- == 0)
				return true;
		} else if (n > 0 && !(n == 1 && target[at] == '.')) {
			depth++;
		}
		at += n + 1;
	}
	return false;
}

unsigned exec_magic_reason(const char *bytes, size_t len)
{
	if (len >= 2 && memcmp(bytes, "#!", 2) == 0)
		return EXEC_SCRIPT;
	if (len >= 4 && memcmp(bytes, "\177ELF", 4) == 0)
		return EXEC_BINARY;
	return EXEC_NONE;
}

const char *exec_reason_words(unsigned reason)
{
	return reason < ARRAY_LEN(reasons) ? reasons[reason].words : "";
}

const char *exec_reason_pattern(unsigned reason)
{
	return reason < ARRAY_LEN(reasons) ? reasons[reason].pattern : "";
}

unsigned exec_n_reasons(void)
{
	return ARRAY_LEN(reasons);
}
