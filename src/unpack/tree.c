/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - the folders of the tree that a layer is unpacked into, and what is removed from it
 *
 * A folder's time of change is what its own layer says, or what it was below, whatever was made
 * in it since; so it is put back whenever the walk leaves a folder that it changed.
 */
#include "unpack/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "base/syscalls.h"

#define MAX_LINKS 40 /* as the kernel */

int tree_open(int dir_fd, const char *path, uint64_t flags, mode_t mode)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC | O_NOFOLLOW,
		.mode = mode,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS |
			   RESOLVE_NO_XDEV,
	};
	return sys_openat2(dir_fd, path[0] ? path : ".", &how);
}

void tree_init(struct tree *tree, struct unpack_fault *fault, int root_fd, bool is_flat)
{
	tree->fault = fault;
	tree->root_fd = root_fd;
	tree->is_flat = is_flat;
	tree->parent.fd = -1;
	touched_init(&tree->touched);
}

void tree_fini(struct tree *tree)
{
	fd_close(&tree->parent.fd);
	touched_fini(&tree->touched);
}

static int set_mtime(int fd, const struct timespec *mtime)
{
	const struct timespec times[2] = { *mtime, *mtime };
	return futimens(fd, times);
}

static int leave(struct tree *tree)
{
	struct tree_parent *parent = &tree->parent;
	if (parent->fd >= 0 && parent->is_changed && set_mtime(parent->fd, &parent->mtime) < 0)
		return fault_system(tree->fault, errno, parent->path);
	fd_close(&parent->fd);
	return 0;
}

int tree_finish(struct tree *tree)
{
	return leave(tree);
}

static int join(struct tree *tree, char *path, const char *name)
{
	size_t len = strlen(path), n = strlen(name);
	if (len + n + 2 > IMAGE_PATH_MAX + 1)
		return fault_set(tree->fault, IMAGE_FAULT_PATH_LONG, path, len + n + 1, 0);
	if (len > 0)
		path[len++] = '/';
	memcpy(path + len, name, n + 1);
	return 0;
}

/* The path of @name in the entered folder. */
static int path_of(struct tree *tree, const char *name, char path[IMAGE_PATH_MAX + 1])
{
	(void)snprintf(path, IMAGE_PATH_MAX + 1, "%s", tree->parent.canonical);
	return join(tree, path, name);
}

static void drop_last(char *path)
{
	char *slash = strrchr(path, '/');
	*(slash ? slash : path) = '\0';
}

/* Where a walk stands: what is done, without links, and what is left to do. */
struct walk {
	char done[IMAGE_PATH_MAX + 1];
	char left[2 * IMAGE_PATH_MAX + 2];
	unsigned n_links;
};

/* Puts the target of a link of a lower layer in front of what is left. */
static int follow(struct tree *tree, struct walk *walk, const char *whole)
{
	char target[IMAGE_PATH_MAX + 1], left[sizeof(walk->left)];
	if (touched_get(&tree->touched, walk->done) != TOUCHED_NOT)
		return fault_set(tree->fault, IMAGE_FAULT_THROUGH_LINK, whole, 0, 0);
	if (++walk->n_links > MAX_LINKS)
		return fault_set(tree->fault, IMAGE_FAULT_LOOP, whole, 0, 0);
	auto_fd int fd = tree_open(tree->root_fd, walk->done, O_PATH, 0);
	ssize_t len = fd < 0 ? -1 : readlinkat(fd, "", target, IMAGE_PATH_MAX);
	if (len < 0)
		return fault_system(tree->fault, errno, whole);
	target[len] = '\0';
	if (target[0] == '/')
		walk->done[0] = '\0';
	else
		drop_last(walk->done);
	int n = snprintf(left, sizeof(left), "%s/%s", target, walk->left);
	if (n < 0 || (size_t)n >= sizeof(left))
		return fault_set(tree->fault, IMAGE_FAULT_PATH_LONG, whole, (uint64_t)n, 0);
	memcpy(walk->left, left, (size_t)n + 1);
	return 0;
}

/* The next part of walk->left, cut off; NULL at the end.  ".." stays inside, as in a chroot. */
static const char *next_part(struct walk *walk, char part[NAME_MAX + 1])
{
	for (;;) {
		size_t skipped = strspn(walk->left, "/");
		size_t n = strcspn(walk->left + skipped, "/");
		if (n == 0)
			return NULL;
		bool is_long = n > NAME_MAX;
		(void)snprintf(part, NAME_MAX + 1, "%.*s", (int)n, walk->left + skipped);
		memmove(walk->left, walk->left + skipped + n, strlen(walk->left + skipped + n) + 1);
		if (strcmp(part, "..") == 0)
			drop_last(walk->done);
		else if (is_long || strcmp(part, ".") != 0)
			return part;
	}
}

/* One missing folder: its parent's time is put back. */
static int make_folder(struct tree *tree, const char *path)
{
	char above[IMAGE_PATH_MAX + 1];
	struct stat status;
	(void)snprintf(above, sizeof(above), "%s", path);
	drop_last(above);
	const char *name = strrchr(path, '/') ? strrchr(path, '/') + 1 : path;
	auto_fd int fd = tree_open(tree->root_fd, above, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0 || fstat(fd, &status) < 0 || mkdirat(fd, name, 0755) < 0 ||
	    set_mtime(fd, &status.st_mtim) < 0)
		return fault_system(tree->fault, errno, path);
	return touched_add(&tree->touched, path, TOUCHED_FOLDER)
		       ? 0
		       : fault_set(tree->fault, IMAGE_FAULT_MEMORY, path, 0, 0);
}

/* From the root to the folder @path, part by part.  1: it is not there and not to be made. */
static int walk_to(struct tree *tree, const char *path, bool make_missing, char *canonical)
{
	static struct walk walk;
	char part[NAME_MAX + 1];
	struct stat status;
	walk = (struct walk){ 0 };
	(void)snprintf(walk.left, sizeof(walk.left), "%s", path);
	while (next_part(&walk, part)) {
		if (join(tree, walk.done, part) < 0)
			return -1;
		auto_fd int fd = tree_open(tree->root_fd, walk.done, O_PATH, 0);
		int r = 0;
		if (fd < 0 && errno == ENOENT)
			r = make_missing ? make_folder(tree, walk.done) : 1;
		else if (fd < 0 || fstat(fd, &status) < 0)
			r = fault_system(tree->fault, errno, path);
		else if (S_ISLNK(status.st_mode))
			r = follow(tree, &walk, path);
		else if (!S_ISDIR(status.st_mode))
			r = make_missing
				    ? fault_set(tree->fault, IMAGE_FAULT_BELOW_FILE, path, 0, 0)
				    : 1;
		if (r != 0)
			return r;
	}
	memcpy(canonical, walk.done, strlen(walk.done) + 1);
	return 0;
}

/* Most folders are there, with no link on the way: one system call finds them. */
static int open_folder(struct tree *tree, const char *path, bool make_missing,
		       struct tree_parent *ret)
{
	struct stat status;
	(void)snprintf(ret->path, sizeof(ret->path), "%s", path);
	(void)snprintf(ret->canonical, sizeof(ret->canonical), "%s", path);
	ret->fd = tree_open(tree->root_fd, path, O_RDONLY | O_DIRECTORY, 0);
	if (ret->fd < 0) {
		int r = walk_to(tree, path, make_missing, ret->canonical);
		if (r != 0)
			return r;
		ret->fd = tree_open(tree->root_fd, ret->canonical, O_RDONLY | O_DIRECTORY, 0);
	}
	if (ret->fd < 0 || fstat(ret->fd, &status) < 0)
		return fault_system(tree->fault, errno, path);
	ret->mtime = status.st_mtim;
	ret->is_changed = false;
	return 0;
}

int tree_enter(struct tree *tree, const char *path, bool make_missing, const char **ret_name)
{
	char above[IMAGE_PATH_MAX + 1];
	const char *slash = strrchr(path, '/');
	(void)snprintf(above, sizeof(above), "%.*s", slash ? (int)(slash - path) : 0, path);
	*ret_name = slash ? slash + 1 : path;
	if (tree->parent.fd >= 0 && strcmp(tree->parent.path, above) == 0)
		return 0;
	int r = leave(tree);
	if (r == 0)
		r = open_folder(tree, above, make_missing, &tree->parent);
	if (r != 0)
		fd_close(&tree->parent.fd);
	return r;
}

int tree_made(struct tree *tree, const char *name, enum touched kind)
{
	char path[IMAGE_PATH_MAX + 1];
	if (path_of(tree, name, path) < 0)
		return -1;
	bool is_added = touched_add(&tree->touched, path, kind);
	/* The folders above, until one that is known: those above that one are, too. */
	for (drop_last(path); is_added && path[0]; drop_last(path)) {
		if (touched_get(&tree->touched, path) != TOUCHED_NOT)
			break;
		is_added = touched_add(&tree->touched, path, TOUCHED_FOLDER);
	}
	tree->parent.is_changed = true;
	return is_added ? 0 : fault_set(tree->fault, IMAGE_FAULT_MEMORY, name, 0, 0);
}

static int remove_at(struct tree *tree, int dir_fd, const char *name, char *path, bool spares,
		     unsigned depth);

/* One reading of a folder; *ret_again: something went, which can hide others from it. */
/* NOLINTNEXTLINE(misc-no-recursion): PATH_MAX_PARTS bounds it */
static int remove_entries(struct tree *tree, int fd, char *path, bool spares, unsigned depth,
			  bool *ret_again)
{
	size_t len = strlen(path);
	DIR_READER(reader, fd);
	*ret_again = false;
	if (lseek(fd, 0, SEEK_SET) < 0)
		return fault_system(tree->fault, errno, path);
	for (const struct dir_entry *entry; (entry = dir_next(&reader));) {
		if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0)
			continue;
		if (join(tree, path, entry->name) < 0)
			return -1;
		enum touched of = touched_get(&tree->touched, path);
		int r = remove_at(tree, fd, entry->name, path, spares, depth + 1);
		path[len] = '\0';
		if (r < 0)
			return r;
		*ret_again = *ret_again || !spares || of == TOUCHED_NOT;
	}
	return 0;
}

/*
 * What lies at @path, which is @name of folder @dir_fd: all of it, or all but what this layer
 * made.  Recursive, as deep as paths may be.
 */
/* NOLINTNEXTLINE(misc-no-recursion): PATH_MAX_PARTS bounds it */
static int remove_at(struct tree *tree, int dir_fd, const char *name, char *path, bool spares,
		     unsigned depth)
{
	struct stat status;
	if (depth > PATH_MAX_PARTS)
		return fault_set(tree->fault, IMAGE_FAULT_PATH_LONG, path, strlen(path), depth);
	if (fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : fault_system(tree->fault, errno, path);
	enum touched kind = touched_get(&tree->touched, path);
	if (spares && kind == TOUCHED_OTHER)
		return 0;
	if (!S_ISDIR(status.st_mode))
		return unlinkat(dir_fd, name, 0) < 0 ? fault_system(tree->fault, errno, path) : 0;
	auto_fd int fd = tree_open(dir_fd, name, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return fault_system(tree->fault, errno, path);
	for (bool is_again = true; is_again;) {
		if (remove_entries(tree, fd, path, spares, depth, &is_again) < 0)
			return -1;
	}
	if (spares && kind != TOUCHED_NOT)
		return 0;
	return unlinkat(dir_fd, name, AT_REMOVEDIR) < 0 ? fault_system(tree->fault, errno, path)
							: 0;
}

int tree_clear_place(struct tree *tree, const char *name, bool is_folder)
{
	char path[IMAGE_PATH_MAX + 1];
	struct stat status;
	if (path_of(tree, name, path) < 0)
		return -1;
	enum touched kind = touched_get(&tree->touched, path);
	if (kind == TOUCHED_OTHER || (kind == TOUCHED_FOLDER && !is_folder))
		return fault_set(tree->fault, IMAGE_FAULT_TWICE, path, 0, 0);
	if (fstatat(tree->parent.fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : fault_system(tree->fault, errno, path);
	if (is_folder && S_ISDIR(status.st_mode))
		return 1;
	tree->parent.is_changed = true;
	return remove_at(tree, tree->parent.fd, name, path, false, 0);
}

static int whiteout_all(struct tree *tree)
{
	char path[IMAGE_PATH_MAX + 1];
	DIR_READER(reader, tree->parent.fd);
	if (lseek(tree->parent.fd, 0, SEEK_SET) < 0)
		return fault_system(tree->fault, errno, tree->parent.path);
	for (const struct dir_entry *entry; (entry = dir_next(&reader));) {
		if (strcmp(entry->name, ".") == 0 || strcmp(entry->name, "..") == 0)
			continue;
		if (path_of(tree, entry->name, path) < 0 ||
		    remove_at(tree, tree->parent.fd, entry->name, path, true, 0) < 0)
			return -1;
	}
	return 0;
}

int tree_whiteout(struct tree *tree, const char *name)
{
	char path[IMAGE_PATH_MAX + 1];
	struct stat status;
	if (name[0] == '\0') {
		tree->parent.is_changed = true;
		return whiteout_all(tree);
	}
	if (path_of(tree, name, path) < 0)
		return -1;
	if (fstatat(tree->parent.fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 && errno == ENOENT)
		return 0;
	tree->parent.is_changed = true;
	return remove_at(tree, tree->parent.fd, name, path, true, 0);
}
