/* SPDX-License-Identifier: Apache-2.0 */
/* compare.c - contents: the same or not, executable */
#include "workspacetool/compare.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "workspacetool/attributes.h"
#include "workspacetool/exec.h"
#include "workspacetool/tree.h"

/* Where the next data begins at or behind @at; @size if there is none. */
static uint64_t next_data(int fd, uint64_t at, uint64_t size)
{
	off_t data = lseek(fd, (off_t)at, SEEK_DATA);
	if (data >= 0)
		return MIN((uint64_t)data, size);
	return errno == ENXIO ? size : at; /* EINVAL: this file system does not tell. */
}

static ssize_t read_at(int fd, char *bytes, size_t len, uint64_t at)
{
	size_t done = 0;
	while (done < len) {
		ssize_t n = pread(fd, bytes + done, len - done, (off_t)(at + done));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		done += (size_t)n;
	}
	return (ssize_t)done;
}

/* Small files are read whole, as a look for holes would cost as much. */
static int compare_whole(int upper_fd, int host_fd, size_t len, char *chunks)
{
	ssize_t n = read_at(upper_fd, chunks, len, 0);
	ssize_t n_other = read_at(host_fd, chunks + COMPARE_CHUNK_BYTES, len, 0);
	if (n < 0 || n_other < 0)
		return -1;
	return n == n_other && memcmp(chunks, chunks + COMPARE_CHUNK_BYTES, (size_t)n) == 0;
}

int compare_files(int upper_fd, int host_fd, uint64_t size_bytes, char *chunks)
{
	if (size_bytes <= COMPARE_CHUNK_BYTES)
		return compare_whole(upper_fd, host_fd, (size_t)size_bytes, chunks);
	for (uint64_t at = 0; at < size_bytes;) {
		uint64_t one = next_data(upper_fd, at, size_bytes);
		uint64_t other = next_data(host_fd, at, size_bytes);
		at = MIN(one, other);
		size_t len = (size_t)MIN(size_bytes - at, (uint64_t)COMPARE_CHUNK_BYTES);
		if (len == 0)
			break;
		ssize_t n = read_at(upper_fd, chunks, len, at);
		ssize_t n_other = read_at(host_fd, chunks + COMPARE_CHUNK_BYTES, len, at);
		if (n < 0 || n_other < 0)
			return -1;
		if (n != n_other || memcmp(chunks, chunks + COMPARE_CHUNK_BYTES, (size_t)n) != 0)
			return 0;
		if (n == 0)
			break;
		at += (uint64_t)n;
	}
	return 1;
}

static int failed(struct error *err, const struct entry *entry, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errno, entry->path, "%s", what);
	return error_remedy(err, r, "see who may read it; run foso diff again");
}

static int compare_both_files(struct compare_place *place, struct entry *entry, struct error *err)
{
	bool is_mode = (entry->upper.mode & 0777) != (entry->host.mode & 0777);
	if (entry->upper.size_bytes != entry->host.size_bytes) {
		entry->change = CHANGE_CHANGED;
		return 0;
	}
	if (place->file_fd < 0)
		return failed(err, entry, "cannot be opened in the change set");
	auto_fd int host_fd = tree_open_known(place->host_fd, place->name);
	if (host_fd < 0)
		return failed(err, entry, "cannot be opened on the host");
	int same = compare_files(place->file_fd, host_fd, entry->upper.size_bytes, place->chunks);
	if (same < 0)
		return failed(err, entry, "cannot be read");
	if (entry->upper.size_bytes <= COMPARE_CHUNK_BYTES)
		place->n_read = (size_t)entry->upper.size_bytes;
	entry->change = same == 0 ? CHANGE_CHANGED : is_mode ? CHANGE_MODE : CHANGE_NONE;
	/* Other attributes are a change as well: the file is made anew with them. */
	if (same > 0 && !attributes_are_same(place->file_fd, host_fd)) {
		entry->change = CHANGE_CHANGED;
		entry->flags |= ENTRY_ATTRIBUTES;
	}
	return 0;
}

static int compare_both_links(const struct compare_place *place, struct entry *entry,
			      struct error *err)
{
	char upper[PATH_MAX], host[PATH_MAX];
	ssize_t n = tree_read_link(place->upper_fd, place->name, upper, sizeof(upper));
	if (n < 0)
		return failed(err, entry, "cannot be read in the change set");
	ssize_t n_host = tree_read_link(place->host_fd, place->name, host, sizeof(host));
	if (n_host < 0)
		return failed(err, entry, "cannot be read on the host");
	bool is_same = n == n_host && memcmp(upper, host, (size_t)n) == 0;
	entry->change = is_same ? CHANGE_NONE : CHANGE_CHANGED;
	return 0;
}

static unsigned reason_of_link(const struct compare_place *place, const struct entry *entry)
{
	char target[PATH_MAX];
	ssize_t n = tree_read_link(place->upper_fd, place->name, target, sizeof(target));
	bool is_out = n < 0 || n == sizeof(target) ||
		      exec_leads_outside(entry->path, entry->path_len, target, (size_t)n);
	return is_out ? EXEC_OUTSIDE : EXEC_NONE;
}

static unsigned reason_of_file(const struct compare_place *place, const struct entry *entry)
{
	char bytes[4] = { 0 };
	bool was_program = entry->host.type == NODE_FILE && entry->host.mode & 0111;
	if (entry->upper.mode & 0111)
		return was_program && entry->change == CHANGE_CHANGED ? EXEC_CHANGED
		       : was_program                                  ? EXEC_NONE
								      : EXEC_PROGRAM;
	if (entry->change == CHANGE_MODE)
		return EXEC_NONE;
	if (place->n_read > 0)
		return exec_magic_reason(place->chunks, place->n_read);
	ssize_t n = place->file_fd < 0 ? -1 : read_at(place->file_fd, bytes, sizeof(bytes), 0);
	/* What cannot be looked into is held back. */
	return n < 0 ? EXEC_BINARY : exec_magic_reason(bytes, (size_t)n);
}

/* Deleting runs nothing; a folder is as harmless as what is in it. */
static void find_reason(const struct compare_place *place, struct entry *entry)
{
	bool is_link = entry->upper.type == NODE_LINK;
	if (entry->change == CHANGE_NONE || entry->change == CHANGE_DELETED ||
	    (!is_link && entry->upper.type != NODE_FILE) || entry->flags & ENTRY_NEVER)
		return;
	unsigned reason = exec_path_reason(entry->path, entry->path_len, is_link);
	if (reason == EXEC_NONE && is_link)
		reason = reason_of_link(place, entry);
	else if (reason == EXEC_NONE)
		reason = reason_of_file(place, entry);
	if (reason == EXEC_NONE)
		return;
	entry->flags |= ENTRY_EXECUTES;
	entry->reason = (uint16_t)reason;
}

int compare_entry(struct compare_place *place, struct entry *entry, struct error *err)
{
	bool is_content = entry->upper.type == NODE_FILE || entry->upper.type == NODE_LINK;
	int r = 0;
	if (is_content && entry->flags & ENTRY_NEVER) {
		/* The host's content is not looked at; it is another one as far as anybody asks. */
		if (entry->host.type != NODE_ABSENT && entry->change == CHANGE_NONE)
			entry->change = CHANGE_CHANGED;
		return 0;
	}
	if (entry->upper.type == NODE_FILE && entry->host.type == NODE_FILE)
		r = compare_both_files(place, entry, err);
	else if (entry->upper.type == NODE_LINK && entry->host.type == NODE_LINK)
		r = compare_both_links(place, entry, err);
	if (r < 0)
		return r;
	if (is_content)
		find_reason(place, entry);
	if (entry->change == CHANGE_NONE)
		entry->flags &= (uint16_t)~ENTRY_CONFLICT;
	return 0;
}

/* ---- renames ---- */

/* The folders of an entry on each side, kept while entries of the same folder follow. */
struct parents {
	const struct sides *sides;
	const char *path; /* borrowed from the entry that they were opened for */
	size_t len;
	int upper_fd, host_fd;
};

static void parents_close(struct parents *parents)
{
	fd_close(&parents->upper_fd);
	fd_close(&parents->host_fd);
	parents->path = NULL;
}

/* A side without the folder stays -1, and whoever needs it fails when it opens its file. */
static const char *parents_open(struct parents *parents, const struct entry *entry)
{
	const char *slash = memrchr(entry->path, '/', entry->path_len);
	size_t len = slash ? (size_t)(slash - entry->path) : 0;
	if (!parents->path || parents->len != len || memcmp(parents->path, entry->path, len) != 0) {
		parents_close(parents);
		parents->path = entry->path;
		parents->len = len;
		parents->upper_fd = tree_open_folder(parents->sides->upper_fd, entry->path, len);
		parents->host_fd = tree_open_folder(parents->sides->host_fd, entry->path, len);
	}
	return slash ? slash + 1 : entry->path;
}

struct candidate {
	uint64_t size_bytes;
	uint32_t entry;
	bool is_old; /* deleted on the host's side */
	bool is_hashed;
	uint8_t digest[DIGEST_BYTES];
};

static int by_size(const void *a, const void *b)
{
	const struct candidate *one = a, *other = b;
	if (one->size_bytes != other->size_bytes)
		return one->size_bytes < other->size_bytes ? -1 : 1;
	if (one->is_old != other->is_old)
		return one->is_old ? -1 : 1;
	return one->entry < other->entry ? -1 : 1;
}

static int by_digest(const void *a, const void *b)
{
	const struct candidate *one = a, *other = b;
	int order = memcmp(one->digest, other->digest, DIGEST_BYTES);
	if (order != 0)
		return order;
	if (one->is_old != other->is_old)
		return one->is_old ? -1 : 1;
	return one->entry < other->entry ? -1 : 1;
}

static bool is_candidate(const struct entry *entry, bool *ret_is_old)
{
	const struct node *node = entry->change == CHANGE_CREATED ? &entry->upper : &entry->host;
	*ret_is_old = entry->change == CHANGE_DELETED;
	return (entry->change == CHANGE_CREATED || *ret_is_old) && node->type == NODE_FILE &&
	       !(entry->flags & ENTRY_NEVER) && node->size_bytes > 0 &&
	       node->size_bytes <= COMPARE_MAX_HASHED_BYTES;
}

static size_t collect(const struct set *set, struct candidate *items)
{
	size_t n = 0;
	for (size_t i = 0; i < set->n_entries; i++) {
		const struct entry *entry = &set->entries[i];
		bool is_old;
		if (!is_candidate(entry, &is_old))
			continue;
		items[n++] = (struct candidate){
			.size_bytes = is_old ? entry->host.size_bytes : entry->upper.size_bytes,
			.entry = (uint32_t)i,
			.is_old = is_old,
		};
	}
	return n;
}

/* A file that cannot be read is not found elsewhere; that is all that is lost. */
static void hash(struct parents *parents, const struct set *set, struct candidate *item,
		 char *bytes)
{
	const struct entry *entry = &set->entries[item->entry];
	const char *name = parents_open(parents, entry);
	auto_fd int fd = tree_open_file(item->is_old ? parents->host_fd : parents->upper_fd, name);
	ssize_t n = fd < 0 ? -1 : read_at(fd, bytes, (size_t)item->size_bytes, 0);
	item->is_hashed = n == (ssize_t)item->size_bytes;
	if (item->is_hashed)
		digest_sha256(bytes, (size_t)n, NULL, 0, item->digest);
}

/* Pairs within one size: the n-th old with the n-th new file of the same content. */
static void pair(struct set *set, struct candidate *items, size_t n)
{
	qsort(items, n, sizeof(*items), by_digest);
	for (size_t i = 0; i < n;) {
		size_t end = i, n_old = 0;
		while (end < n && memcmp(items[i].digest, items[end].digest, DIGEST_BYTES) == 0)
			n_old += items[end++].is_old;
		for (size_t k = 0; k < n_old && i + n_old + k < end; k++)
			if (items[i + k].is_hashed && items[i + n_old + k].is_hashed)
				set->entries[items[i + n_old + k].entry].renamed_from =
					items[i + k].entry;
		i = end;
	}
}

static void match(const struct sides *sides, struct set *set, struct candidate *items, size_t n,
		  char *bytes)
{
	CLEANUP(parents_close)
	struct parents parents = { .sides = sides, .upper_fd = -1, .host_fd = -1 };
	uint64_t budget = COMPARE_MAX_TOTAL_BYTES;
	for (size_t i = 0; i < n;) {
		size_t end = i;
		while (end < n && items[end].size_bytes == items[i].size_bytes)
			end++;
		/* Old ones come first: both kinds are there if the ends differ. */
		uint64_t cost = (end - i) * items[i].size_bytes;
		if (items[i].is_old && !items[end - 1].is_old && cost <= budget) {
			budget -= cost;
			for (size_t k = i; k < end; k++)
				hash(&parents, set, &items[k], bytes);
			pair(set, items + i, end - i);
		}
		i = end;
	}
}

int compare_renames(const struct sides *sides, struct set *set, struct error *err)
{
	size_t n_old = 0, n_new = 0;
	uint64_t largest = 0;
	for (size_t i = 0; i < set->n_entries; i++) {
		bool is_old;
		if (!is_candidate(&set->entries[i], &is_old))
			continue;
		n_old += is_old;
		n_new += !is_old;
		if (is_old)
			largest = MAX(largest, set->entries[i].host.size_bytes);
	}
	if (n_old == 0 || n_new == 0)
		return 0;
	auto_free struct candidate *items = calloc(n_old + n_new, sizeof(*items));
	auto_free char *bytes = malloc((size_t)largest);
	if (!items || !bytes) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, "change set",
				  "does not fit into memory");
		return error_remedy(err, r, "free some memory");
	}
	size_t n = collect(set, items);
	qsort(items, n, sizeof(*items), by_size);
	match(sides, set, items, n, bytes);
	return 0;
}
