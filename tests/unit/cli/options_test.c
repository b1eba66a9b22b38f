/* SPDX-License-Identifier: Apache-2.0 */
/* The tables of foso's options; the programs' sources are not in the library, so they are here. */
#include <string.h>

#include "cli/commands.c"
#include "cli/options.c"
#include "support/tap.h"

/* Two options of one command that share a name or letter would hide each other. */
static void test_options_tables_hold_nothing_twice(void)
{
	struct option_table common = options_of_all();
	for (unsigned command = 0; command <= COMMAND_NONE; command++) {
		struct option_table own = options_of((enum command_id)command);
		const struct option_row *rows[64];
		size_t n_rows = 0;
		for (size_t i = 0; i < own.n_rows; i++)
			rows[n_rows++] = &own.rows[i];
		for (size_t i = 0; i < common.n_rows; i++)
			rows[n_rows++] = &common.rows[i];
		for (size_t i = 0; i < n_rows; i++) {
			for (size_t j = 0; j < i; j++) {
				OK(strcmp(rows[i]->name, rows[j]->name) != 0);
				OK(!rows[i]->letter || rows[i]->letter != rows[j]->letter);
			}
		}
	}
}

/* Text that fills its array to the last byte has lost its NUL. */
static void test_options_texts_fit_their_rows(void)
{
	for (unsigned command = 0; command <= COMMAND_NONE; command++) {
		struct option_table own = options_of((enum command_id)command);
		const struct option_row *rows = own.rows;
		for (size_t i = 0; i < own.n_rows; i++) {
			EQ(rows[i].name[sizeof(rows[i].name) - 1], '\0');
			EQ(rows[i].argument[sizeof(rows[i].argument) - 1], '\0');
			EQ(rows[i].choices[sizeof(rows[i].choices) - 1], '\0');
			EQ(rows[i].field[sizeof(rows[i].field) - 1], '\0');
			EQ(rows[i].help[sizeof(rows[i].help) - 1], '\0');
		}
	}
	for (unsigned id = 0; id < N_COMMANDS; id++) {
		EQ(command_rows[id].word[sizeof(command_rows[id].word) - 1], '\0');
		EQ(command_rows[id].name[sizeof(command_rows[id].name) - 1], '\0');
		EQ(command_rows[id].sibling[sizeof(command_rows[id].sibling) - 1], '\0');
		EQ(command_rows[id].operands[sizeof(command_rows[id].operands) - 1], '\0');
		EQ(command_rows[id].summary[sizeof(command_rows[id].summary) - 1], '\0');
	}
}

/* What an option sets is a field of the policy's own table. */
static void test_options_fields_are_fields_of_a_policy(void)
{
	struct option_table own = options_of(COMMAND_RUN);
	for (size_t i = 0; i < own.n_rows; i++) {
		size_t len = strlen(own.rows[i].field);
		if (len == 0 || own.rows[i].field[len - 1] == '.')
			continue;
		OK(policy_field_find(own.rows[i].field, len) != NULL);
	}
}

static void test_command_nearest_is_near(void)
{
	EQ(command_nearest("rnu"), COMMAND_RUN);
	EQ(command_nearest("verfy"), COMMAND_VERIFY);
	EQ(command_nearest("x"), COMMAND_NONE);
	EQ(command_nearest("python3"), COMMAND_NONE);
	EQ(command_find("run"), COMMAND_RUN);
	EQ(command_find("ru"), COMMAND_NONE);
	EQ(command_find(""), COMMAND_NONE);
}

int main(void)
{
	RUN(test_options_tables_hold_nothing_twice);
	RUN(test_options_texts_fit_their_rows);
	RUN(test_options_fields_are_fields_of_a_policy);
	RUN(test_command_nearest_is_near);
	return tap_done();
}
