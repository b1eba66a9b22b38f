/* SPDX-License-Identifier: Apache-2.0 */
/*
 * error.h - failures as values: what, where, why, and what to do
 *
 * Return convention of every fallible function in foso:
 *   0    done
 *   > 0  an outcome that the function's header names; *err is untouched; the caller handles it
 *   < 0  -enum error_code; *err is filled; the caller only forwards it
 * Output parameters are written on success only.  Functions below layer 6 never print.
 */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "base/error_codes.h"
#include "base/macros.h"

enum error_code {
	ERR_NONE = 0,
#define ERROR_CODE_ENUM(name, ...) ERR_##name,
	ERROR_CODES(ERROR_CODE_ENUM)
#undef ERROR_CODE_ENUM
		ERR_N_CODES
};

struct error {
	enum error_code code; /* ERR_NONE while nothing went wrong */
	int errnum;           /* errno of the failed call; 0 when no call failed */
	char subject[128];    /* what the user can find: field path, option, file, sandbox id */
	char message[256];    /* what is wrong with it: one clause, lower case, no full stop */
	char remedy[256];     /* what to do about it; empty only for ERR_INTERNAL */
	const char *origin;   /* "file.c:12", static; shown with --debug only */
};

/*
 * error_set() - record a failure and return its negative code
 * @errnum:   errno of the call that failed, or 0; its text is appended to the message
 * @subject:  copied and cut to fit
 * @format:   the message
 *
 * Setting an error that is already set is an assertion failure: nothing is overwritten in
 * silence.  Never allocates.
 */
#define error_set(err, code, errnum, subject, ...)                                                 \
	({                                                                                         \
		error_set_at(err, code, errnum, __FILE_NAME__ ":" ERROR_STRING(__LINE__), subject, \
			     __VA_ARGS__);                                                         \
		-(int)(code);                                                                      \
	})

void error_set_at(struct error *err, enum error_code code, int errnum, const char *origin,
		  const char *subject, const char *format, ...) printf_like(6, 7);

/*
 * error_remedy() - add what to do about it; returns @result unchanged, so it can be returned
 *
 * These are macros so that a static analyser sees that the value is the negative code.
 */
#define error_remedy(err, result, ...)              \
	({                                          \
		int error_result_ = (result);       \
		error_remedy_set(err, __VA_ARGS__); \
		error_result_;                      \
	})

void error_remedy_set(struct error *err, const char *format, ...) printf_like(2, 3);

void error_prefix(struct error *err, const char *prefix);

/* error_under() - put "@prefix: " before the subject; returns @result unchanged. */
static inline int error_under(struct error *err, int result, const char *prefix)
{
	error_prefix(err, prefix);
	return result;
}

/* error_clear() - forget a failure that has been handled. */
void error_clear(struct error *err);

/*
 * error_print() - "foso: subject: message; remedy" and a newline
 *
 * Control bytes and invalid UTF-8 in a subject or message (they can come from a file name that
 * a stranger chose) are printed as \xNN, so an error can never drive the terminal.
 */
void error_print(FILE *stream, const struct error *err);

/* error_format() - the same without the newline; always ends @text with a NUL. */
void error_format(const struct error *err, char *text, size_t size);

const char *error_code_word(enum error_code code);    /* "refused" */
int error_code_exit_status(enum error_code code);     /* 125 */
const char *error_code_meaning(enum error_code code); /* the table's sentence */

/* Several failures at once, so that a user can mend a policy in one round. */
#define ERROR_LIST_MAX 32

struct error_list {
	size_t n_errors; /* stored in items[] */
	size_t n_lost;   /* further ones that did not fit */
	struct error items[ERROR_LIST_MAX];
};

/* error_list_next() - a cleared slot to fill; a spare that is overwritten once the list is full. */
struct error *error_list_next(struct error_list *list);

#define ERROR_STRING_(x) #x
#define ERROR_STRING(x)  ERROR_STRING_(x)
