/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - an append-only file of records, each bound to the one before
 *
 * A line of "log.jsonl" is  {"seq":N,"prev":"HEX","record":{...},"hash":"HEX"}  or, signed, with
 * ,"key":"HEX","sig":"BASE64"  before the closing brace.  hash is the SHA-256 of all bytes of
 * the line before ,"hash" ; prev is the hash of line N-1 (64 zeros for the first, whose N is 1).
 * The key is the SHA-256 of the raw public key.  The signature is over the 32 bytes of the hash.
 * So an edited, cut or reordered line breaks the chain, and the file "head" (seq and hash of the
 * newest line, size of the log) shows when the tail was cut.
 *
 * Nothing is synced to the disk: a loss of power may take the records of the last half minute,
 * which verification then shows, as the kernel may have written head before the log.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

#define EVIDENCE_LOG_NAME       "log.jsonl"
#define EVIDENCE_HEAD_NAME      "head"
#define EVIDENCE_TORN_PREFIX    "torn-"
#define EVIDENCE_DEFAULT_FOLDER "/var/lib/foso/evidence"

/*
 * evidence_log_path() - the folder that evidence_log_open() would take
 * @path:  the policy's evidence.path, or "" for /var/lib/foso/evidence (root) or
 *         $XDG_DATA_HOME/foso/evidence, $HOME/.local/share/foso/evidence (others)
 *
 * Returns 0; -ERR_NOT_FOUND, subject "evidence.path", if there is no default for this user;
 * -ERR_LIMIT if it is longer than PATH_MAX.
 */
int evidence_log_path(const char *path, struct buf *ret_path, struct error *err) must_check;

/*
 * evidence_log_open() - the folder of the log, made with mode 0700 if it is missing
 * @path:  as above
 *
 * Returns a descriptor of the folder; with the path as subject: -ERR_DENIED if it may not be
 * written, is or holds a symbolic link, belongs to someone else or may be written by others;
 * -ERR_NOT_FOUND; -ERR_SYSTEM, also if less than 1 MiB is free there, or may be added under the
 * caller's RLIMIT_FSIZE.  Makes the files, too.
 * Done before the sandbox starts, so that a run which could not leave its evidence is refused
 * and not found out afterwards.
 */
int evidence_log_open(const char *path, int *ret_dir_fd, struct error *err) must_check;

/*
 * evidence_sign - computes the signature of a hash
 *
 * Appends to @ret the 64 hexadecimal digits of the key, a space, and the 88 of the signature in
 * base64: "HEX BASE64".  evidence_signer_sign() (signer.h) is one.
 */
typedef int (*evidence_sign)(void *context, const uint8_t hash[32], struct buf *ret,
			     struct error *err);

/*
 * evidence_log_append() - one line, atomically with respect to other writers (flock)
 * @record_json:  output of evidence_record_format(): one object, no line break
 * @sign:         or NULL; @context is passed to it
 *
 * One write at the end of the file; the rest of the log is not read.  What a crash left behind is
 * repaired first: an unfinished line is moved to "torn-<time>", lines that head does not know
 * yet are followed, a lost head is made anew from the newest line.  If the log is shorter than
 * head says, the new line follows head: the gap stays visible for ever.
 *
 * Returns 0; -ERR_SYSTEM (no space, ...), -ERR_DENIED, -ERR_UNAVAILABLE, -ERR_LIMIT for a record
 * above EVIDENCE_MAX_RECORD_BYTES, -ERR_PROTOCOL for a malformed signature, or what @sign returns.
 * On failure no part of the line is in the log, or, if it could not be taken back, an unfinished
 * line that the next call moves away.  With "head" as the subject the line is in the log, and
 * only head does not know it; the next call mends that.
 *
 * Works after the caller has restricted itself: it opens only below @dir_fd, and calls only
 * openat, flock, nanosleep, fstat, geteuid, pread64, write, pwrite64, ftruncate, renameat,
 * clock_gettime, close, and brk, mmap or munmap for memory.  (evidence_record_format() also calls
 * uname.)  It waits for other writers, each of which holds the lock for some microseconds, or as
 * long as its signer takes (at most 5 s): -ERR_UNAVAILABLE when 7 s have passed.
 */
int evidence_log_append(int dir_fd, const char *record_json, size_t len, evidence_sign sign,
			void *context, struct error *err) must_check;
