/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fds.c - close every descriptor that the command must not inherit
 *
 * Two ways, the second for kernels before 5.9 and for hosts whose own filter forbids
 * close_range().  There is no third: trying all numbers up to RLIMIT_NOFILE would miss those that
 * were opened before the limit went down.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "confine/confine.h"

#ifndef SYS_close_range
#	define SYS_close_range 436
#endif

struct entry {
	uint64_t inode;
	int64_t offset;
	uint16_t len; /* of the whole entry */
	uint8_t type;
	char name[];
};

/* Closes what one reading of the directory lists; returns how many, or -errno. */
static long fds_close_listed(int dir_fd, unsigned first)
{
	_Alignas(struct entry) char bytes[4096];
	long n_closed = 0;
	for (;;) {
		long n_bytes = syscall(SYS_getdents64, dir_fd, bytes, sizeof(bytes));
		if (n_bytes <= 0)
			return n_bytes < 0 ? -errno : n_closed;
		for (long at = 0; at < n_bytes;) {
			const struct entry *entry = (const void *)(bytes + at);
			at += entry->len;
			uint64_t fd;
			if (!text_parse_u64(entry->name, &fd) || fd < first ||
			    fd == (unsigned)dir_fd)
				continue;
			(void)close((int)fd);
			n_closed++;
		}
	}
}

/* Read again until a reading finds nothing: the list may have moved while it was read. */
static int fds_close_by_proc(unsigned first)
{
	auto_fd int dir_fd = open("/proc/self/fd", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0)
		return EBADF;
	for (unsigned i = 0; i < 8; i++) {
		long n_closed = fds_close_listed(dir_fd, first);
		if (n_closed <= 0)
			return n_closed < 0 ? EBADF : 0;
		if (lseek(dir_fd, 0, SEEK_SET) < 0)
			return EBADF;
	}
	return EBADF;
}

int confine_close_fds(unsigned first)
{
	if (syscall(SYS_close_range, first, ~0u, 0) == 0)
		return 0;
	return fds_close_by_proc(first);
}
