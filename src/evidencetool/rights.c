/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rights.c - what foso-evidence gives up
 *
 * Records hold strings that sandboxes chose, and a log may have been written by anybody; sign
 * holds a private key.  So each command opens all that it needs, calls rights_drop(), and only
 * then parses.  The filter answers EPERM instead of killing, as the C library asks now and then
 * for things that it can do without (whether stdout is a terminal).
 */
#include "evidencetool/rights.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine/confine.h"

#define NOBODY_ID 65534

#if defined(__x86_64__)
#	define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#	define OWN_ARCH AUDIT_ARCH_AARCH64
#else
#	error "rights.c: name the audit architecture of this machine"
#endif

#if defined(__SANITIZE_ADDRESS__)
#	define HAS_SANITIZER 1
#elif defined(__has_feature)
#	if __has_feature(address_sanitizer)
#		define HAS_SANITIZER 1
#	endif
#endif

#ifndef HAS_SANITIZER

/* clang-format off */
#define ALLOW_IF_CALL(number)                                                                     \
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, (number), 0, 1),                                      \
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW)

static struct sock_filter filter[] = {
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, arch)),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, OWN_ARCH, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_KILL_PROCESS),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
	ALLOW_IF_CALL(SYS_read),
	ALLOW_IF_CALL(SYS_pread64),
	ALLOW_IF_CALL(SYS_write),
	ALLOW_IF_CALL(SYS_writev),
	ALLOW_IF_CALL(SYS_lseek),
	ALLOW_IF_CALL(SYS_fstat),
	ALLOW_IF_CALL(SYS_close),
	ALLOW_IF_CALL(SYS_brk),
	ALLOW_IF_CALL(SYS_munmap),
	ALLOW_IF_CALL(SYS_mremap),
	ALLOW_IF_CALL(SYS_madvise),
	ALLOW_IF_CALL(SYS_futex),
	ALLOW_IF_CALL(SYS_getrandom),
	ALLOW_IF_CALL(SYS_getpid),
	ALLOW_IF_CALL(SYS_clock_gettime),
	ALLOW_IF_CALL(SYS_rt_sigreturn),
	ALLOW_IF_CALL(SYS_restart_syscall),
	ALLOW_IF_CALL(SYS_exit),
	ALLOW_IF_CALL(SYS_exit_group),
	/* Memory, but none that can be executed. */
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mmap, 0, 3),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, PROT_EXEC, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
};
/* clang-format on */

static int install_filter(void)
{
	struct sock_fprog program = { .len = ARRAY_LEN(filter), .filter = filter };
	return syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) < 0 ? errno : 0;
}

static int drop_all(void)
{
	static const struct confine_rlimit none[] = {
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_NOFILE, 0 },
		{ RLIMIT_NPROC, 0 },
	};
	int errnum = confine_rlimits(none, ARRAY_LEN(none));
	/*
	 * The second wall: behind the filter nothing is left that another user or a capability
	 * could do.  It is tried and not demanded, as root of a user namespace may not have the
	 * id of nobody, and an ordinary user not the capability that giving up the others takes.
	 */
	bool is_nobody = geteuid() == 0 && confine_ids(NOBODY_ID, NOBODY_ID) == 0;
	int caps_errnum = confine_capabilities();
	if (errnum == 0 && is_nobody)
		errnum = caps_errnum;
	if (errnum == 0)
		errnum = confine_not_dumpable();
	if (errnum == 0)
		errnum = confine_no_new_privs();
	return errnum == 0 ? install_filter() : errnum;
}

#else

/* A sanitizer looks for leaks at exit, which takes files, processes and ptrace. */
static int drop_all(void)
{
	return 0;
}

#endif

int rights_drop(struct error *err)
{
	int errnum = drop_all();
	if (errnum == 0)
		return 0;
	int r = error_set(err, ERR_SYSTEM, errnum, "foso-evidence", "cannot give up its rights");
	return error_remedy(err, r, "see whether seccomp is built into this kernel");
}
