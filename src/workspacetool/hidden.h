/* SPDX-License-Identifier: Apache-2.0 */
/* hidden.h - which paths of the workspace the sandbox did not see, looked up by path */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/error.h"

struct hidden {
	struct hidden_item {
		const char *path; /* borrowed from the entries */
		size_t len;
	} * items;
	size_t n_items;
};

/* hidden_init() - from changes_hidden_read(); @entries must outlive it. */
int hidden_init(struct hidden *hidden, const struct buf *entries, struct error *err) must_check;
void hidden_fini(struct hidden *hidden);

/* hidden_has() - whether this very path was redacted. */
bool hidden_has(const struct hidden *hidden, const char *path, size_t len);
