/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp_table.c - the generated filters and names */
#include "confine/seccomp_table.h"

#include <errno.h>
#include <linux/audit.h>
#include <string.h>

#include "base/macros.h"
#include "confine/seccomp.h"
#include "seccomp_generated.h"

const struct sock_filter *seccomp_table_filter(enum seccomp_filter_id id,
					       size_t *ret_n_instructions)
{
	switch (id) {
	case SECCOMP_FILTER_STRICT:
		*ret_n_instructions = ARRAY_LEN(seccomp_strict);
		return seccomp_strict;
	case SECCOMP_FILTER_MONITOR:
		*ret_n_instructions = ARRAY_LEN(seccomp_monitor);
		return seccomp_monitor;
	case SECCOMP_FILTER_DEFAULT:
		break;
	}
	*ret_n_instructions = ARRAY_LEN(seccomp_default);
	return seccomp_default;
}

/* Rows are in order of their numbers; returns SECCOMP_N_CALLS if there is none. */
static size_t row_find(uint32_t number)
{
	size_t low = 0, high = SECCOMP_N_CALLS;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (seccomp_calls[middle].number < number)
			low = middle + 1;
		else
			high = middle;
	}
	return low < SECCOMP_N_CALLS && seccomp_calls[low].number == number ? low : SECCOMP_N_CALLS;
}

int seccomp_deny_errno(uint32_t audit_arch, uint32_t number)
{
	if (audit_arch != SECCOMP_AUDIT_ARCH)
		return ENOSYS;
	size_t row = row_find(number);
	return row < SECCOMP_N_CALLS && !seccomp_calls[row].is_gone ? EPERM : ENOSYS;
}

const char *seccomp_syscall_name(uint32_t audit_arch, uint32_t number)
{
	if (audit_arch != SECCOMP_AUDIT_ARCH)
		return NULL;
	size_t row = row_find(number);
	return row < SECCOMP_N_CALLS ? seccomp_names + seccomp_calls[row].name_offset : NULL;
}

int seccomp_syscall_number(const char *name)
{
	for (size_t i = 0; i < SECCOMP_N_CALLS; i++) {
		if (strcmp(seccomp_names + seccomp_calls[i].name_offset, name) == 0)
			return seccomp_calls[i].number;
	}
	return -1;
}
