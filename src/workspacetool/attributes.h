/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attributes.h - which extended attributes go with a file that is committed
 *
 * Those of user.* that the sandbox set, and none of security.*, trusted.* or system.*: what they
 * say would be believed.  Of user.* itself those stay out in which overlays and runtimes without
 * root keep owners, modes and whiteouts; the host's own ones of that kind stay on its file, as its
 * access control list does.
 */
#pragma once

#include <stdbool.h>

bool attribute_is_committed(const char *name);

/* attributes_are_same() - whether two open files have the same of those that are committed. */
bool attributes_are_same(int one_fd, int other_fd);

/*
 * attributes_commit() - those of the sandbox's file onto the new one; 0 or errno; EOPNOTSUPP where
 * the file system has none
 */
int attributes_commit(int from_fd, int to_fd);

/* attributes_keep() - the host's others of a file that gets new content; 0 or errno. */
int attributes_keep(int host_fd, int to_fd);
