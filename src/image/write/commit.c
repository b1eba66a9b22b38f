/* SPDX-License-Identifier: Apache-2.0 */
/* commit.c - an image that is whole gets its name */
#include "image/write/commit.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "format/json.h"
#include "image/image.h"

#define MAX_NAMES       65536
#define MAX_INDEX_BYTES ((size_t)64 << 20)
#define NAME_PATH_BYTES (sizeof("names/") + IMAGE_NAME_BYTES)

static int failed(struct error *err, const char *subject, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errno, subject, "%s", what);
	return error_remedy(err, r, "look at the free space and inodes of the image store's disk");
}

/* A file of the store, whole or as it was before. */
static int replace_file(const struct image_store *store, const char *path, const struct buf *bytes,
			struct error *err)
{
	static const char fresh[] = "staging/fresh";
	auto_fd int fd = openat(store->dir_fd, fresh,
				O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (!buf_is_whole(bytes)) {
		int r = error_set(err, ERR_LIMIT, 0, path, "would be too large");
		return error_remedy(err, r, "remove images that are not needed any more");
	}
	if (fd < 0 || write(fd, bytes->data, bytes->len) != (ssize_t)bytes->len || fsync(fd) < 0 ||
	    renameat(store->dir_fd, fresh, store->dir_fd, path) < 0)
		return failed(err, path, "cannot be written");
	return 0;
}

/* Into the store, unless it has the blob; then the staged one stays behind and goes. */
static int place_blob(struct staging *staging, const uint8_t digest[DIGEST_BYTES],
		      struct error *err)
{
	char hex[DIGEST_HEX_BYTES], staged[IMAGE_PATH_BYTES], path[IMAGE_PATH_BYTES];
	int store_fd = staging->store->dir_fd;
	digest_hex(digest, hex);
	(void)snprintf(staged, sizeof(staged), "blobs/%s", hex);
	image_blob_path(digest, path);
	if (faccessat(store_fd, path, F_OK, 0) == 0)
		return 0;
	if (renameat(staging->dir_fd, staged, store_fd, path) == 0)
		return 0;
	/* One blob can be two layers of an image: the second time it is in its place. */
	return failed(err, path, "is neither in the store nor among what was brought in");
}

static int place_blobs(struct staging *staging, const struct image_record *record,
		       struct error *err)
{
	int r = place_blob(staging, record->manifest, err);
	if (r == 0)
		r = place_blob(staging, record->config, err);
	for (uint32_t i = 0; r == 0 && i < record->n_layers; i++)
		r = place_blob(staging, record->layers[i].blob, err);
	return r;
}

static int write_record(const struct image_store *store, const struct image_record *record,
			bool *ret_replaced, struct error *err)
{
	char path[NAME_PATH_BYTES] = "names/";
	auto_buf struct buf bytes = BUF_INIT(IMAGE_RECORD_MAX_BYTES);
	struct image_record again;
	image_name_escape(record->name, path + strlen(path));
	image_record_encode(record, &bytes);
	/* What would not be read later is not written. */
	int r = image_record_decode(buf_string(&bytes), bytes.len, record->name, &again, err);
	if (r < 0)
		return r;
	*ret_replaced = faccessat(store->dir_fd, path, F_OK, 0) == 0;
	/* Layers and blobs must be on the disk before a name says that they are. */
	if (syncfs(store->dir_fd) < 0)
		return failed(err, store->path, "cannot be written to the disk");
	return replace_file(store, path, &bytes, err);
}

int image_commit(struct staging *staging, const struct image_record *record, bool *ret_replaced,
		 struct error *err)
{
	auto_fd int lock_fd = -1;
	int r = image_store_lock(staging->store, true, &lock_fd, err);
	if (r == 0)
		r = place_blobs(staging, record, err);
	if (r == 0)
		r = write_record(staging->store, record, ret_replaced, err);
	return r < 0 ? r : image_write_index(staging->store, err);
}

struct name_list {
	char (*names)[IMAGE_NAME_BYTES];
	size_t n_names;
};

static int compare_names(const void *a, const void *b)
{
	return strcmp(a, b);
}

/* Other files of the folder are nobody's. */
static int list_names(const struct image_store *store, struct name_list *list, struct error *err)
{
	auto_fd int fd = openat(store->dir_fd, "names", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char name[IMAGE_NAME_BYTES];
	if (fd < 0)
		return failed(err, store->path, "its names cannot be read");
	DIR_READER(reader, fd);
	for (const struct dir_entry *entry; (entry = dir_next(&reader));) {
		if (!image_name_unescape(entry->name, name))
			continue;
		void *more =
			list->n_names < MAX_NAMES
				? reallocarray(list->names, list->n_names + 1, sizeof(*list->names))
				: NULL;
		if (!more) {
			errno = ENOMEM;
			return failed(err, store->path, "its names are too many");
		}
		list->names = more;
		memcpy(list->names[list->n_names++], name, sizeof(name));
	}
	if (list->n_names > 0)
		qsort(list->names, list->n_names, sizeof(*list->names), compare_names);
	return 0;
}

int image_each(const struct image_store *store,
	       int (*visit)(void *context, const struct image_record *record, struct error *err),
	       void *context, struct error *err)
{
	struct name_list list = { NULL, 0 };
	struct image_record record;
	int r = list_names(store, &list, err);
	for (size_t i = 0; r == 0 && i < list.n_names; i++) {
		auto_buf struct buf bytes = BUF_INIT(IMAGE_RECORD_MAX_BYTES);
		r = image_read_record(store, list.names[i], &bytes, err);
		if (r == 0)
			r = image_record_decode(buf_string(&bytes), bytes.len, list.names[i],
						&record, err);
		if (r == 0)
			r = visit(context, &record, err);
	}
	free(list.names);
	return r;
}

static int add_to_index(void *context, const struct image_record *record, struct error *err)
{
	struct json *json = context;
	char digest[sizeof("sha256:") + DIGEST_HEX_BYTES] = "sha256:";
	UNUSED(err);
	digest_hex(record->manifest, digest + strlen(digest));
	json_object_open(json, NULL);
	json_string(json, "mediaType", "application/vnd.oci.image.manifest.v1+json");
	json_string(json, "digest", digest);
	json_u64(json, "size", record->manifest_bytes);
	json_object_open(json, "annotations");
	json_string(json, "org.opencontainers.image.ref.name", record->name);
	json_object_close(json);
	json_object_close(json);
	return 0;
}

int image_write_index(const struct image_store *store, struct error *err)
{
	auto_buf struct buf bytes = BUF_INIT(MAX_INDEX_BYTES);
	struct json json;
	json_init(&json, &bytes);
	json_object_open(&json, NULL);
	json_u64(&json, "schemaVersion", 2);
	json_array_open(&json, "manifests");
	int r = image_each(store, add_to_index, &json, err);
	json_array_close(&json);
	json_object_close(&json);
	buf_append_char(&bytes, '\n');
	return r < 0 ? r : replace_file(store, "index.json", &bytes, err);
}
