/* SPDX-License-Identifier: Apache-2.0 */
/* fds_test.c - descriptors are closed in two ways, and if neither works nothing goes on */
#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <stddef.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <sys/syscall.h>

#include "acts.h"
#include "confined.h"

#define FIRST   3
#define N_FDS   700 /* more than one reading of the directory returns */
#define HIGH_FD 2000

static bool is_open(int fd)
{
	return fcntl(fd, F_GETFD) >= 0;
}

/* Many descriptors with gaps, one of them above a limit that is lowered afterwards. */
static int descriptors_make(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0 || limit.rlim_max <= HIGH_FD)
		return ERANGE;
	limit.rlim_cur = limit.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &limit) < 0)
		return errno;
	for (int i = 0; i < N_FDS; i++) {
		if (fcntl(0, F_DUPFD, FIRST + 2 * i) < 0)
			return errno;
	}
	if (fcntl(0, F_DUPFD_CLOEXEC, HIGH_FD) < 0)
		return errno;
	limit.rlim_cur = limit.rlim_max = 64;
	return outcome(setrlimit(RLIMIT_NOFILE, &limit));
}

/* 0 if exactly those below FIRST are open. */
static int descriptors_check(void)
{
	for (int fd = 0; fd < FIRST; fd++) {
		if (!is_open(fd))
			return 1;
	}
	for (int fd = FIRST; fd <= HIGH_FD + 1; fd++) {
		if (is_open(fd))
			return 2;
	}
	return 0;
}

static int close_and_check(void)
{
	int result = descriptors_make();
	if (result != 0 || descriptors_check() != 2)
		return ACT_BROKE;
	result = confine_close_fds(FIRST);
	return result != 0 ? result : descriptors_check();
}

/* close_range() answers as a kernel without it would, or as an old container's filter does. */
static int close_range_forbid(uint32_t answer)
{
	struct sock_filter instructions[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 436, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | answer),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog program = { ARRAY_LEN(instructions), instructions };
	int result = confine_no_new_privs();
	if (result != 0)
		return result;
	return outcome(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
}

static int without_close_range(void)
{
	if (close_range_forbid(ENOSYS) != 0 || syscall(436, 1000000, 1000001, 0) == 0)
		return ACT_BROKE;
	return close_and_check();
}

static int with_forbidden_close_range(void)
{
	return close_range_forbid(EPERM) != 0 ? ACT_BROKE : close_and_check();
}

static int proc_hide(void)
{
	if (unshare(CLONE_NEWNS) < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0)
		return errno;
	return outcome(mount("none", "/proc", "tmpfs", 0, NULL));
}

static int without_both(void)
{
	if (proc_hide() != 0 || close_range_forbid(ENOSYS) != 0)
		return ACT_BROKE;
	return close_and_check();
}

static void test_close_range(void)
{
	if (syscall(436, 1000000, 1000001, 0) < 0)
		SKIP("this kernel has no close_range()");
	EQ(act_freely(close_and_check), 0);
}

static void test_proc_where_close_range_is_enosys(void)
{
	EQ(act_freely(without_close_range), 0);
}

static void test_proc_where_close_range_is_forbidden(void)
{
	EQ(act_freely(with_forbidden_close_range), 0);
}

static void test_fails_closed_without_both(void)
{
	if (geteuid() != 0)
		SKIP("not root: /proc cannot be hidden");
	EQ(act_freely(without_both), EBADF);
}

static int nothing_to_close(void)
{
	if (confine_close_fds(FIRST) != 0)
		return 1;
	return confine_close_fds(FIRST);
}

static int nothing_to_close_by_proc(void)
{
	return close_range_forbid(ENOSYS) != 0 ? ACT_BROKE : nothing_to_close();
}

static void test_nothing_to_close_is_no_error(void)
{
	EQ(act_freely(nothing_to_close), 0);
	EQ(act_freely(nothing_to_close_by_proc), 0);
}

/* The directory itself takes the lowest free number, which lies below @first here. */
static int directory_below_first(void)
{
	if (close_range_forbid(ENOSYS) != 0 || fcntl(0, F_DUPFD_CLOEXEC, 40) != 40)
		return ACT_BROKE;
	close(FIRST);
	int result = confine_close_fds(40);
	return result != 0 ? result : is_open(40) ? 1 : 0;
}

static void test_directory_may_lie_below_first(void)
{
	EQ(act_freely(directory_below_first), 0);
}

static int run_tests(void)
{
	RUN(test_close_range);
	RUN(test_proc_where_close_range_is_enosys);
	RUN(test_proc_where_close_range_is_forbidden);
	RUN(test_fails_closed_without_both);
	RUN(test_nothing_to_close_is_no_error);
	RUN(test_directory_may_lie_below_first);
	return tap_done();
}

int main(void)
{
	return confined_main(run_tests);
}
