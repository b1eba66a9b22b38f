/* SPDX-License-Identifier: Apache-2.0 */
/* end.c - how a command ended */
#include "wire/end.h"

#include <stddef.h>

static const struct {
	const char *word;
	int exit_status;
} reasons[END_N_REASONS] = {
#define END_REASON_ROW(name, word_, exit_, meaning) [END_##name] = { word_, exit_ },
	END_REASONS(END_REASON_ROW)
#undef END_REASON_ROW
};

const char *end_reason_word(enum end_reason reason)
{
	return reason < END_N_REASONS ? reasons[reason].word : "unknown";
}

int end_exit_status(const struct end *end)
{
	if (end->reason < END_N_REASONS && reasons[end->reason].exit_status >= 0)
		return reasons[end->reason].exit_status;
	if (end->signal > 0)
		return 128 + end->signal;
	return end->code >= 0 ? end->code : 125;
}
