/* SPDX-License-Identifier: Apache-2.0 */
#include "evidence/line.h"
#include "evidence/log.h"
#include "scratch.h"
#include "support/tap.h"

#define HASH "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"
#define SIG \
	"AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=="
#define FRONT  "{\"seq\":7,\"prev\":\"" HASH "\",\"record\":"
#define BACK   ",\"hash\":\"" HASH "\"}"
#define SIGNED ",\"hash\":\"" HASH "\",\"key\":\"" HASH "\",\"sig\":\"" SIG "\"}"

static const char *parse(const char *text, struct evidence_line *line)
{
	return evidence_line_parse(text, strlen(text), line);
}

static void test_line_parts_are_found(void)
{
	struct evidence_line line;
	OK(!parse(FRONT "{\"a\":1}" BACK, &line));
	EQ(line.seq, 7);
	STR_EQ(line.prev, HASH);
	STR_EQ(line.hash, HASH);
	EQ(line.n_record, 7);
	OK(memcmp(line.record, "{\"a\":1}", 7) == 0);
	EQ(line.n_hashed, strlen(FRONT) + 7);
	OK(!line.key && !line.signature);
	OK(!parse(FRONT "{}" SIGNED, &line));
	OK(line.key && memcmp(line.key, HASH, 64) == 0);
	OK(line.signature && memcmp(line.signature, SIG, 88) == 0);
	EQ(line.n_hashed, strlen(FRONT) + 2);
}

/* What a record holds cannot move its end. */
static void test_line_record_with_ends_inside_is_whole(void)
{
	struct evidence_line line;
	OK(!parse(FRONT "{\"x\":1" BACK BACK, &line));
	EQ(line.n_hashed, strlen(FRONT "{\"x\":1" BACK));
	OK(!parse(FRONT "{\"x\":1" SIGNED BACK, &line));
	OK(!line.signature);
	OK(!parse(FRONT "{\"x\":1" BACK SIGNED, &line));
	EQ(line.n_hashed, strlen(FRONT "{\"x\":1" BACK));
}

static void test_line_other_spellings_are_refused(void)
{
	static const struct {
		const char *text, *wrong;
	} lines[] = {
		{ "", "does not begin with a sequence number" },
		{ "{}", "does not begin with a sequence number" },
		{ "{\"seq\":0,\"prev\":\"" HASH "\",\"record\":{}" BACK,
		  "does not begin with a sequence number" },
		{ "{\"seq\":-1", "does not begin with a sequence number" },
		{ "{\"seq\":07", "does not begin with a sequence number" },
		{ "{\"seq\":18446744073709551616,", "does not begin with a sequence number" },
		{ "{\"seq\":7,\"record\":{}" BACK, "has no prev before its record" },
		{ "{\"seq\":7,\"prev\":\"\",\"record\":{}" BACK, "has no prev before its record" },
		{ FRONT "{}", "does not end with a hash, or a hash, a key and a signature" },
		{ FRONT "{}" BACK " ",
		  "does not end with a hash, or a hash, a key and a signature" },
		{ FRONT "{},\"hash\":\"" HASH "\",\"sig\":\"" SIG "\"}",
		  "does not end with a hash, or a hash, a key and a signature" },
		{ FRONT BACK, "holds no record" },
		{ FRONT "[]" BACK, "holds no record" },
		{ FRONT "{" BACK, "holds no record" },
		{ FRONT "{\t}" BACK, "holds a control byte" },
	};
	for (size_t i = 0; i < ARRAY_LEN(lines); i++) {
		struct evidence_line line;
		const char *wrong = parse(lines[i].text, &line);
		STR_EQ(wrong ? wrong : "nothing", lines[i].wrong);
	}
}

/* Every beginning of a line ends too early, and none is read past its end. */
static void test_line_cut_anywhere_is_refused(void)
{
	static const char whole[] = FRONT "{\"a\":1}" SIGNED;
	for (size_t len = 0; len < sizeof(whole) - 1; len++) {
		struct evidence_line line;
		char *copy = malloc(len > 0 ? len : 1);
		OK(copy != NULL);
		if (!copy)
			return;
		memcpy(copy, whole, len);
		OK(evidence_line_parse(copy, len, &line) != NULL);
		free(copy);
	}
}

static void test_head_is_read_as_it_is_written(void)
{
	struct evidence_head head = { .seq = UINT64_MAX, .hash = HASH, .log_bytes = UINT64_MAX };
	struct evidence_head again = { 0 };
	char text[EVIDENCE_HEAD_BYTES];
	evidence_head_format(&head, text);
	EQ(text[EVIDENCE_HEAD_BYTES - 1], '\n');
	OK(evidence_head_parse(text, sizeof(text), &again));
	OK(again.seq == UINT64_MAX && again.log_bytes == UINT64_MAX);
	STR_EQ(again.hash, HASH);
	OK(!evidence_head_parse(text, 50, &again));
	OK(!evidence_head_parse("", 0, &again));
}

/* Pieces of every length around the size of a read and of the window. */
static void test_reader_gives_back_every_byte(void)
{
	static const size_t lengths[] = { 0,      1,      65535,  65536,  65537, 0,
					  525312, 525313, 525314, 900000, 2,     1500000 };
	static char bytes[1600000];
	struct evidence_reader reader;
	struct error err = { 0 };
	uint64_t offset = 0;
	scratch_make();
	memset(bytes, 'x', sizeof(bytes));
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		scratch_append("log", bytes, lengths[i]);
		if (i + 1 < ARRAY_LEN(lengths))
			scratch_append("log", "\n", 1);
	}
	int fd = open(scratch_file("log"), O_RDONLY | O_CLOEXEC);
	EQ(evidence_reader_init(&reader, fd, 0, UINT64_MAX, &err), 0);
	for (size_t i = 0; i < ARRAY_LEN(lengths); i++) {
		bool is_last = i + 1 == ARRAY_LEN(lengths);
		bool is_line = lengths[i] <= EVIDENCE_MAX_LINE_BYTES;
		int piece = evidence_reader_next(&reader, &err);
		EQ(piece, is_last ? EVIDENCE_PIECE_TORN
				  : (is_line ? EVIDENCE_PIECE_LINE : EVIDENCE_PIECE_TOO_LONG));
		EQ(reader.len, lengths[i]);
		EQ(reader.offset, offset);
		offset += lengths[i] + 1;
	}
	EQ(evidence_reader_next(&reader, &err), EVIDENCE_PIECE_END);
	EQ(evidence_reader_next(&reader, &err), EVIDENCE_PIECE_END);
	evidence_reader_fini(&reader);

	/* A range ends where it is said to, whatever the file has behind it. */
	EQ(evidence_reader_init(&reader, fd, 1, 5, &err), 0);
	EQ(evidence_reader_next(&reader, &err), EVIDENCE_PIECE_LINE);
	EQ(evidence_reader_next(&reader, &err), EVIDENCE_PIECE_TORN);
	EQ(reader.offset, 3);
	EQ(reader.len, 2);
	evidence_reader_fini(&reader);
	close(fd);
	scratch_remove();
}

int main(void)
{
	RUN(test_line_parts_are_found);
	RUN(test_line_record_with_ends_inside_is_whole);
	RUN(test_line_other_spellings_are_refused);
	RUN(test_line_cut_anywhere_is_refused);
	RUN(test_head_is_read_as_it_is_written);
	RUN(test_reader_gives_back_every_byte);
	return tap_done();
}
