/* SPDX-License-Identifier: Apache-2.0 */
/*
 * paths.h - from a path of the guest to a descriptor of the host
 *
 * A path is looked up by one openat2() below the descriptor of a folder, with RESOLVE_BENEATH: the
 * kernel refuses what would leave it, be it by "..", by a link or because somebody moves folders
 * meanwhile.  What makes or removes a name has no such flag, so the folder that the name lies in
 * is looked up first, and the name itself is one component.
 */
#pragma once

#include "wasm/wasi/guest.h"

/* A path, copied out of the guest's memory: ends with a NUL, relative, not empty, UTF-8. */
struct wasi_path {
	char text[WASI_MAX_PATH_BYTES + 1];
};

/*
 * wasi_path_get() - WASI_ENOENT if it is empty, WASI_ENOTCAPABLE if absolute, WASI_EILSEQ,
 * WASI_ENAMETOOLONG, WASI_EINVAL with a NUL in it
 */
uint32_t wasi_path_get(const struct wasi *wasi, uint64_t address, uint64_t len,
		       struct wasi_path *ret);

/*
 * wasi_lookup() - opens @path below @folder_fd; a descriptor, or minus the guest's errno
 * @flags:  of open(); O_CLOEXEC is added
 */
int wasi_lookup(int folder_fd, const char *path, int flags);

/* Where a name is made or removed. */
struct wasi_place {
	const struct wasi_file *folder;
	int fd;         /* of the folder that @name lies in */
	bool is_own;    /* fd is this place's */
	bool has_slash; /* the path ended in one, and so does @name */
	char name[256 + 1];
};

#define WASI_PLACE_NONE ((struct wasi_place){ .fd = -1 })

/*
 * wasi_place_get() - for the path at args[0] and args[1], below the folder @number
 *
 * On failure nothing is open.
 */
uint32_t wasi_place_get(struct wasi *wasi, uint64_t number, uint64_t rights, const uint64_t *args,
			struct wasi_place *ret);
uint32_t wasi_place_of(const struct wasi_file *folder, const char *path, struct wasi_place *ret);
void wasi_place_put(struct wasi_place *place);

/*
 * wasi_growth_begin() - a folder is about to get a name, and maybe an inode: takes room for it
 *
 * One block for the folder, and @n_blocks for what is made.  wasi_growth_end() gives back what was
 * not needed: by how much the folder has grown is measured, @inode_bytes is what else was made;
 * none of it if @is_done is false.
 */
struct wasi_growth {
	int fd; /* -1: nothing counts */
	uint64_t size, taken;
	bool has_inode;
};
uint32_t wasi_growth_begin(const struct wasi *wasi, int fd, bool has_inode, unsigned n_blocks,
			   struct wasi_growth *ret);
void wasi_growth_end(const struct wasi *wasi, const struct wasi_growth *growth, bool is_done,
		     uint64_t inode_bytes);
