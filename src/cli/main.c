/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - the command line of foso
 *
 * foso [OPTION]... COMMAND [OPTION]... [OPERAND]...
 *
 * Options of the command are walked twice: here, so that --help and --debug count wherever they
 * stand and a misspelt option is told before anything is done; and by the command.  foso exits
 * with 125 whenever it refuses or fails itself; what is below belongs to the command inside.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "cli/cli.h"

/*
 * A descriptor 0, 1 or 2 that is closed would be taken by the next file that is opened, and the
 * sandbox would then write into that.
 */
static int fill_standard_descriptors(struct error *err)
{
	for (int fd = 0; fd <= 2; fd++) {
		if (fcntl(fd, F_GETFD) >= 0)
			continue;
		/* Born to be inherited: it becomes the lowest free descriptor, which is @fd. */
		if (open("/dev/null", fd == 0 ? O_RDONLY : O_WRONLY) < 0) {
			int r = error_set(err, ERR_SYSTEM, errno, "/dev/null", "cannot be opened");
			return error_remedy(err, r,
					    "start foso with stdin, stdout and stderr open");
		}
	}
	return 0;
}

/* Whatever the caller set: a file that may not grow is an error, and children are waited for. */
static void reset_signals(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN }, by_default = { .sa_handler = SIG_DFL };
	(void)sigaction(SIGXFSZ, &ignore, NULL);
	(void)sigaction(SIGCHLD, &by_default, NULL);
}

/* Returns 0; 1 if help or the version was asked for and printed. */
static int scan_options(struct cli *cli, struct error *err)
{
	struct options options = cli->options;
	struct option option;
	int r;
	while ((r = options_next(&options, &option, err)) == 0) {
		switch (option.row->id) {
		case OPTION_HELP:
			help_print(cli->command);
			return 1;
		case OPTION_VERSION:
			version_print();
			return 1;
		case OPTION_DEBUG:
			cli->is_debug = true;
			break;
		default:
			break;
		}
	}
	if (cli->command == COMMAND_NONE)
		cli->options.at = options.at;
	return r < 0 ? r : 0;
}

static int find_command(struct cli *cli, struct error *err)
{
	const char *word = cli->options.words[cli->options.at];
	if (!word) {
		int r = error_set(err, ERR_INVALID, 0, "", "no command was given");
		return error_remedy(err, r, "write foso run -- COMMAND; foso --help lists all");
	}
	cli->command = command_find(word);
	cli->options = options_begin(cli->command, cli->options.words + cli->options.at + 1);
	if (cli->command != COMMAND_NONE)
		return 0;
	enum command_id nearest = command_nearest(word);
	int r = error_set(err, ERR_INVALID, 0, word, "not a command of foso");
	if (nearest != COMMAND_NONE)
		return error_remedy(err, r, "write foso %s; foso --help lists all",
				    command_rows[nearest].word);
	return error_remedy(err, r, "to run it in a sandbox, write foso run -- %.100s", word);
}

static int dispatch(struct cli *cli, int *ret_status, struct error *err)
{
	switch (cli->command) {
	case COMMAND_RUN:
		return command_run(cli, ret_status, err);
	case COMMAND_PS:
		return command_ps(cli, ret_status, err);
	case COMMAND_KILL:
		return command_kill(cli, ret_status, err);
	case COMMAND_LOGS:
		return command_logs(cli, ret_status, err);
	case COMMAND_GC:
		return command_gc(cli, ret_status, err);
	case COMMAND_DOCTOR:
		return command_doctor(cli, ret_status, err);
	case COMMAND_HELP:
		return command_help(cli, ret_status, err);
	case COMMAND_VERSION:
		return command_version(cli, ret_status, err);
	case COMMAND_DIFF:
	case COMMAND_COMMIT:
	case COMMAND_DISCARD:
	case COMMAND_FORK:
	case COMMAND_VERIFY:
	case COMMAND_POLICY:
	case COMMAND_EVIDENCE:
	case COMMAND_IMAGE:
		return sibling_exec(cli->command, cli->options.words + cli->options.at, err);
	case COMMAND_NONE:
		break;
	}
	return error_set(err, ERR_INTERNAL, 0, "foso", "command %d is not served",
			 (int)cli->command);
}

static int run(struct cli *cli, int *ret_status, struct error *err)
{
	int r = fill_standard_descriptors(err);
	if (r == 0)
		r = scan_options(cli, err);
	if (r == 0)
		r = find_command(cli, err);
	if (r == 0 && !command_rows[cli->command].sibling[0])
		r = scan_options(cli, err);
	if (r == 0)
		r = dispatch(cli, ret_status, err);
	if (r < 0)
		return r;
	/* Words that did not reach the reader are a failure, whatever the command did. */
	if (fflush(stdout) != 0 || ferror(stdout)) {
		r = error_set(err, ERR_SYSTEM, errno, "stdout", "cannot be written");
		return error_remedy(err, r, "free space, or give another stdout");
	}
	return 0;
}

int main(int argc, char **argv)
{
	static char *no_words[] = { NULL };
	struct error err = { .code = ERR_NONE };
	struct cli cli = { .command = COMMAND_NONE,
			   .options = options_begin(COMMAND_NONE, argc > 0 ? argv + 1 : no_words),
			   .argv = argv };
	int status = 0;

	reset_signals();
	if (run(&cli, &status, &err) == 0)
		return status;
	error_print(stderr, &err);
	if (cli.is_debug)
		(void)fprintf(stderr, "foso: arose at %s\n", err.origin);
	return error_code_exit_status(err.code);
}
