/* SPDX-License-Identifier: Apache-2.0 */
/*
 * disk.c - how much the run has written, and how much it still may
 *
 * Counted is by how much files and folders have grown, by their sizes in whole blocks: a hole
 * counts as if it were full, so filling it later needs no look, and the holes of a file that was
 * there before count as soon as it is opened to be written; a folder counts as it grows by names;
 * what was there before may shrink, but gives nothing beyond what the run itself took.  A file
 * that has lost its last name counts until it is closed.  All that makes something grow
 * goes through this folder's functions, so nothing is left out but what the file system needs for
 * itself (inodes are counted, the table they lie in is not).
 */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "base/macros.h"
#include "wasm/wasi/guest.h"

bool wasi_disk_counts(const struct wasi *wasi)
{
	return wasi->disk != NULL;
}

/* A lock of the process, which goes with it, however it ends. */
static void set_lock(const struct wasi *wasi, short type)
{
	struct flock lock = { .l_type = type, .l_whence = SEEK_SET };
	if (!wasi->disk || wasi->disk_fd < 0)
		return;
	while (fcntl(wasi->disk_fd, F_SETLKW, &lock) < 0 && errno == EINTR)
		;
}

void wasi_disk_lock(const struct wasi *wasi)
{
	set_lock(wasi, F_WRLCK);
}

void wasi_disk_unlock(const struct wasi *wasi)
{
	set_lock(wasi, F_UNLCK);
}

static uint64_t in_blocks(uint64_t size)
{
	return size > UINT64_MAX - WASI_BLOCK_BYTES
		       ? UINT64_MAX - WASI_BLOCK_BYTES
		       : (size + WASI_BLOCK_BYTES - 1) / WASI_BLOCK_BYTES * WASI_BLOCK_BYTES;
}

uint64_t wasi_disk_room(const struct wasi *wasi, uint64_t size)
{
	const struct wasi_disk *disk = wasi->disk;
	if (!disk || disk->max_bytes == UINT64_MAX)
		return UINT64_MAX;
	uint64_t left = disk->max_bytes - MIN(disk->bytes, disk->max_bytes);
	uint64_t whole = left / WASI_BLOCK_BYTES * WASI_BLOCK_BYTES;
	return in_blocks(size) > UINT64_MAX - whole ? UINT64_MAX : in_blocks(size) + whole;
}

void wasi_disk_resize(const struct wasi *wasi, uint64_t from, uint64_t to)
{
	struct wasi_disk *disk = wasi->disk;
	if (!disk)
		return;
	uint64_t before = in_blocks(from), after = in_blocks(to);
	if (after >= before)
		disk->bytes += MIN(after - before, UINT64_MAX - disk->bytes);
	else
		disk->bytes -= MIN(before - after, disk->bytes);
}

bool wasi_disk_has_inode(const struct wasi *wasi)
{
	return !wasi->disk || wasi->disk->inodes < wasi->disk->max_inodes;
}

void wasi_disk_add_inodes(const struct wasi *wasi, int n)
{
	struct wasi_disk *disk = wasi->disk;
	if (disk && n > 0)
		disk->inodes += (uint64_t)n;
	else if (disk)
		disk->inodes -= MIN((uint64_t)-n, disk->inodes);
}

/* Its place in the list; WASI_MAX_HOLED: none. */
static size_t find_holed(const struct wasi_disk *disk, uint64_t dev, uint64_t inode)
{
	for (size_t i = 0; i < MIN(disk->n_holed, (uint64_t)WASI_MAX_HOLED); i++) {
		if (disk->holed[i].dev == dev && disk->holed[i].inode == inode)
			return i;
	}
	return WASI_MAX_HOLED;
}

void wasi_disk_note_holes(const struct wasi *wasi, uint64_t dev, uint64_t inode)
{
	struct wasi_disk *disk = wasi->disk;
	if (!disk || find_holed(disk, dev, inode) < WASI_MAX_HOLED)
		return;
	size_t at = disk->n_holed++ % WASI_MAX_HOLED;
	disk->holed[at].dev = dev;
	disk->holed[at].inode = inode;
}

/* One block of difference is no hole: some file systems keep a small file in its inode. */
uint32_t wasi_disk_fill(const struct wasi *wasi, const struct stat *status)
{
	struct wasi_disk *disk = wasi->disk;
	if (!disk)
		return WASI_SUCCESS;
	uint64_t full = in_blocks((uint64_t)status->st_size);
	uint64_t there = (uint64_t)status->st_blocks * 512;
	if (there + WASI_BLOCK_BYTES >= full ||
	    find_holed(disk, status->st_dev, status->st_ino) < WASI_MAX_HOLED)
		return WASI_SUCCESS;
	if (full > wasi_disk_room(wasi, there))
		return WASI_ENOSPC;
	wasi_disk_resize(wasi, there, full);
	wasi_disk_note_holes(wasi, status->st_dev, status->st_ino);
	return WASI_SUCCESS;
}

void wasi_disk_free(const struct wasi *wasi, const struct stat *status)
{
	if (!wasi->disk)
		return;
	/* Its inode can be another file's from now on. */
	size_t at = find_holed(wasi->disk, status->st_dev, status->st_ino);
	if (at < WASI_MAX_HOLED)
		wasi->disk->holed[at].inode = 0;
	wasi_disk_resize(wasi, (uint64_t)status->st_size, 0);
	wasi_disk_add_inodes(wasi, -1);
}
