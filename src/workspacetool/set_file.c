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
#include <unistd.h>

#include "base/cleanup.h"
#include "base/digest.h"
#include "base/fd.h"
#include "workspacetool/set.h"

#define MAGIC       "FOSOSET1"
#define MAGIC_BYTES 8
#define ROOM_BYTES  65536 /* more than an entry */

struct record {
	uint32_t path_len, renamed_from;
	uint16_t flags, reason;
	uint8_t change, padding[3];
	struct node upper, host;
};

/* ---- writing: in pieces, so that the form of a large set is never in memory as a whole ---- */

struct sink {
	struct digest digest;
	struct buf *out; /* for the whole, or */
	int fd;          /* -1: nothing but the digest is wanted */
	size_t n_chunk;
	bool has_failed;
	char chunk[16384];
};

static void flush(struct sink *sink)
{
	digest_add(&sink->digest, sink->chunk, sink->n_chunk);
	if (sink->out)
		buf_append(sink->out, sink->chunk, sink->n_chunk);
	else if (sink->fd >= 0 && fd_write_all(sink->fd, sink->chunk, sink->n_chunk) < 0)
		sink->has_failed = true;
	sink->n_chunk = 0;
}

static void put(struct sink *sink, const void *bytes, size_t len)
{
	if (sizeof(sink->chunk) - sink->n_chunk < len)
		flush(sink);
	memcpy(sink->chunk + sink->n_chunk, bytes, len);
	sink->n_chunk += len;
}

static void put_set(struct sink *sink, const struct set *set)
{
	uint8_t digest[DIGEST_BYTES];
	uint64_t n = set->n_entries;
	digest_begin(&sink->digest);
	put(sink, MAGIC, MAGIC_BYTES);
	put(sink, &n, sizeof(n));
	for (size_t i = 0; i < set->n_entries; i++) {
		const struct entry *entry = &set->entries[i];
		struct record record = { .path_len = entry->path_len,
					 .renamed_from = entry->renamed_from,
					 .flags = entry->flags,
					 .reason = entry->reason,
					 .change = entry->change,
					 .upper = entry->upper,
					 .host = entry->host };
		put(sink, &record, sizeof(record));
		put(sink, entry->path, entry->path_len);
	}
	flush(sink);
	struct digest whole = sink->digest;
	digest_end(&whole, digest);
	put(sink, digest, sizeof(digest));
	flush(sink);
}

void set_encode(const struct set *set, struct buf *out)
{
	struct sink sink = { .out = out, .fd = -1 };
	put_set(&sink, set);
}

void set_digest(const struct set *set, uint8_t ret_digest[DIGEST_BYTES])
{
	struct sink sink = { .fd = -1 };
	put_set(&sink, set);
	digest_end(&sink.digest, ret_digest);
}

/* ---- reading: likewise ---- */

struct source {
	int fd; /* -1: all of it is there */
	const char *bytes;
	size_t at, len;
	char *room; /* with a descriptor: of ROOM_BYTES; owned by the caller */
	struct digest digest;
};

/* Whether @n bytes more are there. */
static bool has(struct source *source, size_t n)
{
	while (source->len - source->at < n && source->fd >= 0) {
		memmove(source->room, source->bytes + source->at, source->len - source->at);
		source->len -= source->at;
		source->at = 0;
		ssize_t more =
			read(source->fd, source->room + source->len, ROOM_BYTES - source->len);
		if (more < 0 && errno == EINTR)
			continue;
		if (more <= 0)
			return false;
		source->len += (size_t)more;
	}
	return source->len - source->at >= n;
}

static const char *take(struct source *source, size_t n)
{
	const char *bytes = source->bytes + source->at;
	digest_add(&source->digest, bytes, n);
	source->at += n;
	return bytes;
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

/* The next entry; 0, or -1 if it is not sound; *err is filled where memory fails. */
static int decode_entry(struct set *set, struct source *source, uint64_t n_entries,
			struct error *err)
{
	struct record record;
	struct entry *entry;
	if (!has(source, sizeof(record)))
		return -1;
	memcpy(&record, take(source, sizeof(record)), sizeof(record));
	if (!record_is_sound(&record, n_entries) || !has(source, record.path_len))
		return -1;
	const char *path = take(source, record.path_len);
	if (!path_is_sound(path, record.path_len) ||
	    set_add(set, path, record.path_len, &entry, err) < 0)
		return -1;
	entry->upper = record.upper;
	entry->host = record.host;
	entry->renamed_from = record.renamed_from;
	entry->flags = record.flags;
	entry->reason = record.reason;
	entry->change = record.change;
	return 0;
}

static bool decode(struct set *set, struct source *source, struct error *err)
{
	uint8_t digest[DIGEST_BYTES];
	uint64_t n;
	digest_begin(&source->digest);
	if (!has(source, MAGIC_BYTES + sizeof(n)) ||
	    memcmp(take(source, MAGIC_BYTES), MAGIC, MAGIC_BYTES) != 0)
		return false;
	memcpy(&n, take(source, sizeof(n)), sizeof(n));
	for (uint64_t i = 0; i < n; i++) {
		size_t last = set->n_entries;
		if (decode_entry(set, source, n, err) < 0)
			return false;
		/* Sorted, and each path once: lookups stand on it. */
		if (!set_is_in_order(set, last))
			return false;
	}
	digest_end(&source->digest, digest);
	if (!has(source, DIGEST_BYTES) ||
	    memcmp(digest, source->bytes + source->at, DIGEST_BYTES) != 0)
		return false;
	return !has(source, DIGEST_BYTES + 1);
}

static int load(struct set *ret, struct source *source, const char *subject, struct error *err)
{
	set_init(ret);
	if (decode(ret, source, err))
		return 0;
	set_fini(ret);
	if (err->code != ERR_NONE)
		return -(int)err->code;
	int r = error_set(err, ERR_CORRUPT, 0, subject, "is not what foso diff wrote");
	return error_remedy(err, r, "run foso diff again");
}

int set_decode(struct set *ret, const char *bytes, size_t len, const char *subject,
	       struct error *err)
{
	struct source source = { .fd = -1, .bytes = bytes, .len = len };
	return load(ret, &source, subject, err);
}

static int failed(struct error *err, const char *name, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errno, name, "%s", what);
	return error_remedy(err, r, "see the space and the rights of the store of change sets");
}

int set_save(const struct set *set, int dir_fd, const char *name, struct error *err)
{
	char temporary[64];
	(void)snprintf(temporary, sizeof(temporary), "%s.new", name);
	auto_fd int fd = openat(dir_fd, temporary,
				O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
	struct sink sink = { .fd = fd };
	if (fd < 0)
		return failed(err, name, "cannot be written");
	put_set(&sink, set);
	if (sink.has_failed || fdatasync(fd) < 0)
		return failed(err, name, "cannot be written");
	if (renameat(dir_fd, temporary, dir_fd, name) < 0)
		return failed(err, name, "cannot be put into its place");
	return 0;
}

int set_load(struct set *ret, int dir_fd, const char *name, struct error *err)
{
	auto_fd int fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 && errno == ENOENT) {
		int r = error_set(err, ERR_NOT_FOUND, 0, name, "nothing was shown yet");
		return error_remedy(err, r, "run foso diff");
	}
	if (fd < 0)
		return failed(err, name, "cannot be opened");
	auto_free char *room = malloc(ROOM_BYTES);
	if (!room)
		return failed(err, name, "does not fit into memory");
	struct source source = { .fd = fd, .bytes = room, .room = room };
	return load(ret, &source, name, err);
}
