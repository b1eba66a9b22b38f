/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - the options of foso-workspace */
#include "workspacetool/args.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "workspacetool/commands.h"
#include "workspacetool/glob.h"

enum option_id {
	OPTION_STAT,
	OPTION_PATCH,
	OPTION_JSON,
	OPTION_LIST,
	OPTION_EXEC_PATHS,
	OPTION_ONLY,
	OPTION_EXCEPT,
	OPTION_ALLOW_EXEC_PATHS,
	OPTION_OVERWRITE,
	OPTION_RESUME,
	OPTION_ROLLBACK,
	OPTION_NUMBER,
};

#define ROW(id_, name_, letter_, argument_, choices_, field_, help_) \
	{ .name = name_,                                             \
	  .letter = letter_,                                         \
	  .argument = argument_,                                     \
	  .help = help_,                                             \
	  .id = OPTION_##id_ },

static const struct option_row diff_rows[] = { WORKSPACE_DIFF_OPTIONS(ROW) };
static const struct option_row commit_rows[] = { WORKSPACE_COMMIT_OPTIONS(ROW) };
static const struct option_row fork_rows[] = { WORKSPACE_FORK_OPTIONS(ROW) };

const struct command commands[] = {
	{ "diff", "[OPTION]... [ID]",
	  "Show what a sandbox changed in its workspace.\n\n"
	  "ID is that of a run with --workspace PATH:overlay; without it, the last one on this\n"
	  "folder or on one that it lies in.  What is shown is what foso commit applies.",
	  diff_rows, ARRAY_LEN(diff_rows), false, command_diff },
	{ "commit", "[OPTION]... [ID]",
	  "Apply what foso diff showed to the host's folder.\n\n"
	  "Nothing is applied if either side was changed since.  What executes on the host stays\n"
	  "out, unless --allow-exec-paths is given.",
	  commit_rows, ARRAY_LEN(commit_rows), false, command_commit },
	{ "discard", "[ID]", "Remove what a sandbox changed; the host's folder stays as it is.",
	  NULL, 0, false, command_discard },
	{ "fork", "[OPTION]... ID",
	  "Copy the changes of a stopped sandbox, to go on in several ways.", fork_rows,
	  ARRAY_LEN(fork_rows), true, command_fork },
};
const size_t n_commands = ARRAY_LEN(commands);

static const struct option_row *find(const struct command *command, const char *text,
				     const char **ret_value)
{
	bool is_short = text[1] != '-';
	const char *name = is_short ? text + 1 : text + 2;
	size_t len = is_short ? 1 : strcspn(name, "=");
	*ret_value = name[len] == '\0' ? NULL : name + len + (is_short ? 0 : 1);
	for (size_t i = 0; i < command->n_rows; i++) {
		const struct option_row *row = &command->rows[i];
		if (is_short ? row->letter == name[0]
			     : strlen(row->name) == len && strncmp(row->name, name, len) == 0)
			return row;
	}
	return NULL;
}

static int refuse_unknown(const struct command *command, const char *text, struct error *err)
{
	int r = error_set(err, ERR_INVALID, 0, text, "not an option of foso %s", command->name);
	return error_remedy(err, r, "foso %s --help lists the options", command->name);
}

static int add_glob(const char **globs, size_t *n_globs, const struct option_row *row,
		    const char *value, struct error *err)
{
	char subject[32];
	int r = 0;
	(void)snprintf(subject, sizeof(subject), "--%s", row->name);
	if (*n_globs == ARGS_MAX_GLOBS) {
		r = error_set(err, ERR_LIMIT, 0, subject, "is given more than %d times",
			      ARGS_MAX_GLOBS);
		return error_remedy(err, r, "name a folder instead of its files");
	}
	if (!glob_is_valid(value)) {
		r = error_set(err, ERR_INVALID, 0, subject, "'%s' is no pattern", value);
		return error_remedy(err, r, "write a path with * ? [a-z] or **, as src/**");
	}
	globs[(*n_globs)++] = value;
	return 0;
}

static int set(struct args *args, const struct option_row *row, const char *value,
	       struct error *err)
{
	switch (row->id) {
	case OPTION_STAT:
		args->is_stat = true;
		return 0;
	case OPTION_PATCH:
		args->is_patch = true;
		return 0;
	case OPTION_JSON:
		args->is_json = true;
		return 0;
	case OPTION_LIST:
		args->is_list = true;
		return 0;
	case OPTION_EXEC_PATHS:
		args->is_exec_paths = true;
		return 0;
	case OPTION_ALLOW_EXEC_PATHS:
		args->allows_exec_paths = true;
		return 0;
	case OPTION_OVERWRITE:
		args->is_overwrite = true;
		return 0;
	case OPTION_RESUME:
		args->is_resume = true;
		return 0;
	case OPTION_ROLLBACK:
		args->is_rollback = true;
		return 0;
	case OPTION_ONLY:
		return add_glob(args->only, &args->n_only, row, value, err);
	case OPTION_EXCEPT:
		return add_glob(args->except, &args->n_except, row, value, err);
	default:
		args->number = value;
		return 0;
	}
}

static int check_value(const struct option_row *row, const char *value, struct error *err)
{
	char subject[32];
	int r = 0;
	(void)snprintf(subject, sizeof(subject), "--%s", row->name);
	if (row->argument[0] && !value) {
		r = error_set(err, ERR_INVALID, 0, subject, "needs a value");
		return error_remedy(err, r, "write %s %s", subject, row->argument);
	}
	if (!row->argument[0] && value) {
		r = error_set(err, ERR_INVALID, 0, subject, "takes no value, and got '%s'", value);
		return error_remedy(err, r, "write %s alone", subject);
	}
	return 0;
}

static int set_id(struct args *args, const struct command *command, const char *word,
		  struct error *err)
{
	if (args->id) {
		int r = error_set(err, ERR_INVALID, 0, word, "foso %s takes one ID", command->name);
		return error_remedy(err, r, "write foso %s %s", command->name, command->synopsis);
	}
	args->id = word;
	return 0;
}

static int check_whole(const struct args *args, const struct command *command, struct error *err)
{
	int r = 0;
	if (command->needs_id && !args->id) {
		r = error_set(err, ERR_INVALID, 0, command->name, "needs the ID of a run");
		return error_remedy(err, r, "foso diff says it for the last run on this folder");
	}
	if (args->is_json + args->is_patch + args->is_stat > 1) {
		r = error_set(err, ERR_INVALID, 0, command->name,
			      "--json, --patch and --stat exclude each other");
		return error_remedy(err, r, "give one of them");
	}
	if (args->is_resume && args->is_rollback) {
		r = error_set(err, ERR_INVALID, 0, command->name,
			      "--resume and --rollback exclude each other");
		return error_remedy(err, r, "give one of them");
	}
	return 0;
}

int args_parse(struct args *ret, const struct command *command, char *const *argv,
	       struct error *err)
{
	bool may_be_option = true;
	int r = 0;
	*ret = (struct args){ 0 };
	for (; r == 0 && *argv; argv++) {
		const char *value;
		if (!may_be_option || argv[0][0] != '-' || argv[0][1] == '\0') {
			r = set_id(ret, command, *argv, err);
			continue;
		}
		if (strcmp(*argv, "--") == 0) {
			may_be_option = false;
			continue;
		}
		if (strcmp(*argv, "--help") == 0 || strcmp(*argv, "-h") == 0) {
			ret->is_help = true;
			return 0;
		}
		const struct option_row *row = find(command, *argv, &value);
		if (!row)
			return refuse_unknown(command, *argv, err);
		if (row->argument[0] && !value && argv[1])
			value = *++argv;
		r = check_value(row, value, err);
		if (r == 0)
			r = set(ret, row, value, err);
	}
	return r < 0 ? r : check_whole(ret, command, err);
}

#define MAX_HELP_BYTES 4096
#define HELP_COLUMN    30

static void print_option(const struct option_row *row)
{
	auto_buf struct buf help = BUF_INIT(MAX_HELP_BYTES);
	char text[64];
	(void)snprintf(text, sizeof(text), row->letter ? "-%c, --%s%s%s" : "%c   --%s%s%s",
		       row->letter ? row->letter : ' ', row->name, row->argument[0] ? " " : "",
		       row->argument);
	(void)printf("  %-*s", HELP_COLUMN - 2, text);
	output_wrap(&help, row->help, HELP_COLUMN);
	(void)fputs(buf_string(&help), stdout);
}

void args_print_help(const struct command *command)
{
	static const struct option_row help = {
		.name = "help",
		.letter = 'h',
		.argument = "",
		.help = "say what the command does, and its options",
	};
	(void)printf("usage: foso %s %s\n\n%s\n\nOptions:\n", command->name, command->synopsis,
		     command->meaning);
	for (size_t i = 0; i < command->n_rows; i++)
		print_option(&command->rows[i]);
	print_option(&help);
}

void args_print_scdoc(const struct command *command)
{
	for (size_t i = 0; i < command->n_rows; i++) {
		const struct option_row *row = &command->rows[i];
		if (row->letter)
			(void)printf("*-%c*, ", row->letter);
		(void)printf("*--%s*%s%s%s\n\t%s\n\n", row->name, row->argument[0] ? " _" : "",
			     row->argument, row->argument[0] ? "_" : "", row->help);
	}
}
