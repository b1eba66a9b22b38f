/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tar.c - libarchive as foso uses it
 *
 * The process runs in the C locale, in which libarchive cannot convert a pax name that is not
 * ASCII; it warns and hands out the bytes as they are, which is just what is wanted: a file name
 * is bytes.  Every other warning means that the archive is not what it should be.
 */
#include "unpack/tar.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"

/* There is one input in a process. */
static struct {
	int fd;
	char block[TAR_BLOCK_BYTES];
} input;

static la_ssize_t read_block(struct archive *archive, void *unused, const void **ret_block)
{
	ssize_t n;
	UNUSED(unused);
	do
		n = read(input.fd, input.block, sizeof(input.block));
	while (n < 0 && errno == EINTR);
	if (n < 0)
		archive_set_error(archive, errno, "cannot be read");
	*ret_block = input.block;
	return n;
}

/* Past the end of a file is the end, which the next read tells. */
static la_int64_t skip_bytes(struct archive *archive, void *unused, la_int64_t n_bytes)
{
	UNUSED(archive);
	UNUSED(unused);
	off_t before = lseek(input.fd, 0, SEEK_CUR);
	off_t end = before < 0 ? -1 : lseek(input.fd, 0, SEEK_END);
	if (end < 0)
		return 0;
	off_t n_skipped = MIN((off_t)n_bytes, end - before);
	return lseek(input.fd, before + n_skipped, SEEK_SET) < 0 ? ARCHIVE_FATAL : n_skipped;
}

int tar_read_from(struct archive *archive, int fd, bool can_skip)
{
	input.fd = fd;
	return archive_read_open2(archive, NULL, NULL, read_block, can_skip ? skip_bytes : NULL,
				  NULL);
}

struct archive *tar_open(struct unpack_fault *fault, int fd, bool can_skip)
{
	auto_archive struct archive *archive = archive_read_new();
	if (!archive) {
		(void)fault_system(fault, ENOMEM, "");
		return NULL;
	}
	if (archive_read_support_format_tar(archive) != ARCHIVE_OK ||
	    tar_read_from(archive, fd, can_skip) != ARCHIVE_OK) {
		(void)tar_failed(fault, archive, "");
		return NULL;
	}
	return take_ptr(&archive);
}

int tar_failed(struct unpack_fault *fault, struct archive *archive, const char *at)
{
	const char *text = archive_error_string(archive);
	if (archive_errno(archive) == ENOMEM)
		return fault_set(fault, IMAGE_FAULT_MEMORY, at, 0, 0);
	if (text && (strcasestr(text, "truncated") || strcasestr(text, "end of file")))
		return fault_set(fault, IMAGE_FAULT_CUT, at, 0, 0);
	return fault_set(fault, IMAGE_FAULT_TAR, at, 0, 0);
}

int tar_next(struct unpack_fault *fault, struct archive *archive, struct archive_entry **ret_entry,
	     const char *at)
{
	int r = archive_read_next_header(archive, ret_entry);
	if (r == ARCHIVE_EOF)
		return 1;
	const char *text = r == ARCHIVE_WARN ? archive_error_string(archive) : NULL;
	if (r == ARCHIVE_OK || (text && strstr(text, "can't be converted")))
		return 0;
	return tar_failed(fault, archive, at);
}
