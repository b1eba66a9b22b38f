/* SPDX-License-Identifier: Apache-2.0 */
/* tree_test.c - what a process tree uses, whatever it calls itself and whoever vanishes */
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include "limits/tree.c"
#include "support/tap.h"

#define MIB (1024UL * 1024)

static void the_kernels_fields_follow_the_last_parenthesis(void)
{
	static const struct {
		const char *text;
		bool is_stat;
	} rows[] = {
		{ "7 (a) S 1 7 7 0 -1 4194560 1 2 3 4 50 60 70 80 20 0 3 0 9 1 2\n", true },
		{ "7 (a) R 1 (b) S 1 7 7 0 -1 4 1 2 3 4 50 60 70 80 20 0 3 0 9 1\n", true },
		{ "7 ()\n) Z) S 1 7 7 0 -1 4 1 2 3 4 50 60 70 80 20 0 3 0 9 1\n", true },
		{ "7 (a) S 1 7 7 0 -1 4 1 2 3 4 50 60 70 80 20 0\n", false },
		{ "7 (a)\n", false },
		{ "7 (a", false },
		{ "", false },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct process_stat stat = { 0 };
		bool is_stat = stat_parse(rows[i].text, strlen(rows[i].text), &stat);
		EQ(is_stat, rows[i].is_stat);
		if (!rows[i].is_stat)
			continue;
		EQ(stat.own_ticks, 110);
		EQ(stat.waited_ticks, 150);
		EQ(stat.n_threads, 3);
	}
}

static void file_pages_do_not_count(void)
{
	EQ(status_memory_bytes("Name:\ta\nRssAnon:\t     10 kB\nRssFile:\t  500 kB\n"
			       "RssShmem:\t      3 kB\nVmSwap:\t     2 kB\n"),
	   15 * 1024);
	EQ(status_memory_bytes("Name:\tRssAnon: 99\nState:\tZ (zombie)\n"), 0);
	EQ(status_memory_bytes(""), 0);
}

/* The state of the tree under test, shared with all of it. */
static struct shared {
	unsigned n_ready;
	int go_fd[2]; /* closed by the test: time to end */
} * shared;

static void ready_and_wait(void)
{
	char byte;
	close(shared->go_fd[1]);
	(void)__atomic_add_fetch(&shared->n_ready, 1, __ATOMIC_SEQ_CST);
	(void)!read(shared->go_fd[0], &byte, 1);
	_exit(0);
}

/* Starts a stand-in for foso-init: the reaper of what it starts by @work. */
static pid_t init_start(void (*work)(void))
{
	(void)fflush(stdout);
	assert(pipe2(shared->go_fd, O_CLOEXEC) == 0);
	shared->n_ready = 0;
	pid_t pid = fork();
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
		work();
		ready_and_wait();
	}
	close(shared->go_fd[0]);
	return pid;
}

static bool are_ready(unsigned n)
{
	const struct timespec nap = { .tv_nsec = 5000000 };
	for (unsigned i = 0; i < 1000; i++) {
		if (__atomic_load_n(&shared->n_ready, __ATOMIC_SEQ_CST) >= n)
			return true;
		(void)nanosleep(&nap, NULL);
	}
	return false;
}

static void init_end(pid_t pid)
{
	close(shared->go_fd[1]);
	(void)kill(pid, SIGKILL);
	while (waitpid(pid, NULL, 0) < 0 && errno == EINTR) {
	}
}

static void fill(unsigned flags)
{
	char *bytes =
		mmap(NULL, 16 * MIB, PROT_READ | PROT_WRITE, (int)flags | MAP_ANONYMOUS, -1, 0);
	assert(bytes != MAP_FAILED);
	for (size_t at = 0; at < 16 * MIB; at += 4096)
		bytes[at] = 1;
}

static void work_fill_two(void)
{
	static const unsigned flags[] = { MAP_PRIVATE, MAP_SHARED };
	for (size_t i = 0; i < ARRAY_LEN(flags); i++) {
		if (fork() == 0) {
			(void)prctl(PR_SET_NAME, i ? ") R 1 1 1\n9" : "a) S (b");
			fill(flags[i]);
			ready_and_wait();
		}
	}
}

static void private_and_shared_memory_of_all_is_summed(void)
{
	struct tree_usage usage;
	pid_t pid = init_start(work_fill_two);
	OK(are_ready(3));
	tree_usage_read(pid, &usage);
	OK(usage.is_whole);
	EQ(usage.pids, 2);
	OK(usage.memory_bytes >= 32 * MIB);
	OK(usage.memory_bytes < 40 * MIB);
	init_end(pid);
}

static void work_orphan_and_chain(void)
{
	if (fork() == 0) {
		(void)setsid();
		if (fork() == 0)
			ready_and_wait();
		_exit(0);
	}
	(void)wait(NULL);
	/* A chain of four: child, grandchild, and so on. */
	for (int i = 0; i < 4; i++) {
		if (fork() != 0) {
			if (i > 0)
				ready_and_wait();
			return;
		}
	}
	ready_and_wait();
}

static void orphans_and_grandchildren_are_found(void)
{
	struct tree_usage usage;
	pid_t pid = init_start(work_orphan_and_chain);
	OK(are_ready(6)); /* the reaper, the orphan, four of the chain */
	tree_usage_read(pid, &usage);
	EQ(usage.pids, 5);
	OK(usage.is_whole);
	init_end(pid);
}

static void *thread_sleep(void *unused)
{
	for (;;)
		pause();
	return unused;
}

static void *thread_fork(void *unused)
{
	if (fork() == 0)
		ready_and_wait();
	return thread_sleep(unused);
}

static void work_threads(void)
{
	if (fork() != 0)
		return;
	pthread_t threads[3];
	for (int i = 0; i < 3; i++)
		assert(pthread_create(&threads[i], NULL, i ? thread_sleep : thread_fork, NULL) ==
		       0);
	ready_and_wait();
}

static void threads_count_and_their_children_are_found(void)
{
	struct tree_usage usage;
	pid_t pid = init_start(work_threads);
	OK(are_ready(3)); /* the reaper, the process, the child of its thread */
	tree_usage_read(pid, &usage);
	EQ(usage.pids, 5); /* four threads and that child */
	init_end(pid);
}

static void burn(long ms)
{
	struct timespec now;
	do
		(void)clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	while (now.tv_sec * 1000 + now.tv_nsec / 1000000 < ms);
}

static void work_burn(void)
{
	for (int i = 0; i < 2; i++) {
		if (fork() == 0) {
			burn(60);
			if (i == 0)
				_exit(0); /* waited for: its time is in the reaper's sum */
			ready_and_wait();
		}
		if (i == 0)
			(void)wait(NULL);
	}
}

static void cpu_time_of_the_living_and_the_dead_is_summed(void)
{
	struct tree_usage usage;
	pid_t pid = init_start(work_burn);
	OK(are_ready(2));
	tree_usage_read(pid, &usage);
	printf("# 120 ms were counted as %llu ms\n", (unsigned long long)usage.cpu_ns / 1000000);
	OK(usage.cpu_ns >= 90000000); /* in ticks of 10 ms */
	OK(usage.cpu_ns <= 400000000);
	init_end(pid);
}

/* Forks until it is told to end, by the end of the test at the latest. */
static void work_churn(void)
{
	if (fork() != 0)
		return;
	close(shared->go_fd[1]);
	(void)__atomic_add_fetch(&shared->n_ready, 1, __ATOMIC_SEQ_CST);
	/* Asked by poll(): O_NONBLOCK would be set for the others who wait for it, too. */
	struct pollfd go = { .fd = shared->go_fd[0], .events = POLLIN };
	while (poll(&go, 1, 0) == 0) {
		if (fork() == 0)
			_exit(0);
		while (waitpid(-1, NULL, WNOHANG) > 0) {
		}
	}
	_exit(0);
}

static void processes_may_vanish_meanwhile(void)
{
	pid_t pid = init_start(work_churn);
	OK(are_ready(2));
	for (int i = 0; i < 50; i++) {
		struct tree_usage usage;
		tree_usage_read(pid, &usage);
		OK(usage.pids >= 1);
		OK(usage.memory_bytes < 64 * MIB);
	}
	init_end(pid);
}

static void a_tree_that_is_gone_uses_nothing(void)
{
	struct tree_usage usage;
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	(void)waitpid(pid, NULL, 0);
	tree_usage_read(pid, &usage);
	EQ(usage.cpu_ns, 0);
	EQ(usage.memory_bytes, 0);
	EQ(usage.pids, 0);
	OK(!usage.is_whole);
}

static void work_many(void)
{
	for (int i = 0; i < 700; i++) {
		if (fork() == 0)
			ready_and_wait();
	}
}

/* The list of children is longer than the buffer that it is read into. */
static void many_children_are_all_found(void)
{
	struct tree_usage usage;
	pid_t pid = init_start(work_many);
	OK(are_ready(701));
	tree_usage_read(pid, &usage);
	EQ(usage.pids, 700);
	OK(usage.is_whole);
	init_end(pid);
}

int main(void)
{
	/* A process that burns time must not go on for ever if this program is killed. */
	const struct rlimit burn = { 30, 30 };
	(void)setrlimit(RLIMIT_CPU, &burn);
	shared = mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1,
		      0);
	assert(shared != MAP_FAILED);
	RUN(the_kernels_fields_follow_the_last_parenthesis);
	RUN(file_pages_do_not_count);
	RUN(private_and_shared_memory_of_all_is_summed);
	RUN(orphans_and_grandchildren_are_found);
	RUN(threads_count_and_their_children_are_found);
	RUN(cpu_time_of_the_living_and_the_dead_is_summed);
	RUN(processes_may_vanish_meanwhile);
	RUN(a_tree_that_is_gone_uses_nothing);
	RUN(many_children_are_all_found);
	return tap_done();
}
