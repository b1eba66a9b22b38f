/* SPDX-License-Identifier: Apache-2.0 */
/* verbs.c - the commands of a program that has several */
#include "options/verbs.h"

#include <string.h>

#include "base/text.h"

static const struct option_row rows_of_all[] = {
	OPTION_ROW(HELP, "help", 'h', "", "", "", "say what the command does, and its options")
};

const char *verb_word(const struct verb *verb)
{
	return strrchr(verb->name, ' ') + 1;
}

static const char *nearest_word(const struct verbs *verbs, const char *typed)
{
	const char *nearest = NULL;
	unsigned best = TEXT_DISTANCE_NEAR + 1;
	for (size_t i = 0; i < verbs->n_rows; i++) {
		const char *candidate = verb_word(&verbs->rows[i]);
		unsigned distance = text_distance(typed, strlen(typed), candidate);
		if (distance < best) {
			best = distance;
			nearest = candidate;
		}
	}
	return nearest;
}

int verb_find(const struct verbs *verbs, const char *word, const struct verb **ret,
	      struct error *err)
{
	const char *command = verbs->command;
	for (size_t i = 0; word && i < verbs->n_rows; i++) {
		if (strcmp(verb_word(&verbs->rows[i]), word) == 0) {
			*ret = &verbs->rows[i];
			return 0;
		}
	}
	int r = word ? error_set(err, ERR_INVALID, 0, word, "not a command of %s", command)
		     : error_set(err, ERR_INVALID, 0, command, "no command is given");
	const char *nearest = word ? nearest_word(verbs, word) : NULL;
	if (nearest)
		return error_remedy(err, r, "write %s %s (%s --help lists all)", command, nearest,
				    command);
	return error_remedy(err, r, "%s --help lists them", command);
}

int verb_parse(const struct verb *verb, char **words,
	       int (*set)(void *into, const struct option *option, struct error *err), void *into,
	       char *const **ret_operands, struct error *err)
{
	struct options options = {
		.command = verb->name,
		.own = verb->options,
		.common = OPTION_TABLE_OF(rows_of_all),
		.is_mixed = true,
		.words = words,
	};
	struct option option;
	int r;
	while ((r = options_next(&options, &option, err)) == 0) {
		if (option.row->id == OPTION_HELP)
			return VERB_HELP;
		r = set(into, &option, err);
		if (r < 0)
			return r;
	}
	*ret_operands = options.words;
	return r < 0 ? r
		     : options_operands(&options, verb->min_operands, verb->max_operands,
					verb->synopsis, err);
}

void verb_help(struct buf *out, const struct verb *verb)
{
	struct option_table common = OPTION_TABLE_OF(rows_of_all);
	buf_printf(out, "usage: %s %s\n\n%s\n\nOptions:\n", verb->name, verb->synopsis,
		   verb->meaning);
	options_help(out, &verb->options);
	options_help(out, &common);
}

void verb_scdoc(struct buf *out, const struct verb *verb)
{
	buf_printf(out, "*%s* ", verb->name);
	options_scdoc_text(out, verb->synopsis);
	buf_append_string(out, "\n\n");
	options_scdoc_text(out, verb->meaning);
	buf_append_string(out, "\n\n");
	options_scdoc(out, &verb->options);
}

void verbs_help(struct buf *out, const struct verbs *verbs)
{
	for (size_t i = 0; i < verbs->n_rows; i++) {
		const struct verb *verb = &verbs->rows[i];
		buf_printf(out, "  %-10s %.*s\n", verb_word(verb),
			   (int)strcspn(verb->meaning, "\n"), verb->meaning);
	}
}
