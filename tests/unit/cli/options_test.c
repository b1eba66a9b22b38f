/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over a command line; the programs' sources are not in the library, so they are here. */
#include "cli/commands.c"
#include "cli/options.c"
#include "support/tap.h"

#define WALK(command_, ...)                      \
	char *words[] = { __VA_ARGS__, NULL };   \
	struct options options = {               \
		.command = COMMAND_##command_,   \
		.words = words,                  \
	};                                       \
	struct option option = { .value = "" };  \
	struct error err = { .code = ERR_NONE }; \
	int r

/* The next option has this id and value, and is spelt so in messages. */
#define NEXT(id_, value_, spelling_)                       \
	do {                                               \
		r = options_next(&options, &option, &err); \
		EQ(r, 0);                                  \
		EQ(option.row->id, OPTION_##id_);          \
		STR_EQ(option.value, value_);              \
		STR_EQ(option.spelling, spelling_);        \
	} while (0)

#define END(at_)                                           \
	do {                                               \
		r = options_next(&options, &option, &err); \
		EQ(r, 1);                                  \
		EQ(options.at, at_);                       \
	} while (0)

static void test_options_long_names_take_the_next_word_or_what_follows_the_sign(void)
{
	char level[] = "--level", process[] = "process", root[] = "--root=dir:/a=b", cmd[] = "ls";
	WALK(RUN, level, process, root, cmd);
	NEXT(LEVEL, "process", "--level");
	NEXT(ROOT, "dir:/a=b", "--root");
	END(3);
	END(3);
}

static void test_options_letters_can_share_a_word(void)
{
	char both[] = "-tq", volume[] = "-v/a:/b", limit[] = "-l", memory[] = "memory=1GiB";
	WALK(RUN, both, volume, limit, memory);
	NEXT(TTY, "", "-t");
	NEXT(QUIET, "", "-q");
	NEXT(VOLUME, "/a:/b", "-v");
	NEXT(LIMIT, "memory=1GiB", "-l");
	END(4);
}

static void test_options_value_may_look_like_an_option(void)
{
	char set[] = "--set", value[] = "--level", dashes[] = "--", option_inside[] = "--level";
	WALK(RUN, set, value, dashes, option_inside);
	NEXT(SET, "--level", "--set");
	END(3);
}

static void test_options_end_at_the_first_operand_or_a_lone_dash(void)
{
	char dash[] = "-", level[] = "--level";
	WALK(RUN, dash, level);
	END(0);
}

static void test_options_empty_value_is_a_value(void)
{
	char level[] = "--level=", env[] = "--env", empty[] = "";
	WALK(RUN, level, env, empty);
	NEXT(LEVEL, "", "--level");
	NEXT(ENV, "", "--env");
	END(3);
}

static void test_options_unknown_name_is_refused_with_the_nearest(void)
{
	char word[] = "--levle=process";
	WALK(RUN, word);
	r = options_next(&options, &option, &err);
	ERR(r, &err, ERR_INVALID, "--levle");
	STR_EQ(err.message, "not an option of foso run");
	STR_EQ(err.remedy, "write --level (foso run --help lists all)");
}

static void test_options_field_of_a_policy_is_no_option(void)
{
	char word[] = "--limits.memory";
	WALK(RUN, word);
	r = options_next(&options, &option, &err);
	ERR(r, &err, ERR_INVALID, "--limits.memory");
	STR_EQ(err.remedy, "write --set limits.memory=VALUE");
}

static void test_options_abbreviation_is_refused(void)
{
	char word[] = "--lev";
	WALK(RUN, word);
	r = options_next(&options, &option, &err);
	ERR(r, &err, ERR_INVALID, "--lev");
}

static void test_options_very_long_name_is_refused(void)
{
	char word[600];
	memset(word, 'x', sizeof(word) - 1);
	word[0] = word[1] = '-';
	word[sizeof(word) - 1] = '\0';
	WALK(RUN, word);
	r = options_next(&options, &option, &err);
	EQ(r, -(int)ERR_INVALID);
	EQ(strlen(err.subject), 102);
}

static void test_options_missing_value_is_refused(void)
{
	char word[] = "--level";
	WALK(RUN, word);
	r = options_next(&options, &option, &err);
	ERR(r, &err, ERR_INVALID, "--level");
	STR_EQ(err.remedy, "write --level LEVEL");
}

static void test_options_value_of_a_switch_is_refused(void)
{
	char word[] = "--tty=";
	WALK(RUN, word);
	r = options_next(&options, &option, &err);
	ERR(r, &err, ERR_INVALID, "--tty");
	STR_EQ(err.message, "takes no value, and got ''");
}

static void test_options_of_one_command_are_none_of_another(void)
{
	char word[] = "--follow";
	WALK(PS, word);
	r = options_next(&options, &option, &err);
	ERR(r, &err, ERR_INVALID, "--follow");
}

/* Two options of one command that share a name or letter would hide each other. */
static void test_options_tables_hold_nothing_twice(void)
{
	for (unsigned command = 0; command <= COMMAND_NONE; command++) {
		size_t n_rows;
		const struct option_row *rows = option_rows((enum command_id)command, &n_rows);
		for (size_t i = 0; i < n_rows; i++) {
			OK(find_by_name((enum command_id)command, rows[i].name,
					strlen(rows[i].name)) == &rows[i]);
			if (rows[i].letter)
				OK(find_by_letter((enum command_id)command, rows[i].letter) ==
				   &rows[i]);
			for (size_t j = 0; j < n_global_option_rows; j++) {
				OK(strcmp(rows[i].name, global_option_rows[j].name) != 0);
				OK(!rows[i].letter ||
				   rows[i].letter != global_option_rows[j].letter);
			}
		}
	}
}

/* Text that fills its array to the last byte has lost its NUL. */
static void test_options_texts_fit_their_rows(void)
{
	for (unsigned command = 0; command <= COMMAND_NONE; command++) {
		size_t n_rows;
		const struct option_row *rows = option_rows((enum command_id)command, &n_rows);
		for (size_t i = 0; i < n_rows; i++) {
			EQ(rows[i].name[sizeof(rows[i].name) - 1], '\0');
			EQ(rows[i].argument[sizeof(rows[i].argument) - 1], '\0');
			EQ(rows[i].choices[sizeof(rows[i].choices) - 1], '\0');
			EQ(rows[i].field[sizeof(rows[i].field) - 1], '\0');
			EQ(rows[i].help[sizeof(rows[i].help) - 1], '\0');
		}
	}
	for (unsigned id = 0; id < N_COMMANDS; id++) {
		EQ(command_rows[id].word[sizeof(command_rows[id].word) - 1], '\0');
		EQ(command_rows[id].sibling[sizeof(command_rows[id].sibling) - 1], '\0');
		EQ(command_rows[id].operands[sizeof(command_rows[id].operands) - 1], '\0');
		EQ(command_rows[id].summary[sizeof(command_rows[id].summary) - 1], '\0');
	}
}

/* What an option sets is a field of the policy's own table. */
static void test_options_fields_are_fields_of_a_policy(void)
{
	size_t n_rows;
	const struct option_row *rows = option_rows(COMMAND_RUN, &n_rows);
	for (size_t i = 0; i < n_rows; i++) {
		size_t len = strlen(rows[i].field);
		if (len == 0 || rows[i].field[len - 1] == '.')
			continue;
		OK(policy_field_find(rows[i].field, len) != NULL);
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
	RUN(test_options_long_names_take_the_next_word_or_what_follows_the_sign);
	RUN(test_options_letters_can_share_a_word);
	RUN(test_options_value_may_look_like_an_option);
	RUN(test_options_end_at_the_first_operand_or_a_lone_dash);
	RUN(test_options_empty_value_is_a_value);
	RUN(test_options_unknown_name_is_refused_with_the_nearest);
	RUN(test_options_field_of_a_policy_is_no_option);
	RUN(test_options_abbreviation_is_refused);
	RUN(test_options_very_long_name_is_refused);
	RUN(test_options_missing_value_is_refused);
	RUN(test_options_value_of_a_switch_is_refused);
	RUN(test_options_of_one_command_are_none_of_another);
	RUN(test_options_tables_hold_nothing_twice);
	RUN(test_options_texts_fit_their_rows);
	RUN(test_options_fields_are_fields_of_a_policy);
	RUN(test_command_nearest_is_near);
	return tap_done();
}
