/* SPDX-License-Identifier: Apache-2.0 */
/* help.c - foso help, and what --help says, from the tables of commands and options */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "cli/cli.h"
#include "cli/completion.h"
#include "cli/man.h"

#define MAX_HELP_BYTES (16 * 1024)

static void print_options(enum command_id command)
{
	auto_buf struct buf help = BUF_INIT(MAX_HELP_BYTES);
	struct option_table own = options_of(command), common = options_of_all();
	options_help(&help, &own);
	options_help(&help, &common);
	(void)printf("\nOptions:\n%s", buf_string(&help));
}

static void print_main(void)
{
	(void)printf("usage: foso [OPTION]... COMMAND [OPTION]... [OPERAND]...\n\n"
		     "Run code that nobody trusts, in a sandbox.\n\n"
		     "Commands:\n");
	for (unsigned id = 0; id < N_COMMANDS; id++)
		(void)printf("  %-10s %s\n", command_rows[id].word, command_rows[id].summary);
	print_options(COMMAND_NONE);
	(void)printf("\nfoso COMMAND --help says more about one of them.\n");
}

void help_print(enum command_id command)
{
	if (command == COMMAND_NONE) {
		print_main();
		return;
	}
	const struct command_row *row = &command_rows[command];
	(void)printf("usage: foso %s [OPTION]...%s%s\n\n", row->word, row->operands[0] ? " " : "",
		     row->operands);
	(void)printf("%c%s.\n", toupper((unsigned char)row->summary[0]), row->summary + 1);
	print_options(command);
	if (command == COMMAND_RUN)
		(void)printf(
			"\n"
			"Exit status: the command's own; 128+N if signal N ended it; 124 if a\n"
			"limit ended it; 125 if foso refused or failed; 126 if the command\n"
			"could not be executed, 127 if it was not found.\n");
}

static int find_operand(const struct options *options, enum command_id *ret, struct error *err)
{
	const char *word = options->words[options->at];
	*ret = COMMAND_NONE;
	if (!word)
		return 0;
	if (options->words[options->at + 1]) {
		int r = error_set(err, ERR_INVALID, 0, options->words[options->at + 1],
				  "foso help takes one command");
		return error_remedy(err, r, "write foso help %.100s", word);
	}
	*ret = command_find(word);
	if (*ret != COMMAND_NONE || strcmp(word, "foso") == 0)
		return 0;
	enum command_id nearest = command_nearest(word);
	int r = error_set(err, ERR_INVALID, 0, word, "not a command of foso");
	if (nearest != COMMAND_NONE)
		return error_remedy(err, r, "write foso help %s", command_rows[nearest].word);
	return error_remedy(err, r, "foso help lists the commands");
}

int command_help(struct cli *cli, int *ret_status, struct error *err)
{
	struct option option;
	const char *shell = NULL, *part = NULL;
	enum command_id command = COMMAND_NONE;
	int r;
	while ((r = options_next(&cli->options, &option, err)) == 0) {
		if (option.row->id == OPTION_COMPLETION)
			shell = option.value;
		else if (option.row->id == OPTION_SCDOC)
			part = option.value;
	}
	if (r > 0)
		r = find_operand(&cli->options, &command, err);
	if (r < 0)
		return r;
	*ret_status = 0;
	if (shell)
		return completion_print(shell, err);
	if (part)
		return man_print(part, command, err);
	if (command != COMMAND_NONE && command_rows[command].sibling[0]) {
		char help[] = "--help";
		char *words[] = { help, NULL };
		return sibling_exec(command, words, err);
	}
	help_print(command);
	return 0;
}
