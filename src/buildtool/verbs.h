/* SPDX-License-Identifier: Apache-2.0 */
/* verbs.h - what foso-build does; each verb reads the words behind its name itself */
#pragma once

#include "base/error.h"
#include "options/verbs.h"

/* Of the rows in options.h. */
enum option_id {
	OPTION_TAG = OPTION_HELP + 1,
	OPTION_FILE,
	OPTION_BUILD_ARG,
	OPTION_TARGET,
	OPTION_NO_CACHE,
	OPTION_LIMIT,
	OPTION_EVIDENCE,
	OPTION_QUIET,
	OPTION_NAME,
	OPTION_PLAIN_HTTP,
	OPTION_TIMEOUT,
	OPTION_MAX_BYTES,
	OPTION_USERNAME,
	OPTION_PASSWORD_STDIN,
	OPTION_AUTHFILE,
	OPTION_SUITE,
	OPTION_VARIANT,
	OPTION_INCLUDE,
	OPTION_PACKAGES,
	OPTION_MIRROR,
	OPTION_CACHE,
	OPTION_DOCS,
	OPTION_FROM,
};

struct args {
	const struct verb *verb;
	char **words; /* behind the verb's name */
};

/* 0; VERB_SAID: failed, and the user knows why; VERB_HELP: asked for its help; -code. */
#define VERB_SAID 1

int verb_build(const struct args *args, struct error *err) must_check;
int verb_sweep(const struct args *args, struct error *err) must_check;
int verb_pull(const struct args *args, struct error *err) must_check;
int verb_bootstrap(const struct args *args, struct error *err) must_check;

/* import.c: what lies at @path as the image @name, by foso-image. */
int import_path(const char *path, const char *name, struct error *err) must_check;
