/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replace.h - files that are shown with their secrets replaced
 *
 * Both read what a stranger may have written, and are called in a process that gave up its rights
 * (confine/reader.h).  Strict: what is not understood to its end is not shown at all.  Each is
 * pure: bytes in, bytes out.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "policy/policy.h"

#define REPLACE_MAX_BYTES (1024 * 1024)

enum replace_result {
	REPLACE_UNCHANGED, /* there is no secret in it */
	REPLACE_CHANGED,   /* *out is to be shown instead */
	REPLACE_UNKNOWN,   /* not understood: hide it */
	REPLACE_N_RESULTS
};

/*
 * replace_git_config() - the configuration of a repository, without credentials
 *
 * Out of URLs, in values and in section names, goes what stands before the @ (of ssh only a
 * password, as the user is no secret).  Variables that hold a secret by their name (extraheader,
 * anything with pass, token, secret or cookie) and commands that hold one become comments.
 * Everything else stays byte for byte, so git works inside.
 */
enum replace_result replace_git_config(const char *text, size_t len, struct buf *out);

/* replace_git_may_hold() - false: there is nothing in it that replace_git_config() could change */
bool replace_git_may_hold(const char *text, size_t len);

#define REPLACE_PLACEHOLDER "foso_placeholder_" /* then the name of the variable */

/*
 * replace_dotenv() - variables of an .env file: the values of @names replaced by placeholders
 *
 * A name "*" stands for all.  Comments are left out, as an old secret often lies in one.  What
 * readers of such files understand differently (quotes inside a word, a backslash at the end of a
 * line) is REPLACE_UNKNOWN.
 */
enum replace_result replace_dotenv(const char *text, size_t len, const struct policy_list *names,
				   struct buf *out);
