/* SPDX-License-Identifier: Apache-2.0 */
/* types.c - the types of policy fields */
#include "policy/types.h"

#include <stddef.h>

#include "base/macros.h"
#include "policy/policy.h"

#define WORD_ROW(value, word, levels, remedy)   { value, word, levels },
#define WORD_REMEDY(value_, word, levels, text) { value_, text },

/* Words and remedies lie apart: a check needs the words at every start, a remedy hardly ever. */
#define WORD_TABLE(type)                                                                      \
	static const struct policy_word type##_words[] = { POLICY_##type##_WORDS(WORD_ROW) }; \
	static const struct word_remedy type##_remedies[] = { POLICY_##type##_WORDS(WORD_REMEDY) }

struct word_remedy {
	unsigned value;
	const char *text;
};

WORD_TABLE(LEVEL);
WORD_TABLE(BACKGROUND);
WORD_TABLE(EXPIRY);
WORD_TABLE(PROFILE);
WORD_TABLE(WORKSPACE_ACCESS);
WORD_TABLE(REDACT_AS);
WORD_TABLE(SHOW_SECRETS);
WORD_TABLE(MOUNT_ACCESS);
WORD_TABLE(RUNTIME);
WORD_TABLE(ROOT);

enum policy_storage policy_type_storage(enum policy_type type)
{
	static const uint8_t storages[POLICY_N_TYPES] = {
#define TYPE_STORAGE(id, word, storage, forms) [POLICY_TYPE_##id] = POLICY_STORAGE_##storage,
		POLICY_TYPES(TYPE_STORAGE)
#undef TYPE_STORAGE
	};
	assert(type < POLICY_N_TYPES);
	return (enum policy_storage)storages[type];
}

const char *policy_type_word(enum policy_type type)
{
	static const char *const words[POLICY_N_TYPES] = {
#define TYPE_WORD(id, word, storage, forms) [POLICY_TYPE_##id] = word,
		POLICY_TYPES(TYPE_WORD)
#undef TYPE_WORD
	};
	assert(type < POLICY_N_TYPES);
	return words[type];
}

const char *policy_type_forms(enum policy_type type)
{
	static const char *const forms_of[POLICY_N_TYPES] = {
#define TYPE_FORMS(id, word, storage, forms) [POLICY_TYPE_##id] = forms,
		POLICY_TYPES(TYPE_FORMS)
#undef TYPE_FORMS
	};
	assert(type < POLICY_N_TYPES);
	return forms_of[type];
}

/* The tables of @type; the caller needs one of the two. */
static unsigned find_tables(enum policy_type type, const struct policy_word **ret_words,
			    const struct word_remedy **ret_remedies)
{
#define TABLES_OF(name)                          \
	if (type == POLICY_TYPE_##name) {        \
		*ret_words = name##_words;       \
		*ret_remedies = name##_remedies; \
		return ARRAY_LEN(name##_words);  \
	}
	TABLES_OF(LEVEL)
	TABLES_OF(BACKGROUND)
	TABLES_OF(EXPIRY)
	TABLES_OF(PROFILE)
	TABLES_OF(WORKSPACE_ACCESS)
	TABLES_OF(REDACT_AS)
	TABLES_OF(SHOW_SECRETS)
	TABLES_OF(MOUNT_ACCESS)
	TABLES_OF(RUNTIME)
	TABLES_OF(ROOT)
#undef TABLES_OF
	*ret_words = NULL;
	*ret_remedies = NULL;
	return 0;
}

const struct policy_word *policy_type_words(enum policy_type type, unsigned *ret_n_words)
{
	const struct policy_word *words;
	const struct word_remedy *remedies;
	*ret_n_words = find_tables(type, &words, &remedies);
	return words;
}

const char *policy_word_remedy(enum policy_type type, unsigned value)
{
	const struct policy_word *words;
	const struct word_remedy *remedies;
	unsigned n_words = find_tables(type, &words, &remedies);
	for (unsigned i = 0; i < n_words; i++)
		if (remedies[i].value == value)
			return remedies[i].text;
	return "";
}
