/* SPDX-License-Identifier: Apache-2.0 */
/* remove.h - whole trees, whatever is in them */
#pragma once

#include "base/error.h"

/*
 * tree_remove() - @name of folder @dir_fd with all that is below it; what is not there is removed
 *
 * Deep trees cost no stack and no descriptors: folders are moved up to the top before they are
 * emptied.  No link is followed.  Folders that their owner may not enter are opened to him first.
 */
int tree_remove(int dir_fd, const char *name, struct error *err) must_check;
