/* SPDX-License-Identifier: Apache-2.0 */
/* source.h - where an image comes from: a folder, or an archive whose members are known */
#pragma once

#include "image/write/unpacker.h"

struct source {
	enum image_format format;
	const char *path;                   /* as the user wrote it; borrowed */
	int dir_fd;                         /* of a folder; -1: an archive */
	int file_fd;                        /* the archive, unpacked */
	int packed_fd;                      /* of a root file system: the file as it came */
	enum image_compression compression; /* of packed_fd */
	uint8_t diff_id[DIGEST_BYTES];      /* of file_fd, if it was unpacked */
	struct unpack_reply members;
};

/*
 * source_open() - find out what @path is ("-" is stdin)
 * @format:  "oci", "docker", "rootfs", or NULL: what it looks like
 *
 * A packed archive is unpacked into the staging folder, a stream is copied there.
 */
int source_open(struct staging *staging, const char *path, const char *format,
		const struct unpack_limits *limits, struct source *ret, struct error *err)
	must_check;

/*
 * source_find() - the file @name of the image
 * @ret_owned_fd:  to close afterwards; -1 if it is part of the archive
 *
 * -ERR_NOT_FOUND.
 */
int source_find(const struct source *source, const char *name, struct blob_source *ret,
		int *ret_owned_fd, struct error *err) must_check;

/* source_sniff_blob() - whether a blob is packed, by its first bytes. */
int source_sniff_blob(const struct staging *staging, const uint8_t digest[DIGEST_BYTES],
		      enum image_compression *ret_compression, struct error *err) must_check;

void source_fini(struct source *source);
