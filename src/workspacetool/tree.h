/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - opening what lies below a folder that somebody else can change meanwhile
 *
 * Every path is resolved from the top, by openat2(2) that follows no link, leaves neither the
 * folder nor its file system, and takes no "..".  So a folder that is swapped for a link is an
 * error and never a way out.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/* tree_open_folder() - @path below @top_fd, "" for the top; a descriptor, or -1 and errno. */
int tree_open_folder(int top_fd, const char *path, size_t len);

/* tree_open_parent() - the folder of @path; *ret_name is its last name, borrowed from @path. */
int tree_open_parent(int top_fd, const char *path, const char **ret_name);

/*
 * A folder that is kept open while entries of it follow each other.  It is opened anew now and
 * then, so that one which was moved away meanwhile is not worked in for long.
 */
struct tree_held {
	int fd;
	const char *path; /* borrowed from who it was opened for */
	size_t len;
	unsigned n_uses;
};

#define TREE_HELD_NONE     ((struct tree_held){ .fd = -1 })
#define TREE_HELD_MAX_USES 64

/* tree_hold_parent() - as tree_open_parent(), but borrowed; @path must outlive the next call. */
int tree_hold_parent(struct tree_held *held, int top_fd, const char *path, const char **ret_name);
void tree_let_go(struct tree_held *held); /* may be called twice */

/*
 * tree_open_file() - a regular file of a folder for reading; -1 and errno
 *
 * Anything else gives EINVAL; a FIFO is not waited for and a device not opened.
 */
int tree_open_file(int dir_fd, const char *name);

/*
 * tree_open_known() - the same for a name that was just seen to be a regular file: one look less
 *
 * Should it have become a device meanwhile, it is opened and closed again.
 */
int tree_open_known(int dir_fd, const char *name);

/* tree_read_link() - bytes of the target in @target, at most @size; -1 and errno. */
ssize_t tree_read_link(int dir_fd, const char *name, char *target, size_t size);
