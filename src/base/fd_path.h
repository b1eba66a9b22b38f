/* SPDX-License-Identifier: Apache-2.0 */
/* fd_path.h - the name of what is open */
#pragma once

#include <stddef.h>
#include <sys/types.h>

#include "base/macros.h"

/*
 * fd_path() - where the file of @fd lies now, as /proc tells it
 *
 * " (deleted)" behind it if it lies nowhere any more.  NUL-terminated; returns its length, or
 * -errno: -ENAMETOOLONG if it does not fit into @size with its NUL.
 */
ssize_t fd_path(int fd, char *ret, size_t size) must_check;
