/* SPDX-License-Identifier: Apache-2.0 */
/* tar.h - libarchive as foso uses it: tar alone, from stdin, and what its complaints mean */
#pragma once

#include <archive.h>
#include <archive_entry.h>

#include "unpack/unpack.h"

#define TAR_BLOCK_BYTES ((size_t)256 * 1024)

static inline void tar_free(struct archive **archive)
{
	if (*archive)
		(void)archive_read_free(*archive);
}
#define auto_archive CLEANUP(tar_free)

/*
 * tar_read_from() - let @archive read @fd; an archive_read_open...() without its fstat()
 * @can_skip:  what is passed over may be skipped by lseek()
 *
 * archive_read_open_fd() asks by fstat(), which is a system call that takes a path.
 */
int tar_read_from(struct archive *archive, int fd, bool can_skip);

/* tar_open() - a reader of @fd; NULL and a fault if there is no memory. */
struct archive *tar_open(struct unpack_fault *fault, int fd, bool can_skip);

/* tar_next() - 0 and the next entry, 1 at the end, -1; @at is the member before it. */
int tar_next(struct unpack_fault *fault, struct archive *archive, struct archive_entry **ret_entry,
	     const char *at);

/* tar_failed() - the fault that libarchive's last complaint stands for. */
int tar_failed(struct unpack_fault *fault, struct archive *archive, const char *at);
