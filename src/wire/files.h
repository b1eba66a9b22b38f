/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files.h - files on their way into a root file system, as a stream
 *
 * foso-image walks what COPY names, on the host; foso-copy, inside the sandbox of the step, puts
 * it there.  A pipe is between them:
 *
 *   ORDER   name: an encoded struct files_order
 *   SOURCE  name: what the source is called; mode: of its kind.  Then what is in it, folders
 *           before what they hold, names in the order of strcmp(); "" is the source itself:
 *   FOLDER  mode
 *   FILE    mode; then size bytes
 *   LINK    then size bytes, where it leads
 *   END
 *
 * The same records without their times are what the content of a COPY is named by in the cache.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"

#define FILES_HEADER_BYTES    36
#define FILES_MAX_NAME_BYTES  4095
#define FILES_MAX_ORDER_BYTES 16384
#define FILES_NO_MODE         UINT32_MAX

enum files_type {
	FILES_ORDER,
	FILES_SOURCE,
	FILES_FOLDER,
	FILES_FILE,
	FILES_LINK,
	FILES_END,
	FILES_N_TYPES
};

struct files_header {
	enum files_type type;
	uint32_t mode; /* permission bits; of SOURCE: with the kind */
	uint64_t size;
	int64_t mtime_s;
	uint32_t mtime_ns;
	uint32_t name_len;
};

void files_header_encode(const struct files_header *header, uint8_t ret[FILES_HEADER_BYTES]);
/* false: the bytes are none that encode() makes */
bool files_header_decode(struct files_header *ret, const uint8_t bytes[FILES_HEADER_BYTES])
	must_check;

struct files_order {
	const char *target; /* absolute */
	bool is_folder;     /* the target is a folder, made if it is missing */
	const char *owner;  /* "", USER, or USER:GROUP, of the root it goes to */
	uint32_t mode;      /* of every file and folder; FILES_NO_MODE: as they are */
};

void files_order_encode(const struct files_order *order, struct buf *out);
/* Strings are fresh copies, which the caller frees; on failure there are none. */
bool files_order_decode(struct files_order *ret, const void *bytes, size_t len) must_check;
