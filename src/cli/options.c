/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.c - the walk over a command line
 *
 * Options end at the first word that is none, or at "--", so that those of the command inside
 * are never taken for ours.  A name is written in full: an abbreviation that is unique today is
 * ambiguous with the next version.
 */
#include "cli/options.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "policy/fields.h"

#define OPTION_ROW(id_, name_, letter_, argument_, choices_, field_, help_) \
	{ .id = OPTION_##id_,                                               \
	  .name = name_,                                                    \
	  .letter = letter_,                                                \
	  .argument = argument_,                                            \
	  .choices = choices_,                                              \
	  .field = field_,                                                  \
	  .help = help_ },

const struct option_row global_option_rows[] = { GLOBAL_OPTIONS(OPTION_ROW) };
const size_t n_global_option_rows = ARRAY_LEN(global_option_rows);

#define OPTION_TABLE(command, TABLE) \
	static const struct option_row rows_##command[] = { TABLE(OPTION_ROW){ .id = 0 } };
COMMAND_OPTIONS(OPTION_TABLE)
#undef OPTION_TABLE

const struct option_row *option_rows(enum command_id command, size_t *ret_n_rows)
{
	switch (command) {
#define OPTION_CASE(id, TABLE)                          \
	case COMMAND_##id:                              \
		*ret_n_rows = ARRAY_LEN(rows_##id) - 1; \
		return rows_##id;
		COMMAND_OPTIONS(OPTION_CASE)
#undef OPTION_CASE
	}
	abort(); /* No enum command_id is left out above. */
}

static const char *command_word(enum command_id command)
{
	return command == COMMAND_NONE ? "" : command_rows[command].word;
}

static const struct option_row *find_by_name(enum command_id command, const char *name, size_t len)
{
	size_t n_rows;
	const struct option_row *rows = option_rows(command, &n_rows);
	for (size_t i = 0; i < n_rows; i++)
		if (strncmp(rows[i].name, name, len) == 0 && rows[i].name[len] == '\0')
			return &rows[i];
	for (size_t i = 0; i < n_global_option_rows; i++)
		if (strncmp(global_option_rows[i].name, name, len) == 0 &&
		    global_option_rows[i].name[len] == '\0')
			return &global_option_rows[i];
	return NULL;
}

static const struct option_row *find_by_letter(enum command_id command, char letter)
{
	size_t n_rows;
	const struct option_row *rows = option_rows(command, &n_rows);
	for (size_t i = 0; i < n_rows; i++)
		if (rows[i].letter == letter)
			return &rows[i];
	for (size_t i = 0; i < n_global_option_rows; i++)
		if (global_option_rows[i].letter == letter)
			return &global_option_rows[i];
	return NULL;
}

static const char *nearest_name(enum command_id command, const char *name, size_t len)
{
	size_t n_rows;
	const struct option_row *rows = option_rows(command, &n_rows);
	const char *nearest = NULL;
	unsigned best = TEXT_DISTANCE_NEAR + 1;
	for (size_t i = 0; i < n_rows; i++) {
		unsigned distance = text_distance(name, len, rows[i].name);
		if (distance < best) {
			best = distance;
			nearest = rows[i].name;
		}
	}
	for (size_t i = 0; i < n_global_option_rows; i++)
		if (text_distance(name, len, global_option_rows[i].name) < best)
			nearest = global_option_rows[i].name;
	return nearest;
}

/* Also for a field of a policy that was written as an option: --workspace.access */
static int refuse_unknown(enum command_id command, const char *spelling, const char *nearest,
			  struct error *err)
{
	const char *word = command_word(command);
	const char *space = word[0] ? " " : "";
	const char *name = spelling + strspn(spelling, "-");
	int r = error_set(err, ERR_INVALID, 0, spelling, "not an option of foso%s%s", space, word);
	if (command == COMMAND_RUN && policy_field_find(name, strlen(name)))
		return error_remedy(err, r, "write --set %s=VALUE", name);
	if (nearest)
		return error_remedy(err, r, "write --%s (foso%s%s --help lists all)", nearest,
				    space, word);
	return error_remedy(err, r, "foso%s%s --help lists the options", space, word);
}

static int refuse_no_value(const struct option *option, struct error *err)
{
	int r = error_set(err, ERR_INVALID, 0, option->spelling, "needs a value");
	return error_remedy(err, r, "write %s %s", option->spelling, option->row->argument);
}

/* The value of an option whose word holds none: the next word, whatever it looks like. */
static int take_next_word(struct options *options, struct option *ret, struct error *err)
{
	if (!options->words[options->at])
		return refuse_no_value(ret, err);
	ret->value = options->words[options->at++];
	return 0;
}

static int next_letter(struct options *options, struct option *ret, struct error *err)
{
	const char *letters = options->letters;
	char spelling[] = { '-', letters[0], '\0' };
	*ret = (struct option){ .row = find_by_letter(options->command, letters[0]), .value = "" };
	if (!ret->row)
		return refuse_unknown(options->command, spelling, NULL, err);
	memcpy(ret->spelling, spelling, sizeof(spelling));
	options->letters = NULL;
	if (!ret->row->argument[0]) {
		if (letters[1])
			options->letters = letters + 1;
		return 0;
	}
	if (!letters[1])
		return take_next_word(options, ret, err);
	ret->value = letters + 1;
	return 0;
}

static int next_name(struct options *options, const char *name, struct option *ret,
		     struct error *err)
{
	const char *equals = strchr(name, '=');
	size_t len = equals ? (size_t)(equals - name) : strlen(name);
	*ret = (struct option){ .row = find_by_name(options->command, name, len), .value = "" };
	if (!ret->row) {
		char spelling[sizeof(err->subject)];
		(void)snprintf(spelling, sizeof(spelling), "--%.*s", (int)MIN(len, (size_t)100),
			       name);
		return refuse_unknown(options->command, spelling,
				      nearest_name(options->command, name, len), err);
	}
	memcpy(ret->spelling, "--", 2);
	memcpy(ret->spelling + 2, ret->row->name, sizeof(ret->row->name));
	if (ret->row->argument[0]) {
		if (!equals)
			return take_next_word(options, ret, err);
		ret->value = equals + 1;
		return 0;
	}
	if (equals) {
		int r = error_set(err, ERR_INVALID, 0, ret->spelling,
				  "takes no value, and got '%s'", equals + 1);
		return error_remedy(err, r, "write %s alone", ret->spelling);
	}
	return 0;
}

int options_next(struct options *options, struct option *ret, struct error *err)
{
	if (options->letters)
		return next_letter(options, ret, err);
	const char *word = options->words[options->at];
	if (!word || word[0] != '-' || word[1] == '\0')
		return 1;
	options->at++;
	if (word[1] != '-') {
		options->letters = word + 1;
		return next_letter(options, ret, err);
	}
	if (word[2] == '\0')
		return 1;
	return next_name(options, word + 2, ret, err);
}

int options_no_operands(const struct options *options, struct error *err)
{
	const char *word = options->words[options->at];
	if (!word)
		return 0;
	const char *command = command_word(options->command);
	int r = error_set(err, ERR_INVALID, 0, word, "foso %s takes no operand", command);
	return error_remedy(err, r, "write foso %s [OPTION]...", command);
}
