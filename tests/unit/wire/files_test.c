/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "support/tap.h"
#include "wire/files.h"

static void test_a_header_survives_its_encoding(void)
{
	uint8_t bytes[FILES_HEADER_BYTES];
	struct files_header copy;
	const struct files_header header = { .type = FILES_FILE,
					     .mode = 04711,
					     .size = UINT64_C(5) << 40,
					     .mtime_s = -7,
					     .mtime_ns = 999999999,
					     .name_len = FILES_MAX_NAME_BYTES };
	files_header_encode(&header, bytes);
	OK(files_header_decode(&copy, bytes));
	OK(copy.type == header.type && copy.mode == header.mode && copy.size == header.size);
	OK(copy.mtime_s == header.mtime_s && copy.mtime_ns == header.mtime_ns);
	EQ(copy.name_len, header.name_len);
}

static void test_a_header_that_nobody_wrote_is_refused(void)
{
	const struct files_header good = { .type = FILES_FILE };
	static const struct {
		size_t at;
		uint8_t value;
	} faults[] = { { 0, FILES_N_TYPES }, { 3, 1 }, { 27, 0x7f }, { 29, 0x10 }, { 35, 1 } };
	for (size_t i = 0; i < ARRAY_LEN(faults); i++) {
		uint8_t bytes[FILES_HEADER_BYTES];
		struct files_header ret;
		files_header_encode(&good, bytes);
		OK(files_header_decode(&ret, bytes));
		bytes[faults[i].at] = faults[i].value;
		if (files_header_decode(&ret, bytes))
			FAIL("byte %zu", faults[i].at);
	}
}

static void test_an_order_has_an_absolute_target(void)
{
	static const struct {
		const char *target;
		uint32_t mode;
		bool is_good;
	} rows[] = { { "/a", FILES_NO_MODE, true },
		     { "/", 07777, true },
		     { "a", FILES_NO_MODE, false },
		     { "", FILES_NO_MODE, false },
		     { "/a", 010000, false } };
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		auto_buf struct buf bytes = BUF_INIT(FILES_MAX_ORDER_BYTES);
		const struct files_order order = { rows[i].target, true, "app:staff",
						   rows[i].mode };
		struct files_order copy;
		files_order_encode(&order, &bytes);
		bool is_good = files_order_decode(&copy, bytes.data, bytes.len);
		OK(is_good == rows[i].is_good);
		if (!is_good)
			continue;
		STR_EQ(copy.target, rows[i].target);
		STR_EQ(copy.owner, "app:staff");
		free((char *)(uintptr_t)copy.target);
		free((char *)(uintptr_t)copy.owner);
	}
}

int main(void)
{
	RUN(test_a_header_survives_its_encoding);
	RUN(test_a_header_that_nobody_wrote_is_refused);
	RUN(test_an_order_has_an_absolute_target);
	return tap_done();
}
