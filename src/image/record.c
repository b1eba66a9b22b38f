/* SPDX-License-Identifier: Apache-2.0 */
/* record.c - what foso knows of an image, in a fixed form */
#include "image/record.h"

#include <string.h>

#include "image/form.h"
#include "image/name.h"

/* The last byte is the version; another one is another form. */
static const char magic[8] = { 'f', 'o', 's', 'o', 'i', 'm', 'g', 1 };

const char *image_list_next(const struct image_list *list, const char *previous)
{
	if (!previous)
		return list->n_strings > 0 ? list->first : NULL;
	const char *next = previous + strlen(previous) + 1;
	return next < list->first + list->n_bytes ? next : NULL;
}

struct image_list image_list_from(struct buf *storage, const char *const *strings,
				  uint32_t n_strings)
{
	size_t before = storage->len;
	for (uint32_t i = 0; i < n_strings; i++)
		buf_append(storage, strings[i], strlen(strings[i]) + 1);
	if (n_strings == 0 || !buf_is_whole(storage))
		return (struct image_list){ 0 };
	return (struct image_list){ storage->data + before, n_strings,
				    (uint32_t)(storage->len - before) };
}

static void put_layer(struct buf *out, const struct image_layer *layer)
{
	buf_append(out, layer->blob, DIGEST_BYTES);
	buf_append(out, layer->diff_id, DIGEST_BYTES);
	buf_append(out, layer->chain, DIGEST_BYTES);
	wire_put_u64(out, layer->blob_bytes);
	wire_put_u64(out, layer->tree_bytes);
	wire_put_u64(out, layer->n_entries);
	wire_put_u8(out, (uint8_t)layer->compression);
}

void image_record_encode(const struct image_record *record, struct buf *out)
{
	buf_append(out, magic, sizeof(magic));
	image_put_string(out, record->name);
	wire_put_u64(out, record->imported_realtime_s);
	buf_append(out, record->manifest, DIGEST_BYTES);
	wire_put_u64(out, record->manifest_bytes);
	buf_append(out, record->config, DIGEST_BYTES);
	wire_put_u64(out, record->config_bytes);
	image_put_string(out, record->architecture);
	image_put_string(out, record->os);
	image_put_config(out, record);
	wire_put_u32(out, record->n_layers);
	for (uint32_t i = 0; i < record->n_layers; i++)
		put_layer(out, &record->layers[i]);
}

static void get_layer(struct wire_reader *reader, struct image_layer *layer)
{
	image_get_digest(reader, layer->blob);
	image_get_digest(reader, layer->diff_id);
	image_get_digest(reader, layer->chain);
	layer->blob_bytes = wire_get_u64(reader);
	layer->tree_bytes = wire_get_u64(reader);
	layer->n_entries = wire_get_u64(reader);
	layer->compression = (enum image_compression)wire_get_enum(reader, IMAGE_N_COMPRESSIONS);
}

static bool has_names(const struct image_list *list)
{
	for (const char *at = NULL; (at = image_list_next(list, at));) {
		if (*at == '=' || !strchr(at, '='))
			return false;
	}
	return true;
}

static bool chains_agree(const struct image_record *record)
{
	for (uint32_t i = 0; i < record->n_layers; i++) {
		uint8_t chain[DIGEST_BYTES];
		image_chain(i > 0 ? record->layers[i - 1].chain : NULL, record->layers[i].diff_id,
			    chain);
		if (memcmp(chain, record->layers[i].chain, DIGEST_BYTES) != 0)
			return false;
	}
	return true;
}

/* What a record says wrongly although it can be read, or NULL. */
static const char *find_fault(const struct image_record *record)
{
	char name[IMAGE_NAME_BYTES];
	struct error unused = { .code = ERR_NONE };
	if (image_name_parse(record->name, name, &unused) < 0 || strcmp(name, record->name) != 0)
		return "its name breaks the rules of names";
	if (!has_names(&record->env))
		return "its environment has something that is not NAME=VALUE";
	if (!has_names(&record->labels))
		return "its labels have something that is not NAME=VALUE";
	return chains_agree(record) ? NULL : "its chain ids are not those of its layers";
}

static int refuse(struct error *err, const char *subject, const char *what)
{
	int r = error_set(err, ERR_CORRUPT, 0, subject, "is no image record of this foso: %s",
			  what);
	return error_remedy(err, r, "import the image anew, or remove it with foso image rm");
}

int image_record_decode(const void *bytes, size_t len, const char *subject,
			struct image_record *ret, struct error *err)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	const char *head = image_take(&reader, sizeof(magic));
	if (!head || len > IMAGE_RECORD_MAX_BYTES || memcmp(head, magic, sizeof(magic)) != 0)
		return refuse(err, subject, "its first bytes are others");
	ret->name = image_get_string(&reader, IMAGE_NAME_MAX);
	ret->imported_realtime_s = wire_get_u64(&reader);
	image_get_digest(&reader, ret->manifest);
	ret->manifest_bytes = wire_get_u64(&reader);
	image_get_digest(&reader, ret->config);
	ret->config_bytes = wire_get_u64(&reader);
	ret->architecture = image_get_string(&reader, IMAGE_PLATFORM_WORD_MAX);
	ret->os = image_get_string(&reader, IMAGE_PLATFORM_WORD_MAX);
	image_get_config(&reader, ret);
	ret->n_layers = wire_get_count(&reader, IMAGE_MAX_LAYERS);
	for (uint32_t i = 0; i < ret->n_layers; i++)
		get_layer(&reader, &ret->layers[i]);
	if (!wire_reader_is_done(&reader))
		return refuse(err, subject, "it is cut, too long, or a count is out of bounds");
	const char *fault = find_fault(ret);
	return fault ? refuse(err, subject, fault) : 0;
}

void image_chain(const uint8_t *below, const uint8_t diff_id[DIGEST_BYTES],
		 uint8_t ret_chain[DIGEST_BYTES])
{
	char first[DIGEST_HEX_BYTES], second[DIGEST_HEX_BYTES];
	char text[2 * (sizeof("sha256:") + DIGEST_HEX_BYTES)];
	if (!below) {
		memmove(ret_chain, diff_id, DIGEST_BYTES);
		return;
	}
	digest_hex(below, first);
	digest_hex(diff_id, second);
	int len = snprintf(text, sizeof(text), "sha256:%s sha256:%s", first, second);
	digest_sha256(text, (size_t)len, NULL, 0, ret_chain);
}

/* RFC 1952 section 2.3.1, RFC 8878 section 3.1.1, The .xz File Format 2.1.1.1, bzip2(1). */
enum image_compression image_compression_of(const void *bytes, size_t n)
{
	static const struct {
		const char *magic;
		size_t len;
		enum image_compression compression;
	} packings[] = {
		{ "\x1f\x8b", 2, IMAGE_COMPRESSION_GZIP },
		{ "\x28\xb5\x2f\xfd", 4, IMAGE_COMPRESSION_ZSTD },
		{ "\xfd"
		  "7zXZ",
		  6, IMAGE_COMPRESSION_XZ }, /* with its NUL */
		{ "BZh", 3, IMAGE_COMPRESSION_BZIP2 },
	};
	for (size_t i = 0; i < ARRAY_LEN(packings); i++)
		if (n >= packings[i].len && memcmp(bytes, packings[i].magic, packings[i].len) == 0)
			return packings[i].compression;
	return IMAGE_COMPRESSION_NONE;
}
