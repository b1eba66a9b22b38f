/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content.h - what foso-workspace asks of foso-content, the one that looks into files
 *
 * foso-content is a process of its own that has given up every right (confine/reader.h) before
 * it sees the first byte.  It gets contents and answers with text, over one socket; both its
 * memory and its time are bounded, and an answer is as hostile as what it was asked about.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"

#define CONTENT_MAX_BYTES        (8u << 20) /* of each side */
#define CONTENT_MAX_ANSWER_BYTES (32u << 20)

enum content_question {
	CONTENT_PATCH = 1, /* the hunks of a unified diff */
	CONTENT_GIT_KEYS,  /* what of a git config runs programs, and is new */
	CONTENT_N_QUESTIONS
};

enum content_status {
	CONTENT_TEXT,   /* the answer is what was asked for */
	CONTENT_BINARY, /* one side is no text */
	CONTENT_ODD,    /* it could not be read as what it should be, or not in time */
	CONTENT_LARGE,  /* the answer or a side is too large */
	CONTENT_N_STATUSES
};

struct content_request {
	uint32_t question; /* enum content_question */
	uint32_t padding;
	uint64_t n_old, n_new; /* bytes that follow: of the old side, then of the new one */
};

struct content_answer {
	uint32_t status; /* enum content_status */
	uint32_t padding;
	uint64_t n_added, n_removed; /* lines */
	uint64_t n_bytes;            /* that follow */
};

struct content {
	int fd; /* -1: not started */
	pid_t pid;
};

#define CONTENT_IDLE ((struct content){ .fd = -1, .pid = -1 })

/*
 * content_ask() - started at the first question, and again after it failed
 *
 * @old_fd and @new_fd are regular files, or -1 for one that is not there.  A file above
 * CONTENT_MAX_BYTES is answered with CONTENT_LARGE without a question.  What foso-content does
 * wrong is CONTENT_ODD; errors are those of starting it, and of reading the files.
 */
int content_ask(struct content *content, enum content_question question, int old_fd, int new_fd,
		struct content_answer *ret, struct buf *ret_text, struct error *err) must_check;

void content_stop(struct content *content); /* may be called twice */

/* content_patch.c: foso-content's own part. */
enum content_status content_patch(const char *before, size_t n_before, const char *now,
				  size_t n_now, struct content_answer *ret, struct buf *out);
