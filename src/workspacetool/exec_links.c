/* SPDX-License-Identifier: Apache-2.0 */
/* exec_links.c - what executes on the host through a link that is there */
#include "workspacetool/exec_links.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "base/fd.h"
#include "workspacetool/exec.h"
#include "workspacetool/tree.h"

#define MAX_LINKS 8 /* links to links */

/* A path from the top, without links; "" is the top. */
struct place {
	char path[PATH_MAX];
	size_t len;
};

/* One more part of the path; false if it leads out, or is too long. */
static bool step(struct place *place, const char *part, size_t len)
{
	if (len == 0 || (len == 1 && part[0] == '.'))
		return true;
	if (len == 2 && part[0] == '.' && part[1] == '.') {
		const char *slash = memrchr(place->path, '/', place->len);
		bool is_top = place->len == 0;
		place->len = slash ? (size_t)(slash - place->path) : 0;
		place->path[place->len] = '\0';
		return !is_top;
	}
	if (place->len + len + 2 > sizeof(place->path))
		return false;
	if (place->len > 0)
		place->path[place->len++] = '/';
	memcpy(place->path + place->len, part, len);
	place->len += len;
	place->path[place->len] = '\0';
	return true;
}

/* From the link at @place to what it names; false if that lies elsewhere. */
static bool follow(struct place *place, const char *top, const char *target)
{
	size_t n_top = strlen(top);
	if (target[0] == '/') {
		if (strncmp(target, top, n_top) != 0 || target[n_top] != '/')
			return false;
		place->len = 0;
		place->path[0] = '\0';
		target += n_top;
	} else if (!step(place, "..", 2)) {
		return false;
	}
	for (;;) {
		size_t len = strcspn(target, "/");
		if (!step(place, target, len))
			return false;
		if (target[len] == '\0')
			return true;
		target += len + 1;
	}
}

static void mark(struct set *set, size_t index, unsigned reason)
{
	struct entry *entry = &set->entries[index];
	bool is_content = entry->upper.type == NODE_FILE || entry->upper.type == NODE_LINK;
	if (!is_content || entry->change == CHANGE_NONE || entry->change == CHANGE_DELETED ||
	    entry->flags & (ENTRY_NEVER | ENTRY_EXECUTES))
		return;
	entry->flags |= ENTRY_EXECUTES;
	entry->reason = (uint16_t)reason;
}

/* The folder above can have become a link, and then leads elsewhere itself. */
static void mark_links_above(struct set *set, const struct place *place, unsigned reason)
{
	for (size_t len = 0; len < place->len; len++) {
		size_t index =
			place->path[len] == '/' ? set_find(set, place->path, len) : SET_NO_ENTRY;
		if (index != SET_NO_ENTRY && set->entries[index].upper.type == NODE_LINK)
			mark(set, index, reason);
	}
}

/* Why a file in a folder of that name would execute; EXEC_NONE if no row is about the folder. */
static unsigned reason_below(const char *name)
{
	char below[NAME_MAX + 4];
	int n = snprintf(below, sizeof(below), "%s/x", name);
	unsigned reason = exec_path_reason(below, (size_t)n, false);
	const char *pattern = exec_reason_pattern(reason);
	size_t len = strlen(pattern);
	return len > 0 && pattern[len - 1] == '/' ? reason : EXEC_NONE;
}

static void see_through(const struct sides *sides, const char *top, struct set *set,
			const char *name)
{
	struct place place = { .len = 0 };
	char target[PATH_MAX];
	unsigned itself = exec_path_reason(name, strlen(name), true), below = reason_below(name);
	if (itself == EXEC_NONE || !step(&place, name, strlen(name)))
		return;
	for (int i = 0; i < MAX_LINKS; i++) {
		const char *last;
		auto_fd int dir_fd = tree_open_parent(sides->host_fd, place.path, &last);
		ssize_t n =
			dir_fd < 0 ? -1 : tree_read_link(dir_fd, last, target, sizeof(target) - 1);
		if (n < 0)
			return;
		target[n] = '\0';
		if (!follow(&place, top, target) || place.len == 0)
			return;
		mark_links_above(set, &place, itself);
		size_t index = set_find(set, place.path, place.len);
		if (index == SET_NO_ENTRY)
			continue;
		mark(set, index, itself);
		for (size_t at = index + 1; below && at < set_end_of(set, index); at++)
			mark(set, at, below);
	}
}

int exec_links_mark(const struct sides *sides, struct set *set, struct error *err)
{
	char top[PATH_MAX];
	const struct dir_entry *found;
	auto_fd int fd = tree_open_folder(sides->host_fd, "", 0);
	if (fd < 0 || fd_path(fd, top, sizeof(top)) < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, "/", "cannot be listed on the host");
		return error_remedy(err, r, "see who may read the folder of the workspace");
	}
	DIR_READER(reader, fd);
	while (set->n_entries > 0 && (found = dir_next(&reader)))
		if (found->type == DT_LNK || found->type == DT_UNKNOWN)
			see_through(sides, top, set, found->name);
	return 0;
}
