/* SPDX-License-Identifier: Apache-2.0 */
/* args.h - the commands of foso-workspace and their options */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"
#include "workspace/options.h"

#define ARGS_MAX_GLOBS 64

struct args {
	bool is_help, is_stat, is_patch, is_json, is_list, is_exec_paths;
	bool allows_exec_paths, is_overwrite, is_resume, is_rollback;
	const char *only[ARGS_MAX_GLOBS], *except[ARGS_MAX_GLOBS];
	size_t n_only, n_except;
	const char *number; /* NULL: not given */
	const char *id;     /* NULL: the last run on this folder */
};

struct option_row {
	const char *name;
	char letter;
	const char *argument, *help;
	int id;
};

struct command {
	const char *name, *synopsis, *meaning;
	const struct option_row *rows;
	size_t n_rows;
	bool needs_id;
	/* The exit status, or -code with *err filled. */
	int (*run)(const struct args *args, struct error *err);
};

extern const struct command commands[];
extern const size_t n_commands;

/* args_parse() - what follows the command's name; -ERR_INVALID with the option as subject. */
int args_parse(struct args *ret, const struct command *command, char *const *argv,
	       struct error *err) must_check;

void args_print_help(const struct command *command);

/* args_print_scdoc() - the options for a man page, in scdoc's language. */
void args_print_scdoc(const struct command *command);
