/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp.h - which system calls the workload may make
 *
 * The profiles are BPF programs made at build time (tools/seccomp-gen, libseccomp) into tables.
 * A policy's own allow and deny lists become a short prefix in front of the table's program;
 * jumps are relative, so the program behind it stays as it was generated.
 *
 * Everything that is not allowed ends in SECCOMP_RET_USER_NOTIF: the monitor counts it by name,
 * which goes into the evidence, and answers with the errno that libc expects.  No call is ever
 * continued, so the known race of user notification does not apply.
 */
#pragma once

#include <linux/filter.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "policy/policy.h"

#define SECCOMP_MAX_INSTRUCTIONS 4096 /* the kernel's BPF_MAXINSNS */

struct seccomp_program {
	struct sock_filter *instructions; /* owned */
	size_t n_instructions;
};

/*
 * seccomp_program_build() - profile, lists and namespaces rule of @policy, as one program
 * @without_affinity:  true also denies sched_setaffinity, where the affinity mask is the only
 *                     thing that holds limits.cpus
 *
 * syscalls.deny wins over syscalls.allow, and both over the profile.  may_nest allows clone,
 * unshare and setns with every flag; clone3 stays ENOSYS, and mount must be allowed by name.
 *
 * -ERR_INVALID, subject "syscalls.allow[2]", for a name that this build does not know, and for
 * a denied call without which no command can start; -ERR_LIMIT, subject "syscalls", for more
 * than POLICY_MAX_SYSCALLS names.
 */
int seccomp_program_build(struct seccomp_program *ret, const struct policy *policy,
			  bool without_affinity, struct error *err) must_check;
void seccomp_program_fini(struct seccomp_program *program);

/*
 * seccomp_program_install() - for the calling thread and all it starts; needs no_new_privs
 *
 * Returns the listener descriptor (O_CLOEXEC), or -errno.  Async-signal-safe.  From here to exec
 * the caller makes only the calls write, sendmsg, close, execve and exit_group: a denied one
 * would wait for a listener that nobody serves yet.
 */
int seccomp_program_install(const struct sock_filter *instructions, size_t n_instructions);

/* seccomp_deny_errno() - EPERM for a call that is known and refused, ENOSYS for all others. */
int seccomp_deny_errno(uint32_t audit_arch, uint32_t number);

/* seccomp_syscall_name() - "mount"; NULL for a number this build does not know. */
const char *seccomp_syscall_name(uint32_t audit_arch, uint32_t number);

/* seccomp_syscall_number() - for the build's architecture; -1 for an unknown name. */
int seccomp_syscall_number(const char *name);

/* Denied calls, counted.  Bounded: further names than fit are counted in n_other. */
#define SECCOMP_MAX_DENIALS 64

struct seccomp_denials {
	struct {
		uint32_t audit_arch, number;
		uint64_t n_calls;
	} items[SECCOMP_MAX_DENIALS];
	size_t n_items;
	uint64_t n_other;
};

/*
 * seccomp_listener_check() - can this build read this kernel's notifications?
 *
 * Once, before the caller restricts itself.  -ERR_SYSTEM or -ERR_UNSUPPORTED, subject
 * "seccomp listener".
 */
int seccomp_listener_check(struct error *err) must_check;

/*
 * seccomp_listener_serve() - answer every pending notification, count it, return
 *
 * Never blocks (at most 256 per call).  Returns 0; 1 when the last process under the filter is
 * gone (the caller closes @listener_fd); -ERR_SYSTEM otherwise.  Before Linux 6.11 a process is
 * not gone until it has been reaped (kernel/exit.c), so nobody may wait for 1 before reaping.
 */
int seccomp_listener_serve(int listener_fd, struct seccomp_denials *denials, struct error *err)
	must_check;

/*
 * seccomp_self_restrict() - the monitor's own allow-list, once its sandbox stands
 *
 * For the calling thread; needs no_new_privs.  No listener: what is not allowed returns EPERM.
 * What stays allowed is the column "monitor" of syscalls.h.  Returns 0 or -errno.
 */
int seccomp_self_restrict(void) must_check;
