/* SPDX-License-Identifier: Apache-2.0 */
/* image.h - an image record with something in every field */
#pragma once

#include <string.h>

#include "base/macros.h"
#include "image/record.h"

/* Lists lie in @storage, which must outlive the record. */
static inline struct image_record image_sample(struct buf *storage)
{
	static const char *const env[] = { "PATH=/usr/bin:/bin", "EMPTY=" };
	static const char *const entrypoint[] = { "/bin/sh", "-c", "" };
	static const char *const cmd[] = { "true" };
	static const char *const labels[] = { "org.example=a=b" };
	static const char *const ports[] = { "80/tcp" };
	struct image_record record = {
		.name = "tools/base:v1",
		.imported_realtime_s = 1764438000,
		.manifest_bytes = 1234,
		.config_bytes = 567,
		.architecture = "amd64",
		.os = "linux",
		.user = "1000:1000",
		.cwd = "/srv",
		.stop_signal = "SIGTERM",
		.n_layers = 2,
	};
	memset(record.manifest, 0x11, DIGEST_BYTES);
	memset(record.config, 0x22, DIGEST_BYTES);
	record.env = image_list_from(storage, env, ARRAY_LEN(env));
	record.entrypoint = image_list_from(storage, entrypoint, ARRAY_LEN(entrypoint));
	record.cmd = image_list_from(storage, cmd, ARRAY_LEN(cmd));
	record.labels = image_list_from(storage, labels, ARRAY_LEN(labels));
	record.exposed_ports = image_list_from(storage, ports, ARRAY_LEN(ports));
	for (uint32_t i = 0; i < record.n_layers; i++) {
		struct image_layer *layer = &record.layers[i];
		memset(layer->blob, 0x30 + (int)i, DIGEST_BYTES);
		memset(layer->diff_id, 0x40 + (int)i, DIGEST_BYTES);
		image_chain(i > 0 ? record.layers[i - 1].chain : NULL, layer->diff_id,
			    layer->chain);
		layer->blob_bytes = 1000 + i;
		layer->tree_bytes = 4000 + i;
		layer->n_entries = 10 + i;
		layer->compression = i > 0 ? IMAGE_COMPRESSION_ZSTD : IMAGE_COMPRESSION_GZIP;
	}
	return record;
}
