/* SPDX-License-Identifier: Apache-2.0 */
/*
 * conceal.c - the command line and the environment of a process, seen from outside
 *
 * The kernel shows the bytes between the first word and the last as they are in memory now, so
 * they are overwritten where they lie; moving the borders would need CAP_SYS_RESOURCE.
 */
#include "cli/conceal.h"

#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "wire/plan.h"

static void wipe(char *text)
{
	explicit_bzero(text, strlen(text));
}

/* The kernel lays the words out one behind the other; only as far as that holds is there room. */
static size_t room(char *const *argv)
{
	const char *end = argv[0] + strlen(argv[0]);
	for (char *const *word = argv + 1; *word && *word == end + 1; word++)
		end = *word + strlen(*word);
	return (size_t)(end - argv[0]);
}

void conceal_command_line(char **argv, const char *name)
{
	static char *kept[PLAN_N_KEPT_VARIABLES + 1];
	size_t n_kept = 0, size = room(argv);
	for (char **variable = environ; *variable; variable++) {
		if (plan_keeps_variable(*variable) && n_kept < PLAN_N_KEPT_VARIABLES)
			kept[n_kept++] = *variable;
		else
			wipe(*variable);
	}
	environ = kept;
	wipe(argv[0]);
	for (char **word = argv + 1; *word; word++)
		wipe(*word);
	/* One byte stays a NUL: without it the kernel would show the environment as well. */
	memcpy(argv[0], name, size < strlen(name) ? size : strlen(name));
	(void)prctl(PR_SET_NAME, name);
}
