/* SPDX-License-Identifier: Apache-2.0 */
#include <stdlib.h>

#include "base/cleanup.h"
#include "format/tar.h"
#include "support/tap.h"

#define MAX_BYTES (1u << 20)

static uint64_t octal(const char *field, size_t size)
{
	uint64_t value = 0;
	for (size_t i = 0; i < size && field[i]; i++)
		value = value * 8 + (uint64_t)(field[i] - '0');
	return value;
}

/* POSIX.1-2008, pax, "ustar Interchange Format": the sum with the field itself as spaces. */
static bool sum_is_right(const char *block)
{
	unsigned sum = 0;
	for (size_t i = 0; i < TAR_BLOCK_BYTES; i++)
		sum += i >= 148 && i < 156 ? ' ' : (unsigned char)block[i];
	return octal(block + 148, 6) == sum && block[154] == '\0' && block[155] == ' ';
}

static void test_a_small_entry_is_one_block(void)
{
	auto_buf struct buf out = BUF_INIT(MAX_BYTES);
	const struct tar_entry entry = { .type = TAR_FILE,
					 .path = "a/b",
					 .mode = 04755,
					 .uid = 1000,
					 .gid = 65535,
					 .size = 12345,
					 .mtime_s = 1700000000 };
	tar_header(&entry, &out);
	EQ(out.len, TAR_BLOCK_BYTES);
	STR_EQ(out.data, "a/b");
	EQ(octal(out.data + 100, 8), 04755);
	EQ(octal(out.data + 108, 8), 1000);
	EQ(octal(out.data + 116, 8), 65535);
	EQ(octal(out.data + 124, 12), 12345);
	EQ(octal(out.data + 136, 12), 1700000000);
	OK(memcmp(out.data + 257,
		  "ustar\0"
		  "00",
		  8) == 0);
	OK(out.data[265] == '\0' && out.data[297] == '\0');
	OK(sum_is_right(out.data));
}

static void test_a_folder_ends_with_a_slash_and_has_no_size(void)
{
	auto_buf struct buf out = BUF_INIT(MAX_BYTES);
	const struct tar_entry entry = { .type = TAR_FOLDER, .path = "d", .size = 4096 };
	tar_header(&entry, &out);
	STR_EQ(out.data, "d/");
	EQ(octal(out.data + 124, 12), 0);
	EQ(out.data[156], '5');
}

/* "27 path=..." and so on: the length counts its own digits, also where they become one more. */
static void check_long_path(size_t len)
{
	auto_buf struct buf out = BUF_INIT(MAX_BYTES);
	auto_free char *path = malloc(len + 1);
	char length[32];
	OK(path != NULL);
	if (!path)
		return;
	memset(path, 'x', len);
	path[len] = '\0';
	const struct tar_entry entry = { .type = TAR_FILE, .path = path };
	tar_header(&entry, &out);
	EQ(out.data[156], 'x');
	size_t n_records = octal(out.data + 124, 12);
	(void)snprintf(length, sizeof(length), "%zu path=", n_records);
	OK(strncmp(out.data + TAR_BLOCK_BYTES, length, strlen(length)) == 0);
	OK(memcmp(out.data + TAR_BLOCK_BYTES + strlen(length), path, len) == 0);
	EQ(out.data[TAR_BLOCK_BYTES + n_records - 1], '\n');
	EQ(out.len, 2 * TAR_BLOCK_BYTES + n_records + tar_padding(n_records));
	OK(sum_is_right(out.data) && sum_is_right(out.data + out.len - TAR_BLOCK_BYTES));
}

static void test_a_long_path_is_a_pax_record(void)
{
	for (size_t len = 101; len < 130; len++)
		check_long_path(len);
	check_long_path(985);
	check_long_path(990);
	check_long_path(4000);
}

static void test_a_path_that_can_be_split_is(void)
{
	auto_buf struct buf out = BUF_INIT(MAX_BYTES);
	char path[160];
	memset(path, 'a', sizeof(path));
	path[80] = '/';
	path[159] = '\0';
	const struct tar_entry entry = { .type = TAR_FILE, .path = path };
	tar_header(&entry, &out);
	EQ(out.len, TAR_BLOCK_BYTES);
	EQ(strnlen(out.data + 345, 155), 80);
	EQ(strnlen(out.data, 100), 78);
}

static void test_what_does_not_fit_is_a_pax_record(void)
{
	auto_buf struct buf out = BUF_INIT(MAX_BYTES), xattrs = BUF_INIT(MAX_BYTES);
	tar_xattr(&xattrs, "user.a", "b\0c", 3);
	const struct tar_entry entry = { .type = TAR_FILE,
					 .path = "f",
					 .size = UINT64_C(1) << 33,
					 .mtime_s = -1,
					 .xattrs = &xattrs };
	tar_header(&entry, &out);
	size_t n_records = octal(out.data + 124, 12);
	static const char expected[] = "19 size=8589934592\n12 mtime=-1\n"
				       "27 SCHILY.xattr.user.a=b\0c\n";
	EQ(n_records, sizeof(expected) - 1);
	OK(memcmp(out.data + TAR_BLOCK_BYTES, expected, sizeof(expected) - 1) == 0);
}

int main(void)
{
	RUN(test_a_small_entry_is_one_block);
	RUN(test_a_folder_ends_with_a_slash_and_has_no_size);
	RUN(test_a_long_path_is_a_pax_record);
	RUN(test_a_path_that_can_be_split_is);
	RUN(test_what_does_not_fit_is_a_pax_record);
	return tap_done();
}
