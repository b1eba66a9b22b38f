/* SPDX-License-Identifier: Apache-2.0 */
/* verbs.h - the commands of a program that has several, as a table */
#pragma once

#include "options/options.h"

struct args; /* the program's own: what its commands are given */

struct verb {
	const char *name;     /* as a user writes it: "foso image list" */
	const char *synopsis; /* what follows the name */
	const char *meaning;  /* sentences; the first line alone is shown among the verbs */
	struct option_table options;
	size_t min_operands, max_operands;
	/* The exit status, or -code with *err filled. */
	int (*run)(const struct args *args, struct error *err);
};

struct verbs {
	const char *command; /* "foso image" */
	const struct verb *rows;
	size_t n_rows;
};

/* What each verb knows besides its own: its row's id. */
enum { OPTION_HELP = 0 };

/*
 * verb_find() - the verb of that name
 * @word: NULL if none was given
 *
 * Returns 0, or -ERR_INVALID with the word as the subject and the nearest verb as the remedy.
 */
int verb_find(const struct verbs *verbs, const char *word, const struct verb **ret,
	      struct error *err) must_check;

/* verb_word() - the last word of its name: "list"; borrowed from the verb. */
const char *verb_word(const struct verb *verb);

/* What verb_parse() returns when the verb's help is asked for. */
#define VERB_HELP 2

/*
 * verb_parse() - what follows the verb's name, options and operands in any order
 * @words:         borrowed, and put in order: operands first
 * @set:           takes one option into @into; 0 or -code
 * @ret_operands:  as many as the verb takes, then NULL; borrowed from @words
 *
 * Returns 0; VERB_HELP, after which what is in @into may be incomplete; -ERR_INVALID, with the
 * option or operand as the subject, or what @set returned.
 */
int verb_parse(const struct verb *verb, char **words,
	       int (*set)(void *into, const struct option *option, struct error *err), void *into,
	       char *const **ret_operands, struct error *err) must_check;

/* verb_help() - appends usage, meaning and options. */
void verb_help(struct buf *out, const struct verb *verb);

/* verb_scdoc() - appends the same for a man page, in the language of scdoc(5). */
void verb_scdoc(struct buf *out, const struct verb *verb);

/* verbs_help() - appends a line for each verb. */
void verbs_help(struct buf *out, const struct verbs *verbs);
