/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cli.h - what main.c and the commands agree on
 *
 * Each command is one function in one file.  It returns 0 and what foso shall exit with, or an
 * error that main() prints; it does not print errors itself and does not exit.
 */
#pragma once

#include <stdbool.h>

#include "base/error.h"
#include "cli/options.h"

/* What a command starts from: @options stands before the first word after the command. */
struct cli {
	enum command_id command;
	struct options options;
	char **argv;   /* of the whole command line */
	bool is_debug; /* --debug was given, before or after the command */
};

int command_run(struct cli *cli, int *ret_status, struct error *err) must_check;
int command_ps(struct cli *cli, int *ret_status, struct error *err) must_check;
int command_kill(struct cli *cli, int *ret_status, struct error *err) must_check;
int command_logs(struct cli *cli, int *ret_status, struct error *err) must_check;
int command_gc(struct cli *cli, int *ret_status, struct error *err) must_check;
int command_doctor(struct cli *cli, int *ret_status, struct error *err) must_check;
int command_help(struct cli *cli, int *ret_status, struct error *err) must_check;
int command_version(struct cli *cli, int *ret_status, struct error *err) must_check;

/* sibling_exec() - become the program that does @command's work; returns only on failure. */
int sibling_exec(enum command_id command, char **words, struct error *err) must_check;

/* help_print() - what `foso COMMAND --help` says, on stdout; COMMAND_NONE: foso itself. */
void help_print(enum command_id command);

/* version_print() - one line on stdout. */
void version_print(void);
