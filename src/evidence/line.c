/* SPDX-License-Identifier: Apache-2.0 */
/*
 * line.c - one line of the log and the head, as bytes
 *
 * The hash of a line covers bytes, not values, so a line is taken apart from both of its ends,
 * where everything has a fixed form, and never searched: a record that holds the text
 * ,"hash":" somewhere inside cannot move the place where its hash is looked for.
 */
#include "evidence/line.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define HEX_CHARS (DIGEST_HEX_BYTES - 1)

/* Bytes not yet taken; a parser takes from the front or from the back. */
struct span {
	const char *bytes;
	size_t len;
};

static bool take_front(struct span *span, const char *text)
{
	size_t len = strlen(text);
	if (span->len < len || memcmp(span->bytes, text, len) != 0)
		return false;
	span->bytes += len;
	span->len -= len;
	return true;
}

static bool take_back(struct span *span, const char *text)
{
	size_t len = strlen(text);
	if (span->len < len || memcmp(span->bytes + span->len - len, text, len) != 0)
		return false;
	span->len -= len;
	return true;
}

/* A number without leading zeros, up to the first byte that is no digit. */
static bool take_number(struct span *span, uint64_t *ret_value)
{
	uint64_t value = 0;
	size_t n = 0;
	for (; n < span->len && span->bytes[n] >= '0' && span->bytes[n] <= '9'; n++) {
		if (__builtin_mul_overflow(value, 10u, &value) ||
		    __builtin_add_overflow(value, (uint64_t)(span->bytes[n] - '0'), &value))
			return false;
	}
	if (n == 0 || (n > 1 && span->bytes[0] == '0'))
		return false;
	span->bytes += n;
	span->len -= n;
	*ret_value = value;
	return true;
}

static bool is_hex(const char *text)
{
	for (size_t i = 0; i < HEX_CHARS; i++) {
		if (!((text[i] >= '0' && text[i] <= '9') || (text[i] >= 'a' && text[i] <= 'f')))
			return false;
	}
	return true;
}

static bool take_hex_front(struct span *span, char ret_hex[DIGEST_HEX_BYTES])
{
	if (span->len < HEX_CHARS || !is_hex(span->bytes))
		return false;
	memcpy(ret_hex, span->bytes, HEX_CHARS);
	ret_hex[HEX_CHARS] = '\0';
	span->bytes += HEX_CHARS;
	span->len -= HEX_CHARS;
	return true;
}

static bool take_hex_back(struct span *span, const char **ret_hex)
{
	if (span->len < HEX_CHARS || !is_hex(span->bytes + span->len - HEX_CHARS))
		return false;
	span->len -= HEX_CHARS;
	*ret_hex = span->bytes + span->len;
	return true;
}

/* 64 bytes in base64 are 86 characters of the alphabet and two "=". */
static bool is_base64(const char *text)
{
	for (size_t i = 0; i < EVIDENCE_SIGNATURE_CHARS - 2; i++) {
		char c = text[i];
		bool is_digit = c >= '0' && c <= '9';
		bool is_letter = (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
		if (!is_digit && !is_letter && c != '+' && c != '/')
			return false;
	}
	return memcmp(text + EVIDENCE_SIGNATURE_CHARS - 2, "==", 2) == 0;
}

/* The end of a line:  ,"hash":"HEX"}  or  ,"hash":"HEX","key":"HEX","sig":"BASE64"}  */
static bool take_seal(struct span *span, struct evidence_line *line)
{
	const char *hash = NULL;
	if (!take_back(span, "\"}"))
		return false;
	if (span->len >= EVIDENCE_SIGNATURE_CHARS && span->bytes[span->len - 1] == '=') {
		span->len -= EVIDENCE_SIGNATURE_CHARS;
		line->signature = span->bytes + span->len;
		if (!is_base64(line->signature) || !take_back(span, "\",\"sig\":\"") ||
		    !take_hex_back(span, &line->key) || !take_back(span, "\",\"key\":\""))
			return false;
	}
	if (!take_hex_back(span, &hash) || !take_back(span, ",\"hash\":\""))
		return false;
	memcpy(line->hash, hash, HEX_CHARS);
	line->hash[HEX_CHARS] = '\0';
	return true;
}

const char *evidence_line_parse(const char *bytes, size_t len, struct evidence_line *ret)
{
	struct evidence_line line = { 0 };
	struct span span = { bytes, len };
	if (len > EVIDENCE_MAX_LINE_BYTES)
		return "is longer than a record can be";
	if (!take_front(&span, "{\"seq\":") || !take_number(&span, &line.seq) || line.seq == 0)
		return "does not begin with a sequence number";
	if (!take_front(&span, ",\"prev\":\"") || !take_hex_front(&span, line.prev) ||
	    !take_front(&span, "\",\"record\":"))
		return "has no prev before its record";
	if (!take_seal(&span, &line))
		return "does not end with a hash, or a hash, a key and a signature";
	if (span.len < 2 || span.bytes[0] != '{' || span.bytes[span.len - 1] != '}')
		return "holds no record";
	for (size_t i = 0; i < span.len; i++) {
		if ((unsigned char)span.bytes[i] < 0x20)
			return "holds a control byte";
	}
	line.record = span.bytes;
	line.n_record = span.len;
	line.n_hashed = (size_t)(span.bytes - bytes) + span.len;
	*ret = line;
	return NULL;
}

bool evidence_line_has_right_hash(const struct evidence_line *line, const char *bytes)
{
	uint8_t digest[DIGEST_BYTES];
	char hex[DIGEST_HEX_BYTES];
	digest_sha256(bytes, line->n_hashed, NULL, 0, digest);
	digest_hex(digest, hex);
	return memcmp(hex, line->hash, HEX_CHARS) == 0;
}

bool evidence_head_parse(const char *bytes, size_t len, struct evidence_head *ret)
{
	struct evidence_head head = { 0 };
	struct span span = { bytes, len };
	while (span.len > 0 &&
	       (span.bytes[span.len - 1] == ' ' || span.bytes[span.len - 1] == '\n'))
		span.len--;
	if (!take_front(&span, "{\"seq\":") || !take_number(&span, &head.seq) ||
	    !take_front(&span, ",\"hash\":\"") || !take_hex_front(&span, head.hash) ||
	    !take_front(&span, "\",\"bytes\":") || !take_number(&span, &head.log_bytes) ||
	    !take_front(&span, "}") || span.len != 0)
		return false;
	*ret = head;
	return true;
}

void evidence_head_format(const struct evidence_head *head, char ret_text[EVIDENCE_HEAD_BYTES])
{
	char text[EVIDENCE_HEAD_BYTES];
	int len = snprintf(text, sizeof(text),
			   "{\"seq\":%" PRIu64 ",\"hash\":\"%s\",\"bytes\":%" PRIu64 "}", head->seq,
			   head->hash, head->log_bytes);
	assert(len > 0 && len < EVIDENCE_HEAD_BYTES);
	memset(ret_text, ' ', EVIDENCE_HEAD_BYTES);
	memcpy(ret_text, text, (size_t)len);
	ret_text[EVIDENCE_HEAD_BYTES - 1] = '\n';
}

int evidence_head_read(int head_fd, struct evidence_head *ret, struct error *err)
{
	char text[EVIDENCE_HEAD_BYTES * 2];
	ssize_t n;
	do {
		n = pread(head_fd, text, sizeof(text), 0);
	} while (n < 0 && errno == EINTR);
	if (n < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, "head", "cannot be read");
		return error_remedy(err, r, "look at the disk that holds the evidence folder");
	}
	return evidence_head_parse(text, (size_t)n, ret) ? 0 : 1;
}
