/* SPDX-License-Identifier: Apache-2.0 */
/* output.c - what every program that talks to a person does with its stdout */
#include "base/output.h"

#include <string.h>

#define MAX_COLUMNS 80

static void new_line(struct buf *out, size_t column)
{
	buf_append_char(out, '\n');
	for (size_t i = 0; i < column; i++)
		buf_append_char(out, ' ');
}

void output_wrap(struct buf *out, const char *text, size_t column)
{
	size_t at = column;
	for (bool is_first = true; *text; is_first = false) {
		size_t len = strcspn(text, " ");
		if (!is_first && at + 1 + len > MAX_COLUMNS) {
			new_line(out, column);
			at = column;
		} else if (!is_first) {
			buf_append_char(out, ' ');
			at++;
		}
		buf_append(out, text, len);
		at += len;
		text += len;
		text += strspn(text, " ");
	}
	buf_append_char(out, '\n');
}

int output_finish(FILE *out, int result, struct error *err)
{
	if (result < 0 || (fflush(out) == 0 && !ferror(out)))
		return result;
	result = error_set(err, ERR_SYSTEM, 0, "stdout", "cannot be written");
	return error_remedy(err, result, "see where the output goes");
}
