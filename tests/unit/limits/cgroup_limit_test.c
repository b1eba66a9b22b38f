/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_limit_test.c - each limit stops inside what works outside, and is counted and told */
#include "unit/limits/box.h"

#define MIB        (1024UL * 1024)
#define FILL_BYTES (24 * MIB)

/* Forks sleepers until refused or 40 run; exits with their number. */
static int work_fork_40(void)
{
	int n = 0;
	pid_t pids[40];
	for (; n < 40; n++) {
		pids[n] = fork();
		if (pids[n] < 0)
			break;
		if (pids[n] == 0)
			(void)work_sleep();
	}
	for (int i = 0; i < n; i++) {
		(void)kill(pids[i], SIGKILL);
		(void)waitpid(pids[i], NULL, 0);
	}
	return n;
}

static void pids_max_refuses_the_next_fork(void)
{
	NEED_CGROUP();
	EQ(WEXITSTATUS(run_outside(work_fork_40)), 40);

	struct box box;
	box_init(&box);
	box.limits.pids = 12;
	if (!box_open(&box))
		return;
	struct cgroup_usage usage;
	cgroup_usage_read(&box.cgroup, &usage);
	EQ(usage.pids_refused, 0);
	EQ(WEXITSTATUS(run_inside(&box, work_fork_40)), 11); /* and itself */
	cgroup_usage_read(&box.cgroup, &usage);
	EQ(usage.pids_refused, 1);
	OK(usage.pids_peak == 12 || usage.pids_peak == 0); /* unknown before Linux 6.1 */
	EQ(usage.oom_kills, 0);
	box_close(&box);
}

static int fill(char *bytes)
{
	if (bytes == MAP_FAILED)
		return 2;
	for (size_t at = 0; at < FILL_BYTES; at += 4096)
		bytes[at] = 1;
	return 0;
}

static int work_fill_private(void)
{
	return fill(
		mmap(NULL, FILL_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

/* What tmpfs and POSIX shared memory are made of. */
static int work_fill_shared(void)
{
	int fd = memfd_create("fill", MFD_CLOEXEC);
	if (fd < 0 || ftruncate(fd, FILL_BYTES) < 0)
		return 3;
	return fill(mmap(NULL, FILL_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0));
}

static void memory_is_held(int (*work)(void))
{
	EQ(run_outside(work), 0);

	struct box box;
	box_init(&box);
	box.limits.memory_bytes = 12 * MIB;
	if (!box_open(&box))
		return;
	struct cgroup_usage usage;
	cgroup_usage_read(&box.cgroup, &usage);
	EQ(usage.oom_kills, 0);
	int status = run_inside(&box, work);
	OK(WIFSIGNALED(status));
	EQ(WTERMSIG(status), SIGKILL);
	OK(EVENTUALLY((cgroup_usage_read(&box.cgroup, &usage), usage.oom_kills > 0)));
	OK(usage.oom_kills <= 2); /* v2 can count the victim twice: alone and with its group */
	EQ(usage.pids_refused, 0);
	OK(usage.memory_peak_bytes == 0 || usage.memory_peak_bytes > 10 * MIB);
	OK(usage.memory_peak_bytes <= 12 * MIB);
	box_close(&box);

	box_init(&box);
	box.limits.memory_bytes = 64 * MIB;
	if (!box_open(&box))
		return;
	EQ(run_inside(&box, work), 0);
	cgroup_usage_read(&box.cgroup, &usage);
	EQ(usage.oom_kills, 0);
	OK(usage.memory_peak_bytes == 0 || usage.memory_peak_bytes >= FILL_BYTES);
	OK(usage.memory_peak_bytes < 40 * MIB);
	box_close(&box);
}

static void memory_max_ends_who_fills_private_memory(void)
{
	NEED_CGROUP();
	memory_is_held(work_fill_private);
}

static void memory_max_ends_who_fills_shared_memory(void)
{
	NEED_CGROUP();
	memory_is_held(work_fill_shared);
}

static int work_fill_in_child(void)
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(work_fill_private());
	(void)wait_status(pid);
	return 7;
}

/* Version 2 has memory.oom.group; on version 1 the parent of the victim goes on. */
static void oom_ends_the_whole_group_on_v2(void)
{
	NEED_CGROUP();
	struct box box;
	box_init(&box);
	box.limits.memory_bytes = 12 * MIB;
	if (!box_open(&box))
		return;
	int status = run_inside(&box, work_fill_in_child);
	if (host.version == CGROUP_V2)
		EQ(WTERMSIG(status), SIGKILL);
	else
		EQ(WEXITSTATUS(status), 7);
	box_close(&box);
}

static uint64_t clock_read_ns(clockid_t clock)
{
	struct timespec now;
	(void)clock_gettime(clock, &now);
	return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

/* Spins for 300 ms of wall time; exits with the centiseconds of CPU time that it got. */
static int work_spin_300ms(void)
{
	uint64_t end_ns = clock_read_ns(CLOCK_MONOTONIC) + 300000000;
	while (clock_read_ns(CLOCK_MONOTONIC) < end_ns) {
	}
	return (int)(clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) / 10000000);
}

/* Spins until it had 80 ms of CPU time, in a child, so that a sum over the tree is needed. */
static int work_burn_80ms(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		while (clock_read_ns(CLOCK_PROCESS_CPUTIME_ID) < 80000000) {
		}
		_exit(0);
	}
	return wait_status(pid);
}

static void cpu_max_slows(void)
{
	NEED_CGROUP();
	struct box box;
	box_init(&box);
	box.limits.cpus_milli = 100; /* 10 ms of each 100 ms */
	if (!box_open(&box))
		return;
	int inside = WEXITSTATUS(run_inside(&box, work_spin_300ms));
	int outside = 0; /* the best of some: other work on this machine slows it, too */
	for (int i = 0; i < 20 && outside <= inside + inside / 2; i++)
		outside = MAX(outside, WEXITSTATUS(run_outside(work_spin_300ms)));
	printf("# of 300 ms: inside %d0 ms, outside %d0 ms\n", inside, outside);
	OK(inside <= 15); /* four periods can be touched, and each slice overruns a little */
	OK(outside > inside + inside / 2);
	box_close(&box);
}

static void cpu_time_is_counted_over_the_tree(void)
{
	NEED_CGROUP();
	struct box box;
	box_init(&box);
	box.limits.cpu_time_ns = 1000000000; /* its timer is the monitor's; here it is a counter */
	box.limits.pids = 20;
	if (!box_open(&box))
		return;
	EQ(cgroup_cpu_ns(&box.cgroup), 0);
	EQ(run_inside(&box, work_burn_80ms), 0);
	uint64_t cpu_ns = cgroup_cpu_ns(&box.cgroup);
	printf("# 80 ms were counted as %llu us\n", (unsigned long long)cpu_ns / 1000);
	OK(cpu_ns >= 79000000);
	OK(cpu_ns < 240000000);
	EQ(run_outside(work_burn_80ms), 0);
	struct cgroup_usage usage;
	cgroup_usage_read(&box.cgroup, &usage);
	/* The end of the last process is counted late; the 80 ms outside would be more than that.
	 */
	OK(usage.cpu_ns >= cpu_ns);
	OK(usage.cpu_ns < cpu_ns + 60000000);
	box_close(&box);
}

static int watch_open(struct box *box)
{
	int epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	struct error err = { 0 };
	EQ(cgroup_watch(&box->cgroup, epoll_fd, 4711, &err), 0);
	return epoll_fd;
}

static bool watch_is_told(int epoll_fd, int timeout_ms)
{
	struct epoll_event event = { 0 };
	if (epoll_wait(epoll_fd, &event, 1, timeout_ms) != 1)
		return false;
	EQ(event.data.u64, 4711);
	return true;
}

static void watch_tells_when_pids_ran_out(void)
{
	NEED_CGROUP();
	struct box box;
	box_init(&box);
	box.limits.pids = 12;
	box.limits.memory_bytes = 64 * MIB;
	if (!box_open(&box))
		return;
	int epoll_fd = watch_open(&box);
	struct cgroup_usage usage;
	OK(!watch_is_told(epoll_fd, 0));
	EQ(WEXITSTATUS(run_inside(&box, work_fork_40)), 11);
	OK(watch_is_told(epoll_fd, 2000));
	cgroup_usage_read(&box.cgroup, &usage);
	EQ(usage.pids_refused, 1);
	/* Reading has rearmed it; version 1 is a timer, which a slow machine finds expired again.
	 */
	OK(box.cgroup.host.version == CGROUP_V1 || !watch_is_told(epoll_fd, 0));
	EQ(WEXITSTATUS(run_inside(&box, work_fork_40)), 11);
	OK(watch_is_told(epoll_fd, 2000));
	cgroup_usage_read(&box.cgroup, &usage);
	EQ(usage.pids_refused, 2);
	close(epoll_fd);
	box_close(&box);
}

static void watch_tells_when_memory_ran_out(void)
{
	NEED_CGROUP();
	struct box box;
	box_init(&box);
	box.limits.pids = 12;
	box.limits.memory_bytes = 12 * MIB;
	if (!box_open(&box))
		return;
	int epoll_fd = watch_open(&box);
	struct cgroup_usage usage = { 0 };
	OK(!watch_is_told(epoll_fd, 0));
	pid_t pid = box_start(&box, 0, work_fill_private);
	/* As the monitor does: it reads when it is told, and the count must be there by then; v2
	   tells of reclaim at the limit before, too. */
	for (unsigned i = 0; i < 1000 && usage.oom_kills == 0; i++) {
		if (!watch_is_told(epoll_fd, 5000))
			break;
		cgroup_usage_read(&box.cgroup, &usage);
	}
	OK(usage.oom_kills == 1 || usage.oom_kills == 2);
	EQ(WTERMSIG(wait_status(pid)), SIGKILL);
	EQ(usage.pids_refused, 0);
	close(epoll_fd);
	box_close(&box);
}

#define IO_BYTES (256 * 1024)

/* Writes past the cache to where this program is run from. */
static int work_write_direct(void)
{
	int fd = open(".", O_TMPFILE | O_RDWR | O_DIRECT | O_CLOEXEC, 0600);
	void *bytes =
		mmap(NULL, IO_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (fd < 0 || bytes == MAP_FAILED || pwrite(fd, bytes, IO_BYTES, 0) != IO_BYTES)
		return 77;
	return pread(fd, bytes, IO_BYTES, 0) == IO_BYTES ? 0 : 1;
}

static void io_is_counted(void)
{
	NEED_CGROUP();
	if (!host.has[CGROUP_IO])
		SKIP("no io controller here");
	struct box box;
	box_init(&box);
	box.limits.pids = 12;
	box.options.needs_io = true;
	if (!box_open(&box))
		return;
	struct cgroup_usage usage;
	cgroup_usage_read(&box.cgroup, &usage);
	EQ(usage.io_read_bytes, 0);
	EQ(usage.io_write_bytes, 0);
	int status = WEXITSTATUS(run_inside(&box, work_write_direct));
	cgroup_usage_read(&box.cgroup, &usage);
	bool is_used = box.cgroup.is_used[CGROUP_IO];
	box_close(&box);
	if (!is_used)
		SKIP("this kernel's version 1 counts no I/O without a throttle rule");
	if (status == 77)
		SKIP("the current folder is on no disk that takes direct writes");
	EQ(status, 0);
	OK(usage.io_write_bytes >= IO_BYTES);
	OK(usage.io_read_bytes >= IO_BYTES);
	OK(usage.io_write_bytes < 4 * IO_BYTES);
}

int main(void)
{
	RUN(host_is_as_expected);
	RUN(pids_max_refuses_the_next_fork);
	RUN(memory_max_ends_who_fills_private_memory);
	RUN(memory_max_ends_who_fills_shared_memory);
	RUN(oom_ends_the_whole_group_on_v2);
	RUN(cpu_max_slows);
	RUN(cpu_time_is_counted_over_the_tree);
	RUN(watch_tells_when_pids_ran_out);
	RUN(watch_tells_when_memory_ran_out);
	RUN(io_is_counted);
	return tap_done();
}
