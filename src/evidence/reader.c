/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.c - a log, line by line, in bounded memory
 *
 * The window holds the bytes from the piece that is looked for on.  It is refilled when it holds
 * no line break; when it is full and holds none, the line is longer than any record, and its
 * rest is skipped without being kept.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "evidence/line.h"
#include "evidence/log.h"

#define WINDOW_BYTES (EVIDENCE_MAX_LINE_BYTES + 1) /* a line and its line break */
#define READ_BYTES   (64 * 1024)

int evidence_reader_init(struct evidence_reader *reader, int fd, uint64_t offset,
			 uint64_t end_offset, struct error *err)
{
	*reader = (struct evidence_reader){ .fd = fd, .end_offset = end_offset };
	reader->window = malloc(WINDOW_BYTES);
	if (!reader->window) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, EVIDENCE_LOG_NAME, "cannot be read");
		return error_remedy(err, r, "free some memory");
	}
	reader->window_offset = offset;
	return 0;
}

void evidence_reader_fini(struct evidence_reader *reader)
{
	free(reader->window);
	*reader = (struct evidence_reader){ .fd = -1 };
}

/* Adds bytes to the window.  1, or 0 at the end of the range or file, or -ERR_SYSTEM. */
static int fill(struct evidence_reader *reader, struct error *err)
{
	memmove(reader->window, reader->window + reader->start, reader->end - reader->start);
	reader->window_offset += reader->start;
	reader->end -= reader->start;
	reader->start = 0;

	uint64_t offset = reader->window_offset + reader->end;
	uint64_t left = offset < reader->end_offset ? reader->end_offset - offset : 0;
	size_t room = MIN((size_t)READ_BYTES, WINDOW_BYTES - reader->end);
	size_t want = (size_t)MIN((uint64_t)room, left);
	ssize_t n;
	if (want == 0)
		return 0;
	do {
		n = pread(reader->fd, reader->window + reader->end, want, (off_t)offset);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, EVIDENCE_LOG_NAME,
				  "cannot be read at byte %llu", (unsigned long long)offset);
		return error_remedy(err, r, "look at the disk that holds the evidence folder");
	}
	reader->end += (size_t)n;
	return n > 0;
}

static int give(struct evidence_reader *reader, enum evidence_piece piece, uint64_t offset,
		uint64_t len)
{
	reader->offset = offset;
	reader->len = len;
	reader->bytes = NULL;
	return (int)piece;
}

/* The window is full of one line: skips to behind its line break. */
static int skip_long_line(struct evidence_reader *reader, struct error *err)
{
	uint64_t offset = reader->window_offset;
	for (;;) {
		const char *line_break = memchr(reader->window, '\n', reader->end);
		if (line_break) {
			size_t n = (size_t)(line_break - reader->window);
			reader->start = n + 1;
			return give(reader, EVIDENCE_PIECE_TOO_LONG, offset,
				    reader->window_offset + n - offset);
		}
		reader->start = reader->end;
		int r = fill(reader, err);
		if (r < 0)
			return r;
		if (r == 0)
			return give(reader, EVIDENCE_PIECE_TORN, offset,
				    reader->window_offset - offset);
	}
}

/* The range ends without a line break. */
static int give_rest(struct evidence_reader *reader)
{
	size_t len = reader->end - reader->start;
	uint64_t offset = reader->window_offset + reader->start;
	reader->start = reader->end;
	return give(reader, len > 0 ? EVIDENCE_PIECE_TORN : EVIDENCE_PIECE_END, offset, len);
}

int evidence_reader_next(struct evidence_reader *reader, struct error *err)
{
	size_t n_searched = 0;
	for (;;) {
		const char *from = reader->window + reader->start;
		const char *line_break =
			memchr(from + n_searched, '\n', reader->end - reader->start - n_searched);
		if (line_break) {
			size_t len = (size_t)(line_break - from);
			int piece = give(reader, EVIDENCE_PIECE_LINE,
					 reader->window_offset + reader->start, len);
			reader->bytes = from;
			reader->start += len + 1;
			return piece;
		}
		n_searched = reader->end - reader->start;
		if (n_searched == WINDOW_BYTES)
			return skip_long_line(reader, err);
		int r = fill(reader, err);
		if (r < 0)
			return r;
		if (r == 0)
			return give_rest(reader);
	}
}
