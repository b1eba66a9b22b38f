/* SPDX-License-Identifier: Apache-2.0 */
/* names.h - the names in a folder, in the order of strcmp() */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/cleanup.h"
#include "base/error.h"

struct names {
	char **items; /* owned */
	size_t n_items;
};

/* names_read() - all but "." and ".."; -ERR_LIMIT, subject @path, if they are more than @max. */
int names_read(struct names *ret, int dir_fd, uint64_t max, const char *path, struct error *err)
	must_check;
void names_fini(struct names *names);

#define auto_names CLEANUP(names_fini)
