/* SPDX-License-Identifier: Apache-2.0 */
/* import.c - foso image import */
#include "imagetool/import.h"

#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "image/write/commit.h"
#include "image/write/layer.h"
#include "image/write/spawn.h"
#include "image/write/sweep.h"
#include "imagetool/commands.h"

/* Sums of such limits do not run over; no machine has so much. */
#define MAX_LIMIT (UINT64_C(1) << 50)

int import_choose_name(struct import *import, const char *said, struct error *err)
{
	static const char *const prefixes[] = { "docker.io/library/", "docker.io/" };
	struct error unused = { .code = ERR_NONE };
	if (import->name)
		return image_name_parse(import->name, import->full_name, err);
	for (size_t i = 0; i < ARRAY_LEN(prefixes); i++) {
		if (strncmp(said, prefixes[i], strlen(prefixes[i])) == 0)
			said += strlen(prefixes[i]);
	}
	/* "latest" alone is what a layout calls an image that has no other name. */
	if (strchr(said, ':') && image_name_parse(said, import->full_name, &unused) == 0)
		return 0;
	int r = error_set(err, ERR_INVALID, 0, import->source.path,
			  "does not say what it is called");
	return error_remedy(err, r, "give it a name: --name base");
}

static int unpack_layers(struct import *import, struct error *err)
{
	struct image_record *record = &import->record;
	int r = 0;
	for (uint32_t i = 0; i < record->n_layers; i++)
		image_chain(i > 0 ? record->layers[i - 1].chain : NULL, record->layers[i].diff_id,
			    record->layers[i].chain);
	for (uint32_t i = 0; r == 0 && i < record->n_layers; i++)
		r = layer_unpack(&import->staging, record, i, &import->limits, err);
	return r;
}

static int run(struct import *import, const struct args *args, struct error *err)
{
	static int (*const importers[IMAGE_N_FORMATS])(struct import * import,
						       struct error * err) = {
		[IMAGE_FORMAT_OCI] = import_oci,
		[IMAGE_FORMAT_DOCKER] = import_docker,
		[IMAGE_FORMAT_ROOTFS] = import_rootfs,
	};
	bool was_replaced = false;
	int r = source_open(&import->staging, args->operands[0], args->format, &import->limits,
			    &import->source, err);
	if (r == 0)
		r = importers[import->source.format](import, err);
	if (r == 0)
		r = unpack_layers(import, err);
	if (r < 0)
		return r;
	import->record.name = import->full_name;
	import->record.imported_realtime_s = (uint64_t)time(NULL);
	r = image_commit(&import->staging, &import->record, &was_replaced, err);
	if (r < 0)
		return r;
	char digest[DIGEST_HEX_BYTES], size[FORMAT_BYTES_SIZE];
	digest_hex(import->record.manifest, digest);
	format_bytes(image_tree_bytes(&import->record), size);
	printf("%s  sha256:%.12s  %u layer%s, %s%s\n", import->record.name, digest,
	       (unsigned)import->record.n_layers, import->record.n_layers == 1 ? "" : "s", size,
	       was_replaced ? "; what had that name before is replaced" : "");
	return 0;
}

static void fini(struct import *import)
{
	source_fini(&import->source);
	unpack_reply_fini(&import->config);
	staging_end(&import->staging);
}

int command_import(const struct args *args, struct error *err)
{
	static struct import import = { .staging = { .dir_fd = -1 },
					.source = {
						.dir_fd = -1, .file_fd = -1, .packed_fd = -1 } };
	struct image_store store;
	struct error ignored = { .code = ERR_NONE };
	import.name = args->name;
	import.ref = args->ref;
	import.limits =
		(struct unpack_limits){ .max_entries = args->max_entries,
					.max_bytes = MIN(args->max_bytes, MAX_LIMIT),
					.max_ratio = args->max_ratio,
					.deadline_ns = monotonic_ns() +
						       MIN(args->max_time_ns, UINT64_MAX / 4) };
	int r = args->name ? image_name_parse(args->name, import.full_name, err) : 0;
	if (r == 0)
		r = image_store_create(&store, args->store, err);
	if (r < 0)
		return r;
	/* What interrupted imports left may be just the room that is missing. */
	(void)!image_sweep_layers(&store, NULL, 0, &ignored);
	r = staging_begin(&store, &import.staging, err);
	if (r == 0)
		r = run(&import, args, err);
	fini(&import);
	/* Layers that were whole before another one failed have no name: nothing of it stays. */
	error_clear(&ignored);
	if (r < 0)
		(void)!image_sweep_layers(&store, import.staging.made, import.staging.n_made,
					  &ignored);
	image_store_fini(&store);
	return r;
}
