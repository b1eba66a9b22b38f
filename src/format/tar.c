/* SPDX-License-Identifier: Apache-2.0 */
/* tar.c - writing the headers of a tar archive */
#include "format/tar.h"

#include <stdio.h>
#include <string.h>

#define MAX_OCTAL_SIZE  UINT64_C(077777777777)
#define MAX_RECORDS     (4u * 1024 * 1024)
#define PAX_HEADER_TYPE 'x'

struct ustar {
	char name[100], mode[8], uid[8], gid[8], size[12], mtime[12], checksum[8], type;
	char linkname[100], magic[6], version[2], uname[32], gname[32], devmajor[8], devminor[8];
	char prefix[155], unused[12];
};
static_assert(sizeof(struct ustar) == TAR_BLOCK_BYTES, "a header is one block");

/* Digits up to the last byte, which is a NUL. */
static void put_octal(char *field, size_t size, uint64_t value)
{
	field[size - 1] = '\0';
	for (size_t i = size - 1; i-- > 0; value >>= 3)
		field[i] = (char)('0' + (value & 7));
}

/* "LENGTH KEY=VALUE\n", where LENGTH counts itself. */
static void put_record(struct buf *out, const char *key, const void *value, size_t len)
{
	size_t rest = strlen(key) + len + 3, total = rest + 1;
	for (size_t digits = 1, power = 10; digits < 20; digits++, power *= 10) {
		total = rest + digits;
		if (total < power)
			break;
	}
	buf_printf(out, "%zu %s=", total, key);
	buf_append(out, value, len);
	buf_append_char(out, '\n');
}

void tar_xattr(struct buf *records, const char *name, const void *value, size_t len)
{
	char key[300];
	(void)snprintf(key, sizeof(key), "SCHILY.xattr.%.255s", name);
	put_record(records, key, value, len);
}

/* Fills name and prefix; false if the path does not fit. */
static bool put_path(struct ustar *header, const char *path, size_t len)
{
	if (len <= sizeof(header->name)) {
		memcpy(header->name, path, len);
		return true;
	}
	for (size_t i = len - 1; i > 0; i--) {
		if (path[i] != '/' || i > sizeof(header->prefix) ||
		    len - i - 1 > sizeof(header->name) || i + 1 == len)
			continue;
		memcpy(header->prefix, path, i);
		memcpy(header->name, path + i + 1, len - i - 1);
		return true;
	}
	memcpy(header->name, path, sizeof(header->name));
	return false;
}

static void put_block(struct buf *out, struct ustar *header)
{
	unsigned sum = 0;
	memcpy(header->magic, "ustar", 6);
	memcpy(header->version, "00", 2);
	put_octal(header->devmajor, sizeof(header->devmajor), 0);
	put_octal(header->devminor, sizeof(header->devminor), 0);
	memset(header->checksum, ' ', sizeof(header->checksum));
	for (size_t i = 0; i < sizeof(*header); i++)
		sum += ((const unsigned char *)header)[i];
	put_octal(header->checksum, 7, sum);
	buf_append(out, header, sizeof(*header));
}

static void put_numbers(struct ustar *header, const struct tar_entry *entry, uint64_t size)
{
	uint64_t mtime = entry->mtime_s < 0 ? 0 : (uint64_t)entry->mtime_s;
	put_octal(header->mode, sizeof(header->mode), entry->mode & 07777);
	put_octal(header->uid, sizeof(header->uid), entry->uid);
	put_octal(header->gid, sizeof(header->gid), entry->gid);
	put_octal(header->size, sizeof(header->size), size > MAX_OCTAL_SIZE ? 0 : size);
	put_octal(header->mtime, sizeof(header->mtime), mtime > MAX_OCTAL_SIZE ? 0 : mtime);
}

static void put_pax(struct buf *out, const struct tar_entry *entry, const struct buf *records)
{
	static const char zeroes[TAR_BLOCK_BYTES];
	struct ustar header = { .type = PAX_HEADER_TYPE };
	struct tar_entry own = { .mode = 0644, .mtime_s = entry->mtime_s };
	memcpy(header.name, "PaxHeaders/", 11);
	size_t len = strlen(entry->path);
	memcpy(header.name + 11, entry->path, len < 80 ? len : 80);
	put_numbers(&header, &own, records->len);
	put_block(out, &header);
	buf_append(out, records->data, records->len);
	buf_append(out, zeroes, tar_padding(records->len));
}

void tar_header(const struct tar_entry *entry, struct buf *out)
{
	char text[32];
	struct ustar header = { .type = (char)entry->type };
	struct buf records = BUF_INIT(MAX_RECORDS);
	struct buf path = BUF_INIT(MAX_RECORDS);
	uint64_t size = entry->type == TAR_FILE ? entry->size : 0;
	buf_append_string(&path, entry->path);
	if (entry->type == TAR_FOLDER)
		buf_append_char(&path, '/');
	if (!put_path(&header, buf_string(&path), path.len))
		put_record(&records, "path", path.data, path.len);
	if (entry->leads_to) {
		size_t len = strlen(entry->leads_to);
		memcpy(header.linkname, entry->leads_to, len < 100 ? len : 100);
		if (len > sizeof(header.linkname))
			put_record(&records, "linkpath", entry->leads_to, len);
	}
	if (size > MAX_OCTAL_SIZE) {
		(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)size);
		put_record(&records, "size", text, strlen(text));
	}
	if (entry->mtime_s < 0 || (uint64_t)entry->mtime_s > MAX_OCTAL_SIZE) {
		(void)snprintf(text, sizeof(text), "%lld", (long long)entry->mtime_s);
		put_record(&records, "mtime", text, strlen(text));
	}
	if (entry->xattrs && entry->xattrs->len > 0)
		buf_append(&records, entry->xattrs->data, entry->xattrs->len);
	if (records.len > 0)
		put_pax(out, entry, &records);
	put_numbers(&header, entry, size);
	put_block(out, &header);
	if (!buf_is_whole(&records) || !buf_is_whole(&path))
		out->is_broken = true;
	buf_fini(&records);
	buf_fini(&path);
}
