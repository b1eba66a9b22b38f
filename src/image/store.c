/* SPDX-License-Identifier: Apache-2.0 */
/* store.c - the folder that holds images */
#include "image/store.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

static int refuse(struct error *err, enum error_code code, int errnum, const char *path,
		  const char *what)
{
	int r = error_set(err, code, errnum, path, "%s", what);
	return error_remedy(err, r,
			    "look at its owner, mode and disk, or name another folder in "
			    "$FOSO_IMAGES");
}

/* NOLINTBEGIN(concurrency-mt-unsafe) */
static bool default_path(char *path, size_t size)
{
	const char *chosen = getenv("FOSO_IMAGES");
	const char *data = getenv("XDG_DATA_HOME");
	const char *home = getenv("HOME");
	int len;
	if (chosen && chosen[0] == '/')
		len = snprintf(path, size, "%s", chosen);
	else if (geteuid() == 0)
		len = snprintf(path, size, "/var/lib/foso/images");
	else if (data && data[0] == '/')
		len = snprintf(path, size, "%s/foso/images", data);
	else if (home && home[0] == '/')
		len = snprintf(path, size, "%s/.local/share/foso/images", home);
	else
		return false;
	return len >= 0 && (size_t)len < size;
}
/* NOLINTEND(concurrency-mt-unsafe) */

static int choose_path(struct image_store *store, const char *path, struct error *err)
{
	bool fits = path ? (size_t)snprintf(store->path, sizeof(store->path), "%s", path) <
				    sizeof(store->path)
			 : default_path(store->path, sizeof(store->path));
	if (fits && store->path[0])
		return 0;
	int r = error_set(err, ERR_INVALID, 0, path ? "store" : "HOME",
			  "names no folder for the image store");
	return error_remedy(err, r, "set $FOSO_IMAGES to an absolute path");
}

/* Who could write to the store could put anything into every sandbox. */
static int check_owner(int fd, const char *path, struct error *err)
{
	struct stat status;
	if (fstat(fd, &status) < 0)
		return refuse(err, ERR_SYSTEM, errno, path, "the image store cannot be looked at");
	if (status.st_uid == geteuid() && (status.st_mode & 077) == 0)
		return 0;
	int r = error_set(err, ERR_DENIED, 0, path,
			  "belongs to uid %u with mode %03o, which others can enter",
			  (unsigned)status.st_uid, status.st_mode & 0777);
	return error_remedy(err, r,
			    "chown it to yourself and chmod 700, or name another folder in "
			    "$FOSO_IMAGES");
}

static int open_chosen(struct image_store *store, struct error *err)
{
	auto_fd int fd =
		openat(AT_FDCWD, store->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		int r = error_set(err, ERR_NOT_FOUND, 0, store->path, "no image has been stored");
		return error_remedy(err, r, "foso image import brings one in");
	}
	if (fd < 0)
		return refuse(err, ERR_SYSTEM, errno, store->path,
			      "the image store cannot be opened");
	int r = check_owner(fd, store->path, err);
	if (r < 0)
		return r;
	store->dir_fd = take_fd(&fd);
	return 0;
}

int image_store_open(struct image_store *ret, const char *path, struct error *err)
{
	ret->dir_fd = -1;
	int r = choose_path(ret, path, err);
	return r < 0 ? r : open_chosen(ret, err);
}

/* The folders above are made as others of the system are; the store itself is its owner's. */
static int make_path(struct image_store *store, struct error *err)
{
	char path[IMAGE_STORE_PATH_BYTES];
	(void)snprintf(path, sizeof(path), "%s", store->path);
	for (char *at = strchr(path + 1, '/'); at; at = strchr(at + 1, '/')) {
		*at = '\0';
		if (mkdir(path, 0755) < 0 && errno != EEXIST)
			return refuse(err, ERR_SYSTEM, errno, path, "cannot be made");
		*at = '/';
	}
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return refuse(err, ERR_SYSTEM, errno, path, "the image store cannot be made");
	return 0;
}

static int make_inside(const struct image_store *store, struct error *err)
{
	static const char *const folders[] = { "blobs", "blobs/sha256", "layers",
					       "names", "erofs",        "staging" };
	static const char layout[] = "{\"imageLayoutVersion\":\"1.0.0\"}\n";
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		if (mkdirat(store->dir_fd, folders[i], 0700) < 0 && errno != EEXIST)
			return refuse(err, ERR_SYSTEM, errno, folders[i], "cannot be made");
	}
	auto_fd int fd = openat(store->dir_fd, "oci-layout",
				O_WRONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0 || pwrite(fd, layout, sizeof(layout) - 1, 0) != (ssize_t)sizeof(layout) - 1)
		return refuse(err, ERR_SYSTEM, errno, "oci-layout", "cannot be written");
	return 0;
}

int image_store_create(struct image_store *ret, const char *path, struct error *err)
{
	ret->dir_fd = -1;
	int r = choose_path(ret, path, err);
	if (r == 0)
		r = make_path(ret, err);
	if (r == 0)
		r = open_chosen(ret, err);
	if (r < 0)
		return r;
	r = make_inside(ret, err);
	if (r < 0)
		image_store_fini(ret);
	return r;
}

void image_store_fini(struct image_store *store)
{
	if (store->dir_fd > 0)
		fd_close(&store->dir_fd);
	store->dir_fd = -1;
}

int image_store_lock(const struct image_store *store, bool is_exclusive, int *ret_lock_fd,
		     struct error *err)
{
	auto_fd int fd =
		openat(store->dir_fd, "lock", O_RDONLY | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	int r = -1;
	if (fd >= 0) {
		do
			r = flock(fd, is_exclusive ? LOCK_EX : LOCK_SH);
		while (r < 0 && errno == EINTR);
	}
	if (r < 0)
		return refuse(err, ERR_SYSTEM, errno, store->path,
			      "the image store cannot be locked");
	*ret_lock_fd = take_fd(&fd);
	return 0;
}

static void make_digest_path(const char *before, const uint8_t digest[DIGEST_BYTES],
			     const char *after, char ret_path[IMAGE_PATH_BYTES])
{
	char hex[DIGEST_HEX_BYTES];
	digest_hex(digest, hex);
	(void)snprintf(ret_path, IMAGE_PATH_BYTES, "%s%s%s", before, hex, after);
}

void image_blob_path(const uint8_t digest[DIGEST_BYTES], char ret_path[IMAGE_PATH_BYTES])
{
	make_digest_path("blobs/sha256/", digest, "", ret_path);
}

void image_layer_path(const uint8_t chain[DIGEST_BYTES], char ret_path[IMAGE_PATH_BYTES])
{
	make_digest_path("layers/", chain, "", ret_path);
}

void image_erofs_path(const uint8_t manifest[DIGEST_BYTES], char ret_path[IMAGE_PATH_BYTES])
{
	make_digest_path("erofs/", manifest, ".erofs", ret_path);
}
