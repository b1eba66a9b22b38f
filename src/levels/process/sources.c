/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sources.c - the host folders and files that a policy shows to the sandbox
 *
 * Started by root, the engine opens them, since the child has no rights on the host: as detached
 * mounts, which are handed over by descriptor.  Their owners are mapped: the owner of the source
 * is the user of the sandbox inside (an id-mapped mount), so files are neither nobody's inside
 * nor some odd number's outside.  Started by an ordinary user, the child opens them itself: it
 * has the same rights on files as the caller, and mounts of another namespace are closed to it.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/shmem.h"
#include "base/syscalls.h"
#include "base/text.h"
#include "levels/folders/mapping.h"
#include "levels/process/root.h"

#define SAFE (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

struct source {
	const char *path; /* NULL: fd has it, or for tmpfs */
	const char *target;
	const char *field;
	enum policy_access access;
	uint64_t size_bytes;
	bool is_root;
	bool is_tmpfs, is_workspace;
	int fd;           /* -1: path has it */
	const char *name; /* of what fd is */
};

/* root: host needs none; of other roots the tree or the layers, and where changes are kept. */
size_t process_sources_of_root(const struct process_setup *setup)
{
	enum policy_root root = setup->policy->root;
	if (root != POLICY_ROOT_DIR && root != POLICY_ROOT_IMAGE)
		return 0;
	return setup->changes_fd >= 0 ? 2 : 1;
}

size_t process_sources_count(const struct process_setup *setup)
{
	size_t n_workspace = setup->policy->workspace.path[0] ? 1 : 0;
	return process_sources_of_root(setup) + n_workspace + setup->policy->n_mounts;
}

static struct source get_root_source(const struct process_setup *setup, size_t index)
{
	struct source source = {
		.target = "/", .field = "root", .is_root = true, .fd = -1, .name = "layers"
	};
	if (index == 1) {
		source.fd = setup->changes_fd;
		source.name = "changes";
		source.access = POLICY_ACCESS_RW;
	} else {
		source.path = setup->image ? NULL : setup->policy->root_path;
		source.fd = setup->image ? setup->image->layers_fd : -1;
		source.access = POLICY_ACCESS_RO;
	}
	return source;
}

static struct source get_source(const struct process_setup *setup, size_t index)
{
	const struct policy *policy = setup->policy;
	size_t n_root = process_sources_of_root(setup);
	if (index < n_root)
		return get_root_source(setup, index);
	index -= n_root;
	if (policy->workspace.path[0] && index-- == 0)
		return (struct source){ .path = policy->workspace.path,
					.target = "/workspace",
					.field = "workspace.path",
					.access = policy->workspace.access,
					.is_workspace = true,
					.fd = -1 };
	const struct policy_mount *mount = &policy->mounts[index];
	bool is_tmpfs = mount->access == POLICY_ACCESS_TMPFS;
	return (struct source){ .path = is_tmpfs ? NULL : mount->source,
				.target = mount->target,
				.field = "mounts",
				.access = mount->access,
				.size_bytes = mount->size_bytes,
				.is_tmpfs = is_tmpfs,
				.fd = -1 };
}

/*
 * An overlay marks a folder that replaces another by an attribute user.*, which memory keeps
 * since Linux 6.6 only.  Without it such a folder cannot be removed: the command gets EIO.
 */
void process_note_attributes(struct process *process)
{
	if (process_sources_of_root(&process->setup) != 1 ||
	    process->n_notes == ARRAY_LEN(process->notes))
		return;
	if (!shmem_has_attributes())
		process->notes[process->n_notes++] =
			"root: this kernel's memory keeps no attributes (Linux 6.6 does): a folder of the root that is not empty cannot be removed or renamed";
}

const char *process_source_target(const struct process_setup *setup, size_t index)
{
	return get_source(setup, index).target;
}

/* The id inside that the command will have, as far as it is known before the root is entered. */
uid_t process_inner_user(const struct policy *policy)
{
	static const struct {
		const char *name;
		uid_t uid;
	} names[] = { { "root", 0 }, { "user", PROCESS_DEFAULT_USER }, { "nobody", 65534 } };
	char name[64];
	uint64_t uid;
	(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(policy->user, ":"), policy->user);
	if (text_parse_u64(name, &uid) && uid < PROCESS_N_UIDS)
		return (uid_t)uid;
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		if (strcmp(names[i].name, name) == 0)
			return names[i].uid;
	}
	return policy->root == POLICY_ROOT_HOST ? PROCESS_DEFAULT_USER : 0;
}

/* Maps the owners of @tree; where its file system cannot, that is noted and others' bits decide. */
static void map_owners(struct process *process, const struct source *source, int tree)
{
	const struct process_setup *setup = &process->setup;
	struct stat status;
	char path[64];
	int mapping_fd;
	if (source->is_root) {
		(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)process->pid);
		mapping_fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	} else if (fstat(tree, &status) == 0) {
		uid_t inner = setup->base_uid + process_inner_user(setup->policy);
		mapping_fd = mapping_make(status.st_uid, status.st_gid, inner, inner);
	} else {
		mapping_fd = -1;
	}
	int r = mapping_fd < 0 ? mapping_fd : mapping_apply(tree, mapping_fd);
	if (mapping_fd >= 0)
		close(mapping_fd);
	if (r < 0 && process->n_notes < ARRAY_LEN(process->notes))
		process->notes[process->n_notes++] =
			source->is_root
				? "root: the file system cannot map ids; owners show as nobody"
				: "mounts: a file system cannot map ids; owners show as nobody";
}

static int clone_path(const struct policy *policy, const char *path)
{
	auto_fd int fd = process_source_open(policy, path);
	return fd < 0 ? fd : mounts_clone(fd, "", true);
}

/* Before Linux 6.15 a mount that was never attached cannot be cloned, so it is used itself. */
static int clone_source(const struct policy *policy, const struct source *source)
{
	int tree = source->fd >= 0 ? mounts_clone(source->fd, "", false)
				   : clone_path(policy, source->path);
	if (tree != -EINVAL || source->fd < 0)
		return tree;
	tree = fcntl(source->fd, F_DUPFD_CLOEXEC, 3);
	return tree < 0 ? -errno : tree;
}

static int refuse_way_out(const struct source *source, struct error *err)
{
	int r = error_set(err, ERR_DENIED, 0, source->field,
			  "'%s' leads out of a folder that the sandbox may write", source->path);
	return error_remedy(err, r, "remove the link, or name the place that it leads to");
}

static int open_source(struct process *process, const struct source *source, struct error *err)
{
	unsigned attributes = SAFE | (source->access == POLICY_ACCESS_RW ? 0 : MOUNT_ATTR_RDONLY);
	auto_fd int tree = clone_source(process->setup.policy, source);
	int r = tree < 0 ? tree : mounts_restrict(tree, attributes, true);
	if (r == -EXDEV)
		return refuse_way_out(source, err);
	if (r < 0) {
		r = error_set(err, -r == ENOENT || -r == ENOTDIR ? ERR_NOT_FOUND : ERR_SYSTEM, -r,
			      source->field, "'%s' cannot be shown to the sandbox",
			      source->path ? source->path : source->name);
		return error_remedy(err, r, "name an existing folder or file of this machine");
	}
	map_owners(process, source, tree);
	return take_fd(&tree);
}

int process_sources_refuse_way_out(const struct process_setup *setup, struct error *err)
{
	size_t count = process_sources_count(setup);
	for (size_t i = 0; i < count; i++) {
		struct source source = get_source(setup, i);
		auto_fd int fd = source.path ? process_source_open(setup->policy, source.path) : -1;
		if (fd == -EXDEV)
			return refuse_way_out(&source, err);
	}
	return 0;
}

int process_sources_send(struct process *process, struct error *err)
{
	const struct process_setup *setup = &process->setup;
	int fds[PROCESS_MAX_SOURCES];
	size_t n_fds = 0, count = process_sources_count(setup);
	int r = 0;
	if (count == 0 || setup->is_rootless)
		return 0;
	for (size_t i = 0; i < count && r >= 0; i++) {
		struct source source = get_source(setup, i);
		if (source.is_tmpfs)
			continue;
		r = open_source(process, &source, err);
		if (r >= 0)
			fds[n_fds++] = r;
	}
	if (r >= 0) {
		char byte = 's';
		struct iovec part = { .iov_base = &byte, .iov_len = 1 };
		int errnum = fd_send(process->sync_fd, &part, 1, fds, n_fds);
		r = 0;
		if (errnum != 0) {
			r = error_set(err, ERR_SYSTEM, errnum, "mounts",
				      "cannot be handed to the sandbox");
			r = error_remedy(err, r, "use fewer mounts");
		}
	}
	for (size_t i = 0; i < n_fds; i++)
		close(fds[i]);
	return r;
}

/* The caller's mounts are closed to the child, but its own copies of them are at the same place. */
static int clone_in_child(const struct policy *policy, const struct source *source)
{
	char path[4096];
	if (source->fd < 0)
		return clone_path(policy, source->path);
	ssize_t len = fd_path(source->fd, path, sizeof(path));
	return len < 0 ? (int)len : mounts_clone(AT_FDCWD, path, true);
}

/* The child's side, started by an ordinary user: opened by path, in the child's own namespace. */
static int open_in_child(const struct process_setup *setup, int *fds, size_t count,
			 struct process_step *step)
{
	for (size_t i = 0; i < count; i++) {
		struct source source = get_source(setup, i);
		unsigned attributes =
			SAFE | (source.access == POLICY_ACCESS_RW ? 0 : MOUNT_ATTR_RDONLY);
		fds[i] = -1;
		if (source.is_tmpfs)
			continue;
		fds[i] = clone_in_child(setup->policy, &source);
		int r = fds[i] < 0 ? fds[i] : mounts_restrict(fds[i], attributes, true);
		if (r < 0)
			return root_fail(step, source.is_root ? STAGE_ROOT : STAGE_MOUNT,
					 source.path ? source.path : source.name, r);
	}
	return 0;
}

int process_sources_recv(const struct process_setup *setup, int *fds, size_t *ret_n_fds,
			 struct process_step *step)
{
	int received[PROCESS_MAX_SOURCES];
	size_t n_received = 0, count = process_sources_count(setup);
	char byte;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int) * PROCESS_MAX_SOURCES)];
	} control;
	struct iovec part = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	*ret_n_fds = count;
	if (setup->is_rootless)
		return open_in_child(setup, fds, count, step);
	ssize_t n = recvmsg(setup->sync_fd, &message, MSG_CMSG_CLOEXEC);
	if (n <= 0)
		_exit(1); /* The engine failed, and has said so. */
	if (CMSG_FIRSTHDR(&message)) {
		n_received = (control.align.cmsg_len - CMSG_LEN(0)) / sizeof(int);
		memcpy(received, CMSG_DATA(&control.align), n_received * sizeof(int));
	}
	for (size_t i = 0, at = 0; i < count; i++) {
		bool has_fd = !get_source(setup, i).is_tmpfs;
		if (has_fd && at == n_received)
			return root_fail(step, STAGE_MOUNT, "", EPROTO);
		fds[i] = has_fd ? received[at++] : -1;
	}
	return 0;
}

int root_mount_one(const struct process_setup *setup, int root_fd, int scratch_fd, size_t index,
		   int source_fd)
{

	struct source source = get_source(setup, index);
	struct stat status = { .st_mode = S_IFDIR };
	auto_fd int made = -1;
	if (source.is_workspace)
		return view_mount(&(struct view_setup){ setup->policy, setup->is_rootless,
							setup->sync_fd },
				  root_fd, scratch_fd, source_fd);
	if (source.is_tmpfs)
		made = mounts_make_tmpfs(scratch_fd, index, source.size_bytes);
	else if (fstat(source_fd, &status) < 0)
		return errno;
	else if (source.access == POLICY_ACCESS_OVERLAY && S_ISDIR(status.st_mode))
		made = mounts_make_overlay(scratch_fd, index, source_fd);
	else if (source.access == POLICY_ACCESS_OVERLAY)
		return ENOTDIR;
	else
		made = fcntl(source_fd, F_DUPFD_CLOEXEC, 3);
	if (made < 0)
		return -made;
	auto_fd int target = mounts_target(root_fd, source.target, S_ISDIR(status.st_mode));
	return target < 0 ? -target : -mounts_attach(made, target, "");
}
