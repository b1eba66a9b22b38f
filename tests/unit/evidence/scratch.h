/* SPDX-License-Identifier: Apache-2.0 */
/* scratch.h - a folder for one test, and small files in it */
#pragma once

#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/macros.h"

static char scratch_path[64];

/* A fresh folder; its path stays in scratch_path. */
static inline void scratch_make(void)
{
	(void)snprintf(scratch_path, sizeof(scratch_path), "/tmp/foso-evidence-XXXXXX");
	if (!mkdtemp(scratch_path))
		abort();
}

static inline int scratch_remove_one(const char *path, const struct stat *status, int type,
				     struct FTW *ftw)
{
	UNUSED(status);
	UNUSED(type);
	UNUSED(ftw);
	return remove(path);
}

static inline void scratch_remove(void)
{
	(void)nftw(scratch_path, scratch_remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

static inline const char *scratch_file(const char *name)
{
	static char path[256];
	(void)snprintf(path, sizeof(path), "%s/%s", scratch_path, name);
	return path;
}

/* The whole file; nothing if there is none. */
static inline void scratch_read(const char *name, struct buf *ret)
{
	char bytes[4096];
	ssize_t n;
	int fd = open(scratch_file(name), O_RDONLY | O_CLOEXEC);
	buf_clear(ret);
	while (fd >= 0 && (n = read(fd, bytes, sizeof(bytes))) > 0)
		buf_append(ret, bytes, (size_t)n);
	if (fd >= 0)
		close(fd);
}

static inline void scratch_write_as(const char *name, const char *bytes, size_t len, int flags)
{
	int fd = open(scratch_file(name), O_WRONLY | O_CREAT | O_CLOEXEC | flags, 0600);
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		abort();
	close(fd);
}

static inline void scratch_write(const char *name, const char *bytes, size_t len)
{
	scratch_write_as(name, bytes, len, O_TRUNC);
}

static inline void scratch_append(const char *name, const char *bytes, size_t len)
{
	scratch_write_as(name, bytes, len, O_APPEND);
}
