/* SPDX-License-Identifier: Apache-2.0 */
/* form.c - how strings, lists and digests lie in image records and answers of foso-unpack */
#include "image/form.h"

#include <string.h>

#define MAX_STRING_BYTES (IMAGE_RECORD_MAX_BYTES / 4)

void image_put_string(struct buf *out, const char *text)
{
	wire_put_string(out, text ? text : "");
	wire_put_u8(out, 0);
}

void image_put_list(struct buf *out, const struct image_list *list)
{
	wire_put_u32(out, list->n_strings);
	wire_put_u32(out, list->n_bytes);
	buf_append(out, list->first, list->n_bytes);
}

const char *image_take(struct wire_reader *reader, size_t n_bytes)
{
	if (reader->is_broken || n_bytes > reader->len - reader->at) {
		reader->is_broken = true;
		return NULL;
	}
	const char *bytes = (const char *)reader->bytes + reader->at;
	reader->at += n_bytes;
	return bytes;
}

const char *image_get_string(struct wire_reader *reader, size_t max_bytes)
{
	size_t len = wire_get_count(reader, (uint32_t)max_bytes);
	const char *text = image_take(reader, len + 1);
	if (!text || strnlen(text, len + 1) != len) {
		reader->is_broken = true;
		return "";
	}
	return text;
}

struct image_list image_get_list(struct wire_reader *reader)
{
	struct image_list list = { .n_strings = wire_get_count(reader, IMAGE_MAX_STRINGS) };
	list.n_bytes = wire_get_count(reader, IMAGE_RECORD_MAX_BYTES);
	list.first = image_take(reader, list.n_bytes);
	uint32_t n_ends = 0;
	for (uint32_t i = 0; list.first && i < list.n_bytes; i++)
		n_ends += list.first[i] == '\0';
	bool is_closed = list.n_bytes == 0 || (list.first && list.first[list.n_bytes - 1] == '\0');
	if (n_ends != list.n_strings || !is_closed)
		reader->is_broken = true;
	if (reader->is_broken || list.n_strings == 0)
		return (struct image_list){ 0 };
	return list;
}

void image_get_digest(struct wire_reader *reader, uint8_t ret_digest[DIGEST_BYTES])
{
	const char *bytes = image_take(reader, DIGEST_BYTES);
	if (bytes)
		memcpy(ret_digest, bytes, DIGEST_BYTES);
}

void image_put_config(struct buf *out, const struct image_record *record)
{
	image_put_string(out, record->user);
	image_put_string(out, record->cwd);
	image_put_string(out, record->stop_signal);
	image_put_list(out, &record->env);
	image_put_list(out, &record->entrypoint);
	image_put_list(out, &record->cmd);
	image_put_list(out, &record->shell);
	image_put_list(out, &record->labels);
	image_put_list(out, &record->exposed_ports);
	image_put_list(out, &record->volumes);
}

void image_get_config(struct wire_reader *reader, struct image_record *record)
{
	record->user = image_get_string(reader, MAX_STRING_BYTES);
	record->cwd = image_get_string(reader, MAX_STRING_BYTES);
	record->stop_signal = image_get_string(reader, MAX_STRING_BYTES);
	record->env = image_get_list(reader);
	record->entrypoint = image_get_list(reader);
	record->cmd = image_get_list(reader);
	record->shell = image_get_list(reader);
	record->labels = image_get_list(reader);
	record->exposed_ports = image_get_list(reader);
	record->volumes = image_get_list(reader);
}
