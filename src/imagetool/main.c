/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - foso-image: brings images into the store, lists, removes and exports them
 *
 * `foso image ...` is this program.  It holds the rights to the store and reads no byte of an
 * image for what it means: that is foso-unpack's, which has none (image/write/spawn.h).
 */
#include <errno.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "base/programs.h"
#include "base/version.h"
#include "imagetool/commands.h"

#define STATUS_FAILED 125

#define MAX_HELP_BYTES (64 * 1024)

/* What foso-build does: it starts other programs, and hands what they made to "import". */
static const struct {
	char name[12];
	char meaning[80];
} makers[] = {
	{ "build", "Build an image by a Dockerfile, each step in a sandbox." },
	{ "pull", "Fetch an image from a registry, through skopeo." },
	{ "bootstrap", "Make an image from a distribution's packages, through mmdebstrap." },
};

static int become_maker(char **argv, struct error *err)
{
	char path[PROGRAM_PATH_BYTES];
	int r = program_path("foso-build", path, err);
	if (r < 0)
		return r;
	argv[0] = path;
	(void)execv(path, argv);
	r = error_set(err, ERR_SYSTEM, errno, path, "cannot be started");
	return error_remedy(err, r, "build or install foso as a whole (./x build)");
}

static bool is_maker(const char *name)
{
	for (size_t i = 0; name && i < ARRAY_LEN(makers); i++)
		if (strcmp(makers[i].name, name) == 0)
			return true;
	return false;
}

static void append_usage(struct buf *out)
{
	buf_append_string(out, "usage: foso image COMMAND [OPTION]...\n\n"
			       "Bring images into the store, list, remove and export them.\n\n"
			       "Commands:\n");
	verbs_help(out, &image_verbs);
	for (size_t i = 0; i < ARRAY_LEN(makers); i++)
		buf_printf(out, "  %-10s %s\n", makers[i].name, makers[i].meaning);
	buf_append_string(out, "\nA sandbox runs in an image with foso run --root image:NAME.\n"
			       "foso image COMMAND --help says more about one of them.\n");
}

/* What the word asks to be told: true if @out has it. */
static bool append_words(const char *word, struct buf *out)
{
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		append_usage(out);
	else if (strcmp(word, "--version") == 0)
		buf_printf(out, "foso-image %s (%s)\n", version_number(), version_build_id());
	else if (strcmp(word, "--scdoc") == 0) /* for tools/man-page */
		for (size_t i = 0; i < image_verbs.n_rows; i++)
			verb_scdoc(out, &image_verbs.rows[i]);
	else
		return false;
	return true;
}

static int run(char **argv, struct buf *out, struct error *err)
{
	struct args args;
	const struct verb *verb;
	const char *word = argv[0] ? argv[1] : NULL;
	if (word && append_words(word, out))
		return 0;
	if (is_maker(word))
		return become_maker(argv, err);
	int r = verb_find(&image_verbs, word, &verb, err);
	if (r == 0)
		r = args_parse(&args, verb, argv + 2, err);
	if (r == VERB_HELP) {
		verb_help(out, verb);
		return 0;
	}
	return r < 0 ? r : verb->run(&args, err);
}

int main(int argc, char **argv)
{
	static const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct error err = { .code = ERR_NONE };
	UNUSED(argc);
	/* A reader that went away is an error of the write that met it. */
	(void)sigaction(SIGPIPE, &ignore, NULL);
	auto_buf struct buf out = BUF_INIT(MAX_HELP_BYTES);
	int r = run(argv, &out, &err);
	(void)fputs(buf_string(&out), stdout);
	r = output_finish(stdout, r, &err);
	if (r < 0)
		error_print(stderr, &err);
	return r < 0 ? STATUS_FAILED : 0;
}
