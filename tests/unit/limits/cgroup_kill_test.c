/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup_kill_test.c - nothing in a group outlives the kill, and nothing outside is hit */
#include "unit/limits/box.h"

static unsigned *n_hidden; /* shared: members of all families that have come to rest */

/* A family of nine that hides: own sessions, double forks, SIGTERM ignored, half of it stopped. */
static int work_hide(void)
{
	for (int i = 0; i < 8; i++) {
		pid_t pid = fork();
		if (pid > 0)
			(void)wait_status(pid);
		if (pid != 0)
			continue;
		(void)setsid();
		(void)sigaction(SIGTERM, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
		if (fork() != 0)
			_exit(0);
		(void)__atomic_add_fetch(n_hidden, 1, __ATOMIC_SEQ_CST);
		if (i % 2)
			(void)raise(SIGSTOP);
		(void)work_sleep();
	}
	(void)__atomic_add_fetch(n_hidden, 1, __ATOMIC_SEQ_CST);
	return work_sleep();
}

static bool are_hidden(unsigned n)
{
	return __atomic_load_n(n_hidden, __ATOMIC_SEQ_CST) == n;
}

/* Forks as fast as it can, and its children do the same; ends by itself should all else fail. */
static int work_fork_bomb(void)
{
	uint64_t end_ns = cgroup_clock_ns() + 20000000000;
	while (cgroup_clock_ns() < end_ns) {
		(void)fork();
		while (waitpid(-1, NULL, WNOHANG) > 0) {
		}
	}
	return 0;
}

static void kill_ends_all_and_spares_the_rest(void)
{
	NEED_CGROUP();
	struct box box;
	box_init(&box);
	*n_hidden = 0;
	box.limits.pids = 40;
	if (!box_open(&box))
		return;
	pid_t outside = fork();
	if (outside == 0)
		_exit(work_sleep());
	OK(outside > 0);
	pid_t inside = box_start(&box, 0, work_hide);
	OK(EVENTUALLY(are_hidden(9)));
	EQ(n_pids(&box, 0), 9);
	struct error err = { 0 };
	EQ(cgroup_kill(&box.cgroup, 0, &err), 0);
	OK(EVENTUALLY(n_pids(&box, 0) == 0));
	EQ(WTERMSIG(wait_status(inside)), SIGKILL);
	EQ(cgroup_kill(&box.cgroup, 0, &err), 0); /* twice is allowed */
	EQ(waitpid(outside, NULL, WNOHANG), 0);
	if (outside > 0)
		(void)kill(outside, SIGKILL);
	(void)wait_status(outside);
	box_close(&box);
}

static void kill_ends_a_fork_bomb(bool needs_kill)
{
	struct box box;
	box_init(&box);
	box.limits.pids = 30;
	box.limits.cpus_milli = 1000;
	box.options.needs_kill = needs_kill;
	if (!box_open(&box))
		return;
	pid_t pid = box_start(&box, 0, work_fork_bomb);
	struct cgroup_usage usage;
	OK(EVENTUALLY((cgroup_usage_read(&box.cgroup, &usage), usage.pids_refused > 0)));
	struct error err = { 0 };
	EQ(cgroup_kill(&box.cgroup, 0, &err), 0);
	EQ(WTERMSIG(wait_status(pid)), SIGKILL);
	OK(EVENTUALLY(n_pids(&box, 0) == 0));
	box_close(&box);
}

static void kill_ends_a_fork_bomb_with_a_freezer(void)
{
	NEED_CGROUP();
	kill_ends_a_fork_bomb(true);
}

static void kill_ends_a_fork_bomb_without_a_freezer(void)
{
	NEED_CGROUP();
	kill_ends_a_fork_bomb(false);
}

/* The way of kernels without cgroup.kill, on whatever kernel this is. */
static void rounds_end_a_fork_bomb(void)
{
	NEED_CGROUP();
	struct box box;
	box_init(&box);
	box.limits.pids = 30;
	if (!box_open(&box))
		return;
	pid_t pid = box_start(&box, 0, work_fork_bomb);
	OK(EVENTUALLY(n_pids(&box, 0) > 20));
	int dir_fd = box.cgroup.dir_fd[host.version == CGROUP_V2 ? 0 : CGROUP_PIDS];
	EQ(cgroup_file_write(dir_fd, "pids.max", "0"), 0);
	EQ(cgroup_tree_kill(dir_fd, cgroup_clock_ns() + 2000000000), 0);
	EQ(WTERMSIG(wait_status(pid)), SIGKILL);
	OK(EVENTUALLY(n_pids(&box, 0) == 0));
	box_close(&box);
}

static void one_command_is_killed_alone(void)
{
	NEED_CGROUP();
	if (!host.has[CGROUP_FREEZER])
		SKIP("no freezer here, so no groups for single commands");
	struct box box;
	box_init(&box);
	*n_hidden = 0;
	box.limits.pids = 60;
	box.options.needs_kill = true;
	if (!box_open(&box))
		return;
	pid_t first = box_start(&box, 1, work_hide);
	pid_t second = box_start(&box, 2, work_hide);
	OK(EVENTUALLY(are_hidden(18)));
	EQ(n_pids(&box, 1), 9);
	EQ(n_pids(&box, 2), 9);
	EQ(n_pids(&box, 0), 18);
	EQ(n_pids(&box, 3), 0);
	pid_t pids[4] = { 0 };
	EQ(cgroup_pids(&box.cgroup, 1, pids, ARRAY_LEN(pids)), 9); /* more than fit are counted */
	OK(pids[3] > 0);
	struct error err = { 0 };
	EQ(cgroup_command_remove(&box.cgroup, 1), EBUSY);
	EQ(cgroup_kill(&box.cgroup, 3, &err), 0); /* never started: nothing to do */
	EQ(cgroup_kill(&box.cgroup, 1, &err), 0);
	EQ(WTERMSIG(wait_status(first)), SIGKILL);
	OK(EVENTUALLY(n_pids(&box, 1) == 0));
	EQ(n_pids(&box, 2), 9);
	OK(EVENTUALLY(cgroup_command_remove(&box.cgroup, 1) == 0));
	EQ(cgroup_command_remove(&box.cgroup, 1), 0);
	EQ(cgroup_kill(&box.cgroup, 0, &err), 0);
	EQ(WTERMSIG(wait_status(second)), SIGKILL);
	box_close(&box); /* c2 is still there: removed with the rest */
	OK(!is_on_disk(box.id));
}

static void the_limits_hold_in_a_command_too(void)
{
	NEED_CGROUP();
	if (!host.has[CGROUP_FREEZER])
		SKIP("no freezer here, so no groups for single commands");
	struct box box;
	box_init(&box);
	box.limits.pids = 5; /* work_hide wants more */
	box.options.needs_kill = true;
	if (!box_open(&box))
		return;
	pid_t pid = box_start(&box, 1, work_hide);
	struct cgroup_usage usage;
	OK(EVENTUALLY((cgroup_usage_read(&box.cgroup, &usage), usage.pids_refused > 0)));
	OK(usage.pids_peak <= 5);
	struct error err = { 0 };
	EQ(cgroup_kill(&box.cgroup, 1, &err), 0);
	EQ(WTERMSIG(wait_status(pid)), SIGKILL);
	box_close(&box);
}

static void a_command_without_a_group_is_not_killed_in_silence(void)
{
	NEED_CGROUP();
	if (host.version == CGROUP_V2)
		SKIP("version 2 has a group for each command");
	struct box box;
	box_init(&box);
	box.limits.pids = 5;
	if (!box_open(&box))
		return;
	struct error err = { 0 };
	ERR(cgroup_kill(&box.cgroup, 1, &err), &err, ERR_UNSUPPORTED, box.id);
	STR_EQ(err.remedy, "end the whole sandbox, or mount the freezer controller (foso doctor)");
	box_close(&box);
}

static const char *lost_id;

/* A monitor that makes a sandbox, starts something in it and dies by SIGKILL. */
static int work_lose_a_box(void)
{
	struct box box;
	box_init(&box);
	box.options.id = lost_id;
	box.limits.pids = 20;
	box.limits.memory_bytes = 64 << 20;
	box.options.needs_kill = true;
	if (!box_open(&box))
		return 1;
	pid_t pid = box_start(&box, 2, work_sleep);
	if (!EVENTUALLY(n_pids(&box, 2) == 1))
		return 2;
	/* In the middle of a kill: frozen, it could not die by a signal alone on v1. */
	auto_fd int dir_fd = openat(host.version == CGROUP_V2 ? box.cgroup.dir_fd[0]
							      : box.cgroup.dir_fd[CGROUP_FREEZER],
				    "c2", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	const char *file = host.version == CGROUP_V2 ? "cgroup.freeze" : "freezer.state";
	if (pid < 0 || cgroup_file_write(dir_fd, file, file[0] == 'c' ? "1" : "FROZEN") != 0)
		return 3;
	(void)kill(getpid(), SIGKILL);
	return 4;
}

static size_t n_found;

static void count_id(const char *id, void *context)
{
	if (strcmp(id, context) == 0)
		n_found++;
}

static size_t times_listed(char *id)
{
	n_found = 0;
	cgroup_list_ids(&host, count_id, id);
	return n_found;
}

static void reclaim_removes_what_a_dead_monitor_left(void)
{
	NEED_CGROUP();
	if (!host.has[CGROUP_FREEZER])
		SKIP("no freezer here, so no groups for single commands");
	struct box box;
	box_init(&box);
	lost_id = box.id;
	EQ(times_listed(box.id), 0);
	int status = run_outside(work_lose_a_box);
	EQ(WTERMSIG(status), SIGKILL);
	OK(is_on_disk(box.id));
	EQ(times_listed(box.id), 1);

	struct error_list leftovers = { 0 };
	EQ(cgroup_reclaim(&host, box.id, &leftovers), host.version == CGROUP_V2 ? 1 : 3);
	EQ(leftovers.n_errors, 0);
	OK(!is_on_disk(box.id));
	EQ(times_listed(box.id), 0);
	EQ(cgroup_reclaim(&host, box.id, &leftovers), 0);
	EQ(cgroup_reclaim(&host, "../../x", &leftovers), 0);
	EQ(leftovers.n_errors, 0);
}

int main(void)
{
	n_hidden = mmap(NULL, sizeof(*n_hidden), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS,
			-1, 0);
	assert(n_hidden != MAP_FAILED);
	RUN(host_is_as_expected);
	RUN(kill_ends_all_and_spares_the_rest);
	RUN(kill_ends_a_fork_bomb_with_a_freezer);
	RUN(kill_ends_a_fork_bomb_without_a_freezer);
	RUN(rounds_end_a_fork_bomb);
	RUN(one_command_is_killed_alone);
	RUN(the_limits_hold_in_a_command_too);
	RUN(a_command_without_a_group_is_not_killed_in_silence);
	RUN(reclaim_removes_what_a_dead_monitor_left);
	return tap_done();
}
