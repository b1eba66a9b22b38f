/* SPDX-License-Identifier: Apache-2.0 */
/*
 * log.h - an append-only file of records, each bound to the one before
 *
 * A line is  {"seq":N,"prev":"HEX","record":{...},"hash":"HEX"}  or, signed, with
 * ,"key":"HEX","sig":"BASE64"  before the closing brace.  hash is the SHA-256 of all bytes of
 * the line before ,"hash" ; prev is the hash of line N-1 (64 zeros for the first).  The key is
 * the SHA-256 of the raw public key.  The signature is over the 32 bytes of the hash.  So an
 * edited, cut or reordered line breaks the chain, and the file "head" (seq and hash of the
 * newest line) shows when the tail was cut.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

/*
 * evidence_log_open() - the folder of the log, made with mode 0700 if it is missing
 * @path:  the policy's evidence.path, or "" for /var/lib/foso/evidence (root) or
 *         $XDG_DATA_HOME/foso/evidence, ~/.local/share/foso/evidence (others; @home)
 *
 * Returns a descriptor of the folder; -ERR_DENIED, -ERR_NOT_FOUND, -ERR_SYSTEM with the path as
 * subject.  Done before the sandbox starts, so that a run which could not leave its evidence is
 * refused and not found out afterwards.
 */
int evidence_log_open(const char *path, int *ret_dir_fd, struct error *err) must_check;

/*
 * evidence_log_append() - one line, atomically with respect to other writers (flock)
 * @record_json:  output of evidence_record_format()
 * @sign:         computes the signature of a hash, or NULL; @context is passed to it
 *
 * A line that a crash cut short is repaired first: the partial tail is moved to "torn-<time>".
 * Works after the caller has restricted itself: it opens only below @dir_fd.
 */
typedef int (*evidence_sign)(void *context, const uint8_t hash[32], struct buf *ret_key_and_sig,
			     struct error *err);
int evidence_log_append(int dir_fd, const char *record_json, size_t len, evidence_sign sign,
			void *context, struct error *err) must_check;
