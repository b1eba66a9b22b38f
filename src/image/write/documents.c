/* SPDX-License-Identifier: Apache-2.0 */
/* documents.c - config and manifest of an image that foso itself puts together */
#include "image/write/documents.h"

#include <string.h>

#include "base/cleanup.h"
#include "image/write/blob.h"

#define MAX_BYTES ((size_t)4 << 20)

void document_put_digest(struct json *json, const char *key, const uint8_t digest[DIGEST_BYTES])
{
	char text[sizeof("sha256:") + DIGEST_HEX_BYTES] = "sha256:";
	digest_hex(digest, text + strlen(text));
	json_string(json, key, text);
}

static void put_word(struct json *json, const char *key, const char *word)
{
	if (word && word[0])
		json_string(json, key, word);
}

static void put_list(struct json *json, const char *key, const struct image_list *list)
{
	if (list->n_strings == 0)
		return;
	json_array_open(json, key);
	for (const char *at = NULL; (at = image_list_next(list, at));)
		json_string(json, NULL, at);
	json_array_close(json);
}

/* {"80/tcp": {}}: the form that the spec has for a set. */
static void put_set(struct json *json, const char *key, const struct image_list *list)
{
	if (list->n_strings == 0)
		return;
	json_object_open(json, key);
	for (const char *at = NULL; (at = image_list_next(list, at));) {
		json_object_open(json, at);
		json_object_close(json);
	}
	json_object_close(json);
}

static void put_labels(struct json *json, const struct image_list *list, struct buf *name)
{
	if (list->n_strings == 0)
		return;
	json_object_open(json, "Labels");
	for (const char *at = NULL; (at = image_list_next(list, at));) {
		size_t len = strcspn(at, "=");
		buf_clear(name);
		buf_append(name, at, len);
		json_string(json, buf_string(name), at[len] == '=' ? at + len + 1 : "");
	}
	json_object_close(json);
}

static void put_config(struct json *json, const struct image_record *record)
{
	auto_buf struct buf name = BUF_INIT(IMAGE_RECORD_MAX_BYTES);
	json_object_open(json, "config");
	put_word(json, "User", record->user);
	put_set(json, "ExposedPorts", &record->exposed_ports);
	put_list(json, "Env", &record->env);
	put_list(json, "Entrypoint", &record->entrypoint);
	put_list(json, "Cmd", &record->cmd);
	put_set(json, "Volumes", &record->volumes);
	put_word(json, "WorkingDir", record->cwd);
	put_labels(json, &record->labels, &name);
	put_word(json, "StopSignal", record->stop_signal);
	put_list(json, "Shell", &record->shell);
	json_object_close(json);
}

static int write_blob(struct staging *staging, const struct buf *bytes, uint8_t *ret_digest,
		      uint64_t *ret_bytes, struct error *err)
{
	if (!buf_is_whole(bytes)) {
		int r = error_set(err, ERR_LIMIT, 0, "image", "its config would be too large");
		return error_remedy(err, r, "use fewer labels and shorter variables");
	}
	*ret_bytes = bytes->len;
	return blob_write(staging, bytes->data, bytes->len, ret_digest, err);
}

int config_write(struct staging *staging, struct image_record *record, struct error *err)
{
	auto_buf struct buf bytes = BUF_INIT(MAX_BYTES);
	struct json json;
	json_init(&json, &bytes);
	json_object_open(&json, NULL);
	json_string(&json, "architecture", record->architecture);
	json_string(&json, "os", record->os);
	put_config(&json, record);
	json_object_open(&json, "rootfs");
	json_string(&json, "type", "layers");
	json_array_open(&json, "diff_ids");
	for (uint32_t i = 0; i < record->n_layers; i++)
		document_put_digest(&json, NULL, record->layers[i].diff_id);
	json_array_close(&json);
	json_object_close(&json);
	json_object_close(&json);
	return write_blob(staging, &bytes, record->config, &record->config_bytes, err);
}

void document_put_descriptor(struct json *json, const char *key, const char *type,
			     const uint8_t digest[DIGEST_BYTES], uint64_t n_bytes)
{
	json_object_open(json, key);
	json_string(json, "mediaType", type);
	document_put_digest(json, "digest", digest);
	json_u64(json, "size", n_bytes);
	json_object_close(json);
}

int manifest_write(struct staging *staging, struct image_record *record, struct error *err)
{
	static const char *const types[IMAGE_N_COMPRESSIONS] = {
		[IMAGE_COMPRESSION_NONE] = "application/vnd.oci.image.layer.v1.tar",
		[IMAGE_COMPRESSION_GZIP] = "application/vnd.oci.image.layer.v1.tar+gzip",
		[IMAGE_COMPRESSION_ZSTD] = "application/vnd.oci.image.layer.v1.tar+zstd",
	};
	auto_buf struct buf bytes = BUF_INIT(MAX_BYTES);
	struct json json;
	json_init(&json, &bytes);
	json_object_open(&json, NULL);
	json_u64(&json, "schemaVersion", 2);
	json_string(&json, "mediaType", "application/vnd.oci.image.manifest.v1+json");
	document_put_descriptor(&json, "config", "application/vnd.oci.image.config.v1+json",
				record->config, record->config_bytes);
	json_array_open(&json, "layers");
	for (uint32_t i = 0; i < record->n_layers; i++) {
		const struct image_layer *layer = &record->layers[i];
		document_put_descriptor(&json, NULL, types[layer->compression], layer->blob,
					layer->blob_bytes);
	}
	json_array_close(&json);
	json_object_close(&json);
	return write_blob(staging, &bytes, record->manifest, &record->manifest_bytes, err);
}
