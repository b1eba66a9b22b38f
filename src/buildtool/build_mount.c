/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build_mount.c - all layers of a stage as one tree that can be read
 *
 * An overlay without an upper side, attached nowhere: it goes with its descriptor.  A list of
 * layers is at most 255 bytes of fsconfig() on older kernels, so the layers are named by one byte
 * each, links in a folder in memory, as the level does for a sandbox.
 */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "buildtool/build.h"

#define FIRST_LAYER_NAME 0x80

static int fail(int errnum, const char *what, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "COPY --from", "%s", what);
	return error_remedy(err, r, "see foso doctor for what this host lacks");
}

static int make_mount(const char *type, const char *lower, int *ret_fd)
{
	auto_fd int fs_fd = sys_fsopen(type, FSOPEN_CLOEXEC);
	if (fs_fd < 0 ||
	    (lower && (sys_fsconfig(fs_fd, FSCONFIG_SET_STRING, "lowerdir", lower, 0) < 0 ||
		       sys_fsconfig(fs_fd, FSCONFIG_SET_FLAG, "userxattr", NULL, 0) < 0)) ||
	    sys_fsconfig(fs_fd, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return errno;
	*ret_fd = sys_fsmount(fs_fd, FSMOUNT_CLOEXEC, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	return *ret_fd < 0 ? errno : 0;
}

/* "\x81:\x80": the uppermost first; an overlay wants two, so a last empty one is added. */
static int link_layers(const struct build *build, const struct build_stage *stage, int dir_fd,
		       char *list)
{
	for (size_t i = stage->n_layers; i-- > 0;) {
		char hex[DIGEST_HEX_BYTES], path[IMAGE_STORE_PATH_BYTES + 96];
		char name[2] = { (char)(FIRST_LAYER_NAME + i), '\0' };
		digest_hex(stage->layers[i].chain, hex);
		(void)snprintf(path, sizeof(path), "%s/layers/%s/fs", build->store.path, hex);
		if (symlinkat(path, dir_fd, name) < 0)
			return errno;
		*list++ = name[0];
		*list++ = ':';
	}
	list[0] = 'E';
	list[1] = '\0';
	return mkdirat(dir_fd, "E", 0755) < 0 ? errno : 0;
}

static int write_text(const char *path, const char *text)
{
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, text, strlen(text)) < 0 ? errno : 0;
}

/* A user namespace whose one id is the caller's: without it, nothing could be mounted. */
static int own_namespaces(void)
{
	char text[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return errno;
	(void)snprintf(text, sizeof(text), "0 %u 1", (unsigned)uid);
	int errnum = write_text("/proc/self/uid_map", text);
	if (errnum == 0)
		errnum = write_text("/proc/self/setgroups", "deny");
	(void)snprintf(text, sizeof(text), "0 %u 1", (unsigned)gid);
	return errnum == 0 ? write_text("/proc/self/gid_map", text) : errnum;
}

int build_mount(const struct build *build, const struct build_stage *stage, int *ret_fd,
		struct error *err)
{
	char list[2 * IMAGE_MAX_LAYERS + 2];
	auto_fd int scratch_fd = -1, old_fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	/* Rootless, mounting takes a user namespace; the process that walks is one of its own. */
	int errnum = geteuid() != 0 ? own_namespaces() : 0;
	if (errnum != 0)
		return fail(errnum, "no namespace can be made to mount in", err);
	errnum = make_mount("tmpfs", NULL, &scratch_fd);
	if (errnum == 0)
		errnum = link_layers(build, stage, scratch_fd, list);
	/* Relative names are looked up from the working directory. */
	if (errnum == 0 && fchdir(scratch_fd) < 0)
		errnum = errno;
	if (errnum == 0)
		errnum = make_mount("overlay", list, ret_fd);
	if (old_fd >= 0 && fchdir(old_fd) < 0 && errnum == 0)
		errnum = errno;
	return errnum == 0 ? 0 : fail(errnum, "the layers cannot be mounted", err);
}
