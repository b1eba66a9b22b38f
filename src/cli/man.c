/* SPDX-License-Identifier: Apache-2.0 */
/* man.c - the parts of the man pages that come from the tables, in the language of scdoc(5) */
#include "cli/man.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "wire/end.h"

/* What scdoc takes for markup is taken for itself. */
static void print_escaped(const char *text)
{
	for (; *text; text++) {
		if (strchr("*_\\<~#", *text))
			(void)putchar('\\');
		(void)putchar(*text);
	}
}

static void print_usage(enum command_id command)
{
	if (command == COMMAND_NONE) {
		(void)printf("*foso* [_OPTION_]... _COMMAND_ [_OPTION_]... [_OPERAND_]...\n");
		return;
	}
	(void)printf("*foso %s* [_OPTION_]... ", command_rows[command].word);
	print_escaped(command_rows[command].operands);
	(void)printf("\n");
}

static void print_option(const struct option_row *row)
{
	if (row->letter)
		(void)printf("*-%c*, ", row->letter);
	(void)printf("*--%s*", row->name);
	if (row->argument[0]) {
		(void)putchar(' ');
		print_escaped(row->argument);
	}
	(void)printf("\n\t");
	print_escaped(row->help);
	(void)printf("\n\n");
}

static void print_options(enum command_id command)
{
	size_t n_rows;
	const struct option_row *rows = option_rows(command, &n_rows);
	for (size_t i = 0; i < n_rows; i++)
		print_option(&rows[i]);
	for (size_t i = 0; i < n_global_option_rows; i++)
		print_option(&global_option_rows[i]);
}

static void print_commands(void)
{
	for (unsigned id = 0; id < N_COMMANDS; id++) {
		(void)printf("*foso-%s*(1)\n\t", command_rows[id].word);
		print_escaped(command_rows[id].summary);
		(void)printf("\n\n");
	}
}

static void print_reason(const char *word, const char *meaning)
{
	(void)printf("*%s*\n\t", word);
	print_escaped(meaning);
	(void)printf("\n\n");
}

static void print_reasons(void)
{
#define PRINT_REASON(name, word, exit_status, meaning) print_reason(word, meaning);
	END_REASONS(PRINT_REASON)
#undef PRINT_REASON
}

int man_print(const char *part, enum command_id command, struct error *err)
{
	if (strcmp(part, "usage") == 0) {
		print_usage(command);
	} else if (strcmp(part, "options") == 0) {
		print_options(command);
	} else if (strcmp(part, "commands") == 0) {
		print_commands();
	} else if (strcmp(part, "reasons") == 0) {
		print_reasons();
	} else {
		int r = error_set(err, ERR_INVALID, 0, "--scdoc", "'%s' is not a part", part);
		return error_remedy(err, r, "write usage, options, commands or reasons");
	}
	return 0;
}
