/* SPDX-License-Identifier: Apache-2.0 */
/* store.h - a log as foso-evidence reads it: a folder, or a copy of log.jsonl alone */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"
#include "evidence/line.h"

enum store_head {
	STORE_HEAD_READ,
	STORE_HEAD_MALFORMED,
	STORE_HEAD_MISSING,
	STORE_HEAD_NONE, /* a single file was named, which has none */
};

struct store {
	char path[PATH_MAX]; /* as the user named it, or the default */
	int log_fd;          /* owned */
	uint64_t log_bytes;  /* its size, as of the moment when head was read */
	enum store_head head_state;
	struct evidence_head head; /* STORE_HEAD_READ; an empty file is read as record 0 */
	size_t n_torn;             /* unfinished lines that were moved away */
};

/*
 * store_open() - @path is a folder, a file, or NULL for the caller's own log
 *
 * Log and head are looked at under the lock, so that they belong together; afterwards writers
 * may go on, as a log only grows.  -ERR_NOT_FOUND, -ERR_DENIED, -ERR_INVALID, -ERR_SYSTEM.
 */
int store_open(struct store *ret, const char *path, struct error *err) must_check;
void store_close(struct store *store);

/* head_file_read() - a head that was kept elsewhere; -ERR_INVALID if the file is no head. */
int head_file_read(const char *path, struct evidence_head *ret, struct error *err) must_check;
