/* SPDX-License-Identifier: Apache-2.0 */
/* fields.c - the table of fields, for documents and other programs */
#include <ctype.h>
#include <string.h>

#include "policy/value.h"
#include "policytool/tool.h"

const char *field_help(enum policy_field_id id)
{
	switch (id) {
#define FIELD_HELP(id_, name, type, owner, member, initial, flags, min, max, levels, remedy, help) \
	case POLICY_FIELD_##id_:                                                                   \
		return help;
		POLICY_FIELDS(FIELD_HELP)
#undef FIELD_HELP
	case POLICY_N_FIELDS:
		break;
	}
	return "";
}

void field_range(const struct policy_field *field, char ret_text[FIELD_RANGE_BYTES])
{
	char least[POLICY_NUMBER_TEXT_BYTES], greatest[POLICY_NUMBER_TEXT_BYTES];
	enum policy_type type = (enum policy_type)field->type;
	bool is_optional = field->flags & POLICY_FIELD_OPTIONAL;
	ret_text[0] = '\0';
	if (policy_type_storage(type) != POLICY_STORAGE_NUMBER)
		return;
	policy_number_format(type, field->min, least);
	policy_number_format(type, field->max, greatest);
	(void)snprintf(ret_text, FIELD_RANGE_BYTES, "from %s to %s%s", least, greatest,
		       is_optional ? ", or none" : "");
}

/* What may be written: words of enum types, else the forms of the type. */
static void print_values(const struct policy_field *field)
{
	unsigned n_words;
	enum policy_type type = (enum policy_type)field->type;
	const struct policy_word *words = policy_type_words(type, &n_words);
	if (policy_type_storage(type) != POLICY_STORAGE_ENUM) {
		(void)printf("%s", policy_type_forms(type));
		return;
	}
	for (unsigned i = 0; i < n_words; i++)
		(void)printf("%s%s", i == 0 ? "" : i + 1 == n_words ? " or " : ", ", words[i].word);
}

static void print_row(const struct policy_field *field)
{
	char range[FIELD_RANGE_BYTES];
	field_range(field, range);
	(void)printf("%s\t%s\t%s\t%s\t%s\t", field->name,
		     policy_type_word((enum policy_type)field->type), field->initial, range,
		     field->levels);
	print_values(field);
	(void)printf("\t%s\n", field_help(policy_field_id(field)));
}

/* What scdoc takes for markup is taken for itself. */
static void print_escaped(const char *text)
{
	for (; *text; text++) {
		if (strchr("*_\\<~#[|", *text))
			(void)putchar('\\');
		(void)putchar(*text);
	}
}

/* "@lead process, kernel." for the levels that have @column; nothing if none has. */
static void print_levels(const char *lead, const char *levels, char column)
{
	bool is_first = true;
	for (unsigned level = POLICY_LEVEL_PROCESS; level < POLICY_N_LEVELS; level++) {
		if (levels[level - POLICY_LEVEL_PROCESS] != column)
			continue;
		(void)printf("%s%s", is_first ? lead : ", ",
			     policy_level_name((enum policy_level)level));
		is_first = false;
	}
	if (!is_first)
		(void)printf(".");
}

static void print_refusals(const char *levels)
{
	print_levels(" Refused in this version at level ", levels, 'l');
	print_levels(" Refused at level ", levels, 'n');
}

/* "One of a, b.", and at which levels a word is refused. */
static void print_words(enum policy_type type)
{
	unsigned n_words;
	const struct policy_word *words = policy_type_words(type, &n_words);
	bool is_enum = policy_type_storage(type) == POLICY_STORAGE_ENUM;
	for (unsigned i = 0; is_enum && i < n_words; i++)
		(void)printf("%s%s", i == 0 ? " One of " : ", ", words[i].word);
	if (is_enum)
		(void)printf(".");
	for (unsigned i = 0; i < n_words; i++) {
		if (strcmp(words[i].levels, "yyyy") == 0)
			continue;
		(void)printf("\n\n\t_%s_:", words[i].word);
		print_refusals(words[i].levels);
	}
}

static void print_man_entry(const struct policy_field *field)
{
	char range[FIELD_RANGE_BYTES];
	const char *help = field_help(policy_field_id(field));
	field_range(field, range);
	(void)printf("*");
	print_escaped(field->name);
	(void)printf("* (%s", policy_type_word((enum policy_type)field->type));
	if (field->initial[0]) {
		(void)printf(", default ");
		print_escaped(field->initial);
	}
	(void)printf(")\n\t%c", toupper((unsigned char)help[0]));
	print_escaped(help + 1);
	(void)printf(".");
	if (range[0])
		(void)printf(" A value %s.", range);
	print_refusals(field->levels);
	print_words((enum policy_type)field->type);
	(void)printf("\n\n");
}

int tool_fields(bool is_scdoc)
{
	if (!is_scdoc)
		(void)printf("# name\ttype\tdefault\trange\tlevels (process kernel microvm wasm; "
			     "y yes, l later, n no)\tvalues\thelp\n");
	for (size_t i = 0; i < POLICY_N_FIELDS; i++) {
		if (is_scdoc)
			print_man_entry(&policy_fields[i]);
		else
			print_row(&policy_fields[i]);
	}
	return fflush(stdout) == 0 ? 0 : TOOL_EXIT_REFUSED;
}
