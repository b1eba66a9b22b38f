/* SPDX-License-Identifier: Apache-2.0 */
/* errors.h - failures on their way from one program of foso to another */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

#define ERRORS_MAX_BYTES (64 * 1024)

/* errors_encode() - origins are not sent. */
void errors_encode(const struct error_list *list, struct buf *out);

/* errors_decode() - hostile bytes; false leaves *ret empty. */
bool errors_decode(struct error_list *ret, const void *bytes, size_t len) must_check;
