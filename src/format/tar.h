/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar.h - writing the headers of a tar archive, as layers of OCI images are
 *
 * The form is ustar, with pax records for what does not fit (POSIX.1-2008, pax, "pax Interchange
 * Format"), extended attributes as SCHILY.xattr.NAME.  The same entry always gives the same
 * bytes: no name of a user, no access time, no time of the writing.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"

#define TAR_BLOCK_BYTES 512

enum tar_type {
	TAR_FILE = '0',
	TAR_HARD_LINK = '1',
	TAR_LINK = '2',
	TAR_FOLDER = '5',
	TAR_FIFO = '6',
};

struct tar_entry {
	enum tar_type type;
	const char *path;     /* relative, without a slash at its end; any bytes but NUL */
	const char *leads_to; /* of links, else NULL */
	uint32_t mode;        /* permission bits */
	uint32_t uid, gid;    /* up to 2097151 */
	uint64_t size;        /* of FILE: bytes that follow the header, filled up to a block */
	int64_t mtime_s;
	const struct buf *xattrs; /* pax records made by tar_xattr(); or NULL */
};

/* tar_header() - appends the header, with a pax header before it where one is needed. */
void tar_header(const struct tar_entry *entry, struct buf *out);

/* tar_xattr() - appends the record of one extended attribute, for tar_entry.xattrs. */
void tar_xattr(struct buf *records, const char *name, const void *value, size_t len);

/* tar_padding() - how many zero bytes follow @size bytes of content. */
static inline size_t tar_padding(uint64_t size)
{
	return (size_t)((TAR_BLOCK_BYTES - size % TAR_BLOCK_BYTES) % TAR_BLOCK_BYTES);
}

/* The end of an archive: two blocks of zeroes. */
#define TAR_END_BYTES (2 * TAR_BLOCK_BYTES)
