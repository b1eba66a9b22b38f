/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_document_fuzz.c - JSON of images: a fault, or an answer that its reader takes
 *
 * The first byte chooses which document it is to be.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "unpack/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum image_answer_kind kinds[] = { IMAGE_ANSWER_INDEX, IMAGE_ANSWER_MANIFEST,
							IMAGE_ANSWER_CONFIG, IMAGE_ANSWER_DOCKER };
	static struct image_answer answer, again;
	static struct unpack unpack;
	static char storage[IMAGE_ANSWER_BYTES];
	struct error err = { .code = ERR_NONE };
	if (size == 0 || size > 64 * 1024)
		return 0;
	enum image_answer_kind kind = kinds[data[0] % ARRAY_LEN(kinds)];
	memset(&answer, 0, sizeof(answer));
	unpack = (struct unpack){ .answer = &answer,
				  .storage = BUF_ON(storage, sizeof(storage) - 1) };
	if (document_read(&unpack, kind, (const char *)data + 1, size - 1) < 0) {
		assert(unpack.fault.id < IMAGE_N_FAULTS);
		return 0;
	}
	struct buf out = BUF_INIT(IMAGE_ANSWER_BYTES);
	image_answer_encode(&answer, &out);
	assert(buf_is_whole(&out));
	assert(image_answer_decode(out.data, out.len, kind, &again, &err) == 0);
	buf_fini(&out);
	return 0;
}
