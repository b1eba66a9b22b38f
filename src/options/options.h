/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - the walk over a command line by a table of options, and their help from that table
 *
 * Each program states its options as rows OPTION(ID, name, letter, argument, choices, field, help):
 *
 *   letter    '\0' if there is no short form
 *   argument  "" for a switch; else what usage shows for the value
 *   choices   what a completion offers: words, or <file>, <folder>, <env>, <limit>, <id>
 *   field     policy field that the value is given to; ending in '.', the value is NAME=VALUE
 *             of a field below it; "" if the program itself deals with the value
 *
 * Help, completions and man pages are generated from the rows.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

/* Text lies inside the row, so a table needs no relocation when the program starts. */
struct option_row {
	uint8_t id; /* of the program's own enum */
	char letter;
	char name[20];
	char argument[28];
	char choices[36];
	char field[16];
	char help[164];
};

/* What a program makes a row with, given that its ids are OPTION_<ID>. */
#define OPTION_ROW(id_, name_, letter_, argument_, choices_, field_, help_) \
	{ .id = OPTION_##id_,                                               \
	  .name = name_,                                                    \
	  .letter = letter_,                                                \
	  .argument = argument_,                                            \
	  .choices = choices_,                                              \
	  .field = field_,                                                  \
	  .help = help_ },

struct option_table {
	const struct option_row *rows;
	size_t n_rows;
};

#define OPTION_TABLE_OF(array)            \
	{                                 \
		(array), ARRAY_LEN(array) \
	}

/* A walk over a command line. */
struct options {
	const char *command;        /* as messages name it: "foso run" */
	struct option_table own;    /* of that command */
	struct option_table common; /* of each command of the program */
	/* NULL, or whether --set takes @name, so that the message about --NAME says so. */
	bool (*is_settable)(const char *name, size_t len);
	/*
	 * Whether options may stand behind operands too.  If so, the operands are moved to the
	 * head of @words, and @at is 0 when the walk has ended; if not, the first of them ends it.
	 */
	bool is_mixed;
	bool is_ended;       /* options_next() returned 1, and will again */
	char **words;        /* NULL-terminated; borrowed */
	size_t at;           /* next word; after the last option, the first operand */
	size_t n_moved;      /* operands at the head of @words */
	const char *letters; /* rest of a word of short options, such as "tq"; NULL if none */
};

struct option {
	const struct option_row *row;
	const char *value; /* "" for a switch; borrowed from the words */
	/* "--limit" or "-l", as the user wrote it */
	char spelling[2 + sizeof(((struct option_row *)0)->name)];
};

/*
 * options_next() - the next option
 *
 * Returns 0 and the option; 1 when none is left, @at being the first operand ("--" is passed);
 * -ERR_INVALID with the option as the subject and the accepted form as the remedy.
 */
int options_next(struct options *options, struct option *ret, struct error *err) must_check;

/*
 * options_operands() - the operands, after the walk
 * @synopsis: what the remedy shows behind the command's name
 *
 * Returns 0, or -ERR_INVALID if there are fewer than @min or more than @max.
 */
int options_operands(const struct options *options, size_t min, size_t max, const char *synopsis,
		     struct error *err) must_check;

/* option_once() - *@member = the value; -ERR_INVALID if it was given before. */
int option_once(const char **member, const struct option *option, struct error *err) must_check;

/* options_help() - appends a line or more for each row, as --help shows them. */
void options_help(struct buf *out, const struct option_table *table);

/* options_scdoc() - appends the rows for a man page, in the language of scdoc(5). */
void options_scdoc(struct buf *out, const struct option_table *table);

/* options_scdoc_text() - appends @text so that scdoc takes nothing in it for markup. */
void options_scdoc_text(struct buf *out, const char *text);
