/* SPDX-License-Identifier: Apache-2.0 */
/* usage.c - what of a change set's quota is in use, and how much of it is a change */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "workspace/private.h"
#include "workspace/walk.h"

#define MAX_ENTRIES (UINT64_C(4) << 20)

struct count {
	struct changes_usage *usage;
	int lower_fd;
	bool counts_blocks;
};

/*
 * A folder that the overlay copied up says where it came from; one that was made inside does not,
 * and one that took the place of another is opaque.  The xattrs can be forged by nobody: an
 * overlay keeps that prefix to itself.
 */
static bool was_passed_through(int fd)
{
	char value[256];
	if (fgetxattr(fd, "user.overlay.opaque", value, sizeof(value)) > 0)
		return false;
	return fgetxattr(fd, "user.overlay.origin", value, sizeof(value)) >= 0 || errno == ERANGE;
}

/* The mode of the host's folder; what is not there any more was changed by somebody. */
static bool has_host_mode(int lower_fd, const char *path, mode_t mode)
{
	struct open_how how = {
		.flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
	};
	struct stat status;
	if (lower_fd < 0)
		return true;
	/* Too deep for one call: then it is taken for unchanged, as the files in it tell. */
	auto_fd int fd = sys_openat2(lower_fd, path, &how);
	if (fd < 0)
		return errno == ENAMETOOLONG;
	return fstat(fd, &status) == 0 && (status.st_mode & 07777) == (mode & 07777);
}

static bool is_change(const struct count *count, const struct walk_entry *entry)
{
	struct stat status;
	if (entry->type != DT_DIR)
		return true;
	auto_fd int fd =
		openat(entry->dir_fd, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0 || !was_passed_through(fd))
		return true;
	return !has_host_mode(count->lower_fd, entry->path, status.st_mode);
}

static int count_entry(const struct walk_entry *entry, void *context)
{
	struct count *count = context;
	struct stat status;
	count->usage->n_changed += is_change(count, entry);
	if (count->counts_blocks) {
		count->usage->inodes++;
		if (fstatat(entry->dir_fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) == 0)
			count->usage->bytes += (uint64_t)status.st_blocks * 512;
	}
	return entry->type == DT_DIR ? WALK_DESCEND : 0;
}

static void read_disk(const struct changes *changes, struct changes_usage *usage)
{
	struct statfs space;
	if (fstatfs(changes->tree_fd, &space) < 0)
		return;
	uint64_t n_free = (uint64_t)space.f_bavail * (uint64_t)space.f_bsize;
	usage->bytes = changes->record.disk_bytes - MIN(changes->record.disk_bytes, n_free);
	usage->inodes = changes->record.disk_inodes -
			MIN(changes->record.disk_inodes, (uint64_t)space.f_ffree);
}

void changes_usage_read(const struct changes *changes, int lower_fd, struct changes_usage *ret)
{
	const struct walk_options options = {
		.max_entries = MAX_ENTRIES,
		.wants_paths = true,
		.found = count_entry,
	};
	struct count count = {
		.usage = ret,
		.lower_fd = lower_fd,
		.counts_blocks = changes->record.mechanism == CHANGES_FOLDER,
	};
	*ret = (struct changes_usage){ 0 };
	auto_fd int fd = openat(changes->upper_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	ret->is_whole = fd >= 0 && walk(fd, &options, &count) == 0;
	if (changes->record.mechanism == CHANGES_DISK)
		read_disk(changes, ret);
}
