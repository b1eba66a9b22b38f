/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.c - the walls around a parser
 *
 * The filter answers EPERM instead of killing, as the C library asks now and then for things that
 * it can do without (whether stdout is a terminal).
 */
#include "confine/reader.h"

#include <errno.h>
#include <linux/audit.h>
#include <linux/capability.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"
#include "confine/confine.h"

#define NOBODY_ID 65534

#if defined(__x86_64__)
#	define OWN_ARCH AUDIT_ARCH_X86_64
#elif defined(__aarch64__)
#	define OWN_ARCH AUDIT_ARCH_AARCH64
#else
#	error "reader.c: name the audit architecture of this machine"
#endif

#if defined(__SANITIZE_ADDRESS__)
#	define IS_SANITIZED true
#elif defined(__has_feature)
#	if __has_feature(address_sanitizer)
#		define IS_SANITIZED true
#	endif
#endif
#ifdef IS_SANITIZED
/* Its leak check traces and opens files, which is just what is given up here. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#else
#	define IS_SANITIZED false
#endif

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

/* Empty sets can be asked for by anyone, so this does not fail for those who had none. */
static int empty_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	static const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
	return syscall(SYS_capset, &header, none) < 0 ? errno : 0;
}

/*
 * Another id and the locked, empty bounding set are tried and not demanded: root of a user
 * namespace may not have the id of nobody, and an ordinary user not the capability that giving
 * up the others takes.  For real root both work, and then both must.
 */
static int drop_identity(void)
{
	bool is_nobody = geteuid() == 0 && confine_ids(NOBODY_ID, NOBODY_ID) == 0;
	int errnum = confine_capabilities();
	return is_nobody ? errnum : empty_capabilities();
}

/* A kernel without Landlock leaves the other walls. */
static int forbid_paths(void)
{
	int errnum = confine_landlock(NULL, 0, true);
	return errnum == ENOSYS || errnum == EOPNOTSUPP ? 0 : errnum;
}

static int limit(int resource, uint64_t value)
{
	struct confine_rlimit rlimit = { resource, value };
	return value == 0 ? 0 : confine_rlimits(&rlimit, 1);
}

/* How far output may grow: a pipe or terminal is not a file, and no limit counts there. */
static int limit_output(uint64_t output_bytes)
{
	uint64_t max_bytes = output_bytes;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		struct stat status;
		if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
			max_bytes = MAX(max_bytes, (uint64_t)status.st_size + output_bytes);
	}
	return limit(RLIMIT_FSIZE, output_bytes == 0 ? 0 : max_bytes);
}

static int limit_resources(const struct confine_reader *limits)
{
	static const struct confine_rlimit none[] = {
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_NPROC, 0 },
		/* Open descriptors stay; not one more can be had. */
		{ RLIMIT_NOFILE, 0 },
	};
	int errnum = confine_rlimits(none, ARRAY_LEN(none));
	if (errnum == 0)
		errnum = limit(RLIMIT_CPU, limits->cpu_seconds);
	if (errnum == 0 && !IS_SANITIZED)
		errnum = limit(RLIMIT_AS, limits->memory_bytes);
	return errnum == 0 ? limit_output(limits->output_bytes) : errnum;
}

int confine_reader(const struct confine_reader *limits)
{
	int errnum = IS_SANITIZED ? 0 : confine_not_dumpable();
	if (errnum == 0)
		errnum = drop_identity();
	if (errnum == 0)
		errnum = confine_no_new_privs();
	if (errnum == 0)
		errnum = forbid_paths();
	if (errnum == 0)
		errnum = limit_resources(limits);
	if (errnum == 0 && !IS_SANITIZED)
		errnum = install_filter();
	return errnum;
}
