/* SPDX-License-Identifier: Apache-2.0 */
/*
 * alloc_test.c - each allocation fails in turn: an error comes back, and the log stays whole
 *
 * Linked with --wrap=malloc and --wrap=realloc, so that only foso's own calls are counted.
 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "evidence/line.h"
#include "evidence/log.h"
#include "evidence/record.h"
#include "support/tap.h"
#include "unit/evidence/scratch.h"

void *__real_malloc(size_t size);
void *__real_realloc(void *pointer, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_realloc(void *pointer, size_t size);

static long n_left = -1; /* allocations until one fails; negative: none does */

static bool is_failing(void)
{
	return n_left >= 0 && n_left-- == 0;
}

void *__wrap_malloc(size_t size)
{
	return is_failing() ? NULL : __real_malloc(size);
}

void *__wrap_realloc(void *pointer, size_t size)
{
	return is_failing() ? NULL : __real_realloc(pointer, size);
}

static int run_once(void)
{
	const char *argv[] = { "sh", "-c",
			       "\xff\xfe long enough to need a scratch buffer of its own", NULL };
	struct evidence_record record = { .id = "x", .argv = argv, .level = "process" };
	auto_buf struct buf json = BUF_INIT(EVIDENCE_MAX_RECORD_BYTES);
	auto_fd int dir_fd = -1;
	struct error err = { 0 };
	int r = evidence_log_open(scratch_path, &dir_fd, &err);
	if (r == 0) {
		evidence_record_format(&record, &json);
		if (!buf_is_whole(&json))
			return -ERR_SYSTEM;
		r = evidence_log_append(dir_fd, json.data, json.len, NULL, NULL, &err);
	}
	/* Every error names what it is about and what to do. */
	if (r < 0)
		OK(err.subject[0] != '\0' && err.message[0] != '\0' && err.remedy[0] != '\0');
	return r;
}

/* Lines of the log; each must be one. */
static uint64_t count_lines(void)
{
	CLEANUP(evidence_reader_fini) struct evidence_reader reader = { .fd = -1 };
	auto_fd int fd = open(scratch_file("log.jsonl"), O_RDONLY | O_CLOEXEC);
	struct error err = { 0 };
	uint64_t n = 0;
	int piece;
	if (evidence_reader_init(&reader, fd, 0, UINT64_MAX, &err) < 0)
		return 0;
	while ((piece = evidence_reader_next(&reader, &err)) > EVIDENCE_PIECE_END) {
		struct evidence_line line;
		EQ(piece, EVIDENCE_PIECE_LINE);
		if (piece != EVIDENCE_PIECE_LINE)
			break;
		OK(!evidence_line_parse(reader.bytes, (size_t)reader.len, &line));
		EQ(line.seq, ++n);
	}
	return n;
}

/* @damage is done before each try, so that the ways of repair are taken too. */
static void fail_each(void (*damage)(void))
{
	uint64_t n_lines = 0;
	long n_failures = 0;
	int r = -1;
	scratch_make();
	EQ(run_once(), 0);
	n_lines++;
	for (long n = 0; r < 0 && n < 1000; n++) {
		damage();
		n_left = n;
		r = run_once();
		n_failures += r < 0;
		n_lines += r == 0;
		n_left = -1;
		EQ(run_once(), 0);
		n_lines++;
		EQ(count_lines(), n_lines);
	}
	EQ(r, 0);
	OK(n_failures >= 4);
	scratch_remove();
}

static void no_damage(void)
{
}

static void tear(void)
{
	scratch_append("log.jsonl", "{\"seq\"", 6);
}

static void lose_head(void)
{
	unlink(scratch_file("head"));
}

static void test_alloc_failure_leaves_the_log_whole(void)
{
	fail_each(no_damage);
}

static void test_alloc_failure_while_a_torn_line_is_moved(void)
{
	fail_each(tear);
}

static void test_alloc_failure_while_head_is_made_anew(void)
{
	fail_each(lose_head);
}

int main(void)
{
	RUN(test_alloc_failure_leaves_the_log_whole);
	RUN(test_alloc_failure_while_a_torn_line_is_moved);
	RUN(test_alloc_failure_while_head_is_made_anew);
	return tap_done();
}
