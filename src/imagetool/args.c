/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - the options of foso-image */
#include "imagetool/args.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/output.h"
#include "policy/value.h"

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_COUNT, OPTION_SIZE, OPTION_TIME };

static const struct option {
	const char *name, *value, *meaning;
	enum option_kind kind;
	size_t offset; /* of the member of struct args */
	unsigned commands;
} options[] = {
#define OPTION_ROW(name_, kind_, member_, value_, commands_, meaning_) \
	{ .name = (name_),                                             \
	  .value = (value_),                                           \
	  .meaning = (meaning_),                                       \
	  .kind = OPTION_##kind_,                                      \
	  .offset = offsetof(struct args, member_),                    \
	  .commands = (commands_) },
	IMAGE_OPTIONS(OPTION_ROW)
#undef OPTION_ROW
};

/* The option that @text names, with the value in it ("--name=base") or NULL. */
static const struct option *option_find(const struct command *command, const char *text,
					const char **ret_value)
{
	size_t len = strcspn(text, "=");
	*ret_value = text[len] == '=' ? text + len + 1 : NULL;
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		if ((options[i].commands & (unsigned)command->id) != 0 &&
		    strlen(options[i].name) == len && strncmp(options[i].name, text, len) == 0)
			return &options[i];
	}
	return NULL;
}

/* Numbers are read as the limits of a policy are, whose ranges fit: "16GiB", "30min". */
static int read_number(const struct option *option, const char *value, uint64_t *ret_value,
		       struct error *err)
{
	const struct policy_field *field = &policy_fields[POLICY_FIELD_LIMITS_DISK_INODES];
	if (option->kind == OPTION_SIZE)
		field = &policy_fields[POLICY_FIELD_LIMITS_DISK];
	else if (option->kind == OPTION_TIME)
		field = &policy_fields[POLICY_FIELD_LIMITS_WALL];
	int r = policy_number_parse(field, option->name, value, ret_value, err);
	return r < 0 ? r : policy_number_check(field, option->name, *ret_value, err);
}

static int option_set(struct args *args, const struct option *option, const char *value,
		      struct error *err)
{
	char *member = (char *)args + option->offset;
	if (option->kind == OPTION_FLAG && value) {
		int r = error_set(err, ERR_INVALID, 0, option->name, "takes no value");
		return error_remedy(err, r, "write %s alone", option->name);
	}
	if (option->kind != OPTION_FLAG && (!value || !value[0])) {
		int r = error_set(err, ERR_INVALID, 0, option->name, "has no value");
		return error_remedy(err, r, "write %s %s", option->name, option->value);
	}
	if (option->kind == OPTION_FLAG) {
		*(bool *)(void *)member = true;
		return 0;
	}
	if (option->kind != OPTION_TEXT)
		return read_number(option, value, (uint64_t *)(void *)member, err);
	const char **text = (const char **)(void *)member;
	if (*text) {
		int r = error_set(err, ERR_INVALID, 0, option->name, "is given twice");
		return error_remedy(err, r, "give it once");
	}
	*text = value;
	return 0;
}

static int add_positional(struct args *args, const struct command *command, const char *text,
			  struct error *err)
{
	if (args->n_positional == command->n_positional_max) {
		int r = error_set(err, ERR_INVALID, 0, text, "is one argument too many");
		return error_remedy(err, r, "write foso image %s %s", command->name,
				    command->synopsis);
	}
	args->positional[args->n_positional++] = text;
	return 0;
}

static int add_word(struct args *args, const struct command *command, char *const **argv,
		    struct error *err)
{
	const char *value, *word = **argv;
	const struct option *option = option_find(command, word, &value);
	if (!option) {
		int r = error_set(err, ERR_INVALID, 0, word, "is not an option of foso image %s",
				  command->name);
		return error_remedy(err, r, "foso image %s --help lists them", command->name);
	}
	if (option->kind != OPTION_FLAG && !value && (*argv)[1])
		value = *++*argv;
	return option_set(args, option, value, err);
}

int args_parse(struct args *ret, const struct command *command, char *const *argv,
	       struct error *err)
{
	bool may_be_option = true;
	int r = 0;
	*ret = (struct args){ .max_bytes = UINT64_C(16) << 30,
			      .max_entries = 1000000,
			      .max_ratio = 200,
			      .max_time_ns = UINT64_C(1800000) * POLICY_MSEC };
	for (; r == 0 && *argv; argv++) {
		if (may_be_option && strcmp(*argv, "--") == 0) {
			may_be_option = false;
		} else if (may_be_option &&
			   (strcmp(*argv, "--help") == 0 || strcmp(*argv, "-h") == 0)) {
			ret->is_help = true;
			return 0;
		} else if (may_be_option && argv[0][0] == '-' && argv[0][1] != '\0') {
			r = add_word(ret, command, &argv, err);
		} else {
			r = add_positional(ret, command, *argv, err);
		}
	}
	if (r == 0 && ret->n_positional < command->n_positional_min) {
		r = error_set(err, ERR_INVALID, 0, command->name, "lacks an argument");
		return error_remedy(err, r, "write foso image %s %s", command->name,
				    command->synopsis);
	}
	return r;
}

#define MAX_HELP_BYTES 4096
#define HELP_COLUMN    26

static void print_option(const char *name, const char *value, const char *meaning)
{
	auto_buf struct buf help = BUF_INIT(MAX_HELP_BYTES);
	char text[HELP_COLUMN];
	(void)snprintf(text, sizeof(text), "%s%s%s", name, value[0] ? " " : "", value);
	printf("  %-*s ", HELP_COLUMN - 3, text);
	output_wrap(&help, meaning, HELP_COLUMN);
	(void)fputs(buf_string(&help), stdout);
}

void args_print_help(const struct command *command)
{
	printf("usage: foso image %s %s\n\n%s\n\nOptions:\n", command->name, command->synopsis,
	       command->meaning);
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		if ((options[i].commands & (unsigned)command->id) != 0)
			print_option(options[i].name, options[i].value, options[i].meaning);
	}
	print_option("-h, --help", "", "say what the command does, and its options");
}

void args_print_scdoc(const struct command *command)
{
	/* Brackets and dots are nothing special there; emphasis would be. */
	printf("*foso image %s* %s\n\n%s\n\n", command->name, command->synopsis, command->meaning);
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		if ((options[i].commands & (unsigned)command->id) == 0)
			continue;
		printf("*%s*%s%s%s\n\t", options[i].name, options[i].value[0] ? " _" : "",
		       options[i].value, options[i].value[0] ? "_" : "");
		for (const char *at = options[i].meaning; *at; at++)
			printf("%s%c", *at == '_' ? "\\" : "", *at);
		printf("\n\n");
	}
}
