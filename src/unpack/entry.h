/* SPDX-License-Identifier: Apache-2.0 */
/* entry.h - what a member of a layer becomes: owner, mode, attributes, times */
#pragma once

#include "unpack/tar.h"
#include "unpack/tree.h"

/*
 * entry_describe() - owner, mode, extended attributes, time, in the order that keeps them all
 * @fd:      the new file or folder, opened to be read or written; or -1: what @name of the entered
 *           folder is, a link or a FIFO
 * @is_old:  it was there before: attributes that the entry does not have go
 */
int entry_describe(struct tree *tree, struct archive_entry *entry, int fd, const char *name,
		   bool is_old);

/* entry_check() - refuses owners and attributes that a store does not keep. */
int entry_check(struct tree *tree, struct archive_entry *entry, const char *path);
