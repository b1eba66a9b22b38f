/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_record_fuzz.c - bytes as an image record; what is decoded encodes to the same bytes
 *
 * The first byte chooses: a record, or a name and its way to a file name and back.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "image/name.h"
#include "image/record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_record(const uint8_t *data, size_t size)
{
	struct image_record record;
	struct error err = { .code = ERR_NONE };
	struct buf out = BUF_INIT(IMAGE_RECORD_MAX_BYTES);
	if (image_record_decode(data, size, "fuzz", &record, &err) == 0) {
		image_record_encode(&record, &out);
		assert(buf_is_whole(&out) && out.len == size);
		assert(memcmp(out.data, data, size) == 0);
	} else {
		assert(err.code == ERR_CORRUPT && err.remedy[0]);
	}
	buf_fini(&out);
}

static void try_name(const uint8_t *data, size_t size)
{
	char name[IMAGE_NAME_BYTES], file[IMAGE_NAME_BYTES], again[IMAGE_NAME_BYTES];
	struct error err = { .code = ERR_NONE };
	char *text = malloc(size + 1);
	assert(text);
	memcpy(text, data, size);
	text[size] = '\0';
	if (image_name_parse(text, name, &err) == 0) {
		image_name_escape(name, file);
		assert(!strchr(file, '/') && file[0] != '.');
		assert(image_name_unescape(file, again) && strcmp(again, name) == 0);
	} else {
		(void)image_name_unescape(text, again);
	}
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size == 0 || size > 64 * 1024)
		return 0;
	if (data[0] == 'n')
		try_name(data + 1, size - 1);
	else
		try_record(data, size);
	return 0;
}
