/* SPDX-License-Identifier: Apache-2.0 */
/* view_masks.c - what stands in place of hidden files */
#include "levels/folders/view_masks.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "levels/folders/mounts.h"
#include "wire/codec.h"

void mask_put(struct buf *out, const struct mask *mask)
{
	wire_put_u8(out, (uint8_t)mask->hiding);
	wire_put_u8(out, mask->is_folder);
	wire_put_bytes(out, mask->path, mask->len);
	wire_put_bytes(out, mask->content, mask->content_len);
}

int mask_next(const struct buf *masks, size_t *at, struct mask *ret)
{
	struct wire_reader reader;
	if (*at >= masks->len)
		return 0;
	wire_reader_init(&reader, masks->data, masks->len);
	reader.at = *at;
	ret->hiding = wire_get_enum(&reader, CHANGES_N_HIDINGS);
	ret->is_folder = wire_get_bool(&reader);
	ret->path = (const char *)wire_get_bytes(&reader, &ret->len);
	ret->content = (const char *)wire_get_bytes(&reader, &ret->content_len);
	*at = reader.at;
	return !reader.is_broken && ret->len > 0;
}

/* The folder on the way, in the masks and in the host's tree. */
struct place {
	int mask_fd, folder_fd;
};

static void place_close(struct place *place)
{
	fd_close(&place->mask_fd);
	fd_close(&place->folder_fd);
}

/* As the sandbox sees it: an owner who is not mapped shows as nobody, and is nobody here. */
static int dress(int dir_fd, const char *name, const struct stat *like)
{
	if (fchownat(dir_fd, name, like->st_uid, like->st_gid, AT_SYMLINK_NOFOLLOW) < 0 &&
	    errno != EPERM && errno != EINVAL)
		return errno;
	return fchmodat(dir_fd, name, like->st_mode & 07777, 0) < 0 ? errno : 0;
}

static void dress_times(const struct place *place)
{
	struct stat like;
	if (fstat(place->folder_fd, &like) < 0)
		return;
	const struct timespec times[] = { like.st_atim, like.st_mtim };
	(void)futimens(place->mask_fd, times);
}

/* Into folder @name; ENOENT: it is not there any more; ENOTDIR: it is hidden itself. */
static int enter(struct place *place, const char *name)
{
	struct stat like;
	auto_fd int folder_fd =
		openat(place->folder_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder_fd < 0 || fstat(folder_fd, &like) < 0)
		return errno == ELOOP ? ENOTDIR : errno;
	if (mkdirat(place->mask_fd, name, 0700) == 0) {
		int r = dress(place->mask_fd, name, &like);
		if (r != 0)
			return r;
		dress_times(place);
	} else if (errno != EEXIST) {
		return errno;
	}
	auto_fd int mask_fd =
		openat(place->mask_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (mask_fd < 0)
		return errno;
	place_close(place);
	*place = (struct place){ take_fd(&mask_fd), take_fd(&folder_fd) };
	return 0;
}

/* The folder that holds @path, and its last part. */
static int find_place(int mask_top_fd, int folder_fd, const char *path, size_t len,
		      struct place *ret, char name[256])
{
	struct place place = { openat(mask_top_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC),
			       openat(folder_fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC) };
	int r = place.mask_fd < 0 || place.folder_fd < 0 ? errno : 0;
	for (size_t at = 0, end; r == 0; at = end + 1) {
		const char *slash = memchr(path + at, '/', len - at);
		end = slash ? (size_t)(slash - path) : len;
		if (end - at > 255 || end == at)
			r = ENAMETOOLONG;
		else
			memcpy(name, path + at, end - at);
		name[r == 0 ? end - at : 0] = '\0';
		if (r != 0 || !slash)
			break;
		r = enter(&place, name);
	}
	if (r != 0)
		place_close(&place);
	else
		*ret = place;
	return r;
}

static int write_content(int fd, const struct mask *mask)
{
	size_t at = 0;
	while (at < mask->content_len) {
		ssize_t n = write(fd, mask->content + at, mask->content_len - at);
		if (n <= 0)
			return n < 0 ? errno : EIO;
		at += (size_t)n;
	}
	return 0;
}

static int put_whiteout(int dir_fd, const char *name)
{
	return mknodat(dir_fd, name, S_IFCHR, makedev(0, 0)) < 0 && errno != EEXIST ? errno : 0;
}

static int put_file(const struct place *place, const char *name, const struct mask *mask)
{
	struct stat like;
	auto_fd int fd = openat(place->mask_fd, name,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return errno == EEXIST ? 0 : errno;
	int r = write_content(fd, mask);
	if (r != 0 || fstatat(place->folder_fd, name, &like, AT_SYMLINK_NOFOLLOW) < 0)
		return r != 0 ? r : errno == ENOENT ? 0 : errno;
	like.st_mode = S_ISREG(like.st_mode) ? like.st_mode & 0777 : 0644;
	return dress(place->mask_fd, name, &like);
}

static int put_folder(const struct place *place, const char *name)
{
	struct stat like;
	if (fstatat(place->folder_fd, name, &like, AT_SYMLINK_NOFOLLOW) < 0)
		return errno == ENOENT ? 0 : errno;
	if (mkdirat(place->mask_fd, name, 0700) < 0)
		return errno == EEXIST ? 0 : errno;
	return dress(place->mask_fd, name, &like);
}

static int put_mask(const struct place *place, const char *name, const struct mask *mask)
{
	int r = mask->hiding == CHANGES_HIDDEN_ABSENT ? put_whiteout(place->mask_fd, name)
		: mask->is_folder                     ? put_folder(place, name)
						      : put_file(place, name, mask);
	dress_times(place);
	return r;
}

/* One mask in one of the layers. */
static int add_mask(int layer_fd, int folder_fd, const struct mask *mask, bool is_below)
{
	struct place place;
	char name[256];
	int r = find_place(layer_fd, folder_fd, mask->path, mask->len, &place, name);
	if (r != 0) /* A folder above it is hidden, or went away: so is the file. */
		return r == ENOTDIR || r == ENOENT ? 0 : r;
	r = is_below ? put_whiteout(place.mask_fd, name) : put_mask(&place, name, mask);
	place_close(&place);
	return r;
}

/* The layers' own top folders are those of the view: as the host's is. */
static int make_layer(int mount_fd, const char *name, int folder_fd, int *ret_fd)
{
	struct stat like;
	if (mkdirat(mount_fd, name, 0755) < 0 || fstat(folder_fd, &like) < 0)
		return errno;
	int r = dress(mount_fd, name, &like);
	*ret_fd = openat(mount_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	return r == 0 && *ret_fd < 0 ? errno : r;
}

int view_masks_build(struct view_masks *masks, int mount_fd, int folder_fd, const struct buf *list)
{
	auto_fd int above_fd = -1, below_fd = -1;
	struct mask mask;
	int r = make_layer(mount_fd, "above", folder_fd, &above_fd);
	masks->mount_fd = mount_fd;
	for (size_t at = 0; r == 0 && mask_next(list, &at, &mask) == 1;) {
		if (mask.is_folder && mask.hiding == CHANGES_HIDDEN_EMPTY) {
			if (!masks->has_below)
				r = make_layer(mount_fd, "below", folder_fd, &below_fd);
			masks->has_below = true;
			if (r == 0)
				r = add_mask(below_fd, folder_fd, &mask, true);
		}
		if (r == 0)
			r = add_mask(above_fd, folder_fd, &mask, false);
	}
	return r;
}

int view_masks_flat(struct view_masks *masks, int mount_fd, const struct buf *list)
{
	struct mask mask;
	char name[24];
	unsigned i = 0;
	masks->mount_fd = mount_fd;
	auto_fd int empty_fd =
		openat(mount_fd, "empty", O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
	if (empty_fd < 0 || mkdirat(mount_fd, "none", 0555) < 0)
		return errno;
	for (size_t at = 0; mask_next(list, &at, &mask) == 1; i++) {
		if (mask.hiding != CHANGES_HIDDEN_REPLACED)
			continue;
		(void)snprintf(name, sizeof(name), "%u", i);
		auto_fd int fd =
			openat(mount_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0444);
		int r = fd < 0 ? errno : write_content(fd, &mask);
		if (r != 0)
			return r;
	}
	return 0;
}

/* O_PATH on @path below @top_fd, no link on the way; -errno. */
static int open_plain(int top_fd, const char *path, size_t len)
{
	char name[256];
	auto_fd int dir_fd = openat(top_fd, ".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	for (size_t at = 0, end; dir_fd >= 0; at = end + 1) {
		const char *slash = memchr(path + at, '/', len - at);
		end = slash ? (size_t)(slash - path) : len;
		if (end - at > 255)
			return -ENAMETOOLONG;
		memcpy(name, path + at, end - at);
		name[end - at] = '\0';
		int next = openat(dir_fd, name, O_PATH | O_NOFOLLOW | O_CLOEXEC);
		if (next < 0)
			return -errno;
		fd_close(&dir_fd);
		dir_fd = next;
		if (!slash)
			break;
	}
	return dir_fd < 0 ? -errno : take_fd(&dir_fd);
}

static int cover(const struct view_masks *masks, int view_fd, const struct mask *mask, unsigned i)
{
	char name[24];
	struct stat status;
	auto_fd int target = open_plain(view_fd, mask->path, mask->len);
	if (target == -ENOENT || target == -ENOTDIR)
		return 0; /* It went away, or lies in a folder that is covered. */
	if (target < 0 || fstat(target, &status) < 0)
		return target < 0 ? -target : errno;
	if (S_ISLNK(status.st_mode))
		return 0; /* Nothing can be mounted on it; what it leads to is hidden. */
	(void)snprintf(name, sizeof(name), "%u", i);
	const char *from = S_ISDIR(status.st_mode)                   ? "none"
			   : mask->hiding == CHANGES_HIDDEN_REPLACED ? name
								     : "empty";
	auto_fd int tree = mounts_clone(masks->mount_fd, from, false);
	int r = tree < 0 ? tree : mounts_restrict(tree, MOUNT_ATTR_RDONLY, false);
	return r < 0 ? -r : -mounts_attach(tree, target, "");
}

int view_masks_cover(const struct view_masks *masks, int view_fd, const struct buf *list)
{
	struct mask mask;
	unsigned i = 0;
	for (size_t at = 0; mask_next(list, &at, &mask) == 1; i++) {
		int r = cover(masks, view_fd, &mask, i);
		if (r != 0)
			return r;
	}
	return 0;
}

uint64_t view_masks_device(const struct view_masks *masks, int view_fd, const struct buf *list)
{
	struct mask mask;
	struct stat status;
	UNUSED(masks);
	for (size_t at = 0; mask_next(list, &at, &mask) == 1;) {
		if (mask.is_folder || mask.hiding == CHANGES_HIDDEN_ABSENT)
			continue;
		auto_fd int fd = open_plain(view_fd, mask.path, mask.len);
		if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
			return status.st_dev;
	}
	return 0;
}
