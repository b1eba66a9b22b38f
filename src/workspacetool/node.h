/* SPDX-License-Identifier: Apache-2.0 */
/*
 * node.h - what lies at a path on one side: type, and enough to notice that it was changed
 *
 * A fingerprint is made of what stat says and not of the content, so that it costs the same for
 * a file of 5 GiB.  The time of the last change (ctime) cannot be set by whoever owns the file.
 * Its clock ticks every few milliseconds, so node_read() waits until the tick in which the file
 * was changed is over: a later change then has a later time.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/stat.h>

#include "base/error.h"

enum node_type {
	NODE_ABSENT,
	NODE_FILE,
	NODE_FOLDER,
	NODE_LINK,
	NODE_FIFO,
	NODE_SOCKET,
	NODE_CHAR,
	NODE_BLOCK,
	NODE_WHITEOUT, /* of an overlay's upper side: the name below is deleted */
	NODE_N_TYPES
};

struct node {
	uint8_t type; /* enum node_type */
	uint8_t is_sparse;
	uint16_t mode; /* 07777 */
	uint32_t n_links;
	uint64_t dev, inode;
	uint64_t size_bytes;
	int64_t mtime_ns, ctime_ns;
};

/*
 * node_read() - what @name in @dir_fd is; NODE_ABSENT if there is no such name
 *
 * Never follows a link; with the name "", what @dir_fd itself is.  @is_upper: a character device
 * 0:0 is a whiteout.  -ERR_SYSTEM with @path as subject.
 */
int node_read(int dir_fd, const char *name, bool is_upper, const char *path, struct node *ret,
	      struct error *err) must_check;

/* node_of_stat() - of the host's side. */
void node_of_stat(const struct stat *status, struct node *ret);

/* node_of_fd() - the same for an open descriptor, without waiting for the clock. */
int node_of_fd(int fd, struct node *ret);

/*
 * node_is_same() - whether nothing was changed between two readings
 *
 * Of a folder only type, mode and identity count: its times and size tell of its entries, which
 * are compared themselves.
 */
bool node_is_same(const struct node *a, const struct node *b);

/* node_is_moved() - the same for a file that was renamed since, which changes its ctime. */
bool node_is_moved(const struct node *before, const struct node *now);

const char *node_type_word(enum node_type type); /* "file", "folder", ... */
