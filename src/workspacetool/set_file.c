/* SPDX-License-Identifier: Apache-2.0 */
/*
 * set_file.c - the file that says what was shown
 *
 *   "FOSOSET1", number of entries (u64), the entries, SHA-256 of all before it
 *   entry: length of path (u32), renamed_from (u32), flags (u16), reason (u16), change (u8),
 *          3 bytes 0, upper, host, path
 *
 * Numbers are those of this machine: a change set does not travel.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/fd.h"
#include "workspacetool/set.h"

#define MAGIC       "FOSOSET1"
#define MAGIC_BYTES 8

struct record {
	uint32_t path_len, renamed_from;
	uint16_t flags, reason;
	uint8_t change, padding[3];
	struct node upper, host;
};

void set_encode(const struct set *set, struct buf *out)
{
	uint8_t digest[DIGEST_BYTES];
	uint64_t n = set->n_entries;
	size_t start = out->len;
	buf_append(out, MAGIC, MAGIC_BYTES);
	buf_append(out, &n, sizeof(n));
	for (size_t i = 0; i < set->n_entries; i++) {
		const struct entry *entry = &set->entries[i];
		struct record record = { .path_len = entry->path_len,
					 .renamed_from = entry->renamed_from,
					 .flags = entry->flags,
					 .reason = entry->reason,
					 .change = entry->change,
					 .upper = entry->upper,
					 .host = entry->host };
		buf_append(out, &record, sizeof(record));
		buf_append(out, entry->path, entry->path_len);
	}
	if (!buf_is_whole(out))
		return;
	digest_sha256(out->data + start, out->len - start, NULL, 0, digest);
	buf_append(out, digest, sizeof(digest));
}

static bool path_is_sound(const char *path, size_t len)
{
	size_t name = 0;
	for (size_t i = 0; i <= len; i++) {
		if (i < len && path[i] == '\0')
			return false;
		if (i < len && path[i] != '/')
			continue;
		size_t n = i - name;
		if (n == 0 || (n == 1 && path[name] == '.') ||
		    (n == 2 && path[name] == '.' && path[name + 1] == '.'))
			return false;
		name = i + 1;
	}
	return true;
}

static bool record_is_sound(const struct record *record, uint64_t n_entries)
{
	return record->path_len > 0 && record->path_len <= SET_MAX_PATH_BYTES + 256 &&
	       record->change < CHANGE_N_KINDS && record->upper.type < NODE_N_TYPES &&
	       record->host.type < NODE_N_TYPES && record->upper.mode <= 07777 &&
	       record->host.mode <= 07777 &&
	       (record->renamed_from == SET_NO_ENTRY || record->renamed_from < n_entries);
}

/* One entry at *at; 0, or -1 if it is not sound; *err is filled where memory fails. */
static int decode_entry(struct set *set, const char *bytes, size_t len, size_t *at,
			uint64_t n_entries, struct error *err)
{
	struct record record;
	struct entry *entry;
	if (len - *at < sizeof(record))
		return -1;
	memcpy(&record, bytes + *at, sizeof(record));
	*at += sizeof(record);
	if (!record_is_sound(&record, n_entries) || len - *at < record.path_len ||
	    !path_is_sound(bytes + *at, record.path_len))
		return -1;
	if (set_add(set, bytes + *at, record.path_len, &entry, err) < 0)
		return -1;
	*at += record.path_len;
	entry->upper = record.upper;
	entry->host = record.host;
	entry->renamed_from = record.renamed_from;
	entry->flags = record.flags;
	entry->reason = record.reason;
	entry->change = record.change;
	return 0;
}

static bool decode(struct set *set, const char *bytes, size_t len, struct error *err)
{
	uint8_t digest[DIGEST_BYTES];
	uint64_t n;
	size_t at = MAGIC_BYTES + sizeof(n);
	if (len < at + DIGEST_BYTES || memcmp(bytes, MAGIC, MAGIC_BYTES) != 0)
		return false;
	len -= DIGEST_BYTES;
	digest_sha256(bytes, len, NULL, 0, digest);
	if (memcmp(digest, bytes + len, DIGEST_BYTES) != 0)
		return false;
	memcpy(&n, bytes + MAGIC_BYTES, sizeof(n));
	if (n > (len - at) / sizeof(struct record))
		return false;
	for (uint64_t i = 0; i < n; i++) {
		size_t last = set->n_entries;
		if (decode_entry(set, bytes, len, &at, n, err) < 0)
			return false;
		/* Sorted, and each path once: lookups stand on it. */
		if (!set_is_in_order(set, last))
			return false;
	}
	return at == len;
}

int set_decode(struct set *ret, const char *bytes, size_t len, const char *subject,
	       struct error *err)
{
	set_init(ret);
	if (decode(ret, bytes, len, err))
		return 0;
	set_fini(ret);
	if (err->code != ERR_NONE)
		return -(int)err->code;
	int r = error_set(err, ERR_CORRUPT, 0, subject, "is not what foso diff wrote");
	return error_remedy(err, r, "run foso diff again");
}

static int failed(struct error *err, const char *name, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errno, name, "%s", what);
	return error_remedy(err, r, "see the space and the rights of the store of change sets");
}

int set_save(const struct set *set, int dir_fd, const char *name, struct error *err)
{
	char temporary[64];
	auto_buf struct buf out = BUF_INIT(SIZE_MAX / 4);
	(void)snprintf(temporary, sizeof(temporary), "%s.new", name);
	set_encode(set, &out);
	if (!buf_is_whole(&out)) {
		errno = ENOMEM;
		return failed(err, name, "cannot be written");
	}
	auto_fd int fd = openat(dir_fd, temporary,
				O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0 || fd_write_all(fd, out.data, out.len) < 0 || fdatasync(fd) < 0)
		return failed(err, name, "cannot be written");
	if (renameat(dir_fd, temporary, dir_fd, name) < 0)
		return failed(err, name, "cannot be put into its place");
	return 0;
}

static int read_all(int fd, char *bytes, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = read(fd, bytes + at, len - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return -1;
		at += (size_t)n;
	}
	return 0;
}

int set_load(struct set *ret, int dir_fd, const char *name, struct error *err)
{
	struct stat status;
	auto_fd int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		int r = error_set(err, ERR_NOT_FOUND, 0, name, "nothing was shown yet");
		return error_remedy(err, r, "run foso diff");
	}
	if (fd < 0 || fstat(fd, &status) < 0 || status.st_size < 0)
		return failed(err, name, "cannot be opened");
	size_t len = (size_t)status.st_size;
	auto_free char *bytes = malloc(len + 1);
	if (!bytes || read_all(fd, bytes, len) < 0)
		return failed(err, name, "cannot be read");
	return set_decode(ret, bytes, len, name, err);
}
