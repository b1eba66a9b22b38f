/* SPDX-License-Identifier: Apache-2.0 */
/* redact.c - where the hidden files of a workspace are */
#include "workspace/redact.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/syscalls.h"
#include "wire/codec.h"
#include "workspace/changes.h"
#include "workspace/walk.h"

struct inodes {
	uint64_t *items;
	size_t n_items, room;
};

struct search {
	const struct redact *redact;
	const struct walk_options *options;
	struct redact_found *found;
	int top_fd;
	bool wants_shown, has_links; /* has_links: a hidden file has further names */
	struct inodes shown, hidden, linked;
	int errnum;
};

static int add_inode(struct inodes *inodes, uint64_t inode)
{
	if (inodes->n_items == inodes->room) {
		size_t room = inodes->room == 0 ? 256 : inodes->room * 2;
		uint64_t *items = reallocarray(inodes->items, room, sizeof(*items));
		if (!items)
			return ENOMEM;
		inodes->items = items;
		inodes->room = room;
	}
	inodes->items[inodes->n_items++] = inode;
	return 0;
}

static int compare_inodes(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;
	return (first > second) - (first < second);
}

static void sort_inodes(struct inodes *inodes)
{
	if (inodes->n_items > 1)
		qsort(inodes->items, inodes->n_items, sizeof(*inodes->items), compare_inodes);
}

bool redact_inodes_have(const uint64_t *inodes, size_t n_inodes, uint64_t inode)
{
	size_t low = 0, high = n_inodes;
	while (low < high) {
		size_t middle = low + (high - low) / 2;
		if (inodes[middle] == inode)
			return true;
		if (inodes[middle] < inode)
			low = middle + 1;
		else
			high = middle;
	}
	return false;
}

static int add_entry(struct search *search, enum redact_class class, unsigned char type,
		     const char *path, size_t len)
{
	struct buf *entries = &search->found->entries;
	if (search->found->n_hidden == REDACT_MAX_HIDDEN)
		return E2BIG;
	wire_put_u8(entries, (uint8_t) class);
	wire_put_u8(entries, type);
	wire_put_bytes(entries, path, len);
	search->found->n_hidden++;
	return buf_is_whole(entries) ? 0 : ENOMEM;
}

/* Where a descriptor lies below the workspace; NULL if it lies elsewhere. */
static const char *path_below(int top_fd, int fd, char text[2 * PATH_MAX])
{
	char *path = text + PATH_MAX;
	ssize_t top_len = fd_path(top_fd, text, PATH_MAX);
	ssize_t len = fd_path(fd, path, PATH_MAX);
	if (top_len <= 0 || len <= top_len + 1)
		return NULL;
	if (top_len == 1)
		return path + 1;
	return memcmp(path, text, (size_t)top_len) == 0 && path[top_len] == '/' ? path + top_len + 1
										: NULL;
}

/*
 * What a symbolic link leads to, the way the host follows it (@way 0), and the way the sandbox
 * does, whose workspace is at /workspace (@way 1).  -1: that way leads nowhere.
 */
static int open_target(const struct search *search, const struct walk_entry *entry, int way)
{
	static const char inside[] = "/workspace/";
	char target[PATH_MAX];
	if (way == 0)
		return openat(entry->dir_fd, entry->name, O_PATH | O_CLOEXEC);
	ssize_t len = readlinkat(entry->dir_fd, entry->name, target, sizeof(target) - 1);
	if (len <= 0)
		return -1;
	target[len] = '\0';
	if (strncmp(target, inside, sizeof(inside) - 1) != 0)
		return -1;
	return openat(search->top_fd, target + sizeof(inside) - 1, O_PATH | O_CLOEXEC);
}

/* A hidden name that is a symbolic link: what it leads to is hidden too, if it lies inside. */
static int hide_target(struct search *search, const struct walk_entry *entry)
{
	char text[2 * PATH_MAX];
	for (int way = 0; way < 2; way++) {
		auto_fd int fd = open_target(search, entry, way);
		struct stat status;
		const char *path;
		if (fd < 0 || fstat(fd, &status) < 0 ||
		    !(path = path_below(search->top_fd, fd, text)))
			continue;
		int r = add_entry(search, REDACT_HIDE, IFTODT(status.st_mode), path, strlen(path));
		if (r == 0 && !S_ISDIR(status.st_mode))
			r = add_inode(&search->hidden, status.st_ino);
		if (r == 0 && !S_ISDIR(status.st_mode) && status.st_nlink > 1)
			r = add_inode(&search->linked, status.st_ino);
		if (r != 0)
			return r;
	}
	return 0;
}

static int hide(struct search *search, enum redact_class class, const struct walk_entry *entry)
{
	struct stat status;
	int r = add_entry(search, class, entry->type, entry->path, entry->path_len);
	if (r != 0 || entry->type == DT_DIR)
		return r;
	if (entry->type == DT_LNK)
		return hide_target(search, entry);
	if (fstatat(entry->dir_fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : errno;
	r = add_inode(&search->hidden, status.st_ino);
	if (r == 0 && status.st_nlink > 1)
		r = add_inode(&search->linked, status.st_ino);
	return r;
}

/* Behind a link in the place of a folder: paths as they are, and as the link has them. */
struct behind {
	struct search *search;
	const char *path; /* of the target */
	struct buf alias; /* of the link, with a slash at its end */
	size_t alias_len;
};

static int look_behind(const struct walk_entry *entry, void *context)
{
	struct behind *behind = context;
	char path[PATH_MAX];
	bool is_folder = entry->type == DT_DIR;
	int n = snprintf(path, sizeof(path), "%s/%s", behind->path, entry->path);
	behind->alias.len = behind->alias_len;
	buf_append(&behind->alias, entry->path, entry->path_len);
	if (n < 0 || (size_t)n >= sizeof(path) || !buf_is_whole(&behind->alias))
		return ENAMETOOLONG;
	enum redact_class class = redact_class_of(behind->search->redact, behind->alias.data,
						  behind->alias.len, is_folder);
	struct walk_entry real = *entry;
	real.path = path;
	real.path_len = (size_t)n;
	behind->search->found->n_entries++;
	if (class != REDACT_SHOW)
		return hide(behind->search, class, &real);
	return is_folder ? WALK_DESCEND : 0;
}

static int walk_behind(struct search *search, const struct walk_entry *entry, int fd,
		       const char *path)
{
	struct behind behind = { search, path, BUF_INIT(PATH_MAX), entry->path_len + 1 };
	struct walk_options options = *search->options;
	auto_fd int top_fd = openat(fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (top_fd < 0)
		return errno;
	options.found = look_behind;
	options.max_entries -= MIN(search->found->n_entries, options.max_entries);
	buf_append(&behind.alias, entry->path, entry->path_len);
	buf_append_char(&behind.alias, '/');
	int r = walk(top_fd, &options, &behind);
	buf_fini(&behind.alias);
	return r;
}

/* A link that is not hidden as a file: the rules of folders hold for the folder it leads to. */
static int look_at_link(struct search *search, const struct walk_entry *entry)
{
	char text[2 * PATH_MAX];
	int r = 0;
	enum redact_class class =
		redact_class_of(search->redact, entry->path, entry->path_len, true);
	if (class == REDACT_SHOW &&
	    !redact_looks_below(search->redact, entry->path, entry->path_len))
		return 0;
	for (int way = 0; way < 2 && r == 0; way++) {
		auto_fd int fd = open_target(search, entry, way);
		struct stat status;
		const char *path = NULL;
		if (fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode))
			path = path_below(search->top_fd, fd, text);
		if (path)
			r = class == REDACT_HIDE ? hide(search, class, entry)
						 : walk_behind(search, entry, fd, path);
		if (path && class == REDACT_HIDE)
			break;
	}
	return r;
}

static int look_at(const struct walk_entry *entry, void *context)
{
	struct search *search = context;
	bool is_folder = entry->type == DT_DIR;
	int r = 0;
	enum redact_class class =
		redact_class_of(search->redact, entry->path, entry->path_len, is_folder);
	search->found->n_entries++;
	if (class != REDACT_SHOW)
		return hide(search, class, entry);
	if (is_folder)
		return WALK_DESCEND;
	if (entry->type == DT_LNK)
		r = look_at_link(search, entry);
	return r == 0 && search->wants_shown ? add_inode(&search->shown, entry->inode) : r;
}

/* The second walk: other names of what was hidden, by the inode that a listing tells. */
static int look_for_links(const struct walk_entry *entry, void *context)
{
	struct search *search = context;
	bool is_folder = entry->type == DT_DIR;
	enum redact_class class =
		redact_class_of(search->redact, entry->path, entry->path_len, is_folder);
	if (is_folder)
		return class == REDACT_SHOW ? WALK_DESCEND : 0;
	if (class != REDACT_SHOW ||
	    !redact_inodes_have(search->linked.items, search->linked.n_items, entry->inode))
		return 0;
	/* Whatever its class under the other name: here only hiding all of it is safe. */
	return add_entry(search, REDACT_HIDE, entry->type, entry->path, entry->path_len);
}

static uint64_t now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static int explain(struct error *err, int errnum)
{
	static const char subject[] = "workspace.redact";
	int r;
	switch (errnum) {
	case EOVERFLOW:
		r = error_set(err, ERR_LIMIT, 0, subject,
			      "the workspace has more than %llu files and folders",
			      (unsigned long long)REDACT_MAX_ENTRIES);
		break;
	case ETIME:
		r = error_set(err, ERR_LIMIT, 0, subject,
			      "looking for what must be hidden took longer than %llu s",
			      (unsigned long long)(REDACT_MAX_NS / 1000000000));
		break;
	case E2BIG:
		r = error_set(err, ERR_LIMIT, 0, subject, "more than %d files would be hidden",
			      REDACT_MAX_HIDDEN);
		break;
	default:
		r = error_set(err, ERR_SYSTEM, errnum, subject,
			      "the workspace cannot be searched for what must be hidden");
		return error_remedy(
			err, r,
			"make all of its folders readable, leave it alone while the run starts, or write workspace.secrets: show and no workspace.redact");
	}
	return error_remedy(
		err, r,
		"name a smaller folder, or write workspace.secrets: show and no workspace.redact");
}

int redact_walk(int top_fd, const struct redact *redact, bool wants_shown, struct redact_found *ret,
		struct error *err)
{
	struct search search = {
		.redact = redact,
		.found = ret,
		.top_fd = top_fd,
		.wants_shown = wants_shown,
	};
	struct walk_options options = {
		.max_entries = REDACT_MAX_ENTRIES,
		.deadline_ns = now_ns() + REDACT_MAX_NS,
		.wants_paths = true,
		.found = look_at,
	};
	search.options = &options;
	*ret = (struct redact_found){ .entries = BUF_INIT(CHANGES_MAX_HIDDEN_BYTES) };
	auto_fd int fd = openat(top_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	int errnum = fd < 0 ? errno : walk(fd, &options, &search);
	sort_inodes(&search.linked);
	if (errnum == 0 && search.linked.n_items > 0) {
		options.found = look_for_links;
		errnum = walk(fd, &options, &search);
	}
	free(search.linked.items);
	sort_inodes(&search.shown);
	sort_inodes(&search.hidden);
	ret->shown = search.shown.items;
	ret->n_shown = search.shown.n_items;
	ret->hidden = search.hidden.items;
	ret->n_hidden_inodes = search.hidden.n_items;
	if (errnum == 0)
		return 0;
	redact_found_fini(ret);
	return explain(err, errnum);
}

int redact_next(const struct redact_found *found, size_t *at, struct redact_entry *ret)
{
	struct wire_reader reader;
	if (*at >= found->entries.len)
		return 0;
	wire_reader_init(&reader, found->entries.data, found->entries.len);
	reader.at = *at;
	ret->class = wire_get_enum(&reader, REDACT_N_CLASSES);
	ret->type = wire_get_u8(&reader);
	ret->path = (const char *)wire_get_bytes(&reader, &ret->len);
	if (reader.is_broken)
		return 0;
	*at = reader.at;
	return 1;
}

int redact_note_harmless(struct redact_found *found, uint64_t inode)
{
	size_t at = found->n_harmless;
	uint64_t *items = reallocarray(found->harmless, at + 1, sizeof(*items));
	if (!items)
		return ENOMEM;
	for (; at > 0 && items[at - 1] > inode; at--)
		items[at] = items[at - 1];
	items[at] = inode;
	found->harmless = items;
	found->n_harmless++;
	return 0;
}

static bool is_harmless(const struct redact_found *found, uint64_t inode)
{
	return redact_inodes_have(found->harmless, found->n_harmless, inode);
}

bool redact_is_hidden_inode(const struct redact_found *found, uint64_t inode)
{
	return redact_inodes_have(found->hidden, found->n_hidden_inodes, inode) &&
	       !is_harmless(found, inode);
}

bool redact_is_shown_inode(const struct redact_found *found, uint64_t inode)
{
	return redact_inodes_have(found->shown, found->n_shown, inode) || is_harmless(found, inode);
}

/* Two walks meet most entries in the same order: each search begins behind the last find. */
static bool has_entry(const struct redact_found *found, size_t *at,
		      const struct redact_entry *wanted)
{
	struct redact_entry entry;
	size_t begin = *at;
	for (bool is_again = false;; is_again = true) {
		while (redact_next(found, at, &entry) == 1 && (!is_again || *at <= begin)) {
			if (entry.class == wanted->class && entry.len == wanted->len &&
			    memcmp(entry.path, wanted->path, entry.len) == 0)
				return true;
		}
		if (is_again)
			return false;
		*at = 0;
	}
}

bool redact_is_same(const struct redact_found *found, const struct redact_found *other)
{
	struct redact_entry entry;
	size_t at = 0, at_other = 0;
	size_t n_bytes = found->n_hidden_inodes * sizeof(*found->hidden);
	if (found->n_hidden != other->n_hidden ||
	    found->n_hidden_inodes != other->n_hidden_inodes ||
	    (n_bytes > 0 && memcmp(found->hidden, other->hidden, n_bytes) != 0))
		return false;
	while (redact_next(found, &at, &entry) == 1)
		if (!has_entry(other, &at_other, &entry))
			return false;
	return true;
}

void redact_found_fini(struct redact_found *found)
{
	buf_fini(&found->entries);
	free(found->shown);
	free(found->hidden);
	free(found->harmless);
	*found = (struct redact_found){ .n_hidden = 0 };
}
