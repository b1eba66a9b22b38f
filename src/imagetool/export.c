/* SPDX-License-Identifier: Apache-2.0 */
/*
 * export.c - foso image export and erofs
 *
 * The tar has names and numbers of foso's own, and the bytes of verified blobs; so it is written
 * here, in the ustar format, without a library.  Two exports of an image are the same bytes.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "format/json.h"
#include "imagetool/commands.h"
#include "imagetool/erofs.h"

#define TAR_BLOCK      512
#define MAX_BLOBS      (IMAGE_MAX_LAYERS + 2)
#define MAX_JSON_BYTES 65536

/* Blobs are opened while the store's lock is held, so that no sweep takes them away. */
struct export
{
	const struct image_record *record;
	int out_fd;
	const char *path; /* for messages */
	struct {
		char name[IMAGE_PATH_BYTES];
		int fd;
		uint64_t n_bytes;
	} blobs[MAX_BLOBS];
	size_t n_blobs;
};

static int failed(struct error *err, const char *subject, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errno, subject, "%s", what);
	return error_remedy(err, r, "see where the output goes, and the image store's disk");
}

static int write_all(const struct export *export, const void *bytes, size_t len, struct error *err)
{
	const char *at = bytes;
	while (len > 0) {
		ssize_t n = write(export->out_fd, at, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return failed(err, export->path, "cannot be written");
		at += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Octal digits; a size that takes more than 11 is written in base 256, as GNU tar does. */
static void put_number(char *field, size_t size, uint64_t value)
{
	if (value >> (3 * (size - 1)) == 0) {
		(void)snprintf(field, size, "%0*llo", (int)size - 1, (unsigned long long)value);
		return;
	}
	for (size_t i = size; i-- > 0; value >>= 8)
		field[i] = (char)(value & 0xff);
	field[0] = (char)(field[0] | 0x80);
}

static int write_header(const struct export *export, const char *name, char type, uint64_t n_bytes,
			struct error *err)
{
	/* Source: POSIX.1-2017, pax, "ustar Interchange Format". */
	struct {
		char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type;
		char link[100], magic[8], user[32], group[32], major[8], minor[8], prefix[155];
		char padding[12];
	} header = { .type = type, .magic = { 'u', 's', 't', 'a', 'r', 0, '0', '0' } };
	static_assert(sizeof(header) == TAR_BLOCK, "a header is a block");
	unsigned sum = 0;
	(void)snprintf(header.name, sizeof(header.name), "%s", name);
	put_number(header.mode, sizeof(header.mode), type == '5' ? 0755 : 0644);
	put_number(header.uid, sizeof(header.uid), 0);
	put_number(header.gid, sizeof(header.gid), 0);
	put_number(header.size, sizeof(header.size), n_bytes);
	put_number(header.mtime, sizeof(header.mtime), 0);
	memset(header.checksum, ' ', sizeof(header.checksum));
	for (size_t i = 0; i < sizeof(header); i++)
		sum += ((const unsigned char *)&header)[i];
	(void)snprintf(header.checksum, sizeof(header.checksum), "%06o", sum);
	return write_all(export, &header, sizeof(header), err);
}

static int write_padding(const struct export *export, uint64_t n_bytes, struct error *err)
{
	static const char zeros[TAR_BLOCK];
	size_t rest = (size_t)(n_bytes % TAR_BLOCK);
	return rest == 0 ? 0 : write_all(export, zeros, TAR_BLOCK - rest, err);
}

static int write_text(const struct export *export, const char *name, const char *text, size_t len,
		      struct error *err)
{
	int r = write_header(export, name, '0', len, err);
	if (r == 0)
		r = write_all(export, text, len, err);
	return r == 0 ? write_padding(export, len, err) : r;
}

static int write_blob(const struct export *export, size_t index, struct error *err)
{
	static char part[1 << 20];
	uint64_t left = export->blobs[index].n_bytes;
	const char *name = export->blobs[index].name;
	int r = write_header(export, name, '0', left, err);
	while (r == 0 && left > 0) {
		ssize_t n = read(export->blobs[index].fd, part,
				 (size_t)MIN(left, (uint64_t)sizeof(part)));
		if (n <= 0)
			return failed(err, name, "cannot be read to its end");
		left -= (uint64_t)n;
		r = write_all(export, part, (size_t)n, err);
	}
	return r == 0 ? write_padding(export, export->blobs[index].n_bytes, err) : r;
}

static int write_index(const struct export *export, struct error *err)
{
	auto_buf struct buf out = BUF_INIT(MAX_JSON_BYTES);
	struct json json;
	char digest[sizeof("sha256:") + DIGEST_HEX_BYTES] = "sha256:";
	digest_hex(export->record->manifest, digest + strlen(digest));
	json_init(&json, &out);
	json_object_open(&json, NULL);
	json_u64(&json, "schemaVersion", 2);
	json_array_open(&json, "manifests");
	json_object_open(&json, NULL);
	json_string(&json, "mediaType", "application/vnd.oci.image.manifest.v1+json");
	json_string(&json, "digest", digest);
	json_u64(&json, "size", export->record->manifest_bytes);
	json_object_open(&json, "annotations");
	/* podman takes what is behind the last colon for the tag, and so does skopeo. */
	json_string(&json, "org.opencontainers.image.ref.name", export->record->name);
	json_object_close(&json);
	json_object_close(&json);
	json_array_close(&json);
	json_object_close(&json);
	return write_text(export, "index.json", buf_string(&out), out.len, err);
}

/* "blobs/sha256/HEX" */
static void put_path(struct json *json, const char *key, const uint8_t digest[DIGEST_BYTES])
{
	char path[IMAGE_PATH_BYTES];
	image_blob_path(digest, path);
	json_string(json, key, path);
}

/*
 * What docker load and other readers of a "docker save" archive look for.  Docker writes both
 * kinds of index into one archive since version 25, and so does this.
 */
static int write_docker(const struct export *export, struct error *err)
{
	auto_buf struct buf out = BUF_INIT(MAX_JSON_BYTES);
	const struct image_record *record = export->record;
	struct json json;
	json_init(&json, &out);
	json_array_open(&json, NULL);
	json_object_open(&json, NULL);
	put_path(&json, "Config", record->config);
	json_array_open(&json, "RepoTags");
	json_string(&json, NULL, record->name);
	json_array_close(&json);
	json_array_open(&json, "Layers");
	for (uint32_t i = 0; i < record->n_layers; i++)
		put_path(&json, NULL, record->layers[i].blob);
	json_array_close(&json);
	json_object_close(&json);
	json_array_close(&json);
	return write_text(export, "manifest.json", buf_string(&out), out.len, err);
}

static int write_layout(const struct export *export, struct error *err)
{
	static const char layout[] = "{\"imageLayoutVersion\":\"1.0.0\"}";
	static const char *const folders[] = { "blobs/", "blobs/sha256/" };
	static const char end[2 * TAR_BLOCK];
	int r = 0;
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(folders); i++)
		r = write_header(export, folders[i], '5', 0, err);
	for (size_t i = 0; r == 0 && i < export->n_blobs; i++)
		r = write_blob(export, i, err);
	if (r == 0)
		r = write_index(export, err);
	if (r == 0)
		r = write_docker(export, err);
	if (r == 0)
		r = write_text(export, "oci-layout", layout, sizeof(layout) - 1, err);
	return r == 0 ? write_all(export, end, sizeof(end), err) : r;
}

static int open_blob(struct export *export, const struct image_store *store,
		     const uint8_t digest[DIGEST_BYTES], struct error *err)
{
	struct stat status;
	size_t at = export->n_blobs;
	char *name = export->blobs[at].name;
	image_blob_path(digest, name);
	for (size_t i = 0; i < at; i++) {
		if (strcmp(export->blobs[i].name, name) == 0)
			return 0; /* one blob can be two layers */
	}
	int fd = openat(store->dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0) {
		int r = error_set(err, ERR_CORRUPT, errno, name, "is not in the store");
		return error_remedy(err, r, "import the image anew");
	}
	export->blobs[at].fd = fd;
	export->blobs[at].n_bytes = (uint64_t)status.st_size;
	export->n_blobs++;
	return 0;
}

static int open_blobs(struct export *export, const struct image_store *store, struct error *err)
{
	const struct image_record *record = export->record;
	int r = open_blob(export, store, record->manifest, err);
	if (r == 0)
		r = open_blob(export, store, record->config, err);
	for (uint32_t i = 0; r == 0 && i < record->n_layers; i++)
		r = open_blob(export, store, record->layers[i].blob, err);
	return r;
}

/* A file appears whole: it is written without a name, and linked in at the end. */
static int write_file(struct export *export, const char *path, struct error *err)
{
	char link[64], folder[4096];
	struct stat status;
	const char *slash = strrchr(path, '/');
	bool is_stdout = strcmp(path, "-") == 0;
	if (!is_stdout && fstatat(AT_FDCWD, path, &status, AT_SYMLINK_NOFOLLOW) == 0) {
		int r = error_set(err, ERR_EXISTS, 0, path, "is there already");
		return error_remedy(err, r, "remove it, or name another file");
	}
	(void)snprintf(folder, sizeof(folder), "%.*s", slash ? (int)(slash - path) + 1 : 1,
		       slash ? path : ".");
	auto_fd int fd = is_stdout
				 ? fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3)
				 : openat(AT_FDCWD, folder, O_TMPFILE | O_WRONLY | O_CLOEXEC, 0644);
	if (fd < 0)
		return failed(err, path, "cannot be made");
	export->out_fd = fd;
	export->path = is_stdout ? "stdout" : path;
	int r = write_layout(export, err);
	if (r < 0 || is_stdout)
		return r;
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	return linkat(AT_FDCWD, link, AT_FDCWD, path, AT_SYMLINK_FOLLOW) < 0
		       ? failed(err, path, "cannot be named")
		       : 0;
}

int command_export(const struct args *args, struct error *err)
{
	static struct export export;
	struct image_store store;
	struct image image;
	int lock_fd = -1;
	int r = image_store_open(&store, args->store, err);
	if (r < 0)
		return r;
	r = image_open(&store, args->operands[0], &image, err);
	if (r == 0) {
		export.record = &image.record;
		r = image_store_lock(&store, false, &lock_fd, err);
		if (r == 0)
			r = open_blobs(&export, &store, err);
		fd_close(&lock_fd);
		if (r == 0)
			r = write_file(&export, args->operands[1], err);
		for (size_t i = 0; i < export.n_blobs; i++)
			fd_close(&export.blobs[i].fd);
		export.record = NULL;
		image_fini(&image);
	}
	image_store_fini(&store);
	return r;
}

int command_erofs(const struct args *args, struct error *err)
{
	struct image_store store;
	struct image image;
	char path[IMAGE_PATH_BYTES];
	int r = image_store_open(&store, args->store, err);
	if (r < 0)
		return r;
	r = image_open(&store, args->operands[0], &image, err);
	if (r == 0) {
		r = erofs_make(&store, &image, err);
		image_erofs_path(image.record.manifest, path);
		if (r >= 0)
			printf("%s/%s%s\n", store.path, path,
			       r == EROFS_EXISTS ? " was there already" : "");
		r = MIN(r, 0);
		image_fini(&image);
	}
	image_store_fini(&store);
	return r;
}
