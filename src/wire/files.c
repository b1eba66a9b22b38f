/* SPDX-License-Identifier: Apache-2.0 */
/* files.c - the records of a stream of files */
#include "wire/files.h"

#include <stdlib.h>
#include <string.h>

#include "wire/codec.h"

static void put(uint8_t **at, uint64_t value, size_t n_bytes)
{
	for (size_t i = 0; i < n_bytes; i++)
		*(*at)++ = (uint8_t)(value >> (8 * i));
}

static uint64_t get(const uint8_t **at, size_t n_bytes)
{
	uint64_t value = 0;
	for (size_t i = 0; i < n_bytes; i++)
		value |= (uint64_t) * (*at)++ << (8 * i);
	return value;
}

void files_header_encode(const struct files_header *header, uint8_t ret[FILES_HEADER_BYTES])
{
	uint8_t *at = ret;
	put(&at, (uint64_t)header->type, 4);
	put(&at, header->mode, 4);
	put(&at, header->size, 8);
	put(&at, (uint64_t)header->mtime_s, 8);
	put(&at, header->mtime_ns, 4);
	put(&at, header->name_len, 4);
	put(&at, 0, 4);
}

bool files_header_decode(struct files_header *ret, const uint8_t bytes[FILES_HEADER_BYTES])
{
	const uint8_t *at = bytes;
	uint64_t type = get(&at, 4);
	ret->mode = (uint32_t)get(&at, 4);
	ret->size = get(&at, 8);
	ret->mtime_s = (int64_t)get(&at, 8);
	ret->mtime_ns = (uint32_t)get(&at, 4);
	ret->name_len = (uint32_t)get(&at, 4);
	bool is_good = type < FILES_N_TYPES && get(&at, 4) == 0 && ret->mtime_ns < 1000000000u &&
		       ret->name_len <=
			       (type == FILES_ORDER ? FILES_MAX_ORDER_BYTES : FILES_MAX_NAME_BYTES);
	if (is_good)
		ret->type = (enum files_type)type;
	return is_good;
}

void files_order_encode(const struct files_order *order, struct buf *out)
{
	wire_put_string(out, order->target);
	wire_put_u8(out, order->is_folder);
	wire_put_string(out, order->owner);
	wire_put_u32(out, order->mode);
}

bool files_order_decode(struct files_order *ret, const void *bytes, size_t len)
{
	struct wire_reader reader;
	wire_reader_init(&reader, bytes, len);
	char *target = wire_get_string(&reader);
	ret->is_folder = wire_get_bool(&reader);
	char *owner = wire_get_string(&reader);
	ret->mode = wire_get_u32(&reader);
	bool is_good = wire_reader_is_done(&reader) && target[0] == '/' &&
		       (ret->mode <= 07777 || ret->mode == FILES_NO_MODE);
	if (!is_good) {
		free(target);
		free(owner);
		return false;
	}
	ret->target = target;
	ret->owner = owner;
	return true;
}
