/* SPDX-License-Identifier: Apache-2.0 */
/* policy.h - policies for tests, from pairs of name and text */
#pragma once

#include <stdlib.h>

#include "policy/policy.h"
#include "support/tap.h"

/* policy_make() - defaults, then each pair; the list ends with NULL.  Ends the test on failure. */
static inline void policy_make(struct policy *policy, const char *const *pairs)
{
	struct error err = { 0 };
	char text[1024];
	int result = policy_init(policy, &err);
	for (; result == 0 && *pairs; pairs += 2)
		result = policy_set(policy, pairs[0], pairs[1], &err);
	if (result != 0) {
		error_format(&err, text, sizeof(text));
		printf("Bail out! %s\n", text);
		exit(1);
	}
}
