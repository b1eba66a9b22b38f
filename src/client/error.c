/* SPDX-License-Identifier: Apache-2.0 */
/* error.c - failures as the library's callers see them */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/client.h"

/* The public numbers are promised; the internal table may only grow at its end. */
#define SAME(name)          static_assert((int)FOSO_ERROR_##name == (int)ERR_##name, #name);
#define SAME_ROW(name, ...) SAME(name)
ERROR_CODES(SAME_ROW)

int client_fail(struct foso_error *err, int result, const struct error *internal)
{
	if (!err || result >= 0)
		return result;
	memset(&err->list, 0, sizeof(err->list));
	err->at = 0;
	err->list.items[0] = *internal;
	err->list.n_errors = 1;
	return result;
}

int client_fail_list(struct foso_error *err, const struct error_list *list)
{
	int result = list->n_errors > 0 ? -(int)list->items[0].code : 0;
	if (!err || result == 0)
		return result;
	err->list = *list;
	err->at = 0;
	return result;
}

struct foso_error *foso_error_new(void)
{
	return calloc(1, sizeof(struct foso_error));
}

struct foso_error *foso_error_free(struct foso_error *err)
{
	free(err);
	return NULL;
}

enum foso_error_code foso_error_code(const struct foso_error *err)
{
	return (enum foso_error_code)err->list.items[err->at].code;
}

const char *foso_error_code_word(enum foso_error_code code)
{
	return error_code_word((enum error_code)code);
}

const char *foso_error_subject(const struct foso_error *err)
{
	return err->list.items[err->at].subject;
}

const char *foso_error_message(const struct foso_error *err)
{
	return err->list.items[err->at].message;
}

const char *foso_error_remedy(const struct foso_error *err)
{
	return err->list.items[err->at].remedy;
}

const char *foso_error_text(struct foso_error *err)
{
	static const char prefix[] = "foso: ";
	err->text[0] = '\0';
	if (err->list.n_errors == 0)
		return err->text;
	error_format(&err->list.items[err->at], err->text, sizeof(err->text));
	if (strncmp(err->text, prefix, sizeof(prefix) - 1) == 0)
		return err->text + sizeof(prefix) - 1;
	return err->text;
}

bool foso_error_next(struct foso_error *err)
{
	if (err->at + 1 >= err->list.n_errors)
		return false;
	err->at++;
	return true;
}
