/* SPDX-License-Identifier: Apache-2.0 */
/*
 * import_oci.c - from an OCI image layout
 *
 * Each document becomes a blob of the staging folder, with its digest verified, before foso-unpack
 * reads it; so what was read is what is kept.
 */
#include <string.h>

#include "base/cleanup.h"
#include "image/write/documents.h"
#include "imagetool/import.h"

#define WHERE_BYTES 160

/* The blob of @descriptor, copied and verified. */
static int take(struct import *import, const struct image_descriptor *descriptor, const char *what,
		struct error *err)
{
	char label[BLOB_LABEL_BYTES], path[IMAGE_PATH_BYTES];
	uint8_t digest[DIGEST_BYTES];
	struct blob_source source;
	auto_fd int owned_fd = -1;
	blob_label(what, descriptor->digest, label);
	image_blob_path(descriptor->digest, path);
	int r = source_find(&import->source, path, &source, &owned_fd, err);
	if (r < 0)
		return r;
	if (source.n_bytes != descriptor->n_bytes) {
		r = error_set(err, ERR_CORRUPT, 0, label,
			      "has %llu bytes and not %llu, as the image says",
			      (unsigned long long)source.n_bytes,
			      (unsigned long long)descriptor->n_bytes);
		return error_remedy(err, r, "the image was damaged or changed: fetch it anew");
	}
	return blob_take(&import->staging, &source, descriptor->digest, label, digest, err);
}

/* A document that is a blob already. */
static int ask(struct import *import, const uint8_t digest[DIGEST_BYTES], const char *verb,
	       enum image_answer_kind kind, struct unpack_reply *ret, struct error *err)
{
	const char *const words[] = { verb, NULL };
	char label[BLOB_LABEL_BYTES];
	auto_fd int fd = -1;
	blob_label(verb, digest, label);
	int r = blob_open(&import->staging, digest, &fd, err);
	return r < 0 ? r : unpack_ask(words, fd, kind, import->limits.deadline_ns, label, ret, err);
}

int import_config(struct import *import, const uint8_t digest[DIGEST_BYTES], struct error *err)
{
	struct image_record *record = &import->record;
	int r = ask(import, digest, "config", IMAGE_ANSWER_CONFIG, &import->config, err);
	if (r < 0)
		return r;
	uint64_t n_config_bytes = record->config_bytes;
	*record = import->config.answer.record;
	memcpy(record->config, digest, DIGEST_BYTES);
	record->config_bytes = n_config_bytes;
	return 0;
}

static bool is_wanted(const struct import *import, const struct image_descriptor *descriptor)
{
	const char *ref = import->ref;
	return descriptor->platform != IMAGE_PLATFORM_OTHER &&
	       (!ref || strcmp(ref, descriptor->ref) == 0 || strcmp(ref, descriptor->name) == 0);
}

static int refuse_choice(const struct import *import, const struct image_answer *index,
			 size_t n_wanted, struct error *err)
{
	char names[160] = "";
	for (uint32_t i = 0; i < index->n_descriptors; i++) {
		const char *ref = index->descriptors[i].ref;
		size_t len = strlen(names);
		if (ref[0] && len + strlen(ref) + 2 < sizeof(names))
			(void)snprintf(names + len, sizeof(names) - len, " %s", ref);
	}
	const char *path = import->source.path;
	int r = n_wanted > 1 ? error_set(err, ERR_INVALID, 0, path, "has %zu images", n_wanted)
			     : error_set(err, ERR_NOT_FOUND, 0, path,
					 import->ref ? "has no image of that --ref for this machine"
						     : "has no image for this machine");
	if (names[0])
		return error_remedy(err, r, "choose one with --ref; it has:%s", names);
	return error_remedy(err, r, "make a layout with one image: skopeo copy ... oci:FOLDER:REF");
}

static int choose(const struct import *import, const struct image_answer *index,
		  struct image_descriptor *ret, struct error *err)
{
	size_t n_wanted = 0;
	for (uint32_t i = 0; i < index->n_descriptors; i++) {
		if (!is_wanted(import, &index->descriptors[i]))
			continue;
		/* One image under two names is one image. */
		if (n_wanted > 0 &&
		    memcmp(ret->digest, index->descriptors[i].digest, DIGEST_BYTES) == 0)
			continue;
		if (n_wanted++ == 0)
			*ret = index->descriptors[i];
	}
	return n_wanted == 1 ? 0 : refuse_choice(import, index, n_wanted, err);
}

/* index.json, and the indexes that it names, down to one manifest. */
static int find_manifest(struct import *import, struct image_descriptor *ret, struct error *err)
{
	struct blob_source source;
	auto_fd int owned_fd = -1;
	uint8_t digest[DIGEST_BYTES];
	char said[IMAGE_NAME_BYTES] = "";
	int r = source_find(&import->source, "index.json", &source, &owned_fd, err);
	if (r == 0)
		r = blob_take(&import->staging, &source, NULL, "index.json", digest, err);
	for (unsigned depth = 0; r == 0; depth++) {
		struct unpack_reply reply;
		r = ask(import, digest, "index", IMAGE_ANSWER_INDEX, &reply, err);
		if (r < 0)
			break;
		r = choose(import, &reply.answer, ret, err);
		if (r == 0 && depth == 0)
			(void)snprintf(said, sizeof(said), "%s",
				       ret->name[0] ? ret->name : ret->ref);
		unpack_reply_fini(&reply);
		import->ref = NULL; /* it was the outermost index that has references */
		if (r < 0)
			break;
		r = take(import, ret, ret->is_index ? "index" : "manifest", err);
		if (r == 0 && !ret->is_index)
			break;
		memcpy(digest, ret->digest, sizeof(digest));
		if (r == 0 && depth == IMPORT_MAX_NESTING) {
			r = error_set(err, ERR_LIMIT, 0, import->source.path,
				      "has an index in an index in an index");
			r = error_remedy(err, r, "make a layout whose index names the manifest");
		}
	}
	return r < 0 ? r : import_choose_name(import, said, err);
}

static int refuse_counts(const struct import *import, uint32_t n_layers, struct error *err)
{
	int r = error_set(err, ERR_CORRUPT, 0, "config",
			  "has %u diff ids, and the manifest %u layers",
			  (unsigned)import->record.n_layers, (unsigned)n_layers);
	return error_remedy(err, r, "the image was made wrongly: fetch it anew");
}

static int take_layers(struct import *import, const struct image_answer *manifest,
		       struct error *err)
{
	struct image_record *record = &import->record;
	if (manifest->n_descriptors != record->n_layers)
		return refuse_counts(import, manifest->n_descriptors, err);
	int r = 0;
	for (uint32_t i = 0; r == 0 && i < record->n_layers; i++) {
		const struct image_descriptor *descriptor = &manifest->descriptors[i];
		struct image_layer *layer = &record->layers[i];
		char what[32];
		(void)snprintf(what, sizeof(what), "layer %u of %u", (unsigned)i + 1,
			       (unsigned)record->n_layers);
		memcpy(layer->blob, descriptor->digest, DIGEST_BYTES);
		layer->blob_bytes = descriptor->n_bytes;
		layer->compression = descriptor->compression;
		r = take(import, descriptor, what, err);
	}
	return r;
}

int import_oci(struct import *import, struct error *err)
{
	struct image_descriptor manifest = { 0 };
	struct unpack_reply reply = { 0 };
	struct image_record *record = &import->record;
	int r = find_manifest(import, &manifest, err);
	if (r == 0)
		r = ask(import, manifest.digest, "manifest", IMAGE_ANSWER_MANIFEST, &reply, err);
	if (r < 0)
		return r;
	record->config_bytes = reply.answer.config.n_bytes;
	r = take(import, &reply.answer.config, "config", err);
	if (r == 0)
		r = import_config(import, reply.answer.config.digest, err);
	if (r == 0)
		r = take_layers(import, &reply.answer, err);
	memcpy(record->manifest, manifest.digest, DIGEST_BYTES);
	record->manifest_bytes = manifest.n_bytes;
	/* The store is an OCI layout: what Docker calls otherwise is called as OCI calls it. */
	if (r == 0 && (manifest.is_docker || reply.answer.is_docker))
		r = manifest_write(&import->staging, record, err);
	unpack_reply_fini(&reply);
	return r;
}
