/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pump.h - what foso-unpack inflates, counted, hashed and passed on
 *
 * Within src/image/write.  The one who inflates and the one who makes files never talk to each
 * other: every byte between them passes here.
 */
#pragma once

#include "image/write/hash.h"
#include "image/write/spawn.h"
#include "image/write/unpacker.h"

#define PUMP_PART_BYTES ((size_t)1024 * 1024)

/* A tar is larger than the files in it; these bytes of it are not counted as files. */
#define PUMP_BYTES_OF_ENTRY 4096

struct pump {
	struct child child;
	int fd; /* what it writes */
	struct hash hash;
	uint64_t n_packed, n_bytes;
	uint64_t n_free; /* for headers and padding, beyond limits->max_bytes */
};

int pump_start(int input_fd, enum image_compression compression, const char *where,
	       struct pump *ret, struct error *err) must_check;

/* pump_run() - until the end; 1 if @output_fd is no longer read.  -1 is no output. */
int pump_run(struct pump *pump, int output_fd, const struct unpack_limits *limits,
	     const char *where, struct error *err) must_check;

/* pump_finish() - what the one who inflates says, and the digest of what it wrote. */
int pump_finish(struct pump *pump, uint64_t deadline_ns, const char *where,
		uint8_t ret_digest[DIGEST_BYTES], struct error *err) must_check;

void pump_fini(struct pump *pump);

/* unpack_reply() - the answer of @child, who ends; a fault is an error. */
int unpack_reply(struct child *child, enum image_answer_kind kind, uint64_t deadline_ns,
		 const char *where, struct unpack_reply *ret, struct error *err) must_check;
