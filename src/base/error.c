/* SPDX-License-Identifier: Apache-2.0 */
/* error.c - failures as values */
#include "base/error.h"

#include <errno.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"

static const struct {
	const char *word;
	int exit_status;
	const char *meaning;
} codes[ERR_N_CODES] = {
#define ERROR_CODE_ROW(name, word_, exit_, http_, grpc_, meaning_) \
	[ERR_##name] = { .word = word_, .exit_status = exit_, .meaning = meaning_ },
	ERROR_CODES(ERROR_CODE_ROW)
#undef ERROR_CODE_ROW
};

void error_set_at(struct error *err, enum error_code code, int errnum, const char *origin,
		  const char *subject, const char *format, ...)
{
	assert(err->code == ERR_NONE);
	err->code = code;
	err->errnum = errnum;
	err->origin = origin;
	err->remedy[0] = '\0';
	(void)snprintf(err->subject, sizeof(err->subject), "%s", subject);

	va_list args;
	va_start(args, format);
	int len = vsnprintf(err->message, sizeof(err->message), format, args);
	va_end(args);
	if (errnum != 0 && len >= 0 && (size_t)len < sizeof(err->message)) {
		size_t used = (size_t)len;
		(void)snprintf(err->message + used, sizeof(err->message) - used, " (%s)",
			       strerror(errnum)); /* NOLINT(concurrency-mt-unsafe): one thread */
	}
}

void error_remedy_set(struct error *err, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(err->remedy, sizeof(err->remedy), format, args);
	va_end(args);
}

void error_prefix(struct error *err, const char *prefix)
{
	char subject[sizeof(err->subject)];
	int len = snprintf(subject, sizeof(subject), "%s", prefix);
	size_t used = len < 0 ? 0 : MIN((size_t)len, sizeof(subject) - 1);
	(void)snprintf(subject + used, sizeof(subject) - used, ": %s", err->subject);
	(void)snprintf(err->subject, sizeof(err->subject), "%s", subject);
}

void error_clear(struct error *err)
{
	memset(err, 0, sizeof(*err));
}

void error_format(const struct error *err, char *text, size_t size)
{
	char subject[sizeof(err->subject) * 4];
	char message[sizeof(err->message) * 4];
	char remedy[sizeof(err->remedy) * 4];
	text_escape(err->subject, strlen(err->subject), subject, sizeof(subject));
	text_escape(err->message, strlen(err->message), message, sizeof(message));
	text_escape(err->remedy, strlen(err->remedy), remedy, sizeof(remedy));
	(void)snprintf(text, size, "foso: %s%s%s%s%s", subject, subject[0] ? ": " : "", message,
		       remedy[0] ? "; " : "", remedy);
}

void error_print(FILE *stream, const struct error *err)
{
	char text[4096];
	error_format(err, text, sizeof(text));
	(void)fprintf(stream, "%s\n", text);
}

const char *error_code_word(enum error_code code)
{
	return code > ERR_NONE && code < ERR_N_CODES ? codes[code].word : "none";
}

int error_code_exit_status(enum error_code code)
{
	return code > ERR_NONE && code < ERR_N_CODES ? codes[code].exit_status : 0;
}

const char *error_code_meaning(enum error_code code)
{
	return code > ERR_NONE && code < ERR_N_CODES ? codes[code].meaning : "";
}

struct error *error_list_next(struct error_list *list)
{
	struct error *slot = &list->items[MIN(list->n_errors, (size_t)ERROR_LIST_MAX - 1)];
	if (list->n_errors < ERROR_LIST_MAX)
		list->n_errors++;
	else
		list->n_lost++;
	error_clear(slot);
	return slot;
}
