/* SPDX-License-Identifier: Apache-2.0 */
/* errors.c - failures on their way from one program of foso to another */
#include "wire/errors.h"

#include <string.h>

#include "wire/codec.h"

#define ERRORS_MAGIC 0x31525245u /* "ERR1" */

void errors_encode(const struct error_list *list, struct buf *out)
{
	wire_put_u32(out, ERRORS_MAGIC);
	wire_put_u32(out, (uint32_t)list->n_errors);
	wire_put_u64(out, list->n_lost);
	for (size_t i = 0; i < list->n_errors; i++) {
		const struct error *err = &list->items[i];
		wire_put_u8(out, (uint8_t)err->code);
		wire_put_u32(out, (uint32_t)err->errnum);
		wire_put_string(out, err->subject);
		wire_put_string(out, err->message);
		wire_put_string(out, err->remedy);
	}
}

static void get_text(struct wire_reader *reader, char *text, size_t size)
{
	size_t len = 0;
	const uint8_t *bytes = wire_get_bytes(reader, &len);
	if (bytes && len < size && !memchr(bytes, '\0', len))
		memcpy(text, bytes, len);
	else
		reader->is_broken = true;
}

bool errors_decode(struct error_list *ret, const void *bytes, size_t len)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	memset(ret, 0, sizeof(*ret));
	bool is_ours = wire_get_u32(&reader) == ERRORS_MAGIC;
	size_t n_errors = wire_get_count(&reader, ERROR_LIST_MAX);
	ret->n_lost = wire_get_u64(&reader);
	for (; ret->n_errors < n_errors && !reader.is_broken; ret->n_errors++) {
		struct error *err = &ret->items[ret->n_errors];
		err->code = (enum error_code)wire_get_enum(&reader, ERR_N_CODES);
		err->errnum = (int)wire_get_u32(&reader);
		get_text(&reader, err->subject, sizeof(err->subject));
		get_text(&reader, err->message, sizeof(err->message));
		get_text(&reader, err->remedy, sizeof(err->remedy));
		if (err->code == ERR_NONE)
			reader.is_broken = true;
	}
	if (is_ours && n_errors > 0 && wire_reader_is_done(&reader))
		return true;
	memset(ret, 0, sizeof(*ret));
	return false;
}
