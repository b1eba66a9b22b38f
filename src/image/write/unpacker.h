/* SPDX-License-Identifier: Apache-2.0 */
/* unpacker.h - what is asked of foso-unpack, and its answers checked */
#pragma once

#include "image/answer.h"
#include "image/write/blob.h"

struct unpack_limits {
	uint64_t max_entries, max_bytes; /* of one image */
	uint64_t max_ratio;              /* unpacked to packed, once UNPACK_FREE_BYTES are out */
	uint64_t deadline_ns;            /* of the monotonic clock */
};

/* So much may come of anything: small files pack well. */
#define UNPACK_FREE_BYTES (UINT64_C(64) << 20)

struct unpack_reply {
	struct image_answer answer; /* points into bytes */
	struct buf bytes;
};

void unpack_reply_fini(struct unpack_reply *reply); /* may be called twice and on zeroed memory */

/*
 * unpack_ask() - one question about the bytes of @input_fd (rewound first)
 * @words:  "config", or "archive", "auto"
 * @where:  what a fault is about
 *
 * A fault is an error.  On failure @ret needs no unpack_reply_fini().
 */
int unpack_ask(const char *const *words, int input_fd, enum image_answer_kind kind,
	       uint64_t deadline_ns, const char *where, struct unpack_reply *ret, struct error *err)
	must_check;

/*
 * unpack_inflate() - the plain bytes of @input_fd to @output_fd, hashed and counted
 * @limits:  max_bytes and max_ratio are held here, by who trusts nobody
 */
int unpack_inflate(int input_fd, enum image_compression compression, int output_fd,
		   const struct unpack_limits *limits, const char *where,
		   uint8_t ret_digest[DIGEST_BYTES], struct error *err) must_check;
