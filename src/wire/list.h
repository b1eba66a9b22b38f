/* SPDX-License-Identifier: Apache-2.0 */
/* list.h - lists of strings in a message */
#pragma once

#include "policy/policy.h"
#include "wire/codec.h"

/* wire_put_list() - u32 count, then the strings. */
void wire_put_list(struct buf *out, const struct policy_list *list);

/*
 * wire_get_list() - into an empty list, at most @max; more, or no memory, breaks the reader
 *
 * The array ends with a NULL beyond n_items, as execve() wants it.  What was read up to the
 * break is in the list: wire_list_fini() in any case.
 */
void wire_get_list(struct wire_reader *reader, struct policy_list *list, uint32_t max);
void wire_list_fini(struct policy_list *list);
