/* SPDX-License-Identifier: Apache-2.0 */
/*
 * archive.c - which blobs and documents an archive holds, and where
 *
 * Nothing is taken out here: the answer says at which offset each lies, and foso-image copies and
 * hashes those bytes itself.  A docker-save archive can have a layer twice, the second time as a
 * link to the first, so links among the members are followed, by their text.
 */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "unpack/path.h"
#include "unpack/tar.h"

/* A whole root file system is listed too, just to find out that it is one. */
#define MAX_ENTRIES 2000000u
#define MAX_LINKS   256

struct link {
	const char *name, *target;
};

struct listing {
	struct unpack *unpack;
	bool is_full; /* more candidates than fit: fine for a root file system alone */
	struct link links[MAX_LINKS];
	size_t n_links;
};

static bool ends_with(const char *text, const char *end)
{
	size_t len = strlen(text), n = strlen(end);
	return len >= n && strcmp(text + len - n, end) == 0;
}

static bool is_candidate(const char *path)
{
	return strcmp(path, "oci-layout") == 0 || strncmp(path, "blobs/", 6) == 0 ||
	       ends_with(path, ".json") || ends_with(path, ".tar");
}

static const char *keep(struct unpack *unpack, const char *text)
{
	struct image_list list = image_list_from(&unpack->storage, &text, 1);
	return list.first;
}

static struct image_member *find_member(struct unpack *unpack, const char *name)
{
	struct image_answer *answer = unpack->answer;
	for (uint32_t i = 0; i < answer->n_members; i++) {
		if (strcmp(answer->members[i].name, name) == 0)
			return &answer->members[i];
	}
	return NULL;
}

static int add_member(struct listing *listing, const char *path, uint64_t offset, uint64_t n_bytes)
{
	struct image_answer *answer = listing->unpack->answer;
	if (find_member(listing->unpack, path))
		return fault_set(&listing->unpack->fault, IMAGE_FAULT_TWICE, path, 0, 0);
	const char *name =
		answer->n_members < IMAGE_MAX_MEMBERS ? keep(listing->unpack, path) : NULL;
	if (!name) {
		listing->is_full = true;
		return 0;
	}
	answer->members[answer->n_members++] = (struct image_member){ name, offset, n_bytes };
	return 0;
}

/* "a/b/../c" without a look at any file; false if it leads out. */
static bool join(const char *base, const char *target, char *path, size_t size)
{
	size_t len = 0;
	const char *slash = strrchr(base, '/');
	size_t n_base = target[0] == '/' || !slash ? 0 : (size_t)(slash - base);
	if (n_base + strlen(target) + 2 > size)
		return false;
	memcpy(path, base, n_base);
	len = n_base;
	for (const char *part = target; *part;) {
		size_t n = strcspn(part, "/");
		bool is_nothing = n == 0 || (n == 1 && part[0] == '.');
		if (n == 2 && memcmp(part, "..", 2) == 0) {
			if (len == 0)
				return false;
			while (len > 0 && path[--len] != '/')
				;
		} else if (!is_nothing) {
			if (len > 0)
				path[len++] = '/';
			memcpy(path + len, part, n);
			len += n;
		}
		part += n + (part[n] == '/');
	}
	path[len] = '\0';
	return true;
}

static void add_link(struct listing *listing, const char *path, struct archive_entry *entry)
{
	const char *hard = archive_entry_hardlink(entry);
	const char *soft = archive_entry_symlink(entry);
	char target[IMAGE_PATH_MAX + 1];
	const char *text = hard ? hard : soft;
	if (!text || listing->n_links == MAX_LINKS ||
	    !join(hard ? "" : path, text, target, sizeof(target)))
		return;
	struct link link = { keep(listing->unpack, path), keep(listing->unpack, target) };
	if (link.name && link.target)
		listing->links[listing->n_links++] = link;
}

static int look_at(struct listing *listing, struct archive *archive, struct archive_entry *entry,
		   char path[IMAGE_PATH_MAX + 1])
{
	const char *name = archive_entry_pathname(entry);
	struct unpack_fault unused;
	/* A name that no image may have is told when the tree is made, if it comes to that. */
	if (!name || path_normalize(&unused, name, path) < 0 || !is_candidate(path))
		return 0;
	if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) == AE_IFLNK) {
		add_link(listing, path, entry);
		return 0;
	}
	bool is_plain = archive_entry_filetype(entry) == AE_IFREG &&
			archive_entry_sparse_count(entry) == 0 && archive_entry_size(entry) >= 0;
	/* The header is consumed and the data is not: this is where it begins. */
	return is_plain ? add_member(listing, path, (uint64_t)archive_filter_bytes(archive, 0),
				     (uint64_t)archive_entry_size(entry))
			: 0;
}

static int resolve_links(struct listing *listing)
{
	for (size_t i = 0; i < listing->n_links; i++) {
		const struct link *link = &listing->links[i];
		const struct image_member *member = find_member(listing->unpack, link->target);
		if (member && add_member(listing, link->name, member->offset, member->n_bytes) < 0)
			return -1;
	}
	return 0;
}

static int choose_format(struct listing *listing, const char *word)
{
	struct unpack *unpack = listing->unpack;
	struct image_answer *answer = unpack->answer;
	bool has_index = find_member(unpack, "oci-layout") && find_member(unpack, "index.json");
	bool has_manifest = find_member(unpack, "manifest.json") != NULL;
	bool is_auto = strcmp(word, "auto") == 0;
	if (strcmp(word, "oci") == 0 || (is_auto && has_index))
		answer->format = IMAGE_FORMAT_OCI;
	else if (strcmp(word, "docker") == 0 || (is_auto && has_manifest))
		answer->format = IMAGE_FORMAT_DOCKER;
	else
		answer->format = IMAGE_FORMAT_ROOTFS;
	if (answer->format == IMAGE_FORMAT_ROOTFS)
		answer->n_members = 0;
	else if (listing->is_full)
		return fault_set(&unpack->fault, IMAGE_FAULT_MANY, "archive", IMAGE_MAX_MEMBERS, 0);
	if (answer->format == IMAGE_FORMAT_OCI && !has_index)
		return fault_set(&unpack->fault, IMAGE_FAULT_FIELD, "index.json", 0, 0);
	if (answer->format == IMAGE_FORMAT_DOCKER && !has_manifest)
		return fault_set(&unpack->fault, IMAGE_FAULT_FIELD, "manifest.json", 0, 0);
	return 0;
}

int unpack_archive(struct unpack *unpack, const char *format)
{
	static struct listing listing;
	char path[IMAGE_PATH_MAX + 1] = "";
	struct archive_entry *entry;
	uint64_t n_entries = 0;
	int r;
	unpack->answer->kind = IMAGE_ANSWER_ARCHIVE;
	listing = (struct listing){ .unpack = unpack };
	auto_archive struct archive *archive = tar_open(&unpack->fault, STDIN_FILENO, true);
	if (!archive)
		return -1;
	while ((r = tar_next(&unpack->fault, archive, &entry, path)) == 0) {
		if (++n_entries > MAX_ENTRIES)
			return fault_set(&unpack->fault, IMAGE_FAULT_N_ENTRIES, "", MAX_ENTRIES,
					 n_entries);
		if (look_at(&listing, archive, entry, path) < 0)
			return -1;
	}
	if (r < 0 || resolve_links(&listing) < 0)
		return -1;
	return choose_format(&listing, format);
}
