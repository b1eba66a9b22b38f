/* SPDX-License-Identifier: Apache-2.0 */
/* error.h - what went wrong, and what to do about it; include <foso/foso.h> */
#pragma once

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

struct foso_error;

/* What kind of failure it is.  Numbers stay; new ones are added at the end. */
enum foso_error_code {
	FOSO_ERROR_NONE = 0,
	FOSO_ERROR_INVALID = 1,      /* the input is malformed */
	FOSO_ERROR_REFUSED = 2,      /* the level cannot enforce the policy */
	FOSO_ERROR_DENIED = 3,       /* the caller lacks the right */
	FOSO_ERROR_NOT_FOUND = 4,    /* the named thing does not exist */
	FOSO_ERROR_EXISTS = 5,       /* the named thing exists already */
	FOSO_ERROR_LIMIT = 6,        /* a bound of foso itself is exceeded */
	FOSO_ERROR_UNSUPPORTED = 7,  /* this host or build lacks a feature */
	FOSO_ERROR_TIMEOUT = 8,      /* a bounded wait ran out */
	FOSO_ERROR_CANCELLED = 9,    /* the caller gave up */
	FOSO_ERROR_UNAVAILABLE = 10, /* a needed program does not answer */
	FOSO_ERROR_PROTOCOL = 11,    /* a peer broke the wire format */
	FOSO_ERROR_SYSTEM = 12,      /* a system call failed */
	FOSO_ERROR_CORRUPT = 13,     /* stored data fails its check */
	FOSO_ERROR_INTERNAL = 14,    /* foso itself is wrong */
};

/*
 * Errors
 *
 * One object can be used for many calls: a call that fails replaces what it held.  A policy can
 * be wrong in many places; foso_error_next() walks them.
 */

/* foso_error_new() - an empty one, or NULL for want of memory.  Free it with foso_error_free(). */
struct foso_error *foso_error_new(void);

/* foso_error_free() - accepts NULL; returns NULL. */
struct foso_error *foso_error_free(struct foso_error *err);

enum foso_error_code foso_error_code(const struct foso_error *err);
const char *foso_error_code_word(enum foso_error_code code); /* "refused"; static */

/* What is wrong: field, file or program; the clause about it; what to do.  Borrowed from @err. */
const char *foso_error_subject(const struct foso_error *err);
const char *foso_error_message(const struct foso_error *err);
const char *foso_error_remedy(const struct foso_error *err);

/*
 * foso_error_text() - "subject: message; remedy" as one line, safe to show on a terminal
 *
 * Borrowed until the next call with the same @err.
 */
const char *foso_error_text(struct foso_error *err);

/* foso_error_next() - go on to the next failure of the same call; false if there is none. */
bool foso_error_next(struct foso_error *err);

#ifdef __cplusplus
}
#endif
