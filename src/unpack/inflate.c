/* SPDX-License-Identifier: Apache-2.0 */
/*
 * inflate.c - gzip, zstd, xz and bzip2 to plain bytes
 *
 * Apart from the reading of tars, so that foso-image sees what comes out: it counts the bytes and
 * hashes them, and a layer whose bytes are not those of its diff id never becomes one.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "unpack/tar.h"

static const struct packing {
	const char *name;
	int filter; /* of archive.h */
	int (*support)(struct archive *archive);
} packings[] = {
	{ "gzip", ARCHIVE_FILTER_GZIP, archive_read_support_filter_gzip },
	{ "zstd", ARCHIVE_FILTER_ZSTD, archive_read_support_filter_zstd },
	{ "xz", ARCHIVE_FILTER_XZ, archive_read_support_filter_xz },
	{ "bzip2", ARCHIVE_FILTER_BZIP2, archive_read_support_filter_bzip2 },
};

static const struct packing *find_packing(const char *name)
{
	for (size_t i = 0; i < ARRAY_LEN(packings); i++)
		if (strcmp(packings[i].name, name) == 0)
			return &packings[i];
	return NULL;
}

static struct archive *open_raw(struct unpack_fault *fault, const char *name, int fd,
				int *ret_filter)
{
	auto_archive struct archive *archive = archive_read_new();
	const struct packing *packing = find_packing(name);
	if (!archive || !packing) {
		(void)fault_system(fault, archive ? EINVAL : ENOMEM, "");
		return NULL;
	}
	*ret_filter = packing->filter;
	int r = packing->support(archive);
	if (r == ARCHIVE_OK)
		r = archive_read_support_format_raw(archive);
	if (r == ARCHIVE_OK)
		r = tar_read_from(archive, fd, false);
	if (r != ARCHIVE_OK) {
		(void)fault_set(fault, IMAGE_FAULT_COMPRESSION, "", 0, 0);
		return NULL;
	}
	return take_ptr(&archive);
}

/* Whoever counts stops reading when it is enough; then there is nobody to tell. */
static int write_all(struct unpack_fault *fault, const char *bytes, size_t len)
{
	while (len > 0) {
		ssize_t n = write(STDOUT_FILENO, bytes, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return fault_system(fault, errno, "");
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

static int copy_out(struct unpack_fault *fault, struct archive *archive)
{
	const void *bytes;
	size_t len;
	la_int64_t offset;
	int r;
	while ((r = archive_read_data_block(archive, &bytes, &len, &offset)) == ARCHIVE_OK) {
		if (write_all(fault, bytes, len) < 0)
			return -1;
	}
	if (r == ARCHIVE_EOF)
		return 0;
	(void)tar_failed(fault, archive, "");
	if (fault->id == IMAGE_FAULT_TAR)
		fault->id = IMAGE_FAULT_COMPRESSION;
	return -1;
}

int unpack_inflate(struct unpack *unpack, const char *packing)
{
	struct unpack_fault *fault = &unpack->fault;
	struct archive_entry *entry;
	int filter;
	unpack->answer->kind = IMAGE_ANSWER_LAYER;
	auto_archive struct archive *archive = open_raw(fault, packing, STDIN_FILENO, &filter);
	if (!archive)
		return -1;
	int r = archive_read_next_header(archive, &entry);
	if (archive_filter_code(archive, 0) != filter)
		return fault_set(fault, IMAGE_FAULT_COMPRESSION, "", 0, 0);
	if (r == ARCHIVE_EOF)
		return 0;
	if (r != ARCHIVE_OK)
		return fault_set(fault, IMAGE_FAULT_COMPRESSION, "", 0, 0);
	return copy_out(fault, archive);
}
