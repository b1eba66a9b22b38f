/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view_masks.h - what stands in place of hidden files; made in the child, in memory
 *
 * As layers of an overlay: "above" has empty files and folders, and whiteouts; "below" has a
 * whiteout under each empty folder, so that it does not show what the host's holds.  (To mark it
 * opaque takes extended attributes, which tmpfs has since Linux 6.6 only.)  The folders on the way
 * to a mask are like those of the host, as an overlay shows the uppermost.
 */
#pragma once

#include "base/buf.h"
#include "levels/folders/attach.h"

struct view_masks {
	int mount_fd; /* borrowed */
	bool has_below;
};

/* Each returns 0 or an errno. */
int view_masks_build(struct view_masks *masks, int mount_fd, int folder_fd, const struct buf *list);

/* For access rw: what is mounted on each hidden file, and the mounting. */
int view_masks_flat(struct view_masks *masks, int mount_fd, const struct buf *list);
int view_masks_cover(const struct view_masks *masks, int view_fd, const struct buf *list);

/* view_masks_device() - what st_dev says of a mask that is a file, in an overlay; 0: there is none
 */
uint64_t view_masks_device(const struct view_masks *masks, int view_fd, const struct buf *list);
