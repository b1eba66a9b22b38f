/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cleanup.h - what a variable releases when it goes out of scope, and how it is handed over
 *
 * Every cleanup function keeps errno and accepts the empty value (NULL, -1, zeroed).
 */
#pragma once

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#define CLEANUP(function) __attribute__((cleanup(function)))

static inline void cleanup_free(void *pointer)
{
	free(*(void **)pointer);
}

static inline void cleanup_fd(const int *fd)
{
	if (*fd >= 0) {
		int saved_errno = errno;
		close(*fd);
		errno = saved_errno;
	}
}

static inline void cleanup_dir(DIR **dir)
{
	if (*dir) {
		int saved_errno = errno;
		closedir(*dir);
		errno = saved_errno;
	}
}

#define auto_free CLEANUP(cleanup_free)
#define auto_fd   CLEANUP(cleanup_fd) /* initialise to -1 */
#define auto_dir  CLEANUP(cleanup_dir)

/* take_fd() - the descriptor, leaving -1 behind: ownership moves visibly. */
static inline int take_fd(int *fd)
{
	int taken = *fd;
	*fd = -1;
	return taken;
}

/* take_ptr() - the pointer, leaving NULL behind. */
#define take_ptr(pointer)                                   \
	({                                                  \
		__typeof__(*(pointer)) taken_ = *(pointer); \
		*(pointer) = NULL;                          \
		taken_;                                     \
	})

/* fd_close() - close and forget; -1 is accepted; keeps errno. */
static inline void fd_close(int *fd)
{
	cleanup_fd(fd);
	*fd = -1;
}
