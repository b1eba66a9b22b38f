/* SPDX-License-Identifier: Apache-2.0 */
/* args.c - the options of foso-evidence */
#include "evidencetool/args.h"

#include <string.h>

#include "base/cleanup.h"
#include "base/output.h"

enum option_kind { OPTION_FLAG, OPTION_TEXT, OPTION_KEYS };

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
	EVIDENCE_OPTIONS(OPTION_ROW)
#undef OPTION_ROW
};

/* The option that @text names, with the value in it ("--key=FILE", "-n20") or NULL. */
static const struct option *option_find(const struct command *command, const char *text,
					const char **ret_value)
{
	bool is_short = text[1] != '-';
	size_t len = is_short ? 2 : strcspn(text, "=");
	if (text[len] == '\0')
		*ret_value = NULL;
	else
		*ret_value = is_short ? text + len : text + len + 1;
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		if ((options[i].commands & (unsigned)command->id) != 0 &&
		    strlen(options[i].name) == len && strncmp(options[i].name, text, len) == 0)
			return &options[i];
	}
	return NULL;
}

static int refuse_unknown(const struct command *command, const char *text, struct error *err)
{
	int r = error_set(err, ERR_INVALID, 0, text, "is not an option of foso evidence %s",
			  command->name);
	return error_remedy(err, r, "foso evidence %s --help lists them", command->name);
}

static int set_text(const char **member, const struct option *option, const char *value,
		    struct error *err)
{
	if (*member) {
		int r = error_set(err, ERR_INVALID, 0, option->name, "is given twice");
		return error_remedy(err, r, "give it once");
	}
	*member = value;
	return 0;
}

static int add_key(struct args *args, const char *value, struct error *err)
{
	if (args->n_keys == ARGS_MAX_KEYS) {
		int r = error_set(err, ERR_LIMIT, 0, "--key", "is given more than %d times",
				  ARGS_MAX_KEYS);
		return error_remedy(err, r, "verify in several calls, each with --signed-from");
	}
	args->keys[args->n_keys++] = value;
	return 0;
}

static int option_set(struct args *args, const struct option *option, const char *value,
		      struct error *err)
{
	char *member = (char *)args + option->offset;
	if (option->kind == OPTION_FLAG && value) {
		int r = error_set(err, ERR_INVALID, 0, option->name, "takes no value");
		return error_remedy(err, r, "write %s alone", option->name);
	}
	if (option->kind != OPTION_FLAG && !value) {
		int r = error_set(err, ERR_INVALID, 0, option->name, "has no value");
		return error_remedy(err, r, "write %s %s", option->name, option->value);
	}
	switch (option->kind) {
	case OPTION_FLAG:
		*(bool *)(void *)member = true;
		return 0;
	case OPTION_KEYS:
		return add_key(args, value, err);
	case OPTION_TEXT:
	default:
		return set_text((const char **)(void *)member, option, value, err);
	}
}

static int add_positional(struct args *args, const struct command *command, const char *text,
			  struct error *err)
{
	if (args->n_positional == command->n_positional_max) {
		int r = error_set(err, ERR_INVALID, 0, text, "is one argument too many");
		return error_remedy(err, r, "write foso evidence %s %s", command->name,
				    command->synopsis);
	}
	args->positional[args->n_positional++] = text;
	return 0;
}

int args_parse(struct args *ret, const struct command *command, char *const *argv,
	       struct error *err)
{
	bool may_be_option = true;
	int r = 0;
	*ret = (struct args){ 0 };
	for (; r == 0 && *argv; argv++) {
		const char *value;
		if (!may_be_option || argv[0][0] != '-' || argv[0][1] == '\0') {
			r = add_positional(ret, command, *argv, err);
			continue;
		}
		if (strcmp(*argv, "--") == 0) {
			may_be_option = false;
			continue;
		}
		if (strcmp(*argv, "--help") == 0 || strcmp(*argv, "-h") == 0) {
			ret->is_help = true;
			return 0;
		}
		const struct option *option = option_find(command, *argv, &value);
		if (!option)
			return refuse_unknown(command, *argv, err);
		if (option->kind != OPTION_FLAG && !value && argv[1])
			value = *++argv;
		r = option_set(ret, option, value, err);
	}
	if (r == 0 && ret->n_positional < command->n_positional_min) {
		r = error_set(err, ERR_INVALID, 0, command->name, "lacks an argument");
		return error_remedy(err, r, "write foso evidence %s %s", command->name,
				    command->synopsis);
	}
	return r;
}

#define MAX_HELP_BYTES 4096
#define HELP_COLUMN    30

static void print_option(const char *name, const char *value, const char *meaning)
{
	auto_buf struct buf help = BUF_INIT(MAX_HELP_BYTES);
	char text[HELP_COLUMN];
	bool has_short = strncmp(name, "--", 2) != 0;
	(void)snprintf(text, sizeof(text), "%s%s%s%s", has_short ? "" : "    ", name,
		       value[0] ? " " : "", value);
	printf("  %-*s ", HELP_COLUMN - 3, text);
	output_wrap(&help, meaning, HELP_COLUMN);
	(void)fputs(buf_string(&help), stdout);
}

void args_print_help(const struct command *command)
{
	printf("usage: foso evidence %s %s\n\n%s\n\nOptions:\n", command->name, command->synopsis,
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
	printf("*foso evidence %s* %s\n\n%s\n\n", command->name, command->synopsis,
	       command->meaning);
	for (size_t i = 0; i < ARRAY_LEN(options); i++) {
		if ((options[i].commands & (unsigned)command->id) == 0)
			continue;
		printf("*%s*%s%s%s\n\t%s\n\n", options[i].name, options[i].value[0] ? " _" : "",
		       options[i].value, options[i].value[0] ? "_" : "", options[i].meaning);
	}
}
