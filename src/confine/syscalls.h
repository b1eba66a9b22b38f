/* SPDX-License-Identifier: Apache-2.0 */
/*
 * syscalls.h - every system call, and what each profile does with it
 *
 * SYSCALLS(GROUP, CALL) is one table for the generator of the filters (tools/seccomp-gen), the
 * manual page and the tests.
 *
 *   GROUP(title)
 *   CALL(name, default, strict, monitor, why)
 *
 * The columns are the profiles: "default" and "strict" are what policies name; "monitor" is
 * what foso-monitor keeps for itself.  The words in them:
 *
 *   yes     allowed
 *   no      denied, counted, EPERM
 *   gone    denied, counted, ENOSYS: Linux itself no longer has it
 *   enosys  ENOSYS, not counted: libc tries it each time and falls back to something else
 *   others  a rule of seccomp_rules.h that looks at the arguments
 *
 * A call that is not in the table is denied with ENOSYS, as a kernel without it would answer.
 * Numbers come from libseccomp; those of calls newer than it are in SYSCALL_NUMBERS below.
 */
#pragma once

/*
 * Calls that libseccomp 2.5.4 does not know.  Since 424 the numbers are the same on every
 * architecture that foso could run on (scripts/syscall.tbl of Linux 6.11 and later).
 */
/* clang-format off */
#define SYSCALL_NUMBERS(NUMBER) \
	NUMBER(cachestat, 451) \
	NUMBER(fchmodat2, 452) \
	NUMBER(map_shadow_stack, 453) \
	NUMBER(futex_wake, 454) \
	NUMBER(futex_wait, 455) \
	NUMBER(futex_requeue, 456) \
	NUMBER(statmount, 457) \
	NUMBER(listmount, 458) \
	NUMBER(lsm_get_self_attr, 459) \
	NUMBER(lsm_set_self_attr, 460) \
	NUMBER(lsm_list_modules, 461) \
	NUMBER(mseal, 462) \
	NUMBER(setxattrat, 463) \
	NUMBER(getxattrat, 464) \
	NUMBER(listxattrat, 465) \
	NUMBER(removexattrat, 466) \
	NUMBER(open_tree_attr, 467) \
	NUMBER(file_getattr, 468) \
	NUMBER(file_setattr, 469)

#define SYSCALLS(GROUP, CALL) \
	GROUP("Reading and writing") \
	CALL(read,                    yes, yes, yes, "") \
	CALL(write,                   yes, yes, yes, "") \
	CALL(readv,                   yes, yes, yes, "") \
	CALL(writev,                  yes, yes, yes, "") \
	CALL(pread64,                 yes, yes, yes, "") \
	CALL(pwrite64,                yes, yes, yes, "") \
	CALL(preadv,                  yes, yes, no,  "") \
	CALL(pwritev,                 yes, yes, no,  "") \
	CALL(preadv2,                 yes, yes, no,  "") \
	CALL(pwritev2,                yes, yes, no,  "") \
	CALL(lseek,                   yes, yes, yes, "") \
	CALL(sendfile,                yes, yes, no,  "") \
	CALL(splice,                  yes, no,  yes, \
			"pipes of pages have a long history of kernel bugs; computing needs none") \
	CALL(tee,                     yes, no,  yes, "as splice") \
	CALL(vmsplice,                yes, no,  no,  "as splice") \
	CALL(copy_file_range,         yes, yes, no,  "") \
	CALL(fsync,                   yes, yes, yes, "") \
	CALL(fdatasync,               yes, yes, yes, "") \
	CALL(sync_file_range,         yes, yes, no,  "") \
	CALL(syncfs,                  yes, no,  no,  "flushes what others wrote too") \
	CALL(sync,                    yes, no,  no,  "flushes what others wrote too") \
	CALL(readahead,               yes, yes, no,  "") \
	CALL(fadvise64,               yes, yes, no,  "") \
	CALL(io_setup,                no,  no,  no, \
			"takes from what the whole machine has (fs.aio-max-nr): one sandbox could have " \
			"it all") \
	CALL(io_destroy,              no,  no,  no,  "as io_setup") \
	CALL(io_getevents,            no,  no,  no,  "as io_setup") \
	CALL(io_pgetevents,           no,  no,  no,  "as io_setup") \
	CALL(io_submit,               no,  no,  no,  "as io_setup") \
	CALL(io_cancel,               no,  no,  no,  "as io_setup") \
	CALL(io_uring_setup,          no,  no,  no, \
			"works past seccomp: what its rings carry is never filtered") \
	CALL(io_uring_enter,          no,  no,  no,  "as io_uring_setup") \
	CALL(io_uring_register,       no,  no,  no,  "as io_uring_setup") \
	GROUP("Descriptors") \
	CALL(close,                   yes, yes, yes, "") \
	CALL(close_range,             yes, yes, no, "") \
	CALL(dup,                     yes, yes, yes, "") \
	CALL(dup2,                    yes, yes, yes, "") \
	CALL(dup3,                    yes, yes, yes, "") \
	CALL(fcntl,                   yes, yes, yes, "") \
	CALL(flock,                   yes, yes, yes, "") \
	CALL(ioctl,                   ioctl_default, ioctl_strict, ioctl_monitor, \
			"") \
	CALL(pipe,                    yes, yes, no, "") \
	CALL(pipe2,                   yes, yes, yes, "") \
	CALL(poll,                    yes, yes, yes, "") \
	CALL(ppoll,                   yes, yes, yes, "") \
	CALL(select,                  yes, yes, no,  "") \
	CALL(pselect6,                yes, yes, no,  "") \
	CALL(epoll_create,            yes, yes, no,  "") \
	CALL(epoll_create1,           yes, yes, yes, "") \
	CALL(epoll_ctl,               yes, yes, yes, "") \
	CALL(epoll_wait,              yes, yes, yes, "") \
	CALL(epoll_pwait,             yes, yes, yes, "") \
	CALL(epoll_pwait2,            yes, yes, yes, "") \
	CALL(eventfd,                 yes, yes, no,  "") \
	CALL(eventfd2,                yes, yes, yes, "") \
	CALL(signalfd,                yes, yes, no,  "") \
	CALL(signalfd4,               yes, yes, yes, "") \
	CALL(timerfd_create,          yes, yes, yes, "") \
	CALL(timerfd_settime,         yes, yes, yes, "") \
	CALL(timerfd_gettime,         yes, yes, yes, "") \
	CALL(memfd_create,            yes, no,  yes, \
			"a file that no path rule sees, and that can be executed") \
	CALL(memfd_secret,            no,  no,  no, \
			"memory that not even the host's kernel maps, so nobody can look at it") \
	CALL(userfaultfd,             no,  no,  no, \
			"lets a process hold the kernel in a page fault: the lever of many exploits") \
	GROUP("Files and folders") \
	CALL(open,                    yes, open_strict, yes, "") \
	CALL(openat,                  yes, openat_strict, yes, "") \
	CALL(openat2,                 yes, enosys, no, \
			"its mode lies in memory, where no filter sees it; callers fall back to openat") \
	CALL(creat,                   yes, creat_strict, no,  "") \
	CALL(access,                  yes, yes, yes, "") \
	CALL(faccessat,               yes, yes, yes, "") \
	CALL(faccessat2,              yes, yes, yes, "") \
	CALL(stat,                    yes, yes, yes, "") \
	CALL(fstat,                   yes, yes, yes, "") \
	CALL(lstat,                   yes, yes, yes, "") \
	CALL(newfstatat,              yes, yes, yes, "") \
	CALL(statx,                   yes, yes, yes, "") \
	CALL(statfs,                  yes, yes, yes, "") \
	CALL(fstatfs,                 yes, yes, yes, "") \
	CALL(getcwd,                  yes, yes, no, "") \
	CALL(chdir,                   yes, yes, no, "") \
	CALL(fchdir,                  yes, yes, no, "") \
	CALL(getdents,                yes, yes, no,  "") \
	CALL(getdents64,              yes, yes, yes, "") \
	CALL(mkdir,                   yes, yes, yes, "") \
	CALL(mkdirat,                 yes, yes, yes, "") \
	CALL(rmdir,                   yes, yes, yes, "") \
	CALL(link,                    yes, yes, no,  "") \
	CALL(linkat,                  yes, yes, no,  "") \
	CALL(symlink,                 yes, yes, no,  "") \
	CALL(symlinkat,               yes, yes, no,  "") \
	CALL(readlink,                yes, yes, yes, "") \
	CALL(readlinkat,              yes, yes, yes, "") \
	CALL(unlink,                  yes, yes, yes, "") \
	CALL(unlinkat,                yes, yes, yes, "") \
	CALL(rename,                  yes, yes, yes, "") \
	CALL(renameat,                yes, yes, yes, "") \
	CALL(renameat2,               yes, yes, yes, "") \
	CALL(truncate,                yes, yes, no,  "") \
	CALL(ftruncate,               yes, yes, yes, "") \
	CALL(fallocate,               yes, yes, no,  "") \
	CALL(umask,                   yes, yes, no, "") \
	CALL(chmod,                   yes, chmod_strict, no,  "") \
	CALL(fchmod,                  yes, chmod_strict, chmod_strict, "") \
	CALL(fchmodat,                yes, fchmodat_strict, no,  "") \
	CALL(fchmodat2,               yes, fchmodat_strict, no,  "") \
	CALL(chown,                   yes, no,  no, \
			"there is one user, so there is nobody to give a file to") \
	CALL(fchown,                  yes, no,  no,  "as chown") \
	CALL(lchown,                  yes, no,  no,  "as chown") \
	CALL(fchownat,                yes, no,  yes,  "as chown") \
	CALL(mknod,                   mknod, no,  no,  "") \
	CALL(mknodat,                 mknodat, no,  no,  "") \
	CALL(utime,                   yes, yes, no,  "") \
	CALL(utimes,                  yes, yes, no,  "") \
	CALL(futimesat,               yes, yes, no,  "") \
	CALL(utimensat,               yes, yes, no,  "") \
	CALL(getxattr,                yes, yes, no,  "") \
	CALL(lgetxattr,               yes, yes, no,  "") \
	CALL(fgetxattr,               yes, yes, no,  "") \
	CALL(getxattrat,              yes, yes, no,  "") \
	CALL(listxattr,               yes, yes, no,  "") \
	CALL(llistxattr,              yes, yes, no,  "") \
	CALL(flistxattr,              yes, yes, no,  "") \
	CALL(listxattrat,             yes, yes, no,  "") \
	CALL(setxattr,                yes, no,  no, \
			"attributes carry ACLs and labels; computing needs none") \
	CALL(lsetxattr,               yes, no,  no,  "as setxattr") \
	CALL(fsetxattr,               yes, no,  no,  "as setxattr") \
	CALL(setxattrat,              yes, no,  no,  "as setxattr") \
	CALL(removexattr,             yes, no,  no,  "as setxattr") \
	CALL(lremovexattr,            yes, no,  no,  "as setxattr") \
	CALL(fremovexattr,            yes, no,  no,  "as setxattr") \
	CALL(removexattrat,           yes, no,  no,  "as setxattr") \
	CALL(file_getattr,            yes, yes, no,  "") \
	CALL(file_setattr,            no,  no,  no, \
			"could leave the project that a disk quota counts") \
	CALL(cachestat,               yes, no,  no,  "tells what others read lately") \
	CALL(inotify_init,            yes, no,  no, \
			"holds kernel memory per watched file; computing needs none") \
	CALL(inotify_init1,           yes, no,  yes, "as inotify_init") \
	CALL(inotify_add_watch,       yes, no,  yes, "as inotify_init") \
	CALL(inotify_rm_watch,        yes, no,  yes, "as inotify_init") \
	CALL(fanotify_init,           no,  no,  no,  "watches whole mounts") \
	CALL(fanotify_mark,           no,  no,  no,  "as fanotify_init") \
	CALL(name_to_handle_at,       no,  no,  no, \
			"handles name files without a path, past every mount") \
	CALL(open_by_handle_at,       no,  no,  no, \
			"opens any file of a file system, past every mount (CVE-2014-3519)") \
	CALL(quotactl,                no,  no,  no,  "administration of the host") \
	CALL(quotactl_fd,             no,  no,  no,  "administration of the host") \
	GROUP("Mounts and namespaces") \
	CALL(mount,                   no,  no,  no,  "the view of files is the boundary") \
	CALL(umount2,                 no,  no,  no,  "uncovers what a mask hides") \
	CALL(pivot_root,              no,  no,  no,  "the view of files is the boundary") \
	CALL(chroot,                  no,  no,  no, \
			"a root inside a root can be left (chroot(2), NOTES)") \
	CALL(open_tree,               no,  no,  no,  "as mount") \
	CALL(open_tree_attr,          no,  no,  no,  "as mount") \
	CALL(move_mount,              no,  no,  no,  "as mount") \
	CALL(fsopen,                  no,  no,  no, \
			"as mount; parsers of file systems are reached through it (CVE-2022-0185)") \
	CALL(fsconfig,                no,  no,  no,  "as fsopen") \
	CALL(fsmount,                 no,  no,  no,  "as fsopen") \
	CALL(fspick,                  no,  no,  no,  "as fsopen") \
	CALL(mount_setattr,           no,  no,  no,  "could make a read-only mount writable") \
	CALL(statmount,               no,  no,  no, \
			"describes the mounts of the host's view") \
	CALL(listmount,               no,  no,  no,  "as statmount") \
	CALL(unshare,                 unshare, unshare, no,  "") \
	CALL(setns,                   no,  no,  no,  "enters the namespaces of others") \
	GROUP("Processes and threads") \
	CALL(clone,                   clone, clone, no, "") \
	CALL(clone3,                  enosys, enosys, no, \
			"its flags lie in memory, where no filter sees them; libc falls back to clone") \
	CALL(fork,                    yes, yes, no, "") \
	CALL(vfork,                   yes, yes, no, "") \
	CALL(execve,                  yes, yes, no, "") \
	CALL(execveat,                yes, no,  no,  "executes what has no path") \
	CALL(exit,                    yes, yes, yes, "") \
	CALL(exit_group,              yes, yes, yes, "") \
	CALL(wait4,                   yes, yes, yes, "") \
	CALL(waitid,                  yes, yes, yes, "") \
	CALL(kill,                    yes, yes, yes, "") \
	CALL(tkill,                   yes, yes, no, "") \
	CALL(tgkill,                  yes, yes, yes, "") \
	CALL(pidfd_open,              yes, yes, no,  "") \
	CALL(pidfd_send_signal,       yes, yes, yes, "") \
	CALL(pidfd_getfd,             no,  no,  no, \
			"takes descriptors out of other processes") \
	CALL(process_madvise,         no,  no,  no,  "acts on the memory of other processes") \
	CALL(process_mrelease,        no,  no,  no,  "as process_madvise") \
	CALL(process_vm_readv,        no,  no,  no,  "reads the memory of other processes") \
	CALL(process_vm_writev,       no,  no,  no,  "writes the memory of other processes") \
	CALL(ptrace,                  no,  no,  no, \
			"controls other processes; a long history of kernel bugs") \
	CALL(kcmp,                    no,  no,  no, \
			"compares kernel pointers: helps an exploit") \
	CALL(getpid,                  yes, yes, yes, "") \
	CALL(getppid,                 yes, yes, yes, "") \
	CALL(gettid,                  yes, yes, yes, "") \
	CALL(getpgrp,                 yes, yes, yes, "") \
	CALL(getpgid,                 yes, yes, yes, "") \
	CALL(setpgid,                 yes, yes, no, "") \
	CALL(getsid,                  yes, yes, no, "") \
	CALL(setsid,                  yes, yes, yes, "") \
	CALL(set_tid_address,         yes, yes, no, "") \
	CALL(set_robust_list,         yes, yes, no, "") \
	CALL(get_robust_list,         yes, yes, no,  "") \
	CALL(rseq,                    yes, yes, no, "") \
	CALL(futex,                   yes, yes, yes, "") \
	CALL(futex_waitv,             yes, yes, no,  "") \
	CALL(futex_wait,              yes, yes, no,  "") \
	CALL(futex_wake,              yes, yes, no,  "") \
	CALL(futex_requeue,           yes, yes, no,  "") \
	CALL(membarrier,              yes, yes, no,  "") \
	CALL(arch_prctl,              yes, yes, no, "") \
	CALL(prctl,                   prctl_default, prctl_strict, prctl_monitor, \
			"") \
	CALL(personality,             personality, personality_query, no,  "") \
	CALL(seccomp,                 seccomp, no,  no,  "") \
	CALL(landlock_create_ruleset, yes, yes, no,  "only ever takes rights away") \
	CALL(landlock_add_rule,       yes, yes, no,  "only ever takes rights away") \
	CALL(landlock_restrict_self,  yes, yes, no,  "only ever takes rights away") \
	CALL(lsm_get_self_attr,       no,  no,  no, \
			"tells about the host's security modules") \
	CALL(lsm_set_self_attr,       no,  no,  no, \
			"changes labels of the host's security modules") \
	CALL(lsm_list_modules,        no,  no,  no, \
			"tells about the host's security modules") \
	CALL(restart_syscall,         yes, yes, yes, "") \
	GROUP("Memory") \
	CALL(brk,                     yes, yes, yes, "") \
	CALL(mmap,                    yes, yes, no_exec, "") \
	CALL(munmap,                  yes, yes, yes, "") \
	CALL(mremap,                  yes, yes, yes, "") \
	CALL(mprotect,                yes, yes, no_exec, "") \
	CALL(madvise,                 yes, yes, yes, "") \
	CALL(msync,                   yes, yes, no,  "") \
	CALL(mincore,                 yes, no,  no,  "tells what others read lately") \
	CALL(mlock,                   yes, yes, no,  "") \
	CALL(mlock2,                  yes, yes, no,  "") \
	CALL(mlockall,                yes, yes, no,  "") \
	CALL(munlock,                 yes, yes, no,  "") \
	CALL(munlockall,              yes, yes, no,  "") \
	CALL(mseal,                   yes, yes, no, "") \
	CALL(map_shadow_stack,        yes, yes, no, "") \
	CALL(pkey_alloc,              yes, yes, no,  "") \
	CALL(pkey_free,               yes, yes, no,  "") \
	CALL(pkey_mprotect,           yes, yes, no,  "") \
	CALL(remap_file_pages,        no,  no,  no, \
			"deprecated since Linux 3.16, and nothing uses it") \
	CALL(get_mempolicy,           yes, yes, no,  "") \
	CALL(set_mempolicy,           yes, yes, no,  "") \
	CALL(set_mempolicy_home_node, yes, yes, no,  "") \
	CALL(mbind,                   yes, yes, no,  "") \
	CALL(migrate_pages,           no,  no,  no,  "acts on the memory of other processes") \
	CALL(move_pages,              no,  no,  no,  "as migrate_pages") \
	GROUP("Signals and timers") \
	CALL(rt_sigaction,            yes, yes, yes, "") \
	CALL(rt_sigprocmask,          yes, yes, yes, "") \
	CALL(rt_sigreturn,            yes, yes, yes, "") \
	CALL(rt_sigpending,           yes, yes, yes, "") \
	CALL(rt_sigtimedwait,         yes, yes, yes, "") \
	CALL(rt_sigqueueinfo,         yes, yes, no,  "") \
	CALL(rt_tgsigqueueinfo,       yes, yes, no,  "") \
	CALL(rt_sigsuspend,           yes, yes, no, "") \
	CALL(sigaltstack,             yes, yes, no, "") \
	CALL(pause,                   yes, yes, no,  "") \
	CALL(alarm,                   yes, yes, no,  "") \
	CALL(getitimer,               yes, yes, no,  "") \
	CALL(setitimer,               yes, yes, yes,  "") \
	CALL(timer_create,            yes, yes, no,  "") \
	CALL(timer_settime,           yes, yes, no,  "") \
	CALL(timer_gettime,           yes, yes, no,  "") \
	CALL(timer_getoverrun,        yes, yes, no,  "") \
	CALL(timer_delete,            yes, yes, no,  "") \
	CALL(nanosleep,               yes, yes, yes, "") \
	CALL(clock_nanosleep,         yes, yes, yes, "") \
	CALL(clock_gettime,           yes, yes, yes, "") \
	CALL(clock_getres,            yes, yes, yes, "") \
	CALL(gettimeofday,            yes, yes, yes, "") \
	CALL(time,                    yes, yes, yes, "") \
	CALL(times,                   yes, yes, no,  "") \
	CALL(clock_settime,           no,  no,  no,  "the clock is the host's") \
	CALL(clock_adjtime,           no,  no,  no, \
			"the clock is the host's; what it would set lies in memory, so reading is denied too") \
	CALL(adjtimex,                no,  no,  no,  "as clock_adjtime") \
	CALL(settimeofday,            no,  no,  no,  "the clock is the host's") \
	GROUP("Scheduling and limits") \
	CALL(sched_yield,             yes, yes, yes, "") \
	CALL(sched_getaffinity,       yes, yes, no, "") \
	CALL(sched_setaffinity,       not_init, not_init, no, \
			"denied too where the affinity mask is all that holds limits.cpus") \
	CALL(sched_getparam,          yes, yes, no,  "") \
	CALL(sched_setparam,          not_init, no,  no,  "computing needs no other priority") \
	CALL(sched_getscheduler,      yes, yes, no,  "") \
	CALL(sched_setscheduler,      not_init, no,  no,  "as sched_setparam") \
	CALL(sched_getattr,           yes, yes, no,  "") \
	CALL(sched_setattr,           not_init, no,  no,  "as sched_setparam") \
	CALL(sched_get_priority_max,  yes, yes, no,  "") \
	CALL(sched_get_priority_min,  yes, yes, no,  "") \
	CALL(sched_rr_get_interval,   yes, yes, no,  "") \
	CALL(getpriority,             yes, yes, no,  "") \
	CALL(setpriority,             setpriority, setpriority, no,  "") \
	CALL(ioprio_get,              yes, yes, no,  "") \
	CALL(ioprio_set,              ioprio_set, no,  no,  "computing needs no other priority") \
	CALL(getrlimit,               yes, yes, no, "") \
	CALL(setrlimit,               setrlimit, setrlimit, no,  "") \
	CALL(prlimit64,               prlimit, prlimit, prlimit, "") \
	CALL(getrusage,               yes, yes, yes, "") \
	CALL(getcpu,                  yes, yes, no, "") \
	GROUP("Users and groups") \
	CALL(getuid,                  yes, yes, yes, "") \
	CALL(geteuid,                 yes, yes, yes, "") \
	CALL(getresuid,               yes, yes, no, "") \
	CALL(getgid,                  yes, yes, yes, "") \
	CALL(getegid,                 yes, yes, yes, "") \
	CALL(getresgid,               yes, yes, no, "") \
	CALL(getgroups,               yes, yes, no,  "") \
	CALL(setuid,                  yes, no,  no, \
			"there is one user, so there is nobody to become") \
	CALL(setreuid,                yes, no,  no,  "as setuid") \
	CALL(setresuid,               yes, no,  no,  "as setuid") \
	CALL(setfsuid,                yes, no,  no,  "as setuid") \
	CALL(setgid,                  yes, no,  no,  "as setuid") \
	CALL(setregid,                yes, no,  no,  "as setuid") \
	CALL(setresgid,               yes, no,  no,  "as setuid") \
	CALL(setfsgid,                yes, no,  no,  "as setuid") \
	CALL(setgroups,               yes, no,  no,  "as setuid") \
	CALL(capget,                  yes, yes, no,  "") \
	CALL(capset,                  yes, no,  no,  "there are no capabilities to drop") \
	GROUP("Sockets") \
	CALL(socket,                  socket, no,  no,  "") \
	CALL(socketpair,              socketpair, socketpair, socketpair, "") \
	CALL(connect,                 yes, no,  no,  "reaches out") \
	CALL(bind,                    yes, no,  no,  "can be reached") \
	CALL(listen,                  yes, no,  no,  "can be reached") \
	CALL(accept,                  yes, no,  no,  "can be reached") \
	CALL(accept4,                 yes, no,  yes, "can be reached") \
	CALL(sendto,                  yes, yes, yes, "") \
	CALL(sendmsg,                 yes, yes, yes, "") \
	CALL(sendmmsg,                yes, yes, no,  "") \
	CALL(recvfrom,                yes, yes, yes, "") \
	CALL(recvmsg,                 yes, yes, yes, "") \
	CALL(recvmmsg,                yes, yes, no,  "") \
	CALL(shutdown,                yes, yes, yes, "") \
	CALL(getsockname,             yes, yes, no,  "") \
	CALL(getpeername,             yes, yes, no,  "") \
	CALL(getsockopt,              yes, yes, no,  "") \
	CALL(setsockopt,              setsockopt, setsockopt, no,  "") \
	GROUP("System V and POSIX IPC") \
	CALL(shmget,                  yes, no,  no,  "outlives the process that made it") \
	CALL(shmat,                   yes, no,  no,  "as shmget") \
	CALL(shmctl,                  yes, no,  no,  "as shmget") \
	CALL(shmdt,                   yes, no,  no,  "as shmget") \
	CALL(semget,                  yes, no,  no,  "as shmget") \
	CALL(semop,                   yes, no,  no,  "as shmget") \
	CALL(semtimedop,              yes, no,  no,  "as shmget") \
	CALL(semctl,                  yes, no,  no,  "as shmget") \
	CALL(msgget,                  yes, no,  no,  "as shmget") \
	CALL(msgsnd,                  yes, no,  no,  "as shmget") \
	CALL(msgrcv,                  yes, no,  no,  "as shmget") \
	CALL(msgctl,                  yes, no,  no,  "as shmget") \
	CALL(mq_open,                 yes, no,  no,  "as shmget") \
	CALL(mq_unlink,               yes, no,  no,  "as shmget") \
	CALL(mq_timedsend,            yes, no,  no,  "as shmget") \
	CALL(mq_timedreceive,         yes, no,  no,  "as shmget") \
	CALL(mq_notify,               yes, no,  no,  "as shmget") \
	CALL(mq_getsetattr,           yes, no,  no,  "as shmget") \
	GROUP("The system") \
	CALL(uname,                   yes, yes, yes, "") \
	CALL(sysinfo,                 yes, yes, no, "") \
	CALL(getrandom,               yes, yes, yes, "") \
	CALL(add_key,                 no,  no,  no, \
			"keyrings are shared by all that have the same user") \
	CALL(request_key,             no,  no,  no, \
			"as add_key; starts a program of the host") \
	CALL(keyctl,                  no,  no,  no,  "as add_key") \
	CALL(bpf,                     no,  no,  no,  "runs programs inside the kernel") \
	CALL(perf_event_open,         no,  no,  no, \
			"measures others; a long history of kernel bugs") \
	CALL(syslog,                  no,  no,  no, \
			"the kernel's log tells addresses and what others did") \
	CALL(sethostname,             no,  no,  no,  "the policy names the host") \
	CALL(setdomainname,           no,  no,  no,  "as sethostname") \
	CALL(iopl,                    no,  no,  no,  "hardware of the host") \
	CALL(ioperm,                  no,  no,  no,  "hardware of the host") \
	CALL(modify_ldt,              no,  no,  no, \
			"16-bit segments: only old emulators need them (CVE-2017-17053)") \
	CALL(vhangup,                 no,  no,  no,  "administration of the host") \
	CALL(acct,                    no,  no,  no,  "administration of the host") \
	CALL(reboot,                  no,  no,  no,  "administration of the host") \
	CALL(kexec_load,              no,  no,  no,  "administration of the host") \
	CALL(kexec_file_load,         no,  no,  no,  "administration of the host") \
	CALL(init_module,             no,  no,  no,  "administration of the host") \
	CALL(finit_module,            no,  no,  no,  "administration of the host") \
	CALL(delete_module,           no,  no,  no,  "administration of the host") \
	CALL(swapon,                  no,  no,  no,  "administration of the host") \
	CALL(swapoff,                 no,  no,  no,  "administration of the host") \
	CALL(lookup_dcookie,          no,  no,  no,  "tells paths of other processes") \
	CALL(uselib,                  gone, gone, no,  "") \
	CALL(ustat,                   gone, gone, no,  "") \
	CALL(sysfs,                   gone, gone, no,  "") \
	CALL(_sysctl,                 gone, gone, no,  "") \
	CALL(nfsservctl,              gone, gone, no,  "") \
	CALL(create_module,           gone, gone, no,  "") \
	CALL(get_kernel_syms,         gone, gone, no,  "") \
	CALL(query_module,            gone, gone, no,  "") \
	CALL(getpmsg,                 gone, gone, no,  "") \
	CALL(putpmsg,                 gone, gone, no,  "") \
	CALL(afs_syscall,             gone, gone, no,  "") \
	CALL(tuxcall,                 gone, gone, no,  "") \
	CALL(security,                gone, gone, no,  "") \
	CALL(vserver,                 gone, gone, no,  "") \
	CALL(set_thread_area,         gone, gone, no,  "") \
	CALL(get_thread_area,         gone, gone, no,  "") \
	CALL(epoll_ctl_old,           gone, gone, no,  "") \
	CALL(epoll_wait_old,          gone, gone, no,  "")
/* clang-format on */
