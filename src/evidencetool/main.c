/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - foso-evidence: reads, verifies and signs the evidence log
 *
 * `foso evidence ...` is this program.  It is apart from foso and its monitor because it needs
 * OpenSSL and a JSON parser, and because it reads what sandboxes wrote.
 */
#include <openssl/crypto.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "base/version.h"
#include "evidencetool/commands.h"

#define STATUS_UNUSABLE 125

#define MAX_HELP_BYTES (64 * 1024)

static void append_usage(struct buf *out)
{
	buf_append_string(out, "usage: foso evidence COMMAND [OPTION]...\n\n"
			       "Read, verify and sign the records that runs leave.\n\n"
			       "Commands:\n");
	verbs_help(out, &evidence_verbs);
	buf_append_string(out, "\nFOLDER is the log's; without it, the one that foso run uses by "
			       "default:\n"
			       "/var/lib/foso/evidence for root, $XDG_DATA_HOME/foso/evidence or\n"
			       "~/.local/share/foso/evidence for others.\n\n"
			       "foso evidence COMMAND --help says more about one of them.\n");
}

/* What the words ask to be told, if that is all: true if @out has it. */
static bool append_words(const char *word, struct buf *out)
{
	if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
		append_usage(out);
	else if (strcmp(word, "--version") == 0)
		buf_printf(out, "foso-evidence %s (%s)\n", version_number(), version_build_id());
	else if (strcmp(word, "--scdoc") == 0) /* for tools/man-page */
		for (size_t i = 0; i < evidence_verbs.n_rows; i++)
			verb_scdoc(out, &evidence_verbs.rows[i]);
	else
		return false;
	return true;
}

static int run(char **words, struct buf *out, struct error *err)
{
	struct args args;
	const struct verb *verb;
	if (words[0] && append_words(words[0], out))
		return 0;
	int r = verb_find(&evidence_verbs, words[0], &verb, err);
	if (r == 0)
		r = args_parse(&args, verb, words + 1, err);
	if (r == VERB_HELP) {
		verb_help(out, verb);
		return 0;
	}
	return r < 0 ? r : verb->run(&args, err);
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	/* The machine's openssl.cnf could load modules into a program that holds a key. */
	(void)OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, NULL);
	auto_buf struct buf out = BUF_INIT(MAX_HELP_BYTES);
	int r = run(argc > 0 ? argv + 1 : argv, &out, &err);
	(void)fputs(buf_string(&out), stdout);
	r = output_finish(stdout, r, &err);
	if (r < 0)
		error_print(stderr, &err);
	return r < 0 ? STATUS_UNUSABLE : r;
}
