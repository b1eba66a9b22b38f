/* SPDX-License-Identifier: Apache-2.0 */
/* policy_property.h - what holds for every policy, however it came to be; asserts */
#pragma once

#include <assert.h>
#include <string.h>

#include "policy/policy.h"

static inline void assert_errors_are_whole(const struct error_list *errors)
{
	for (size_t i = 0; i < errors->n_errors; i++) {
		assert(errors->items[i].code != ERR_NONE);
		assert(errors->items[i].subject[0] != '\0');
		assert(errors->items[i].message[0] != '\0');
		assert(errors->items[i].remedy[0] != '\0');
	}
}

/*
 * A policy that policy_set() or policy_decode() gave goes through the wire unchanged, has a
 * canonical form, and is checked at every level without a word missing.
 */
static inline void assert_policy_holds(const struct policy *policy)
{
	static struct error_list errors;
	struct policy copy;
	struct error err = { .code = ERR_NONE };
	struct buf first = BUF_INIT(POLICY_MAX_ENCODED_BYTES), second = first;
	for (unsigned level = 0; level < POLICY_N_LEVELS; level++) {
		memset(&errors, 0, sizeof(errors));
		int result = policy_check(policy, (enum policy_level)level, &errors);
		assert((result == 0) == (errors.n_errors == 0));
		assert_errors_are_whole(&errors);
	}
	policy_encode(policy, &first);
	assert(buf_is_whole(&first));
	assert(policy_decode(&copy, first.data, first.len, &err) == 0);
	policy_encode(&copy, &second);
	assert(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	buf_clear(&first);
	buf_clear(&second);
	first.max_bytes = second.max_bytes = 64 * 1024 * 1024;
	policy_canonical(policy, &first);
	policy_canonical(&copy, &second);
	assert(buf_is_whole(&first) && buf_is_whole(&second));
	assert(first.len == second.len && memcmp(first.data, second.data, first.len) == 0);
	buf_fini(&first);
	buf_fini(&second);
	policy_fini(&copy);
}
