/* SPDX-License-Identifier: Apache-2.0 */
/* paths.c - looking up, opening and asking about what a path names */
#include "wasm/wasi/paths.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/macros.h"
#include "base/syscalls.h"
#include "base/text.h"

#define MAX_RACES 64 /* somebody moves folders while the kernel looks: it asks to try again */

uint32_t wasi_path_get(const struct wasi *wasi, uint64_t address, uint64_t len,
		       struct wasi_path *ret)
{
	const uint8_t *at = guest_at(wasi, address, len);
	if (!at)
		return WASI_EFAULT;
	if (len == 0)
		return WASI_ENOENT;
	if (len > WASI_MAX_PATH_BYTES)
		return WASI_ENAMETOOLONG;
	memcpy(ret->text, at, len);
	ret->text[len] = '\0';
	if (strlen(ret->text) != len)
		return WASI_EINVAL;
	if (!text_is_utf8(ret->text, len))
		return WASI_EILSEQ;
	return ret->text[0] == '/' ? WASI_ENOTCAPABLE : WASI_SUCCESS;
}

static int lookup(int folder_fd, const char *path, int flags, mode_t mode)
{
	struct open_how how = {
		.flags = (uint64_t)(unsigned)flags | O_CLOEXEC,
		.mode = mode,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS,
	};
	for (int i = 0; i < MAX_RACES; i++) {
		int fd = sys_openat2(folder_fd, path, &how);
		if (fd >= 0)
			return fd;
		if (errno != EAGAIN && errno != EINTR)
			break;
	}
	/* The kernel's word for a path that leads out. */
	return errno == EXDEV ? -(int)WASI_ENOTCAPABLE : -(int)wasi_errno_of(errno);
}

int wasi_lookup(int folder_fd, const char *path, int flags)
{
	return lookup(folder_fd, path, flags, 0);
}

static uint32_t probe(int folder_fd, const char *path, int flags)
{
	int fd = wasi_lookup(folder_fd, path, O_PATH | flags);
	if (fd < 0)
		return (uint32_t)-fd;
	close(fd);
	return WASI_SUCCESS;
}

/* Splits "a/b/c//" into "a/b" and "c/"; the path is cut in place. */
static uint32_t split(char *path, struct wasi_place *place, const char **ret_parent)
{
	size_t len = strlen(path);
	while (len > 1 && path[len - 1] == '/')
		path[--len] = '\0';
	char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	size_t name_len = strlen(name);
	if (name_len + place->has_slash >= sizeof(place->name))
		return WASI_ENAMETOOLONG;
	memcpy(place->name, name, name_len + 1);
	if (place->has_slash)
		memcpy(place->name + name_len, "/", 2);
	if (slash)
		*slash = '\0';
	*ret_parent = slash ? path : NULL;
	return WASI_SUCCESS;
}

uint32_t wasi_place_of(const struct wasi_file *folder, const char *path, struct wasi_place *ret)
{
	struct wasi_path copy;
	const char *parent = NULL;
	size_t len = strlen(path);
	*ret = WASI_PLACE_NONE;
	ret->folder = folder;
	ret->has_slash = len > 0 && path[len - 1] == '/';
	memcpy(copy.text, path, len + 1);
	uint32_t r = split(copy.text, ret, &parent);
	/* The name above a folder can be one that lies outside. */
	if (r == WASI_SUCCESS && strncmp(ret->name, "..", 2) == 0 &&
	    (ret->name[2] == '\0' || ret->name[2] == '/'))
		r = probe(folder->fd, path, 0);
	if (r != WASI_SUCCESS)
		return r;
	ret->fd = folder->fd;
	if (!parent)
		return WASI_SUCCESS;
	ret->fd = wasi_lookup(folder->fd, parent, O_PATH | O_DIRECTORY);
	ret->is_own = ret->fd >= 0;
	return ret->fd < 0 ? (uint32_t)-ret->fd : WASI_SUCCESS;
}

uint32_t wasi_place_get(struct wasi *wasi, uint64_t number, uint64_t rights, const uint64_t *args,
			struct wasi_place *ret)
{
	struct wasi_path path;
	struct wasi_file *folder;
	*ret = WASI_PLACE_NONE;
	uint32_t r = wasi_folder_with(wasi, number, rights, &folder);
	if (r == WASI_SUCCESS)
		r = wasi_path_get(wasi, args[0], args[1], &path);
	if (r != WASI_SUCCESS)
		return r;
	if (!wasi_pay(wasi, WASI_UNITS_PER_LOOKUP))
		return WASI_OUT_OF_FUEL;
	return wasi_place_of(folder, path.text, ret);
}

void wasi_place_put(struct wasi_place *place)
{
	if (place->is_own)
		close(place->fd);
	*place = WASI_PLACE_NONE;
}

uint32_t wasi_growth_begin(const struct wasi *wasi, int fd, bool has_inode, unsigned n_blocks,
			   struct wasi_growth *ret)
{
	struct stat status;
	*ret = (struct wasi_growth){ .fd = -1 };
	if (!wasi_disk_counts(wasi))
		return WASI_SUCCESS;
	int errnum = wasi_status(fd, &status);
	if (errnum != 0)
		return wasi_errno_of(errnum);
	ret->size = (uint64_t)status.st_size;
	ret->taken = (uint64_t)(1 + n_blocks) * WASI_BLOCK_BYTES;
	ret->has_inode = has_inode;
	if (wasi_disk_room(wasi, 0) < ret->taken || (has_inode && !wasi_disk_has_inode(wasi)))
		return WASI_ENOSPC;
	ret->fd = fd;
	wasi_disk_resize(wasi, 0, ret->taken);
	if (has_inode)
		wasi_disk_add_inodes(wasi, 1);
	return WASI_SUCCESS;
}

void wasi_growth_end(const struct wasi *wasi, const struct wasi_growth *growth, bool is_done,
		     uint64_t inode_bytes)
{
	struct stat status;
	if (growth->fd < 0)
		return;
	if (is_done && wasi_status(growth->fd, &status) == 0)
		wasi_disk_resize(wasi, growth->size, (uint64_t)status.st_size);
	if (is_done)
		wasi_disk_resize(wasi, 0, inode_bytes);
	if (!is_done && growth->has_inode)
		wasi_disk_add_inodes(wasi, -1);
	wasi_disk_resize(wasi, growth->taken, 0);
}

/* One path_open. */
struct opening {
	struct wasi_file *folder;
	struct wasi_path path;
	uint64_t oflags, fdflags, rights;
	int flags; /* of open(), O_CREAT and O_EXCL apart */
	bool may_create;
};

#define RIGHTS_TO_WRITE \
	((uint64_t)(WASI_RIGHT_FD_WRITE | WASI_RIGHT_FD_ALLOCATE | WASI_RIGHT_FD_FILESTAT_SET_SIZE))
#define RIGHTS_TO_READ ((uint64_t)(WASI_RIGHT_FD_READ | WASI_RIGHT_FD_READDIR))

/* O_NONBLOCK: whatever it turns out to be, opening it is never waited for. */
static int flags_of(const struct opening *opening, bool follows)
{
	int flags = O_NONBLOCK | O_NOCTTY | (follows ? 0 : O_NOFOLLOW);
	bool writes = (opening->rights & RIGHTS_TO_WRITE) || (opening->oflags & WASI_OFLAG_TRUNC);
	if (writes)
		flags |= opening->rights & RIGHTS_TO_READ ? O_RDWR : O_WRONLY;
	if (opening->oflags & WASI_OFLAG_DIRECTORY)
		flags |= O_DIRECTORY;
	if (opening->fdflags & WASI_FDFLAG_APPEND)
		flags |= O_APPEND;
	if (opening->fdflags & WASI_FDFLAG_DSYNC)
		flags |= O_DSYNC;
	if (opening->fdflags & (WASI_FDFLAG_RSYNC | WASI_FDFLAG_SYNC))
		flags |= O_SYNC;
	return flags;
}

/* args as of path_open: folder, lookup flags, path, its length, oflags, rights twice, fdflags. */
static uint32_t prepare(struct wasi *wasi, const uint64_t *args, struct opening *ret)
{
	uint32_t r = wasi_folder_with(wasi, args[0], WASI_RIGHT_PATH_OPEN, &ret->folder);
	if (r == WASI_SUCCESS)
		r = wasi_path_get(wasi, args[2], args[3], &ret->path);
	if (r != WASI_SUCCESS)
		return r;
	ret->oflags = args[4];
	ret->rights = args[5];
	ret->fdflags = args[7];
	if (args[1] > WASI_LOOKUP_FOLLOW || ret->oflags > WASI_OFLAGS ||
	    ret->fdflags > WASI_FDFLAGS ||
	    ((ret->oflags & WASI_OFLAG_CREAT) && (ret->oflags & WASI_OFLAG_DIRECTORY)))
		return WASI_EINVAL;
	if (ret->oflags & WASI_OFLAG_TRUNC)
		r = wasi_check_rights(ret->folder, WASI_RIGHT_PATH_FILESTAT_SET_SIZE);
	/* In a folder that can only be read, what is there can be opened as if it were to be made.
	 */
	if (r == WASI_SUCCESS && (ret->oflags & WASI_OFLAG_CREAT) && !ret->folder->is_read_only)
		r = wasi_check_rights(ret->folder, WASI_RIGHT_PATH_CREATE_FILE);
	ret->may_create = !ret->folder->is_read_only;
	if (r == WASI_SUCCESS && (ret->rights & RIGHTS_TO_WRITE & ~ret->folder->inheriting))
		r = ret->folder->is_read_only ? WASI_EROFS : WASI_ENOTCAPABLE;
	if (r == WASI_SUCCESS && (ret->oflags & WASI_OFLAG_DIRECTORY) &&
	    (ret->rights & RIGHTS_TO_WRITE))
		r = WASI_EISDIR;
	ret->flags = flags_of(ret, args[1] & WASI_LOOKUP_FOLLOW);
	return r;
}

/* A new file, where files count.  A link may have led to another folder: then a block counts. */
static int create_counted(const struct wasi *wasi, const struct opening *opening, int flags)
{
	struct wasi_growth growth;
	struct wasi_place place;
	struct stat named, made;
	bool is_there = false;
	uint32_t r = wasi_place_of(opening->folder, opening->path.text, &place);
	if (r == WASI_SUCCESS)
		r = wasi_growth_begin(wasi, place.fd, true, 0, &growth);
	if (r != WASI_SUCCESS) {
		wasi_place_put(&place);
		return -(int)r;
	}
	int fd = lookup(opening->folder->fd, opening->path.text, flags, 0666);
	if (fd >= 0 && wasi_status(fd, &made) == 0)
		is_there = fstatat(place.fd, place.name, &named, AT_SYMLINK_NOFOLLOW) == 0 &&
			   named.st_ino == made.st_ino;
	wasi_growth_end(wasi, &growth, fd >= 0, is_there ? 0 : WASI_BLOCK_BYTES);
	wasi_place_put(&place);
	return fd;
}

/* A descriptor, or minus the guest's errno. */
static int open_path(const struct wasi *wasi, const struct opening *opening)
{
	bool creates = opening->oflags & WASI_OFLAG_CREAT;
	bool is_new = creates && (opening->oflags & WASI_OFLAG_EXCL);
	int flags = opening->flags | (creates ? O_CREAT : 0) | (is_new ? O_EXCL : 0);
	int folder_fd = opening->folder->fd;
	const char *path = opening->path.text;
	if (!creates || (opening->may_create && !wasi_disk_counts(wasi)))
		return lookup(folder_fd, path, flags, creates ? 0666 : 0);
	int fd = is_new ? wasi_lookup(folder_fd, path, O_PATH | O_NOFOLLOW)
			: wasi_lookup(folder_fd, path, opening->flags);
	if (fd >= 0 && is_new) {
		close(fd);
		return -WASI_EEXIST;
	}
	if (fd != -(int)WASI_ENOENT)
		return fd;
	return opening->may_create ? create_counted(wasi, opening, flags) : -(int)WASI_EROFS;
}

/* What can neither be read to its end nor be waited for is told apart from what is not allowed. */
static uint32_t explain(const struct opening *opening, uint32_t failure)
{
	struct stat status;
	if (failure != WASI_EACCES && failure != WASI_ENXIO)
		return failure;
	int fd = wasi_lookup(opening->folder->fd, opening->path.text, O_PATH);
	bool is_special = fd >= 0 && wasi_status(fd, &status) == 0 && !S_ISREG(status.st_mode) &&
			  !S_ISDIR(status.st_mode);
	if (fd >= 0)
		close(fd);
	return is_special ? WASI_ENOTSUP : failure;
}

static uint32_t truncate_open(const struct wasi *wasi, int fd, const struct stat *status)
{
	if (ftruncate(fd, 0) < 0)
		return wasi_errno_of(errno);
	wasi_disk_resize(wasi, (uint64_t)status->st_size, 0);
	return WASI_SUCCESS;
}

static uint32_t accept_file(const struct wasi *wasi, const struct opening *opening, int fd,
			    struct stat *ret)
{
	int errnum = wasi_status(fd, ret);
	if (errnum != 0)
		return wasi_errno_of(errnum);
	if (!S_ISREG(ret->st_mode) && !S_ISDIR(ret->st_mode))
		return WASI_ENOTSUP;
	if (!S_ISREG(ret->st_mode))
		return opening->oflags & WASI_OFLAG_TRUNC ? WASI_EISDIR : WASI_SUCCESS;
	if (opening->oflags & WASI_OFLAG_TRUNC)
		return truncate_open(wasi, fd, ret);
	return opening->rights & RIGHTS_TO_WRITE ? wasi_disk_fill(wasi, ret) : WASI_SUCCESS;
}

uint32_t wasi_path_open(struct wasi *wasi, const uint64_t *args)
{
	not_zeroed struct opening opening;
	struct stat status;
	uint32_t number = 0;
	if (!guest_at(wasi, args[8], 4))
		return wasi_file(wasi, args[0]) ? WASI_EFAULT : WASI_EBADF;
	uint32_t r = prepare(wasi, args, &opening);
	if (r != WASI_SUCCESS)
		return r;
	if (!wasi_has_room(wasi))
		return WASI_EMFILE;
	if (!wasi_pay(wasi, WASI_UNITS_PER_LOOKUP))
		return WASI_OUT_OF_FUEL;
	int opened = open_path(wasi, &opening);
	if (opened < 0)
		return explain(&opening, (uint32_t)-opened);
	auto_fd int fd = opened;
	r = accept_file(wasi, &opening, fd, &status);
	bool is_folder = r == WASI_SUCCESS && S_ISDIR(status.st_mode);
	struct wasi_file file = {
		.fd = fd,
		.type = is_folder ? WASI_TYPE_FOLDER : WASI_TYPE_FILE,
		.is_read_only = opening.folder->is_read_only,
		.flags = (uint16_t)opening.fdflags,
		.rights = args[5] & opening.folder->inheriting &
			  (is_folder ? WASI_RIGHTS_OF_FOLDER : WASI_RIGHTS_OF_FILE),
		.inheriting = is_folder ? args[6] & opening.folder->inheriting : 0,
		.dev = status.st_dev,
		.inode = status.st_ino,
	};
	if (r == WASI_SUCCESS)
		r = wasi_add(wasi, &file, &number);
	if (r != WASI_SUCCESS)
		return r;
	(void)take_fd(&fd);
	return guest_store_u32(wasi, args[8], number);
}

/* O_PATH: nothing is opened, so it can be anything. */
static uint32_t lookup_any(struct wasi *wasi, const uint64_t *args, uint64_t rights, int *ret_fd)
{
	struct wasi_path path;
	struct wasi_file *folder;
	uint32_t r = wasi_folder_with(wasi, args[0], rights, &folder);
	if (r == WASI_SUCCESS)
		r = wasi_path_get(wasi, args[2], args[3], &path);
	if (r == WASI_SUCCESS && args[1] > WASI_LOOKUP_FOLLOW)
		r = WASI_EINVAL;
	if (r != WASI_SUCCESS)
		return r;
	if (!wasi_pay(wasi, WASI_UNITS_PER_LOOKUP))
		return WASI_OUT_OF_FUEL;
	int fd = wasi_lookup(folder->fd, path.text,
			     O_PATH | (args[1] & WASI_LOOKUP_FOLLOW ? 0 : O_NOFOLLOW));
	*ret_fd = fd;
	return fd < 0 ? (uint32_t)-fd : WASI_SUCCESS;
}

uint32_t wasi_path_filestat_get(struct wasi *wasi, const uint64_t *args)
{
	struct stat status;
	auto_fd int fd = -1;
	uint32_t r = lookup_any(wasi, args, WASI_RIGHT_PATH_FILESTAT_GET, &fd);
	if (r != WASI_SUCCESS)
		return r;
	int errnum = wasi_status(fd, &status);
	return errnum != 0 ? wasi_errno_of(errnum) : guest_store_status(wasi, args[4], &status);
}

uint32_t wasi_path_filestat_set_times(struct wasi *wasi, const uint64_t *args)
{
	struct timespec times[2];
	auto_fd int fd = -1;
	uint32_t r = wasi_times(args + 4, args[6], times);
	if (r == WASI_SUCCESS || !wasi_file(wasi, args[0])) {
		uint32_t found = lookup_any(wasi, args, WASI_RIGHT_PATH_FILESTAT_SET_TIMES, &fd);
		r = found != WASI_SUCCESS ? found : r;
	}
	if (r != WASI_SUCCESS)
		return r;
	return syscall(SYS_utimensat, fd, "", times, AT_EMPTY_PATH) < 0 ? wasi_errno_of(errno)
									: WASI_SUCCESS;
}
