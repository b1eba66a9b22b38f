/* SPDX-License-Identifier: Apache-2.0 */
/* args.h - what a command of foso-image is given */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "options/verbs.h"

#define ARGS_MAX_NAMES 64

struct args {
	bool is_json, is_dry_run;
	const char *store, *name, *format, *ref; /* NULL: not given */
	uint64_t max_bytes, max_entries, max_ratio, max_time_ns;
	char *const *operands; /* as many as the verb takes, then NULL */
};

extern const struct verbs image_verbs;

/* args_parse() - as verb_parse() does. */
int args_parse(struct args *ret, const struct verb *verb, char **words, struct error *err)
	must_check;
