/* SPDX-License-Identifier: Apache-2.0 */
/* exec.h - whether a path or its content executes on the host */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "workspacetool/exec_paths.h"

/* Reasons that are no path; those of paths follow, EXEC_PATH_FIRST + row. */
/* clang-format off */
#define EXEC_KINDS(EXEC_KIND)                                                                     \
	EXEC_KIND(PROGRAM, "mode x",    "a program: new, or made executable")                     \
	EXEC_KIND(CHANGED, "mode x",    "a program that was there has another content")           \
	EXEC_KIND(SCRIPT,  "#!",        "begins as a script does")                                \
	EXEC_KIND(BINARY,  "ELF",       "begins as a binary program or library does")             \
	EXEC_KIND(OUTSIDE, "link",      "leads out of the workspace: what is used through it is not what was shown") \
	EXEC_KIND(GIT_KEY, "git config", "a config of git that names programs to run, or where to fetch") \
	EXEC_KIND(GIT_ODD, "git config", "a config of git that foso cannot read as git does")     \
	EXEC_KIND(GIT_DIR, ".git",      "a file or link in the place of a repository")
/* clang-format on */

enum exec_reason {
	EXEC_NONE,
#define EXEC_ENUM(name, ...) EXEC_##name,
	EXEC_KINDS(EXEC_ENUM)
#undef EXEC_ENUM
		EXEC_PATH_FIRST,
};

#define EXEC_FOLDED_BYTES 8192

/*
 * exec_fold() - the path as it is compared
 *
 * ASCII in lower case; the characters that fold to ASCII letters (Kelvin sign, long s, sharp s,
 * ligatures) folded; characters that HFS+ or a case-folding ext4 ignore left out; dots and spaces
 * at the end of a name, which FAT and NTFS drop, left out.  Always ends with a NUL.
 */
size_t exec_fold(const char *path, size_t len, char folded[EXEC_FOLDED_BYTES]);

/*
 * exec_path_reason() - why @path executes on the host; EXEC_NONE if no row says so
 * @is_link:  a link in the place of a folder counts as all that it can lead to
 */
unsigned exec_path_reason(const char *path, size_t len, bool is_link);

/* exec_is_git_config() - a name that git reads as a config: of a repository, bare ones included. */
bool exec_is_git_config(const char *path, size_t len);

/* exec_leads_outside() - whether a link at @path to @target leaves the workspace. */
bool exec_leads_outside(const char *path, size_t len, const char *target, size_t target_len);

/* exec_magic_reason() - EXEC_SCRIPT, EXEC_BINARY or EXEC_NONE, by the first bytes of a file. */
unsigned exec_magic_reason(const char *bytes, size_t len);

/* exec_reason_words() - of any reason; exec_reason_pattern() - what it was recognised by. */
const char *exec_reason_words(unsigned reason);
const char *exec_reason_pattern(unsigned reason);
unsigned exec_n_reasons(void); /* reasons are 1 .. this - 1 */
