/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.c - appending to the log
 *
 * A writer holds flock() on the log from reading head to writing head.  Order: the line in one
 * write at the end, then head over itself in place.  A process killed at any point leaves one of
 * three states, each mended by the next writer under the same lock:
 *
 *   an unfinished line at the end       moved to "torn-<time>"
 *   a whole line that head lacks        followed, as its prev names head's hash
 *   nothing                             nothing
 *
 * Bytes are never taken out of the log but for an unfinished line.  What does not fit the chain
 * stays where it is for foso-evidence verify to name.
 */
#include "evidence/log.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "evidence/folder.h"
#include "evidence/line.h"
#include "evidence/record.h"

#define TORN_TEMPORARY "torn" /* until it is whole */

/* A signer may hold it for 5 s (signer.c). */
#define LOCK_PATIENCE_NS 7000000000ull
#define LOCK_PAUSE_NS    500000

struct log {
	int dir_fd;              /* borrowed */
	int fd, head_fd;         /* owned; the lock is on fd */
	struct evidence_head at; /* the newest line, and how long the log is */
};

static void log_close(struct log *log)
{
	fd_close(&log->fd);
	fd_close(&log->head_fd);
}

static int describe_write_failure(struct error *err, int errnum, const char *name)
{
	int r = error_set(err, ERR_SYSTEM, errnum, name, "cannot be written");
	bool is_full = errnum == ENOSPC || errnum == EDQUOT || errnum == EFBIG;
	return error_remedy(err, r, "%s",
			    is_full ? "free some space on its disk"
				    : "look at the disk that holds it");
}

/* All of it or an errno. */
static int write_whole(int fd, const char *bytes, size_t len)
{
	for (size_t done = 0; done < len;) {
		ssize_t n = write(fd, bytes + done, len - done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : ENOSPC;
		done += (size_t)n;
	}
	return 0;
}

static int head_write(struct log *log, struct error *err)
{
	char text[EVIDENCE_HEAD_BYTES];
	ssize_t n;
	evidence_head_format(&log->at, text);
	do {
		n = pwrite(log->head_fd, text, sizeof(text), 0);
	} while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(text))
		return describe_write_failure(err, n < 0 ? errno : ENOSPC, EVIDENCE_HEAD_NAME);
	return 0;
}

/* Copies the log from @offset on to "torn-<time>" and takes it out of the log. */
static int tear_off(struct log *log, uint64_t offset, struct error *err)
{
	auto_fd int torn_fd = -1;
	char name[64], bytes[4096];
	struct timespec now;
	int r = evidence_file_open(log->dir_fd, TORN_TEMPORARY, O_RDWR | O_TRUNC, &torn_fd, err);
	if (r < 0)
		return r;
	for (uint64_t from = offset;;) {
		ssize_t n = pread(log->fd, bytes, sizeof(bytes), (off_t)from);
		if (n < 0 && errno == EINTR)
			continue;
		int errnum = n < 0 ? errno : write_whole(torn_fd, bytes, (size_t)n);
		if (errnum != 0)
			return describe_write_failure(err, errnum, TORN_TEMPORARY);
		if (n == 0)
			break;
		from += (uint64_t)n;
	}
	clock_gettime(CLOCK_REALTIME, &now);
	(void)snprintf(name, sizeof(name), EVIDENCE_TORN_PREFIX "%lld%09ld", (long long)now.tv_sec,
		       now.tv_nsec);
	if (renameat(log->dir_fd, TORN_TEMPORARY, log->dir_fd, name) < 0)
		return describe_write_failure(err, errno, name);
	if (ftruncate(log->fd, (off_t)offset) < 0)
		return describe_write_failure(err, errno, EVIDENCE_LOG_NAME);
	return 0;
}

/*
 * Reads the log from @offset on and moves log->at to the newest line that follows it.
 * @is_strict:  only lines of the chain; else any whole line, as there is nothing to hold it to
 */
static int follow(struct log *log, uint64_t offset, uint64_t size, bool is_strict,
		  struct error *err)
{
	CLEANUP(evidence_reader_fini) struct evidence_reader reader = { .fd = -1 };
	int r = evidence_reader_init(&reader, log->fd, offset, size, err);
	if (r < 0)
		return r;
	for (;;) {
		struct evidence_line line;
		r = evidence_reader_next(&reader, err);
		if (r < 0 || r == EVIDENCE_PIECE_END)
			return r;
		if (r == EVIDENCE_PIECE_TORN)
			return tear_off(log, reader.offset, err);
		if (r != EVIDENCE_PIECE_LINE ||
		    evidence_line_parse(reader.bytes, reader.len, &line) ||
		    !evidence_line_has_right_hash(&line, reader.bytes))
			continue;
		if (is_strict &&
		    (line.seq != log->at.seq + 1 || strcmp(line.prev, log->at.hash) != 0))
			continue;
		log->at.seq = line.seq;
		memcpy(log->at.hash, line.hash, sizeof(log->at.hash));
	}
}

static int read_at(int fd, uint64_t offset, char *bytes, size_t len, struct error *err)
{
	ssize_t n;
	do {
		n = pread(fd, bytes, len, (off_t)offset);
	} while (n < 0 && errno == EINTR);
	if (n == (ssize_t)len)
		return 0;
	int r = error_set(err, ERR_SYSTEM, n < 0 ? errno : 0, EVIDENCE_LOG_NAME,
			  "cannot be read at byte %" PRIu64, offset);
	return error_remedy(err, r, "look at the disk that holds it");
}

/* Where the line begins that the log has up to @offset; @offset itself behind a line break. */
static int find_line_start(int fd, uint64_t offset, uint64_t *ret_start, struct error *err)
{
	char bytes[1024];
	while (offset > 0) {
		size_t len = (size_t)MIN((uint64_t)sizeof(bytes), offset);
		int r = read_at(fd, offset - len, bytes, len, err);
		if (r < 0)
			return r;
		const char *line_break = memrchr(bytes, '\n', len);
		if (line_break) {
			*ret_start = offset - len + (size_t)(line_break - bytes) + 1;
			return 0;
		}
		offset -= len;
	}
	*ret_start = 0;
	return 0;
}

/* There is no head: the newest line is near the end, or, if the end is not a log, anywhere. */
static int recover(struct log *log, uint64_t size, struct error *err)
{
	uint64_t window = 2 * (uint64_t)EVIDENCE_MAX_LINE_BYTES, start = 0;
	int r = find_line_start(log->fd, size > window ? size - window : 0, &start, err);
	if (r < 0)
		return r;
	log->at = (struct evidence_head){ .hash = EVIDENCE_NO_HASH };
	r = follow(log, start, size, false, err);
	if (r < 0 || log->at.seq > 0 || start == 0)
		return r;
	return follow(log, 0, size, false, err);
}

/* The log is not longer than head says: an unfinished line is all that can be mended. */
static int check_end(struct log *log, uint64_t size, struct error *err)
{
	uint64_t start = 0;
	int r = find_line_start(log->fd, size, &start, err);
	if (r < 0 || start == size)
		return r;
	return tear_off(log, start, err);
}

static int log_size(int fd, uint64_t *ret_size, struct error *err)
{
	struct stat status;
	if (fstat(fd, &status) < 0)
		return describe_write_failure(err, errno, EVIDENCE_LOG_NAME);
	*ret_size = (uint64_t)status.st_size;
	return 0;
}

/* Finds the newest line and mends what a crash left. */
static int log_settle(struct log *log, struct error *err)
{
	uint64_t size = 0;
	int r = log_size(log->fd, &size, err);
	if (r < 0)
		return r;
	int head = evidence_head_read(log->head_fd, &log->at, err);
	if (head < 0)
		return head;
	if (head > 0)
		r = recover(log, size, err);
	else if (size > log->at.log_bytes)
		r = follow(log, log->at.log_bytes, size, true, err);
	else
		r = check_end(log, size, err);
	return r < 0 ? r : log_size(log->fd, &log->at.log_bytes, err);
}

/* A writer that was stopped while it held the lock would hold every other run as well. */
static int wait_for_lock(int fd, struct error *err)
{
	const struct timespec pause = { .tv_nsec = LOCK_PAUSE_NS };
	for (uint64_t waited_ns = 0; flock(fd, LOCK_EX | LOCK_NB) < 0; waited_ns += LOCK_PAUSE_NS) {
		if (errno != EWOULDBLOCK && errno != EINTR) {
			int r = error_set(err, ERR_SYSTEM, errno, EVIDENCE_LOG_NAME,
					  "cannot be locked");
			return error_remedy(err, r,
					    "name a folder on a local disk in evidence.path");
		}
		if (waited_ns >= LOCK_PATIENCE_NS) {
			int r = error_set(err, ERR_UNAVAILABLE, 0, EVIDENCE_LOG_NAME,
					  "has been locked by somebody else for 7 s");
			return error_remedy(err, r, "look in /proc/locks for a stopped process");
		}
		(void)nanosleep(&pause, NULL);
	}
	return 0;
}

static int log_lock(struct log *log, struct error *err)
{
	int r = evidence_file_open(log->dir_fd, EVIDENCE_LOG_NAME, O_RDWR | O_APPEND, &log->fd,
				   err);
	if (r < 0)
		return r;
	r = evidence_file_open(log->dir_fd, EVIDENCE_HEAD_NAME, O_RDWR, &log->head_fd, err);
	if (r < 0)
		return r;
	return wait_for_lock(log->fd, err);
}

/* The answer of a signer:  64 digits, a space, 88 characters of base64. */
static bool is_signature(const struct buf *answer)
{
	const char *text = buf_string(answer);
	size_t n_key = DIGEST_HEX_BYTES - 1;
	return buf_is_whole(answer) && answer->len == n_key + 1 + EVIDENCE_SIGNATURE_CHARS &&
	       strspn(text, "0123456789abcdef") == n_key && text[n_key] == ' ' &&
	       strspn(text + n_key + 1, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
					"0123456789+/=") == EVIDENCE_SIGNATURE_CHARS;
}

static int add_signature(struct buf *line, const uint8_t hash[DIGEST_BYTES], evidence_sign sign,
			 void *context, struct error *err)
{
	auto_buf struct buf answer = BUF_INIT(256);
	int r = sign(context, hash, &answer, err);
	if (r < 0)
		return r;
	if (!is_signature(&answer)) {
		r = error_set(err, ERR_PROTOCOL, 0, "evidence.sign",
			      "the signer's answer is not a key and a signature");
		return error_remedy(err, r, "try it with foso-evidence sign --key FILE");
	}
	buf_printf(line, ",\"key\":\"%.*s\",\"sig\":\"%s\"", DIGEST_HEX_BYTES - 1, answer.data,
		   answer.data + DIGEST_HEX_BYTES);
	return 0;
}

/* What shall be appended. */
struct entry {
	const char *record; /* borrowed, as all here */
	size_t len;
	evidence_sign sign; /* or NULL */
	void *context;
};

/* The line after log->at, with its line break; *ret_next is where the log is with it. */
static int line_build(const struct log *log, const struct entry *entry, struct buf *line,
		      struct evidence_head *ret_next, struct error *err)
{
	uint8_t digest[DIGEST_BYTES];
	struct evidence_head next = { .seq = log->at.seq + 1 };
	buf_printf(line, "{\"seq\":%" PRIu64 ",\"prev\":\"%s\",\"record\":", next.seq,
		   log->at.hash);
	buf_append(line, entry->record, entry->len);
	digest_sha256(buf_string(line), line->len, NULL, 0, digest);
	digest_hex(digest, next.hash);
	buf_printf(line, ",\"hash\":\"%s\"", next.hash);
	int r = entry->sign ? add_signature(line, digest, entry->sign, entry->context, err) : 0;
	if (r < 0)
		return r;
	buf_append_string(line, "}\n");
	if (!buf_is_whole(line)) {
		r = error_set(err, ERR_SYSTEM, ENOMEM, EVIDENCE_LOG_NAME, "cannot be written");
		return error_remedy(err, r, "free some memory");
	}
	next.log_bytes = log->at.log_bytes + line->len;
	*ret_next = next;
	return 0;
}

/* A line that does not fit is taken back, so that what follows is not glued to its rest. */
static int line_write(struct log *log, const struct buf *line, struct error *err)
{
	int errnum = write_whole(log->fd, line->data, line->len);
	if (errnum == 0)
		return 0;
	int is_left = ftruncate(log->fd, (off_t)log->at.log_bytes);
	int r = describe_write_failure(err, errnum, EVIDENCE_LOG_NAME);
	if (is_left < 0)
		return error_remedy(err, r,
				    "free some space on its disk; the unfinished line at "
				    "the end is moved away by the next run");
	return r;
}

static int check_record(const char *record, size_t len, struct error *err)
{
	if (len > EVIDENCE_MAX_RECORD_BYTES) {
		int r = error_set(err, ERR_LIMIT, 0, "record", "has %zu bytes, and a line holds %d",
				  len, EVIDENCE_MAX_RECORD_BYTES);
		return error_remedy(err, r, "shorten its notes");
	}
	if (len < 2 || record[0] != '{' || record[len - 1] != '}' || memchr(record, '\n', len))
		return error_set(err, ERR_INTERNAL, 0, "record",
				 "is not one JSON object in a line");
	return 0;
}

int evidence_log_append(int dir_fd, const char *record_json, size_t len, evidence_sign sign,
			void *context, struct error *err)
{
	CLEANUP(log_close) struct log log = { .dir_fd = dir_fd, .fd = -1, .head_fd = -1 };
	not_zeroed char storage[6144];
	auto_buf struct buf line = BUF_ON(storage, EVIDENCE_MAX_LINE_BYTES + 1);
	struct entry entry = { record_json, len, sign, context };
	struct evidence_head next;
	int r = check_record(record_json, len, err);
	if (r < 0)
		return r;
	r = log_lock(&log, err);
	if (r < 0)
		return r;
	r = log_settle(&log, err);
	if (r < 0)
		return r;
	r = line_build(&log, &entry, &line, &next, err);
	if (r < 0)
		return r;
	r = line_write(&log, &line, err);
	if (r < 0)
		return r;
	log.at = next;
	return head_write(&log, err);
}
