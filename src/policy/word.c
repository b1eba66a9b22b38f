/* SPDX-License-Identifier: Apache-2.0 */
/* word.c - words and truth values of a policy, and the accepted forms in remedies */
#include <stdarg.h>
#include <string.h>

#include "policy/value.h"

int policy_no_memory(const char *subject, struct error *err)
{
	int result = error_set(err, ERR_SYSTEM, 0, subject, "out of memory");
	return error_remedy(err, result, "free memory, or raise the limit foso itself runs under");
}

/* "process, kernel or wasm" */
static void list_words(enum policy_type type, char *text, size_t size)
{
	unsigned n_words;
	const struct policy_word *words = policy_type_words(type, &n_words);
	size_t used = 0;
	text[0] = '\0';
	for (unsigned i = 0; i < n_words && used < size; i++) {
		const char *link = i == 0 ? "" : i + 1 == n_words ? " or " : ", ";
		int len = snprintf(text + used, size - used, "%s%s", link, words[i].word);
		used += len > 0 ? (size_t)len : 0;
	}
}

int policy_forms_remedy(const struct policy_field *field, struct error *err, int result)
{
	enum policy_type type = (enum policy_type)field->type;
	char words[96], least[POLICY_NUMBER_TEXT_BYTES], greatest[POLICY_NUMBER_TEXT_BYTES];
	switch (policy_type_storage(type)) {
	case POLICY_STORAGE_ENUM:
		list_words(type, words, sizeof(words));
		return error_remedy(err, result, "write %s", words);
	case POLICY_STORAGE_NUMBER:
		policy_number_format(type, field->min, least);
		policy_number_format(type, field->max, greatest);
		return error_remedy(err, result, "write %s, from %s to %s%s",
				    policy_type_forms(type), least, greatest,
				    field->flags & POLICY_FIELD_OPTIONAL ? ", or none" : "");
	case POLICY_STORAGE_NONE:
	case POLICY_STORAGE_BOOL:
	case POLICY_STORAGE_STRING:
	case POLICY_STORAGE_ROOT:
	case POLICY_STORAGE_NETWORK:
	case POLICY_STORAGE_LIST:
	case POLICY_STORAGE_ENV:
	case POLICY_STORAGE_ITEMS:
		break;
	}
	return error_remedy(err, result, "write %s", policy_type_forms(type));
}

int policy_value_refuse(const struct policy_field *field, struct error *err, const char *subject,
			const char *format, ...)
{
	char message[sizeof(err->message)];
	va_list args;
	va_start(args, format);
	(void)vsnprintf(message, sizeof(message), format, args);
	va_end(args);
	return policy_forms_remedy(field, err,
				   error_set(err, ERR_INVALID, 0, subject, "%s", message));
}

const struct policy_word *policy_word_get(enum policy_type type, unsigned value)
{
	unsigned n_words;
	const struct policy_word *words = policy_type_words(type, &n_words);
	for (unsigned i = 0; i < n_words; i++)
		if (words[i].value == value)
			return &words[i];
	return NULL;
}

const struct policy_word *policy_word_find(enum policy_type type, const char *text, size_t len)
{
	unsigned n_words;
	const struct policy_word *words = policy_type_words(type, &n_words);
	for (unsigned i = 0; i < n_words; i++)
		if (strlen(words[i].word) == len && memcmp(words[i].word, text, len) == 0)
			return &words[i];
	return NULL;
}

int policy_word_parse(const struct policy_field *field, const char *subject, const char *text,
		      unsigned *ret_value, struct error *err)
{
	const struct policy_word *word =
		policy_word_find((enum policy_type)field->type, text, strlen(text));
	if (!word)
		return policy_value_refuse(field, err, subject, "'%.60s' is not one of its words",
					   text);
	*ret_value = word->value;
	return 0;
}

int policy_bool_parse(const struct policy_field *field, const char *subject, const char *text,
		      bool *ret_value, struct error *err)
{
	static const char yes[][6] = { "true", "yes", "on" }, no[][6] = { "false", "no", "off" };
	for (size_t i = 0; i < ARRAY_LEN(yes); i++) {
		if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
			*ret_value = strcmp(text, yes[i]) == 0;
			return 0;
		}
	}
	return policy_value_refuse(field, err, subject, "'%.60s' is neither true nor false", text);
}
