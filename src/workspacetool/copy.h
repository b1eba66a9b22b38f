/* SPDX-License-Identifier: Apache-2.0 */
/* copy.h - contents and trees copied, holes kept, in bounded memory */
#pragma once

#include <stdint.h>

#include "base/error.h"

/*
 * copy_file() - all of a regular file into an empty one; 0 or errno
 *
 * Shares blocks where both lie on one file system that can; holes stay holes.
 */
int copy_file(int from_fd, int to_fd);

/*
 * copy_tree() - what is in a folder into an empty one, as an overlay's upper side needs it
 *
 * Whiteouts, marks of the overlay, links, modes and times; no devices.  Hard links become files
 * of their own.  Errors name @subject.
 */
int copy_tree(int from_fd, int to_fd, const char *subject, struct error *err) must_check;
