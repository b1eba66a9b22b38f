/* SPDX-License-Identifier: Apache-2.0 */
/* stage.c - a new version of a path, made beside its place */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "base/fd.h"
#include "workspacetool/apply.h"
#include "workspacetool/attributes.h"
#include "workspacetool/copy.h"
#include "workspacetool/paths.h"
#include "workspacetool/tree.h"

#define SMALL_BYTES (64u * 1024)

void temporary_name(const struct commit *commit, uint32_t index, char name[TEMPORARY_BYTES])
{
	(void)snprintf(name, TEMPORARY_BYTES, ".foso-%016llx-%u",
		       (unsigned long long)commit->journal.token, index);
}

/* ---- removing a tree ---- */

static int empty_folder(struct paths *paths, int top_fd, const char *folder)
{
	const struct dir_entry *found;
	int errnum = 0;
	auto_fd int fd = tree_open_folder(top_fd, folder, strlen(folder));
	if (fd < 0)
		return errno;
	DIR_READER(reader, fd);
	while (errnum == 0 && (found = dir_next(&reader))) {
		if (strcmp(found->name, ".") == 0 || strcmp(found->name, "..") == 0)
			continue;
		if (unlinkat(fd, found->name, 0) == 0)
			continue;
		/* EPERM is what POSIX has for a folder, EISDIR what Linux has. */
		errnum = errno == EISDIR || errno == EPERM ? paths_add(paths, folder, found->name)
							   : errno;
	}
	return errnum;
}

int tree_remove(int dir_fd, const char *name)
{
	CLEANUP(paths_fini) struct paths paths = { 0 };
	if (unlinkat(dir_fd, name, 0) == 0 || errno == ENOENT)
		return 0;
	if (errno != EISDIR && errno != EPERM)
		return errno;
	auto_fd int top_fd = tree_open_folder(dir_fd, name, strlen(name));
	if (top_fd < 0)
		return errno;
	int errnum = paths_add(&paths, "", "");
	for (size_t i = 0; errnum == 0 && i < paths.n_items; i++)
		errnum = empty_folder(&paths, top_fd, paths.items[i]);
	/* Folders were found from the top down. */
	while (errnum == 0 && paths.n_items > 1) {
		char *path = paths.items[--paths.n_items];
		if (unlinkat(top_fd, path, AT_REMOVEDIR) < 0)
			errnum = errno;
		free(path);
	}
	if (errnum == 0 && unlinkat(dir_fd, name, AT_REMOVEDIR) < 0)
		errnum = errno;
	return errnum;
}

/* ---- making one ---- */

static int failed(struct error *err, const struct entry *entry, int errnum, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errnum, entry->path, "%s", what);
	return error_remedy(err, r, "nothing was committed; see space and rights of the folder");
}

static int changed_meanwhile(struct error *err, const struct entry *entry)
{
	int r = error_set(err, ERR_REFUSED, 0, entry->path,
			  "was changed in the change set since it was shown");
	return error_remedy(err, r, "run foso diff again, and commit what it shows");
}

static bool is_owned(const struct commit *commit, const struct stat *status)
{
	return status->st_uid == commit->uid && status->st_gid == commit->gid;
}

/* Holes and blocks that can be shared are worth a look only in larger files. */
static int copy_content(struct commit *commit, const struct entry *entry, int from_fd, int to_fd)
{
	size_t len = (size_t)MIN(entry->upper.size_bytes, (uint64_t)SMALL_BYTES + 1), done = 0;
	if (len > SMALL_BYTES || entry->upper.is_sparse)
		return copy_file(from_fd, to_fd);
	if (!commit->chunk && !(commit->chunk = malloc(SMALL_BYTES)))
		return ENOMEM;
	while (done < len) {
		ssize_t n = pread(from_fd, commit->chunk + done, len - done, (off_t)done);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EIO; /* It became shorter. */
		done += (size_t)n;
	}
	return fd_write_all(to_fd, commit->chunk, len) < 0 ? errno : 0;
}

/* Most are as they should be from their birth on. */
static int give_to_owner(const struct commit *commit, const struct entry *entry, int fd,
			 struct stat *ret)
{
	mode_t mode = entry->upper.mode & 0777; /* Neither setuid nor setgid: that is promised. */
	if (fstat(fd, ret) < 0)
		return errno;
	bool is_given = is_owned(commit, ret);
	if (!is_given && fchown(fd, commit->uid, commit->gid) < 0)
		return errno;
	bool has_mode = is_given && (ret->st_mode & 07777) == mode;
	return !has_mode && fchmod(fd, mode) < 0 ? errno : 0;
}

/* A file system without any is said at the end. */
static int copy_attributes(struct commit *commit, int from_fd, int to_fd)
{
	int errnum = attributes_commit(from_fd, to_fd);
	commit->n_bare += errnum == EOPNOTSUPP;
	return errnum == EOPNOTSUPP ? 0 : errnum;
}

static int fill_file(struct commit *commit, const struct entry *entry, int from_fd, int to_fd,
		     int host_fd, struct stat *ret)
{
	const struct timespec time = { .tv_sec = commit->journal.time_ns / 1000000000,
				       .tv_nsec = commit->journal.time_ns % 1000000000 };
	const struct timespec times[2] = { time, time };
	int errnum = copy_content(commit, entry, from_fd, to_fd);
	if (errnum == 0 && entry->flags & ENTRY_ATTRIBUTES)
		errnum = copy_attributes(commit, from_fd, to_fd);
	if (errnum == 0 && host_fd >= 0)
		errnum = attributes_keep(host_fd, to_fd);
	if (errnum == 0)
		errnum = give_to_owner(commit, entry, to_fd, ret);
	if (errnum == 0 &&
	    (futimens(to_fd, times) < 0 || (commit->syncs_each && fdatasync(to_fd) < 0)))
		errnum = errno;
	return errnum;
}

static bool is_file_to_stage(const struct commit *commit, uint32_t index)
{
	const struct entry *entry = &commit->plan.set->entries[index];
	size_t n;
	return commit->plan.choices[index] == CHOICE_IN && links_counts(entry) &&
	       links_find(&commit->plan.links, commit->plan.set, index, &n) == index;
}

/* Files are staged in the order of the set. */
static void read_ahead(struct commit *commit, uint32_t index)
{
	const struct set *set = commit->plan.set;
	struct tree_held held = TREE_HELD_NONE;
	bool has_room = true;
	for (; has_room && index < set->n_entries; index++) {
		const char *name;
		if (!is_file_to_stage(commit, index))
			continue;
		const struct entry *entry = &set->entries[index];
		int fd = tree_hold_parent(&held, commit->workspace->sides.upper_fd, entry->path,
					  &name);
		has_room = fd >= 0 && ahead_put(&commit->ahead, fd, name, entry);
	}
	tree_let_go(&held);
}

static int open_upper(struct commit *commit, const struct entry *entry)
{
	const char *name;
	if (ahead_is_used_up(&commit->ahead))
		read_ahead(commit, (uint32_t)(entry - commit->plan.set->entries));
	int fd = ahead_take(&commit->ahead, entry);
	if (fd >= 0)
		return fd;
	int dir_fd = tree_hold_parent(&commit->from, commit->workspace->sides.upper_fd, entry->path,
				      &name);
	return dir_fd < 0 ? -1 : tree_open_file(dir_fd, name);
}

/* The old version beside the new one; of what cannot be read nothing can be kept. */
static int open_host(const struct entry *entry, int dir_fd)
{
	const char *slash = strrchr(entry->path, '/');
	if (entry->host.type != NODE_FILE)
		return -1;
	return tree_open_known(dir_fd, slash ? slash + 1 : entry->path);
}

static int stage_file(struct commit *commit, const struct entry *entry, int to_dir,
		      const char *to_name, struct stat *ret, struct error *err)
{
	struct node node;
	auto_fd int from_fd = open_upper(commit, entry);
	if (from_fd < 0)
		return failed(err, entry, errno, "cannot be opened in the change set");
	auto_fd int host_fd = open_host(entry, to_dir);
	auto_fd int to_fd =
		openat(to_dir, to_name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		       0600 | (entry->upper.mode & 0777));
	if (to_fd < 0)
		return failed(err, entry, errno, "cannot be made");
	int errnum = fill_file(commit, entry, from_fd, to_fd, host_fd, ret);
	if (errnum == 0)
		errnum = node_of_fd(from_fd, &node);
	node.dev = entry->upper.dev;
	if (errnum != 0)
		return failed(err, entry, errnum, "cannot be written");
	return node_is_same(&node, &entry->upper) ? 0 : changed_meanwhile(err, entry);
}

static int stage_link(struct commit *commit, const struct entry *entry, int to_dir,
		      const char *to_name, struct stat *ret, struct error *err)
{
	char target[PATH_MAX];
	const char *name;
	int from_dir = tree_hold_parent(&commit->from, commit->workspace->sides.upper_fd,
					entry->path, &name);
	ssize_t n = from_dir < 0 ? -1 : tree_read_link(from_dir, name, target, sizeof(target) - 1);
	if (n < 0)
		return failed(err, entry, errno, "cannot be read in the change set");
	target[n] = '\0';
	if (symlinkat(target, to_dir, to_name) < 0)
		return failed(err, entry, errno, "cannot be made");
	if (fstatat(to_dir, to_name, ret, AT_SYMLINK_NOFOLLOW) < 0 ||
	    (!is_owned(commit, ret) &&
	     fchownat(to_dir, to_name, commit->uid, commit->gid, AT_SYMLINK_NOFOLLOW) < 0))
		return failed(err, entry, errno, "cannot be given to its owner");
	return 0;
}

static int give_attributes(struct commit *commit, const struct entry *entry, int fd,
			   struct error *err)
{
	auto_fd int from_fd =
		tree_open_folder(commit->workspace->sides.upper_fd, entry->path, entry->path_len);
	int errnum = from_fd < 0 ? errno : copy_attributes(commit, from_fd, fd);
	return errnum == 0 ? 0 : failed(err, entry, errnum, "cannot be given its attributes");
}

static int stage_folder(struct commit *commit, const struct entry *entry, int to_dir,
			const char *to_name, struct stat *ret, struct error *err)
{
	if (mkdirat(to_dir, to_name, 0700) < 0)
		return failed(err, entry, errno, "cannot be made");
	auto_fd int fd = tree_open_folder(to_dir, to_name, strlen(to_name));
	if (fd < 0 || fstat(fd, ret) < 0 ||
	    (!is_owned(commit, ret) && fchown(fd, commit->uid, commit->gid) < 0))
		return failed(err, entry, errno, "cannot be given to its owner");
	return entry->flags & ENTRY_ATTRIBUTES ? give_attributes(commit, entry, fd, err) : 0;
}

/* ---- further names of a file that is committed ---- */

/* Where a chosen file lies until it is applied: *ret_name in a folder; -1 and errno. */
static int open_staged(struct commit *commit, uint32_t index, char ret_name[PATH_MAX])
{
	const struct set *set = commit->plan.set;
	uint32_t op_index = plan_op_of(&commit->plan, index);
	const struct entry *top = &set->entries[commit->plan.ops[op_index].entry];
	const char *below = set->entries[index].path + top->path_len, *name;
	char temporary[TEMPORARY_BYTES], path[PATH_MAX];
	temporary_name(commit, op_index, temporary);
	auto_fd int dir_fd = tree_open_parent(commit->workspace->sides.host_fd, top->path, &name);
	if (dir_fd < 0)
		return -1;
	int n = snprintf(path, sizeof(path), "%s%s", temporary, below);
	if (n < 0 || (size_t)n >= sizeof(path)) {
		errno = ENAMETOOLONG;
		return -1;
	}
	int fd = tree_open_parent(dir_fd, path, &name);
	(void)snprintf(ret_name, PATH_MAX, "%s", name);
	return fd;
}

/* Whether the change set's other name is still one of that file. */
static bool is_still_it(struct commit *commit, const struct entry *entry)
{
	const char *name;
	struct stat status;
	struct node node;
	int dir_fd = tree_hold_parent(&commit->from, commit->workspace->sides.upper_fd, entry->path,
				      &name);
	if (dir_fd < 0 || fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return false;
	node_of_stat(&status, &node);
	node.dev = entry->upper.dev;
	return node_is_same(&node, &entry->upper);
}

/* 0: a further name was made; 1: this is the first one, or the file system makes none. */
static int link_file(struct commit *commit, const struct entry *entry, int to_dir,
		     const char *to_name, struct stat *ret, struct error *err)
{
	const struct set *set = commit->plan.set;
	uint32_t index = (uint32_t)(entry - set->entries);
	char name[PATH_MAX];
	size_t n;
	uint32_t first = links_find(&commit->plan.links, set, index, &n);
	if (first == index)
		return 1;
	if (!is_still_it(commit, entry))
		return changed_meanwhile(err, entry);
	auto_fd int from_dir = open_staged(commit, first, name);
	if (from_dir < 0 || linkat(from_dir, name, to_dir, to_name, 0) < 0) {
		commit->n_copies++;
		return 1;
	}
	if (fstatat(to_dir, to_name, ret, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISREG(ret->st_mode))
		return failed(err, entry, errno, "is gone");
	return 0;
}

static int stage_entry(struct commit *commit, const struct entry *entry, int to_dir,
		       const char *to_name, struct stat *ret, struct error *err)
{
	int r;
	switch ((enum node_type)entry->upper.type) {
	case NODE_FILE:
		r = link_file(commit, entry, to_dir, to_name, ret, err);
		return r == 1 ? stage_file(commit, entry, to_dir, to_name, ret, err) : r;
	case NODE_LINK:
		return stage_link(commit, entry, to_dir, to_name, ret, err);
	case NODE_FOLDER:
		return stage_folder(commit, entry, to_dir, to_name, ret, err);
	case NODE_ABSENT:
	case NODE_FIFO:
	case NODE_SOCKET:
	case NODE_CHAR:
	case NODE_BLOCK:
	case NODE_WHITEOUT:
	case NODE_N_TYPES:
	default:
		return error_set(err, ERR_INTERNAL, 0, entry->path, "is no type to be committed");
	}
}

/* All chosen entries in the folder of @op, into the folder that was made for it. */
static int stage_below(struct commit *commit, const struct op *op, int top_fd, struct error *err)
{
	const struct set *set = commit->plan.set;
	size_t skip = set->entries[op->entry].path_len + 1;
	struct stat status;
	int r = 0;
	for (uint32_t i = op->entry + 1; r == 0 && i < op->end; i++) {
		const struct entry *entry = &set->entries[i];
		const char *name;
		if (commit->plan.choices[i] != CHOICE_IN || entry->change != CHANGE_CREATED)
			continue;
		int dir_fd = tree_hold_parent(&commit->made, top_fd, entry->path + skip, &name);
		r = dir_fd < 0 ? failed(err, entry, errno, "its new folder cannot be opened")
			       : stage_entry(commit, entry, dir_fd, name, &status, err);
	}
	tree_let_go(&commit->made);
	return r;
}

static int set_mode(const struct entry *entry, int top_fd, size_t skip, struct error *err)
{
	size_t len = entry->path_len >= skip ? entry->path_len - skip : 0;
	auto_fd int fd = tree_open_folder(top_fd, entry->path + entry->path_len - len, len);
	if (fd < 0 || fchmod(fd, entry->upper.mode & 0777) < 0)
		return failed(err, entry, errno, "its mode cannot be set");
	return 0;
}

/* From the deepest up, as a folder may forbid even its owner to enter it. */
static int set_modes(struct commit *commit, const struct op *op, int top_fd, struct error *err)
{
	const struct set *set = commit->plan.set;
	size_t skip = set->entries[op->entry].path_len + 1;
	int r = 0;
	for (uint32_t i = op->end; r == 0 && i-- > op->entry;) {
		const struct entry *entry = &set->entries[i];
		if (commit->plan.choices[i] == CHOICE_IN && entry->upper.type == NODE_FOLDER)
			r = set_mode(entry, top_fd, skip, err);
	}
	return r;
}

static int stage_tree(struct commit *commit, const struct op *op, int dir_fd, const char *temporary,
		      struct stat *ret, struct error *err)
{
	const struct entry *entry = &commit->plan.set->entries[op->entry];
	int r = stage_entry(commit, entry, dir_fd, temporary, ret, err);
	if (r < 0 || entry->upper.type != NODE_FOLDER)
		return r;
	auto_fd int top_fd = tree_open_folder(dir_fd, temporary, strlen(temporary));
	if (top_fd < 0)
		return failed(err, entry, errno, "its new folder cannot be opened");
	r = stage_below(commit, op, top_fd, err);
	return r == 0 ? set_modes(commit, op, top_fd, err) : r;
}

int stage_op(struct commit *commit, uint32_t index, struct error *err)
{
	struct op *op = &commit->plan.ops[index];
	const struct entry *entry = &commit->plan.set->entries[op->entry];
	char temporary[TEMPORARY_BYTES];
	const char *name;
	struct stat status;
	if (op->kind == OP_REMOVE || op->kind == OP_MODE)
		return 0;
	temporary_name(commit, index, temporary);
	int dir_fd =
		tree_hold_parent(&commit->to, commit->workspace->sides.host_fd, entry->path, &name);
	if (dir_fd < 0)
		return failed(err, entry, errno, "its folder cannot be opened");
	/* Half of it may be there since a kill. */
	int errnum = commit->is_resumed ? tree_remove(dir_fd, temporary) : 0;
	if (errnum != 0)
		return failed(err, entry, errnum, "what a killed commit left cannot be removed");
	int r = stage_tree(commit, op, dir_fd, temporary, &status, err);
	if (r < 0)
		return r;
	op->is_staged = true;
	op->dev = status.st_dev;
	op->inode = status.st_ino;
	return journal_note_staged(&commit->journal, index, op, err);
}
