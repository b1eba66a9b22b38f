/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp_rules.h - the calls that are allowed for some arguments only
 *
 * SECCOMP_RULES(RULE): RULE(name, what it allows).  The names are the words used in syscalls.h;
 * tools/seccomp-gen/rules.c turns them into instructions.
 *
 * The register is 64 bits wide, but the kernel reads most of these arguments as int or as
 * unsigned int, and never sees the upper half: ioctl(fd, 0x100005412) is TIOCSTI.  So each rule
 * compares the half that the kernel uses, and only that (CVE-2019-10063 was the other way).
 * The exception is unshare(), whose argument is an unsigned long: an upper half there is denied.
 */
#pragma once

/* What a policy's profile says about one call; also the words of the columns in syscalls.h. */
/* clang-format off */
#define SECCOMP_RULES(RULE) \
	RULE(ioctl_default, \
		"all but TIOCSTI, TIOCLINUX, TIOCSETD and TIOCCONS (input and drivers of terminals), " \
		"FS_IOC_SETFLAGS, FS_IOC_FSSETXATTR (the project that a quota counts), file encryption " \
		"and verity, and those of btrfs other than cloning of ranges") \
	RULE(ioctl_strict, \
		"settings and size of a terminal, FIONREAD, FIONBIO, FIOCLEX, FIONCLEX") \
	RULE(ioctl_monitor, \
		"settings, size and number of a terminal, FIONREAD, FIONBIO, seccomp notifications") \
	RULE(open_strict, "no file may be created with set-user-id or set-group-id") \
	RULE(openat_strict, "no file may be created with set-user-id or set-group-id") \
	RULE(creat_strict, "no file may be created with set-user-id or set-group-id") \
	RULE(chmod_strict, "neither set-user-id nor set-group-id") \
	RULE(fchmodat_strict, "neither set-user-id nor set-group-id") \
	RULE(mknod, "files, FIFOs and sockets, no devices") \
	RULE(mknodat, "files, FIFOs and sockets, no devices") \
	RULE(unshare, "without CLONE_NEW*, and without flags that are not known yet") \
	RULE(clone, "without CLONE_NEW*") \
	RULE(prctl_default, \
		"without PR_SET_MM, PR_SET_SPECULATION_CTRL, PR_SCHED_CORE, PR_SET_IO_FLUSHER, " \
		"PR_SET_MEMORY_MERGE (they weaken the host or measure others), and options not known") \
	RULE(prctl_strict, \
		"name, parent-death signal, dumpable, no_new_privs, timer slack, names of memory areas; " \
		"asking for the seccomp mode and the bounding set (libcap does at its start)") \
	RULE(prctl_monitor, "name, parent-death signal, dumpable (get and set), names of memory areas") \
	RULE(personality, "PER_LINUX, PER_LINUX32, either with UNAME26, and asking") \
	RULE(personality_query, "asking only") \
	RULE(seccomp, "all but SECCOMP_FILTER_FLAG_NEW_LISTENER: the listener is foso's") \
	RULE(setrlimit, \
		"hard limits only ever go down; RLIMIT_CORE stays as it is, and the answer is that it " \
		"was set: some programs end if they cannot turn core dumps off") \
	RULE(prlimit, \
		"as setrlimit; EPERM if the old RLIMIT_CORE is asked for in the same call, and for " \
		"setting a limit of process 1, which is foso-init") \
	RULE(not_init, "of any process but 1, which is foso-init") \
	RULE(setpriority, "of any process but 1, which is foso-init, and not of all of a user") \
	RULE(ioprio_set, "as setpriority") \
	RULE(no_exec, "without PROT_EXEC") \
	RULE(socket, \
		"AF_UNIX; AF_INET and AF_INET6 with TCP, UDP and ping (no raw sockets); AF_NETLINK with " \
		"NETLINK_ROUTE; NETLINK_AUDIT is EPROTONOSUPPORT, as without audit, since useradd and " \
		"its like end at any other answer") \
	RULE(socketpair, "AF_UNIX") \
	RULE(setsockopt, \
		"without SO_ATTACH_* of SOL_SOCKET: their programs take from what the whole machine has " \
		"(net.core.bpf_jit_limit), and are code in the kernel")
/* clang-format on */

enum seccomp_action {
	SECCOMP_ACTION_yes,
	SECCOMP_ACTION_no,
	SECCOMP_ACTION_gone,
	SECCOMP_ACTION_enosys,
#define SECCOMP_RULE_ENUM(name, meaning) SECCOMP_ACTION_##name,
	SECCOMP_RULES(SECCOMP_RULE_ENUM)
#undef SECCOMP_RULE_ENUM
		SECCOMP_N_ACTIONS
};
