/* SPDX-License-Identifier: Apache-2.0 */
/* source.c - where an image comes from */
#include "imagetool/source.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "image/write/spawn.h"

static int failed(struct error *err, int errnum, const char *path, const char *what)
{
	enum error_code code = errnum == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM;
	int r = error_set(err, code, errnum, path, "%s", what);
	return error_remedy(err, r, "name a file or folder that exists and that you may read");
}

/* A file of the staging folder that has no name any more. */
static int make_unnamed(struct staging *staging, int *ret_fd, struct error *err)
{
	int fd = openat(staging->dir_fd, ".", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		return failed(err, errno, staging->store->path, "no file can be made there");
	*ret_fd = fd;
	return 0;
}

/* A stream has no offsets, so it becomes a file. */
static int copy_stream(struct staging *staging, int fd, const struct source *source,
		       const struct unpack_limits *limits, int *ret_fd, struct error *err)
{
	static char part[1 << 20];
	uint64_t n_bytes = 0;
	auto_fd int file_fd = -1;
	int r = make_unnamed(staging, &file_fd, err);
	while (r == 0) {
		r = wait_for(fd, POLLIN, limits->deadline_ns, err);
		ssize_t n = r < 0 ? 0 : read(fd, part, sizeof(part));
		if (n == 0)
			break;
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed(err, errno, source->path, "cannot be read");
		n_bytes += (uint64_t)n;
		if (n_bytes > limits->max_bytes) {
			r = error_set(err, ERR_LIMIT, 0, source->path,
				      "is larger than %llu bytes (limit: bytes)",
				      (unsigned long long)limits->max_bytes);
			return error_remedy(err, r,
					    "if you trust the image, give a higher --max-bytes");
		}
		if (write(file_fd, part, (size_t)n) != n)
			return failed(err, errno, staging->store->path, "cannot be written");
	}
	if (r == 0)
		*ret_fd = take_fd(&file_fd);
	return r;
}

static int open_path(struct staging *staging, struct source *source,
		     const struct unpack_limits *limits, struct error *err)
{
	struct stat status;
	bool is_stdin = strcmp(source->path, "-") == 0;
	auto_fd int fd = is_stdin ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3)
				  : openat(AT_FDCWD, source->path, O_RDONLY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return failed(err, errno, source->path, "cannot be opened");
	if (S_ISDIR(status.st_mode))
		source->dir_fd = take_fd(&fd);
	else if (!S_ISREG(status.st_mode) || lseek(fd, 0, SEEK_CUR) != 0)
		return copy_stream(staging, fd, source, limits, &source->file_fd, err);
	else
		source->file_fd = take_fd(&fd);
	return 0;
}

static enum image_compression sniff(int fd)
{
	unsigned char head[8] = { 0 };
	ssize_t n = pread(fd, head, sizeof(head), 0);
	return image_compression_of(head, n < 0 ? 0 : (size_t)n);
}

int source_sniff_blob(const struct staging *staging, const uint8_t digest[DIGEST_BYTES],
		      enum image_compression *ret_compression, struct error *err)
{
	auto_fd int fd = -1;
	int r = blob_open(staging, digest, &fd, err);
	if (r == 0)
		*ret_compression = sniff(fd);
	/* No layer of an image is packed so. */
	if (r == 0 && *ret_compression >= IMAGE_N_COMPRESSIONS)
		*ret_compression = IMAGE_COMPRESSION_NONE;
	return r;
}

static int inflate(struct staging *staging, struct source *source,
		   const struct unpack_limits *limits, struct error *err)
{
	int fd = -1;
	source->compression = sniff(source->file_fd);
	if (source->compression == IMAGE_COMPRESSION_NONE)
		return 0;
	int r = make_unnamed(staging, &fd, err);
	if (r < 0)
		return r;
	source->packed_fd = source->file_fd;
	source->file_fd = fd;
	return unpack_inflate(source->packed_fd, source->compression, source->file_fd, limits,
			      source->path, source->diff_id, err);
}

static int read_archive(struct source *source, const char *format,
			const struct unpack_limits *limits, struct error *err)
{
	const char *const words[] = { "archive", format ? format : "auto", NULL };
	int r = unpack_ask(words, source->file_fd, IMAGE_ANSWER_ARCHIVE, limits->deadline_ns,
			   source->path, &source->members, err);
	if (r == 0)
		source->format = source->members.answer.format;
	return r;
}

static int check_format(const char *format, bool is_folder, struct error *err)
{
	static const char *const words[] = { "oci", "docker", "rootfs" };
	bool is_known = !format;
	for (size_t i = 0; !is_known && i < ARRAY_LEN(words); i++)
		is_known = strcmp(format, words[i]) == 0;
	if (!is_known) {
		int r = error_set(err, ERR_INVALID, 0, "--format", "'%s' is not one", format);
		return error_remedy(err, r, "write one of: oci docker rootfs");
	}
	if (format && is_folder && strcmp(format, "oci") != 0) {
		int r = error_set(err, ERR_INVALID, 0, "--format",
				  "a folder is taken as an OCI image layout alone");
		return error_remedy(err, r,
				    "to import a root file system, write tar -C FOLDER -c . | "
				    "foso image import --name NAME -");
	}
	return 0;
}

int source_open(struct staging *staging, const char *path, const char *format,
		const struct unpack_limits *limits, struct source *ret, struct error *err)
{
	*ret = (struct source){ .path = path, .dir_fd = -1, .file_fd = -1, .packed_fd = -1 };
	int r = open_path(staging, ret, limits, err);
	if (r == 0)
		r = check_format(format, ret->dir_fd >= 0, err);
	if (r == 0 && ret->dir_fd < 0)
		r = inflate(staging, ret, limits, err);
	if (r == 0 && ret->dir_fd < 0)
		r = read_archive(ret, format, limits, err);
	if (r < 0)
		source_fini(ret);
	return r;
}

static int refuse_missing(const struct source *source, const char *name, struct error *err)
{
	char subject[sizeof(err->subject)];
	(void)snprintf(subject, sizeof(subject), "%s: %s", source->path, name);
	int r = error_set(err, ERR_NOT_FOUND, 0, subject, "is not there, or is no file");
	return error_remedy(err, r,
			    "the image is not whole, or is of another format: see --format");
}

static int find_in_folder(const struct source *source, const char *name, struct blob_source *ret,
			  int *ret_owned_fd, struct error *err)
{
	struct stat status;
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOFOLLOW,
				.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS };
	auto_fd int fd = sys_openat2(source->dir_fd, name, &how);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return refuse_missing(source, name, err);
	*ret = (struct blob_source){ fd, 0, (uint64_t)status.st_size };
	*ret_owned_fd = take_fd(&fd);
	return 0;
}

int source_find(const struct source *source, const char *name, struct blob_source *ret,
		int *ret_owned_fd, struct error *err)
{
	const struct image_answer *answer = &source->members.answer;
	*ret_owned_fd = -1;
	if (source->dir_fd >= 0)
		return find_in_folder(source, name, ret, ret_owned_fd, err);
	for (uint32_t i = 0; i < answer->n_members; i++) {
		const struct image_member *member = &answer->members[i];
		if (strcmp(member->name, name) != 0 || member->offset > INT64_MAX ||
		    member->n_bytes > INT64_MAX - member->offset)
			continue;
		*ret = (struct blob_source){ source->file_fd, member->offset, member->n_bytes };
		return 0;
	}
	return refuse_missing(source, name, err);
}

void source_fini(struct source *source)
{
	fd_close(&source->dir_fd);
	fd_close(&source->file_fd);
	fd_close(&source->packed_fd);
	unpack_reply_fini(&source->members);
}
