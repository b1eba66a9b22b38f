/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - foso-workspace: what a sandbox changed, shown, applied or thrown away
 *
 * foso diff, commit, discard and fork are this program.  It has the caller's rights over the
 * workspace, so it compares and copies bytes but parses none: contents are looked into by
 * foso-content (content.h).
 */
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "base/version.h"
#include "workspacetool/args.h"
#include "workspacetool/exec.h"
#include "workspacetool/git_config.h"

#define MAX_HELP_BYTES (16 * 1024)

static void print_row(const char *pattern, const char *words)
{
	(void)printf("|  ");
	for (const char *c = pattern; *c; c++)
		(void)printf(strchr("*_\\[]", *c) ? "\\%c" : "%c", *c);
	(void)printf("\n:  %s\n", words);
}

/* For man pages: one of the tables of what executes. */
static void print_table(const char *part)
{
	const char *pattern, *reason;
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

/* For man pages: the options of a command, or one of the tables. */
static void print_scdoc(const char *part)
{
	auto_buf struct buf out = BUF_INIT(MAX_HELP_BYTES);
	struct error ignored = { .code = ERR_NONE };
	const struct verb *verb;
	if (verb_find(&workspace_verbs, part, &verb, &ignored) < 0) {
		print_table(part);
		return;
	}
	options_scdoc(&out, &verb->options);
	(void)fputs(buf_string(&out), stdout);
}

static void print_help(const struct verb *verb)
{
	auto_buf struct buf out = BUF_INIT(MAX_HELP_BYTES);
	verb_help(&out, verb);
	(void)fputs(buf_string(&out), stdout);
}

static int run(char **words, struct error *err)
{
	struct args args;
	const struct verb *verb;
	const char *word = words[0];
	if (word && strcmp(word, "--version") == 0) {
		(void)printf("foso-workspace %s (%s)\n", version_number(), version_build_id());
		return 0;
	}
	if (word && strcmp(word, "--scdoc") == 0 && words[1]) {
		print_scdoc(words[1]);
		return 0;
	}
	int r = verb_find(&workspace_verbs, word, &verb, err);
	if (r == 0)
		r = args_parse(&args, verb, words + 1, err);
	if (r == VERB_HELP) {
		print_help(verb);
		return 0;
	}
	return r < 0 ? r : verb->run(&args, err);
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	int r = run(argc > 0 ? argv + 1 : argv, &err);
	r = output_finish(stdout, r, &err);
	if (r < 0)
		error_print(stderr, &err);
	return r < 0 ? error_code_exit_status(err.code) : r;
}
