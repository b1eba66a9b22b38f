/* SPDX-License-Identifier: Apache-2.0 */
/*
 * core_handler_test.c - the host's core dump handler does not run for what is confined
 *
 * Changes /proc/sys/kernel/core_pattern, which is the whole machine's, so it runs in a VM only
 * (FOSO_TEST_CGROUP is set there).
 */
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>

#include "confined.h"

#define HANDLED "/tmp/core-was-handled"

static int pattern_write(const char *text)
{
	int fd = open("/proc/sys/kernel/core_pattern", O_WRONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : write(fd, text, strlen(text));
	int result = len < 0 ? errno : 0;
	if (fd >= 0)
		close(fd);
	return result;
}

static int crash(void)
{
	/* As exec sets it. */
	prctl(PR_SET_DUMPABLE, 1);
	raise(SIGSEGV);
	return 0;
}

static int crash_with_limit_0(void)
{
	struct rlimit none = { 0, 0 };
	return setrlimit(RLIMIT_CORE, &none) < 0 ? ACT_BROKE : crash();
}

static int crash_confined(void)
{
	struct confine_rlimit none = { RLIMIT_CORE, 0 };
	if (confine_not_dumpable() != 0 || confine_rlimits(&none, 1) != 0)
		return ACT_BROKE;
	return crash();
}

/* A workload that lowers its own limit, which the filter leaves undone. */
static int crash_filtered(void)
{
	return crash_with_limit_0();
}

static int confined_and_filtered(void)
{
	static const struct policy by_default;
	struct seccomp_denials denials;
	if (confine_not_dumpable() != 0)
		return ACT_BROKE;
	return act_confined(crash_filtered, &by_default, &denials);
}

/* The handler has ended when its crashed process can be waited for (fs/coredump.c). */
static bool handler_ran(act_function act, int expected_status)
{
	unlink(HANDLED);
	EQ(act_freely(act), expected_status);
	bool has_run = access(HANDLED, F_OK) == 0;
	unlink(HANDLED);
	return has_run;
}

static void test_limit_of_0_is_not_enough(void)
{
	OK(handler_ran(crash_with_limit_0, 128 + SIGSEGV));
}

static void test_confined_crash_runs_no_handler(void)
{
	OK(!handler_ran(crash_confined, 128 + SIGSEGV));
}

static void test_workload_cannot_bring_it_back(void)
{
	OK(!handler_ran(confined_and_filtered, 128 + SIGSEGV));
}

int main(void)
{
	if (!getenv("FOSO_TEST_CGROUP")) {
		printf("1..0 # SKIP changes core_pattern of the whole machine: runs in a VM only\n");
		return 0;
	}
	EQ(pattern_write("|/bin/busybox touch " HANDLED), 0);
	RUN(test_limit_of_0_is_not_enough);
	RUN(test_confined_crash_runs_no_handler);
	RUN(test_workload_cannot_bring_it_back);
	EQ(pattern_write("core"), 0);
	return tap_done();
}
