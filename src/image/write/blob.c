/* SPDX-License-Identifier: Apache-2.0 */
/* blob.c - bytes into the staging folder, named by their digest */
#include "image/write/blob.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "image/write/hash.h"

#define PART_BYTES ((size_t)1024 * 1024)

static const char fresh[] = "blobs/fresh";

void blob_label(const char *what, const uint8_t digest[DIGEST_BYTES],
		char ret_label[BLOB_LABEL_BYTES])
{
	char hex[DIGEST_HEX_BYTES];
	digest_hex(digest, hex);
	(void)snprintf(ret_label, BLOB_LABEL_BYTES, "%s (sha256:%.12s)", what, hex);
}

static int failed(struct error *err, const char *where, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errno, where, "%s", what);
	return error_remedy(err, r, "look at the free space and inodes of the image store's disk");
}

static void staged_path(const uint8_t digest[DIGEST_BYTES], char path[IMAGE_PATH_BYTES])
{
	char hex[DIGEST_HEX_BYTES];
	digest_hex(digest, hex);
	(void)snprintf(path, IMAGE_PATH_BYTES, "blobs/%s", hex);
}

static int open_fresh(struct staging *staging, const char *where, int *ret_fd, struct error *err)
{
	int fd = openat(staging->dir_fd, fresh,
			O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0)
		return failed(err, where, "no blob can be made");
	*ret_fd = fd;
	return 0;
}

static int copy(const struct blob_source *source, int to_fd, struct hash *hash, const char *where,
		struct error *err)
{
	static char part[PART_BYTES];
	uint64_t at = 0;
	while (at < source->n_bytes) {
		size_t wanted = (size_t)MIN(source->n_bytes - at, (uint64_t)sizeof(part));
		ssize_t n = pread(source->fd, part, wanted, (off_t)(source->offset + at));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed(err, where, "cannot be read");
		if (n == 0) {
			int r = error_set(err, ERR_CORRUPT, 0, where,
					  "ends after %llu of %llu bytes", (unsigned long long)at,
					  (unsigned long long)source->n_bytes);
			return error_remedy(err, r, "fetch or make the image anew");
		}
		hash_update(hash, part, (size_t)n);
		if (fd_write_all(to_fd, part, (size_t)n) < 0)
			return failed(err, where, "cannot be written to the image store");
		at += (uint64_t)n;
	}
	return 0;
}

static int check_digest(const uint8_t digest[DIGEST_BYTES], const uint8_t *expected,
			const char *where, struct error *err)
{
	char hex[DIGEST_HEX_BYTES];
	if (!expected || memcmp(digest, expected, DIGEST_BYTES) == 0)
		return 0;
	digest_hex(digest, hex);
	int r = error_set(err, ERR_CORRUPT, 0, where, "its bytes have another digest: sha256:%s",
			  hex);
	return error_remedy(err, r, "the image was damaged or changed: fetch it anew");
}

static int keep_fresh(struct staging *staging, const uint8_t digest[DIGEST_BYTES],
		      const char *where, struct error *err)
{
	char path[IMAGE_PATH_BYTES];
	staged_path(digest, path);
	if (renameat(staging->dir_fd, fresh, staging->dir_fd, path) < 0)
		return failed(err, where, "cannot be named by its digest");
	return 0;
}

int blob_take(struct staging *staging, const struct blob_source *source, const uint8_t *expected,
	      const char *where, uint8_t ret_digest[DIGEST_BYTES], struct error *err)
{
	auto_hash struct hash hash = { NULL };
	auto_fd int fd = -1;
	int r = open_fresh(staging, where, &fd, err);
	if (r == 0)
		r = hash_init(&hash, err);
	if (r == 0)
		r = copy(source, fd, &hash, where, err);
	if (r < 0)
		return r;
	hash_final(&hash, ret_digest);
	r = check_digest(ret_digest, expected, where, err);
	return r < 0 ? r : keep_fresh(staging, ret_digest, where, err);
}

int blob_write(struct staging *staging, const void *bytes, size_t len,
	       uint8_t ret_digest[DIGEST_BYTES], struct error *err)
{
	auto_fd int fd = -1;
	int r = open_fresh(staging, "blob", &fd, err);
	if (r < 0)
		return r;
	if (fd_write_all(fd, bytes, len) < 0)
		return failed(err, "blob", "cannot be written to the image store");
	digest_sha256(bytes, len, NULL, 0, ret_digest);
	return keep_fresh(staging, ret_digest, "blob", err);
}

int blob_open(const struct staging *staging, const uint8_t digest[DIGEST_BYTES], int *ret_fd,
	      struct error *err)
{
	char path[IMAGE_PATH_BYTES];
	int flags = O_RDONLY | O_NOFOLLOW | O_CLOEXEC;
	staged_path(digest, path);
	int fd = openat(staging->dir_fd, path, flags);
	if (fd < 0 && errno == ENOENT) {
		image_blob_path(digest, path);
		fd = openat(staging->store->dir_fd, path, flags);
	}
	if (fd < 0)
		return failed(err, path, "cannot be opened");
	*ret_fd = fd;
	return 0;
}
