/* SPDX-License-Identifier: Apache-2.0 */
/*
 * documents.c - the JSON of an image: index, manifest, config, and docker save's manifest.json
 *
 * What is used is checked; members that are not known are passed over, as the OCI image spec
 * demands of readers.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "unpack/json.h"

#if defined(__x86_64__)
#	define OWN_ARCHITECTURE "amd64"
#elif defined(__aarch64__)
#	define OWN_ARCHITECTURE "arm64"
#else
#	error "documents.c: name this machine's architecture as OCI does"
#endif

#define MAX_WORD_BYTES 256

enum media_use { USE_INDEX, USE_MANIFEST, USE_CONFIG, USE_LAYER };

static const struct {
	const char *type;
	enum media_use use;
	bool is_docker;
	enum image_compression compression;
} media_types[] = {
	{ "application/vnd.oci.image.index.v1+json", USE_INDEX, false, 0 },
	{ "application/vnd.docker.distribution.manifest.list.v2+json", USE_INDEX, true, 0 },
	{ "application/vnd.oci.image.manifest.v1+json", USE_MANIFEST, false, 0 },
	{ "application/vnd.docker.distribution.manifest.v2+json", USE_MANIFEST, true, 0 },
	{ "application/vnd.oci.image.config.v1+json", USE_CONFIG, false, 0 },
	{ "application/vnd.docker.container.image.v1+json", USE_CONFIG, true, 0 },
	{ "application/vnd.oci.image.layer.v1.tar", USE_LAYER, false, IMAGE_COMPRESSION_NONE },
	{ "application/vnd.oci.image.layer.v1.tar+gzip", USE_LAYER, false, IMAGE_COMPRESSION_GZIP },
	{ "application/vnd.oci.image.layer.v1.tar+zstd", USE_LAYER, false, IMAGE_COMPRESSION_ZSTD },
	{ "application/vnd.oci.image.layer.nondistributable.v1.tar", USE_LAYER, false,
	  IMAGE_COMPRESSION_NONE },
	{ "application/vnd.oci.image.layer.nondistributable.v1.tar+gzip", USE_LAYER, false,
	  IMAGE_COMPRESSION_GZIP },
	{ "application/vnd.docker.image.rootfs.diff.tar", USE_LAYER, true, IMAGE_COMPRESSION_NONE },
	{ "application/vnd.docker.image.rootfs.diff.tar.gzip", USE_LAYER, true,
	  IMAGE_COMPRESSION_GZIP },
};

/* A string of the answer; "" for NULL. */
static int keep(struct unpack *unpack, const char *text, const char *path, const char **ret_text)
{
	*ret_text = "";
	if (!text)
		return 0;
	if (strlen(text) > MAX_WORD_BYTES)
		return json_field_fault(&unpack->fault, path, "");
	*ret_text = image_list_from(&unpack->storage, &text, 1).first;
	return *ret_text ? 0 : fault_set(&unpack->fault, IMAGE_FAULT_MEMORY, path, 0, 0);
}

static int read_digest(struct unpack *unpack, const json_t *value, const char *path,
		       uint8_t ret_digest[DIGEST_BYTES])
{
	static const char algorithm[] = "sha256:";
	const char *text = json_string_value(value);
	if (text && strncmp(text, algorithm, sizeof(algorithm) - 1) == 0 &&
	    strlen(text) == sizeof(algorithm) - 1 + DIGEST_HEX_BYTES - 1 &&
	    digest_parse(text + sizeof(algorithm) - 1, ret_digest))
		return 0;
	return json_field_fault(&unpack->fault, path, "digest");
}

static int read_media_type(struct unpack *unpack, const json_t *item, const char *path,
			   struct image_descriptor *ret, enum media_use *ret_use)
{
	json_t *type;
	if (json_need(&unpack->fault, item, path, "mediaType", JSON_STRING, &type) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(media_types); i++) {
		if (strcmp(json_string_value(type), media_types[i].type) != 0)
			continue;
		*ret_use = media_types[i].use;
		ret->is_index = media_types[i].use == USE_INDEX;
		ret->is_docker = media_types[i].is_docker;
		ret->compression = media_types[i].compression;
		return 0;
	}
	return fault_set(&unpack->fault, IMAGE_FAULT_MEDIA_TYPE, json_string_value(type), 0, 0);
}

static int read_descriptor(struct unpack *unpack, const json_t *item, const char *path,
			   struct image_descriptor *ret, enum media_use *ret_use)
{
	struct unpack_fault *fault = &unpack->fault;
	json_t *digest, *size;
	*ret = (struct image_descriptor){ .ref = "", .name = "" };
	*ret_use = USE_LAYER; /* the analysers cannot see that it is always found */
	if (!json_is_object(item))
		return json_field_fault(fault, path, "");
	if (read_media_type(unpack, item, path, ret, ret_use) < 0 ||
	    json_need(fault, item, path, "digest", JSON_STRING, &digest) < 0 ||
	    read_digest(unpack, digest, path, ret->digest) < 0 ||
	    json_need(fault, item, path, "size", JSON_INTEGER, &size) < 0)
		return -1;
	if (json_integer_value(size) < 0)
		return json_field_fault(fault, path, "size");
	ret->n_bytes = (uint64_t)json_integer_value(size);
	return 0;
}

static int read_platform(struct unpack *unpack, const json_t *item, const char *path,
			 struct image_descriptor *descriptor)
{
	struct unpack_fault *fault = &unpack->fault;
	json_t *platform, *architecture, *os;
	int r = json_may(fault, item, path, "platform", JSON_OBJECT, &platform);
	if (r != 0)
		return r < 0 ? r : 0;
	if (json_need(fault, platform, path, "architecture", JSON_STRING, &architecture) < 0 ||
	    json_need(fault, platform, path, "os", JSON_STRING, &os) < 0)
		return -1;
	bool is_ours = strcmp(json_string_value(architecture), OWN_ARCHITECTURE) == 0 &&
		       strcmp(json_string_value(os), "linux") == 0;
	descriptor->platform = is_ours ? IMAGE_PLATFORM_OURS : IMAGE_PLATFORM_OTHER;
	return 0;
}

static int read_annotations(struct unpack *unpack, const json_t *item, const char *path,
			    struct image_descriptor *descriptor)
{
	json_t *annotations, *ref = NULL, *name = NULL;
	int r = json_may(&unpack->fault, item, path, "annotations", JSON_OBJECT, &annotations);
	if (r != 0)
		return r < 0 ? r : 0;
	if (json_may(&unpack->fault, annotations, path, "org.opencontainers.image.ref.name",
		     JSON_STRING, &ref) < 0 ||
	    json_may(&unpack->fault, annotations, path, "io.containerd.image.name", JSON_STRING,
		     &name) < 0 ||
	    keep(unpack, json_string_value(ref), path, &descriptor->ref) < 0)
		return -1;
	return keep(unpack, json_string_value(name), path, &descriptor->name);
}

static int check_version(struct unpack *unpack, const json_t *root)
{
	json_t *version;
	if (!json_is_object(root))
		return json_field_fault(&unpack->fault, "", "");
	if (json_need(&unpack->fault, root, "", "schemaVersion", JSON_INTEGER, &version) < 0)
		return -1;
	return json_integer_value(version) == 2
		       ? 0
		       : json_field_fault(&unpack->fault, "", "schemaVersion");
}

static int read_index(struct unpack *unpack, const json_t *root)
{
	struct image_answer *answer = unpack->answer;
	json_t *manifests;
	if (check_version(unpack, root) < 0 ||
	    json_need(&unpack->fault, root, "", "manifests", JSON_ARRAY, &manifests) < 0)
		return -1;
	size_t n = json_array_size(manifests);
	if (n > IMAGE_MAX_INDEX)
		return fault_set(&unpack->fault, IMAGE_FAULT_MANY, "manifests", IMAGE_MAX_INDEX, 0);
	for (size_t i = 0; i < n; i++) {
		struct image_descriptor descriptor;
		enum media_use use = USE_LAYER;
		char path[64];
		const json_t *item = json_array_get(manifests, i);
		(void)snprintf(path, sizeof(path), "manifests[%zu]", i);
		if (read_descriptor(unpack, item, path, &descriptor, &use) < 0) {
			/* An index may also list what is no image: signatures, say. */
			if (unpack->fault.id == IMAGE_FAULT_MEDIA_TYPE)
				continue;
			return -1;
		}
		if (use != USE_INDEX && use != USE_MANIFEST)
			continue;
		if (read_platform(unpack, item, path, &descriptor) < 0 ||
		    read_annotations(unpack, item, path, &descriptor) < 0)
			return -1;
		answer->descriptors[answer->n_descriptors++] = descriptor;
	}
	return 0;
}

static int read_manifest(struct unpack *unpack, const json_t *root)
{
	struct image_answer *answer = unpack->answer;
	json_t *config, *layers;
	enum media_use use = USE_LAYER;
	if (check_version(unpack, root) < 0 ||
	    json_need(&unpack->fault, root, "", "config", JSON_OBJECT, &config) < 0 ||
	    json_need(&unpack->fault, root, "", "layers", JSON_ARRAY, &layers) < 0 ||
	    read_descriptor(unpack, config, "config", &answer->config, &use) < 0)
		return -1;
	if (use != USE_CONFIG)
		return json_field_fault(&unpack->fault, "config", "mediaType");
	answer->is_docker = answer->config.is_docker;
	size_t n = json_array_size(layers);
	if (n > IMAGE_MAX_LAYERS)
		return fault_set(&unpack->fault, IMAGE_FAULT_MANY, "layers", IMAGE_MAX_LAYERS, 0);
	for (size_t i = 0; i < n; i++) {
		char path[64];
		(void)snprintf(path, sizeof(path), "layers[%zu]", i);
		if (read_descriptor(unpack, json_array_get(layers, i), path,
				    &answer->descriptors[i], &use) < 0)
			return -1;
		if (use != USE_LAYER)
			return json_field_fault(&unpack->fault, path, "mediaType");
		answer->is_docker |= answer->descriptors[i].is_docker;
		answer->n_descriptors++;
	}
	return 0;
}

/* The strings of an array; of an object, its names, or NAME=VALUE of a map of strings. */
static int read_list(struct unpack *unpack, const json_t *parent, const char *key, json_type type,
		     struct image_list *ret_list)
{
	struct unpack_fault *fault = &unpack->fault;
	struct buf *storage = &unpack->storage;
	json_t *member;
	int r = json_may(fault, parent, "config", key, type, &member);
	if (r != 0)
		return r < 0 ? r : 0;
	size_t n = type == JSON_ARRAY ? json_array_size(member) : json_object_size(member);
	if (n > IMAGE_MAX_STRINGS)
		return fault_set(fault, IMAGE_FAULT_MANY, key, IMAGE_MAX_STRINGS, 0);
	size_t before = storage->len;
	if (type == JSON_ARRAY) {
		for (size_t i = 0; i < n; i++) {
			const char *text = json_string_value(json_array_get(member, i));
			if (!text)
				return json_field_fault(fault, "config", key);
			buf_append(storage, text, strlen(text) + 1);
		}
	} else {
		const char *name;
		json_t *value;
		json_object_foreach(member, name, value)
		{
			buf_append_string(storage, name);
			if (json_is_string(value))
				buf_printf(storage, "=%s", json_string_value(value));
			buf_append(storage, "", 1);
		}
	}
	if (!buf_is_whole(storage) || storage->len - before > IMAGE_RECORD_MAX_BYTES / 2)
		return fault_set(fault, IMAGE_FAULT_MEMORY, key, 0, 0);
	if (n > 0)
		*ret_list = (struct image_list){ storage->data + before, (uint32_t)n,
						 (uint32_t)(storage->len - before) };
	return 0;
}

static int read_word(struct unpack *unpack, const json_t *parent, const char *key,
		     const char **ret_text)
{
	json_t *member = NULL;
	if (json_may(&unpack->fault, parent, "config", key, JSON_STRING, &member) < 0)
		return -1;
	return keep(unpack, json_string_value(member), key, ret_text);
}

static bool is_assignment(const char *text)
{
	return text[0] != '=' && strchr(text, '=') != NULL;
}

static int check_assignments(struct unpack *unpack, const struct image_list *list, const char *key)
{
	for (const char *at = NULL; (at = image_list_next(list, at));) {
		if (!is_assignment(at))
			return json_field_fault(&unpack->fault, "config", key);
	}
	return 0;
}

static int read_run_config(struct unpack *unpack, const json_t *config)
{
	struct image_record *record = &unpack->answer->record;
	if (read_word(unpack, config, "User", &record->user) < 0 ||
	    read_word(unpack, config, "WorkingDir", &record->cwd) < 0 ||
	    read_word(unpack, config, "StopSignal", &record->stop_signal) < 0 ||
	    read_list(unpack, config, "Env", JSON_ARRAY, &record->env) < 0 ||
	    read_list(unpack, config, "Entrypoint", JSON_ARRAY, &record->entrypoint) < 0 ||
	    read_list(unpack, config, "Cmd", JSON_ARRAY, &record->cmd) < 0 ||
	    read_list(unpack, config, "Shell", JSON_ARRAY, &record->shell) < 0 ||
	    read_list(unpack, config, "Labels", JSON_OBJECT, &record->labels) < 0 ||
	    read_list(unpack, config, "ExposedPorts", JSON_OBJECT, &record->exposed_ports) < 0 ||
	    read_list(unpack, config, "Volumes", JSON_OBJECT, &record->volumes) < 0 ||
	    check_assignments(unpack, &record->env, "Env") < 0)
		return -1;
	return check_assignments(unpack, &record->labels, "Labels");
}

static int read_diff_ids(struct unpack *unpack, const json_t *root)
{
	struct image_record *record = &unpack->answer->record;
	json_t *rootfs, *diff_ids;
	if (json_need(&unpack->fault, root, "", "rootfs", JSON_OBJECT, &rootfs) < 0 ||
	    json_need(&unpack->fault, rootfs, "rootfs", "diff_ids", JSON_ARRAY, &diff_ids) < 0)
		return -1;
	size_t n = json_array_size(diff_ids);
	if (n > IMAGE_MAX_LAYERS)
		return fault_set(&unpack->fault, IMAGE_FAULT_MANY, "rootfs.diff_ids",
				 IMAGE_MAX_LAYERS, 0);
	record->n_layers = (uint32_t)n;
	for (size_t i = 0; i < n; i++) {
		if (read_digest(unpack, json_array_get(diff_ids, i), "rootfs.diff_ids",
				record->layers[i].diff_id) < 0)
			return -1;
	}
	return 0;
}

static int read_config(struct unpack *unpack, const json_t *root)
{
	struct unpack_fault *fault = &unpack->fault;
	struct image_record *record = &unpack->answer->record;
	json_t *architecture, *os, *config = NULL;
	if (!json_is_object(root))
		return json_field_fault(fault, "", "");
	if (json_need(fault, root, "", "architecture", JSON_STRING, &architecture) < 0 ||
	    json_need(fault, root, "", "os", JSON_STRING, &os) < 0 ||
	    keep(unpack, json_string_value(architecture), "architecture", &record->architecture) <
		    0 ||
	    keep(unpack, json_string_value(os), "os", &record->os) < 0)
		return -1;
	if (strlen(record->architecture) > 32 || strlen(record->os) > 32)
		return json_field_fault(fault, "", "architecture");
	if (read_diff_ids(unpack, root) < 0)
		return -1;
	int r = json_may(fault, root, "", "config", JSON_OBJECT, &config);
	return r != 0 ? MIN(r, 0) : read_run_config(unpack, config);
}

static int read_docker(struct unpack *unpack, const json_t *root)
{
	struct image_answer *answer = unpack->answer;
	struct unpack_fault *fault = &unpack->fault;
	json_t *config;
	if (!json_is_array(root) || json_array_size(root) == 0)
		return json_field_fault(fault, "", "");
	if (json_array_size(root) > 1)
		return fault_set(fault, IMAGE_FAULT_MANY, "manifest.json", 1, 0);
	const json_t *item = json_array_get(root, 0);
	if (!json_is_object(item))
		return json_field_fault(fault, "[0]", "");
	if (json_need(fault, item, "[0]", "Config", JSON_STRING, &config) < 0 ||
	    keep(unpack, json_string_value(config), "Config", &answer->config_path) < 0 ||
	    read_list(unpack, item, "Layers", JSON_ARRAY, &answer->layer_paths) < 0)
		return -1;
	if (answer->layer_paths.n_strings > IMAGE_MAX_LAYERS)
		return fault_set(fault, IMAGE_FAULT_MANY, "Layers", IMAGE_MAX_LAYERS, 0);
	return read_list(unpack, item, "RepoTags", JSON_ARRAY, &answer->tags);
}

int document_read(struct unpack *unpack, enum image_answer_kind kind, const char *text, size_t len)
{
	auto_json json_t *root = json_parse(&unpack->fault, text, len);
	if (!root)
		return -1;
	unpack->answer->kind = kind;
	if (kind == IMAGE_ANSWER_INDEX)
		return read_index(unpack, root);
	if (kind == IMAGE_ANSWER_MANIFEST)
		return read_manifest(unpack, root);
	return kind == IMAGE_ANSWER_CONFIG ? read_config(unpack, root) : read_docker(unpack, root);
}

static int read_stdin(struct unpack *unpack, enum image_answer_kind kind)
{
	struct buf text = BUF_INIT(IMAGE_JSON_BYTES);
	static char part[64 * 1024];
	ssize_t n;
	while ((n = read(STDIN_FILENO, part, sizeof(part))) > 0)
		buf_append(&text, part, (size_t)n);
	int r = 0;
	if (n < 0)
		r = fault_system(&unpack->fault, errno, "");
	else if (!buf_is_whole(&text))
		r = fault_set(&unpack->fault, IMAGE_FAULT_MEMORY, "", 0, 0);
	else
		r = document_read(unpack, kind, buf_string(&text), text.len);
	buf_fini(&text);
	return r;
}

int unpack_index(struct unpack *unpack)
{
	return read_stdin(unpack, IMAGE_ANSWER_INDEX);
}

int unpack_manifest(struct unpack *unpack)
{
	return read_stdin(unpack, IMAGE_ANSWER_MANIFEST);
}

int unpack_config(struct unpack *unpack)
{
	return read_stdin(unpack, IMAGE_ANSWER_CONFIG);
}

int unpack_docker(struct unpack *unpack)
{
	return read_stdin(unpack, IMAGE_ANSWER_DOCKER);
}
