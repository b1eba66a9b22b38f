/* SPDX-License-Identifier: Apache-2.0 */
/* private.h - what the files of workspace/ share */
#pragma once

#include "workspace/changes.h"

bool changes_id_is_valid(const char *id);

/* changes_store_lock() - shared while a set is born, exclusive while dead ones are looked for. */
int changes_store_lock(int store_fd, bool is_exclusive, int *ret_fd, struct error *err) must_check;

/* files.c: @subject is the id for messages. */

/* changes_file_write() - replaces a file of the set atomically. */
int changes_file_write(int dir_fd, const char *name, const void *bytes, size_t len,
		       const char *subject, struct error *err) must_check;

/* changes_file_read() - the whole file, up to the buffer's bound; 1: there is none. */
int changes_file_read(int dir_fd, const char *name, struct buf *ret, const char *subject,
		      struct error *err) must_check;

/* changes_tree_remove() - everything at @name, whatever it is; never follows a link. */
int changes_tree_remove(int dir_fd, const char *name);

/*
 * disk.c: a file with an ext4 of exactly the quota, attached and mounted
 *
 * disk_size() bounds what is asked for by what such a disk can hold.
 */
void disk_size(int store_fd, uint64_t *bytes, uint64_t *inodes);
int disk_make(int store_fd, int dir_fd, uint64_t bytes, uint64_t inodes, const char *subject,
	      struct error *err) must_check;
int disk_copy(int from_fd, int to_fd); /* keeps holes; 0 or errno */
int disk_mount(int dir_fd, bool is_read_only, int *ret_mount_fd, int *ret_loop, const char *subject,
	       struct error *err) must_check;
int disk_mount_again(int loop, int *ret_mount_fd); /* 0 or errno */
