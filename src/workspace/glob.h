/* SPDX-License-Identifier: Apache-2.0 */
/*
 * glob.h - does a path fit a glob?  Byte by byte, whatever the locale and whatever the bytes
 *
 * A star stands for any bytes but a slash, two stars for any bytes, a question mark for one byte
 * but a slash, [abc], [a-z] and [!a-z] for one of a set, a backslash makes the next byte plain.
 * Letters of ASCII fit in either case.  The C library's fnmatch() stops at bytes that are no
 * characters, so a name of invalid UTF-8 would get past a star of it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

bool glob_fits(const char *glob, size_t glob_len, const char *path, size_t len);
