/* SPDX-License-Identifier: Apache-2.0 */
/* args.h - the commands of foso-workspace and their options */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "options/verbs.h"

#define ARGS_MAX_GLOBS 64

struct args {
	bool is_stat, is_patch, is_json, is_list, is_exec_paths;
	bool allows_exec_paths, is_overwrite, is_resume, is_rollback;
	const char *only[ARGS_MAX_GLOBS], *except[ARGS_MAX_GLOBS];
	size_t n_only, n_except;
	const char *number; /* NULL: not given */
	const char *id;     /* NULL: the last run on this folder */
};

extern const struct verbs workspace_verbs;

/* args_parse() - as verb_parse() does. */
int args_parse(struct args *ret, const struct verb *verb, char **words, struct error *err)
	must_check;
