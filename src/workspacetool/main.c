/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - foso-workspace: what a sandbox changed, shown, applied or thrown away
 *
 * foso diff, commit, discard and fork are this program.  It has the caller's rights over the
 * workspace, so it compares and copies bytes but parses none: contents are looked into by
 * foso-content (content.h).
 */
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/output.h"
#include "base/version.h"
#include "workspacetool/args.h"
#include "workspacetool/exec.h"
#include "workspacetool/git_config.h"

static const struct command *find(const char *name)
{
	for (size_t i = 0; i < n_commands; i++)
		if (strcmp(commands[i].name, name) == 0)
			return &commands[i];
	return NULL;
}

static void print_row(const char *pattern, const char *words)
{
	(void)printf("|  ");
	for (const char *c = pattern; *c; c++)
		(void)printf(strchr("*_\\[]", *c) ? "\\%c" : "%c", *c);
	(void)printf("\n:  %s\n", words);
}

/* For man pages: the options of a command, or one of the tables of what executes. */
static void print_scdoc(const char *part)
{
	const struct command *command = find(part);
	const char *pattern, *reason;
	if (command) {
		args_print_scdoc(command);
		return;
	}
	if (strcmp(part, "git-keys") == 0) {
		(void)printf("[[ *key*\n:[ *why*\n");
		for (size_t i = 0; git_key(i, &pattern, &reason); i++)
			print_row(pattern, reason);
		return;
	}
	(void)printf("[[ *path*\n:[ *why*\n");
	for (unsigned i = 1; i < exec_n_reasons(); i++)
		print_row(exec_reason_pattern(i), exec_reason_words(i));
}

static int run(char **argv, struct error *err)
{
	struct args args;
	const char *name = argv[0] ? argv[1] : NULL;
	if (name && strcmp(name, "--version") == 0) {
		(void)printf("foso-workspace %s (%s)\n", version_number(), version_build_id());
		return 0;
	}
	if (name && strcmp(name, "--scdoc") == 0 && argv[2]) {
		print_scdoc(argv[2]);
		return 0;
	}
	const struct command *command = name ? find(name) : NULL;
	if (!command) {
		int r = error_set(err, ERR_INVALID, 0, name ? name : "foso-workspace",
				  "no command of it is given");
		return error_remedy(err, r, "write one of: diff commit discard fork");
	}
	int r = args_parse(&args, command, argv + 2, err);
	if (r < 0)
		return r;
	if (args.is_help) {
		args_print_help(command);
		return 0;
	}
	return command->run(&args, err);
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	UNUSED(argc);
	int r = run(argv, &err);
	r = output_finish(stdout, r, &err);
	if (r < 0)
		error_print(stderr, &err);
	return r < 0 ? error_code_exit_status(err.code) : r;
}
