/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rights.c - foso-policy gives up its rights before it reads a byte
 *
 * The document is a stranger's and libyaml is a parser of a rich format.  What a taken-over
 * foso-policy could still do is write to its stdout and stderr: no file can be opened since not
 * one more descriptor is allowed (and Landlock, where the kernel has it, allows no path), no
 * process can be made, memory and CPU time are bounded, and exec gains nothing.
 */
#include <errno.h>
#include <linux/capability.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine/confine.h"
#include "policytool/tool.h"

#define MAX_MEMORY_BYTES (UINT64_C(256) << 20)
#define MAX_CPU_SECONDS  5

/* The address sanitizer maps terabytes of shadow, and its leak check traces and opens files. */
#if defined(__SANITIZE_ADDRESS__)
#	define IS_SANITIZED 1
#elif defined(__has_feature)
#	if __has_feature(address_sanitizer)
#		define IS_SANITIZED 1
#	endif
#endif
#ifdef IS_SANITIZED
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "detect_leaks=0";
}
#else
#	define IS_SANITIZED 0
#endif

/* Empty sets can be asked for by anyone, so this does not fail for those who had none. */
static int drop_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	static const struct __user_cap_data_struct none[_LINUX_CAPABILITY_U32S_3];
	return syscall(SYS_capset, &header, none) < 0 ? errno : 0;
}

/* How far output may grow: a pipe or terminal is not a file, and no limit counts there. */
static uint64_t max_file_bytes(void)
{
	uint64_t max_bytes = 0;
	for (int fd = STDOUT_FILENO; fd <= STDERR_FILENO; fd++) {
		struct stat status;
		if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
			max_bytes =
				MAX(max_bytes, (uint64_t)status.st_size + POLICY_MAX_ENCODED_BYTES);
	}
	return max_bytes;
}

static int limit_resources(void)
{
	const struct confine_rlimit rlimits[] = {
#if !IS_SANITIZED
		{ RLIMIT_AS, MAX_MEMORY_BYTES },
		{ RLIMIT_DATA, MAX_MEMORY_BYTES },
#endif
		{ RLIMIT_CPU, MAX_CPU_SECONDS },
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_FSIZE, max_file_bytes() },
		{ RLIMIT_NPROC, 0 },
		/* Open descriptors stay; not one more can be had. */
		{ RLIMIT_NOFILE, 0 },
	};
	return confine_rlimits(rlimits, ARRAY_LEN(rlimits));
}

/* A kernel without Landlock leaves the other walls. */
static int forbid_paths(void)
{
	int errnum = confine_landlock(NULL, 0, true);
	return errnum == ENOSYS || errnum == EOPNOTSUPP ? 0 : errnum;
}

int rights_drop(struct error *err)
{
	int errnum = confine_close_fds(STDERR_FILENO + 1);
	if (errnum == 0 && !IS_SANITIZED)
		errnum = confine_not_dumpable();
	if (errnum == 0)
		errnum = drop_capabilities();
	if (errnum == 0)
		errnum = confine_no_new_privs();
	if (errnum == 0)
		errnum = forbid_paths();
	if (errnum == 0)
		errnum = limit_resources();
	if (errnum == 0)
		return 0;
	int result = error_set(err, ERR_SYSTEM, errnum, "foso-policy", "cannot give up its rights");
	return error_remedy(err, result,
			    "nothing was read; see whether an outer sandbox forbids it");
}
