/* SPDX-License-Identifier: Apache-2.0 */
/* mapping.h - whose files a mount shows: one id of the host as one id inside */
#pragma once

#include <sys/types.h>

/*
 * mapping_make() - a user namespace that maps the host's id to the one that stands for it
 *
 * Needs root.  Returns its descriptor or -errno.
 */
int mapping_make(uid_t host_uid, gid_t host_gid, uid_t inner_uid, gid_t inner_gid);

/* mapping_apply() - to a detached mount; 0 or -errno: some file systems cannot. */
int mapping_apply(int tree, int mapping_fd);
