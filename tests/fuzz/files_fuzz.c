/* SPDX-License-Identifier: Apache-2.0 */
/*
 * files_fuzz.c - the two forms of the stream that foso-build sends to foso-copy
 *
 * What is accepted means one thing only: encoded again, it is the same bytes.
 */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "wire/files.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void try_header(const uint8_t *bytes)
{
	struct files_header header;
	uint8_t again[FILES_HEADER_BYTES];
	if (!files_header_decode(&header, bytes))
		return;
	assert(header.type < FILES_N_TYPES && header.name_len <= FILES_MAX_ORDER_BYTES);
	files_header_encode(&header, again);
	assert(memcmp(bytes, again, sizeof(again)) == 0);
}

static void try_order(const uint8_t *bytes, size_t size)
{
	struct files_order order;
	if (!files_order_decode(&order, bytes, size))
		return;
	assert(order.target[0] == '/');
	struct buf again = BUF_INIT(FILES_MAX_ORDER_BYTES);
	files_order_encode(&order, &again);
	assert(again.len == size && memcmp(bytes, again.data, size) == 0);
	buf_fini(&again);
	free((char *)(uintptr_t)order.target);
	free((char *)(uintptr_t)order.owner);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size >= FILES_HEADER_BYTES)
		try_header(data);
	if (size <= FILES_MAX_ORDER_BYTES)
		try_order(data, size);
	return 0;
}
