/* SPDX-License-Identifier: Apache-2.0 */
/* options_fuzz.c - a command line of any words: the walk ends, and each value lies in a word */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "cli/commands.c"
#include "cli/options.c"

#define MAX_WORDS 64

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(enum command_id command, bool is_mixed, char **words, size_t n_words)
{
	struct options options = options_begin(command, words);
	options.is_mixed = is_mixed;
	struct option option;
	struct error err = { .code = ERR_NONE };
	size_t n_options = 0, n_letters = 0;
	for (size_t i = 0; i < n_words; i++)
		n_letters += strlen(words[i]);
	int r;
	while ((r = options_next(&options, &option, &err)) == 0) {
		assert(option.row && option.value);
		assert(strnlen(option.spelling, sizeof(option.spelling)) < sizeof(option.spelling));
		assert(option.row->argument[0] != '\0' || option.value[0] == '\0');
		assert(++n_options <= n_letters);
	}
	assert(options.at <= n_words);
	assert(r == 1 || (r == -(int)ERR_INVALID && err.subject[0] && err.remedy[0]));
}

/* The first byte chooses the command and whether operands are mixed in; the rest is words. */
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *words[MAX_WORDS + 1];
	size_t n_words = 0;
	if (size < 2 || size > 64 * 1024)
		return 0;
	char *text = malloc(size);
	assert(text);
	memcpy(text, data + 1, size - 1);
	text[size - 1] = '\0';
	for (size_t at = 0; at < size && n_words < MAX_WORDS; at += strlen(text + at) + 1)
		words[n_words++] = text + at;
	words[n_words] = NULL;
	walk((enum command_id)(data[0] % (COMMAND_NONE + 1)), data[0] >= 128, words, n_words);
	free(text);
	return 0;
}
