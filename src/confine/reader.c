/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader.c - the walls around a parser
 *
 * The filter answers EPERM instead of killing, as the C library asks now and then for things that
 * it can do without (whether stdout is a terminal).
 */
#include "confine/reader.h"

#include <errno.h>
#include <linux/capability.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/sanitized.h"
#include "confine/confine.h"
#include "confine/filter.h"

#define NOBODY_ID 65534

#if IS_SANITIZED
/* Its leak check traces and opens files, which is just what is given up here. */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#endif

/* clang-format off */
static struct sock_filter filter[] = {
	FILTER_BEGIN,
	FILTER_ALLOW(SYS_read),
	FILTER_ALLOW(SYS_pread64),
	FILTER_ALLOW(SYS_write),
	FILTER_ALLOW(SYS_writev),
	FILTER_ALLOW(SYS_lseek),
	FILTER_ALLOW(SYS_fstat),
	FILTER_ALLOW(SYS_close),
	FILTER_ALLOW(SYS_brk),
	FILTER_ALLOW(SYS_munmap),
	FILTER_ALLOW(SYS_mremap),
	FILTER_ALLOW(SYS_madvise),
	FILTER_ALLOW(SYS_futex),
	FILTER_ALLOW(SYS_getrandom),
	FILTER_ALLOW(SYS_getpid),
	FILTER_ALLOW(SYS_clock_gettime),
	FILTER_ALLOW(SYS_rt_sigreturn),
	FILTER_ALLOW(SYS_restart_syscall),
	FILTER_ALLOW(SYS_exit),
	FILTER_ALLOW(SYS_exit_group),
	FILTER_END,
};
/* clang-format on */

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
		errnum = confine_landlock_if_any(NULL, 0, true);
	if (errnum == 0)
		errnum = limit_resources(limits);
	if (errnum == 0 && !IS_SANITIZED)
		errnum = confine_filter(filter, ARRAY_LEN(filter));
	return errnum;
}
