/* SPDX-License-Identifier: Apache-2.0 */
/* image_answer_fuzz.c - bytes as an answer of foso-unpack; what is decoded encodes to the same */
#include <assert.h>
#include <string.h>

#include "image/answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct image_answer answer;
	struct error err = { .code = ERR_NONE };
	if (size == 0 || size > 64 * 1024)
		return 0;
	enum image_answer_kind expected = (enum image_answer_kind)(data[0] % IMAGE_N_ANSWERS);
	memset(&answer, 0, sizeof(answer));
	if (image_answer_decode(data, size, expected, &answer, &err) < 0) {
		assert(err.code == ERR_PROTOCOL && err.remedy[0]);
		return 0;
	}
	struct buf out = BUF_INIT(IMAGE_ANSWER_BYTES);
	image_answer_encode(&answer, &out);
	assert(buf_is_whole(&out) && out.len == size && memcmp(out.data, data, size) == 0);
	buf_fini(&out);
	if (answer.kind == IMAGE_ANSWER_FAULT) {
		assert(image_fault_error(&answer.fault, "layer 1 of 1", &err) < 0);
		assert(err.message[0] && err.remedy[0] && !strchr(err.message, '%'));
	}
	return 0;
}
