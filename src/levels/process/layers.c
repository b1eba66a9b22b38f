/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layers.c - the layers of root: host, made once and used by every later start
 *
 * Thirty whiteouts, five files and the folders around them are the same for every sandbox that
 * root starts with the usual host name, and making and looking through them takes a twelfth of a
 * start.  So the first one leaves them in /run, which is empty after a boot, under a name that is a
 * digest of what they hold; later ones show them, read-only, as layers.
 *
 * Trust: only root could change them.  That they are whole is seen by the number of links of the
 * one whiteout that all masks are (a copy made without devices, or a mask that somebody removed,
 * is not used), and in the finished root by names that must not exist.  All names are looked at by
 * the start that made them.  An ordinary user's sandbox has his id, so it makes its own, in memory.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "levels/process/root.h"
#include "wire/rundir.h"

/* Where the folder lies on a disk, a crash must not leave empty files under the final name. */
static void flush_to_disk(int fd)
{
	auto_fd int dir_fd = openat(fd, "layer", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	(void)syncfs(dir_fd);
}

static bool make_at(const char *path, const char *unfinished)
{
	struct process_step step;
	if (mkdir(unfinished, 0755) < 0)
		return false;
	auto_fd int fd = openat(AT_FDCWD, unfinished, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || root_make_layers(PROCESS_DEFAULT_HOSTNAME, fd, &step) != 0)
		return false;
	flush_to_disk(fd);
	return root_layers_are_whole(unfinished) && rename(unfinished, path) == 0;
}

static bool exists(const char *path)
{
	return faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

/*
 * What lies there and is not whole goes out of the way, once until the next boot.  It is not
 * removed, since a sandbox may be using it: what its whiteouts still hide would appear in there.
 */
static bool put_aside(const char *path)
{
	char aside[64];
	(void)snprintf(aside, sizeof(aside), "%s.old", path);
	return !exists(path) || (!exists(aside) && rename(path, aside) == 0);
}

/*
 * One at a time: whoever comes second finds what the first has made.  What could not be finished
 * stays, so that it is not tried at every start (in a container, /run can be an overlay, which
 * takes no whiteout).  Until somebody removes it, starts are slower.
 */
static bool make(struct process_setup *setup, const char *path)
{
	char unfinished[sizeof(setup->layers) + 8];
	struct error err;
	auto_fd int lock_fd = -1;
	(void)snprintf(unfinished, sizeof(unfinished), "%s.new", path);
	if (exists(unfinished) || rundir_open(&lock_fd, &err) < 0 || flock(lock_fd, LOCK_EX) < 0)
		return false;
	if (root_layers_are_whole(path))
		return true;
	if (!put_aside(path))
		return false;
	mode_t saved = umask(0);
	setup->are_layers_new = make_at(path, unfinished);
	(void)umask(saved);
	return setup->are_layers_new;
}

bool process_layers_open(struct process_setup *setup)
{
	char path[sizeof(setup->layers)];
	if (setup->is_rootless || setup->policy->root != POLICY_ROOT_HOST ||
	    strcmp(root_hostname(setup->policy), PROCESS_DEFAULT_HOSTNAME) != 0)
		return true;
	(void)snprintf(path, sizeof(path), "/run/foso-layers-%016" PRIx64, root_layers_key());
	bool are_whole = root_layers_are_whole(path) || make(setup, path);
	if (are_whole)
		memcpy(setup->layers, path, sizeof(path));
	return are_whole;
}
