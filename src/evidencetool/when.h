/* SPDX-License-Identifier: Apache-2.0 */
/* when.h - moments as users write them */
#pragma once

#include <stdint.h>

#include "base/error.h"

/*
 * when_parse() - as nanoseconds since 1970
 * @now_ns:  what "15m" is counted back from
 *
 * 2026-11-29, 2026-11-29T08:00:00[.123]Z, both UTC; or N and one of s m h d: so long ago.
 * -ERR_INVALID with @subject otherwise.
 */
int when_parse(const char *text, uint64_t now_ns, const char *subject, uint64_t *ret_ns,
	       struct error *err) must_check;
