/* SPDX-License-Identifier: Apache-2.0 */
/* text.c - a table of options, as --help and man pages show it */
#include <string.h>

#include "base/output.h"
#include "options/options.h"

#define HELP_COLUMN 30

static void append_option(struct buf *out, const struct option_row *row)
{
	char text[80];
	int used = snprintf(text, sizeof(text), row->letter ? "  -%c, --%s%s%s" : "  %c   --%s%s%s",
			    row->letter ? row->letter : ' ', row->name, row->argument[0] ? " " : "",
			    row->argument);
	buf_append_string(out, text);
	/* Too long for the column: the help begins on a line of its own. */
	if (used + 1 >= HELP_COLUMN) {
		buf_append_char(out, '\n');
		used = 0;
	}
	for (; used < HELP_COLUMN; used++)
		buf_append_char(out, ' ');
	output_wrap(out, row->help, HELP_COLUMN);
}

void options_help(struct buf *out, const struct option_table *table)
{
	for (size_t i = 0; i < table->n_rows; i++)
		append_option(out, &table->rows[i]);
}

void options_scdoc_text(struct buf *out, const char *text)
{
	for (; *text; text++) {
		if (strchr("*_\\<~#", *text))
			buf_append_char(out, '\\');
		buf_append_char(out, *text);
	}
}

static void append_scdoc(struct buf *out, const struct option_row *row)
{
	if (row->letter) {
		const char letter[] = { '*', '-', row->letter, '*', ',', ' ', '\0' };
		buf_append_string(out, letter);
	}
	buf_append_string(out, "*--");
	buf_append_string(out, row->name);
	buf_append_char(out, '*');
	if (row->argument[0]) {
		buf_append_char(out, ' ');
		options_scdoc_text(out, row->argument);
	}
	buf_append_string(out, "\n\t");
	options_scdoc_text(out, row->help);
	buf_append_string(out, "\n\n");
}

void options_scdoc(struct buf *out, const struct option_table *table)
{
	for (size_t i = 0; i < table->n_rows; i++)
		append_scdoc(out, &table->rows[i]);
}
