/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.c - the walk over a command line
 *
 * Unless they are mixed, options end at the first word that is none, or at "--", so that those of
 * a command inside a sandbox are never taken for ours.  A name is written in full: an abbreviation
 * that is unique today is ambiguous with the next version.
 */
#include <string.h>

#include "base/text.h"
#include "options/options.h"

static const struct option_row *table_name(const struct option_table *table, const char *name,
					   size_t len)
{
	for (size_t i = 0; i < table->n_rows; i++)
		if (strncmp(table->rows[i].name, name, len) == 0 &&
		    table->rows[i].name[len] == '\0')
			return &table->rows[i];
	return NULL;
}

static const struct option_row *table_letter(const struct option_table *table, char letter)
{
	for (size_t i = 0; i < table->n_rows; i++)
		if (table->rows[i].letter == letter)
			return &table->rows[i];
	return NULL;
}

static const struct option_row *find_by_name(const struct options *options, const char *name,
					     size_t len)
{
	const struct option_row *row = table_name(&options->own, name, len);
	return row ? row : table_name(&options->common, name, len);
}

static const struct option_row *find_by_letter(const struct options *options, char letter)
{
	const struct option_row *row = table_letter(&options->own, letter);
	return row ? row : table_letter(&options->common, letter);
}

static const char *nearest_name(const struct options *options, const char *name, size_t len)
{
	const struct option_table *tables[] = { &options->own, &options->common };
	const char *nearest = NULL;
	unsigned best = TEXT_DISTANCE_NEAR + 1;
	for (size_t t = 0; t < ARRAY_LEN(tables); t++) {
		for (size_t i = 0; i < tables[t]->n_rows; i++) {
			const char *row_name = tables[t]->rows[i].name;
			unsigned distance = text_distance(name, len, row_name);
			if (distance < best) {
				best = distance;
				nearest = row_name;
			}
		}
	}
	return nearest;
}

/* Also for a field of a policy that was written as an option: --workspace.access */
static int refuse_unknown(const struct options *options, const char *spelling, const char *nearest,
			  struct error *err)
{
	const char *command = options->command, *name = spelling + strspn(spelling, "-");
	int r = error_set(err, ERR_INVALID, 0, spelling, "not an option of %s", command);
	if (options->is_settable && options->is_settable(name, strlen(name)))
		return error_remedy(err, r, "write --set %s=VALUE", name);
	if (nearest)
		return error_remedy(err, r, "write --%s (%s --help lists all)", nearest, command);
	return error_remedy(err, r, "%s --help lists the options", command);
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
	*ret = (struct option){ .row = find_by_letter(options, letters[0]), .value = "" };
	if (!ret->row)
		return refuse_unknown(options, spelling, NULL, err);
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
	*ret = (struct option){ .row = find_by_name(options, name, len), .value = "" };
	if (!ret->row) {
		char spelling[sizeof(err->subject)];
		(void)snprintf(spelling, sizeof(spelling), "--%.*s", (int)MIN(len, (size_t)100),
			       name);
		return refuse_unknown(options, spelling, nearest_name(options, name, len), err);
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

/* A lone "-" is an operand: it stands for stdin or stdout. */
static bool is_option_word(const char *word)
{
	return word[0] == '-' && word[1] != '\0';
}

/* Operands between options go to the head of the words, which lie before the walk already. */
static void pass_operands(struct options *options, bool to_the_end)
{
	char **words = options->words;
	while (words[options->at] && (to_the_end || !is_option_word(words[options->at])))
		words[options->n_moved++] = words[options->at++];
}

static int finish(struct options *options)
{
	options->is_ended = true;
	if (options->is_mixed) {
		pass_operands(options, true);
		options->words[options->n_moved] = NULL;
		options->at = 0;
	}
	return 1;
}

int options_next(struct options *options, struct option *ret, struct error *err)
{
	if (options->is_ended)
		return 1;
	if (options->letters)
		return next_letter(options, ret, err);
	if (options->is_mixed)
		pass_operands(options, false);
	const char *word = options->words[options->at];
	if (!word || !is_option_word(word))
		return finish(options);
	options->at++;
	if (word[1] != '-') {
		options->letters = word + 1;
		return next_letter(options, ret, err);
	}
	if (word[2] == '\0')
		return finish(options);
	return next_name(options, word + 2, ret, err);
}

int options_operands(const struct options *options, size_t min, size_t max, const char *synopsis,
		     struct error *err)
{
	char *const *operands = options->words + options->at;
	size_t n_operands = 0;
	int r = 0;
	while (operands[n_operands])
		n_operands++;
	if (n_operands > max)
		r = error_set(err, ERR_INVALID, 0, operands[max],
			      max == 0 ? "%s takes no operand" : "%s takes no further operand",
			      options->command);
	else if (n_operands < min)
		r = error_set(err, ERR_INVALID, 0, options->command, "lacks an operand");
	return r == 0 ? 0 : error_remedy(err, r, "write %s %s", options->command, synopsis);
}

int option_once(const char **member, const struct option *option, struct error *err)
{
	if (*member) {
		int r = error_set(err, ERR_INVALID, 0, option->spelling, "is given twice");
		return error_remedy(err, r, "give it once");
	}
	*member = option->value;
	return 0;
}
