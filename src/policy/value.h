/* SPDX-License-Identifier: Apache-2.0 */
/*
 * value.h - single values of policy fields: from text, to text, and whether they are right
 *
 * Every function that can refuse returns 0 or -ERR_INVALID with @subject (the field as the user
 * wrote it), the value in the message and the accepted forms in the remedy.
 */
#pragma once

#include "policy/fields.h"

#define POLICY_NUMBER_TEXT_BYTES 32

/* policy_number_parse() - a SIZE, DURATION, COUNT or CPUS; "none" where the field is optional. */
int policy_number_parse(const struct policy_field *field, const char *subject, const char *text,
			uint64_t *ret_value, struct error *err) must_check;

/* policy_number_check() - range, and "none" only where the field is optional. */
int policy_number_check(const struct policy_field *field, const char *subject, uint64_t value,
			struct error *err) must_check;

/* policy_number_format() - the shortest text that reads back as @value: "512MiB", "90s", "none". */
void policy_number_format(enum policy_type type, uint64_t value,
			  char ret_text[POLICY_NUMBER_TEXT_BYTES]);

/* policy_word_parse() - a word of an enum type. */
int policy_word_parse(const struct policy_field *field, const char *subject, const char *text,
		      unsigned *ret_value, struct error *err) must_check;

/* policy_word_get() - the row of @value; NULL for a value that the type has no word for. */
const struct policy_word *policy_word_get(enum policy_type type, unsigned value);

/* policy_word_find() - the row of the word @text of @len bytes; NULL if the type has none such. */
const struct policy_word *policy_word_find(enum policy_type type, const char *text, size_t len);

int policy_bool_parse(const struct policy_field *field, const char *subject, const char *text,
		      bool *ret_value, struct error *err) must_check;

/* policy_string_check() - a string, or one item of a list, has the shape of @type. */
int policy_string_check(enum policy_type type, const char *subject, const char *text,
			struct error *err) must_check;

/*
 * policy_path_normalise() - drop "//", "/./" and a closing "/" from an absolute path, in place
 *
 * ".." stays and is refused by policy_string_check(): what it means depends on symbolic links.
 */
void policy_path_normalise(char *path);

/* policy_endpoint_check() - ENDPOINT_LIST, RANGE_LIST, HTTP_LIST, HOST_LIST: NULL, or what is
 * wrong. */
const char *policy_endpoint_check(enum policy_type type, const char *text);

/* policy_value_refuse() - -ERR_INVALID with the field's accepted forms as the remedy. */
int policy_value_refuse(const struct policy_field *field, struct error *err, const char *subject,
			const char *format, ...) printf_like(4, 5);

/* policy_forms_remedy() - fills the remedy with what @field accepts; returns @result. */
int policy_forms_remedy(const struct policy_field *field, struct error *err, int result);

/* policy_no_memory() - -ERR_SYSTEM for an allocation that failed. */
int policy_no_memory(const char *subject, struct error *err);
