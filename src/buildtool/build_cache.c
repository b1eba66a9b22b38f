/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_cache.c - which layer a step made, by everything that it was made of
 *
 * cache/HEX of the store, HEX being the SHA-256 of the layers below, the instruction as it was
 * resolved, and the content of what it copies.  An entry is small and of a fixed form; the layer
 * itself is found by its chain, and an entry whose layer was removed counts for nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "buildtool/build.h"
#include "buildtool/names.h"
#include "wire/codec.h"

#define ENTRY_MAGIC     0x31434246u /* "FBC1" */
#define ENTRY_MAX_BYTES 512
#define MAX_ENTRIES     1000000
#define KEY_MAX_BYTES   (32u * 1024 * 1024)

static void put_list(struct buf *out, const struct recipe_list *list)
{
	wire_put_u32(out, (uint32_t)list->n_items);
	for (size_t i = 0; i < list->n_items; i++)
		wire_put_string(out, list->items[i]);
}

void build_cache_key(const struct build *build, const struct build_stage *stage,
		     const struct recipe_step *step, const struct build_binds *binds,
		     const uint8_t source[DIGEST_BYTES], uint8_t ret_key[DIGEST_BYTES])
{
	static const uint8_t none[DIGEST_BYTES];
	auto_buf struct buf bytes = BUF_INIT(KEY_MAX_BYTES);
	const uint8_t *below =
		stage->n_layers > 0 ? stage->layers[stage->n_layers - 1].chain : none;
	wire_put_u32(&bytes, ENTRY_MAGIC);
	wire_put_bytes(&bytes, below, DIGEST_BYTES);
	wire_put_u8(&bytes, (uint8_t)step->kind);
	wire_put_u8(&bytes, step->is_add);
	wire_put_u64(&bytes, (uint64_t)build->options->epoch_s);
	wire_put_bytes(&bytes, source, DIGEST_BYTES);
	if (step->kind == RECIPE_RUN) {
		put_list(&bytes, &step->args);
		wire_put_u32(&bytes, (uint32_t)step->env.n_items);
		for (size_t i = 0; i < step->env.n_items; i++) {
			wire_put_string(&bytes, step->env.items[i].name);
			wire_put_string(&bytes, step->env.items[i].value);
		}
		wire_put_string(&bytes, step->cwd);
		wire_put_string(&bytes, step->user);
	}
	for (size_t i = 0; i < step->n_mounts; i++) {
		bool is_memory = step->mounts[i].kind == RECIPE_MOUNT_MEMORY;
		wire_put_u8(&bytes, (uint8_t)step->mounts[i].kind);
		wire_put_string(&bytes, step->mounts[i].target);
		wire_put_bytes(&bytes, is_memory ? none : binds->items[i].chain, DIGEST_BYTES);
	}
	/* A step of 32 MiB has no key that could be found again. */
	digest_sha256(bytes.data, bytes.len, bytes.is_broken ? "broken" : "",
		      bytes.is_broken ? 6 : 0, ret_key);
}

static int fail(struct error *err, int errnum, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "cache", "%s", what);
	return error_remedy(err, r, "look at the disk that holds the image store");
}

static bool decode(struct build_cached *ret, const void *bytes, size_t len)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	bool is_ours = wire_get_u32(&reader) == ENTRY_MAGIC;
	*ret = (struct build_cached){ .is_empty = wire_get_bool(&reader) };
	ret->created_s = (int64_t)wire_get_u64(&reader);
	uint8_t *const digests[] = { ret->layer.blob, ret->layer.diff_id, ret->layer.chain };
	for (size_t i = 0; i < ARRAY_LEN(digests); i++) {
		size_t n;
		const uint8_t *digest = wire_get_bytes(&reader, &n);
		if (!digest || n != DIGEST_BYTES)
			return false;
		memcpy(digests[i], digest, DIGEST_BYTES);
	}
	ret->layer.blob_bytes = wire_get_u64(&reader);
	ret->layer.tree_bytes = wire_get_u64(&reader);
	ret->layer.n_entries = wire_get_u64(&reader);
	ret->layer.compression =
		(enum image_compression)wire_get_enum(&reader, IMAGE_N_COMPRESSIONS);
	return is_ours && wire_reader_is_done(&reader);
}

int build_cache_get(const struct build *build, const uint8_t key[DIGEST_BYTES],
		    struct build_cached *ret, int *ret_hold_fd, struct error *err)
{
	char name[DIGEST_HEX_BYTES], bytes[ENTRY_MAX_BYTES];
	if (!build->options->has_cache)
		return 1;
	digest_hex(key, name);
	auto_fd int fd = openat(build->cache_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));
	if (n <= 0 || !decode(ret, bytes, (size_t)n))
		return 1;
	return ret->is_empty ? 0 : build_layer_hold(build, &ret->layer, ret_hold_fd, err);
}

static bool is_useful(const struct build *build, const char *name)
{
	char bytes[ENTRY_MAX_BYTES], path[IMAGE_PATH_BYTES];
	struct build_cached cached;
	auto_fd int fd = openat(build->cache_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));
	if (n <= 0 || !decode(&cached, bytes, (size_t)n))
		return false;
	if (cached.is_empty)
		return true;
	image_layer_path(cached.layer.chain, path);
	if (faccessat(build->store.dir_fd, path, F_OK, 0) < 0)
		return false;
	image_blob_path(cached.layer.blob, path);
	return faccessat(build->store.dir_fd, path, F_OK, 0) == 0;
}

int build_cache_sweep(const struct build *build, struct error *err)
{
	auto_names struct names names = { .items = NULL };
	int r = names_read(&names, build->cache_fd, MAX_ENTRIES, "cache", err);
	for (size_t i = 0; r == 0 && i < names.n_items; i++) {
		/* "HEX.PID" is being written. */
		bool is_entry = strlen(names.items[i]) == DIGEST_HEX_BYTES - 1;
		if (is_entry && !is_useful(build, names.items[i]))
			(void)unlinkat(build->cache_fd, names.items[i], 0);
	}
	return r;
}

/* A name of its own first, so that a build that is killed leaves no half entry. */
int build_cache_put(const struct build *build, const uint8_t key[DIGEST_BYTES],
		    const struct build_cached *cached, struct error *err)
{
	char name[DIGEST_HEX_BYTES], temporary[DIGEST_HEX_BYTES + 16];
	char storage[ENTRY_MAX_BYTES];
	auto_buf struct buf bytes = BUF_ON(storage, ENTRY_MAX_BYTES);
	digest_hex(key, name);
	(void)snprintf(temporary, sizeof(temporary), "%s.%d", name, (int)getpid());
	wire_put_u32(&bytes, ENTRY_MAGIC);
	wire_put_u8(&bytes, cached->is_empty);
	wire_put_u64(&bytes, (uint64_t)cached->created_s);
	wire_put_bytes(&bytes, cached->layer.blob, DIGEST_BYTES);
	wire_put_bytes(&bytes, cached->layer.diff_id, DIGEST_BYTES);
	wire_put_bytes(&bytes, cached->layer.chain, DIGEST_BYTES);
	wire_put_u64(&bytes, cached->layer.blob_bytes);
	wire_put_u64(&bytes, cached->layer.tree_bytes);
	wire_put_u64(&bytes, cached->layer.n_entries);
	wire_put_u8(&bytes, (uint8_t)cached->layer.compression);
	auto_fd int fd = openat(build->cache_fd, temporary,
				O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || !buf_is_whole(&bytes) ||
	    write(fd, bytes.data, bytes.len) != (ssize_t)bytes.len ||
	    renameat(build->cache_fd, temporary, build->cache_fd, name) < 0) {
		int errnum = errno;
		(void)unlinkat(build->cache_fd, temporary, 0);
		return fail(err, errnum, "a step cannot be remembered");
	}
	return 0;
}
