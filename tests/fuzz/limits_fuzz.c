/* SPDX-License-Identifier: Apache-2.0 */
/*
 * limits_fuzz.c - what src/limits reads from /proc: mount points, cgroup paths, process names
 *
 * The first NUL parts the input into mountinfo and cgroup; all of it is a process's stat, too.
 */
#include <assert.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "limits/cgroup_private.h"
#include "limits/tree.c"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int file_make(const uint8_t *data, size_t size, char path[64])
{
	int fd = memfd_create("input", MFD_CLOEXEC);
	assert(fd >= 0);
	if (size > 0)
		assert(write(fd, data, size) == (ssize_t)size);
	(void)snprintf(path, 64, "/proc/self/fd/%d", fd);
	return fd;
}

static void check_hierarchy(const struct cgroup_hierarchy *hierarchy)
{
	char path[CGROUP_PATH_BYTES];
	assert(strnlen(hierarchy->own, CGROUP_PATH_BYTES) < CGROUP_PATH_BYTES);
	if (!hierarchy->is_mounted) {
		assert(!cgroup_own_path(hierarchy, path));
		return;
	}
	assert(hierarchy->mount[0] == '/' && hierarchy->root[0] == '/');
	assert(strnlen(hierarchy->mount, CGROUP_PATH_BYTES) < CGROUP_PATH_BYTES);
	assert(strnlen(hierarchy->root, CGROUP_PATH_BYTES) < CGROUP_PATH_BYTES);
	if (cgroup_own_path(hierarchy, path))
		assert(strncmp(path, hierarchy->mount, strlen(hierarchy->mount)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (size > 64 * 1024)
		return 0;
	const uint8_t *middle = size > 0 ? memchr(data, '\0', size) : NULL;
	size_t n_first = middle ? (size_t)(middle - data) : size;
	size_t n_second = middle ? size - n_first - 1 : 0;
	char mountinfo[64], cgroup[64];
	auto_fd int first = file_make(data, n_first, mountinfo);
	auto_fd int second = file_make(middle ? middle + 1 : NULL, n_second, cgroup);
	struct cgroup_mounts mounts;
	assert(cgroup_mounts_read(&mounts, mountinfo, cgroup) == 0);
	check_hierarchy(&mounts.v2);
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++)
		check_hierarchy(&mounts.v1[i]);

	char *text = malloc(size + 1);
	assert(text);
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	struct process_stat stat;
	(void)stat_parse(text, size, &stat);
	(void)status_memory_bytes(text);
	(void)cgroup_text_key(text, "oom_kill");
	free(text);
	return 0;
}
