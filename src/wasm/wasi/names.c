/* SPDX-License-Identifier: Apache-2.0 */
/* names.c - making, moving and removing what a path names; none of it follows a link at its end */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h> /* renameat() */
#include <string.h>
#include <unistd.h>

#include "base/macros.h"
#include "wasm/wasi/paths.h"

static uint64_t size_of(const struct wasi *wasi, const struct wasi_place *place)
{
	struct stat status;
	if (!wasi_disk_counts(wasi) ||
	    fstatat(place->fd, place->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	return (uint64_t)status.st_size;
}

/* Makes what @target says it leads to, or a folder if that is NULL. */
static uint32_t make(const struct wasi *wasi, const struct wasi_place *place, const char *target)
{
	struct wasi_growth growth;
	uint32_t r = wasi_growth_begin(wasi, place->fd, true, 1, &growth);
	if (r != WASI_SUCCESS)
		return r;
	int made = target ? symlinkat(target, place->fd, place->name)
			  : mkdirat(place->fd, place->name, 0777);
	r = made < 0 ? wasi_errno_of(errno) : WASI_SUCCESS;
	wasi_growth_end(wasi, &growth, made == 0, made == 0 ? size_of(wasi, place) : 0);
	return r;
}

/* args: folder, path, length. */
uint32_t wasi_path_create_directory(struct wasi *wasi, const uint64_t *args)
{
	struct wasi_place place;
	uint32_t r =
		wasi_place_get(wasi, args[0], WASI_RIGHT_PATH_CREATE_DIRECTORY, args + 1, &place);
	if (r == WASI_SUCCESS)
		r = make(wasi, &place, NULL);
	wasi_place_put(&place);
	return r;
}

/* What is about to lose a name; st_nlink 0: nothing that would count. */
static void look_at(const struct wasi *wasi, const struct wasi_place *place, struct stat *ret)
{
	memset(ret, 0, sizeof(*ret));
	if (wasi_disk_counts(wasi) && fstatat(place->fd, place->name, ret, AT_SYMLINK_NOFOLLOW) < 0)
		memset(ret, 0, sizeof(*ret));
}

/* It has lost it: if it was the last, and nobody has it open, it counts no more. */
static void count_lost(const struct wasi *wasi, const struct stat *status)
{
	bool was_last = S_ISDIR(status->st_mode) || status->st_nlink == 1;
	if (status->st_nlink > 0 && was_last &&
	    !wasi_is_open(wasi, status->st_dev, status->st_ino, NULL))
		wasi_disk_free(wasi, status);
}

static uint32_t remove_name(struct wasi *wasi, const uint64_t *args, uint64_t right, int flags)
{
	struct wasi_place place;
	struct stat status;
	uint32_t r = wasi_place_get(wasi, args[0], right, args + 1, &place);
	if (r != WASI_SUCCESS)
		return r;
	look_at(wasi, &place, &status);
	if (unlinkat(place.fd, place.name, flags) < 0)
		r = wasi_errno_of(errno);
	else
		count_lost(wasi, &status);
	wasi_place_put(&place);
	return r;
}

uint32_t wasi_path_remove_directory(struct wasi *wasi, const uint64_t *args)
{
	return remove_name(wasi, args, WASI_RIGHT_PATH_REMOVE_DIRECTORY, AT_REMOVEDIR);
}

uint32_t wasi_path_unlink_file(struct wasi *wasi, const uint64_t *args)
{
	return remove_name(wasi, args, WASI_RIGHT_PATH_UNLINK_FILE, 0);
}

static uint32_t rename_counted(const struct wasi *wasi, const struct wasi_place *from,
			       const struct wasi_place *to)
{
	struct wasi_growth growth;
	struct stat moved, replaced;
	uint32_t r = wasi_growth_begin(wasi, to->fd, false, 0, &growth);
	if (r != WASI_SUCCESS)
		return r;
	look_at(wasi, from, &moved);
	look_at(wasi, to, &replaced);
	if (renameat(from->fd, from->name, to->fd, to->name) < 0)
		r = wasi_errno_of(errno);
	wasi_growth_end(wasi, &growth, r == WASI_SUCCESS, 0);
	/* Two names of one file: then nothing happens. */
	if (r == WASI_SUCCESS &&
	    (moved.st_dev != replaced.st_dev || moved.st_ino != replaced.st_ino))
		count_lost(wasi, &replaced);
	return r;
}

/* args: folder, path, length, folder, path, length. */
uint32_t wasi_path_rename(struct wasi *wasi, const uint64_t *args)
{
	struct wasi_place from, to = WASI_PLACE_NONE;
	uint32_t r = wasi_place_get(wasi, args[0], WASI_RIGHT_PATH_RENAME_SOURCE, args + 1, &from);
	if (r == WASI_SUCCESS)
		r = wasi_place_get(wasi, args[3], WASI_RIGHT_PATH_RENAME_TARGET, args + 4, &to);
	if (r == WASI_SUCCESS)
		r = rename_counted(wasi, &from, &to);
	wasi_place_put(&from);
	wasi_place_put(&to);
	return r;
}

/* With a slash behind it a name would be followed; it is looked up as what it leads to. */
static uint32_t check_no_slash(const struct wasi_place *place, uint32_t if_folder)
{
	if (!place->has_slash)
		return WASI_SUCCESS;
	int fd = wasi_lookup(place->fd, place->name, O_PATH | O_DIRECTORY);
	if (fd < 0)
		return (uint32_t)-fd;
	close(fd);
	return if_folder;
}

static uint32_t link_counted(const struct wasi *wasi, const struct wasi_place *from,
			     const struct wasi_place *to)
{
	struct wasi_growth growth;
	uint32_t r = check_no_slash(from, WASI_EPERM);
	if (r == WASI_SUCCESS)
		r = wasi_growth_begin(wasi, to->fd, false, 0, &growth);
	if (r != WASI_SUCCESS)
		return r;
	if (linkat(from->fd, from->name, to->fd, to->name, 0) < 0)
		r = wasi_errno_of(errno);
	wasi_growth_end(wasi, &growth, r == WASI_SUCCESS, 0);
	return r;
}

/* args: folder, flags, path, length, folder, path, length.  The link itself gets another name. */
uint32_t wasi_path_link(struct wasi *wasi, const uint64_t *args)
{
	struct wasi_place from, to = WASI_PLACE_NONE;
	uint32_t r = wasi_place_get(wasi, args[0], WASI_RIGHT_PATH_LINK_SOURCE, args + 2, &from);
	if (r == WASI_SUCCESS && args[1] != 0)
		r = WASI_EINVAL;
	if (r == WASI_SUCCESS)
		r = wasi_place_get(wasi, args[4], WASI_RIGHT_PATH_LINK_TARGET, args + 5, &to);
	if (r == WASI_SUCCESS)
		r = link_counted(wasi, &from, &to);
	wasi_place_put(&from);
	wasi_place_put(&to);
	return r;
}

/* What a link says: any text, but no absolute path, which could only lead out. */
static uint32_t get_target(const struct wasi *wasi, const uint64_t *args, struct wasi_path *ret)
{
	uint32_t r = wasi_path_get(wasi, args[0], args[1], ret);
	if (r == WASI_SUCCESS && !wasi_pay(wasi, args[1] / WASI_BYTES_PER_UNIT))
		r = WASI_OUT_OF_FUEL;
	return r;
}

/* args: target, length, folder, path, length. */
uint32_t wasi_path_symlink(struct wasi *wasi, const uint64_t *args)
{
	struct wasi_path target;
	struct wasi_place place;
	uint32_t r = wasi_place_get(wasi, args[2], WASI_RIGHT_PATH_SYMLINK, args + 3, &place);
	if (r == WASI_SUCCESS)
		r = get_target(wasi, args, &target);
	if (r == WASI_SUCCESS)
		r = make(wasi, &place, target.text);
	wasi_place_put(&place);
	return r;
}

/* args: folder, path, length, buffer, its length, where to say how much of it is used. */
uint32_t wasi_path_readlink(struct wasi *wasi, const uint64_t *args)
{
	struct wasi_place place;
	uint64_t len = MIN(args[4], (uint64_t)WASI_MAX_PATH_BYTES);
	uint8_t *at = guest_at(wasi, args[3], args[4]);
	ssize_t n = 0;
	uint32_t r = wasi_place_get(wasi, args[0], WASI_RIGHT_PATH_READLINK, args + 1, &place);
	if (r == WASI_SUCCESS && (!at || !guest_at(wasi, args[5], 4)))
		r = WASI_EFAULT;
	if (r == WASI_SUCCESS)
		r = check_no_slash(&place, WASI_EINVAL);
	/* The kernel takes no empty buffer, but it is asked whether there is a link. */
	if (r == WASI_SUCCESS) {
		char byte;
		n = readlinkat(place.fd, place.name, len > 0 ? (char *)at : &byte,
			       MAX(len, UINT64_C(1)));
		r = n < 0 ? wasi_errno_of(errno) : WASI_SUCCESS;
	}
	wasi_place_put(&place);
	return r == WASI_SUCCESS ? guest_store_u32(wasi, args[5], len > 0 ? (uint32_t)n : 0) : r;
}
