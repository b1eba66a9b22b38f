/* SPDX-License-Identifier: Apache-2.0 */
/* buf_test.c - bounded buffers, on the heap and on storage of their maker */
#include <string.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "support/tap.h"

static void test_buf_empty_is_an_empty_string(void)
{
	char storage[8];
	struct buf heap = BUF_INIT(16), on = BUF_ON(storage, 16);
	memset(storage, 'x', sizeof(storage));
	STR_EQ(buf_string(&heap), "");
	STR_EQ(buf_string(&on), "");
	OK(buf_is_whole(&heap) && buf_is_whole(&on));
	buf_fini(&heap);
	buf_fini(&on);
}

static void test_buf_append_fits_storage_and_stays_there(void)
{
	char storage[8];
	auto_buf struct buf buf = BUF_ON(storage, 100);
	buf_append_string(&buf, "1234567");
	STR_EQ(buf_string(&buf), "1234567");
	OK(buf.data == storage);
}

static void test_buf_append_outgrows_storage_and_moves(void)
{
	char storage[8];
	auto_buf struct buf buf = BUF_ON(storage, 1000);
	buf_append_string(&buf, "1234567");
	buf_append_char(&buf, '8');
	STR_EQ(buf_string(&buf), "12345678");
	OK(buf.data != storage);
	STR_EQ(storage, "1234567");
	buf_printf(&buf, "%0500d", 9);
	EQ(buf.len, 508);
	OK(buf_is_whole(&buf));
}

static void test_buf_append_beyond_bound_marks_and_keeps(void)
{
	char storage[32];
	struct buf buf = BUF_ON(storage, 4);
	buf_append_string(&buf, "1234");
	OK(buf_is_whole(&buf));
	buf_append_char(&buf, '5');
	OK(!buf_is_whole(&buf));
	buf_append_string(&buf, "");
	STR_EQ(buf_string(&buf), "1234");
	buf_clear(&buf);
	OK(buf_is_whole(&buf));
	STR_EQ(buf_string(&buf), "");
	buf_fini(&buf);
}

static void test_buf_fini_twice_and_use_again(void)
{
	char storage[8];
	struct buf buf = BUF_ON(storage, 64);
	buf_append_string(&buf, "abc");
	buf_fini(&buf);
	buf_fini(&buf);
	STR_EQ(buf_string(&buf), "");
	buf_append_string(&buf, "def");
	STR_EQ(buf_string(&buf), "def");
	OK(buf.data != storage);
	STR_EQ(storage, "abc");
	buf_fini(&buf);
}

int main(void)
{
	RUN(test_buf_empty_is_an_empty_string);
	RUN(test_buf_append_fits_storage_and_stays_there);
	RUN(test_buf_append_outgrows_storage_and_moves);
	RUN(test_buf_append_beyond_bound_marks_and_keeps);
	RUN(test_buf_fini_twice_and_use_again);
	return tap_done();
}
