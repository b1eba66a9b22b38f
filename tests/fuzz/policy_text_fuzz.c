/* SPDX-License-Identifier: Apache-2.0 */
/* policy_text_fuzz.c - a document: refused in whole sentences, or a policy that holds */
#include <stdint.h>
#include <stdlib.h>

#include "policy/text/text.h"
#include "support/policy_property.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct error_list errors;
	struct policy policy;
	struct error err = { .code = ERR_NONE };
	struct policy_text text = POLICY_TEXT_INIT("policy.yaml");
	if (size > 64 * 1024)
		return 0;
	memset(&errors, 0, sizeof(errors));
	assert(policy_init(&policy, &err) == 0);
	int result = policy_text_parse(&text, (const char *)data, size, &policy, &errors);
	assert((result == 0) == (errors.n_errors == 0));
	assert_errors_are_whole(&errors);
	for (size_t i = 0; i < errors.n_errors; i++)
		assert(strncmp(errors.items[i].subject, "policy.yaml:", 12) == 0);
	/* A refused document has set some fields; those hold too. */
	assert_policy_holds(&policy);
	policy_text_fini(&text);
	policy_fini(&policy);
	return 0;
}
