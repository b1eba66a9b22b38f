/* SPDX-License-Identifier: Apache-2.0 */
/* man.c - the parts of the man pages that come from the tables, in the language of scdoc(5) */
#include "cli/man.h"

#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/options.h"
#include "wire/end.h"

#define MAX_PART_BYTES (64 * 1024)

static void print_escaped(const char *text)
{
	auto_buf struct buf part = BUF_INIT(MAX_PART_BYTES);
	options_scdoc_text(&part, text);
	(void)fputs(buf_string(&part), stdout);
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

static void print_options(enum command_id command)
{
	auto_buf struct buf part = BUF_INIT(MAX_PART_BYTES);
	struct option_table own = options_of(command), common = options_of_all();
	options_scdoc(&part, &own);
	options_scdoc(&part, &common);
	(void)fputs(buf_string(&part), stdout);
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
