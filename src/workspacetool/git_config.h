/* SPDX-License-Identifier: Apache-2.0 */
/*
 * git_config.h - the keys of a git config that run programs
 *
 * Only foso-content calls this: the bytes are a stranger's.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

#define GIT_MAX_NAME_BYTES 512

/* One "name = value": the name in lower case but for the subsection. */
struct git_item {
	char name[GIT_MAX_NAME_BYTES]; /* "diff.My Driver.command" */
	size_t name_len;
	const char *value; /* borrowed until the next item */
	size_t value_len;
	const char *reason; /* of git_keys.h; NULL if it runs nothing */
};

/* git_key() - a row of git_keys.h, for help; false behind the last one. */
bool git_key(size_t index, const char **ret_pattern, const char **ret_reason);

/*
 * git_config_walk() - calls @found for each item
 *
 * Returns false if the text is not read as git reads it (or has longer names than git's users
 * have): then it counts as one that runs programs.
 */
bool git_config_walk(const char *text, size_t len,
		     void (*found)(const struct git_item *item, void *context), void *context);

/*
 * git_config_compare() - what of @now runs programs and is not in @before, one item a line, and
 * what of @before is not in @now
 *
 * Returns false, and *out is as it was, if @now cannot be read.  A value that is in @before, under
 * the same name and in the same place among the values of that name, is no news.
 */
bool git_config_compare(const char *before, size_t n_before, const char *now, size_t n_now,
			struct buf *out);
