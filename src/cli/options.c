/* SPDX-License-Identifier: Apache-2.0 */
/* options.c - the tables of options, by command */
#include "cli/options.h"

#include <stdlib.h>

#include "policy/fields.h"

static const struct option_row rows_of_all[] = { GLOBAL_OPTIONS(OPTION_ROW) };

#define OPTION_TABLE(command, TABLE) \
	static const struct option_row rows_##command[] = { TABLE(OPTION_ROW){ .id = 0 } };
COMMAND_OPTIONS(OPTION_TABLE)
#undef OPTION_TABLE

/* foso never meets them on its command line, so their ids are not its own. */
#define SIBLING_ROW(id, ...) SIBLING_ROW_(__VA_ARGS__)
#define SIBLING_ROW_(name_, letter_, argument_, choices_, field_, help_) \
	{ .name = name_,                                                 \
	  .letter = letter_,                                             \
	  .argument = argument_,                                         \
	  .choices = choices_,                                           \
	  .field = field_,                                               \
	  .help = help_ },

#define SIBLING_TABLE(command, TABLE) \
	static const struct option_row rows_##command[] = { TABLE(SIBLING_ROW){ .id = 0 } };
SIBLING_OPTIONS(SIBLING_TABLE)
#undef SIBLING_TABLE

#define VERB_TABLE(command, word, TABLE) \
	static const struct option_row rows_##command##_##word[] = { TABLE(SIBLING_ROW) };
SIBLING_VERBS(VERB_TABLE)
#undef VERB_TABLE

const struct sibling_verb *sibling_verb(size_t n)
{
	static const struct sibling_verb verbs[] = {
#define VERB(command, word, TABLE) \
	{ COMMAND_##command, #word, OPTION_TABLE_OF(rows_##command##_##word) },
		SIBLING_VERBS(VERB)
#undef VERB
	};
	return n < ARRAY_LEN(verbs) ? &verbs[n] : NULL;
}

struct option_table options_of(enum command_id command)
{
	switch (command) {
#define OPTION_CASE(id, TABLE) \
	case COMMAND_##id:     \
		return (struct option_table){ rows_##id, ARRAY_LEN(rows_##id) - 1 };
		COMMAND_OPTIONS(OPTION_CASE)
		SIBLING_OPTIONS(OPTION_CASE)
#undef OPTION_CASE
	}
	abort(); /* No enum command_id is left out above. */
}

struct option_table options_of_all(void)
{
	return (struct option_table)OPTION_TABLE_OF(rows_of_all);
}

static bool is_field(const char *name, size_t len)
{
	return policy_field_find(name, len) != NULL;
}

struct options options_begin(enum command_id command, char **words)
{
	return (struct options){
		.command = command == COMMAND_NONE ? "foso" : command_rows[command].name,
		.own = options_of(command),
		.common = options_of_all(),
		.is_settable = command == COMMAND_RUN ? is_field : NULL,
		.words = words,
	};
}
