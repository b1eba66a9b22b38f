/* SPDX-License-Identifier: Apache-2.0 */
/*
 * root_overlay.c - root: dir and root: image, an overlay that can be written
 *
 * Below lie the given tree, or the layers of the image; what is written goes to an upper folder
 * of the scratch, or of the change set that keeps it.  An image is a stranger's: above its layers
 * lies one more, of our own, whose folders are what /dev, /proc, /sys and /etc are, whatever the
 * image has there (a link, a file, nothing).  It also holds the names of this machine, so that
 * none of it ends up among the changes.
 *
 * The layers come as one mount of the folder that holds them all, so their number costs no
 * mounts; how they are named to the overlay is in image/link.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "image/link.h"
#include "levels/process/root.h"

#define SAFE (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV)

#define OWN_LAYER        IMAGE_LINK_OWN
#define LAYER_PATH_BYTES 128

static_assert((LEVEL_MAX_LAYERS + 1) * 2 <= IMAGE_LINK_LIST_BYTES, "the list of layers fits");

/* What an overlay is made of: names below the scratch. */
struct overlay {
	char lower[IMAGE_LINK_LIST_BYTES];
	const char *upper, *work;
};

static int make_folders(int dir_fd, const char *const *names, size_t n_names)
{
	int r = 0;
	for (size_t i = 0; i < n_names && r == 0; i++)
		r = mounts_mkdir(dir_fd, names[i], 0755);
	return r;
}

/* Covers @path of the root with a fresh folder of the scratch. */
static int cover(int root_fd, int scratch_fd, const char *name, const char *path, mode_t mode)
{
	int r = mounts_mkdir(scratch_fd, name, mode);
	if (r != 0)
		return r;
	auto_fd int target = mounts_target(root_fd, path, true);
	if (target < 0)
		return -target;
	auto_fd int tree = mounts_clone(scratch_fd, name, false);
	return tree < 0 ? -tree : -mounts_attach(tree, target, "");
}

static int write_names(const struct process_setup *setup, int scratch_fd)
{
	char text[256];
	const char *name = setup->policy->hostname[0] ? setup->policy->hostname : "foso";
	(void)snprintf(text, sizeof(text), "%s\n", name);
	int r = root_write_file(scratch_fd, OWN_LAYER "/etc/hostname", text);
	(void)snprintf(text, sizeof(text), "127.0.0.1 localhost %s\n::1 localhost %s\n", name,
		       name);
	return r != 0 ? r : root_write_file(scratch_fd, OWN_LAYER "/etc/hosts", text);
}

static int make_own_layer(const struct process_setup *setup, int scratch_fd)
{
	static const char *const folders[] = {
		OWN_LAYER,
		OWN_LAYER "/etc",
		OWN_LAYER "/dev",
		OWN_LAYER "/proc",
		OWN_LAYER "/sys",
		OWN_LAYER "/sys/devices",
		OWN_LAYER "/sys/devices/system",
		OWN_LAYER "/sys/devices/system/cpu",
	};
	int r = make_folders(scratch_fd, folders, ARRAY_LEN(folders));
	if (r != 0 || (r = write_names(setup, scratch_fd)) != 0)
		return r;
	auto_fd int dir_fd = openat(scratch_fd, folders[ARRAY_LEN(folders) - 1],
				    O_PATH | O_DIRECTORY | O_CLOEXEC);
	return dir_fd < 0 ? errno : root_write_cpus(setup, dir_fd);
}

/* The uppermost layer is first in the list of an overlay, and last in that of an image. */
static int link_layers(const struct level_image *image, int scratch_fd, char *list)
{
	char path[LAYER_PATH_BYTES];
	*list++ = OWN_LAYER[0];
	for (size_t i = image->n_layers; i-- > 0;) {
		char name[2] = { image_link_name(i), '\0' };
		int len = snprintf(path, sizeof(path), "layers/%s", image->layers[i]);
		if (len < 0 || (size_t)len >= sizeof(path))
			return ENAMETOOLONG;
		if (symlinkat(path, scratch_fd, name) < 0)
			return errno;
		*list++ = ':';
		*list++ = name[0];
	}
	*list = '\0';
	return 0;
}

static int add_layers(const struct process_setup *setup, int scratch_fd, int source_fd,
		      struct overlay *overlay, struct process_step *step)
{
	const char *name = setup->policy->root_path;
	if (setup->image->n_layers > LEVEL_MAX_LAYERS)
		return root_fail(step, STAGE_ROOT, name, E2BIG);
	int r = mounts_mkdir(scratch_fd, "layers", 0755);
	if (r != 0 || (r = mounts_attach(source_fd, scratch_fd, "layers")) < 0 ||
	    (r = link_layers(setup->image, scratch_fd, overlay->lower)) != 0)
		return root_fail(step, STAGE_ROOT, name, r);
	r = make_own_layer(setup, scratch_fd);
	return r != 0 ? root_fail(step, STAGE_ROOT, "scratch", r) : 0;
}

static int add_tree(const struct process_setup *setup, int scratch_fd, int source_fd,
		    struct overlay *overlay, struct process_step *step)
{
	int r = mounts_mkdir(scratch_fd, "lower", 0755);
	if (r != 0 || (r = mounts_attach(source_fd, scratch_fd, "lower")) < 0)
		return root_fail(step, STAGE_ROOT, setup->policy->root_path, r);
	(void)snprintf(overlay->lower, sizeof(overlay->lower), "lower");
	return 0;
}

/* Where what is written goes. */
static int add_upper(const struct process_setup *setup, int scratch_fd, int changes_fd,
		     struct overlay *overlay, struct process_step *step)
{
	static const char *const folders[] = { "upper", "work" };
	int r;
	if (setup->changes_fd < 0) {
		overlay->upper = folders[0];
		overlay->work = folders[1];
		r = make_folders(scratch_fd, folders, ARRAY_LEN(folders));
		return r != 0 ? root_fail(step, STAGE_ROOT, "scratch", r) : 0;
	}
	overlay->upper = "changes/upper";
	overlay->work = "changes/work";
	r = mounts_mkdir(scratch_fd, "changes", 0755);
	if (r != 0 || (r = mounts_attach(changes_fd, scratch_fd, "changes")) < 0)
		return root_fail(step, STAGE_ROOT, "changes", r);
	return 0;
}

static int mount_overlay(const struct overlay *overlay, int scratch_fd, int *ret_root_fd,
			 struct process_step *step)
{
	const struct mount_option options[] = {
		{ "source", "foso" },
		{ "lowerdir", overlay->lower },
		{ "upperdir", overlay->upper },
		{ "workdir", overlay->work },
		{ "userxattr", NULL },
		{ "index", "off" }, /* some kernels are built with it, and it ties upper to lower */
	};
	int r;
	/* Relative names are looked up from the working directory. */
	if (fchdir(scratch_fd) < 0)
		return root_fail(step, STAGE_ROOT, "scratch", errno);
	int root_fd = mounts_make("overlay", options, ARRAY_LEN(options), SAFE);
	if (root_fd < 0)
		return root_fail(step, STAGE_ROOT, "overlay", root_fd);
	if ((r = mounts_mkdir(scratch_fd, "root", 0755)) != 0 ||
	    (r = mounts_attach(root_fd, scratch_fd, "root")) < 0)
		return root_fail(step, STAGE_ROOT, "root", r);
	*ret_root_fd = root_fd;
	return 0;
}

/* /tmp and /run of an image are its own: what a build put there is there. */
static int add_folders(const struct process_setup *setup, int root_fd, int scratch_fd,
		       struct process_step *step)
{
	static const struct {
		const char *name, *path;
		mode_t mode;
		bool is_covered_always;
	} folders[] = {
		{ "tmp", "/tmp", 01777, false },
		{ "run", "/run", 0755, false },
		{ "dev", "/dev", 0755, true },
	};
	bool is_image = setup->policy->root == POLICY_ROOT_IMAGE;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		const char *name = folders[i].name;
		int r = 0;
		if (!is_image || folders[i].is_covered_always)
			r = cover(root_fd, scratch_fd, name, folders[i].path, folders[i].mode);
		else if (!setup->keeps_changes)
			r = mounts_mkdir(root_fd, name, folders[i].mode);
		if (r != 0 && !(is_image && r == EEXIST))
			return root_fail(step, STAGE_ROOT, folders[i].path, r);
	}
	return 0;
}

int root_build_overlay(const struct process_setup *setup, int scratch_fd, const int *sources,
		       int *ret_root_fd, struct process_step *step)
{
	bool is_image = setup->policy->root == POLICY_ROOT_IMAGE;
	struct overlay overlay = { .upper = NULL };
	int r = is_image ? add_layers(setup, scratch_fd, sources[0], &overlay, step)
			 : add_tree(setup, scratch_fd, sources[0], &overlay, step);
	if (r != 0 || (r = add_upper(setup, scratch_fd, sources[1], &overlay, step)) != 0 ||
	    (r = mount_overlay(&overlay, scratch_fd, ret_root_fd, step)) != 0)
		return r;
	return add_folders(setup, *ret_root_fd, scratch_fd, step);
}
