/* SPDX-License-Identifier: Apache-2.0 */
/* runtimes.c - the table of runtimes.h as rows; text lies inside the row */
#include "policy/runtimes.h"

enum { FRESH = 0, WARM = 1 };

const struct policy_runtime_row policy_runtimes[POLICY_N_RUNTIMES] = {
#define RUNTIME_ROW(id, name_, version_, licence_, start, package, package_version, sha256, help_) \
	[POLICY_RUNTIME_##id] = {                                                                  \
		.name = name_,                                                                     \
		.version = version_,                                                               \
		.licence = licence_,                                                               \
		.help = help_,                                                                     \
		.is_warm = (start) == WARM,                                                        \
	},
	POLICY_RUNTIMES(RUNTIME_ROW)
#undef RUNTIME_ROW
};
