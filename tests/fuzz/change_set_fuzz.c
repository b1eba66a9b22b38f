/* SPDX-License-Identifier: Apache-2.0 */
/*
 * change_set_fuzz.c - the stored forms of a set and of a journal
 *
 * The digests that stand at their ends are made here, as nothing else would get past them.  What
 * is taken for a set is written again as it was.
 */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "base/cleanup.h"
#include "workspacetool/journal.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_set(const struct buf *bytes)
{
	CLEANUP(set_fini) struct set set = { 0 };
	auto_buf struct buf again = BUF_INIT(1u << 20);
	struct error err = { 0 };
	if (set_decode(&set, bytes->data, bytes->len, "shown", &err) < 0) {
		assert(err.code == ERR_CORRUPT);
		return;
	}
	for (size_t i = 0; i < set.n_entries; i++) {
		assert(set_find(&set, set.entries[i].path, set.entries[i].path_len) == i);
		assert(set_end_of(&set, i) > i && set_end_of(&set, i) <= set.n_entries);
	}
	set_encode(&set, &again);
	/* Padding that is not zero is not kept: lengths are. */
	assert(again.len == bytes->len);
}

/* @n_head bytes are the head and the choices; a digest, then records. */
static void try_journal(const uint8_t *data, size_t size, size_t n_head)
{
	static const uint8_t set_digest[DIGEST_BYTES];
	struct journal journal = JOURNAL_CLOSED;
	struct op ops[4] = { 0 };
	struct plan plan = { .ops = ops, .n_ops = 4 };
	uint8_t digest[DIGEST_BYTES];
	auto_buf struct buf bytes = BUF_INIT(1u << 20);
	n_head = MIN(n_head, size);
	digest_sha256(data, n_head, NULL, 0, digest);
	buf_append(&bytes, data, n_head);
	buf_append(&bytes, digest, sizeof(digest));
	buf_append(&bytes, data + n_head, size - n_head);
	if (journal_parse(&journal, buf_string(&bytes), bytes.len, set_digest, &plan)) {
		assert(journal.phase < JOURNAL_N_PHASES);
		assert(journal.n_good <= bytes.len);
		for (size_t i = 0; i < journal.n_choices; i++)
			assert(journal.choices[i] < CHOICE_N_KINDS);
	}
	journal_close(&journal);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t digest[DIGEST_BYTES];
	auto_buf struct buf bytes = BUF_INIT(1u << 20);
	if (size > 64 * 1024)
		return 0;
	digest_sha256(data, size, NULL, 0, digest);
	buf_append(&bytes, data, size);
	buf_append(&bytes, digest, sizeof(digest));
	try_set(&bytes);
	if (size > 0)
		try_journal(data + 1, size - 1, 64 + (size_t)data[0]);
	return 0;
}
