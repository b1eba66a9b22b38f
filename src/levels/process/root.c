/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root.c - the root file system of a sandbox, and the way into it
 *
 * Everything that the sandbox may write lies in one file system in memory, the scratch: its size
 * and inode count are limits.disk.  The visible root is one folder of it (root: host) or an
 * overlay whose upper layer is one (root: dir), so what else lies there is out of reach.
 */
#include "levels/process/root.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"

/* Room for what foso itself puts there, while it does. */
#define SCRATCH_OWN_BYTES  (128 * 1024)
#define SCRATCH_OWN_INODES 128

#define SAFE (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

int root_fail(struct process_step *step, enum init_stage stage, const char *subject, int errnum)
{
	step->stage = stage;
	(void)snprintf(step->subject, sizeof(step->subject), "%s", subject);
	return errnum < 0 ? -errnum : errnum;
}

static int make_scratch(const struct process_setup *setup)
{
	char size[32], inodes[32];
	(void)snprintf(size, sizeof(size), "%llu",
		       (unsigned long long)setup->scratch_bytes + SCRATCH_OWN_BYTES);
	(void)snprintf(inodes, sizeof(inodes), "%llu",
		       (unsigned long long)setup->scratch_inodes + SCRATCH_OWN_INODES);
	const struct mount_option options[] = {
		{ "source", "foso" },
		{ "size", size },
		{ "nr_inodes", inodes },
		{ "mode", "0755" },
	};
	return mounts_make("tmpfs", options, ARRAY_LEN(options), SAFE);
}

/*
 * What foso has put there does not count, and what it could have put there is not given away: from
 * here on the limits are the policy's to the byte and the inode.  Zero would mean none to tmpfs.
 */
static int bound_scratch(const struct process_setup *setup, int scratch_fd)
{
	char size[32], inodes[32];
	struct statfs status;
	if (fstatfs(scratch_fd, &status) < 0)
		return -errno;
	uint64_t own = ((uint64_t)status.f_blocks - status.f_bfree) * (uint64_t)status.f_bsize;
	(void)snprintf(size, sizeof(size), "%llu",
		       (unsigned long long)MAX(setup->scratch_bytes + own, (uint64_t)1));
	(void)snprintf(inodes, sizeof(inodes), "%llu",
		       (unsigned long long)(setup->scratch_inodes + status.f_files -
					    status.f_ffree));
	const struct mount_option options[] = { { "size", size }, { "nr_inodes", inodes } };
	return mounts_change(scratch_fd, options, ARRAY_LEN(options));
}

int root_write_file(int dir_fd, const char *path, const char *text)
{
	auto_fd int fd = openat(dir_fd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	size_t len = strlen(text);
	if (fd < 0 || (len > 0 && write(fd, text, len) != (ssize_t)len))
		return errno;
	return 0;
}

/* The policy's own mounts, in its order; the sources come from the engine or are opened here. */
static int mount_policy(const struct process_setup *setup, int root_fd, int scratch_fd,
			const int *sources, size_t n_sources, struct process_step *step)
{
	size_t n_policy = process_sources_count(setup);
	for (size_t i = process_sources_of_root(setup); i < n_policy && i < n_sources; i++) {
		int r = root_mount_one(setup, root_fd, scratch_fd, i, sources[i]);
		if (r != 0)
			return root_fail(step, STAGE_MOUNT, process_source_target(setup, i), r);
	}
	return 0;
}

int process_root_build(const struct process_setup *setup, int *ret_root_fd, int *ret_scratch_fd,
		       struct process_step *step)
{
	int sources[PROCESS_MAX_SOURCES];
	size_t n_sources = 0;
	int r;
	int scratch_fd = make_scratch(setup);
	if (scratch_fd < 0)
		return root_fail(step, STAGE_ROOT, "scratch", scratch_fd);
	/* Before the scratch covers a folder of the host, which may be what a policy shows. */
	if (process_sources_count(setup) > 0 &&
	    (r = process_sources_recv(setup, sources, &n_sources, step)) != 0)
		return r;
	/*
	 * It has to be attached somewhere to be mounted from; /sys is never needed here.  Not on
	 * "/": umount2() goes down to the topmost mount there, and the old root would stay.
	 */
	if ((r = mounts_attach(scratch_fd, AT_FDCWD, "/sys")) < 0)
		return root_fail(step, STAGE_ROOT, "scratch", r);
	if (process_sources_of_root(setup) > 0)
		r = root_build_overlay(setup, scratch_fd, sources, ret_root_fd, step);
	else
		r = root_build_host(setup, scratch_fd, ret_root_fd, step);
	if (r != 0)
		return r;
	if ((r = root_build_system(setup, *ret_root_fd, scratch_fd, step)) != 0)
		return r;
	*ret_scratch_fd = scratch_fd;
	r = mount_policy(setup, *ret_root_fd, scratch_fd, sources, n_sources, step);
	if (r == 0 && (r = bound_scratch(setup, scratch_fd)) < 0)
		r = root_fail(step, STAGE_ROOT, "scratch", r);
	return r;
}

/* "/.." must be "/": a root that is not the namespace's own root can be climbed out of. */
static int verify_root(int root_fd, struct process_step *step)
{
	struct stat entered, root, above;
	if (fstat(root_fd, &entered) < 0 || stat("/", &root) < 0 || stat("/..", &above) < 0)
		return root_fail(step, STAGE_MASKS, "/", errno);
	bool is_ours = root.st_dev == entered.st_dev && root.st_ino == entered.st_ino;
	bool is_top = above.st_dev == root.st_dev && above.st_ino == root.st_ino;
	return is_ours && is_top ? 0 : root_fail(step, STAGE_MASKS, "/..", EXDEV);
}

int process_root_enter(int root_fd, struct process_step *step)
{
	auto_fd int old_root_fd = openat(AT_FDCWD, "/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (old_root_fd < 0 || fchdir(root_fd) < 0 || sys_pivot_root(".", ".") < 0)
		return root_fail(step, STAGE_ROOT, "pivot_root", errno);
	/*
	 * The old root lies on top of the new one now, but "." is still below it: the working
	 * directory has to be the old root, or the wrong one of the two would be taken away.
	 */
	if (fchdir(old_root_fd) < 0 || sys_umount2(".", MNT_DETACH) < 0 || chdir("/") < 0)
		return root_fail(step, STAGE_ROOT, "umount", errno);
	return verify_root(root_fd, step);
}
