/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.c - one walk over the upper side, beside the host's folder
 *
 * Folders wait in a list and are opened by their path from the top, so that neither the stack nor
 * the number of open descriptors grows with the depth that a stranger chose.
 */
#include "workspacetool/walk.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "workspacetool/tree.h"

enum visit {
	VISIT_BOTH,   /* a folder on both sides */
	VISIT_OPAQUE, /* on both sides, but the host's does not show through */
	VISIT_UPPER,  /* new */
	VISIT_HOST,   /* deleted */
};

struct pending {
	uint32_t entry; /* index in the set; SET_NO_ENTRY: the top */
	uint8_t visit;  /* enum visit */
};

struct walker {
	const struct sides *sides;
	struct set *set;
	struct pending *pending;
	size_t n_pending, n_room;
	char path[SET_MAX_PATH_BYTES + 260]; /* of the folder being read, then of its entry */
	size_t path_len;                     /* of the folder */
	uint16_t inherited;                  /* flags that count for all below */
	bool is_host_newer; /* names came or went in the host's folder since the start */
};

static int failed(struct error *err, const char *path, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errno, path[0] ? path : "/", "%s", what);
	return error_remedy(err, r, "see who may read it; run foso as who started the sandbox");
}

static int push(struct walker *walker, uint32_t entry, enum visit visit, struct error *err)
{
	if (walker->n_pending == walker->n_room) {
		size_t n_room = walker->n_room ? 2 * walker->n_room : 64;
		struct pending *more =
			reallocarray(walker->pending, n_room, sizeof(*walker->pending));
		if (!more)
			return failed(err, walker->path, "does not fit into memory");
		walker->pending = more;
		walker->n_room = n_room;
	}
	walker->pending[walker->n_pending++] =
		(struct pending){ .entry = entry, .visit = (uint8_t)visit };
	return 0;
}

static bool has_xattr(int fd, const char *name, char expected)
{
	char value[64];
	ssize_t n = fgetxattr(fd, name, value, sizeof(value));
	if (n < 0)
		return errno == ERANGE;
	return expected == '\0' || (n == 1 && value[0] == expected);
}

/* Whether any attribute of the name space security.* is there. */
static bool has_security(int fd)
{
	char names[4096];
	ssize_t n = flistxattr(fd, names, sizeof(names));
	if (n < 0)
		return errno == ERANGE;
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1)
		if (strncmp(names + at, "security.", 9) == 0 &&
		    strcmp(names + at, "security.selinux") != 0)
			return true;
	return false;
}

/* What the overlay, and who may set attributes, left at a file or folder of the upper side. */
static void read_marks(int dir_fd, const char *name, struct entry *entry)
{
	auto_fd int fd = -1;
	if (entry->upper.mode & 06000 && entry->upper.type == NODE_FILE)
		entry->flags |= ENTRY_PRIVILEGE;
	if (entry->upper.type == NODE_FILE)
		fd = tree_open_file(dir_fd, name);
	else if (entry->upper.type == NODE_FOLDER)
		fd = tree_open_folder(dir_fd, name, strlen(name));
	if (fd < 0)
		return;
	if (entry->upper.type == NODE_FOLDER && has_xattr(fd, "user.overlay.opaque", 'y'))
		entry->flags |= ENTRY_OPAQUE;
	if (has_xattr(fd, "user.overlay.origin", '\0'))
		entry->flags |= ENTRY_ORIGIN;
	if (has_security(fd))
		entry->flags |= ENTRY_PRIVILEGE;
}

static bool is_special(enum node_type type)
{
	return type == NODE_FIFO || type == NODE_SOCKET || type == NODE_CHAR || type == NODE_BLOCK;
}

/* What became of the host's path, as far as types and modes tell. */
static void judge(const struct walker *walker, struct entry *entry)
{
	const struct node *upper = &entry->upper, *host = &entry->host;
	bool was_there = host->type != NODE_ABSENT;
	bool is_there = upper->type != NODE_ABSENT && upper->type != NODE_WHITEOUT;
	if (is_there && was_there && upper->type != host->type)
		entry->change = CHANGE_CHANGED;
	else if (is_there && !was_there)
		entry->change = CHANGE_CREATED;
	else if (!is_there && was_there)
		entry->change = CHANGE_DELETED;
	else if (upper->type == NODE_FOLDER && (upper->mode & 0777) != (host->mode & 0777))
		entry->change = CHANGE_MODE;
	if (is_special((enum node_type)upper->type))
		entry->flags |= ENTRY_SPECIAL;
	/* Of a folder its entries tell; its own time changes with each of them. */
	if (host->type == NODE_FOLDER)
		return;
	/*
	 * Changed since; or gone, as far as one can see: a copy of a file of the host lies where
	 * the host has none, and names went from that folder.
	 */
	if (was_there && host->ctime_ns >= walker->sides->started_ns)
		entry->flags |= ENTRY_CONFLICT;
	if (!was_there && is_there && entry->flags & ENTRY_ORIGIN && walker->is_host_newer)
		entry->flags |= ENTRY_CONFLICT;
}

static enum visit visit_of(const struct entry *entry)
{
	if (entry->upper.type != NODE_FOLDER)
		return VISIT_HOST;
	if (entry->host.type != NODE_FOLDER)
		return VISIT_UPPER;
	return entry->flags & ENTRY_OPAQUE ? VISIT_OPAQUE : VISIT_BOTH;
}

/* Pushes what is to be looked into; a folder of the host that is replaced counts as deleted. */
static int enter(struct walker *walker, const struct entry *entry, struct error *err)
{
	uint32_t index = (uint32_t)(entry - walker->set->entries);
	if (entry->upper.type != NODE_FOLDER && entry->host.type != NODE_FOLDER)
		return 0;
	/* What the sandbox did not see is the host's own, and nothing in it is looked at. */
	if (entry->flags & ENTRY_HIDDEN && entry->upper.type != NODE_FOLDER)
		return 0;
	return push(walker, index, visit_of(entry), err);
}

static int add(struct walker *walker, const char *name, int upper_fd, int host_fd,
	       struct error *err)
{
	struct entry *entry;
	size_t name_len = strlen(name), start = walker->path_len ? walker->path_len + 1 : 0;
	size_t len = start + name_len;
	if (start > 0)
		walker->path[start - 1] = '/';
	memcpy(walker->path + start, name, name_len + 1);
	int r = set_add(walker->set, walker->path, len, &entry, err);
	if (r == 0 && upper_fd >= 0)
		r = node_read(upper_fd, name, true, walker->path, &entry->upper, err);
	if (r == 0 && host_fd >= 0)
		r = node_read(host_fd, name, false, walker->path, &entry->host, err);
	if (r < 0)
		return r;
	entry->flags = walker->inherited;
	if (hidden_has(walker->sides->hidden, walker->path, len))
		entry->flags |= ENTRY_HIDDEN;
	if (upper_fd >= 0)
		read_marks(upper_fd, name, entry);
	if (len > SET_MAX_PATH_BYTES)
		entry->flags |= ENTRY_TOO_LONG;
	judge(walker, entry);
	return len > SET_MAX_PATH_BYTES ? 0 : enter(walker, entry, err);
}

static bool is_dots(const char *name)
{
	return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

static int read_upper(struct walker *walker, int upper_fd, int host_fd, struct error *err)
{
	const struct dir_entry *found;
	DIR_READER(reader, upper_fd);
	int r = 0;
	while (r == 0 && (found = dir_next(&reader)))
		if (!is_dots(found->name))
			r = add(walker, found->name, upper_fd, host_fd, err);
	if (r == 0 && reader.len < 0)
		return failed(err, walker->path, "cannot be listed");
	return r;
}

/* Names of the host's folder that the upper side does not have; all of them without one. */
static int read_host(struct walker *walker, int upper_fd, int host_fd, struct error *err)
{
	const struct dir_entry *found;
	DIR_READER(reader, host_fd);
	int r = 0;
	while (r == 0 && (found = dir_next(&reader))) {
		struct node upper = { .type = NODE_ABSENT };
		if (is_dots(found->name))
			continue;
		if (upper_fd >= 0)
			r = node_read(upper_fd, found->name, true, found->name, &upper, err);
		if (r == 0 && upper.type == NODE_ABSENT)
			r = add(walker, found->name, -1, host_fd, err);
	}
	if (r == 0 && reader.len < 0)
		return failed(err, walker->path, "cannot be listed");
	return r;
}

/* The host's folder is opened behind what could be mounted there, and is then left out. */
static int open_host(struct walker *walker, uint32_t index, int *ret_fd, struct error *err)
{
	*ret_fd = tree_open_folder(walker->sides->host_fd, walker->path, walker->path_len);
	struct stat status;
	if (*ret_fd >= 0 && fstat(*ret_fd, &status) == 0) {
		int64_t mtime_ns =
			(int64_t)status.st_mtim.tv_sec * 1000000000 + status.st_mtim.tv_nsec;
		walker->is_host_newer = mtime_ns >= walker->sides->started_ns;
	}
	if (*ret_fd >= 0)
		return 0;
	if (errno == EXDEV && index != SET_NO_ENTRY) {
		walker->inherited |= ENTRY_MOUNT;
		walker->set->entries[index].flags |= ENTRY_MOUNT;
		return 0;
	}
	return failed(err, walker->path, "cannot be opened on the host");
}

static int visit_folder(struct walker *walker, const struct pending *pending, struct error *err)
{
	auto_fd int upper_fd = -1, host_fd = -1;
	int r = 0;
	walker->path_len = 0;
	walker->inherited = 0;
	walker->is_host_newer = false;
	if (pending->entry != SET_NO_ENTRY) {
		const struct entry *entry = &walker->set->entries[pending->entry];
		memcpy(walker->path, entry->path, entry->path_len);
		walker->path_len = entry->path_len;
		walker->inherited = entry->flags & (ENTRY_HIDDEN | ENTRY_MOUNT);
	}
	walker->path[walker->path_len] = '\0';
	if (pending->visit != VISIT_HOST) {
		upper_fd =
			tree_open_folder(walker->sides->upper_fd, walker->path, walker->path_len);
		if (upper_fd < 0)
			return failed(err, walker->path, "cannot be opened in the change set");
	}
	if (pending->visit != VISIT_UPPER)
		r = open_host(walker, pending->entry, &host_fd, err);
	if (r == 0 && upper_fd >= 0)
		r = read_upper(walker, upper_fd, host_fd, err);
	if (r == 0 && host_fd >= 0 && pending->visit != VISIT_BOTH)
		r = read_host(walker, upper_fd, host_fd, err);
	return r;
}

int walk_sides(const struct sides *sides, struct set *ret, struct error *err)
{
	auto_free struct walker *walker = calloc(1, sizeof(*walker));
	set_init(ret);
	if (!walker)
		return failed(err, "", "does not fit into memory");
	walker->sides = sides;
	walker->set = ret;
	int r = push(walker, SET_NO_ENTRY, VISIT_BOTH, err);
	while (r == 0 && walker->n_pending > 0) {
		struct pending pending = walker->pending[--walker->n_pending];
		r = visit_folder(walker, &pending, err);
	}
	free(walker->pending);
	if (r < 0)
		set_fini(ret);
	else
		set_sort(ret);
	return r;
}
