/* SPDX-License-Identifier: Apache-2.0 */
/* policy_decode_fuzz.c - bytes that claim to be a policy: refused, or given back as they are */
#include <stdint.h>
#include <stdlib.h>

#include "support/policy_property.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct policy policy;
	struct error err = { .code = ERR_NONE };
	struct buf again = BUF_INIT(POLICY_MAX_ENCODED_BYTES);
	if (size > 64 * 1024)
		return 0;
	if (policy_decode(&policy, data, size, &err) != 0) {
		assert(err.code == ERR_PROTOCOL && policy.args.items == NULL);
		return 0;
	}
	policy_encode(&policy, &again);
	assert(again.len == size && memcmp(again.data, data, size) == 0);
	assert_policy_holds(&policy);
	buf_fini(&again);
	policy_fini(&policy);
	return 0;
}
