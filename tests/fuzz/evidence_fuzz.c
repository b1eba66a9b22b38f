/* SPDX-License-Identifier: Apache-2.0 */
/*
 * evidence_fuzz.c - a log that anybody wrote: read, judged, shown, appended to
 *
 * What is good by chain.c must be a chain: that is looked at here once more, in its own words.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "evidence/log.h"
#include "evidencetool/args.h"
#include "evidencetool/chain.h"
#include "evidencetool/view.h"

/* The program's own files are not in a library. */
#include "evidencetool/chain.c" /* NOLINT(bugprone-suspicious-include) */
#include "evidencetool/view.c"  /* NOLINT(bugprone-suspicious-include) */

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Without keys it is never reached. */
enum keyring_answer keyring_check(const struct keyring *keyring, const struct evidence_line *line)
{
	UNUSED(keyring);
	UNUSED(line);
	abort();
}

static bool is_json_alone_wrong;

static void take_problem(void *context, const struct chain_problem *problem)
{
	size_t *n = context;
	(*n)++;
	if (is_json_alone_wrong) /* or a record that says it was signed */
		assert(problem->kind == CHAIN_NOT_JSON || problem->kind == CHAIN_UNSIGNED);
	assert(problem->kind < CHAIN_N_PROBLEMS && chain_problem_word(problem->kind));
	assert(problem->text[0] != '\0' && strlen(problem->text) < sizeof(problem->text));
	assert(text_is_utf8(problem->id, strlen(problem->id)));
	for (const char *c = problem->text; *c; c++)
		assert((unsigned char)*c >= 0x20 && *c != 0x7f);
}

static void judge(int fd, size_t size, struct chain *chain, size_t *ret_n_problems)
{
	CLEANUP(evidence_reader_fini) struct evidence_reader reader = { .fd = -1 };
	struct store store = { .log_fd = fd, .log_bytes = size, .head_state = STORE_HEAD_NONE };
	struct error err = { 0 };
	uint64_t n_bytes = 0;
	int r = evidence_reader_init(&reader, fd, 0, size, &err);
	assert(r == 0);
	*ret_n_problems = 0;
	chain_init(chain);
	chain->report = take_problem;
	chain->context = ret_n_problems;
	while ((r = evidence_reader_next(&reader, &err)) > EVIDENCE_PIECE_END) {
		assert(reader.offset == n_bytes);
		n_bytes += reader.len + (r != EVIDENCE_PIECE_TORN);
		chain_take(chain, (enum evidence_piece)r, &reader);
	}
	assert(r == 0 && n_bytes == size);
	chain_finish(chain, &store);
	assert(*ret_n_problems == chain->n_problems);
}

/* Every byte of a good log is of a line that follows the one before. */
static void check_good(const char *bytes, size_t size)
{
	char prev[DIGEST_HEX_BYTES] = EVIDENCE_NO_HASH;
	uint64_t seq = 0;
	for (size_t at = 0; at < size;) {
		struct evidence_line line;
		const char *end = memchr(bytes + at, '\n', size - at);
		assert(end);
		size_t len = (size_t)(end - bytes) - at;
		assert(!evidence_line_parse(bytes + at, len, &line));
		assert(evidence_line_has_right_hash(&line, bytes + at));
		assert(line.seq == ++seq && strcmp(line.prev, prev) == 0);
		memcpy(prev, line.hash, sizeof(prev));
		at += len + 1;
	}
}

static void check_line(const char *bytes, size_t size)
{
	struct evidence_line line;
	struct evidence_head head;
	if (!evidence_line_parse(bytes, size, &line)) {
		assert(line.n_hashed <= size && line.record + line.n_record <= bytes + size);
		assert(strlen(line.prev) == 64 && strlen(line.hash) == 64 && line.seq > 0);
		assert(!line.key == !line.signature);
	}
	if (evidence_head_parse(bytes, size, &head))
		assert(strlen(head.hash) == 64);
}

static int fd_of(const char *bytes, size_t size)
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	assert(fd >= 0 && write(fd, bytes, size) == (ssize_t)size);
	return fd;
}

/*
 * The lines of the input as records of a chain that is made here, as no fuzzer finds a SHA-256:
 * nothing but the JSON of a record can then be wrong.
 */
static void check_made(const char *bytes, size_t size)
{
	auto_buf struct buf log = BUF_INIT(4 * 1024 * 1024);
	char hash[DIGEST_HEX_BYTES] = EVIDENCE_NO_HASH;
	uint8_t digest[DIGEST_BYTES];
	struct chain chain;
	size_t n_problems, n = 0;
	for (size_t at = 0, len; at < size; at += len + 1) {
		const char *end = memchr(bytes + at, '\n', size - at);
		size_t start = log.len;
		len = (end ? (size_t)(end - bytes) : size) - at;
		buf_printf(&log, "{\"seq\":%zu,\"prev\":\"%s\",\"record\":{", ++n, hash);
		buf_append(&log, bytes + at, len);
		buf_append_char(&log, '}');
		assert(buf_is_whole(&log));
		for (size_t i = start; i < log.len; i++)
			log.data[i] = (unsigned char)log.data[i] < 0x20 ? ' ' : log.data[i];
		digest_sha256(log.data + start, log.len - start, NULL, 0, digest);
		digest_hex(digest, hash);
		buf_printf(&log, ",\"hash\":\"%s\"}\n", hash);
	}
	auto_fd int fd = fd_of(buf_string(&log), log.len);
	is_json_alone_wrong = true;
	judge(fd, log.len, &chain, &n_problems);
	is_json_alone_wrong = false;
	assert(chain.n_records == n && chain.last.seq == n);
	check_good(buf_string(&log), log.len);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const char *bytes = (const char *)data;
	struct chain chain;
	size_t n_problems;
	if (size > 64 * 1024)
		return 0;
	check_line(bytes, size);
	auto_fd int fd = fd_of(bytes, size);
	judge(fd, size, &chain, &n_problems);
	if (n_problems == 0)
		check_good(bytes, size);
	if (size < 4096) /* a line of three bytes becomes one of two hundred */
		check_made(bytes, size);
	return 0;
}
