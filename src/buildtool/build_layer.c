/* SPDX-License-Identifier: Apache-2.0 */
/* build_layer.c - a tar that a step made becomes a layer of the store, and an image its names */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "buildtool/build.h"
#include "image/write/blob.h"
#include "image/write/commit.h"
#include "image/write/layer.h"
#include "image/write/spawn.h"

#define DEADLINE_NS (UINT64_C(3600) * 1000000000)
#define TAR_ROOM    (UINT64_C(64) << 20)

static int fail(int errnum, const char *what, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "layer", "%s", what);
	return error_remedy(err, r, "look at the disk that holds the image store");
}

int build_layer_file(const struct build *build, int *ret_fd, struct error *err)
{
	*ret_fd = openat(build->staging.dir_fd, "blobs", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (*ret_fd < 0 && (errno == EOPNOTSUPP || errno == EISDIR)) {
		*ret_fd = openat(build->staging.dir_fd, "tar",
				 O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
		if (*ret_fd >= 0)
			(void)unlinkat(build->staging.dir_fd, "tar", 0);
	}
	return *ret_fd >= 0 ? 0 : fail(errno, "no file can be made for it", err);
}

/* A blob that only the staging folder had would go with it, and the cache would lose its layer. */
static int place_blob(const struct build *build, const uint8_t digest[DIGEST_BYTES],
		      struct error *err)
{
	char hex[DIGEST_HEX_BYTES], staged[IMAGE_PATH_BYTES], path[IMAGE_PATH_BYTES];
	auto_fd int lock_fd = -1;
	int r = image_store_lock(&build->store, true, &lock_fd, err);
	if (r < 0)
		return r;
	digest_hex(digest, hex);
	(void)snprintf(staged, sizeof(staged), "blobs/%s", hex);
	image_blob_path(digest, path);
	if (faccessat(build->store.dir_fd, path, F_OK, 0) == 0 ||
	    renameat(build->staging.dir_fd, staged, build->store.dir_fd, path) == 0)
		return 0;
	return fail(errno, "its blob cannot be put into the store", err);
}

int build_layer_hold(const struct build *build, const struct image_layer *layer, int *ret_hold_fd,
		     struct error *err)
{
	char path[IMAGE_PATH_BYTES];
	auto_fd int lock_fd = -1;
	image_blob_path(layer->blob, path);
	int r = image_store_lock(&build->store, false, &lock_fd, err);
	if (r == 0 && faccessat(build->store.dir_fd, path, F_OK, 0) < 0)
		return 1;
	return r == 0 ? image_hold(&build->store, layer->chain, ret_hold_fd, err) : r;
}

int build_layer_add(struct build *build, const struct build_stage *stage, int tar_fd,
		    uint64_t n_bytes, struct image_layer *ret, int *ret_hold_fd, struct error *err)
{
	static struct image_record record;
	const struct blob_source source = { .fd = tar_fd, .n_bytes = n_bytes };
	struct unpack_limits limits = {
		.max_entries = UINT64_C(1) << 24,
		.max_bytes = n_bytes + TAR_ROOM,
		.max_ratio = UINT64_MAX,
		.deadline_ns = monotonic_ns() + DEADLINE_NS,
	};
	uint32_t index = (uint32_t)stage->n_layers;
	struct image_layer *layer = &record.layers[index];
	record = (struct image_record){ .n_layers = index + 1 };
	memcpy(record.layers, stage->layers, index * sizeof(*layer));
	int r = blob_take(&build->staging, &source, NULL, "layer", layer->blob, err);
	if (r != 0)
		return r;
	layer->compression = IMAGE_COMPRESSION_NONE;
	layer->blob_bytes = n_bytes;
	memcpy(layer->diff_id, layer->blob, DIGEST_BYTES);
	image_chain(index > 0 ? record.layers[index - 1].chain : NULL, layer->diff_id,
		    layer->chain);
	r = layer_unpack(&build->staging, &record, index, &limits, err);
	if (r == 0)
		r = place_blob(build, layer->blob, err);
	if (r == 0)
		r = build_layer_hold(build, layer, ret_hold_fd, err);
	if (r == 1)
		r = fail(ENOENT, "went from the store as it was made", err);
	*ret = *layer;
	return r;
}

/* ---- the image ---- */

/* The lists of a record lie in one buffer that outlives it. */
static struct image_list list_from(struct buf *storage, const struct recipe_list *list)
{
	return image_list_from(storage, list->items, (uint32_t)list->n_items);
}

/* NAME=VALUE; the strings live in @arena. */
static struct image_list pairs_from(struct buf *storage, struct recipe_arena *arena,
				    const struct recipe_pairs *pairs)
{
	const char **items = recipe_alloc(arena, (pairs->n_items + 1) * sizeof(*items));
	for (size_t i = 0; items && i < pairs->n_items; i++) {
		const struct recipe_pair *pair = &pairs->items[i];
		size_t size = strlen(pair->name) + strlen(pair->value) + 2;
		char *text = recipe_alloc(arena, size);
		if (text)
			(void)snprintf(text, size, "%s=%s", pair->name, pair->value);
		else
			storage->is_broken = true;
		items[i] = text ? text : "";
	}
	if (!items) {
		storage->is_broken = true;
		return (struct image_list){ .first = NULL };
	}
	return image_list_from(storage, items, (uint32_t)pairs->n_items);
}

static void fill_record(struct image_record *record, struct buf storage[6],
			struct recipe_arena *arena, const struct recipe_config *config)
{
	record->user = config->user;
	record->cwd = config->cwd;
	record->stop_signal = config->stop_signal;
	record->env = pairs_from(&storage[0], arena, &config->env);
	record->labels = pairs_from(&storage[1], arena, &config->labels);
	record->entrypoint = list_from(&storage[2], &config->entrypoint);
	record->cmd = list_from(&storage[3], &config->cmd);
	record->exposed_ports = list_from(&storage[4], &config->ports);
	record->volumes = list_from(&storage[5], &config->volumes);
	record->architecture = build_architecture();
	record->os = "linux";
}

static int commit(struct build *build, struct image_record *record, struct error *err)
{
	bool was_there;
	int r = 0;
	for (size_t i = 0; r == 0 && i < build->options->n_names; i++) {
		char name[IMAGE_NAME_BYTES];
		r = image_name_parse(build->options->names[i], name, err);
		record->name = name;
		if (r == 0)
			r = image_commit(&build->staging, record, &was_there, err);
	}
	return r;
}

int build_image_add(struct build *build, const struct buf *config, const struct buf *manifest,
		    const struct recipe_config *settings, const struct build_stage *built,
		    struct error *err)
{
	static struct image_record record;
	struct buf storage[6];
	char hex[DIGEST_HEX_BYTES];
	record = (struct image_record){ .n_layers = (uint32_t)built->n_layers,
					.imported_realtime_s = (uint64_t)built->created_s,
					.config_bytes = config->len,
					.manifest_bytes = manifest->len };
	bool is_whole = true;
	for (size_t i = 0; i < ARRAY_LEN(storage); i++)
		storage[i] = BUF_INIT(IMAGE_RECORD_MAX_BYTES);
	memcpy(record.layers, built->layers, built->n_layers * sizeof(record.layers[0]));
	fill_record(&record, storage, &build->plan.arena, settings);
	for (size_t i = 0; i < ARRAY_LEN(storage); i++)
		is_whole = is_whole && buf_is_whole(&storage[i]);
	int r = is_whole ? 0 : fail(E2BIG, "the image says more than a record holds", err);
	if (r == 0)
		r = blob_write(&build->staging, config->data, config->len, record.config, err);
	if (r == 0)
		r = blob_write(&build->staging, manifest->data, manifest->len, record.manifest,
			       err);
	if (r == 0)
		r = commit(build, &record, err);
	for (size_t i = 0; i < ARRAY_LEN(storage); i++)
		buf_fini(&storage[i]);
	digest_hex(record.manifest, hex);
	if (r == 0)
		(void)printf("sha256:%s\n", hex);
	return r;
}
