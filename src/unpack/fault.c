/* SPDX-License-Identifier: Apache-2.0 */
/* fault.c - what went wrong, as the answer will tell it */
#include <errno.h>

#include "unpack/unpack.h"

int fault_set(struct unpack_fault *fault, enum image_fault_id id, const char *name, uint64_t first,
	      uint64_t second)
{
	fault->id = id;
	fault->numbers[0] = first;
	fault->numbers[1] = second;
	(void)snprintf(fault->name, sizeof(fault->name), "%s", name);
	return -1;
}

int fault_system(struct unpack_fault *fault, int errnum, const char *name)
{
	return fault_set(fault, errnum == ENOMEM ? IMAGE_FAULT_MEMORY : IMAGE_FAULT_SYSTEM, name,
			 (uint64_t)errnum, 0);
}
