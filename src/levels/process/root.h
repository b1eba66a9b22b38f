/* SPDX-License-Identifier: Apache-2.0 */
/* root.h - what the files that build the root file system share; all run in the child */
#pragma once

#include "levels/process/process.h"

/* root_fail() - notes where; returns @errnum as a positive errno. */
int root_fail(struct process_step *step, enum init_stage stage, const char *subject, int errnum);

int root_write_file(int dir_fd, const char *path, const char *text);

/*
 * root_overlay.c: root: dir and root: image
 * @sources:  the tree or the layers, then the change set if there is one
 */
int root_build_overlay(const struct process_setup *setup, int scratch_fd, const int *sources,
		       int *ret_root_fd, struct process_step *step);

/* root_host.c */
int root_build_host(const struct process_setup *setup, int scratch_fd, int *ret_root_fd,
		    struct process_step *step);

/*
 * root_make_layers() - below @dir_fd: the layer that hides and replaces what lies in /etc, and an
 * empty one for the folders that need neither
 */
int root_make_layers(const char *hostname, int dir_fd, struct process_step *step);

/* root_layers_are_whole() - root made what lies at @path, and none of its masks is missing */
bool root_layers_are_whole(const char *path);

/* root_layers_key() - of what the layers hold in this build */
uint64_t root_layers_key(void);

static inline const char *root_hostname(const struct policy *policy)
{
	return policy->hostname[0] ? policy->hostname : PROCESS_DEFAULT_HOSTNAME;
}

/* root_verify_masks() - no masked name exists in the finished root; looked at from outside it. */
int root_verify_masks(const struct process_setup *setup, int root_fd, struct process_step *step);

/* root_system.c: /dev, /proc and /sys, the same for every kind of root. */
int root_build_system(const struct process_setup *setup, int root_fd, int scratch_fd,
		      struct process_step *step);

/* root_write_cpus() - into sys/devices/system/cpu: how many processors the policy grants. */
int root_write_cpus(const struct process_setup *setup, int dir_fd);

/* sources.c */
int root_mount_one(const struct process_setup *setup, int root_fd, int scratch_fd, size_t index,
		   int source_fd);
const char *process_source_target(const struct process_setup *setup, size_t index);
