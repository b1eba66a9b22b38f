/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dir.h - the names in a folder, read on the stack
 *
 * readdir(3) allocates, and a short program pays for its first page of the heap.  The two C
 * libraries also name what getdents64(2) returns differently.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"

struct dir_entry {
	uint64_t inode;
	int64_t offset;
	uint16_t bytes; /* of the whole entry */
	uint8_t type;   /* DT_DIR, ...; DT_UNKNOWN where the file system does not say */
	char name[];
};

struct dir_reader {
	int fd; /* borrowed; its offset moves */
	long len, at;
	_Alignas(struct dir_entry) char entries[4096];
};

/* DIR_READER(name, fd) - a variable: its room need not be cleared. */
#define DIR_READER(name_, fd_)              \
	not_zeroed struct dir_reader name_; \
	name_.fd = (fd_);                   \
	name_.len = name_.at = 0

/* dir_next() - the next entry, "." and ".." included; NULL at the end or if reading fails. */
static inline const struct dir_entry *dir_next(struct dir_reader *reader)
{
	if (reader->at >= reader->len) {
		reader->at = 0;
		reader->len = syscall(SYS_getdents64, reader->fd, reader->entries,
				      sizeof(reader->entries));
		if (reader->len <= 0)
			return NULL;
	}
	const struct dir_entry *entry = (const void *)(reader->entries + reader->at);
	reader->at += entry->bytes;
	return entry;
}
