/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_add.c - ADD of an archive: foso-unpack makes its files in a folder of the build
 *
 * As a layer of its own would be made, with the same walls and bounds; the walk then takes the
 * files from there.  What is an archive is decided by the first bytes alone.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "buildtool/build.h"
#include "image/write/remove.h"
#include "image/write/spawn.h"
#include "image/write/unpacker.h"

#define MAX_RATIO   1000
#define MAX_BYTES   (UINT64_C(64) << 30)
#define MAX_ENTRIES (UINT64_C(1) << 20)
#define DEADLINE_NS (UINT64_C(1800) * 1000000000)
#define MAGIC_AT    257 /* of "ustar" in the header of a tar */

static int fail(const char *name, int errnum, const char *what, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errnum, name, "%s", what);
	return error_remedy(err, r, "look at the disk that holds the image store");
}

static bool is_tar(int fd)
{
	char magic[5];
	return pread(fd, magic, sizeof(magic), MAGIC_AT) == (ssize_t)sizeof(magic) &&
	       memcmp(magic, "ustar", sizeof(magic)) == 0;
}

/* 0 and how it is packed; 1: it is a plain file. */
static int find_packing(int fd, const char *name, enum image_compression *ret, struct error *err)
{
	char bytes[8];
	ssize_t n = pread(fd, bytes, sizeof(bytes), 0);
	if (n < 0)
		return fail(name, errno, "cannot be read", err);
	*ret = image_compression_of(bytes, (size_t)n);
	return *ret != IMAGE_COMPRESSION_NONE || is_tar(fd) ? 0 : 1;
}

/* The plain bytes in a file without a name; the file itself where it is not packed. */
static int inflate(const struct build *build, int fd, enum image_compression compression,
		   const char *name, int *ret_fd, struct error *err)
{
	uint8_t digest[DIGEST_BYTES];
	const struct unpack_limits limits = { .max_entries = MAX_ENTRIES,
					      .max_bytes = MAX_BYTES,
					      .max_ratio = MAX_RATIO,
					      .deadline_ns = monotonic_ns() + DEADLINE_NS };
	auto_fd int plain_fd = -1;
	if (compression == IMAGE_COMPRESSION_NONE) {
		*ret_fd = fcntl(fd, F_DUPFD_CLOEXEC, 3);
		return *ret_fd < 0 ? fail(name, errno, "cannot be read", err) : 0;
	}
	int r = build_layer_file(build, &plain_fd, err);
	if (r == 0)
		r = unpack_inflate(fd, compression, plain_fd, &limits, name, digest, err);
	if (r == 0 && !is_tar(plain_fd))
		return 1;
	*ret_fd = take_fd(&plain_fd);
	return r;
}

static int make_folder(const struct build *build, const char *top, const char *name,
		       struct error *err)
{
	char path[128];
	struct error unused = { .code = ERR_NONE };
	static const char *const folders[] = { "", "/fs", "/work" };
	(void)!tree_remove(build->store.dir_fd, top, &unused);
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		(void)snprintf(path, sizeof(path), "%s%s", top, folders[i]);
		if (mkdirat(build->store.dir_fd, path, 0755) < 0 ||
		    fchmodat(build->store.dir_fd, path, 0755, 0) < 0)
			return fail(name, errno, "no folder can be made for its files", err);
	}
	return 0;
}

static int make_files(const struct build *build, int tar_fd, const char *top, const char *name,
		      struct error *err)
{
	static struct image_answer answer;
	char numbers[2][32];
	const char *const words[] = { "layer", numbers[0], numbers[1],
				      store_is_flat() ? "flat" : "keep", NULL };
	auto_buf struct buf bytes = BUF_INIT(IMAGE_ANSWER_BYTES);
	struct child child = CHILD_NONE;
	(void)snprintf(numbers[0], sizeof(numbers[0]), "%llu", (unsigned long long)MAX_ENTRIES);
	(void)snprintf(numbers[1], sizeof(numbers[1]), "%llu", (unsigned long long)MAX_BYTES);
	if (lseek(tar_fd, 0, SEEK_SET) != 0)
		return fail(name, errno, "cannot be read", err);
	int r = child_start_apart(&build->store, words, tar_fd, top, false, &child, err);
	if (r == 0)
		r = child_answer(&child, monotonic_ns() + DEADLINE_NS, &bytes, err);
	if (r == 0)
		r = image_answer_decode(bytes.data, bytes.len, IMAGE_ANSWER_LAYER, &answer, err);
	if (r == 0 && answer.kind == IMAGE_ANSWER_FAULT)
		r = image_fault_error(&answer.fault, name, err);
	child_fini(&child);
	return r;
}

int build_unpack(struct build *build, int fd, const char *name, int *ret_tree_fd, struct error *err)
{
	enum image_compression compression;
	char top[96], path[128];
	auto_fd int tar_fd = -1;
	int r = find_packing(fd, name, &compression, err);
	if (r == 0)
		r = inflate(build, fd, compression, name, &tar_fd, err);
	if (r != 0)
		return r;
	(void)snprintf(top, sizeof(top), "%s/add", build->staging.name);
	r = make_folder(build, top, name, err);
	if (r == 0)
		r = make_files(build, tar_fd, top, name, err);
	if (r != 0)
		return r;
	(void)snprintf(path, sizeof(path), "%s/fs", top);
	*ret_tree_fd =
		openat(build->store.dir_fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return *ret_tree_fd < 0 ? fail(name, errno, "its files cannot be read", err) : 0;
}
