/* SPDX-License-Identifier: Apache-2.0 */
/*
 * chain.c - whether a log is the one that was written
 *
 * Each kind of tampering shall be reported once, at the record it was done to, and what follows
 * shall be judged as if it had not happened.  Hence "last" is the newest line in its place, and
 * a line whose bytes cannot be trusted is a hole that may have been any one record.
 */
#include "evidencetool/chain.h"

#include <inttypes.h>
#include <jansson.h>
#include <stdarg.h>
#include <string.h>

#include "base/text.h"
#include "evidence/log.h"
#include "evidencetool/view.h"

static const char *const words[CHAIN_N_PROBLEMS] = {
#define CHAIN_PROBLEM_WORD(name, word, meaning) [CHAIN_##name] = (word),
	CHAIN_PROBLEMS(CHAIN_PROBLEM_WORD)
#undef CHAIN_PROBLEM_WORD
};

const char *chain_problem_word(enum chain_problem_kind kind)
{
	return words[kind];
}

void chain_init(struct chain *chain)
{
	*chain = (struct chain){
		.signed_from = 1,
		.last = { .hash = EVIDENCE_NO_HASH, .is_hash_known = true },
	};
}

/* Where a problem is. */
struct spot {
	uint64_t line, seq;
	const char *id;
};

static void report(struct chain *chain, enum chain_problem_kind kind, struct spot spot,
		   const char *format, ...) printf_like(4, 5);

static void report(struct chain *chain, enum chain_problem_kind kind, struct spot spot,
		   const char *format, ...)
{
	struct chain_problem problem = { .kind = kind, .line = spot.line, .seq = spot.seq };
	va_list args;
	(void)snprintf(problem.id, sizeof(problem.id), "%s", spot.id);
	va_start(args, format);
	(void)vsnprintf(problem.text, sizeof(problem.text), format, args);
	va_end(args);
	chain->n_problems++;
	chain->report(chain->context, &problem);
}

static const struct spot whole_log = { .id = "" };

/* What the checks need of a record. */
struct content {
	bool is_json;
	bool wants_signature;
	char id[CHAIN_ID_BYTES];
	char complaint[160]; /* if it is not JSON; escaped */
};

static void content_read(struct content *ret, const struct evidence_line *line)
{
	json_error_t error;
	json_t *record = view_parse(line->record, line->n_record, &error);
	*ret = (struct content){ .is_json = record != NULL };
	if (!record) {
		text_escape(error.text, strlen(error.text), ret->complaint, sizeof(ret->complaint));
		return;
	}
	const json_t *id = json_object_get(record, "id");
	const json_t *policy = json_object_get(record, "policy");
	const json_t *sign = json_object_get(json_object_get(policy, "evidence"), "sign");
	if (json_is_string(id))
		text_escape(json_string_value(id), json_string_length(id), ret->id,
			    sizeof(ret->id));
	ret->wants_signature = json_is_true(json_object_get(record, "signed")) ||
			       (json_is_string(sign) && json_string_length(sign) > 0);
	json_decref(record);
}

static void check_signature(struct chain *chain, const struct evidence_line *line,
			    bool wants_signature, struct spot spot)
{
	bool has_keys = chain->keyring && chain->keyring->n_items > 0;
	if (!line->signature) {
		if (has_keys && line->seq >= chain->signed_from)
			report(chain, CHAIN_UNSIGNED, spot,
			       "is not signed, as every record from %" PRIu64 " on must be",
			       chain->signed_from);
		else if (wants_signature)
			report(chain, CHAIN_UNSIGNED, spot,
			       "is not signed, although its run was: the signature was taken off");
		return;
	}
	chain->n_signed++;
	if (!has_keys)
		return;
	switch (keyring_check(chain->keyring, line)) {
	case KEYRING_UNKNOWN_KEY:
		report(chain, CHAIN_WRONG_KEY, spot,
		       "is signed with key %.*s, which is none of those given",
		       DIGEST_HEX_BYTES - 1, line->key);
		break;
	case KEYRING_BAD_SIGNATURE:
		report(chain, CHAIN_BAD_SIGNATURE, spot, "its signature does not fit its hash");
		break;
	case KEYRING_GOOD:
	default:
		break;
	}
}

static void set_last(struct chain *chain, const struct evidence_line *line, const char *id,
		     bool is_hash_known)
{
	chain->last.seq = line->seq;
	chain->last.line = chain->line;
	chain->last.is_hash_known = is_hash_known;
	chain->n_holes = 0;
	memcpy(chain->last.hash, line->hash, sizeof(chain->last.hash));
	(void)snprintf(chain->last.id, sizeof(chain->last.id), "%s", id);
}

static void report_missing(struct chain *chain, uint64_t first, uint64_t last, struct spot spot)
{
	if (first == last)
		report(chain, CHAIN_MISSING, spot, "record %" PRIu64 " is missing before it",
		       first);
	else
		report(chain, CHAIN_MISSING, spot,
		       "records %" PRIu64 " to %" PRIu64 " are missing before it", first, last);
}

/* The line before, in its place, is not the one whose hash this line names. */
static void report_prev(struct chain *chain, uint64_t seq, struct spot spot)
{
	struct spot before = { chain->last.line, chain->last.seq, chain->last.id };
	if (chain->last.seq == 0)
		report(chain, CHAIN_MISSING, spot,
		       "is the first, and yet names the hash of a line before it");
	else
		report(chain, CHAIN_REPLACED, before,
		       "is not the line after which record %" PRIu64
		       " was written: replaced, or edited and hashed anew",
		       seq);
}

/* The seq and prev of a line whose own hash is right. */
static void check_place(struct chain *chain, const struct evidence_line *line, struct spot spot)
{
	const struct chain_place *last = &chain->last;
	if (line->seq <= last->seq) {
		bool is_copy = line->seq == last->seq && strcmp(line->hash, last->hash) == 0;
		report(chain, CHAIN_OUT_OF_ORDER, spot,
		       is_copy ? "stands twice: this is a copy"
			       : "stands after record %" PRIu64 ": moved or copied to here",
		       last->seq);
		return;
	}
	if (line->seq - last->seq - 1 > chain->n_holes)
		report_missing(chain, last->seq + 1, line->seq - 1, spot);
	else if (line->seq == last->seq + 1 && last->is_hash_known &&
		 strcmp(line->prev, last->hash) != 0)
		report_prev(chain, line->seq, spot);
	set_last(chain, line, spot.id, true);
}

static bool is_kept_head(const struct chain *chain, const struct evidence_line *line)
{
	return chain->kept_head && line->seq == chain->kept_head->seq &&
	       strcmp(line->hash, chain->kept_head->hash) == 0;
}

static void take_line(struct chain *chain, const char *bytes, size_t len)
{
	struct evidence_line line;
	struct content content;
	struct spot spot = { .line = chain->line, .id = "" };
	const char *wrong = evidence_line_parse(bytes, len, &line);
	if (wrong) {
		report(chain, CHAIN_MALFORMED, spot, "is no record: it %s", wrong);
		chain->n_holes++;
		return;
	}
	content_read(&content, &line);
	spot.seq = line.seq;
	spot.id = content.id;
	chain->n_records++;
	if (!evidence_line_has_right_hash(&line, bytes)) {
		report(chain, CHAIN_EDITED, spot,
		       "was edited: its bytes do not have the hash that it states");
		if (line.seq == chain->last.seq + 1)
			set_last(chain, &line, content.id, false);
		else
			chain->n_holes++;
		check_signature(chain, &line, false, spot);
		return;
	}
	if (!content.is_json)
		report(chain, CHAIN_NOT_JSON, spot, "its record is not JSON: %s",
		       content.complaint);
	check_place(chain, &line, spot);
	check_signature(chain, &line, content.wants_signature, spot);
	chain->has_kept_head = chain->has_kept_head || is_kept_head(chain, &line);
}

void chain_take(struct chain *chain, enum evidence_piece piece,
		const struct evidence_reader *reader)
{
	struct spot spot = { .line = ++chain->line, .id = "" };
	switch (piece) {
	case EVIDENCE_PIECE_LINE:
		take_line(chain, reader->bytes, (size_t)reader->len);
		if (chain->last.line == chain->line)
			chain->last.end_bytes = reader->offset + reader->len + 1;
		break;
	case EVIDENCE_PIECE_TOO_LONG:
		report(chain, CHAIN_MALFORMED, spot,
		       "is no record: it has %" PRIu64 " bytes, and a record at most %d",
		       reader->len, EVIDENCE_MAX_LINE_BYTES);
		chain->n_holes++;
		break;
	case EVIDENCE_PIECE_TORN:
		chain->torn_bytes = reader->len;
		break;
	case EVIDENCE_PIECE_END:
	default:
		break;
	}
}

bool chain_is_head_behind(const struct chain *chain, const struct store *store)
{
	return store->head_state == STORE_HEAD_READ && store->head.seq + 1 == chain->last.seq;
}

static void report_tail(struct chain *chain, uint64_t first, uint64_t last)
{
	if (first == last)
		report(chain, CHAIN_TAIL_CUT, whole_log,
		       "record %" PRIu64 ", which head names, is missing at the end", first);
	else
		report(chain, CHAIN_TAIL_CUT, whole_log,
		       "records %" PRIu64 " to %" PRIu64
		       " are missing at the end: head names the last of them",
		       first, last);
}

static void check_head(struct chain *chain, const struct store *store)
{
	const struct evidence_head *head = &store->head;
	const struct chain_place *last = &chain->last;
	if (head->seq > last->seq) {
		report_tail(chain, last->seq + 1, head->seq);
	} else if (head->seq == last->seq) {
		if (last->is_hash_known && strcmp(head->hash, last->hash) != 0)
			report(chain, CHAIN_HEAD_DIFFERS, whole_log,
			       "head names another record %" PRIu64 " than the one at the end",
			       head->seq);
		/* Whatever was found before has moved the end as well. */
		else if (chain->n_problems == 0 && head->log_bytes != last->end_bytes)
			report(chain, CHAIN_HEAD_DIFFERS, whole_log,
			       "head says that record %" PRIu64 " ends at byte %" PRIu64
			       ", and it ends at byte %" PRIu64,
			       head->seq, head->log_bytes, last->end_bytes);
	} else if (!chain_is_head_behind(chain, store)) {
		report(chain, CHAIN_HEAD_DIFFERS, whole_log,
		       "head ends with record %" PRIu64 ", and the log goes on to record %" PRIu64,
		       head->seq, last->seq);
	}
}

static void check_torn(struct chain *chain, const struct store *store)
{
	struct spot spot = { .line = chain->line, .id = "" };
	/* Beside a head a cut record shows as missing; what is left is the trace of a crash. */
	if (chain->torn_bytes > 0 && store->head_state != STORE_HEAD_READ)
		report(chain, CHAIN_UNFINISHED, spot,
		       "has no end: %" PRIu64 " bytes of a line that was cut", chain->torn_bytes);
}

void chain_finish(struct chain *chain, const struct store *store)
{
	check_torn(chain, store);
	switch (store->head_state) {
	case STORE_HEAD_READ:
		check_head(chain, store);
		break;
	case STORE_HEAD_MALFORMED:
		report(chain, CHAIN_NO_HEAD, whole_log,
		       "head is malformed, so that a cut end cannot be seen");
		break;
	case STORE_HEAD_MISSING:
		if (chain->line > 0)
			report(chain, CHAIN_NO_HEAD, whole_log,
			       "head is missing, so that a cut end cannot be seen");
		break;
	case STORE_HEAD_NONE:
	default:
		break;
	}
	if (chain->kept_head && chain->kept_head->seq > 0 && !chain->has_kept_head)
		report(chain, CHAIN_ROLLED_BACK, whole_log,
		       "record %" PRIu64
		       " with hash %s, which the kept head names, is not in the log",
		       chain->kept_head->seq, chain->kept_head->hash);
}
