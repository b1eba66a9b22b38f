/* SPDX-License-Identifier: Apache-2.0 */
/* sink.h - bytes that are digested, and written if there is where to */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/digest.h"
#include "base/error.h"
#include "image/write/hash.h"

struct sink {
	int fd; /* borrowed; -1: they are only digested */
	struct hash hash;
	uint64_t n_bytes;   /* so far */
	uint64_t max_bytes; /* -ERR_LIMIT beyond */
	const char *name;   /* what an error calls it; borrowed */
	const char *remedy; /* what to do at max_bytes */
	bool is_gone;       /* nobody reads any more: what ended early says why */
};

int sink_init(struct sink *sink, int fd, const char *name, struct error *err) must_check;
void sink_fini(struct sink *sink);

/*
 * sink_put() - @digested is what is digested in the place of @bytes, of the same length; NULL: they
 *
 * Returns 0; -ERR_UNAVAILABLE if nobody reads (is_gone is set); -ERR_LIMIT; -ERR_SYSTEM.
 */
int sink_put(struct sink *sink, const void *bytes, const void *digested, size_t len,
	     struct error *err) must_check;

/* sink_copy() - @size bytes of @fd; -ERR_UNAVAILABLE, subject @path, if it became shorter. */
int sink_copy(struct sink *sink, int fd, uint64_t size, const char *path, struct error *err)
	must_check;

void sink_digest(struct sink *sink, uint8_t ret_digest[DIGEST_BYTES]);
