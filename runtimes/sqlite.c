/* SPDX-License-Identifier: Apache-2.0 */
/*
 * sqlite.c - SQLite's own command line for WASI
 *
 * There are no modes of files, no home and no /dev/urandom.
 */
#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>
#include <sys/types.h>

#include "sqlite3.h"

static int no_modes(const char *path, mode_t mode)
{
	(void)path;
	(void)mode;
	errno = ENOSYS;
	return -1;
}
#define chmod no_modes

#include "shell.c"

static int get_random(sqlite3_vfs *vfs, int len, char *bytes)
{
	(void)vfs;
	return getentropy(bytes, (size_t)len) == 0 ? len : 0;
}

/* SQLITE_EXTRA_INIT: called once, after all else is there. */
int sqlite_begin(const char *unused)
{
	(void)unused;
	sqlite3_vfs_find(NULL)->xRandomness = get_random;
	return SQLITE_OK;
}

/* The shell would look for its ~/.sqliterc, and complain. */
__attribute__((__constructor__)) static void set_home(void)
{
	(void)setenv("HOME", "/", 0);
}
