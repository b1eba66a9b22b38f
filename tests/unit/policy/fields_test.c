/* SPDX-License-Identifier: Apache-2.0 */
#include "policy/fields.h"
#include "policy/value.h"
#include "support/tap.h"

static void test_fields_are_in_the_order_of_strcmp(void)
{
	for (size_t i = 1; i < POLICY_N_FIELDS; i++)
		if (strcmp(policy_fields[i - 1].name, policy_fields[i].name) >= 0)
			FAIL("%s is not before %s", policy_fields[i - 1].name,
			     policy_fields[i].name);
}

static void test_fields_are_found_by_name_and_by_nothing_else(void)
{
	for (size_t i = 0; i < POLICY_N_FIELDS; i++) {
		const char *name = policy_fields[i].name;
		OK(policy_field_find(name, strlen(name)) == &policy_fields[i]);
		OK(policy_field_find(name, strlen(name) - 1) != &policy_fields[i]);
	}
	OK(policy_field_find("", 0) == NULL);
	OK(policy_field_find("limits", 6) == NULL);
	OK(policy_field_find("limits.wall\0", 12) == NULL);
	OK(policy_field_is_group("limits", 6));
	OK(policy_field_is_group("network", 7));
	OK(!policy_field_is_group("limit", 5));
	OK(!policy_field_is_group("mounts", 6));
}

/* Every default is a value of its field, and every row that a level refuses says what to do. */
static void test_fields_columns_are_whole(void)
{
	for (size_t i = 0; i < POLICY_N_FIELDS; i++) {
		const struct policy_field *field = &policy_fields[i];
		enum policy_storage storage = policy_type_storage((enum policy_type)field->type);
		EQ(strlen(field->levels), 4);
		EQ(strspn(field->levels, "yln"), 4);
		bool is_refused = strcmp(field->levels, "yyyy") != 0 &&
				  field->owner == POLICY_OWNER_policy &&
				  !(field->flags & POLICY_FIELD_SHORTHAND);
		if (is_refused && policy_field_remedy(policy_field_id(field))[0] == '\0')
			FAIL("%s has no remedy", field->name);
		if (storage == POLICY_STORAGE_NUMBER) {
			uint64_t value;
			struct error err = { 0 };
			OK(field->min < field->max);
			EQ(policy_number_parse(field, field->name, field->initial, &value, &err),
			   0);
		}
	}
}

static void test_words_have_remedies_where_a_level_refuses_them(void)
{
	for (unsigned type = 0; type < POLICY_N_TYPES; type++) {
		unsigned n_words;
		const struct policy_word *words =
			policy_type_words((enum policy_type)type, &n_words);
		for (unsigned i = 0; i < n_words; i++) {
			bool is_refused = strcmp(words[i].levels, "yyyy") != 0;
			if (is_refused !=
			    (policy_word_remedy((enum policy_type)type, words[i].value)[0] != '\0'))
				FAIL("%s", words[i].word);
		}
	}
}

static void test_numbers_read_back_as_they_are_shown(void)
{
	for (size_t i = 0; i < POLICY_N_FIELDS; i++) {
		const struct policy_field *field = &policy_fields[i];
		enum policy_type type = (enum policy_type)field->type;
		if (policy_type_storage(type) != POLICY_STORAGE_NUMBER)
			continue;
		uint64_t grain = type == POLICY_TYPE_DURATION ? POLICY_MSEC : 1;
		uint64_t values[] = { field->min, field->max, field->max - grain,
				      field->min + grain, field->max / 3 / grain * grain + grain };
		for (size_t j = 0; j < ARRAY_LEN(values); j++) {
			char text[POLICY_NUMBER_TEXT_BYTES];
			uint64_t value = 0;
			struct error err = { 0 };
			policy_number_format(type, values[j], text);
			if (policy_number_parse(field, field->name, text, &value, &err) != 0 ||
			    value != values[j])
				FAIL("%s: %s is read as %llu, not %llu", field->name, text,
				     (unsigned long long)value, (unsigned long long)values[j]);
		}
	}
}

static void test_number_format_takes_the_shortest_unit(void)
{
	char text[POLICY_NUMBER_TEXT_BYTES];
	policy_number_format(POLICY_TYPE_SIZE, 64000000, text);
	STR_EQ(text, "64MB");
	policy_number_format(POLICY_TYPE_SIZE, 1536 << 20, text);
	STR_EQ(text, "1536MiB");
	policy_number_format(POLICY_TYPE_DURATION, UINT64_C(90000000000), text);
	STR_EQ(text, "90s");
	policy_number_format(POLICY_TYPE_CPUS, 1500, text);
	STR_EQ(text, "1.5");
	policy_number_format(POLICY_TYPE_CPUS, 10000, text);
	STR_EQ(text, "10");
	policy_number_format(POLICY_TYPE_COUNT, POLICY_UNLIMITED, text);
	STR_EQ(text, "none");
}

static void test_nearest_is_not_a_guess(void)
{
	STR_EQ(policy_field_nearest("limit"), "limits");
	STR_EQ(policy_field_nearest("Level"), "level");
	STR_EQ(policy_field_nearest("evidnece.path"), "evidence.path");
	STR_EQ(policy_field_nearest("sign"), "evidence.sign");
	OK(policy_field_nearest("zzz") == NULL);
	OK(policy_field_nearest("x") == NULL);
	OK(policy_field_nearest("a very long name that is nothing like any field at all") == NULL);
}

int main(void)
{
	RUN(test_fields_are_in_the_order_of_strcmp);
	RUN(test_fields_are_found_by_name_and_by_nothing_else);
	RUN(test_fields_columns_are_whole);
	RUN(test_words_have_remedies_where_a_level_refuses_them);
	RUN(test_numbers_read_back_as_they_are_shown);
	RUN(test_number_format_takes_the_shortest_unit);
	RUN(test_nearest_is_not_a_guess);
	return tap_done();
}
