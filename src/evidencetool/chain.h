/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.h - whether a log is the one that was written
 *
 * Lines are given one after the other; what is wrong is reported as it is found.  Memory does
 * not grow with the log.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "evidence/line.h"
#include "evidencetool/keys.h"
#include "evidencetool/store.h"

/* PROBLEM(name, word, meaning): word is "kind" in the JSON; docs/evidence.md has the same table. */
/* clang-format off */
#define CHAIN_PROBLEMS(PROBLEM)                                                                   \
	PROBLEM(MALFORMED,     "malformed",     "a line is no record")                            \
	PROBLEM(EDITED,        "edited",        "a line's bytes do not have the hash it states")  \
	PROBLEM(NOT_JSON,      "not-json",      "a line's record is not JSON")                    \
	PROBLEM(MISSING,       "missing",       "records between two lines, or before the first, are not there") \
	PROBLEM(OUT_OF_ORDER,  "out-of-order",  "a line stands where another should: moved or copied") \
	PROBLEM(REPLACED,      "replaced",      "the line after it was written after another one") \
	PROBLEM(UNSIGNED,      "unsigned",      "a line that must be signed is not")              \
	PROBLEM(WRONG_KEY,     "wrong-key",     "a line is signed with a key that was not given") \
	PROBLEM(BAD_SIGNATURE, "bad-signature", "a line's signature does not fit its hash")       \
	PROBLEM(UNFINISHED,    "unfinished",    "the last line has no end")                       \
	PROBLEM(NO_HEAD,       "no-head",       "head is missing or malformed")                   \
	PROBLEM(TAIL_CUT,      "tail-cut",      "head names records that are not at the end")     \
	PROBLEM(HEAD_DIFFERS,  "head-differs",  "head names another end than the log has")        \
	PROBLEM(ROLLED_BACK,   "rolled-back",   "the record that a kept head names is not in the log")
/* clang-format on */

enum chain_problem_kind {
#define CHAIN_PROBLEM_ENUM(name, ...) CHAIN_##name,
	CHAIN_PROBLEMS(CHAIN_PROBLEM_ENUM)
#undef CHAIN_PROBLEM_ENUM
		CHAIN_N_PROBLEMS
};

const char *chain_problem_word(enum chain_problem_kind kind); /* "edited" */

#define CHAIN_ID_BYTES 48 /* an id is shorter (levels/level.h); a longer one is cut */

struct chain_problem {
	enum chain_problem_kind kind;
	uint64_t line;           /* counted from 1; 0: of the log as a whole */
	uint64_t seq;            /* as the line states it; 0: it states none */
	char id[CHAIN_ID_BYTES]; /* of the record, escaped; "" if it tells none */
	char text[320];          /* a clause; what is hostile in it is escaped */
};

/* The newest line that is in its place. */
struct chain_place {
	uint64_t seq, line; /* 0: none yet */
	char hash[DIGEST_HEX_BYTES];
	bool is_hash_known; /* false behind an edited line */
	uint64_t end_bytes; /* of the log, up to and with it */
	char id[CHAIN_ID_BYTES];
};

struct chain {
	const struct keyring *keyring;         /* borrowed; empty: signatures are not checked */
	uint64_t signed_from;                  /* first record that must be signed */
	const struct evidence_head *kept_head; /* borrowed; NULL for none */
	void (*report)(void *context, const struct chain_problem *problem);
	void *context;

	uint64_t line, n_records, n_signed, n_problems;
	uint64_t n_holes; /* lines since the last place that may have been any record */
	uint64_t torn_bytes;
	struct chain_place last;
	bool has_kept_head; /* the record of kept_head has been seen */
};

/* chain_init() - the members above the empty line are set afterwards. */
void chain_init(struct chain *chain);

/* chain_take() - one piece of evidence_reader_next(). */
void chain_take(struct chain *chain, enum evidence_piece piece,
		const struct evidence_reader *reader);

/* chain_finish() - what only the end can tell: head, a cut tail, a kept head. */
void chain_finish(struct chain *chain, const struct store *store);

/* chain_is_head_behind() - head lacks just the newest record, as after a crash: no problem. */
bool chain_is_head_behind(const struct chain *chain, const struct store *store);
