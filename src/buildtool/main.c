/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - foso-build: images that are made or fetched by other programs
 *
 * "foso image build", "pull" and "bootstrap" end up here.  It holds the rights of the caller over
 * the image store, starts what does the work, and parses nothing of what that says: a Dockerfile
 * is read by foso-buildfile, steps run in sandboxes, a registry is talked to by skopeo without
 * rights, and whatever comes out goes the way of an import.
 */
#include <stdio.h>
#include <string.h>

#include "base/macros.h"
#include "base/version.h"
#include "buildtool/verbs.h"

#define EXIT_REFUSED 125

static const struct {
	char word[12];
	int (*run)(int argc, char **argv, struct error *err);
} verbs[] = {
	{ "build", verb_build },
	{ "pull", verb_pull },
	{ "bootstrap", verb_bootstrap },
	{ "sweep", verb_sweep },
};

int main(int argc, char **argv)
{
	struct error err = { .code = ERR_NONE };
	int r = 0;
	if (argc == 2 && strcmp(argv[1], "--version") == 0) {
		(void)printf("foso-build %s (%s)\n", version_number(), version_build_id());
		return fflush(stdout) == 0 ? 0 : EXIT_REFUSED;
	}
	for (size_t i = 0; argc >= 2 && i < ARRAY_LEN(verbs); i++) {
		if (strcmp(argv[1], verbs[i].word) != 0)
			continue;
		r = verbs[i].run(argc - 2, argv + 2, &err);
		if (r < 0)
			error_print(stderr, &err);
		return r == 0 && fflush(stdout) == 0 ? 0 : EXIT_REFUSED;
	}
	r = error_set(&err, ERR_INVALID, 0, argc < 2 ? "foso-build" : argv[1],
		      argc < 2 ? "needs a command" : "is not a command");
	(void)error_remedy(&err, r, "foso image --help lists them");
	error_print(stderr, &err);
	return EXIT_REFUSED;
}
