/* SPDX-License-Identifier: Apache-2.0 */
/* policy_set_fuzz.c - lines of NAME=TEXT: whatever is taken makes a policy that holds */
#include <stdint.h>
#include <stdlib.h>

#include "support/policy_property.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void set_line(struct policy *policy, char *line)
{
	struct error_list errors = { .n_errors = 0 };
	char *text = strchr(line, '=');
	if (!text)
		return;
	*text++ = '\0';
	if (policy_set(policy, line, text, error_list_next(&errors)) != 0) {
		/* The name that could not be set is the subject, even if it is empty. */
		assert(errors.items[0].message[0] != '\0' && errors.items[0].remedy[0] != '\0');
		assert(strncmp(errors.items[0].subject, line, 127) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct policy policy;
	struct error err = { .code = ERR_NONE };
	char *copy = size > 64 * 1024 ? NULL : malloc(size + 1);
	if (!copy)
		return 0;
	memcpy(copy, data, size);
	copy[size] = '\0';
	assert(policy_init(&policy, &err) == 0);
	for (char *line = copy, *next; line; line = next) {
		next = strchr(line, '\n');
		if (next)
			*next++ = '\0';
		set_line(&policy, line);
	}
	assert_policy_holds(&policy);
	policy_fini(&policy);
	free(copy);
	return 0;
}
