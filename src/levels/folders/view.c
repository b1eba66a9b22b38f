/* SPDX-License-Identifier: Apache-2.0 */
/*
 * view.c - the workspace as the sandbox sees it, mounted by the child
 *
 * What is needed for it lies in the scratch, outside of the root: the folder, the tree of the
 * change set, and a file system in memory for the masks, whose size is not limits.disk's.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/syscalls.h"
#include "levels/folders/attach.h"
#include "levels/folders/mounts.h"
#include "levels/folders/view_masks.h"

#define SAFE (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

struct view {
	const struct view_setup *setup;
	struct view_order order;
	int root_fd, scratch_fd, source_fd;
	int tree_fd;                  /* of the change set */
	int masks_fd, masks_mount_fd; /* the list; where they lie */
	struct buf list;              /* mapped, borrowed */
	struct view_masks masks;
};

/* A message of the engine; it dies with it. */
static int recv_order(struct view *view)
{
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * 2)];
	} control;
	struct iovec part = { .iov_base = &view->order, .iov_len = sizeof(view->order) };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	int fds[2];
	size_t n_fds = 0, at = 0;
	ssize_t n = recvmsg(view->setup->sync_fd, &message, MSG_CMSG_CLOEXEC);
	if (n != sizeof(view->order))
		_exit(1); /* The engine failed, and has said so. */
	if (CMSG_FIRSTHDR(&message)) {
		n_fds = (control.align.cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(fds, CMSG_DATA(&control.align), MIN(n_fds, (size_t)2) * sizeof(int));
	}
	if (n_fds != (size_t)view->order.has_changes + view->order.has_masks)
		return EPROTO;
	if (view->order.has_changes)
		view->tree_fd = fds[at++];
	if (view->order.has_masks)
		view->masks_fd = fds[at];
	return 0;
}

static int map_list(struct view *view)
{
	struct stat status;
	if (fstat(view->masks_fd, &status) < 0)
		return errno;
	void *bytes = mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, view->masks_fd, 0);
	if (bytes == MAP_FAILED)
		return errno;
	view->list = (struct buf){ .data = bytes,
				   .len = (size_t)status.st_size,
				   .size = (size_t)status.st_size,
				   .max_bytes = (size_t)status.st_size,
				   .is_borrowed = true };
	return 0;
}

static int make_masks(struct view *view)
{
	const struct mount_option options[] = { { "source", "foso" }, { "mode", "0755" } };
	int r = map_list(view);
	if (r != 0 || (r = mounts_mkdir(view->scratch_fd, "masks", 0755)) != 0)
		return r;
	view->masks_mount_fd = mounts_make("tmpfs", options, ARRAY_LEN(options), SAFE);
	if (view->masks_mount_fd < 0)
		return -view->masks_mount_fd;
	if ((r = mounts_attach(view->masks_mount_fd, view->scratch_fd, "masks")) < 0)
		return -r;
	bool covers = view->setup->policy->workspace.access == POLICY_ACCESS_RW;
	return covers ? view_masks_flat(&view->masks, view->masks_mount_fd, &view->list)
		      : view_masks_build(&view->masks, view->masks_mount_fd, view->source_fd,
					 &view->list);
}

/* An ordinary user's child has no use for mounts of the caller, but finds the same folder. */
static int attach_tree(struct view *view)
{
	char path[4096];
	auto_fd int clone = -1;
	int r = mounts_mkdir(view->scratch_fd, "kept", 0755);
	if (r != 0)
		return r;
	if (view->setup->is_rootless) {
		ssize_t len = fd_path(view->tree_fd, path, sizeof(path));
		if (len < 0)
			return (int)-len;
		clone = mounts_clone(AT_FDCWD, path, false);
		if (clone < 0 || (r = mounts_restrict(clone, SAFE, false)) < 0)
			return clone < 0 ? -clone : -r;
	}
	return -mounts_attach(clone >= 0 ? clone : view->tree_fd, view->scratch_fd, "kept");
}

/* Uppermost first; relative to the scratch. */
static void list_layers(const struct view *view, char *text, size_t size)
{
	(void)snprintf(text, size, "%s%s%s", view->order.has_masks ? "masks/above:" : "",
		       view->order.has_masks && view->masks.has_below ? "masks/below:" : "",
		       "folder");
}

/* Returns a descriptor or -errno. */
static int make_overlay(struct view *view)
{
	char lower[64];
	int r = mounts_mkdir(view->scratch_fd, "folder", 0755);
	if (r != 0)
		return -r;
	if ((r = mounts_attach(view->source_fd, view->scratch_fd, "folder")) < 0)
		return r;
	if (view->order.has_changes && (r = attach_tree(view)) != 0)
		return -r;
	if (fchdir(view->scratch_fd) < 0)
		return -errno;
	list_layers(view, lower, sizeof(lower));
	const struct mount_option options[] = {
		{ "source", "foso" },
		{ "lowerdir", lower },
		{ "userxattr", NULL },
		/* What a file is counted as tells late.c where it comes from. */
		{ "xino", "off" },
		{ "upperdir", "kept/upper" },
		{ "workdir", "kept/work" },
	};
	bool is_written = view->order.has_changes;
	return mounts_make("overlay", options, ARRAY_LEN(options) - (is_written ? 0 : 2),
			   SAFE | (is_written ? 0 : MOUNT_ATTR_RDONLY));
}

/* Known only from a file that was made in it, which leaves no trace. */
static uint64_t find_own_device(int made_fd)
{
	static const char name[] = ".foso-probe";
	struct stat status, folder;
	uint64_t device = 0;
	if (fstat(made_fd, &folder) < 0)
		return 0;
	auto_fd int fd =
		openat(made_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return 0;
	if (fstat(fd, &status) == 0)
		device = status.st_dev;
	const struct timespec times[] = { folder.st_atim, folder.st_mtim };
	if (unlinkat(made_fd, name, 0) < 0 || utimensat(made_fd, ".", times, 0) < 0)
		return 0;
	return device;
}

/* So that the engine can have the kernel ask about what is opened in it. */
static int send_view(const struct view *view, int made_fd)
{
	struct view_devices devices = {
		.mask = view_masks_device(&view->masks, made_fd, &view->list),
		.own = view->order.has_changes ? find_own_device(made_fd) : 0,
	};
	struct iovec part = { .iov_base = &devices, .iov_len = sizeof(devices) };
	auto_fd int fd = openat(made_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? errno : fd_send(view->setup->sync_fd, &part, 1, &fd, 1);
}

/* What was walked over and what is shown must be one thing, whoever moves folders meanwhile. */
static int check_source(const struct view *view, bool *ret_is_folder)
{
	struct stat status;
	if (fstat(view->source_fd, &status) < 0)
		return errno;
	*ret_is_folder = S_ISDIR(status.st_mode);
	return status.st_dev == view->order.dev && status.st_ino == view->order.inode ? 0 : ESTALE;
}

static int mount_view(struct view *view)
{
	bool is_folder = false;
	int checked = check_source(view, &is_folder);
	if (checked != 0)
		return checked;
	bool is_rw = view->setup->policy->workspace.access == POLICY_ACCESS_RW;
	bool is_overlay = view->order.has_changes || (view->order.has_masks && !is_rw);
	int r = view->order.has_masks ? make_masks(view) : 0;
	if (r != 0)
		return r;
	auto_fd int made =
		is_overlay ? make_overlay(view) : fcntl(view->source_fd, F_DUPFD_CLOEXEC, 3);
	if (made < 0)
		return is_overlay ? -made : errno;
	auto_fd int target = mounts_target(view->root_fd, VIEW_TARGET, is_folder);
	if (target < 0)
		return -target;
	if ((r = mounts_attach(made, target, "")) < 0)
		return -r;
	if (view->order.has_masks && is_rw)
		r = view_masks_cover(&view->masks, made, &view->list);
	return r == 0 && view->order.is_watched ? send_view(view, made) : r;
}

int view_mount(const struct view_setup *setup, int root_fd, int scratch_fd, int source_fd)
{
	struct view view = {
		.setup = setup,
		.root_fd = root_fd,
		.scratch_fd = scratch_fd,
		.source_fd = source_fd,
		.tree_fd = -1,
		.masks_fd = -1,
		.masks_mount_fd = -1,
	};
	int r = recv_order(&view);
	if (r == 0)
		r = mount_view(&view);
	fd_close(&view.tree_fd);
	fd_close(&view.masks_fd);
	fd_close(&view.masks_mount_fd);
	return r;
}
