/* SPDX-License-Identifier: Apache-2.0 */
/* sibling.c - commands that another program of foso does */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/programs.h"
#include "cli/cli.h"

int sibling_exec(enum command_id command, char **words, struct error *err)
{
	char name[sizeof(command_rows[0].sibling)];
	char path[PROGRAM_PATH_BYTES];
	(void)snprintf(name, sizeof(name), "%s", command_rows[command].sibling);
	int r = program_path(name, path, err);
	if (r < 0)
		return r;

	size_t n_words = 0;
	while (words[n_words])
		n_words++;
	/* A program of several commands is told which one. */
	size_t n_first = strcmp(name, "foso-workspace") == 0 ? 2 : 1;
	char word[sizeof(command_rows[0].word)];
	(void)snprintf(word, sizeof(word), "%s", command_rows[command].word);
	auto_free char **argv = calloc(n_words + n_first + 1, sizeof(*argv));
	if (!argv) {
		r = error_set(err, ERR_SYSTEM, ENOMEM, name, "cannot be started");
		return error_remedy(err, r, "free some memory");
	}
	argv[0] = name;
	if (n_first == 2)
		argv[1] = word;
	for (size_t i = 0; i < n_words; i++)
		argv[i + n_first] = words[i];
	(void)execv(path, argv);
	r = error_set(err, ERR_SYSTEM, errno, path, "cannot be started");
	return error_remedy(err, r, "build or install foso as a whole (./x build)");
}
