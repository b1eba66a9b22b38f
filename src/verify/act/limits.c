/* SPDX-License-Identifier: Apache-2.0 */
/* limits.c - acts that take more than a policy grants */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/shm.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "verify/act/act.h"

#define MIB         (1024L * 1024)
#define STACK_BYTES 16384
#define MAX_FORKS   4096

static long cpu_ms(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	return (long)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int act_spin(int argc, char **argv)
{
	long ms = act_number(argv[1]);
	UNUSED(argc);
	while (cpu_ms() < ms)
		continue;
	return act_done("used %ld ms", cpu_ms());
}

static int touch(long mib, int flags)
{
	size_t len = (size_t)(mib * MIB);
	char *bytes = mmap(NULL, len, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0);
	if (bytes == MAP_FAILED)
		return errno;
	for (size_t at = 0; at < len; at += 4096)
		bytes[at] = 1;
	return 0;
}

/* One process of N: told to go on by the parent only when all have their memory. */
static pid_t fork_grown(long mib, int report_fd)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	int errnum = touch(mib, MAP_PRIVATE);
	if (write(report_fd, &errnum, sizeof(errnum)) < 0 || errnum != 0)
		_exit(1);
	for (;;)
		pause();
}

int act_grow(int argc, char **argv)
{
	long mib = act_number(argv[1]), n = act_number(argv[2]);
	int fds[2], errnum = 0, first = 0;
	pid_t pids[64];
	UNUSED(argc);
	if (n < 1 || n > (long)ARRAY_LEN(pids) || pipe2(fds, O_CLOEXEC) < 0)
		return act_cannot(errno, "%ld processes", n);
	for (long i = 0; i < n; i++)
		pids[i] = fork_grown(mib, fds[1]);
	close(fds[1]);
	for (long i = 0; i < n && first == 0; i++) {
		/* A process that was ended by force leaves no report. */
		if (read(fds[0], &errnum, sizeof(errnum)) != (ssize_t)sizeof(errnum))
			errnum = ENOMEM;
		first = errnum;
	}
	for (long i = 0; i < n; i++) {
		if (pids[i] > 0)
			(void)kill(pids[i], SIGKILL);
	}
	return first != 0 ? act_denied(first, "%ld MiB in each of %ld", mib, n)
			  : act_done("%ld MiB in each of %ld", mib, n);
}

int act_grow_shm(int argc, char **argv)
{
	long mib = act_number(argv[1]);
	UNUSED(argc);
	int errnum = touch(mib, MAP_SHARED);
	if (errnum == 0)
		return act_done("%ld MiB shared", mib);
	return act_denied(errnum, "%ld MiB shared", mib);
}

int act_fill(int argc, char **argv)
{
	static char bytes[65536];
	long mib = act_number(argv[2]);
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	UNUSED(argc);
	(void)sigaction(SIGXFSZ, &ignore, NULL);
	auto_fd int fd = open(argv[1], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0644);
	if (fd < 0)
		return act_cannot(errno, "%s", argv[1]);
	for (long done = 0; done < mib * MIB;) {
		ssize_t n = write(fd, bytes, sizeof(bytes));
		if (n < 0)
			return act_denied(errno, "after %ld KiB", done / 1024);
		done += n;
	}
	return act_done("wrote %ld MiB", mib);
}

int act_inodes(int argc, char **argv)
{
	char path[4096];
	long n = act_number(argv[2]);
	UNUSED(argc);
	for (long i = 0; i < n; i++) {
		(void)snprintf(path, sizeof(path), "%s/%ld", argv[1], i);
		auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
		if (fd < 0)
			return act_denied(errno, "after %ld files", i);
	}
	return act_done("created %ld files", n);
}

static int end_children(const pid_t *pids, long n)
{
	int status;
	for (long i = 0; i < n; i++)
		(void)kill(pids[i], SIGKILL);
	while (waitpid(-1, &status, 0) > 0)
		continue;
	return 0;
}

int act_forks(int argc, char **argv)
{
	static pid_t pids[MAX_FORKS];
	long n = act_number(argv[1]);
	UNUSED(argc);
	if (n > MAX_FORKS)
		return act_cannot(0, "%ld are too many", n);
	for (long i = 0; i < n; i++) {
		pids[i] = fork();
		if (pids[i] == 0) {
			for (;;)
				pause();
		}
		if (pids[i] < 0) {
			int errnum = errno;
			(void)end_children(pids, i);
			return act_denied(errnum, "after %ld processes", i);
		}
	}
	(void)end_children(pids, n);
	return act_done("had %ld children", n);
}

static int wait_forever(void *context)
{
	UNUSED(context);
	for (;;)
		pause();
	return 0;
}

int act_threads(int argc, char **argv)
{
	long n = act_number(argv[1]);
	UNUSED(argc);
	for (long i = 0; i < n; i++) {
		char *stack = malloc(STACK_BYTES);
		int flags = CLONE_VM | CLONE_FS | CLONE_FILES | CLONE_SIGHAND | CLONE_THREAD |
			    CLONE_SYSVSEM;
		if (!stack || clone(wait_forever, stack + STACK_BYTES, flags, NULL) < 0) {
			int errnum = errno;
			free(stack);
			return act_denied(errnum, "after %ld threads", i);
		}
	}
	return act_done("had %ld threads", n);
}

/* Each process forks as long as it can, and none waits for another. */
int act_bomb(int argc, char **argv)
{
	UNUSED(argc);
	(void)prctl(PR_SET_NAME, argv[1], 0, 0, 0);
	(void)alarm(60);
	for (;;) {
		if (fork() < 0)
			act_wait_ms(5);
	}
}

int act_opens(int argc, char **argv)
{
	long n = act_number(argv[1]);
	UNUSED(argc);
	for (long i = 0; i < n; i++) {
		if (open("/dev/null", O_RDONLY | O_CLOEXEC) < 0)
			return act_denied(errno, "after %ld files", i);
	}
	return act_done("opened %ld files", n);
}

/* Having taken what there is, says so, and keeps it for a while. */
static int keep(long n_taken, int argc, char **argv)
{
	if (n_taken == 0)
		return act_denied(errno, "none is left");
	int r = act_done("took %ld", n_taken);
	if (argc > 2)
		act_wait_ms(act_number(argv[2]));
	return r;
}

int act_watches(int argc, char **argv)
{
	long n = act_number(argv[1]), n_taken = 0;
	while (n_taken < n && inotify_init1(IN_CLOEXEC) >= 0)
		n_taken++;
	return keep(n_taken, argc, argv);
}

int act_signals(int argc, char **argv)
{
	long n = act_number(argv[1]), n_taken = 0;
	const union sigval value = { .sival_int = 0 };
	sigset_t all;
	sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, NULL); /* NOLINT(concurrency-mt-unsafe) */
	while (n_taken < n && sigqueue(getpid(), SIGRTMIN, value) == 0)
		n_taken++;
	return keep(n_taken, argc, argv);
}

int act_terminals(int argc, char **argv)
{
	long n = act_number(argv[1]);
	UNUSED(argc);
	for (long i = 0; i < n; i++) {
		if (open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC) < 0)
			return act_denied(errno, "after %ld terminals", i);
	}
	return act_done("opened %ld terminals", n);
}

static int pour(int fd, long n)
{
	char bytes[4096];
	memset(bytes, 'f', sizeof(bytes));
	while (n > 0) {
		ssize_t written = write(fd, bytes, (size_t)MIN(n, (long)sizeof(bytes)));
		if (written < 0)
			return errno;
		n -= written;
	}
	return 0;
}

/* Its stdout is the flood, so it says nothing. */
int act_flood(int argc, char **argv)
{
	UNUSED(argc);
	int errnum = pour(1, act_number(argv[1]));
	if (errnum == 0)
		errnum = pour(2, act_number(argv[2]));
	return errnum == 0 ? ACT_DONE : ACT_DENIED;
}

int act_processors(int argc, char **argv)
{
	unsigned long mask[16] = { 0 };
	long most = act_number(argv[1]), n = 0;
	UNUSED(argc);
	if (syscall(SYS_sched_getaffinity, 0, sizeof(mask), mask) < 0)
		return act_cannot(errno, "the affinity mask");
	for (size_t i = 0; i < ARRAY_LEN(mask); i++)
		n += __builtin_popcountl(mask[i]);
	return n > most ? act_done("%ld processors", n) : act_denied(EPERM, "%ld processors", n);
}
