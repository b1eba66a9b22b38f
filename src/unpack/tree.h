/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.h - the tree that a layer is unpacked into
 *
 * What is seen below root_fd is the layers below and this one, merged by the kernel's overlay;
 * what is made there ends up in this layer alone.  No name is ever resolved through a link by the
 * kernel: links of lower layers are followed here, inside the tree, and those of this layer are
 * refused.
 */
#pragma once

#include <sys/stat.h>
#include <time.h>

#include "unpack/path.h"
#include "unpack/touched.h"

/* The folder of the last member; the next one is mostly in it, too. */
struct tree_parent {
	char path[IMAGE_PATH_MAX + 1];      /* as members name it */
	char canonical[IMAGE_PATH_MAX + 1]; /* without links */
	int fd;                             /* -1: none */
	bool is_changed;
	struct timespec mtime; /* before anything was made in it */
};

struct tree {
	struct unpack_fault *fault;
	int root_fd;
	bool is_flat;
	struct touched_set touched;
	struct tree_parent parent;
};

void tree_init(struct tree *tree, struct unpack_fault *fault, int root_fd, bool is_flat);
int tree_finish(struct tree *tree); /* sets the last times; -1 and a fault */
void tree_fini(struct tree *tree);

/*
 * tree_enter() - open the folder of @path, a normalized one; its last part goes to *ret_name
 * @make_missing:  folders that are not there are made, 0755 of root
 *
 * 0; 1 if it is not there and is not to be made.
 */
int tree_enter(struct tree *tree, const char *path, bool make_missing, const char **ret_name);

/*
 * tree_clear_place() - make room for something called @name in the entered folder
 * @is_folder:  a folder may stay where one is
 *
 * 0; 1 if a folder stays.  Refuses what this layer made already.
 */
int tree_clear_place(struct tree *tree, const char *name, bool is_folder);

/* tree_whiteout() - remove what lower layers have: @name of the entered folder, or "" for all. */
int tree_whiteout(struct tree *tree, const char *name);

/* tree_made() - remember that this layer made @name in the entered folder, and the folders above.
 */
int tree_made(struct tree *tree, const char *name, enum touched kind);

/* tree_open() - openat2() below @dir_fd, through no link; -1 and errno. */
int tree_open(int dir_fd, const char *path, uint64_t flags, mode_t mode);
