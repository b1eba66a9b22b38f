/* SPDX-License-Identifier: Apache-2.0 */
/*
 * text.h - a policy document: YAML, so also JSON, read field by field
 *
 * The text comes from a stranger.  It is bounded in bytes, depth and number of errors before
 * anything is built from it; the features of YAML that make one document mean two things or
 * grow (anchors, aliases, tags, merge keys, several documents, doubled keys) are refused by
 * name.  A scalar is text and is read by the type of its field, so "no", "1e3" or "0x10" never
 * turn into something else on the way.
 */
#pragma once

#include "base/buf.h"
#include "policy/policy.h"

#define POLICY_TEXT_MAX_DEPTH     8   /* mappings and sequences within each other */
#define POLICY_TEXT_MAX_KEY_BYTES 256 /* of a key, so of an environment variable's name too */

/* Where a field of a document was given, so that later findings can name the line. */
struct policy_text_line {
	char *path; /* owned */
	unsigned line;
};

struct policy_text {
	const char *name; /* of the document, in messages; borrowed */
	struct policy_text_line *lines;
	size_t n_lines, n_allocated;
};

#define POLICY_TEXT_INIT(name_) \
	{                       \
		.name = (name_) \
	}

void policy_text_fini(struct policy_text *text);

/*
 * policy_text_read() - everything that @fd gives, up to the bound
 *
 * Reads at most one byte more than POLICY_MAX_TEXT_BYTES, so a file of any size costs the same.
 * Appends to @out.  -ERR_LIMIT for a longer text, -ERR_SYSTEM when a read failed; subject is
 * the document's name.
 */
int policy_text_read(const struct policy_text *text, int fd, struct buf *out, struct error *err)
	must_check;

/*
 * policy_text_parse() - the document at @bytes, into @policy
 * @policy:  initialised; fields that the document does not give stay as they are
 *
 * Everything that is wrong becomes an item of @errors, subject "FILE:LINE: field", until the
 * list is full.  Returns 0, or -code of the first; @policy is then part set and still owned by
 * the caller.  Does not call policy_check().
 */
int policy_text_parse(struct policy_text *text, const char *bytes, size_t len,
		      struct policy *policy, struct error_list *errors) must_check;

/* policy_text_join_pairs() - a JSON text with "\uD83D\uDE00" written as YAML does; for parse(). */
void policy_text_join_pairs(const char *bytes, size_t len, struct buf *out);

/* policy_text_place() - puts "FILE:LINE: " before the subject of a finding of policy_check(). */
void policy_text_place(const struct policy_text *text, struct error *err);
