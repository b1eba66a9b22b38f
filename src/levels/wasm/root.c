/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root.c - a root file system that holds the granted folders and nothing else; runs in the child
 *
 * The scratch is a file system in memory that nobody sees: what is written to a folder with access
 * "overlay" or "tmpfs" lies there, so its size is limits.disk.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "confine/confine.h"
#include "levels/folders/mounts.h"
#include "levels/wasm/folders.h"

#define SAFE               (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)
#define SCRATCH_OWN_BYTES  (1024 * 1024)
#define SCRATCH_OWN_INODES 1024

struct root {
	struct wasm_folders *folders;
	int scratch_fd, root_fd;
	struct wasm_failed *failed;
};

static int fail(struct root *root, const char *subject, const char *what, int errnum)
{
	struct wasm_failed *failed = root->failed;
	(void)snprintf(failed->subject, sizeof(failed->subject), "%s", subject);
	(void)snprintf(failed->message, sizeof(failed->message),
		       "'%.180s' cannot be shown to the sandbox (errno %d)", what,
		       errnum < 0 ? -errnum : errnum);
	(void)snprintf(failed->remedy, sizeof(failed->remedy),
		       "name an existing folder of this machine; see foso doctor");
	return -1;
}

/* What the run may write of it, and what the folders themselves take. */
static void bound(uint64_t limit, uint64_t own, char text[32])
{
	uint64_t whole = limit > UINT64_MAX - own ? 0 : limit + own;
	if (limit == POLICY_UNLIMITED)
		whole = 0; /* Half of the memory is what tmpfs then takes. */
	(void)snprintf(text, 32, "%llu", (unsigned long long)whole);
}

static int make_scratch(struct root *root)
{
	const struct policy_limits *limits = &root->folders->policy->limits;
	char size[32], inodes[32];
	bound(limits->disk_bytes, SCRATCH_OWN_BYTES, size);
	bound(limits->disk_inodes, SCRATCH_OWN_INODES, inodes);
	const struct mount_option options[] = {
		{ "source", "foso" },
		{ "mode", "0755" },
		{ "size", size },
		{ "nr_inodes", inodes },
	};
	root->scratch_fd = mounts_make("tmpfs", options, ARRAY_LEN(options), SAFE);
	return root->scratch_fd < 0 ? fail(root, "level 'wasm'", "/", root->scratch_fd) : 0;
}

/* Started by an ordinary user: opened by path, in the child's own namespace, with his rights. */
static int open_trees(struct root *root)
{
	struct wasm_folders *folders = root->folders;
	for (size_t i = 0; i < folders->n_items; i++) {
		struct wasm_folder *folder = &folders->items[i];
		unsigned attributes =
			SAFE | (folder->access == POLICY_ACCESS_RW ? 0 : MOUNT_ATTR_RDONLY);
		if (!folder->source || folder->tree_fd >= 0)
			continue;
		folder->tree_fd = mounts_clone(AT_FDCWD, folder->source, true);
		int r = folder->tree_fd < 0 ? folder->tree_fd
					    : mounts_restrict(folder->tree_fd, attributes, true);
		if (r < 0)
			return fail(root, folder->field, folder->source, r);
	}
	return 0;
}

/* Returns 0 or an errno. */
static int mount_one(const struct root *root, size_t index)
{
	const struct wasm_folders *folders = root->folders;
	const struct wasm_folder *folder = &folders->items[index];
	const struct view_setup setup = { folders->policy, folders->is_rootless,
					  folders->child_sync_fd };
	auto_fd int made = -1;
	if (folder->is_workspace)
		return view_mount(&setup, root->root_fd, root->scratch_fd, folder->tree_fd);
	if (!folder->source)
		made = mounts_make_tmpfs(root->scratch_fd, index, folder->size_bytes);
	else if (folder->access == POLICY_ACCESS_OVERLAY)
		made = mounts_make_overlay(root->scratch_fd, index, folder->tree_fd);
	else
		made = fcntl(folder->tree_fd, F_DUPFD_CLOEXEC, 3);
	if (made < 0)
		return -made;
	auto_fd int target = mounts_target(root->root_fd, folder->target, true);
	return target < 0 ? -target : -mounts_attach(made, target, "");
}

static int mount_all(struct root *root)
{
	const struct wasm_folders *folders = root->folders;
	for (size_t i = 0; i < folders->n_items; i++) {
		const struct wasm_folder *folder = &folders->items[i];
		int r = mount_one(root, i);
		if (r != 0)
			return fail(root, folder->field,
				    folder->source ? folder->source : folder->target, r);
	}
	return 0;
}

static int open_at(struct root *root, const struct wasm_folder *folder, int *ret_fd)
{
	auto_fd int fd = openat(root->root_fd, folder->target + 1,
				O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	*ret_fd = fd < 0 ? -1 : fcntl(fd, F_DUPFD_CLOEXEC, WASM_OUT_OF_WAY);
	return *ret_fd < 0 ? fail(root, folder->field,
				  folder->source ? folder->source : folder->target, errno)
			   : 0;
}

/* In the order of wasm_folders_configure(). */
static int open_folders(struct root *root)
{
	struct wasm_folders *folders = root->folders;
	int *at = folders->opened_fds, r = 0;
	for (size_t i = 0; i < folders->n_items && r == 0; i++) {
		const struct wasm_folder *folder = &folders->items[i];
		r = open_at(root, folder, at++);
		if (r == 0 && folder->is_workspace)
			r = open_at(root, folder, at++);
	}
	return r;
}

/*
 * Mounts above a folder that was bound before, or below one, would show it under another name, so
 * all is attached before the root is made.
 */
static int build(struct root *root)
{
	struct mount_attr private = { .propagation = MS_PRIVATE };
	(void)umask(0); /* Modes are what is written here, whoever calls. */
	/*
	 * Root's id outside is none in here, and what is made needs an owner.  Only of files: the
	 * rights in this namespace stay what they are until all are given up.
	 */
	if (!root->folders->is_rootless) {
		(void)syscall(SYS_setfsgid, 0);
		(void)syscall(SYS_setfsuid, 0);
	}
	if (sys_mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &private) < 0)
		return fail(root, "level 'wasm'", "/", errno);
	if (make_scratch(root) < 0 || open_trees(root) < 0)
		return -1;
	/* It has to be attached somewhere to be mounted from; /sys is never needed here. */
	int r = mounts_attach(root->scratch_fd, AT_FDCWD, "/sys");
	if (r == 0)
		r = -mounts_mkdir(root->scratch_fd, "root", 0755);
	if (r == 0)
		r = root->root_fd = mounts_clone(root->scratch_fd, "root", false);
	if (r >= 0)
		r = mounts_attach(root->root_fd, root->scratch_fd, "root");
	if (r < 0)
		return fail(root, "level 'wasm'", "/", r);
	return mount_all(root) < 0 ? -1 : open_folders(root);
}

/* Whoever shares this namespace, and had the old root, has the new one afterwards. */
static int enter(int root_fd)
{
	auto_fd int old_root_fd = openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (old_root_fd < 0 || fchdir(root_fd) < 0 || sys_pivot_root(".", ".") < 0)
		return errno;
	/* The old root lies on top of the new one now, but "." is still below it. */
	if (fchdir(old_root_fd) < 0 || sys_umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return errno;
	return -mounts_restrict(root_fd, SAFE | MOUNT_ATTR_RDONLY | MOUNT_ATTR_NOEXEC, false);
}

/* Root's ids and groups came along through the clone; the namespace's own have its rights too. */
static int become_inner_root(void)
{
	if (syscall(SYS_setgroups, 0, NULL) < 0 || syscall(SYS_setresgid, 0, 0, 0) < 0 ||
	    syscall(SYS_setresuid, 0, 0, 0) < 0)
		return errno;
	return 0;
}

static _Noreturn void helper_main(const struct root *root, int socket_fd, pid_t parent)
{
	char byte = 0;
	ssize_t n;
	int root_fd = root->root_fd;
	if (!root->folders->is_rootless && become_inner_root() != 0)
		_exit(1);
	/* Changing ids forgets the first. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_DUMPABLE, 0);
	if (getppid() != parent || confine_no_new_privs() != 0)
		_exit(1);
	/* Everything but these two: above all the channel, whose end is awaited. */
	if (dup3(root_fd, 0, O_CLOEXEC) < 0 || dup3(socket_fd, 1, O_CLOEXEC) < 0 ||
	    confine_close_fds(2) != 0)
		_exit(1);
	do
		n = read(1, &byte, 1);
	while (n < 0 && errno == EINTR);
	if (n != 1 || enter(0) != 0)
		_exit(1);
	_exit(write(1, &byte, 1) == 1 ? 0 : 1);
}

int wasm_root_build(struct wasm_folders *folders, struct wasm_failed *failed)
{
	struct root root = { folders, -1, -1, failed };
	int sockets[2];
	if (build(&root) < 0)
		return -1;
	pid_t parent = getpid();
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return fail(&root, "level 'wasm'", "/", errno);
	pid_t pid = fork();
	if (pid == 0)
		helper_main(&root, sockets[1], parent);
	int errnum = errno;
	close(sockets[1]);
	folders->helper_fd = fcntl(sockets[0], F_DUPFD_CLOEXEC, WASM_OUT_OF_WAY);
	if (pid >= 0 && folders->helper_fd < 0)
		return fail(&root, "level 'wasm'", "/", errno);
	return pid < 0 ? fail(&root, "level 'wasm'", "/", errnum) : 0;
}
