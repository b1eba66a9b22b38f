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

#include "base/cleanup.h"
#include "base/output.h"
#include "base/version.h"
#include "buildtool/options.h"
#include "buildtool/verbs.h"

#define EXIT_REFUSED   125
#define MAX_HELP_BYTES (16 * 1024)

static const struct option_row build_rows[] = { IMAGE_BUILD_OPTIONS(OPTION_ROW) };
static const struct option_row pull_rows[] = { IMAGE_PULL_OPTIONS(OPTION_ROW) };
static const struct option_row bootstrap_rows[] = { IMAGE_BOOTSTRAP_OPTIONS(OPTION_ROW) };

/* foso-image starts us for the first three, and itself calls the last. */
static const struct verb rows[] = {
	{ "foso image build", "[OPTION]... --tag NAME CONTEXT",
	  "Build an image by the Dockerfile of the folder CONTEXT, each step in a sandbox.\n"
	  "A step has no network. The digest of the manifest is printed on stdout, all else on\n"
	  "stderr.",
	  OPTION_TABLE_OF(build_rows), 1, 1, verb_build },
	{ "foso image pull", "[OPTION]... [HOST[:PORT]/]NAME[:TAG][@sha256:DIGEST]",
	  "Fetch an image from a registry, through skopeo, which runs without rights.",
	  OPTION_TABLE_OF(pull_rows), 1, 1, verb_pull },
	{ "foso image bootstrap", "[OPTION]... --name NAME debian",
	  "Make an image from Debian packages, through mmdebstrap.\n"
	  "With SOURCE_DATE_EPOCH set, the same packages give the same image.",
	  OPTION_TABLE_OF(bootstrap_rows), 1, 1, verb_bootstrap },
	{ "foso image sweep",
	  "[STORE]",
	  "Remove what builds left, for foso image gc.",
	  { NULL, 0 },
	  0,
	  1,
	  verb_sweep },
};

static const struct verbs verbs = { "foso image", rows, ARRAY_LEN(rows) };

/* What the word asks to be told: true if @out has it. */
static bool append_words(const char *word, struct buf *out)
{
	if (strcmp(word, "--version") == 0)
		buf_printf(out, "foso-build %s (%s)\n", version_number(), version_build_id());
	else if (strcmp(word, "--scdoc") == 0) /* for tools/man-page */
		for (size_t i = 0; rows[i].options.n_rows > 0; i++)
			verb_scdoc(out, &rows[i]);
	else
		return false;
	return true;
}

static int run(char **words, struct buf *out, struct error *err)
{
	const struct verb *verb;
	if (words[0] && append_words(words[0], out))
		return 0;
	int r = verb_find(&verbs, words[0], &verb, err);
	if (r < 0)
		return r;
	r = verb->run(&(struct args){ .verb = verb, .words = words + 1 }, err);
	if (r != VERB_HELP)
		return r;
	verb_help(out, verb);
	return 0;
}

int main(int argc, char **argv)
{
	struct error err = { .code = ERR_NONE };
	auto_buf struct buf out = BUF_INIT(MAX_HELP_BYTES);
	int r = run(argc > 0 ? argv + 1 : argv, &out, &err);
	(void)fputs(buf_string(&out), stdout);
	r = output_finish(stdout, r, &err);
	if (r < 0)
		error_print(stderr, &err);
	return r == 0 ? 0 : EXIT_REFUSED;
}
