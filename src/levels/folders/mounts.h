/* SPDX-License-Identifier: Apache-2.0 */
/* mounts.h - small wrappers of the mount calls; each returns a descriptor or 0, or -errno */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

struct mount_option {
	const char *key, *value; /* value NULL: a flag */
};
int mounts_make(const char *type, const struct mount_option *options, size_t n_options,
		unsigned attributes);
int mounts_change(int mount_fd, const struct mount_option *options, size_t n_options);
int mounts_attach(int mount_fd, int dir_fd, const char *path);
int mounts_clone(int dir_fd, const char *path, bool is_recursive);
int mounts_restrict(int mount_fd, unsigned attributes, bool is_recursive);

/*
 * mounts_target() - the place for a mount below @root_fd, made if missing
 *
 * Never follows a link out of the root and never a link at its end: the root can be hostile.
 * Returns an O_PATH descriptor or -errno.
 */
int mounts_target(int root_fd, const char *path, bool is_directory);

/* mounts_mkdir() - a new folder with exactly @mode, whatever the umask; 0 or an errno. */
int mounts_mkdir(int dir_fd, const char *path, mode_t mode);

/*
 * What a policy's mounts are made of, in a scratch file system that the sandbox does not see;
 * @index tells them apart.  The cwd is the scratch afterwards.
 */
int mounts_make_overlay(int scratch_fd, size_t index, int source_fd);
int mounts_make_tmpfs(int scratch_fd, size_t index, uint64_t size_bytes);
