/* SPDX-License-Identifier: Apache-2.0 */
/* commands.c - the commands of foso, looked up by name */
#include "cli/commands.h"

#include <string.h>

#include "base/text.h"

const struct command_row command_rows[N_COMMANDS] = {
#define COMMAND_ROW(id, word_, sibling_, operands_, summary_) \
	[COMMAND_##id] = {                                    \
		.word = word_,                                \
		.name = "foso " word_,                        \
		.sibling = sibling_,                          \
		.operands = operands_,                        \
		.summary = summary_,                          \
	},
	COMMANDS(COMMAND_ROW)
#undef COMMAND_ROW
};

enum command_id command_find(const char *word)
{
	for (unsigned id = 0; id < N_COMMANDS; id++)
		if (strcmp(command_rows[id].word, word) == 0)
			return (enum command_id)id;
	return COMMAND_NONE;
}

enum command_id command_nearest(const char *word)
{
	enum command_id nearest = COMMAND_NONE;
	unsigned best = TEXT_DISTANCE_NEAR + 1;
	for (unsigned id = 0; id < N_COMMANDS; id++) {
		unsigned distance = text_distance(word, strlen(word), command_rows[id].word);
		if (distance < best) {
			best = distance;
			nearest = (enum command_id)id;
		}
	}
	return nearest;
}
