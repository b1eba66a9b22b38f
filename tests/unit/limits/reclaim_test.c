/* SPDX-License-Identifier: Apache-2.0 */
/* What dead monitors left: found by the lock that nobody holds, ended, removed. */
#include <stdlib.h>
#include <sys/wait.h>

#include "limits/reclaim.c"
#include "support/tap.h"

struct seen {
	size_t n_items;
	struct reclaim_item last;
	char id[RUNDIR_ID_BYTES];
};

static void note(const struct reclaim_item *item, void *context)
{
	struct seen *seen = context;
	/* Control groups of other tests may be about; they are not in this run directory. */
	if (!item->has_folder)
		return;
	seen->n_items++;
	seen->last = *item;
	(void)snprintf(seen->id, sizeof(seen->id), "%s", item->id);
}

static pid_t start_sleeper(void)
{
	pid_t pid = fork();
	if (pid == 0) {
		for (;;)
			(void)pause();
	}
	return pid;
}

static bool is_running(pid_t pid)
{
	return waitpid(pid, NULL, WNOHANG) == 0;
}

/* A sandbox's folder, its lock given up again if its monitor shall count as dead. */
static int make_sandbox(int dir_fd, const char *id, pid_t init_pid, uint64_t ticks)
{
	struct error err = { .code = ERR_NONE };
	struct rundir_state state = { .magic = RUNDIR_MAGIC,
				      .size = sizeof(state),
				      .monitor_pid = 1,
				      .init_pid = init_pid,
				      .init_start_ticks = ticks };
	int state_fd = -1;
	EQ(rundir_create(dir_fd, id, &state, &state_fd, &err), 0);
	return state_fd;
}

static int run_dir(char *path)
{
	(void)snprintf(path, 64, "/tmp/foso-reclaim-XXXXXX");
	if (!mkdtemp(path))
		return -1;
	return open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static void reclaim(int dir_fd, bool is_dry_run, struct seen *seen)
{
	struct error err = { .code = ERR_NONE };
	struct error_list leftovers = { .n_errors = 0 };
	const struct reclaim_options options = { .is_dry_run = is_dry_run,
						 .found = note,
						 .context = seen };
	EQ(reclaim_all(dir_fd, &options, &leftovers, &err), 0);
	EQ(leftovers.n_errors, 0);
}

static void test_reclaim_ends_and_removes_what_a_dead_monitor_left(void)
{
	char path[64];
	auto_fd int dir_fd = run_dir(path);
	pid_t pid = start_sleeper();
	int state_fd = make_sandbox(dir_fd, "dead1", pid, rundir_start_ticks(pid));
	fd_close(&state_fd);

	struct seen seen = { .n_items = 0 };
	reclaim(dir_fd, false, &seen);
	EQ(seen.n_items, 1);
	STR_EQ(seen.id, "dead1");
	OK(seen.last.has_init);
	OK(seen.last.is_removed);
	OK(!is_running(pid));
	EQ(faccessat(dir_fd, "dead1", F_OK, 0), -1);
	EQ(rmdir(path), 0);
}

static void test_reclaim_leaves_a_living_monitor_alone(void)
{
	char path[64];
	auto_fd int dir_fd = run_dir(path);
	pid_t pid = start_sleeper();
	auto_fd int state_fd = make_sandbox(dir_fd, "alive1", pid, rundir_start_ticks(pid));
	OK(state_fd >= 0);

	struct seen seen = { .n_items = 0 };
	reclaim(dir_fd, false, &seen);
	EQ(seen.n_items, 0);
	OK(is_running(pid));
	EQ(faccessat(dir_fd, "alive1", F_OK, 0), 0);

	struct error err = { .code = ERR_NONE };
	EQ(rundir_remove(dir_fd, "alive1", &err), 0);
	EQ(rmdir(path), 0);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static void test_reclaim_does_not_kill_a_process_that_got_the_number(void)
{
	char path[64];
	auto_fd int dir_fd = run_dir(path);
	pid_t pid = start_sleeper();
	int state_fd = make_sandbox(dir_fd, "dead2", pid, rundir_start_ticks(pid) + 1);
	fd_close(&state_fd);

	struct seen seen = { .n_items = 0 };
	reclaim(dir_fd, false, &seen);
	EQ(seen.n_items, 1);
	OK(!seen.last.has_init);
	OK(seen.last.is_removed);
	OK(is_running(pid));
	EQ(rmdir(path), 0);
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static void test_reclaim_dry_run_changes_nothing(void)
{
	char path[64];
	auto_fd int dir_fd = run_dir(path);
	pid_t pid = start_sleeper();
	int state_fd = make_sandbox(dir_fd, "dead3", pid, rundir_start_ticks(pid));
	fd_close(&state_fd);

	struct seen seen = { .n_items = 0 };
	reclaim(dir_fd, true, &seen);
	EQ(seen.n_items, 1);
	OK(!seen.last.is_removed);
	OK(is_running(pid));
	EQ(faccessat(dir_fd, "dead3", F_OK, 0), 0);

	seen.n_items = 0;
	reclaim(dir_fd, false, &seen);
	EQ(seen.n_items, 1);
	OK(!is_running(pid));
	EQ(rmdir(path), 0);
}

static void test_reclaim_waits_with_a_state_that_is_being_made(void)
{
	char path[64];
	auto_fd int dir_fd = run_dir(path);
	EQ(mknodat(dir_fd, "newborn", S_IFREG | 0600, 0), 0);

	struct seen seen = { .n_items = 0 };
	reclaim(dir_fd, false, &seen);
	EQ(seen.n_items, 0);

	struct timespec old[2] = { { .tv_sec = 1000 }, { .tv_sec = 1000 } };
	EQ(utimensat(dir_fd, "newborn", old, 0), 0);
	reclaim(dir_fd, false, &seen);
	EQ(seen.n_items, 1);
	OK(seen.last.is_removed);
	EQ(rmdir(path), 0);
}

int main(void)
{
	RUN(test_reclaim_ends_and_removes_what_a_dead_monitor_left);
	RUN(test_reclaim_leaves_a_living_monitor_alone);
	RUN(test_reclaim_does_not_kill_a_process_that_got_the_number);
	RUN(test_reclaim_dry_run_changes_nothing);
	RUN(test_reclaim_waits_with_a_state_that_is_being_made);
	return tap_done();
}
