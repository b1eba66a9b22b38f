/* SPDX-License-Identifier: Apache-2.0 */
/*
 * passwd_fuzz.c - /etc/passwd and /etc/group of a stranger's root, by both of their readers
 *
 * The first line is the name that is looked for, the rest is the file.  What foso-init and
 * foso-copy find are the fields of a line that begins with that name, and numbers within bounds.
 */
#include <assert.h>
#include <linux/memfd.h>

#include "init/user.c"

#define read_file copy_read_file
#define parse_id  copy_parse_id
#include "copytool/owner.c"
#undef read_file
#undef parse_id

#include "base/syscalls.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_in(const char *path, const char *name)
{
	char *fields[USER_MAX_FIELDS];
	auto_free char *text = find_line(path, 0, name, fields);
	uint32_t id;
	if (text) {
		assert(strcmp(fields[0], name) == 0);
		assert(!parse_id(fields[2], &id) || id < UINT32_MAX);
		for (size_t i = 0; i < USER_MAX_FIELDS && fields[i]; i++)
			assert(!strpbrk(fields[i], "\n"));
	}
	auto_free char *by_number = find_line(path, 2, name, fields);
	if (by_number)
		assert(strcmp(fields[2], name) == 0);
	uid_t ids[2];
	if (find_ids(path, name, ids, 2))
		assert(ids[0] <= MAX_ID && ids[1] <= MAX_ID);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[32], name[256];
	const uint8_t *end = memchr(data, '\n', size);
	size_t n_name = end ? (size_t)(end - data) : size;
	if (!end || n_name >= sizeof(name) || size > 64 * 1024)
		return 0;
	memcpy(name, data, n_name);
	name[n_name] = '\0';
	size_t len = size - n_name - 1;
	auto_fd int fd = sys_memfd_create("passwd", MFD_CLOEXEC);
	assert(fd >= 0 && write(fd, end + 1, len) == (ssize_t)len);
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	look_in(path, name);
	return 0;
}
