/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sweep.c - what no image of the store needs any more
 *
 * Under the store's lock, what is to go is moved into a staging folder of the sweep, which is
 * quick; it is deleted after the lock has been given back.
 */
#include "image/write/sweep.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "base/text.h"
#include "image/name.h"
#include "image/write/commit.h"
#include "image/write/remove.h"
#include "image/write/staging.h"

#define MAX_KEPT ((size_t)4 << 20)

/* What stays: digests of blobs, chains and manifests, in one sorted set; they never clash. */
struct kept {
	uint8_t (*digests)[DIGEST_BYTES];
	size_t n_digests, n_room;
};

struct sweeper {
	const struct image_store *store;
	struct staging staging; /* where things go */
	struct kept kept;
	struct sweep *counts;
	bool is_dry;
	bool is_partial; /* nothing but staging folders and the layers of @chains */
	const uint8_t (*chains)[DIGEST_BYTES];
	size_t n_chains;
	unsigned counter;
};

static int failed(struct error *err, int errnum, const char *subject, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errnum, subject, "%s", what);
	return error_remedy(err, r, "look at the disk that holds the image store");
}

static int keep(struct kept *kept, const uint8_t digest[DIGEST_BYTES], struct error *err)
{
	if (kept->n_digests == kept->n_room) {
		size_t n_room = MAX(kept->n_room * 2, (size_t)256);
		void *more = n_room > MAX_KEPT
				     ? NULL
				     : reallocarray(kept->digests, n_room, sizeof(*kept->digests));
		if (!more)
			return failed(err, ENOMEM, "image store", "has too much to keep");
		kept->digests = more;
		kept->n_room = n_room;
	}
	memcpy(kept->digests[kept->n_digests++], digest, DIGEST_BYTES);
	return 0;
}

static int compare(const void *a, const void *b)
{
	return memcmp(a, b, DIGEST_BYTES);
}

static void sort(struct kept *kept)
{
	if (kept->n_digests > 0)
		qsort(kept->digests, kept->n_digests, DIGEST_BYTES, compare);
}

static bool is_kept(const struct kept *kept, const uint8_t digest[DIGEST_BYTES])
{
	return kept->n_digests > 0 &&
	       bsearch(digest, kept->digests, kept->n_digests, DIGEST_BYTES, compare) != NULL;
}

static int keep_image(void *context, const struct image_record *record, struct error *err)
{
	struct kept *kept = context;
	int r = keep(kept, record->manifest, err);
	if (r == 0)
		r = keep(kept, record->config, err);
	for (uint32_t i = 0; r == 0 && i < record->n_layers; i++) {
		r = keep(kept, record->layers[i].blob, err);
		if (r == 0)
			r = keep(kept, record->layers[i].chain, err);
	}
	return r;
}

/* The layer below @chain, or false if it is the lowest. */
static bool read_parent(const struct image_store *store, const uint8_t chain[DIGEST_BYTES],
			uint8_t ret_parent[DIGEST_BYTES])
{
	char path[IMAGE_PATH_BYTES + 16], text[DIGEST_HEX_BYTES];
	image_layer_path(chain, path);
	(void)snprintf(path + strlen(path), sizeof("/parent"), "/parent");
	auto_fd int fd = openat(store->dir_fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 && read(fd, text, sizeof(text)) == (ssize_t)sizeof(text) &&
	       digest_parse(text, ret_parent);
}

static int for_each_entry(const struct image_store *store, const char *folder,
			  int (*visit)(struct sweeper *sweeper, const char *name,
				       struct error *err),
			  struct sweeper *sweeper, struct error *err)
{
	auto_fd int fd =
		openat(store->dir_fd, folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	int r = 0;
	if (fd < 0)
		return errno == ENOENT ? 0 : failed(err, errno, folder, "cannot be read");
	DIR_READER(reader, fd);
	for (const struct dir_entry *entry; r == 0 && (entry = dir_next(&reader));) {
		if (strcmp(entry->name, ".") != 0 && strcmp(entry->name, "..") != 0)
			r = visit(sweeper, entry->name, err);
	}
	return r;
}

static bool is_held(const struct image_store *store, const char *path)
{
	auto_fd int fd =
		openat(store->dir_fd, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return fd >= 0 && flock(fd, LOCK_EX | LOCK_NB) < 0 && errno == EWOULDBLOCK;
}

/* Whoever holds a layer needs all below it. */
static int keep_held(struct sweeper *sweeper, const char *name, struct error *err)
{
	uint8_t chain[DIGEST_BYTES];
	char path[IMAGE_PATH_BYTES];
	if (strlen(name) != DIGEST_HEX_BYTES - 1 || !digest_parse(name, chain) ||
	    is_kept(&sweeper->kept, chain))
		return 0;
	image_layer_path(chain, path);
	if (!is_held(sweeper->store, path))
		return 0;
	int r = 0;
	do {
		sweeper->counts->n_held += !is_kept(&sweeper->kept, chain);
		r = keep(&sweeper->kept, chain, err);
	} while (r == 0 && read_parent(sweeper->store, chain, chain));
	sort(&sweeper->kept);
	return r;
}

static int move_away(struct sweeper *sweeper, const char *path, struct error *err)
{
	char fresh[32];
	if (sweeper->is_dry)
		return 0;
	(void)snprintf(fresh, sizeof(fresh), "blobs/%u", sweeper->counter++);
	if (renameat(sweeper->store->dir_fd, path, sweeper->staging.dir_fd, fresh) < 0)
		return failed(err, errno, path, "cannot be removed");
	return 0;
}

/* What is not named by a digest is nobody's, and in the way of nobody: it stays. */
static int sweep_file(struct sweeper *sweeper, const char *folder, const char *name,
		      uint64_t *counter, struct error *err)
{
	uint8_t digest[DIGEST_BYTES];
	char path[IMAGE_PATH_BYTES + 64];
	struct stat status;
	if (strlen(name) < DIGEST_HEX_BYTES - 1 || strlen(name) > DIGEST_HEX_BYTES + 16 ||
	    !digest_parse(name, digest) || is_kept(&sweeper->kept, digest))
		return 0;
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	if (fstatat(sweeper->store->dir_fd, path, &status, AT_SYMLINK_NOFOLLOW) == 0 &&
	    S_ISREG(status.st_mode))
		sweeper->counts->n_bytes += (uint64_t)status.st_size;
	*counter += 1;
	return move_away(sweeper, path, err);
}

static bool is_meant(const struct sweeper *sweeper, const uint8_t chain[DIGEST_BYTES])
{
	for (size_t i = 0; i < sweeper->n_chains; i++) {
		if (memcmp(sweeper->chains[i], chain, DIGEST_BYTES) == 0)
			return true;
	}
	return !sweeper->is_partial;
}

static int sweep_blob(struct sweeper *sweeper, const char *name, struct error *err)
{
	return sweep_file(sweeper, "blobs/sha256", name, &sweeper->counts->n_blobs, err);
}

static int sweep_erofs(struct sweeper *sweeper, const char *name, struct error *err)
{
	return sweep_file(sweeper, "erofs", name, &sweeper->counts->n_blobs, err);
}

static void count_tree(struct sweeper *sweeper, const char *name)
{
	char path[IMAGE_PATH_BYTES + 16], text[64];
	uint64_t n_bytes;
	(void)snprintf(path, sizeof(path), "layers/%.64s/sizes", name);
	auto_fd int fd = openat(sweeper->store->dir_fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		return;
	text[len - 1] = '\0';
	const char *space = strchr(text, ' ');
	if (space && text_parse_u64(space + 1, &n_bytes))
		sweeper->counts->n_bytes += n_bytes;
}

static int sweep_layer(struct sweeper *sweeper, const char *name, struct error *err)
{
	uint64_t before = sweeper->counts->n_bytes;
	uint8_t chain[DIGEST_BYTES];
	if (strlen(name) != DIGEST_HEX_BYTES - 1 || !digest_parse(name, chain) ||
	    is_kept(&sweeper->kept, chain) || !is_meant(sweeper, chain))
		return 0;
	count_tree(sweeper, name);
	int r = sweep_file(sweeper, "layers", name, &sweeper->counts->n_layers, err);
	if (r < 0)
		sweeper->counts->n_bytes = before;
	return r;
}

/* A staging folder without a holder has lost its maker; its lock is tried as a layer's is. */
static int sweep_staging(struct sweeper *sweeper, const char *name, struct error *err)
{
	char path[STAGING_PATH_BYTES];
	(void)snprintf(path, sizeof(path), "staging/%.200s", name);
	if (strcmp(path, sweeper->staging.name) == 0 || is_held(sweeper->store, path))
		return 0;
	sweeper->counts->n_leftovers++;
	return move_away(sweeper, path, err);
}

static int sweep_all(struct sweeper *sweeper, struct error *err)
{
	static const struct {
		const char *folder;
		int (*visit)(struct sweeper *sweeper, const char *name, struct error *err);
		bool is_partial_too;
	} steps[] = { { "layers", keep_held, true },
		      { "blobs/sha256", sweep_blob, false },
		      { "erofs", sweep_erofs, false },
		      { "layers", sweep_layer, true },
		      { "staging", sweep_staging, true } };
	int r = image_each(sweeper->store, keep_image, &sweeper->kept, err);
	sort(&sweeper->kept);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(steps); i++) {
		if (steps[i].is_partial_too || !sweeper->is_partial)
			r = for_each_entry(sweeper->store, steps[i].folder, steps[i].visit, sweeper,
					   err);
	}
	if (r == 0 && !sweeper->is_dry)
		r = image_write_index(sweeper->store, err);
	return r;
}

static int run(struct sweeper *sweeper, struct error *err)
{
	int lock_fd = -1;
	int r = sweeper->is_dry ? 0 : staging_begin(sweeper->store, &sweeper->staging, err);
	if (r == 0)
		r = image_store_lock(sweeper->store, true, &lock_fd, err);
	if (r == 0)
		r = sweep_all(sweeper, err);
	fd_close(&lock_fd);
	staging_end(&sweeper->staging);
	free(sweeper->kept.digests);
	return r;
}

int image_sweep(const struct image_store *store, bool is_dry, struct sweep *ret, struct error *err)
{
	struct sweeper sweeper = {
		.store = store, .staging = { .dir_fd = -1 }, .counts = ret, .is_dry = is_dry
	};
	*ret = (struct sweep){ 0 };
	return run(&sweeper, err);
}

int image_sweep_layers(const struct image_store *store, const uint8_t (*chains)[DIGEST_BYTES],
		       size_t n_chains, struct error *err)
{
	struct sweep counts = { 0 };
	struct sweeper sweeper = { .store = store,
				   .staging = { .dir_fd = -1 },
				   .counts = &counts,
				   .is_partial = true,
				   .chains = chains,
				   .n_chains = n_chains };
	return run(&sweeper, err);
}

int image_forget(const struct image_store *store, const char *name, struct error *err)
{
	char path[sizeof("names/") + IMAGE_NAME_BYTES] = "names/";
	auto_fd int lock_fd = -1;
	int r = image_store_lock(store, true, &lock_fd, err);
	if (r < 0)
		return r;
	image_name_escape(name, path + strlen(path));
	if (unlinkat(store->dir_fd, path, 0) == 0)
		return image_write_index(store, err);
	if (errno != ENOENT)
		return failed(err, errno, name, "cannot be removed");
	r = error_set(err, ERR_NOT_FOUND, 0, name, "is not an image of the store %s", store->path);
	return error_remedy(err, r, "foso image list shows what is there");
}
