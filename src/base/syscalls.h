/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscalls.h - system calls that the C libraries of Debian 12 do not wrap
 *
 * Each returns what the kernel does: -1 and errno on failure.  Requires Linux 5.12 (mount_setattr);
 * numbers are the same on every architecture since 5.1's unified table.
 */
#pragma once

#include <linux/mount.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>

#ifndef MNT_DETACH
#	define MNT_DETACH 2
#endif
#ifndef AT_RECURSIVE
#	define AT_RECURSIVE 0x8000
#endif
#ifndef AT_EMPTY_PATH
#	define AT_EMPTY_PATH 0x1000
#endif

static inline int sys_open_tree(int dir_fd, const char *path, unsigned flags)
{
	return (int)syscall(SYS_open_tree, dir_fd, path, flags);
}

static inline int sys_move_mount(int from_fd, const char *from, int to_fd, const char *to,
				 unsigned flags)
{
	return (int)syscall(SYS_move_mount, from_fd, from, to_fd, to, flags);
}

static inline int sys_fsopen(const char *type, unsigned flags)
{
	return (int)syscall(SYS_fsopen, type, flags);
}

static inline int sys_fsconfig(int fd, unsigned command, const char *key, const void *value,
			       int aux)
{
	return (int)syscall(SYS_fsconfig, fd, command, key, value, aux);
}

static inline int sys_fspick(int dir_fd, const char *path, unsigned flags)
{
	return (int)syscall(SYS_fspick, dir_fd, path, flags);
}

static inline int sys_fsmount(int fd, unsigned flags, unsigned attributes)
{
	return (int)syscall(SYS_fsmount, fd, flags, attributes);
}

static inline int sys_mount_setattr(int dir_fd, const char *path, unsigned flags,
				    struct mount_attr *attributes)
{
	return (int)syscall(SYS_mount_setattr, dir_fd, path, flags, attributes,
			    sizeof(*attributes));
}

static inline int sys_mount(const char *source, const char *target, const char *type,
			    unsigned long flags, const void *data)
{
	return (int)syscall(SYS_mount, source, target, type, flags, data);
}

static inline int sys_pivot_root(const char *new_root, const char *put_old)
{
	return (int)syscall(SYS_pivot_root, new_root, put_old);
}

static inline int sys_umount2(const char *target, int flags)
{
	return (int)syscall(SYS_umount2, target, flags);
}

static inline int sys_openat2(int dir_fd, const char *path, struct open_how *how)
{
	return (int)syscall(SYS_openat2, dir_fd, path, how, sizeof(*how));
}

static inline long sys_clone3(struct clone_args *args)
{
	return syscall(SYS_clone3, args, sizeof(*args));
}

static inline int sys_execveat(int dir_fd, const char *path, char *const argv[], char *const envp[],
			       int flags)
{
	return (int)syscall(SYS_execveat, dir_fd, path, argv, envp, flags);
}

static inline int sys_pidfd_send_signal(int pidfd, int signal_number)
{
	return (int)syscall(SYS_pidfd_send_signal, pidfd, signal_number, NULL, 0);
}

static inline int sys_pidfd_open(pid_t pid)
{
	return (int)syscall(SYS_pidfd_open, pid, 0);
}

static inline int sys_memfd_create(const char *name, unsigned flags)
{
	return (int)syscall(SYS_memfd_create, name, flags);
}

/* The request is unsigned long in glibc and int in musl; the kernel reads 32 bits of it. */
static inline int sys_ioctl(int fd, unsigned request, void *argument)
{
	return (int)syscall(SYS_ioctl, fd, (unsigned long)request, argument);
}
