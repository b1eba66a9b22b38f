/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.c - one walk over the upper side, beside the host's folder
 *
 * Folders wait in a list and are opened by their path from the top, so that neither the stack nor
 * the number of open descriptors grows with the depth that a stranger chose.
 */
#include "workspacetool/walk.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "workspacetool/ahead.h"
#include "workspacetool/attributes.h"
#include "workspacetool/compare.h"
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

/*
 * One walk serves a diff and the commit after it.  A diff adds what it finds to a set and compares
 * contents.  A commit looks each up in the set that was shown, and keeps only which it met.
 */
struct walker {
	const struct sides *sides;
	struct set *set;         /* is filled; NULL: the set is only walked again */
	const struct set *known; /* what the indices of @pending are of */
	uint8_t *met;            /* again: per entry */
	struct walk_difference *difference;
	struct ahead ahead; /* files of the folder being read, by the place of their names */
	char *chunks;       /* of struct compare_place; NULL: contents are not looked at */
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

static bool is_opaque(int fd)
{
	char value[64];
	ssize_t n = fgetxattr(fd, "user.overlay.opaque", value, sizeof(value));
	return n < 0 ? errno == ERANGE : n == 1 && value[0] == 'y';
}

/* What the overlay, and who may set attributes, left at a file or folder of the upper side. */
static void read_marks(int fd, struct entry *entry)
{
	char names[4096];
	ssize_t n = flistxattr(fd, names, sizeof(names));
	bool is_folder = entry->upper.type == NODE_FOLDER;
	/* More names than an overlay sets: what cannot be looked at counts as the worst. */
	if (n < 0 && errno == ERANGE)
		entry->flags |= ENTRY_PRIVILEGE | ENTRY_ORIGIN | ENTRY_ATTRIBUTES |
				(is_folder && is_opaque(fd) ? ENTRY_OPAQUE : 0);
	for (ssize_t at = 0; at < n; at += (ssize_t)strlen(names + at) + 1) {
		const char *name = names + at;
		if (strcmp(name, "user.overlay.origin") == 0)
			entry->flags |= ENTRY_ORIGIN;
		else if (is_folder && strcmp(name, "user.overlay.opaque") == 0 && is_opaque(fd))
			entry->flags |= ENTRY_OPAQUE;
		else if (attribute_is_committed(name))
			entry->flags |= ENTRY_ATTRIBUTES;
		else if (strncmp(name, "security.", 9) == 0 &&
			 strcmp(name, "security.selinux") != 0)
			entry->flags |= ENTRY_PRIVILEGE;
	}
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
static int enter(struct walker *walker, const struct entry *entry, uint32_t index,
		 struct error *err)
{
	if (entry->upper.type != NODE_FOLDER && entry->host.type != NODE_FOLDER)
		return 0;
	/* What the sandbox did not see is the host's own, and nothing in it is looked at. */
	if (entry->flags & ENTRY_HIDDEN && entry->upper.type != NODE_FOLDER)
		return 0;
	return push(walker, index, visit_of(entry), err);
}

/* The folders of both sides while they are read; -1 where there is none. */
struct level {
	int upper_fd, host_fd;
};

/*
 * The upper side of an entry; a file that will be compared stays open in *ret_fd.  Nobody writes to
 * the upper side while it is walked, so what getdents64() calls a file is one.
 */
static int look_at_upper(struct walker *walker, const struct level *level, const char *name,
			 unsigned type, struct entry *entry, int *ret_fd, struct error *err)
{
	auto_fd int fd = -1;
	if (type == DT_REG && walker->chunks)
		fd = ahead_take(&walker->ahead, name);
	int r = fd >= 0 ? node_read(fd, "", true, walker->path, &entry->upper, err)
			: node_read(level->upper_fd, name, true, walker->path, &entry->upper, err);
	if (r < 0)
		return r;
	if (entry->upper.type == NODE_FOLDER)
		fd = tree_open_folder(level->upper_fd, name, strlen(name));
	else if (entry->upper.type == NODE_FILE && walker->chunks && fd < 0)
		fd = tree_open_known(level->upper_fd, name);
	if (fd >= 0)
		read_marks(fd, entry);
	if (entry->upper.type == NODE_FILE) {
		if (entry->upper.mode & 06000)
			entry->flags |= ENTRY_PRIVILEGE;
		*ret_fd = take_fd(&fd);
	}
	return 0;
}

static int differs(struct walker *walker, const char *path, bool is_host)
{
	struct walk_difference *difference = walker->difference;
	(void)snprintf(difference->path, sizeof(difference->path), "%s", path);
	difference->is_host = is_host;
	return 1;
}

/* Of a name without an upper side, the host's came or went. */
static int meet(struct walker *walker, const struct entry *now, uint32_t *ret_index)
{
	size_t index = set_find(walker->known, now->path, now->path_len);
	if (index == SET_NO_ENTRY)
		return differs(walker, now->path, now->upper.type == NODE_ABSENT);
	const struct entry *shown = &walker->known->entries[index];
	walker->met[index] = 1;
	*ret_index = (uint32_t)index;
	if (!node_is_same(&shown->upper, &now->upper))
		return differs(walker, now->path, false);
	return node_is_same(&shown->host, &now->host) ? 0 : differs(walker, now->path, true);
}

static int compare(struct walker *walker, const struct level *level, const char *name, int file_fd,
		   struct entry *entry, struct error *err)
{
	struct compare_place place = { .upper_fd = level->upper_fd,
				       .host_fd = level->host_fd,
				       .file_fd = file_fd,
				       .name = name,
				       .chunks = walker->chunks };
	return compare_entry(&place, entry, err);
}

/* @entry has its path, and lies in the set if that is filled. */
static int look_at(struct walker *walker, const struct level *level, const char *name,
		   unsigned type, struct entry *entry, struct error *err)
{
	auto_fd int file_fd = -1;
	uint32_t index = walker->set ? (uint32_t)(entry - walker->set->entries) : SET_NO_ENTRY;
	int r = 0;
	entry->flags = walker->inherited;
	if (hidden_has(walker->sides->hidden, walker->path, entry->path_len))
		entry->flags |= ENTRY_HIDDEN;
	if (entry->path_len > SET_MAX_PATH_BYTES)
		entry->flags |= ENTRY_TOO_LONG;
	if (level->upper_fd >= 0)
		r = look_at_upper(walker, level, name, type, entry, &file_fd, err);
	if (r == 0 && level->host_fd >= 0)
		r = node_read(level->host_fd, name, false, walker->path, &entry->host, err);
	if (r == 0 && !walker->set)
		r = meet(walker, entry, &index);
	if (r != 0)
		return r;
	judge(walker, entry);
	if (walker->set)
		r = compare(walker, level, name, file_fd, entry, err);
	return r < 0 || entry->flags & ENTRY_TOO_LONG ? r : enter(walker, entry, index, err);
}

static int add(struct walker *walker, const struct level *level, const char *name, unsigned type,
	       struct error *err)
{
	size_t name_len = strlen(name), start = walker->path_len ? walker->path_len + 1 : 0;
	size_t len = start + name_len;
	struct entry own = { .path = walker->path, .path_len = (uint32_t)len }, *entry = &own;
	if (start > 0)
		walker->path[start - 1] = '/';
	memcpy(walker->path + start, name, name_len + 1);
	int r = walker->set ? set_add(walker->set, walker->path, len, &entry, err) : 0;
	return r < 0 ? r : look_at(walker, level, name, type, entry, err);
}

static bool is_dots(const char *name)
{
	return name[0] == '.' && (name[1] == '\0' || (name[1] == '.' && name[2] == '\0'));
}

/* The files among those names that were read from the folder, from this one on. */
static void read_ahead(struct walker *walker, int upper_fd, const struct dir_reader *reader,
		       const struct dir_entry *from)
{
	const char *end = reader->entries + reader->len;
	for (const struct dir_entry *entry = from; (const char *)entry < end;
	     entry = (const void *)((const char *)entry + entry->bytes))
		if (entry->type == DT_REG &&
		    !ahead_put(&walker->ahead, upper_fd, entry->name, entry->name))
			return;
}

static int read_upper(struct walker *walker, const struct level *level, struct error *err)
{
	const struct dir_entry *found;
	DIR_READER(reader, level->upper_fd);
	int r = 0;
	while (r == 0 && (found = dir_next(&reader))) {
		if (walker->chunks && ahead_is_used_up(&walker->ahead))
			read_ahead(walker, level->upper_fd, &reader, found);
		if (!is_dots(found->name))
			r = add(walker, level, found->name, found->type, err);
	}
	ahead_fini(&walker->ahead);
	if (r == 0 && reader.len < 0)
		return failed(err, walker->path, "cannot be listed");
	return r;
}

/* Names of the host's folder that the upper side does not have; all of them without one. */
static int read_host(struct walker *walker, const struct level *level, struct error *err)
{
	const struct level host_only = { .upper_fd = -1, .host_fd = level->host_fd };
	const struct dir_entry *found;
	DIR_READER(reader, level->host_fd);
	int r = 0;
	while (r == 0 && (found = dir_next(&reader))) {
		struct node upper = { .type = NODE_ABSENT };
		if (is_dots(found->name))
			continue;
		if (level->upper_fd >= 0)
			r = node_read(level->upper_fd, found->name, true, found->name, &upper, err);
		if (r == 0 && upper.type == NODE_ABSENT)
			r = add(walker, &host_only, found->name, DT_UNKNOWN, err);
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
		if (walker->set)
			walker->set->entries[index].flags |= ENTRY_MOUNT;
		return 0;
	}
	return failed(err, walker->path, "cannot be opened on the host");
}

/* Of a folder that the host has, attributes stay as they are there. */
static void look_at_attributes(struct walker *walker, const struct level *level, uint32_t index)
{
	if (index == SET_NO_ENTRY || !walker->set || level->upper_fd < 0 || level->host_fd < 0)
		return;
	struct entry *entry = &walker->set->entries[index];
	entry->flags &= (uint16_t)~ENTRY_ATTRIBUTES;
	if (!(entry->flags & ENTRY_NEVER) && !attributes_are_same(level->upper_fd, level->host_fd))
		entry->flags |= ENTRY_FOLDER_ATTRIBUTES;
}

static void level_close(struct level *level)
{
	fd_close(&level->upper_fd);
	fd_close(&level->host_fd);
}

static int visit_folder(struct walker *walker, const struct pending *pending, struct error *err)
{
	CLEANUP(level_close) struct level level = { .upper_fd = -1, .host_fd = -1 };
	int r = 0;
	walker->path_len = 0;
	walker->inherited = 0;
	walker->is_host_newer = false;
	if (pending->entry != SET_NO_ENTRY) {
		const struct entry *entry = &walker->known->entries[pending->entry];
		memcpy(walker->path, entry->path, entry->path_len);
		walker->path_len = entry->path_len;
		walker->inherited = entry->flags & (ENTRY_HIDDEN | ENTRY_MOUNT);
	}
	walker->path[walker->path_len] = '\0';
	if (pending->visit != VISIT_HOST) {
		level.upper_fd =
			tree_open_folder(walker->sides->upper_fd, walker->path, walker->path_len);
		if (level.upper_fd < 0)
			return failed(err, walker->path, "cannot be opened in the change set");
	}
	if (pending->visit != VISIT_UPPER)
		r = open_host(walker, pending->entry, &level.host_fd, err);
	look_at_attributes(walker, &level, pending->entry);
	if (r == 0 && level.upper_fd >= 0)
		r = read_upper(walker, &level, err);
	if (r == 0 && level.host_fd >= 0 && pending->visit != VISIT_BOTH)
		r = read_host(walker, &level, err);
	return r;
}

static void walker_fini(struct walker *walker)
{
	free(walker->pending);
	free(walker->chunks);
	free(walker->met);
}

static int walk(struct walker *walker, struct error *err)
{
	int r = push(walker, SET_NO_ENTRY, VISIT_BOTH, err);
	while (r == 0 && walker->n_pending > 0) {
		struct pending pending = walker->pending[--walker->n_pending];
		r = visit_folder(walker, &pending, err);
	}
	return r;
}

int walk_sides(const struct sides *sides, struct set *ret, struct error *err)
{
	CLEANUP(walker_fini) struct walker walker = { .sides = sides, .set = ret, .known = ret };
	set_init(ret);
	walker.chunks = malloc(2 * (size_t)COMPARE_CHUNK_BYTES);
	int r = walker.chunks ? walk(&walker, err) : failed(err, "", "does not fit into memory");
	if (r < 0)
		set_fini(ret);
	else
		set_sort(ret);
	return r;
}

int walk_again(const struct sides *sides, const struct set *shown, struct walk_difference *ret,
	       struct error *err)
{
	CLEANUP(walker_fini)
	struct walker walker = { .sides = sides, .known = shown, .difference = ret };
	walker.met = calloc(shown->n_entries + 1, 1);
	int r = walker.met ? walk(&walker, err) : failed(err, "", "does not fit into memory");
	for (size_t i = 0; r == 0 && i < shown->n_entries; i++)
		if (!walker.met[i])
			r = differs(&walker, shown->entries[i].path,
				    shown->entries[i].upper.type == NODE_ABSENT);
	return r;
}
