/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_file.c - the small text files of the cgroup file systems */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "limits/cgroup_private.h"

int cgroup_file_write(int dir_fd, const char *name, const char *text)
{
	auto_fd int fd = openat(dir_fd, name, O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
	if (fd < 0)
		return errno;
	size_t len = strlen(text);
	ssize_t n_written;
	do {
		n_written = write(fd, text, len);
	} while (n_written < 0 && errno == EINTR);
	if (n_written < 0)
		return errno;
	return (size_t)n_written == len ? 0 : EIO;
}

int cgroup_file_write_u64(int dir_fd, const char *name, uint64_t value)
{
	char text[24];
	(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return cgroup_file_write(dir_fd, name, text);
}

size_t cgroup_fd_read(int fd, char *text, size_t size)
{
	size_t used = 0;
	while (used + 1 < size) {
		ssize_t n_read = pread(fd, text + used, size - 1 - used, (off_t)used);
		if (n_read < 0 && errno == EINTR)
			continue;
		if (n_read <= 0)
			break;
		used += (size_t)n_read;
		/* The kernel gives what fits a page at once, so a shorter text is a whole one. */
		if (used < 4096 && used + 1 < size)
			break;
	}
	text[used] = '\0';
	return used;
}

size_t cgroup_file_read(int dir_fd, const char *name, char *text, size_t size)
{
	text[0] = '\0';
	auto_fd int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
	return fd < 0 ? 0 : cgroup_fd_read(fd, text, size);
}

uint64_t cgroup_text_u64(const char *text)
{
	uint64_t value = 0;
	for (; *text >= '0' && *text <= '9'; text++) {
		uint64_t digit = (uint64_t)(*text - '0');
		if (value > (UINT64_MAX - digit) / 10)
			return UINT64_MAX;
		value = value * 10 + digit;
	}
	return value;
}

uint64_t cgroup_text_key(const char *text, const char *key)
{
	size_t len = strlen(key);
	for (const char *line = text; line && *line;) {
		if (strncmp(line, key, len) == 0 && line[len] == ' ')
			return cgroup_text_u64(line + len + 1);
		line = strchr(line, '\n');
		line = line ? line + 1 : NULL;
	}
	return 0;
}

void cgroup_name(char name[CGROUP_NAME_BYTES], const char *prefix, const char *id)
{
	(void)snprintf(name, CGROUP_NAME_BYTES, "%s%s", prefix, id);
}

void cgroup_command_name(char name[CGROUP_NAME_BYTES], unsigned command)
{
	(void)snprintf(name, CGROUP_NAME_BYTES, "c%u", command);
}

int cgroup_dir_open(int dir_fd, const char *name)
{
	return openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW);
}

int cgroup_dir_make(int dir_fd, const char *name, int *ret_fd)
{
	if (mkdirat(dir_fd, name, 0755) < 0)
		return errno;
	int fd = cgroup_dir_open(dir_fd, name);
	if (fd < 0) {
		int errnum = errno;
		(void)unlinkat(dir_fd, name, AT_REMOVEDIR);
		return errnum;
	}
	*ret_fd = fd;
	return 0;
}
