/* SPDX-License-Identifier: Apache-2.0 */
/*
 * completion.c - what a shell offers after "foso", from the tables
 *
 * bash and zsh get a function that walks the words as foso does: options with a value skip it, so
 * that the first operand is found, and the command inside is completed as any command.  fish has
 * conditions instead, one line for each option.
 */
#include "cli/completion.h"

#include <stdio.h>
#include <string.h>

#include "cli/options.h"
#include "policy/fields.h"

struct shell {
	const char *name;
	void (*print)(void);
};

/* "a|b|c [FILE]" of a command's operands, as words: "a b c"; "" if it is not such a list. */
static void operand_words(const struct command_row *row, char text[sizeof(row->operands)])
{
	size_t len = strcspn(row->operands, " ");
	text[0] = '\0';
	if (!memchr(row->operands, '|', len))
		return;
	memcpy(text, row->operands, len);
	text[len] = '\0';
	for (char *bar = text; (bar = strchr(bar, '|'));)
		*bar = ' ';
}

/* Prints one option; @condition is for fish: when the option is offered. */
typedef void (*option_print)(const struct option_row *row, const char *condition);

static void each_row(struct option_table table, option_print print, const char *condition)
{
	for (size_t i = 0; i < table.n_rows; i++)
		print(&table.rows[i], condition);
}

/* Runs @print for each option of the command, the global ones included. */
static void each_option(enum command_id command, option_print print, const char *condition)
{
	each_row(options_of(command), print, condition);
	each_row(options_of_all(), print, condition);
}

static void print_name(const struct option_row *row, const char *condition)
{
	UNUSED(condition);
	(void)printf("--%s ", row->name);
}

/* "-l|--limit|", for an option that takes a value. */
static void print_valued(const struct option_row *row, const char *condition)
{
	UNUSED(condition);
	if (!row->argument[0])
		return;
	if (row->letter)
		(void)printf("-%c|", row->letter);
	(void)printf("--%s|", row->name);
}

static void print_limits(const char *suffix)
{
	static const char head[] = "limits.";
	for (size_t i = 0; i < POLICY_N_FIELDS; i++)
		if (strncmp(policy_fields[i].name, head, sizeof(head) - 1) == 0)
			(void)printf("%s%s ", policy_fields[i].name + sizeof(head) - 1, suffix);
}

/* The bash command that offers values for @row. */
static void print_bash_values(const struct option_row *row, const char *condition)
{
	UNUSED(condition);
	if (!row->argument[0])
		return;
	(void)printf("\t\t");
	if (row->letter)
		(void)printf("-%c|", row->letter);
	(void)printf("--%s) ", row->name);
	if (strcmp(row->choices, "<file>") == 0)
		(void)printf("_foso_offer -f");
	else if (strcmp(row->choices, "<folder>") == 0)
		(void)printf("_foso_offer -d");
	else if (strcmp(row->choices, "<env>") == 0)
		(void)printf("_foso_offer -e");
	else if (strcmp(row->choices, "<limit>") == 0) {
		(void)printf("_foso_offer -W \"");
		print_limits("=");
		(void)printf("\"; compopt -o nospace");
	} else {
		(void)printf("_foso_offer -W \"%s\"", row->choices);
	}
	(void)printf("; return ;;\n");
}

static void print_bash_options(struct option_table table)
{
	(void)printf("\t\tcase $previous in\n");
	each_row(table, print_bash_values, NULL);
	(void)printf("\t\tesac\n\t\tcase $current in\n\t\t-*) _foso_offer -W \"");
	each_row(table, print_name, NULL);
	each_row(options_of_all(), print_name, NULL);
	(void)printf("\"; return ;;\n\t\tesac\n");
}

static void print_bash_verb(const struct sibling_verb *verb)
{
	(void)printf("\t'%s %s')\n", command_rows[verb->command].word, verb->word);
	print_bash_options(verb->options);
	(void)printf("\t\t_foso_offer -f ;;\n");
}

static void print_bash_command(enum command_id command)
{
	const struct command_row *row = &command_rows[command];
	char words[sizeof(row->operands)];
	(void)printf("\t'%s '*)\n", row->word);
	print_bash_options(options_of(command));
	operand_words(row, words);
	if (command == COMMAND_RUN)
		(void)printf("\t\t_foso_offer -c ;;\n");
	else if (command == COMMAND_HELP)
		(void)printf("\t\t_foso_offer -W \"$commands\" ;;\n");
	else if (strncmp(row->operands, "ID", 2) == 0)
		(void)printf("\t\t_foso_offer -W \"$(foso ps --quiet 2>/dev/null)\" ;;\n");
	else if (words[0])
		(void)printf("\t\t_foso_offer -f -W \"%s\" ;;\n", words);
	else
		(void)printf("\t\t;;\n");
}

static void print_commands(void)
{
	for (unsigned id = 0; id < N_COMMANDS; id++)
		(void)printf("%s ", command_rows[id].word);
}

static void print_bash(void)
{
	(void)printf("# bash completion for foso; foso help --completion bash writes it\n\n"
		     "_foso_offer()\n{\n"
		     "\tmapfile -t COMPREPLY < <(compgen \"$@\" -- \"$current\")\n"
		     "}\n\n"
		     "_foso()\n{\n"
		     "\tlocal commands=\"");
	print_commands();
	(void)printf("\" command='' verb='' i=1\n"
		     "\tlocal current=${COMP_WORDS[COMP_CWORD]} "
		     "previous=${COMP_WORDS[COMP_CWORD - 1]}\n"
		     "\tCOMPREPLY=()\n"
		     "\t# \"=\" is a word of its own in $COMP_WORDS.\n"
		     "\tif [[ $current == = ]]; then\n\t\tcurrent=\n"
		     "\telif [[ $previous == = ]] && ((COMP_CWORD > 1)); then\n"
		     "\t\tprevious=${COMP_WORDS[COMP_CWORD - 2]}\n\tfi\n"
		     "\twhile ((i < COMP_CWORD)) && [[ ${COMP_WORDS[i]} == -* ]]; do\n"
		     "\t\t((i++))\n\tdone\n"
		     "\t((i < COMP_CWORD)) && command=${COMP_WORDS[i]}\n"
		     "\t# Behind the first operand of run, its own completion counts.\n"
		     "\tif [[ $command == run ]]; then\n"
		     "\t\tfor ((i++; i < COMP_CWORD; i++)); do\n"
		     "\t\t\tcase ${COMP_WORDS[i]} in\n"
		     "\t\t\t--) ((i++)); break ;;\n"
		     "\t\t\t");
	each_option(COMMAND_RUN, print_valued, NULL);
	(void)printf("=)\n"
		     "\t\t\t\t[[ ${COMP_WORDS[i + 1]} == = ]] && ((i++))\n"
		     "\t\t\t\t((i++)) ;;\n"
		     "\t\t\t-*) ;;\n"
		     "\t\t\t*) break ;;\n"
		     "\t\t\tesac\n\t\tdone\n"
		     "\t\tif ((i < COMP_CWORD)); then\n"
		     "\t\t\t_foso_offer -f\n"
		     "\t\t\treturn\n\t\tfi\n\tfi\n"
		     "\t# A command below the command, as in foso image import.\n"
		     "\tfor ((i++; i < COMP_CWORD; i++)); do\n"
		     "\t\t[[ ${COMP_WORDS[i]} == -* ]] || { verb=${COMP_WORDS[i]}; break; }\n"
		     "\tdone\n"
		     "\tcase \"$command $verb\" in\n");
	const struct sibling_verb *verb;
	for (size_t i = 0; (verb = sibling_verb(i)); i++)
		print_bash_verb(verb);
	for (unsigned id = 0; id < N_COMMANDS; id++)
		print_bash_command((enum command_id)id);
	(void)printf("\t' ') _foso_offer -W \"$commands ");
	each_option(COMMAND_NONE, print_name, NULL);
	(void)printf("\" ;;\n\tesac\n}\n\ncomplete -o default -F _foso foso\n");
}

/* Text between single quotes; an apostrophe ends them, is escaped, and begins them again. */
static void print_quoted(const char *text, const char *special)
{
	for (; *text; text++) {
		if (*text == '\'')
			(void)printf("'\\''");
		else if (strchr(special, *text))
			(void)printf("\\%c", *text);
		else
			(void)putchar(*text);
	}
}

static void print_zsh_values(const struct option_row *row)
{
	(void)printf(":%s:", row->name);
	if (strcmp(row->choices, "<file>") == 0)
		(void)printf("_files");
	else if (strcmp(row->choices, "<folder>") == 0)
		(void)printf("_files -/");
	else if (strcmp(row->choices, "<env>") == 0)
		(void)printf("_parameters -g \"*export*\"");
	else if (strcmp(row->choices, "<limit>") == 0) {
		(void)printf("(");
		print_limits("=");
		(void)printf(")");
	} else if (row->choices[0]) {
		(void)printf("(");
		print_quoted(row->choices, ":");
		(void)printf(")");
	}
}

static void print_zsh_option(const struct option_row *row, const char *condition)
{
	UNUSED(condition);
	(void)printf("\t\t\t'*");
	if (row->letter)
		(void)printf("'{-%c,--%s%s}'", row->letter, row->name, row->argument[0] ? "=" : "");
	else
		(void)printf("--%s%s", row->name, row->argument[0] ? "=" : "");
	(void)printf("[");
	print_quoted(row->help, "[]:");
	(void)printf("]");
	if (row->argument[0])
		print_zsh_values(row);
	(void)printf("' \\\n");
}

/* In the place of the command whose it is, so that "words" begins with the verb. */
static void print_zsh_verbs(enum command_id command)
{
	const struct sibling_verb *verb;
	(void)printf("\t\t\tif ((CURRENT > 2)); then\n\t\t\tcase $words[2] in\n");
	for (size_t i = 0; (verb = sibling_verb(i)); i++) {
		if (verb->command != command)
			continue;
		(void)printf("\t\t\t%s)\n\t\t\tshift words; ((CURRENT--))\n"
			     "\t\t\t_arguments -s -S \\\n",
			     verb->word);
		each_row(verb->options, print_zsh_option, NULL);
		each_row(options_of_all(), print_zsh_option, NULL);
		(void)printf("\t\t\t'*:file:_files'\n\t\t\treturn ;;\n");
	}
	(void)printf("\t\t\tesac\n\t\t\tfi\n");
}

static bool has_verbs(enum command_id command)
{
	const struct sibling_verb *verb;
	for (size_t i = 0; (verb = sibling_verb(i)); i++)
		if (verb->command == command)
			return true;
	return false;
}

static void print_zsh_command(enum command_id command)
{
	const struct command_row *row = &command_rows[command];
	char words[sizeof(row->operands)];
	(void)printf("\t\t%s)\n", row->word);
	if (has_verbs(command))
		print_zsh_verbs(command);
	(void)printf("\t\t\t_arguments -s -S \\\n");
	each_option(command, print_zsh_option, NULL);
	operand_words(row, words);
	if (command == COMMAND_RUN)
		(void)printf("\t\t\t'(-)1:command: _command_names -e' "
			     "'*::argument: _normal'\n");
	else if (command == COMMAND_HELP)
		(void)printf("\t\t\t'1:command:($commands)'\n");
	else if (strncmp(row->operands, "ID", 2) == 0)
		(void)printf("\t\t\t\"*:id:($(foso ps --quiet 2>/dev/null))\"\n");
	else if (words[0])
		(void)printf("\t\t\t'1:action:(%s)' '*:file:_files'\n", words);
	else
		(void)printf("\t\t\t'*::'\n");
	(void)printf("\t\t\t;;\n");
}

static void print_zsh(void)
{
	(void)printf("#compdef foso\n# zsh completion for foso; foso help --completion zsh writes "
		     "it\n\n"
		     "_foso()\n{\n"
		     "\tlocal curcontext=$curcontext state line\n"
		     "\tlocal -a commands described\n\tcommands=(");
	print_commands();
	(void)printf(")\n\tdescribed=(\n");
	for (unsigned id = 0; id < N_COMMANDS; id++)
		(void)printf("\t\t'%s:%s'\n", command_rows[id].word, command_rows[id].summary);
	(void)printf("\t)\n\t_arguments -C -S \\\n");
	each_option(COMMAND_NONE, print_zsh_option, NULL);
	(void)printf("\t\t'1: :->command' '*:: :->rest'\n"
		     "\tcase $state in\n"
		     "\tcommand) _describe command described ;;\n"
		     "\trest)\n\t\tcase $words[1] in\n");
	for (unsigned id = 0; id < N_COMMANDS; id++)
		print_zsh_command((enum command_id)id);
	(void)printf("\t\tesac\n\t\t;;\n\tesac\n}\n\n_foso \"$@\"\n");
}

static void print_fish_option(const struct option_row *row, const char *condition)
{
	(void)printf("complete -c foso -n '%s' -l %s", condition, row->name);
	if (row->letter)
		(void)printf(" -s %c", row->letter);
	if (row->argument[0]) {
		bool is_path = strcmp(row->choices, "<file>") == 0 ||
			       strcmp(row->choices, "<folder>") == 0;
		(void)printf(is_path ? " -r -F" : " -x");
		if (strcmp(row->choices, "<limit>") == 0) {
			(void)printf(" -a '");
			print_limits("=");
			(void)printf("'");
		} else if (strcmp(row->choices, "<env>") == 0) {
			(void)printf(" -a '(set -xn)'");
		} else if (row->choices[0] != '<' && row->choices[0]) {
			(void)printf(" -a '%s'", row->choices);
		}
	}
	(void)printf(" -d '");
	print_quoted(row->help, "");
	(void)printf("'\n");
}

static void print_fish_verbs(void)
{
	const struct sibling_verb *verb;
	for (size_t i = 0; (verb = sibling_verb(i)); i++) {
		char condition[128];
		(void)snprintf(condition, sizeof(condition),
			       "__fish_seen_subcommand_from %s; "
			       "and __fish_seen_subcommand_from %s",
			       command_rows[verb->command].word, verb->word);
		each_row(verb->options, print_fish_option, condition);
	}
}

static void print_fish(void)
{
	(void)printf("# fish completion for foso; foso help --completion fish writes it\n"
		     "complete -c foso -f\n");
	for (unsigned id = 0; id < N_COMMANDS; id++) {
		const struct command_row *row = &command_rows[id];
		char words[sizeof(row->operands)];
		char condition[64];
		(void)printf("complete -c foso -n __fish_use_subcommand -a %s -d '%s'\n", row->word,
			     row->summary);
		(void)snprintf(condition, sizeof(condition), "__fish_seen_subcommand_from %s",
			       row->word);
		each_option((enum command_id)id, print_fish_option, condition);
		operand_words(row, words);
		if (id == COMMAND_RUN)
			(void)printf("complete -c foso -n '%s' -a "
				     "'(__fish_complete_subcommand)'\n",
				     condition);
		else if (strncmp(row->operands, "ID", 2) == 0)
			(void)printf("complete -c foso -n '%s' -a "
				     "'(foso ps --quiet 2>/dev/null)'\n",
				     condition);
		else if (words[0])
			(void)printf("complete -c foso -n '%s' -F -a '%s'\n", condition, words);
	}
	print_fish_verbs();
	each_option(COMMAND_NONE, print_fish_option, "__fish_use_subcommand");
}

int completion_print(const char *shell, struct error *err)
{
	static const struct shell shells[] = {
		{ "bash", print_bash },
		{ "zsh", print_zsh },
		{ "fish", print_fish },
	};
	for (size_t i = 0; i < ARRAY_LEN(shells); i++) {
		if (strcmp(shells[i].name, shell) == 0) {
			shells[i].print();
			return 0;
		}
	}
	int r = error_set(err, ERR_INVALID, 0, "--completion", "there is none for '%s'", shell);
	return error_remedy(err, r, "write bash, zsh or fish");
}
