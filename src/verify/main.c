/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - foso-verify: tries the boundary of a level on this host, claim by claim
 *
 * `foso verify` is this program.  It starts foso itself, as a user would, and helpers that do
 * the forbidden acts; see verify.h.
 */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "base/programs.h"
#include "base/version.h"
#include "options/verbs.h"
#include "verify/check.h"
#include "verify/options.h"
#include "verify/run.h"
#include "verify/verify.h"

#define STATUS_BROKEN      1
#define STATUS_UNUSABLE    125
#define STATUS_INTERRUPTED 130
#define MAX_ENVIRONMENT    16
#define MAX_HELP_BYTES     4096

static volatile sig_atomic_t is_interrupted;

static void on_signal(int number)
{
	UNUSED(number);
	is_interrupted = 1;
}

enum option_id {
	OPTION_JSON = OPTION_HELP + 1,
	OPTION_LEVEL,
	OPTION_CLAIMS,
	OPTION_VERSION,
};

static const struct option_row rows[] = { VERIFY_OPTIONS(OPTION_ROW) };

/* The only one: a program with one thing to do. */
static const struct verb verb = {
	"foso verify",
	"[OPTION]... [ID]...",
	"Tries the boundary of a level on this host: each row of the matrix is a forbidden\n"
	"act that must fail inside a sandbox, and a control that shows that it works without\n"
	"the boundary.  With IDs, tries these rows only.",
	OPTION_TABLE_OF(rows),
	0,
	SIZE_MAX,
	NULL,
};

struct args {
	bool is_version, is_json, is_claims, is_wasm;
	char *const *ids; /* the rows to try; all if there is none */
};

static void append_help(struct buf *out)
{
	verb_help(out, &verb);
	buf_append_string(out, "\nExit status: 0 if no row is broken, 1 if one is, 125 if nothing "
			       "could be tried.\n");
}

static int refuse(struct error *err, const char *subject, const char *message, const char *remedy)
{
	int r = error_set(err, ERR_INVALID, 0, subject, "%s", message);
	return error_remedy(err, r, "%s", remedy);
}

#define LEVEL_REMEDY "write --level process or --level wasm"

static int set_level(struct args *args, const char *value, struct error *err)
{
	static const char *const later[] = { "kernel", "microvm" };
	args->is_wasm = strcmp(value, "wasm") == 0;
	if (args->is_wasm || strcmp(value, "process") == 0)
		return 0;
	for (size_t i = 0; i < ARRAY_LEN(later); i++) {
		if (strcmp(value, later[i]) == 0)
			return refuse(err, "--level", "the level is not part of this version",
				      LEVEL_REMEDY);
	}
	return refuse(err, "--level", "there is no such level", LEVEL_REMEDY);
}

static int set(void *into, const struct option *option, struct error *err)
{
	struct args *args = into;
	switch (option->row->id) {
	case OPTION_JSON:
		args->is_json = true;
		return 0;
	case OPTION_CLAIMS:
		args->is_claims = true;
		return 0;
	case OPTION_VERSION:
		args->is_version = true;
		return 0;
	default:
		return set_level(args, option->value, err);
	}
}

static bool is_wanted(const struct args *args, const char *id)
{
	bool is_named = args->ids[0] == NULL;
	for (char *const *word = args->ids; *word; word++)
		is_named = is_named || strcmp(*word, id) == 0;
	return is_named;
}

static int check_ids(const struct args *args, struct error *err)
{
	for (char *const *word = args->ids; *word; word++) {
		bool is_known = false;
		for (size_t i = 0; i < matrix_count(); i++)
			is_known = is_known || strcmp(matrix_row(i)->id, *word) == 0;
		if (!is_known)
			return refuse(err, *word, "is not a row of the matrix",
				      "foso verify --claims lists them");
	}
	return 0;
}

/* What the started programs get of our environment, and a secret that they must not pass on. */
static int make_environment(struct verify *verify, struct error *err)
{
	static const char *const names[] = { "PATH", "HOME", "XDG_RUNTIME_DIR", "XDG_DATA_HOME" };
	size_t n = 0;
	verify->environment = calloc(MAX_ENVIRONMENT, sizeof(char *));
	if (!verify->environment)
		return error_set(err, ERR_SYSTEM, 0, "verify", "no memory");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		const char *value = getenv(names[i]); /* NOLINT(concurrency-mt-unsafe) */
		if (value && asprintf(&verify->environment[n++], "%s=%s", names[i], value) < 0)
			return error_set(err, ERR_SYSTEM, 0, "verify", "no memory");
	}
	if (asprintf(&verify->environment[n++], "FOSO_IMAGES=%s", verify->world.images) < 0 ||
	    asprintf(&verify->environment[n++], "FOSO_WORKSPACES=%s", verify->world.workspaces) <
		    0 ||
	    asprintf(&verify->environment[n++], "FOSO_MODULES=%s/modules", verify->world.folder) <
		    0 ||
	    asprintf(&verify->environment[n], "VERIFY_CANARY=%s", verify->world.canary) < 0)
		return error_set(err, ERR_SYSTEM, 0, "verify", "no memory");
	return 0;
}

static int prepare(struct verify *verify, struct error *err)
{
	int r = program_path("foso", verify->foso, err);
	if (r == 0)
		r = program_path("foso-act", verify->act, err);
	if (r == 0)
		r = world_open(&verify->world, verify->act, err);
	if (r == 0)
		r = make_environment(verify, err);
	if (r == 0 && verify->is_wasm)
		r = check_wasm_prepare(verify, err);
	(void)snprintf(verify->evidence, sizeof(verify->evidence), "%s/evidence",
		       verify->world.folder);
	return r;
}

static void finish(struct verify *verify)
{
	for (char **word = verify->environment; word && *word; word++)
		free(*word);
	free(verify->environment);
	world_close(&verify->world);
}

static void catch_signals(void)
{
	struct sigaction action = { .sa_handler = on_signal };
	static const int numbers[] = { SIGINT, SIGTERM, SIGHUP };
	for (size_t i = 0; i < ARRAY_LEN(numbers); i++)
		(void)sigaction(numbers[i], &action, NULL);
}

static int try_rows(struct verify *verify, const struct args *args, struct finding *findings)
{
	int status = 0;
	for (size_t i = 0; i < matrix_count() && !is_interrupted; i++) {
		const struct row *row = matrix_row(i);
		uint64_t started_ns = run_now_ns();
		if (!is_wanted(args, row->id))
			continue;
		row->check(verify, row, &findings[i]);
		/* A signal to our group ended the row's programs, too: it says nothing. */
		if (is_interrupted)
			break;
		findings[i].is_there = true;
		findings[i].duration_ns = run_now_ns() - started_ns;
		if (findings[i].verdict == VERDICT_BROKEN)
			status = STATUS_BROKEN;
		if (!args->is_json)
			report_line(row, &findings[i]);
	}
	return is_interrupted ? STATUS_INTERRUPTED : status;
}

static int run_matrix(const struct args *args, struct error *err)
{
	static struct verify verify;
	struct finding *findings = calloc(matrix_count(), sizeof(*findings));
	if (!findings)
		return error_set(err, ERR_SYSTEM, 0, "verify", "no memory");
	catch_signals();
	verify.is_wasm = args->is_wasm;
	int r = prepare(&verify, err);
	int status = r < 0 ? r : try_rows(&verify, args, findings);
	if (status >= 0 && args->is_json) {
		r = report_json(&verify, findings, err);
		status = r < 0 ? r : status;
	}
	if (status >= 0)
		report_count(args->is_json ? stderr : stdout, findings);
	finish(&verify);
	free(findings);
	return status;
}

static int run(char **words, struct buf *out, struct error *err)
{
	struct args args = { 0 };
	if (words[0] && strcmp(words[0], "--scdoc") == 0) { /* for tools/man-page */
		options_scdoc(out, &verb.options);
		return 0;
	}
	int r = verb_parse(&verb, words, set, &args, &args.ids, err);
	if (r < 0)
		return r;
	if (r == VERB_HELP) {
		append_help(out);
		return 0;
	}
	matrix_choose(args.is_wasm);
	if (args.is_version) {
		buf_printf(out, "foso-verify %s (%s)\n", version_number(), version_build_id());
		return 0;
	}
	if (args.is_claims) {
		report_claims(args.is_wasm);
		return 0;
	}
	r = check_ids(&args, err);
	return r < 0 ? r : run_matrix(&args, err);
}

int main(int argc, char **argv)
{
	struct error err = { 0 };
	auto_buf struct buf out = BUF_INIT(MAX_HELP_BYTES);
	int r = run(argc > 0 ? argv + 1 : argv, &out, &err);
	(void)fputs(buf_string(&out), stdout);
	r = output_finish(stdout, r, &err);
	if (r < 0)
		error_print(stderr, &err);
	return r < 0 ? STATUS_UNUSABLE : r;
}
