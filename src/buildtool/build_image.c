/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_image.c - configuration and manifest of the finished image
 *
 * OCI image-spec, config.md and manifest.md.  What is written depends on the steps alone: the time
 * of creation is that of the newest step, which the cache remembers, so a build that finds every
 * step there gives the same image.
 */
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "buildtool/build.h"
#include "format/json.h"
#include "image/write/documents.h"

#define CONFIG_TYPE   "application/vnd.oci.image.config.v1+json"
#define MANIFEST_TYPE "application/vnd.oci.image.manifest.v1+json"
#define LAYER_TYPE    "application/vnd.oci.image.layer.v1.tar"

static void put_time(struct json *json, const char *key, int64_t seconds)
{
	char text[40] = "1970-01-01T00:00:00Z";
	time_t when = (time_t)seconds;
	struct tm parts;
	if (gmtime_r(&when, &parts))
		(void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &parts);
	json_string(json, key, text);
}

static void put_list(struct json *json, const char *key, const struct recipe_list *list)
{
	if (list->n_items == 0)
		return;
	json_array_open(json, key);
	for (size_t i = 0; i < list->n_items; i++)
		json_string(json, NULL, list->items[i]);
	json_array_close(json);
}

/* OCI writes a set as an object whose values are empty objects. */
static void put_set(struct json *json, const char *key, const struct recipe_list *list)
{
	if (list->n_items == 0)
		return;
	json_object_open(json, key);
	for (size_t i = 0; i < list->n_items; i++) {
		json_object_open(json, list->items[i]);
		json_object_close(json);
	}
	json_object_close(json);
}

static void put_env(struct json *json, const struct recipe_pairs *env)
{
	if (env->n_items == 0)
		return;
	json_array_open(json, "Env");
	for (size_t i = 0; i < env->n_items; i++) {
		auto_buf struct buf text = BUF_INIT(2 * RECIPE_MAX_WORD_BYTES);
		buf_printf(&text, "%s=", env->items[i].name);
		buf_append_string(&text, env->items[i].value);
		json_string(json, NULL, buf_string(&text));
	}
	json_array_close(json);
}

static void put_labels(struct json *json, const struct recipe_pairs *labels)
{
	if (labels->n_items == 0)
		return;
	json_object_open(json, "Labels");
	for (size_t i = 0; i < labels->n_items; i++)
		json_string(json, labels->items[i].name, labels->items[i].value);
	json_object_close(json);
}

static void put_word(struct json *json, const char *key, const char *text)
{
	if (text[0])
		json_string(json, key, text);
}

static void put_config(struct json *json, const struct recipe_config *config)
{
	json_object_open(json, "config");
	put_word(json, "User", config->user);
	put_set(json, "ExposedPorts", &config->ports);
	put_env(json, &config->env);
	put_list(json, "Entrypoint", &config->entrypoint);
	put_list(json, "Cmd", &config->cmd);
	put_set(json, "Volumes", &config->volumes);
	put_word(json, "WorkingDir", config->cwd);
	put_labels(json, &config->labels);
	put_word(json, "StopSignal", config->stop_signal);
	json_object_close(json);
}

/* One entry a layer of the base, since a reader may count them, and one for each instruction. */
static void put_history(struct json *json, const struct build_stage *built)
{
	size_t n_own = 0;
	for (size_t i = 0; i < built->n_history; i++)
		n_own += !built->history[i].is_empty;
	json_array_open(json, "history");
	for (size_t i = n_own; i < built->n_layers; i++) {
		json_object_open(json, NULL);
		json_string(json, "created_by", "a layer of the base image");
		json_object_close(json);
	}
	for (size_t i = 0; i < built->n_history; i++) {
		const struct build_history *entry = &built->history[i];
		json_object_open(json, NULL);
		put_time(json, "created", entry->created_s);
		json_string(json, "created_by", entry->text);
		if (entry->is_empty)
			json_bool(json, "empty_layer", true);
		json_object_close(json);
	}
	json_array_close(json);
}

static void make_config(const struct recipe_config *config, const struct build_stage *built,
			struct buf *out)
{
	struct json json;
	json_init(&json, out);
	json_object_open(&json, NULL);
	put_time(&json, "created", built->created_s);
	json_string(&json, "architecture", build_architecture());
	json_string(&json, "os", "linux");
	put_config(&json, config);
	json_object_open(&json, "rootfs");
	json_string(&json, "type", "layers");
	json_array_open(&json, "diff_ids");
	for (size_t i = 0; i < built->n_layers; i++)
		document_put_digest(&json, NULL, built->layers[i].diff_id);
	json_array_close(&json);
	json_object_close(&json);
	put_history(&json, built);
	json_object_close(&json);
}

static void make_manifest(const uint8_t config[DIGEST_BYTES], size_t n_config,
			  const struct build_stage *built, struct buf *out)
{
	static const char *const types[IMAGE_N_COMPRESSIONS] = { LAYER_TYPE, LAYER_TYPE "+gzip",
								 LAYER_TYPE "+zstd" };
	struct json json;
	json_init(&json, out);
	json_object_open(&json, NULL);
	json_u64(&json, "schemaVersion", 2);
	json_string(&json, "mediaType", MANIFEST_TYPE);
	document_put_descriptor(&json, "config", CONFIG_TYPE, config, n_config);
	json_array_open(&json, "layers");
	for (size_t i = 0; i < built->n_layers; i++) {
		const struct image_layer *layer = &built->layers[i];
		document_put_descriptor(&json, NULL, types[layer->compression], layer->blob,
					layer->blob_bytes);
	}
	json_array_close(&json);
	json_object_close(&json);
}

int build_finish(struct build *build, const struct recipe_stage *stage,
		 const struct build_stage *built, struct error *err)
{
	uint8_t digest[DIGEST_BYTES];
	auto_buf struct buf config = BUF_INIT(RECIPE_MAX_PLAN_BYTES);
	auto_buf struct buf manifest = BUF_INIT(RECIPE_MAX_PLAN_BYTES);
	make_config(&stage->config, built, &config);
	digest_sha256(config.data, config.len, NULL, 0, digest);
	make_manifest(digest, config.len, built, &manifest);
	if (!buf_is_whole(&config) || !buf_is_whole(&manifest)) {
		int r = error_set(err, ERR_LIMIT, 0, "the image", "is described by too many bytes");
		return error_remedy(err, r, "use fewer and shorter ENV and LABEL values");
	}
	return build_image_add(build, &config, &manifest, &stage->config, built, err);
}
