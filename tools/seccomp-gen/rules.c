/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rules.c - the rules of seccomp_rules.h as instructions
 *
 * Constants are those of the kernel's headers where Debian 12 has them, else given by number:
 * libseccomp is not asked, since its rules compare both halves of an argument.
 */
#include "rules.h"

#include <assert.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/fs.h>
#include <linux/netlink.h>
#include <linux/personality.h>
#include <linux/prctl.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>

#define CLONE_NEW_FLAGS                                                                           \
	((uint32_t)(CLONE_NEWNS | CLONE_NEWCGROUP | CLONE_NEWUTS | CLONE_NEWIPC | CLONE_NEWUSER | \
		    CLONE_NEWPID | CLONE_NEWNET))

/* Linux 6.5 and later; Debian 12's headers are those of 6.1. */
#define RULE_PR_SET_MDWE                  65
#define RULE_PR_GET_MDWE                  66
#define RULE_PR_GET_AUXV                  0x41555856
#define RULE_PR_FUTEX_HASH                78
#define RULE_FS_IOC_ENABLE_VERITY         0x40806685u
#define RULE_FSCRYPT_SET_POLICY           0x800c6613u
#define RULE_FSCRYPT_ADD_KEY              0xc0506617u
#define RULE_FSCRYPT_REMOVE_KEY           0xc0406618u
#define RULE_FSCRYPT_REMOVE_KEY_ALL_USERS 0xc0406619u
#define RULE_FS_IOC32_SETFLAGS            0x40046602u
#define RULE_BTRFS_MAGIC                  0x9400u
#define RULE_TCGETS2                      0x802c542au
/* linux/ioprio.h gives them as an enum since 6.1, and not before. */
#define RULE_IOPRIO_WHO_PROCESS 1
#define RULE_IOPRIO_WHO_USER    3

#define SET_ID_BITS ((uint32_t)(S_ISUID | S_ISGID))

/* The half of an argument that the kernel reads as int; x86-64 and aarch64 are little-endian. */
static size_t low_half(unsigned argument)
{
	return offsetof(struct seccomp_data, args) + 8 * (size_t)argument;
}

static size_t high_half(unsigned argument)
{
	return low_half(argument) + 4;
}

static code_label load(struct code *code, unsigned argument, code_label next)
{
	return code_load(code, low_half(argument), next);
}

static code_label ioctl_default(struct code *code, code_label allow, code_label deny)
{
	code_label label = code_in_list(code, allow, deny, (uint32_t)FICLONE,
					(uint32_t)FICLONERANGE, (uint32_t)FIDEDUPERANGE);
	label = load(code, 1, label);
	label = code_jump(code, BPF_JEQ, RULE_BTRFS_MAGIC, label, allow);
	label = code_and(code, 0xff00, label);
	return load(code, 1,
		    code_in_list(code, deny, label, TIOCSTI, TIOCLINUX, TIOCSETD, TIOCCONS,
				 (uint32_t)FS_IOC_SETFLAGS, RULE_FS_IOC32_SETFLAGS,
				 (uint32_t)FS_IOC_FSSETXATTR, RULE_FS_IOC_ENABLE_VERITY,
				 RULE_FSCRYPT_SET_POLICY, RULE_FSCRYPT_ADD_KEY,
				 RULE_FSCRYPT_REMOVE_KEY, RULE_FSCRYPT_REMOVE_KEY_ALL_USERS));
}

static code_label ioctl_strict(struct code *code, code_label allow, code_label deny)
{
	return load(code, 1,
		    code_in_list(code, allow, deny, TCGETS, TCSETS, TCSETSW, TCSETSF, RULE_TCGETS2,
				 TIOCGWINSZ, TIOCGPGRP, TIOCSPGRP, FIONREAD, FIONBIO, FIOCLEX,
				 FIONCLEX));
}

static code_label ioctl_monitor(struct code *code, code_label allow, code_label deny)
{
	return load(code, 1,
		    code_in_list(code, allow, deny, TCGETS, TCSETS, TCSETSW, TCSETSF, TIOCGWINSZ,
				 TIOCSWINSZ, TIOCGPTN, TIOCGPGRP, TIOCSPGRP, TIOCSIG, FIONREAD,
				 FIONBIO, (uint32_t)SECCOMP_IOCTL_NOTIF_RECV,
				 (uint32_t)SECCOMP_IOCTL_NOTIF_SEND,
				 (uint32_t)SECCOMP_IOCTL_NOTIF_ID_VALID));
}

/* mode_t is umode_t, 16 bits, in the kernel: higher bits do not count. */
static code_label mode_without_set_id(struct code *code, unsigned mode, code_label allow,
				      code_label deny)
{
	return load(code, mode, code_jump(code, BPF_JSET, SET_ID_BITS, deny, allow));
}

/* The mode is read only if the call may create a file; else the register holds anything. */
static code_label open_strict(struct code *code, unsigned flags, unsigned mode, code_label allow,
			      code_label deny)
{
	uint32_t creating = (uint32_t)(O_CREAT | (O_TMPFILE & ~O_DIRECTORY));
	code_label label = mode_without_set_id(code, mode, allow, deny);
	return load(code, flags, code_jump(code, BPF_JSET, creating, label, allow));
}

static code_label mknod_rule(struct code *code, unsigned mode, code_label allow, code_label deny)
{
	code_label label = code_in_list(code, allow, deny, 0, S_IFREG, S_IFIFO, S_IFSOCK);
	return load(code, mode, code_and(code, S_IFMT, label));
}

static code_label unshare_rule(struct code *code, code_label allow, code_label deny)
{
	code_label label =
		load(code, 0,
		     code_jump(code, BPF_JSET, CLONE_NEW_FLAGS | CLONE_NEWTIME, deny, allow));
	return code_load(code, high_half(0), code_jump(code, BPF_JEQ, 0, label, deny));
}

/* In clone() the bit of CLONE_NEWTIME is part of the signal number. */
static code_label clone_rule(struct code *code, code_label allow, code_label deny)
{
	return load(code, 0, code_jump(code, BPF_JSET, CLONE_NEW_FLAGS, deny, allow));
}

static code_label prctl_default(struct code *code, code_label allow, code_label deny)
{
	/* 1 to 34 are the options of Linux 2.6: all of them change the caller only. */
	code_label label =
		code_in_list(code, allow, deny, PR_SET_CHILD_SUBREAPER, PR_GET_CHILD_SUBREAPER,
			     PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS, PR_GET_TID_ADDRESS,
			     PR_SET_THP_DISABLE, PR_GET_THP_DISABLE, PR_CAP_AMBIENT,
			     PR_GET_SPECULATION_CTRL, PR_SET_TAGGED_ADDR_CTRL,
			     PR_GET_TAGGED_ADDR_CTRL, PR_SET_SYSCALL_USER_DISPATCH,
			     RULE_PR_SET_MDWE, RULE_PR_GET_MDWE, RULE_PR_FUTEX_HASH, PR_SET_VMA,
			     PR_SET_PTRACER, RULE_PR_GET_AUXV);
	label = code_jump(code, BPF_JGT, PR_MCE_KILL_GET, label, allow);
	return load(code, 0, label);
}

static code_label prctl_strict(struct code *code, code_label allow, code_label deny)
{
	return load(code, 0,
		    code_in_list(code, allow, deny, PR_SET_PDEATHSIG, PR_GET_PDEATHSIG,
				 PR_SET_DUMPABLE, PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME,
				 PR_GET_SECCOMP, PR_CAPBSET_READ, PR_SET_TIMERSLACK,
				 PR_GET_TIMERSLACK, PR_SET_NO_NEW_PRIVS, PR_GET_NO_NEW_PRIVS,
				 PR_SET_VMA));
}

static code_label prctl_monitor(struct code *code, code_label allow, code_label deny)
{
	return load(code, 0,
		    code_in_list(code, allow, deny, PR_SET_PDEATHSIG, PR_GET_PDEATHSIG,
				 PR_SET_DUMPABLE, PR_GET_DUMPABLE, PR_SET_NAME, PR_GET_NAME,
				 PR_SET_VMA));
}

static code_label personality_rule(struct code *code, code_label allow, code_label deny)
{
	return load(code, 0,
		    code_in_list(code, allow, deny, UINT32_MAX, PER_LINUX, PER_LINUX32, UNAME26,
				 UNAME26 | PER_LINUX32));
}

static code_label seccomp_rule(struct code *code, code_label allow, code_label deny)
{
	code_label label =
		load(code, 1,
		     code_jump(code, BPF_JSET, SECCOMP_FILTER_FLAG_NEW_LISTENER, deny, allow));
	label = code_jump(code, BPF_JEQ, SECCOMP_SET_MODE_FILTER, label, allow);
	/* Operations that are not known yet are denied. */
	label = code_jump(code, BPF_JGT, SECCOMP_GET_NOTIF_SIZES, deny, label);
	return load(code, 0, label);
}

/*
 * The kernel runs the host's core dump handler for a crash unless RLIMIT_CORE is exactly 1
 * (fs/coredump.c; 0 only stops writing to a file), so foso-init sets 1 and nothing may change it.
 */
static code_label setrlimit_rule(struct code *code, code_label allow)
{
	code_label done = code_return(code, SECCOMP_RET_ERRNO);
	return load(code, 0, code_jump(code, BPF_JEQ, RLIMIT_CORE, done, allow));
}

/* A pointer counts in both halves. */
static code_label is_null(struct code *code, unsigned argument, code_label if_null,
			  code_label if_not)
{
	code_label high =
		code_load(code, high_half(argument), code_jump(code, BPF_JEQ, 0, if_null, if_not));
	return load(code, argument, code_jump(code, BPF_JEQ, 0, high, if_not));
}

/*
 * foso-init can have the uid of the workload (root inside, or the one id that is mapped), and the
 * kernel then lets the workload change its limits: with RLIMIT_CPU or RLIMIT_NOFILE it would end
 * the agent that answers for the sandbox.
 */
#define RULE_INIT_PID 1

static code_label prlimit_rule(struct code *code, code_label allow, code_label deny)
{
	code_label done = code_return(code, SECCOMP_RET_ERRNO);
	code_label old = is_null(code, 3, done, deny);
	code_label new = is_null(code, 2, allow, old);
	code_label own = load(code, 1, code_jump(code, BPF_JEQ, RLIMIT_CORE, new, allow));
	code_label init = is_null(code, 2, allow, deny);
	return load(code, 0, code_jump(code, BPF_JEQ, RULE_INIT_PID, init, own));
}

/* Priorities of one process, of a group, or of all of a user, foso-init perhaps among them. */
static code_label priority_rule(struct code *code, uint32_t process, uint32_t user,
				code_label allow, code_label deny)
{
	code_label who = load(code, 1, code_jump(code, BPF_JEQ, RULE_INIT_PID, deny, allow));
	code_label label = code_jump(code, BPF_JEQ, user, deny, allow);
	return load(code, 0, code_jump(code, BPF_JEQ, process, who, label));
}

static code_label no_exec(struct code *code, code_label allow, code_label deny)
{
	return load(code, 2, code_jump(code, BPF_JSET, PROT_EXEC, deny, allow));
}

/* net/socket.c: the type is the low four bits, SOCK_CLOEXEC and SOCK_NONBLOCK lie above. */
#define SOCKET_TYPE_MASK 0xf

static code_label internet_socket(struct code *code, code_label allow, code_label deny)
{
	code_label stream = load(code, 2, code_in_list(code, allow, deny, 0, IPPROTO_TCP));
	code_label datagram =
		load(code, 2,
		     code_in_list(code, allow, deny, 0, IPPROTO_UDP, IPPROTO_ICMP, IPPROTO_ICMPV6));
	code_label type = code_jump(code, BPF_JEQ, SOCK_DGRAM, datagram, deny);
	type = code_jump(code, BPF_JEQ, SOCK_STREAM, stream, type);
	return load(code, 1, code_and(code, SOCKET_TYPE_MASK, type));
}

static code_label socket_rule(struct code *code, code_label allow, code_label deny)
{
	/* What a kernel without audit answers: useradd and its like end at any other error. */
	code_label none = code_return(code, SECCOMP_RET_ERRNO | EPROTONOSUPPORT);
	code_label netlink = code_jump(code, BPF_JEQ, NETLINK_AUDIT, none, deny);
	netlink = load(code, 2, code_jump(code, BPF_JEQ, NETLINK_ROUTE, allow, netlink));
	code_label internet = internet_socket(code, allow, deny);
	code_label label = code_jump(code, BPF_JEQ, AF_NETLINK, netlink, deny);
	label = code_in_list(code, internet, label, AF_INET, AF_INET6);
	return load(code, 0, code_jump(code, BPF_JEQ, AF_UNIX, allow, label));
}

static code_label is_argument(struct code *code, unsigned argument, uint32_t value,
			      code_label allow, code_label deny)
{
	return load(code, argument, code_jump(code, BPF_JEQ, value, allow, deny));
}

/* Both are int to the kernel. */
static code_label setsockopt_rule(struct code *code, code_label allow, code_label deny)
{
	code_label label = load(code, 2,
				code_in_list(code, deny, allow, SO_ATTACH_FILTER, SO_ATTACH_BPF,
					     SO_ATTACH_REUSEPORT_CBPF, SO_ATTACH_REUSEPORT_EBPF));
	return load(code, 1, code_jump(code, BPF_JEQ, SOL_SOCKET, label, allow));
}

code_label rule_emit(struct code *code, enum seccomp_action rule, code_label allow, code_label deny)
{
	switch (rule) {
	case SECCOMP_ACTION_ioctl_default:
		return ioctl_default(code, allow, deny);
	case SECCOMP_ACTION_ioctl_strict:
		return ioctl_strict(code, allow, deny);
	case SECCOMP_ACTION_ioctl_monitor:
		return ioctl_monitor(code, allow, deny);
	case SECCOMP_ACTION_open_strict:
		return open_strict(code, 1, 2, allow, deny);
	case SECCOMP_ACTION_openat_strict:
		return open_strict(code, 2, 3, allow, deny);
	case SECCOMP_ACTION_creat_strict:
	case SECCOMP_ACTION_chmod_strict:
		return mode_without_set_id(code, 1, allow, deny);
	case SECCOMP_ACTION_fchmodat_strict:
		return mode_without_set_id(code, 2, allow, deny);
	case SECCOMP_ACTION_mknod:
		return mknod_rule(code, 1, allow, deny);
	case SECCOMP_ACTION_mknodat:
		return mknod_rule(code, 2, allow, deny);
	case SECCOMP_ACTION_unshare:
		return unshare_rule(code, allow, deny);
	case SECCOMP_ACTION_clone:
		return clone_rule(code, allow, deny);
	case SECCOMP_ACTION_prctl_default:
		return prctl_default(code, allow, deny);
	case SECCOMP_ACTION_prctl_strict:
		return prctl_strict(code, allow, deny);
	case SECCOMP_ACTION_prctl_monitor:
		return prctl_monitor(code, allow, deny);
	case SECCOMP_ACTION_personality:
		return personality_rule(code, allow, deny);
	case SECCOMP_ACTION_personality_query:
		return is_argument(code, 0, UINT32_MAX, allow, deny);
	case SECCOMP_ACTION_seccomp:
		return seccomp_rule(code, allow, deny);
	case SECCOMP_ACTION_setrlimit:
		return setrlimit_rule(code, allow);
	case SECCOMP_ACTION_prlimit:
		return prlimit_rule(code, allow, deny);
	case SECCOMP_ACTION_not_init:
		return is_argument(code, 0, RULE_INIT_PID, deny, allow);
	case SECCOMP_ACTION_setpriority:
		return priority_rule(code, PRIO_PROCESS, PRIO_USER, allow, deny);
	case SECCOMP_ACTION_ioprio_set:
		return priority_rule(code, RULE_IOPRIO_WHO_PROCESS, RULE_IOPRIO_WHO_USER, allow,
				     deny);
	case SECCOMP_ACTION_no_exec:
		return no_exec(code, allow, deny);
	case SECCOMP_ACTION_socket:
		return socket_rule(code, allow, deny);
	case SECCOMP_ACTION_socketpair:
		return is_argument(code, 0, AF_UNIX, allow, deny);
	case SECCOMP_ACTION_setsockopt:
		return setsockopt_rule(code, allow, deny);
	case SECCOMP_ACTION_yes:
	case SECCOMP_ACTION_no:
	case SECCOMP_ACTION_gone:
	case SECCOMP_ACTION_enosys:
	case SECCOMP_N_ACTIONS:
		break;
	}
	assert(false && "a rule");
	return deny;
}
