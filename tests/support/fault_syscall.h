/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fault_syscall.h - let the n-th system call fail
 *
 * Include it in one file of a program that is linked with fault_syscall_link_args (tests/
 * meson.build): the linker sends the calls of statically linked code through here.  A process
 * that such code clones counts on by itself, so that both sides of a clone are met.
 */
#pragma once

#include <errno.h>
#include <stdarg.h>
#include <stdbool.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

static unsigned long fault_call_countdown; /* 0: none fails; 1: the next one does */
static int fault_call_errnum;
static bool *fault_call_was_hit; /* shared with what this process clones */

static inline void fault_call_arm(unsigned long n, int errnum)
{
	if (!fault_call_was_hit)
		fault_call_was_hit = mmap(NULL, sizeof(bool), PROT_READ | PROT_WRITE,
					  MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	fault_call_countdown = n;
	fault_call_errnum = errnum;
	*fault_call_was_hit = false;
}

/* fault_call_disarm() - true if the armed call was reached, in this process or a clone. */
static inline bool fault_call_disarm(void)
{
	fault_call_countdown = 0;
	return *fault_call_was_hit;
}

static inline bool fault_call_strikes(void)
{
	if (fault_call_countdown == 0 || --fault_call_countdown > 0)
		return false;
	*fault_call_was_hit = true;
	errno = fault_call_errnum;
	return true;
}

#define FAULT_WRAP(type, name, parameters, arguments) \
	type __real_##name parameters;                \
	type __wrap_##name parameters;                \
	type __wrap_##name parameters                 \
	{                                             \
		if (fault_call_strikes())             \
			return -1;                    \
		return __real_##name arguments;       \
	}

FAULT_WRAP(int, pipe2, (int fds[2], int flags), (fds, flags))
FAULT_WRAP(int, socketpair, (int domain, int type, int protocol, int fds[2]),
	   (domain, type, protocol, fds))
FAULT_WRAP(int, epoll_create1, (int flags), (flags))
FAULT_WRAP(int, epoll_ctl, (int epoll_fd, int operation, int fd, struct epoll_event *event),
	   (epoll_fd, operation, fd, event))
FAULT_WRAP(int, timerfd_create, (int clock, int flags), (clock, flags))
FAULT_WRAP(int, mkdirat, (int dir_fd, const char *path, mode_t mode), (dir_fd, path, mode))
FAULT_WRAP(int, fchdir, (int fd), (fd))
FAULT_WRAP(ssize_t, write, (int fd, const void *bytes, size_t len), (fd, bytes, len))
FAULT_WRAP(ssize_t, sendmsg, (int fd, const struct msghdr *message, int flags),
	   (fd, message, flags))
FAULT_WRAP(ssize_t, send, (int fd, const void *bytes, size_t len, int flags),
	   (fd, bytes, len, flags))

/* Those of a changing number of arguments: each takes as many as any caller passes. */
/* Twice, because the names of musl are macros: open64 is open there. */
#define FAULT_WRAP_OPEN(name, parameters, arguments) FAULT_WRAP_OPEN_(name, parameters, arguments)
#define FAULT_WRAP_OPEN_(name, parameters, arguments) \
	int __real_##name parameters;                 \
	int __wrap_##name parameters;                 \
	int __wrap_##name parameters                  \
	{                                             \
		va_list rest;                         \
		va_start(rest, flags);                \
		mode_t mode = va_arg(rest, mode_t);   \
		va_end(rest);                         \
		if (fault_call_strikes())             \
			return -1;                    \
		return __real_##name arguments;       \
	}

FAULT_WRAP_OPEN(open64, (const char *path, int flags, ...), (path, flags, mode))
FAULT_WRAP_OPEN(openat64, (int dir_fd, const char *path, int flags, ...),
		(dir_fd, path, flags, mode))

#define FAULT_WRAP_FCNTL(name) FAULT_WRAP_FCNTL_(name)
#define FAULT_WRAP_FCNTL_(name)                                                          \
	int __real_##name(int fd, int command, ...);                                     \
	int __wrap_##name(int fd, int command, ...);                                     \
	int __wrap_##name(int fd, int command, ...)                                      \
	{                                                                                \
		va_list rest;                                                            \
		va_start(rest, command);                                                 \
		long argument = va_arg(rest, long);                                      \
		va_end(rest);                                                            \
		return fault_call_strikes() ? -1 : __real_##name(fd, command, argument); \
	}

#ifdef __GLIBC__
FAULT_WRAP_FCNTL(fcntl64)
#else
FAULT_WRAP_FCNTL(fcntl)
#endif

long __real_syscall(long number, ...);
long __wrap_syscall(long number, ...);
long __wrap_syscall(long number, ...)
{
	va_list rest;
	long a[6];
	va_start(rest, number);
	for (int i = 0; i < 6; i++)
		a[i] = va_arg(rest, long);
	va_end(rest);
	/* The way back to root: an engine that cannot take it ends its process, and should. */
	bool is_spared = number == SYS_setresuid && a[1] == 0;
	return !is_spared && fault_call_strikes()
		       ? -1
		       : __real_syscall(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
