/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_host.c - which version and which controllers the caller can really use
 *
 * v1: the parent is the caller's own group in each hierarchy, so that whatever limits the caller
 * limits its sandboxes too.
 *
 * v2: the no-internal-process rule forbids that in general: the caller is in its own group.  So
 *   - a group that was delegated to the caller is the parent; if processes are in it, creation
 *     moves them into a leaf "foso-self" (and a caller that is in such a leaf uses the group
 *     above it).  For an ordinary user, delegated means writable; for root, to whom everything is
 *     writable, it means the mark that systemd sets (user.delegate or trusted.delegate is "1"),
 *     or being in the root of a container's cgroup namespace;
 *   - root without a delegated group uses <mount>/foso.
 *
 * A hybrid host has v1 controllers and a v2 tree that has none; the tree with the more important
 * controllers wins.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "limits/cgroup_private.h"

#define CGROUP_V1_MAGIC 0x27e0eb
#define CGROUP_V2_MAGIC 0x63677270

static const struct {
	const char *word; /* in cgroup.controllers */
	enum cgroup_controller controller;
} v2_words[] = {
	{ "memory", CGROUP_MEMORY },
	{ "pids", CGROUP_PIDS },
	{ "cpu", CGROUP_CPU },
	{ "io", CGROUP_IO },
};

static const char *const names[CGROUP_N_CONTROLLERS] = {
	[CGROUP_MEMORY] = "memory",   [CGROUP_PIDS] = "pids",       [CGROUP_CPU] = "cpu",
	[CGROUP_CPUACCT] = "cpuacct", [CGROUP_FREEZER] = "freezer", [CGROUP_IO] = "blkio",
};

static void lack_set(struct cgroup_host *host, const char *remedy, const char *format, ...)
	printf_like(3, 4);

static void lack_set(struct cgroup_host *host, const char *remedy, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(host->lack, sizeof(host->lack), format, args);
	va_end(args);
	(void)snprintf(host->remedy, sizeof(host->remedy), "%s", remedy);
}

static bool can_write(int dir_fd, const char *name)
{
	return faccessat(dir_fd, name, W_OK, 0) == 0;
}

/* Opens a directory of a cgroup file system; something mounted over it is not one. */
static int tree_open(const char *path, long magic)
{
	auto_fd int fd = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	struct statfs info;
	if (fd < 0 || fstatfs(fd, &info) < 0)
		return -1;
	if ((long)info.f_type != magic) {
		errno = ENODEV;
		return -1;
	}
	return take_fd(&fd);
}

static void parent_set(struct cgroup_host *host, size_t controller, const char *path,
		       const char *mount)
{
	(void)snprintf(host->parent[controller], CGROUP_PATH_BYTES, "%s", path);
	host->mount_len[controller] = (uint16_t)strlen(mount);
}

static bool v1_controller_is_usable(const struct cgroup_hierarchy *hierarchy, char *path)
{
	if (hierarchy->is_readonly || !cgroup_own_path(hierarchy, path))
		return false;
	struct statfs info;
	return statfs(path, &info) == 0 && (long)info.f_type == CGROUP_V1_MAGIC &&
	       access(path, W_OK) == 0;
}

static void v1_probe(struct cgroup_host *host, const struct cgroup_mounts *mounts)
{
	char path[CGROUP_PATH_BYTES], missing[64] = "";
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++) {
		const struct cgroup_hierarchy *hierarchy = &mounts->v1[i];
		if (v1_controller_is_usable(hierarchy, path)) {
			host->has[i] = true;
			parent_set(host, i, path, hierarchy->mount);
			continue;
		}
		size_t used = strlen(missing);
		(void)snprintf(missing + used, sizeof(missing) - used, "%s%s", used ? ", " : "",
			       names[i]);
	}
	host->version = CGROUP_V1;
	host->has_swap_limit = true;
	if (host->has[CGROUP_MEMORY]) {
		char swap[CGROUP_PATH_BYTES + 32];
		(void)snprintf(swap, sizeof(swap), "%s/memory.memsw.limit_in_bytes",
			       host->parent[CGROUP_MEMORY]);
		host->has_swap_limit = access(swap, F_OK) == 0 || access("/proc/swaps", F_OK) < 0;
	}
	if (missing[0])
		lack_set(host,
			 geteuid() == 0 ? "mount them below /sys/fs/cgroup, or boot with cgroup v2"
					: "run foso as root, or boot with cgroup v2 and delegation",
			 "not mounted or not writable for uid %u as cgroup v1: %s",
			 (unsigned)geteuid(), missing);
}

/* The root of the whole tree has no type; the root of a container's namespace has one. */
static bool is_namespace_root(int dir_fd, const char *path,
			      const struct cgroup_hierarchy *hierarchy)
{
	return strcmp(path, hierarchy->mount) == 0 &&
	       faccessat(dir_fd, "cgroup.type", F_OK, 0) == 0;
}

static bool is_marked_delegated(int dir_fd)
{
	char value = '0';
	if (fgetxattr(dir_fd, "user.delegate", &value, 1) == 1 && value == '1')
		return true;
	return fgetxattr(dir_fd, "trusted.delegate", &value, 1) == 1 && value == '1';
}

static bool is_delegated(int dir_fd, const char *path, const struct cgroup_hierarchy *hierarchy)
{
	if (!can_write(dir_fd, ".") || !can_write(dir_fd, "cgroup.procs") ||
	    !can_write(dir_fd, "cgroup.subtree_control"))
		return false;
	if (geteuid() != 0)
		return true;
	return is_marked_delegated(dir_fd) || is_namespace_root(dir_fd, path, hierarchy);
}

static void controllers_read(struct cgroup_host *host, int dir_fd)
{
	char text[512];
	size_t len = cgroup_file_read(dir_fd, "cgroup.controllers", text, sizeof(text));
	for (size_t at = 0; at < len;) {
		size_t word_len = strcspn(text + at, " \n");
		for (size_t i = 0; i < ARRAY_LEN(v2_words); i++) {
			if (strlen(v2_words[i].word) == word_len &&
			    memcmp(text + at, v2_words[i].word, word_len) == 0)
				host->has[v2_words[i].controller] = true;
		}
		at += word_len + 1;
	}
}

/* The caller's own group, or the one above its leaf. */
static bool own_parent(const struct cgroup_hierarchy *hierarchy, char path[CGROUP_PATH_BYTES])
{
	if (!cgroup_own_path(hierarchy, path))
		return false;
	char *last = strrchr(path, '/');
	if (last && strcmp(last, "/" CGROUP_SELF) == 0 &&
	    (size_t)(last - path) >= strlen(hierarchy->mount))
		*last = '\0';
	return true;
}

static void v2_use(struct cgroup_host *host, const char *parent, const char *mount, int dir_fd)
{
	host->version = CGROUP_V2;
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++)
		parent_set(host, i, parent, mount);
	controllers_read(host, dir_fd);
	host->has[CGROUP_CPUACCT] = host->has[CGROUP_FREEZER] = true; /* of every v2 group */
	/* The root of the tree has neither file, whatever the kernel can; then creation finds out.
	 */
	bool is_root = faccessat(dir_fd, "cgroup.type", F_OK, 0) < 0;
	host->has_kill = is_root || faccessat(dir_fd, "cgroup.kill", F_OK, 0) == 0;
	host->has_swap_limit = faccessat(dir_fd, "memory.max", F_OK, 0) < 0 ||
			       faccessat(dir_fd, "memory.swap.max", F_OK, 0) == 0 ||
			       access("/proc/swaps", F_OK) < 0;
}

static void v2_missing(struct cgroup_host *host, const char *path)
{
	char missing[64] = "";
	for (size_t i = 0; i < ARRAY_LEN(v2_words); i++) {
		size_t used = strlen(missing);
		if (!host->has[v2_words[i].controller])
			(void)snprintf(missing + used, sizeof(missing) - used, "%s%s",
				       used ? ", " : "", v2_words[i].word);
	}
	if (missing[0])
		lack_set(host,
			 geteuid() == 0
				 ? "boot without cgroup_disable= for them"
				 : "have them delegated: Delegate=yes in the unit, or systemctl "
				   "edit user@.service with Delegate=cpu cpuset io memory pids",
			 "cgroup v2 controllers not offered in %.100s: %s", path, missing);
}

static void v2_probe(struct cgroup_host *host, const struct cgroup_hierarchy *hierarchy)
{
	char path[CGROUP_PATH_BYTES];
	if (hierarchy->is_readonly) {
		lack_set(host, "mount it read-write (docker run --privileged does, for example)",
			 "%.100s is mounted read-only", hierarchy->mount);
		return;
	}
	auto_fd int own_fd = own_parent(hierarchy, path) ? tree_open(path, CGROUP_V2_MAGIC) : -1;
	if (own_fd >= 0 && is_delegated(own_fd, path, hierarchy)) {
		v2_use(host, path, hierarchy->mount, own_fd);
		v2_missing(host, path);
		return;
	}
	auto_fd int mount_fd = tree_open(hierarchy->mount, CGROUP_V2_MAGIC);
	if (geteuid() == 0 && mount_fd >= 0 && can_write(mount_fd, ".") &&
	    strcmp(hierarchy->root, "/") == 0) {
		(void)snprintf(path, sizeof(path), "%.480s" CGROUP_ROOT_PARENT, hierarchy->mount);
		v2_use(host, path, hierarchy->mount, mount_fd);
		v2_missing(host, hierarchy->mount);
		return;
	}
	lack_set(host, CGROUP_REMEDY_DELEGATE, "the cgroup %.100s is not delegated to uid %u",
		 hierarchy->own, (unsigned)geteuid());
}

#define WORTH_OF_ALL 10U

static unsigned worth(const struct cgroup_host *host)
{
	if (host->version == CGROUP_NONE)
		return 0;
	return host->has[CGROUP_MEMORY] * 4U + host->has[CGROUP_PIDS] * 4U +
	       host->has[CGROUP_CPU] * 2U;
}

static void choose_tree(struct cgroup_host *ret_host, const struct cgroup_mounts *mounts)
{
	const struct cgroup_hierarchy *v1 = mounts->v1;
	bool has_v1 = false;
	memset(ret_host, 0, sizeof(*ret_host));
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++)
		has_v1 |= v1[i].is_mounted;
	if (!mounts->v2.is_mounted && !has_v1) {
		lack_set(ret_host, "mount -t cgroup2 cgroup2 /sys/fs/cgroup",
			 "no cgroup file system is mounted");
		return;
	}
	/* A controller is in one tree only: what version 1 has, version 2 cannot offer. */
	if (has_v1)
		v1_probe(ret_host, mounts);
	if (mounts->v2.is_mounted && worth(ret_host) < WORTH_OF_ALL) {
		struct cgroup_host v2 = { 0 };
		v2_probe(&v2, &mounts->v2);
		bool is_v1_host = v1[CGROUP_MEMORY].is_mounted || v1[CGROUP_PIDS].is_mounted;
		if (worth(&v2) > worth(ret_host) || (worth(ret_host) == 0 && !is_v1_host))
			*ret_host = v2;
	}
	if (worth(ret_host) == 0)
		ret_host->version = CGROUP_NONE;
}

/* @mountinfo and @cgroup are files of /proc/self, or of a test. */
static void host_probe(struct cgroup_host *ret_host, const char *mountinfo, const char *cgroup)
{
	not_zeroed struct cgroup_mounts mounts;
	int errnum = cgroup_mounts_read(&mounts, mountinfo, cgroup);
	if (errnum == 0) {
		choose_tree(ret_host, &mounts);
		return;
	}
	memset(ret_host, 0, sizeof(*ret_host));
	lack_set(ret_host, "mount /proc", "%s cannot be read (errno %d)", mountinfo, errnum);
}

/* All there and usable: then a closer look could find nothing else. */
static bool usual_probe(struct cgroup_host *ret_host)
{
	not_zeroed struct cgroup_mounts mounts;
	if (!cgroup_mounts_usual(&mounts))
		return false;
	choose_tree(ret_host, &mounts);
	return worth(ret_host) == WORTH_OF_ALL && !ret_host->lack[0];
}

void cgroup_host_probe(struct cgroup_host *ret_host)
{
	if (!usual_probe(ret_host))
		host_probe(ret_host, "/proc/self/mountinfo", "/proc/self/cgroup");
}

/* Asking costs fifty system calls. */
const struct cgroup_host *cgroup_this_host(void)
{
	static struct cgroup_host host;
	static bool is_known;
	if (!is_known)
		cgroup_host_probe(&host);
	is_known = true;
	return &host;
}
