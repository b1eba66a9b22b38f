/* SPDX-License-Identifier: Apache-2.0 */
/* fd.h - what is asked of a descriptor in many places */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/macros.h"

/*
 * fd_path() - where the file of @fd lies now, as /proc tells it
 *
 * " (deleted)" behind it if it lies nowhere any more.  NUL-terminated; returns its length, or
 * -errno: -ENAMETOOLONG if it does not fit into @size with its NUL.
 */
ssize_t fd_path(int fd, char *ret, size_t size) must_check;

/* fd_write_all() - every byte, however often write() takes a part; 0, or -1 with errno set. */
int fd_write_all(int fd, const void *bytes, size_t len) must_check;

#define FD_MAX_SENT 253 /* SCM_MAX_FD of the kernel: include/net/scm.h */

struct iovec;

/*
 * fd_send() - the bytes of @parts, at least one, and descriptors, as one message of a unix socket
 * @fds:  at most FD_MAX_SENT; stay open here
 *
 * 0 or errno: E2BIG for too many, EAGAIN if the socket is full.
 */
int fd_send(int socket_fd, struct iovec *parts, uint8_t n_parts, const int *fds, size_t n_fds)
	must_check;
