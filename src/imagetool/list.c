/* SPDX-License-Identifier: Apache-2.0 */
/* list.c - foso image list and inspect */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "format/json.h"
#include "image/write/commit.h"
#include "image/write/documents.h"
#include "imagetool/commands.h"

#define MAX_JSON_BYTES ((size_t)4 << 20)

void format_bytes(uint64_t n_bytes, char ret_text[FORMAT_BYTES_SIZE])
{
	static const char *const units[] = { "B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB" };
	size_t unit = 0;
	uint64_t rest = 0;
	while (n_bytes >= 1024 && unit + 1 < ARRAY_LEN(units)) {
		rest = n_bytes % 1024;
		n_bytes /= 1024;
		unit++;
	}
	if (unit == 0)
		(void)snprintf(ret_text, FORMAT_BYTES_SIZE, "%u B", (unsigned)n_bytes);
	else
		(void)snprintf(ret_text, FORMAT_BYTES_SIZE, "%u.%u %s", (unsigned)n_bytes,
			       (unsigned)(rest * 10 / 1024), units[unit]);
}

uint64_t image_tree_bytes(const struct image_record *record)
{
	uint64_t n_bytes = 0;
	for (uint32_t i = 0; i < record->n_layers; i++)
		n_bytes += record->layers[i].tree_bytes;
	return n_bytes;
}

static void format_time(uint64_t realtime_s, char text[32])
{
	struct tm tm;
	time_t when = (time_t)realtime_s;
	if (!gmtime_r(&when, &tm) || strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &tm) == 0)
		(void)snprintf(text, 32, "?");
}

static void put_list(struct json *json, const char *key, const struct image_list *list)
{
	json_array_open(json, key);
	for (const char *at = NULL; (at = image_list_next(list, at));)
		json_bytes(json, NULL, at, strlen(at));
	json_array_close(json);
}

static void put_layers(struct json *json, const struct image_record *record)
{
	static const char *const names[IMAGE_N_COMPRESSIONS] = { "none", "gzip", "zstd" };
	json_array_open(json, "layers");
	for (uint32_t i = 0; i < record->n_layers; i++) {
		const struct image_layer *layer = &record->layers[i];
		json_object_open(json, NULL);
		document_put_digest(json, "blob", layer->blob);
		document_put_digest(json, "diff_id", layer->diff_id);
		document_put_digest(json, "chain_id", layer->chain);
		json_u64(json, "blob_bytes", layer->blob_bytes);
		json_u64(json, "tree_bytes", layer->tree_bytes);
		json_u64(json, "entries", layer->n_entries);
		json_string(json, "compression", names[layer->compression]);
		json_object_close(json);
	}
	json_array_close(json);
}

static void put_summary(struct json *json, const struct image_record *record)
{
	char when[32];
	format_time(record->imported_realtime_s, when);
	json_string(json, "name", record->name);
	document_put_digest(json, "digest", record->manifest);
	document_put_digest(json, "config", record->config);
	json_string(json, "imported", when);
	json_bytes(json, "architecture", record->architecture, strlen(record->architecture));
	json_bytes(json, "os", record->os, strlen(record->os));
	json_u64(json, "tree_bytes", image_tree_bytes(record));
}

static void put_config(struct json *json, const struct image_record *record)
{
	json_bytes(json, "user", record->user, strlen(record->user));
	json_bytes(json, "cwd", record->cwd, strlen(record->cwd));
	json_bytes(json, "stop_signal", record->stop_signal, strlen(record->stop_signal));
	put_list(json, "env", &record->env);
	put_list(json, "entrypoint", &record->entrypoint);
	put_list(json, "cmd", &record->cmd);
	put_list(json, "shell", &record->shell);
	put_list(json, "labels", &record->labels);
	put_list(json, "exposed_ports", &record->exposed_ports);
	put_list(json, "volumes", &record->volumes);
}

static int print_json(const struct image_record *record, bool is_whole, struct error *err)
{
	auto_buf struct buf out = BUF_INIT(MAX_JSON_BYTES);
	struct json json;
	json_init(&json, &out);
	json_object_open(&json, NULL);
	put_summary(&json, record);
	if (is_whole)
		put_config(&json, record);
	else
		json_u64(&json, "layers", record->n_layers);
	if (is_whole)
		put_layers(&json, record);
	json_object_close(&json);
	if (!buf_is_whole(&out)) {
		int r = error_set(err, ERR_LIMIT, 0, record->name, "has too much to be shown");
		return error_remedy(err, r, "show it without --json");
	}
	(void)puts(buf_string(&out));
	return 0;
}

struct listing {
	bool is_json, has_any;
};

static int print_row(void *context, const struct image_record *record, struct error *err)
{
	struct listing *listing = context;
	char digest[DIGEST_HEX_BYTES], size[FORMAT_BYTES_SIZE], when[32];
	if (listing->is_json)
		return print_json(record, false, err);
	if (!listing->has_any)
		printf("%-32s  %-12s  %6s  %10s  %s\n", "NAME", "DIGEST", "LAYERS", "SIZE",
		       "IMPORTED");
	listing->has_any = true;
	digest_hex(record->manifest, digest);
	format_bytes(image_tree_bytes(record), size);
	format_time(record->imported_realtime_s, when);
	printf("%-32s  %.12s  %6u  %10s  %s\n", record->name, digest, (unsigned)record->n_layers,
	       size, when);
	return 0;
}

int command_list(const struct args *args, struct error *err)
{
	struct image_store store;
	struct listing listing = { .is_json = args->is_json };
	int lock_fd = -1;
	int r = image_store_open(&store, args->store, err);
	/* A store that is not there has no images; that is no failure. */
	if (r == -ERR_NOT_FOUND) {
		error_clear(err);
		return 0;
	}
	if (r < 0)
		return r;
	r = image_store_lock(&store, false, &lock_fd, err);
	if (r == 0)
		r = image_each(&store, print_row, &listing, err);
	fd_close(&lock_fd);
	image_store_fini(&store);
	return r;
}

static void print_text(const char *label, const char *text)
{
	char safe[1024];
	if (!text[0])
		return;
	text_escape(text, strlen(text), safe, sizeof(safe));
	printf("%-13s %s\n", label, safe);
}

static void print_list(const char *label, const struct image_list *list)
{
	for (const char *at = NULL; (at = image_list_next(list, at));) {
		print_text(label, at[0] ? at : "''");
		label = "";
	}
}

static void print_digest(const char *label, const uint8_t digest[DIGEST_BYTES])
{
	char hex[DIGEST_HEX_BYTES];
	digest_hex(digest, hex);
	printf("%-13s sha256:%s\n", label, hex);
}

static void print_image(const struct image_record *record)
{
	char size[FORMAT_BYTES_SIZE], when[32], platform[80];
	format_time(record->imported_realtime_s, when);
	(void)snprintf(platform, sizeof(platform), "%s/%s", record->os, record->architecture);
	print_text("name", record->name);
	print_digest("digest", record->manifest);
	print_digest("config", record->config);
	print_text("imported", when);
	print_text("platform", platform);
	print_text("user", record->user);
	print_text("cwd", record->cwd);
	print_text("stop signal", record->stop_signal);
	print_list("env", &record->env);
	print_list("entrypoint", &record->entrypoint);
	print_list("cmd", &record->cmd);
	print_list("shell", &record->shell);
	print_list("labels", &record->labels);
	print_list("ports", &record->exposed_ports);
	print_list("volumes", &record->volumes);
	for (uint32_t i = 0; i < record->n_layers; i++) {
		char label[32], hex[DIGEST_HEX_BYTES];
		(void)snprintf(label, sizeof(label), "layer %u", (unsigned)i + 1);
		digest_hex(record->layers[i].blob, hex);
		format_bytes(record->layers[i].tree_bytes, size);
		printf("%-13s sha256:%s, %llu entries, %s\n", label, hex,
		       (unsigned long long)record->layers[i].n_entries, size);
	}
}

int command_inspect(const struct args *args, struct error *err)
{
	struct image_store store;
	struct image image;
	int r = image_store_open(&store, args->store, err);
	if (r < 0)
		return r;
	r = image_open(&store, args->operands[0], &image, err);
	if (r == 0) {
		if (args->is_json)
			r = print_json(&image.record, true, err);
		else
			print_image(&image.record);
		image_fini(&image);
	}
	image_store_fini(&store);
	return r;
}
