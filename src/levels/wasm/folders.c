/* SPDX-License-Identifier: Apache-2.0 */
/* folders.c - the engine's side of workspace and mounts; folders.h tells the whole */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "levels/folders/mapping.h"
#include "levels/folders/mounts.h"
#include "levels/wasm/wasm.h"

#define SAFE (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

void wasm_folders_init(struct wasm_folders *folders, const struct policy *policy)
{
	memset(folders, 0, sizeof(*folders));
	attach_init(&folders->attach);
	folders->policy = policy;
	folders->is_rootless = geteuid() != 0;
	folders->null_fd = folders->child_sync_fd = folders->helper_fd = -1;
	folders->attach.sync_fd = -1;
	if (policy->workspace.path[0])
		folders->items[folders->n_items++] =
			(struct wasm_folder){ .target = VIEW_TARGET,
					      .source = policy->workspace.path,
					      .field = "workspace.path",
					      .access = policy->workspace.access,
					      .is_workspace = true,
					      .tree_fd = -1 };
	for (size_t i = 0; i < policy->n_mounts; i++) {
		const struct policy_mount *mount = &policy->mounts[i];
		bool is_tmpfs = mount->access == POLICY_ACCESS_TMPFS;
		folders->items[folders->n_items++] =
			(struct wasm_folder){ .target = mount->target,
					      .source = is_tmpfs ? NULL : mount->source,
					      .field = "mounts",
					      .access = mount->access,
					      .size_bytes = mount->size_bytes,
					      .tree_fd = -1 };
	}
}

void wasm_folders_fini(struct wasm_folders *folders)
{
	attach_fini(&folders->attach);
	for (size_t i = 0; i < folders->n_items; i++)
		fd_close(&folders->items[i].tree_fd);
	fd_close(&folders->null_fd);
	fd_close(&folders->child_sync_fd);
	fd_close(&folders->attach.sync_fd);
}

static int fail(const struct wasm_folder *folder, int errnum, struct error *err)
{
	bool is_missing = errnum == ENOENT || errnum == ENOTDIR;
	int r = error_set(err, is_missing ? ERR_NOT_FOUND : ERR_SYSTEM, errnum, folder->field,
			  "'%s' cannot be shown to the sandbox", folder->source);
	return error_remedy(err, r, "name an existing folder of this machine");
}

/* A module finds what it has by folders: WASI has no way to be given a file by its name. */
static int check_folder(const struct wasm_folder *folder, struct stat *ret, struct error *err)
{
	auto_fd int fd = openat(AT_FDCWD, folder->source, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, ret) < 0)
		return fail(folder, errno, err);
	if (S_ISDIR(ret->st_mode))
		return 0;
	int r = error_set(err, ERR_UNSUPPORTED, 0, folder->field,
			  "'%s' is no folder, and level 'wasm' shows folders only", folder->source);
	return error_remedy(err, r, "name the folder that it lies in, or use level: process");
}

/* Its owner is foso-wasm's id inside; where a file system cannot map ids, others' bits decide. */
static void map_owner(struct wasm_folders *folders, int tree, const struct stat *status,
		      unsigned uid)
{
	struct attach *attach = &folders->attach;
	int mapping_fd = mapping_make(status->st_uid, status->st_gid, uid, uid);
	int r = mapping_fd < 0 ? mapping_fd : mapping_apply(tree, mapping_fd);
	if (mapping_fd >= 0)
		close(mapping_fd);
	if (r < 0 && attach->n_notes < ARRAY_LEN(attach->notes))
		attach->notes[attach->n_notes++] =
			"mounts: a file system cannot map ids; owners are nobody's inside";
}

static int open_source(struct wasm_folders *folders, struct wasm_folder *folder, unsigned uid,
		       struct error *err)
{
	unsigned attributes = SAFE | (folder->access == POLICY_ACCESS_RW ? 0 : MOUNT_ATTR_RDONLY);
	struct stat status;
	int r = check_folder(folder, &status, err);
	if (r < 0 || folders->is_rootless)
		return r;
	auto_fd int tree = mounts_clone(AT_FDCWD, folder->source, true);
	if (tree < 0 || (r = mounts_restrict(tree, attributes, true)) < 0)
		return fail(folder, tree < 0 ? -tree : -r, err);
	map_owner(folders, tree, &status, uid);
	folder->tree_fd = take_fd(&tree);
	return 0;
}

int wasm_folders_open(struct wasm_folders *folders, unsigned uid, struct error *err)
{
	int sockets[2], r = 0;
	for (size_t i = 0; i < folders->n_items && r == 0; i++) {
		if (folders->items[i].source)
			r = open_source(folders, &folders->items[i], uid, err);
	}
	if (r < 0 || folders->n_items == 0)
		return r;
	folders->null_fd = openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
	if (folders->null_fd < 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0) {
		r = error_set(err, ERR_SYSTEM, errno, "sandbox", "no socket to the child");
		return error_remedy(err, r, "raise the limit of open files");
	}
	folders->attach.sync_fd = sockets[0];
	folders->child_sync_fd = sockets[1];
	return 0;
}

int wasm_folders_send(struct wasm_folders *folders, const char *id, pid_t pid, int pidfd,
		      struct error *err)
{
	struct attach *attach = &folders->attach;
	fd_close(&folders->child_sync_fd);
	for (size_t i = 0; i < folders->n_items; i++)
		fd_close(&folders->items[i].tree_fd);
	if (folders->n_items == 0)
		return 0;
	attach->policy = folders->policy;
	attach->is_rootless = folders->is_rootless;
	attach->inner_uid = WASM_INNER_ID;
	attach->pid = pid;
	attach->pidfd = pidfd;
	attach->null_fd = folders->null_fd;
	int r = attach_open(id, attach, err);
	return r < 0 ? r : attach_send(attach, err);
}

int wasm_folders_finish(struct wasm_folders *folders, struct error *err)
{
	return folders->n_items == 0 ? 0 : attach_finish(&folders->attach, err);
}

size_t wasm_folders_count(const struct wasm_folders *folders)
{
	return folders->n_items + (folders->policy->workspace.path[0] ? 1 : 0);
}

/*
 * The workspace has two names: its own, and "/", from which the C library of modules counts a path
 * that begins nowhere, as a command at another level begins in its workspace.
 */
void wasm_folders_configure(struct wasm_folders *folders, char *names[WASM_MAX_FOLDERS],
			    struct wasm_configure *ret)
{
	static char top[] = "/";
	const struct policy_limits *limits = &folders->policy->limits;
	size_t n = 0;
	for (size_t i = 0; i < folders->n_items; i++) {
		const struct wasm_folder *folder = &folders->items[i];
		for (int name = 0; name < (folder->is_workspace ? 2 : 1); name++) {
			ret->is_read_only[n] = folder->access == POLICY_ACCESS_RO;
			names[n++] = name == 0 ? (char *)(uintptr_t)folder->target : top;
		}
	}
	ret->folders = (struct policy_list){ names, n };
	ret->disk_bytes = limits->disk_bytes;
	ret->disk_inodes = limits->disk_inodes;
	ret->file_size_bytes = limits->file_size_bytes;
	ret->files = limits->files;
}
