/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp_listener_test.c - denied calls are answered, counted and bounded, whoever dies when */
#include <fcntl.h>
#include <linux/audit.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/time.h>
#include <sys/utsname.h>

#include "confined.h"

static const struct policy by_default;

static void wait_until_readable(int fd)
{
	struct pollfd pollfd = { .fd = fd, .events = POLLIN };
	EQ(poll(&pollfd, 1, CONFINED_SECONDS * 1000), 1);
}

static int act_nothing(void)
{
	return 0;
}

static void test_serve_returns_0_when_nothing_is_pending_and_1_at_the_end(void)
{
	struct error err = { .code = ERR_NONE };
	struct seccomp_denials denials = { .n_items = 0 };
	int listener_fd = -1;
	pid_t child = confined_start(act_nothing, &by_default, &listener_fd);
	EQ(seccomp_listener_check(&err), 0);
	OK(listener_fd >= 0);
	EQ(fcntl(listener_fd, F_GETFD), FD_CLOEXEC);
	EQ(child_status(child), 0);
	EQ(seccomp_listener_serve(listener_fd, &denials, &err), 1);
	EQ(denials.n_items, 0);
	close(listener_fd);
}

static int act_pause(void)
{
	pause();
	return 0;
}

static void test_serve_never_blocks(void)
{
	struct error err = { .code = ERR_NONE };
	struct seccomp_denials denials = { .n_items = 0 };
	int listener_fd = -1;
	pid_t child = confined_start(act_pause, &by_default, &listener_fd);
	EQ(seccomp_listener_serve(listener_fd, &denials, &err), 0);
	child_kill(child);
	EQ(listener_finish(listener_fd, child, &denials), 128 + SIGKILL);
	EQ(denials_all(&denials), 0);
}

#define N_FLOOD 1000

static int act_flood(void)
{
	for (int i = 0; i < N_FLOOD; i++) {
		if (syscall(SYS_mount, NULL, NULL, NULL, 0, NULL) != -1 || errno != EPERM)
			return 1;
	}
	return 0;
}

static void test_every_call_is_counted(void)
{
	struct seccomp_denials denials;
	EQ(act_confined(act_flood, &by_default, &denials), 0);
	EQ(denials.n_items, 1);
	EQ(denials_of(&denials, AUDIT_ARCH_X86_64, SYS_mount), N_FLOOD);
}

/* Numbers nobody has, more than there is room for. */
static int act_many_numbers(void)
{
	for (long i = 0; i < SECCOMP_MAX_DENIALS + 10; i++) {
		if (syscall(2000 + i) != -1 || errno != ENOSYS)
			return 1;
	}
	return syscall(2000) == -1 && errno == ENOSYS ? 0 : 1;
}

static void test_counters_are_bounded(void)
{
	struct seccomp_denials denials;
	EQ(act_confined(act_many_numbers, &by_default, &denials), 0);
	EQ(denials.n_items, SECCOMP_MAX_DENIALS);
	EQ(denials.n_other, 10);
	EQ(denials_of(&denials, AUDIT_ARCH_X86_64, 2000), 2);
}

/* Many callers at once, so that one call of serve() has more to do than its bound. */
#define N_CALLERS 300

static int act_many_callers(void)
{
	for (int i = 0; i < N_CALLERS; i++) {
		pid_t child = fork();
		if (child == 0)
			_exit(syscall(SYS_bpf, 0, NULL, 0) == -1 && errno == EPERM ? 0 : 1);
		if (child < 0)
			return errno;
	}
	int n_failed = 0, status;
	while (wait(&status) > 0)
		n_failed += status != 0;
	return n_failed == 0 ? 0 : 1;
}

static void test_many_callers_at_once(void)
{
	struct seccomp_denials denials;
	EQ(act_confined(act_many_callers, &by_default, &denials), 0);
	EQ(denials_of(&denials, AUDIT_ARCH_X86_64, SYS_bpf), N_CALLERS);
}

static int act_one_denied(void)
{
	return syscall(SYS_bpf, 0, NULL, 0) == -1 && errno == EPERM ? 0 : 1;
}

static void test_caller_killed_while_it_waits(void)
{
	struct seccomp_denials denials = { .n_items = 0 };
	int listener_fd = -1;
	pid_t child = confined_start(act_one_denied, &by_default, &listener_fd);
	wait_until_readable(listener_fd);
	child_kill(child);
	EQ(listener_finish(listener_fd, child, &denials), 128 + SIGKILL);
	/* Counted if it was read before the kernel took it back. */
	OK(denials_all(&denials) <= 1);
}

/* One of two callers dies before it is answered; the other gets its answer all the same. */
static pid_t *victim;

static int act_two_callers(void)
{
	pid_t child = fork();
	if (child == 0) {
		*victim = getpid();
		_exit(act_one_denied());
	}
	int status;
	if (waitpid(child, &status, 0) < 0 || !WIFSIGNALED(status))
		return 1;
	return syscall(SYS_mount, NULL, NULL, NULL, 0, NULL) == -1 && errno == EPERM ? 0 : 1;
}

static void test_other_callers_are_served_after_one_is_killed(void)
{
	victim = mmap(NULL, sizeof(*victim), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	struct seccomp_denials denials = { .n_items = 0 };
	int listener_fd = -1;
	pid_t child = confined_start(act_two_callers, &by_default, &listener_fd);
	wait_until_readable(listener_fd);
	child_kill(*victim);
	EQ(listener_finish(listener_fd, child, &denials), 0);
	EQ(denials_of(&denials, AUDIT_ARCH_X86_64, SYS_mount), 1);
	munmap(victim, sizeof(*victim));
}

/* A monitor that dies closes the listener: what is denied stays denied. */
static int act_denied_without_listener(void)
{
	return syscall(SYS_mount, NULL, NULL, NULL, 0, NULL) == -1 && errno == ENOSYS ? 0 : 1;
}

static void test_closed_listener_denies(void)
{
	int listener_fd = -1;
	pid_t child = confined_start(act_denied_without_listener, &by_default, &listener_fd);
	close(listener_fd);
	EQ(child_status(child), 0);
}

/* A program that signals itself all the time must not have one call counted twice. */
static volatile sig_atomic_t n_signals;

static void count_signal(int number)
{
	(void)number;
	n_signals++;
}

static int act_denied_under_signals(void)
{
	struct sigaction action = { .sa_handler = count_signal, .sa_flags = SA_RESTART };
	sigaction(SIGALRM, &action, NULL);
	struct itimerval often = { { 0, 200 }, { 0, 200 } };
	setitimer(ITIMER_REAL, &often, NULL);
	for (int i = 0; i < 200; i++) {
		if (syscall(SYS_mount, NULL, NULL, NULL, 0, NULL) != -1 || errno != EPERM)
			return 1;
	}
	return 0;
}

static void test_signals_do_not_count_twice(void)
{
	struct seccomp_denials denials;
	EQ(act_confined(act_denied_under_signals, &by_default, &denials), 0);
	/* Before 5.19 the kernel has no flag for it, and a call can be counted again. */
	OK(denials_of(&denials, AUDIT_ARCH_X86_64, SYS_mount) >= 200);
	struct utsname kernel;
	int major = 0, minor = 0;
	EQ(uname(&kernel), 0);
	if (sscanf(kernel.release, "%d.%d", &major, &minor) != 2 || major * 100 + minor < 519)
		SKIP("this kernel has no SECCOMP_FILTER_FLAG_WAIT_KILLABLE_RECV");
	EQ(denials_of(&denials, AUDIT_ARCH_X86_64, SYS_mount), 200);
}

static void test_what_is_no_listener_is_an_error(void)
{
	struct error err = { .code = ERR_NONE };
	struct seccomp_denials denials = { .n_items = 0 };
	int pipe_fds[2];
	EQ(pipe2(pipe_fds, O_CLOEXEC), 0);
	EQ(write(pipe_fds[1], "x", 1), 1);
	ERR(seccomp_listener_serve(pipe_fds[0], &denials, &err), &err, ERR_SYSTEM,
	    "seccomp listener");
	EQ(err.errnum, ENOTTY);
	close(pipe_fds[0]);
	close(pipe_fds[1]);
	error_clear(&err);
	ERR(seccomp_listener_serve(pipe_fds[0], &denials, &err), &err, ERR_SYSTEM,
	    "seccomp listener");
	EQ(err.errnum, EBADF);
}

static void test_install_refuses_what_is_no_program(void)
{
	struct sock_filter instruction = { BPF_RET | BPF_K, 0, 0, 0 };
	EQ(seccomp_program_install(&instruction, 0), -EINVAL);
	EQ(seccomp_program_install(&instruction, SECCOMP_MAX_INSTRUCTIONS + 1), -EINVAL);
}

static int run_tests(void)
{
	RUN(test_serve_returns_0_when_nothing_is_pending_and_1_at_the_end);
	RUN(test_serve_never_blocks);
	RUN(test_every_call_is_counted);
	RUN(test_counters_are_bounded);
	RUN(test_many_callers_at_once);
	RUN(test_caller_killed_while_it_waits);
	RUN(test_other_callers_are_served_after_one_is_killed);
	RUN(test_closed_listener_denies);
	RUN(test_signals_do_not_count_twice);
	RUN(test_what_is_no_listener_is_an_error);
	RUN(test_install_refuses_what_is_no_program);
	return tap_done();
}

int main(void)
{
	return confined_main(run_tests);
}
