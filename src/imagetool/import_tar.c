/* SPDX-License-Identifier: Apache-2.0 */
/* import_tar.c - from what docker save writes, and from the tar of a root file system */
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "image/write/documents.h"
#include "imagetool/import.h"

static int take_file(struct import *import, const char *name, const char *where,
		     uint8_t ret_digest[DIGEST_BYTES], uint64_t *ret_bytes, struct error *err)
{
	struct blob_source source;
	auto_fd int owned_fd = -1;
	int r = source_find(&import->source, name, &source, &owned_fd, err);
	if (r < 0)
		return r;
	*ret_bytes = source.n_bytes;
	return blob_take(&import->staging, &source, NULL, where, ret_digest, err);
}

/* Its digest is no name here, so all that tells of damage are the diff ids of the config. */
static int take_layers(struct import *import, const struct image_list *paths, struct error *err)
{
	struct image_record *record = &import->record;
	if (paths->n_strings != record->n_layers) {
		int r = error_set(err, ERR_CORRUPT, 0, "config",
				  "has %u diff ids, and manifest.json %u layers",
				  (unsigned)record->n_layers, (unsigned)paths->n_strings);
		return error_remedy(err, r, "the image was made wrongly: save it anew");
	}
	const char *path = NULL;
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < record->n_layers; i++) {
		char where[64];
		struct image_layer *layer = &record->layers[i];
		(void)snprintf(where, sizeof(where), "layer %u of %u", (unsigned)i + 1,
			       (unsigned)record->n_layers);
		path = image_list_next(paths, path);
		r = take_file(import, path, where, layer->blob, &layer->blob_bytes, err);
		/* docker save packs nothing; other tools write archives of packed layers. */
		if (r == 0)
			r = source_sniff_blob(&import->staging, layer->blob, &layer->compression,
					      err);
	}
	return r;
}

int import_docker(struct import *import, struct error *err)
{
	static const char *const words[] = { "docker", NULL };
	struct unpack_reply reply = { 0 };
	struct image_record *record = &import->record;
	uint8_t digest[DIGEST_BYTES] = { 0 };
	uint64_t n_bytes;
	auto_fd int fd = -1;
	int r = take_file(import, "manifest.json", "manifest.json", digest, &n_bytes, err);
	if (r == 0)
		r = blob_open(&import->staging, digest, &fd, err);
	if (r == 0)
		r = unpack_ask(words, fd, IMAGE_ANSWER_DOCKER, import->limits.deadline_ns,
			       "manifest.json", &reply, err);
	if (r < 0)
		return r;
	const char *tag = image_list_next(&reply.answer.tags, NULL);
	r = import_choose_name(import, tag ? tag : "", err);
	if (r == 0)
		r = take_file(import, reply.answer.config_path, "config", digest,
			      &record->config_bytes, err);
	if (r == 0)
		r = import_config(import, digest, err);
	if (r == 0)
		r = take_layers(import, &reply.answer.layer_paths, err);
	unpack_reply_fini(&reply);
	return r == 0 ? manifest_write(&import->staging, record, err) : r;
}

static const char *own_architecture(void)
{
	static struct utsname name;
	if (uname(&name) < 0)
		return "unknown";
	if (strcmp(name.machine, "x86_64") == 0)
		return "amd64";
	return strcmp(name.machine, "aarch64") == 0 ? "arm64" : name.machine;
}

int import_rootfs(struct import *import, struct error *err)
{
	struct image_record *record = &import->record;
	struct image_layer *layer = &record->layers[0];
	struct source *source = &import->source;
	/* What no layer may be packed with is kept plain. */
	bool is_packed = source->packed_fd >= 0 && source->compression < IMAGE_N_COMPRESSIONS;
	struct blob_source blob = { is_packed ? source->packed_fd : source->file_fd, 0, 0 };
	off_t end = lseek(blob.fd, 0, SEEK_END);
	if (end < 0)
		return error_set(err, ERR_INTERNAL, 0, source->path, "has no end");
	blob.n_bytes = (uint64_t)end;
	record->n_layers = 1;
	record->architecture = own_architecture();
	record->os = "linux";
	layer->blob_bytes = blob.n_bytes;
	layer->compression = is_packed ? source->compression : IMAGE_COMPRESSION_NONE;
	int r = import_choose_name(import, "", err);
	if (r == 0)
		r = blob_take(&import->staging, &blob, NULL, "layer 1 of 1", layer->blob, err);
	memcpy(layer->diff_id, is_packed ? source->diff_id : layer->blob, DIGEST_BYTES);
	if (r == 0)
		r = config_write(&import->staging, record, err);
	return r == 0 ? manifest_write(&import->staging, record, err) : r;
}
