/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root_host.c - root: host, a read-only and masked view of this machine's system folders
 *
 * Each folder is an overlay without an upper layer: nothing can be written, the layer above
 * /etc hides what is masked and replaces what would tell about this machine, and, because
 * an overlay has inodes of its own, sockets and FIFOs of the host that lie in these folders
 * lead nowhere (a plain read-only bind mount would let a program connect to them).
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "levels/process/masks.h"
#include "levels/process/root.h"

#define READ_ONLY (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY)

static const char *const masks[] = {
#define MASK_PATH(path, why) path,
	MASKS(MASK_PATH)
#undef MASK_PATH
};

/* The one whiteout that all masks are links of: how many there are tells that none is missing. */
#define WHITEOUT "layer/whiteout"

/* Folders that are shown; a link of the host stays a link. */
static const char *const system_folders[] = { "usr", "etc",   "opt",   "bin",   "sbin",
					      "lib", "lib32", "lib64", "libx32" };

static const struct {
	const char *path;
	mode_t mode;
} own_folders[] = {
	{ "tmp", 01777 },
	{ "var", 0755 },
	{ "var/tmp", 01777 },
	{ "run", 0755 },
	{ "home", 0755 },
	{ "root", 0700 },
	{ "dev", 0755 },
	{ "proc", 0755 },
	{ "sys", 0755 },
	{ "sys/devices", 0755 },
	{ "sys/devices/system", 0755 },
	{ "sys/devices/system/cpu", 0755 },
};

static const struct {
	const char *name, *text;
} own_files[] = {
	{ "layer/etc/passwd", "root:x:0:0:root:/root:/bin/sh\n"
			      "user:x:1000:1000:user:/home/user:/bin/sh\n"
			      "nobody:x:65534:65534:nobody:/nonexistent:/usr/sbin/nologin\n" },
	{ "layer/etc/group", "root:x:0:\nuser:x:1000:\nnogroup:x:65534:\n" },
	{ "layer/etc/resolv.conf", "" },
};

static int make_mask(int dir_fd, int layer_fd, const char *path)
{
	char parent[64];
	const char *slash = strrchr(path, '/');
	if (slash) {
		for (const char *at = strchr(path, '/'); at; at = strchr(at + 1, '/')) {
			(void)snprintf(parent, sizeof(parent), "%.*s", (int)(at - path), path);
			if (mkdirat(layer_fd, parent, 0755) < 0 && errno != EEXIST)
				return errno;
		}
	}
	return linkat(dir_fd, WHITEOUT, layer_fd, path, 0) < 0 ? errno : 0;
}

static int write_host_names(const char *name, int dir_fd)
{
	char text[256];
	(void)snprintf(text, sizeof(text), "%s\n", name);
	int r = root_write_file(dir_fd, "layer/etc/hostname", text);
	(void)snprintf(text, sizeof(text), "127.0.0.1 localhost %s\n::1 localhost %s\n", name,
		       name);
	return r != 0 ? r : root_write_file(dir_fd, "layer/etc/hosts", text);
}

int root_make_layers(const char *hostname, int dir_fd, struct process_step *step)
{
	static const char *const folders[] = { "layer", "layer/etc", "layer/none" };
	int r;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		if ((r = mounts_mkdir(dir_fd, folders[i], 0755)) != 0)
			return root_fail(step, STAGE_ROOT, folders[i], r);
	}
	if (mknodat(dir_fd, WHITEOUT, S_IFCHR, makedev(0, 0)) < 0)
		return root_fail(step, STAGE_MASKS, WHITEOUT, errno);
	for (size_t i = 0; i < ARRAY_LEN(own_files); i++) {
		r = root_write_file(dir_fd, own_files[i].name, own_files[i].text);
		if (r != 0)
			return root_fail(step, STAGE_ROOT, own_files[i].name, r);
	}
	if ((r = write_host_names(hostname, dir_fd)) != 0)
		return root_fail(step, STAGE_ROOT, "/etc/hosts", r);
	auto_fd int layer_fd = openat(dir_fd, "layer/etc", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (layer_fd < 0)
		return root_fail(step, STAGE_ROOT, "/etc", errno);
	for (size_t i = 0; i < ARRAY_LEN(masks); i++) {
		if ((r = make_mask(dir_fd, layer_fd, masks[i])) != 0)
			return root_fail(step, STAGE_MASKS, masks[i], r);
	}
	return 0;
}

bool root_layers_are_whole(const char *path)
{
	char whiteout[64];
	struct stat status;
	(void)snprintf(whiteout, sizeof(whiteout), "%s/" WHITEOUT, path);
	return lstat(whiteout, &status) == 0 && S_ISCHR(status.st_mode) &&
	       status.st_rdev == makedev(0, 0) && status.st_uid == 0 &&
	       status.st_nlink == ARRAY_LEN(masks) + 1;
}

static uint64_t hash(uint64_t value, const char *text)
{
	do
		value = (value ^ (unsigned char)*text) * 0x100000001b3u; /* FNV-1a */
	while (*text++);
	return value;
}

uint64_t root_layers_key(void)
{
	uint64_t key = 0xcbf29ce484222325u;
	for (size_t i = 0; i < ARRAY_LEN(masks); i++)
		key = hash(key, masks[i]);
	for (size_t i = 0; i < ARRAY_LEN(own_files); i++)
		key = hash(hash(key, own_files[i].name), own_files[i].text);
	return key;
}

static int show_folder(int root_fd, const char *name)
{
	char layers[64];
	int r = mounts_mkdir(root_fd, name, 0755);
	if (r != 0)
		return r;
	(void)snprintf(layers, sizeof(layers), "%s:/%s",
		       strcmp(name, "etc") == 0 ? "layer/etc" : "layer/none", name);
	const struct mount_option options[] = { { "lowerdir", layers } };
	auto_fd int tree = mounts_make("overlay", options, ARRAY_LEN(options), READ_ONLY);
	return tree < 0 ? -tree : -mounts_attach(tree, root_fd, name);
}

/* /opt is empty on most machines: then it needs no view, and a start is a mount faster. */
static bool is_empty(const char *path)
{
	auto_fd int fd = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	char entries[64]; /* room for "." and "..", 24 bytes each, and not for a third */
	long len = fd < 0 ? -1 : syscall(SYS_getdents64, fd, entries, sizeof(entries));
	return len == 48 && syscall(SYS_getdents64, fd, entries, sizeof(entries)) == 0;
}

static int show_system_folder(int root_fd, const char *name, const char *path)
{
	char link[64];
	ssize_t len = readlink(path, link, sizeof(link) - 1);
	if (len >= 0) {
		link[len] = '\0';
		return symlinkat(link, root_fd, name) < 0 ? errno : 0;
	}
	struct stat status;
	/* EINVAL: it is there and no link. */
	if (errno != EINVAL || lstat(path, &status) < 0 || !S_ISDIR(status.st_mode))
		return 0;
	bool is_bare = strcmp(name, "opt") == 0 && is_empty(path);
	return is_bare ? mounts_mkdir(root_fd, name, 0755) : show_folder(root_fd, name);
}

static int show_system_folders(int root_fd, struct process_step *step)
{
	for (size_t i = 0; i < ARRAY_LEN(system_folders); i++) {
		char path[16];
		(void)snprintf(path, sizeof(path), "/%s", system_folders[i]);
		int r = show_system_folder(root_fd, system_folders[i], path);
		if (r != 0)
			return root_fail(step, STAGE_ROOT, path, r);
	}
	return 0;
}

static int make_home(const struct process_setup *setup, int root_fd)
{
	int r = mounts_mkdir(root_fd, "home/user", 0700);
	if (r != 0 || setup->is_rootless)
		return r;
	return fchownat(root_fd, "home/user", PROCESS_DEFAULT_USER, PROCESS_DEFAULT_USER, 0) < 0
		       ? errno
		       : 0;
}

int root_build_host(const struct process_setup *setup, int scratch_fd, int *ret_root_fd,
		    struct process_step *step)
{
	int r = setup->layers[0] ? 0
				 : root_make_layers(root_hostname(setup->policy), scratch_fd, step);
	if (r != 0)
		return r;
	if ((r = mounts_mkdir(scratch_fd, "root", 0755)) != 0)
		return root_fail(step, STAGE_ROOT, "scratch", r);
	int root_fd = mounts_clone(scratch_fd, "root", false);
	if (root_fd < 0 || (r = mounts_attach(root_fd, scratch_fd, "root")) < 0)
		return root_fail(step, STAGE_ROOT, "scratch", root_fd < 0 ? root_fd : r);
	/* Layer paths are relative to where they lie, folder paths to the host's root. */
	if ((setup->layers[0] ? chdir(setup->layers) : fchdir(scratch_fd)) < 0)
		return root_fail(step, STAGE_ROOT, "scratch", errno);
	for (size_t i = 0; i < ARRAY_LEN(own_folders); i++) {
		r = mounts_mkdir(root_fd, own_folders[i].path, own_folders[i].mode);
		if (r != 0)
			return root_fail(step, STAGE_ROOT, own_folders[i].path, r);
	}
	if ((r = make_home(setup, root_fd)) != 0)
		return root_fail(step, STAGE_ROOT, "/home/user", r);
	*ret_root_fd = root_fd;
	return show_system_folders(root_fd, step);
}

int root_verify_masks(const struct process_setup *setup, int root_fd, struct process_step *step)
{
	/* Of layers that an earlier start has looked through, one name at each depth. */
	static const char *const samples[] = { "shadow", "ssl/private" };
	bool is_known = setup->layers[0] && !setup->are_layers_new;
	const char *const *names = is_known ? samples : masks;
	size_t n_names = is_known ? ARRAY_LEN(samples) : ARRAY_LEN(masks);
	auto_fd int etc_fd = openat(root_fd, "etc", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (etc_fd < 0) /* A host without /etc has nothing to hide there. */
		return errno == ENOENT ? 0 : root_fail(step, STAGE_MASKS, "/etc", errno);
	for (size_t i = 0; i < n_names; i++) {
		if (faccessat(etc_fd, names[i], F_OK, AT_SYMLINK_NOFOLLOW) == 0)
			return root_fail(step, STAGE_MASKS, names[i], EEXIST);
	}
	return 0;
}
