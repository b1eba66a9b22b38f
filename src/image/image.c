/* SPDX-License-Identifier: Apache-2.0 */
/* image.c - from the name of an image to its record and its layers */
#include "image/image.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static int fail(struct error *err, int errnum, const char *subject, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errnum, subject, "%s", what);
	return error_remedy(err, r, "look at the disk that holds the image store");
}

static int refuse_missing(const struct image_store *store, const char *name, struct error *err)
{
	int r = error_set(err, ERR_NOT_FOUND, 0, name, "is not an image of the store %s",
			  store->path);
	return error_remedy(err, r,
			    "foso image list shows what is there; foso image import brings one in");
}

static int read_bytes(int fd, const char *name, struct buf *bytes, struct error *err)
{
	char part[4096];
	ssize_t n;
	while ((n = pread(fd, part, sizeof(part), (off_t)bytes->len)) > 0)
		buf_append(bytes, part, (size_t)n);
	if (n < 0)
		return fail(err, errno, name, "its record cannot be read");
	if (!buf_is_whole(bytes)) {
		int r = error_set(err, ERR_CORRUPT, 0, name, "its record is too large");
		return error_remedy(err, r, "import the image anew");
	}
	return 0;
}

int image_read_record(const struct image_store *store, const char *name, struct buf *bytes,
		      struct error *err)
{
	char path[sizeof("names/") + IMAGE_NAME_BYTES] = "names/";
	image_name_escape(name, path + strlen(path));
	auto_fd int fd = openat(store->dir_fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return refuse_missing(store, name, err);
	if (fd < 0)
		return fail(err, errno, name, "its record cannot be opened");
	return read_bytes(fd, name, bytes, err);
}

int image_hold(const struct image_store *store, const uint8_t chain[DIGEST_BYTES], int *ret_hold_fd,
	       struct error *err)
{
	char path[IMAGE_PATH_BYTES];
	int r;
	image_layer_path(chain, path);
	auto_fd int fd =
		openat(store->dir_fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT)
		return 1;
	if (fd < 0)
		return fail(err, errno, path, "the layer cannot be opened");
	/* Whoever removes layers has the store's lock, so this never waits for long. */
	do
		r = flock(fd, LOCK_SH);
	while (r < 0 && errno == EINTR);
	if (r < 0)
		return fail(err, errno, path, "the layer cannot be held");
	*ret_hold_fd = take_fd(&fd);
	return 0;
}

/* @record_fd is -1 if the record is that of the name. */
static int open_locked(const struct image_store *store, const char *name, int record_fd,
		       struct image *image, struct error *err)
{
	auto_fd int lock_fd = -1;
	struct image_record *record = &image->record;
	int r = image_store_lock(store, false, &lock_fd, err);
	if (r == 0)
		r = record_fd < 0 ? image_read_record(store, name, &image->bytes, err)
				  : read_bytes(record_fd, name, &image->bytes, err);
	if (r == 0)
		r = image_record_decode(buf_string(&image->bytes), image->bytes.len, name, record,
					err);
	if (r == 0 && record->n_layers > 0)
		r = image_hold(store, record->layers[record->n_layers - 1].chain, &image->hold_fd,
			       err);
	if (r != 1)
		return r;
	r = error_set(err, ERR_CORRUPT, 0, name, "its topmost layer is not in the store");
	return error_remedy(err, r, "import the image anew");
}

int image_open(const struct image_store *store, const char *name, struct image *ret,
	       struct error *err)
{
	char full[IMAGE_NAME_BYTES];
	ret->bytes = BUF_INIT(IMAGE_RECORD_MAX_BYTES);
	ret->hold_fd = -1;
	int r = image_name_parse(name, full, err);
	if (r == 0)
		r = open_locked(store, full, -1, ret, err);
	if (r < 0)
		image_fini(ret);
	return r;
}

int image_open_record(const struct image_store *store, int fd, struct image *ret, struct error *err)
{
	ret->bytes = BUF_INIT(IMAGE_RECORD_MAX_BYTES);
	ret->hold_fd = -1;
	int r = open_locked(store, "image", fd, ret, err);
	if (r < 0)
		image_fini(ret);
	return r;
}

void image_fini(struct image *image)
{
	buf_fini(&image->bytes);
	if (image->hold_fd > 0)
		fd_close(&image->hold_fd);
	image->hold_fd = -1;
}

int image_layer_open(const struct image_store *store, const uint8_t chain[DIGEST_BYTES],
		     int *ret_fd, struct error *err)
{
	char path[IMAGE_PATH_BYTES + sizeof("/fs")];
	image_layer_path(chain, path);
	(void)snprintf(path + strlen(path), sizeof("/fs"), "/fs");
	auto_fd int fd = openat(store->dir_fd, path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		int r = error_set(err, errno == ENOENT ? ERR_CORRUPT : ERR_SYSTEM, errno, path,
				  "the layer cannot be opened");
		return error_remedy(err, r, "import the image anew");
	}
	*ret_fd = take_fd(&fd);
	return 0;
}
