/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob.h - patterns over paths, as `foso commit --only` and the table of exec_paths.h write them
 *
 *   ?      one byte, but no slash          [a-z] [!a-z]  one byte of a set, but no slash
 *   *      any bytes, but no slash         **            any bytes, slashes included
 *   \x     the byte x
 *
 * A pattern without a slash (but at its end) is looked for in every folder; one with a slash
 * counts from the top, and a slash at its beginning does nothing more.  What matches a folder
 * matches everything in it.  Time is bounded by length of pattern times length of path.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define GLOB_MAX_BYTES 512

/* glob_is_valid() - false if it is empty, too long, or a set or an escape has no end. */
bool glob_is_valid(const char *pattern);

/* glob_matches() - whether the whole path of @len bytes, or a folder that it lies in, matches. */
bool glob_matches(const char *pattern, const char *path, size_t len);

/* glob_matches_below() - the same from the top, whether or not the pattern has a slash. */
bool glob_matches_below(const char *pattern, const char *path, size_t len);

/* glob_matches_all() - from the top, and the whole path alone. */
bool glob_matches_all(const char *pattern, const char *path, size_t len);
