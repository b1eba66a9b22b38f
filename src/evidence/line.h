/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.h - one line of the log and the head, as bytes; reading a log in bounded memory
 *
 * For the log itself and for foso-evidence, which reads logs that anybody may have written.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/error.h"
#include "evidence/record.h"

#define EVIDENCE_MAX_LINE_BYTES  (EVIDENCE_MAX_RECORD_BYTES + 1024) /* without the line break */
#define EVIDENCE_SIGNATURE_CHARS 88                                 /* base64 of 64 bytes */
#define EVIDENCE_NO_HASH         "0000000000000000000000000000000000000000000000000000000000000000"

/* A line, taken apart.  The pointers borrow from the line's bytes and are not NUL-terminated. */
struct evidence_line {
	uint64_t seq;
	char prev[DIGEST_HEX_BYTES];
	char hash[DIGEST_HEX_BYTES]; /* as the line says, not checked */
	const char *record;
	size_t n_record;
	size_t n_hashed;       /* how many bytes at the front the hash covers */
	const char *key;       /* 64 digits; NULL if the line is not signed */
	const char *signature; /* EVIDENCE_SIGNATURE_CHARS, alphabet checked */
};

/*
 * evidence_line_parse() - @bytes as a line, without the line break
 *
 * Returns NULL, or what is wrong with it, as a clause.  There is exactly one way to write a line:
 * no spaces, no leading zeros, lower-case digits.  That the record is JSON is not checked.
 */
const char *evidence_line_parse(const char *bytes, size_t len, struct evidence_line *ret)
	must_check;

/* evidence_line_has_right_hash() - the hash is the one of @bytes, which the line came from. */
bool evidence_line_has_right_hash(const struct evidence_line *line, const char *bytes);

/* The newest line, as the file "head" tells it. */
struct evidence_head {
	uint64_t seq; /* 0: the log is empty */
	char hash[DIGEST_HEX_BYTES];
	uint64_t log_bytes; /* size of the log that ends with it */
};

/* Always this long, so that it is overwritten in place by one write that needs no new space. */
#define EVIDENCE_HEAD_BYTES 160

/* evidence_head_parse() - false if @bytes is not a head; spaces at the end are ignored. */
bool evidence_head_parse(const char *bytes, size_t len, struct evidence_head *ret);

/* evidence_head_format() - EVIDENCE_HEAD_BYTES bytes, the last a line break. */
void evidence_head_format(const struct evidence_head *head, char ret_text[EVIDENCE_HEAD_BYTES]);

/* evidence_head_read() - 0; 1 if the file holds no head; -ERR_SYSTEM. */
int evidence_head_read(int head_fd, struct evidence_head *ret, struct error *err) must_check;

enum evidence_piece {
	EVIDENCE_PIECE_END,      /* the range has been read */
	EVIDENCE_PIECE_LINE,     /* bytes and len: a line without its line break */
	EVIDENCE_PIECE_TOO_LONG, /* len bytes up to a line break, not kept: no record */
	EVIDENCE_PIECE_TORN,     /* len bytes at the end of the range, not kept: no line break */
};

/* Reads a range of a file line by line; memory stays below twice EVIDENCE_MAX_LINE_BYTES. */
struct evidence_reader {
	int fd;              /* borrowed */
	uint64_t end_offset; /* where the range ends */
	uint64_t offset;     /* in the file, of the piece that was returned last */
	uint64_t len;        /* of that piece */
	const char *bytes;   /* of a line; borrowed until the next call; else NULL */
	char *window; /* owned; bytes read ahead: those from start to end are still to come */
	size_t start, end;
	uint64_t window_offset; /* in the file, of window[0] */
};

/* evidence_reader_init() - -ERR_SYSTEM without memory. */
int evidence_reader_init(struct evidence_reader *reader, int fd, uint64_t offset,
			 uint64_t end_offset, struct error *err) must_check;
void evidence_reader_fini(struct evidence_reader *reader);

/* evidence_reader_next() - an evidence_piece, or -ERR_SYSTEM. */
int evidence_reader_next(struct evidence_reader *reader, struct error *err) must_check;
