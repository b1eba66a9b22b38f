/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root_system.c - /dev, /proc and the little of /sys that programs ask for
 *
 * Devices are the host's own nodes, mounted one by one: a user namespace cannot make nodes.
 * /sys is not mounted at all; three files tell how many processors the policy grants, since
 * C libraries and language runtimes size their thread pools by them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "levels/process/root.h"

static const char *const device_names[] = { "null", "zero", "full", "random", "urandom", "tty" };

static const struct {
	const char *name, *target;
} device_links[] = {
	{ "fd", "/proc/self/fd" },       { "stdin", "/proc/self/fd/0" },
	{ "stdout", "/proc/self/fd/1" }, { "stderr", "/proc/self/fd/2" },
	{ "ptmx", "pts/ptmx" },
};

/* Only what shows facts of the host to everyone; the rest belongs to a root that nobody here is. */
static const char *const proc_masks[] = { "keys", "key-users", "cmdline" };

/*
 * What foso-init has in /proc belongs to the sandbox's root, since it is not dumpable, and these
 * take effect beyond it: who the kernel ends first for want of memory, and the share of processor
 * time of a whole session, which is that of foso's caller.
 */
static const char *const init_masks[] = { "1/oom_score_adj", "1/oom_adj", "1/autogroup" };

/* A folder at the top of the root: usually it is there, and no link. */
static int own_folder(int root_fd, const char *name)
{
	char path[16];
	int fd = openat(root_fd, name, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	(void)snprintf(path, sizeof(path), "/%s", name);
	return mounts_target(root_fd, path, true);
}

static int add_device(int dev_fd, const char *name)
{
	char path[64];
	if (mknodat(dev_fd, name, S_IFREG | 0644, 0) < 0)
		return errno;
	(void)snprintf(path, sizeof(path), "/dev/%s", name);
	auto_fd int tree = mounts_clone(AT_FDCWD, path, false);
	return tree < 0 ? -tree : -mounts_attach(tree, dev_fd, name);
}

static int add_terminals(int dev_fd)
{
	const struct mount_option options[] = {
		{ "ptmxmode", "0666" },
		{ "mode", "0620" },
		/* Of what all sandboxes of the machine share (kernel.pty.max, 4096). */
		{ "max", "128" },
	};
	int r = mounts_mkdir(dev_fd, "pts", 0755);
	if (r != 0)
		return r;
	auto_fd int tree = mounts_make("devpts", options, ARRAY_LEN(options),
				       MOUNT_ATTR_NOSUID | MOUNT_ATTR_NOEXEC);
	return tree < 0 ? -tree : -mounts_attach(tree, dev_fd, "pts");
}

static int build_dev(const struct process_setup *setup, int root_fd, struct process_step *step)
{
	const struct policy_list *more = &setup->policy->devices;
	int r;
	auto_fd int dev_fd = own_folder(root_fd, "dev");
	if (dev_fd < 0)
		return root_fail(step, STAGE_ROOT, "/dev", dev_fd);
	for (size_t i = 0; i < ARRAY_LEN(device_names); i++) {
		if ((r = add_device(dev_fd, device_names[i])) != 0)
			return root_fail(step, STAGE_ROOT, device_names[i], r);
	}
	for (size_t i = 0; i < more->n_items; i++) {
		r = add_device(dev_fd, more->items[i]);
		if (r != 0 && r != EEXIST)
			return root_fail(step, STAGE_DEVICE, more->items[i], r);
	}
	for (size_t i = 0; i < ARRAY_LEN(device_links); i++) {
		if (symlinkat(device_links[i].target, dev_fd, device_links[i].name) < 0)
			return root_fail(step, STAGE_ROOT, device_links[i].name, errno);
	}
	if ((r = mounts_mkdir(dev_fd, "shm", 01777)) != 0 || (r = add_terminals(dev_fd)) != 0)
		return root_fail(step, STAGE_ROOT, "/dev/pts", r);
	return 0;
}

static int mask(int proc_fd, const char *const names[], size_t n_names, struct process_step *step)
{
	for (size_t i = 0; i < n_names; i++) {
		auto_fd int null = mounts_clone(AT_FDCWD, "/dev/null", false);
		int r = null < 0 ? null : mounts_attach(null, proc_fd, names[i]);
		/* Not every kernel has each of them. */
		if (r < 0 && r != -ENOENT)
			return root_fail(step, STAGE_MASKS, names[i], r);
	}
	return 0;
}

static int build_proc(const struct process_setup *setup, int root_fd, struct process_step *step)
{
	/*
	 * Other users' processes, foso-init among them, are not even listed; foso-init, whose group
	 * is 0, sees all, to say what lives on.
	 */
	char gid[16];
	(void)snprintf(gid, sizeof(gid), "%u", setup->is_rootless ? setup->inner_gid : 0);
	const struct mount_option options[] = { { "hidepid", "2" }, { "gid", gid } };
	int r;
	auto_fd int tree = mounts_make("proc", options, ARRAY_LEN(options),
				       MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC);
	if (tree < 0)
		return root_fail(step, STAGE_ROOT, "/proc", tree);
	auto_fd int target = own_folder(root_fd, "proc");
	if (target < 0 || (r = mounts_attach(tree, target, "")) < 0)
		return root_fail(step, STAGE_ROOT, "/proc", target < 0 ? target : r);
	if ((r = mask(tree, proc_masks, ARRAY_LEN(proc_masks), step)) != 0)
		return r;
	return setup->may_be_root ? mask(tree, init_masks, ARRAY_LEN(init_masks), step) : 0;
}

int root_write_cpus(const struct process_setup *setup, int dir_fd)
{
	static const char links[][12] = { "possible", "present" };
	char text[32];
	(void)snprintf(text, sizeof(text), setup->n_cpus > 1 ? "0-%u\n" : "%u\n",
		       setup->n_cpus - 1);
	int r = root_write_file(dir_fd, "online", text);
	if (r != 0 && r != EEXIST)
		return r;
	for (size_t i = 0; i < ARRAY_LEN(links); i++) {
		if (symlinkat("online", dir_fd, links[i]) < 0 && errno != EEXIST)
			return errno;
	}
	return 0;
}

/* root: host is made by us, with this folder, and nothing in it can lead elsewhere. */
static int cpu_folder(const struct process_setup *setup, int root_fd)
{
	if (setup->policy->root != POLICY_ROOT_HOST)
		return mounts_target(root_fd, "/sys/devices/system/cpu", true);
	int fd = openat(root_fd, "sys/devices/system/cpu", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int build_sys(const struct process_setup *setup, int root_fd, struct process_step *step)
{
	if (setup->policy->root == POLICY_ROOT_IMAGE)
		return 0; /* a layer of our own has it */
	auto_fd int dir_fd = cpu_folder(setup, root_fd);
	int r = dir_fd < 0 ? dir_fd : root_write_cpus(setup, dir_fd);
	return r != 0 ? root_fail(step, STAGE_ROOT, "/sys", r) : 0;
}

int root_build_system(const struct process_setup *setup, int root_fd, int scratch_fd,
		      struct process_step *step)
{
	UNUSED(scratch_fd);
	int r = build_dev(setup, root_fd, step);
	if (r == 0)
		r = build_proc(setup, root_fd, step);
	return r == 0 ? build_sys(setup, root_fd, step) : r;
}
