/* SPDX-License-Identifier: Apache-2.0 */
/* The walk over a command line by a table, and what is printed of the table. */
#include <string.h>

#include "base/cleanup.h"
#include "options/options.h"
#include "support/tap.h"

/* clang-format off */
#define RUN_OPTIONS(OPTION)                                                    \
	OPTION(LEVEL,  "level",  'L',  "LEVEL",             "", "", "the level") \
	OPTION(ROOT,   "root",   'r',  "ROOT",              "", "", "the root")  \
	OPTION(VOLUME, "volume", 'v',  "HOST:GUEST",        "", "", "a mount")   \
	OPTION(ENV,    "env",    'e',  "NAME[=VALUE]",      "", "", "a variable") \
	OPTION(LIMIT,  "limit",  'l',  "NAME=VALUE",        "", "", "a limit")   \
	OPTION(SET,    "set",    's',  "FIELD=VALUE",       "", "", "any field") \
	OPTION(TTY,    "tty",    't',  "",                  "", "", "a terminal") \
	OPTION(QUIET,  "quiet",  'q',  "",                  "", "", "no words")
/* clang-format on */

enum {
	OPTION_HELP,
	OPTION_JSON,
	OPTION_LEVEL,
	OPTION_ROOT,
	OPTION_VOLUME,
	OPTION_ENV,
	OPTION_LIMIT,
	OPTION_SET,
	OPTION_TTY,
	OPTION_QUIET,
};

static const struct option_row common_rows[] = { OPTION_ROW(HELP, "help", 'h', "", "", "",
							    "say what it does") };
static const struct option_row run_rows[] = { RUN_OPTIONS(OPTION_ROW) };
static const struct option_row ps_rows[] = { OPTION_ROW(JSON, "json", 'j', "", "", "", "JSON") };

#define TABLE(rows) OPTION_TABLE_OF(rows)

static bool is_settable(const char *name, size_t len)
{
	return len == strlen("limits.memory") && strcmp(name, "limits.memory") == 0;
}

#define WALK(command_, ...)                      \
	char *words[] = { __VA_ARGS__, NULL };   \
	struct options options = {               \
		.command = "foso " #command_,    \
		.own = TABLE(command_##_rows),   \
		.common = TABLE(common_rows),    \
		.is_settable = is_settable,      \
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
	WALK(run, level, process, root, cmd);
	NEXT(LEVEL, "process", "--level");
	NEXT(ROOT, "dir:/a=b", "--root");
	END(3);
	END(3);
}

static void test_options_letters_can_share_a_word(void)
{
	char both[] = "-tq", volume[] = "-v/a:/b", limit[] = "-l", memory[] = "memory=1GiB";
	WALK(run, both, volume, limit, memory);
	NEXT(TTY, "", "-t");
	NEXT(QUIET, "", "-q");
	NEXT(VOLUME, "/a:/b", "-v");
	NEXT(LIMIT, "memory=1GiB", "-l");
	END(4);
}

static void test_options_value_may_look_like_an_option(void)
{
	char set[] = "--set", value[] = "--level", dashes[] = "--", option_inside[] = "--level";
	WALK(run, set, value, dashes, option_inside);
	NEXT(SET, "--level", "--set");
	END(3);
}

static void test_options_end_at_the_first_operand_or_a_lone_dash(void)
{
	char dash[] = "-", level[] = "--level";
	WALK(run, dash, level);
	END(0);
}

static void test_options_empty_value_is_a_value(void)
{
	char level[] = "--level=", env[] = "--env", empty[] = "";
	WALK(run, level, env, empty);
	NEXT(LEVEL, "", "--level");
	NEXT(ENV, "", "--env");
	END(3);
}

static void test_options_unknown_name_is_refused_with_the_nearest(void)
{
	char word[] = "--levle=process";
	WALK(run, word);
	r = options_next(&options, &option, &err);
	ERR(r, &err, ERR_INVALID, "--levle");
	STR_EQ(err.message, "not an option of foso run");
	STR_EQ(err.remedy, "write --level (foso run --help lists all)");
}

static void test_options_field_of_a_policy_is_no_option(void)
{
	char word[] = "--limits.memory";
	WALK(run, word);
	r = options_next(&options, &option, &err);
	ERR(r, &err, ERR_INVALID, "--limits.memory");
	STR_EQ(err.remedy, "write --set limits.memory=VALUE");
}

static void test_options_abbreviation_is_refused(void)
{
	char word[] = "--lev";
	WALK(run, word);
	r = options_next(&options, &option, &err);
	ERR(r, &err, ERR_INVALID, "--lev");
}

static void test_options_very_long_name_is_refused(void)
{
	char word[600];
	memset(word, 'x', sizeof(word) - 1);
	word[0] = word[1] = '-';
	word[sizeof(word) - 1] = '\0';
	WALK(run, word);
	r = options_next(&options, &option, &err);
	EQ(r, -(int)ERR_INVALID);
	EQ(strlen(err.subject), 102);
}

static void test_options_missing_value_is_refused(void)
{
	char word[] = "--level";
	WALK(run, word);
	r = options_next(&options, &option, &err);
	ERR(r, &err, ERR_INVALID, "--level");
	STR_EQ(err.remedy, "write --level LEVEL");
}

static void test_options_value_of_a_switch_is_refused(void)
{
	char word[] = "--tty=";
	WALK(run, word);
	r = options_next(&options, &option, &err);
	ERR(r, &err, ERR_INVALID, "--tty");
	STR_EQ(err.message, "takes no value, and got ''");
}

static void test_options_of_one_command_are_none_of_another(void)
{
	char word[] = "--follow";
	WALK(ps, word);
	r = options_next(&options, &option, &err);
	ERR(r, &err, ERR_INVALID, "--follow");
}

/* Options and operands in any order: the operands end up at the head, in their order. */
static void test_options_stand_between_operands_where_they_are_mixed(void)
{
	char a[] = "a", level[] = "--level=x", dash[] = "-", tty[] = "-t", b[] = "b";
	char end[] = "--", c[] = "--tty";
	WALK(run, a, level, dash, tty, b, end, c);
	options.is_mixed = true;
	NEXT(LEVEL, "x", "--level");
	NEXT(TTY, "", "-t");
	END(0);
	END(0);
	STR_EQ(options.words[0], "a");
	STR_EQ(options.words[1], "-");
	STR_EQ(options.words[2], "b");
	STR_EQ(options.words[3], "--tty");
	OK(options.words[4] == NULL);
}

static void test_options_without_words_end_at_once(void)
{
	char *words[] = { NULL };
	struct options options = { .command = "foso", .words = words, .is_mixed = true };
	struct option option;
	struct error err = { .code = ERR_NONE };
	EQ(options_next(&options, &option, &err), 1);
	EQ(options_operands(&options, 0, 0, "", &err), 0);
}

static void test_operands_are_counted(void)
{
	char a[] = "a", b[] = "b";
	WALK(run, a, b);
	END(0);
	EQ(options_operands(&options, 0, 2, "A [B]", &err), 0);
	EQ(options_operands(&options, 2, 5, "A [B]", &err), 0);
	r = options_operands(&options, 0, 1, "[A]", &err);
	ERR(r, &err, ERR_INVALID, "b");
	STR_EQ(err.message, "foso run takes no further operand");
	STR_EQ(err.remedy, "write foso run [A]");
	err = (struct error){ .code = ERR_NONE };
	r = options_operands(&options, 0, 0, "[OPTION]...", &err);
	ERR(r, &err, ERR_INVALID, "a");
	STR_EQ(err.message, "foso run takes no operand");
	err = (struct error){ .code = ERR_NONE };
	r = options_operands(&options, 3, 3, "A B C", &err);
	ERR(r, &err, ERR_INVALID, "foso run");
	STR_EQ(err.message, "lacks an operand");
}

static void test_option_once_is_not_given_twice(void)
{
	const char *level = NULL;
	char one[] = "--level=1", two[] = "-L2";
	WALK(run, one, two);
	NEXT(LEVEL, "1", "--level");
	EQ(option_once(&level, &option, &err), 0);
	NEXT(LEVEL, "2", "-L");
	r = option_once(&level, &option, &err);
	ERR(r, &err, ERR_INVALID, "-L");
	STR_EQ(err.message, "is given twice");
	STR_EQ(level, "1");
}

static void test_help_begins_anew_where_the_name_is_long(void)
{
	static const struct option_row rows[] = {
		{ .name = "all", .letter = 'a', .help = "everything" },
		{ .name = "workspace-folder", .argument = "PATH[:ro|rw]", .help = "which" },
	};
	struct option_table table = TABLE(rows);
	auto_buf struct buf out = BUF_INIT(4096);
	options_help(&out, &table);
	STR_EQ(buf_string(&out), "  -a, --all                   everything\n"
				 "      --workspace-folder PATH[:ro|rw]\n"
				 "                              which\n");
}

static void test_scdoc_takes_nothing_for_markup(void)
{
	static const struct option_row rows[] = {
		{ .name = "all", .letter = 'a', .argument = "A_B", .help = "*.c and <id>" },
	};
	struct option_table table = TABLE(rows);
	auto_buf struct buf out = BUF_INIT(4096);
	options_scdoc(&out, &table);
	STR_EQ(buf_string(&out), "*-a*, *--all* A\\_B\n\t\\*.c and \\<id>\n\n");
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
	RUN(test_options_stand_between_operands_where_they_are_mixed);
	RUN(test_options_without_words_end_at_once);
	RUN(test_operands_are_counted);
	RUN(test_option_once_is_not_given_twice);
	RUN(test_help_begins_anew_where_the_name_is_long);
	RUN(test_scdoc_takes_nothing_for_markup);
	return tap_done();
}
