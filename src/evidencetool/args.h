/* SPDX-License-Identifier: Apache-2.0 */
/* args.h - what a command of foso-evidence is given */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "options/verbs.h"

#define ARGS_MAX_KEYS 16

struct args {
	bool is_json, is_head, is_ready;
	const char *since, *reason, *number, *signed_from, *kept_head, *out; /* NULL: not given */
	const char *keys[ARGS_MAX_KEYS];
	size_t n_keys;
	char *const *operands; /* as many as the verb takes, then NULL */
};

extern const struct verbs evidence_verbs;

/* args_parse() - as verb_parse() does. */
int args_parse(struct args *ret, const struct verb *verb, char **words, struct error *err)
	must_check;
