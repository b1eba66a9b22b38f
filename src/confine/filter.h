/* SPDX-License-Identifier: Apache-2.0 */
/*
 * filter.h - the parts of a filter that allows a few system calls and answers EPERM to all others
 *
 * For parsers and the like, whose list of calls is short and known here; the profiles of the
 * workload are generated (seccomp.h).  A filter is FILTER_BEGIN, rows of FILTER_ALLOW(), rules of
 * its own (the number of the call is loaded, and stays so where a rule does not match), FILTER_END.
 */
#pragma once

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/syscall.h>

#if defined(__x86_64__)
#	define FILTER_OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#	define FILTER_OWN_ARCH AUDIT_ARCH_AARCH64
#else
#	error "filter.h: name the audit architecture of this machine"
#endif

/* clang-format off */

/* A call of another architecture kills. */
#define FILTER_BEGIN                                                                              \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),                  \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, FILTER_OWN_ARCH, 1, 0),                               \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),                                      \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr))

#define FILTER_ALLOW(number)                                                                      \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1),                                      \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

/* Memory, but none that can be executed; all else is EPERM. */
#define FILTER_END                                                                                \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),                                      \
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),               \
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),                                    \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),                                             \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM)

/* clang-format on */

/* confine_filter() - for good; needs no_new_privs.  0 or errno. */
int confine_filter(struct sock_filter *instructions, size_t n_instructions);
