/* SPDX-License-Identifier: Apache-2.0 */
/*
 * libfoso_test.c - the C API against real sandboxes
 *
 * usage: libfoso_test PROGRAMS [user]   user: give up root first, which is the rootless way
 */
#include <errno.h>
#include <fcntl.h>
#include <foso/foso.h>
#include <grp.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "support/tap.h"

#define USER_ID 12345u

static struct foso_error *err;
static char rundir[64];
static bool has_groups; /* commands can be told apart by the kernel */

/* The call must succeed; what it said is printed if not. */
#define DONE(call)                                                             \
	do {                                                                   \
		int r_ = (call);                                               \
		if (r_ < 0)                                                    \
			FAIL("%s is %d: %s", #call, r_, foso_error_text(err)); \
	} while (0)

#define FAILS(call, code, subject_)                        \
	do {                                               \
		EQ(call, -(int)(code));                    \
		EQ(foso_error_code(err), code);            \
		STR_EQ(foso_error_subject(err), subject_); \
		OK(foso_error_remedy(err)[0] != '\0');     \
	} while (0)

static uint64_t now_ms(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

static struct foso_policy *make_policy(const char *const *pairs)
{
	struct foso_policy *policy = NULL;
	DONE(foso_policy_new(&policy, err));
	DONE(foso_policy_set(policy, "evidence", "off", err));
	DONE(foso_policy_set(policy, "limits.wall", "20s", err));
	for (; pairs && *pairs; pairs += 2)
		DONE(foso_policy_set(policy, pairs[0], pairs[1], err));
	return policy;
}

static struct foso_order *shell(const char *script)
{
	const char *argv[] = { "/bin/sh", "-c", script, NULL };
	struct foso_order *order = NULL;
	DONE(foso_order_new(argv, &order, err));
	DONE(foso_order_capture(order, FOSO_STDOUT, 1 << 20, err));
	DONE(foso_order_capture(order, FOSO_STDERR, 1 << 20, err));
	return order;
}

static struct foso_run *start(const char *const *pairs, const char *script)
{
	struct foso_policy *policy = make_policy(pairs);
	struct foso_order *order = shell(script);
	struct foso_run *run = NULL;
	DONE(foso_run_start(policy, order, &run, err));
	foso_order_free(order);
	foso_policy_free(policy);
	return run;
}

static void wait_for(struct foso_run *run)
{
	int r = foso_run_wait(run, 30000, err);
	if (r != FOSO_WAIT_OVER)
		FAIL("waited in vain: %d", r);
}

static struct foso_sandbox *open_sandbox(const char *const *pairs)
{
	struct foso_policy *policy = make_policy(pairs);
	struct foso_sandbox *sandbox = NULL;
	DONE(foso_sandbox_open(policy, &sandbox, err));
	foso_policy_free(policy);
	return sandbox;
}

static struct foso_run *exec_order(struct foso_sandbox *sandbox, struct foso_order *order)
{
	struct foso_run *run = NULL;
	DONE(foso_sandbox_exec(sandbox, order, &run, err));
	foso_order_free(order);
	return run;
}

static struct foso_run *exec_in(struct foso_sandbox *sandbox, const char *script)
{
	return exec_order(sandbox, shell(script));
}

static const char *output(const struct foso_run *run)
{
	size_t len = 0;
	return foso_run_output(run, FOSO_STDOUT, &len);
}

/* Waits until the command has written something: it then runs for sure. */
static void wait_for_output(struct foso_run *run)
{
	uint64_t until_ms = now_ms() + 20000;
	while (output(run)[0] == '\0' && !foso_run_is_over(run) && now_ms() < until_ms) {
		struct pollfd poll_fd = { .fd = foso_run_fd(run), .events = POLLIN };
		(void)poll(&poll_fd, 1, 1000);
		DONE(foso_run_wait(run, 0, err));
	}
	OK(output(run)[0] != '\0');
}

/* Neither a run directory nor a control group is left of @id. */
static bool is_gone(const char *id)
{
	static const char *const folders[] = { "", "memory/", "pids/", "freezer/" };
	char path[256];
	(void)snprintf(path, sizeof(path), "%s/%s", rundir, id);
	bool is_there = access(path, F_OK) == 0;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		(void)snprintf(path, sizeof(path), "/sys/fs/cgroup/%sfoso-%s", folders[i], id);
		is_there = is_there || access(path, F_OK) == 0;
	}
	return !is_there;
}

static void test_run_captures_both_streams_and_the_code(void)
{
	struct foso_run *run = start(NULL, "echo out; echo err >&2; exit 7");
	size_t len = 0;
	wait_for(run);
	EQ(foso_run_reason(run), FOSO_REASON_EXIT);
	EQ(foso_run_code(run), 7);
	EQ(foso_run_exit_status(run), 7);
	EQ(foso_run_signal_number(run), 0);
	OK(foso_run_limit(run) == NULL);
	STR_EQ(output(run), "out\n");
	STR_EQ(foso_run_output(run, FOSO_STDERR, &len), "err\n");
	EQ(len, 4);
	EQ(foso_run_failure(run, err), 0);
	OK(foso_run_record(run) && strstr(foso_run_record(run), "\"reason\":\"exit\""));
	OK(is_gone(foso_run_id(run)));
	EQ(foso_run_fd(run), -1);
	foso_run_free(run);
}

static void test_run_takes_bytes_and_descriptors(void)
{
	struct foso_policy *policy = make_policy(NULL);
	const char *argv[] = { "/bin/cat", NULL };
	struct foso_order *order = NULL;
	struct foso_run *run = NULL;
	int ends[2];
	char bytes[16] = { 0 };
	DONE(foso_order_new(argv, &order, err));
	OK(pipe2(ends, O_CLOEXEC) == 0);
	DONE(foso_order_input(order, "a\0b\n", 4, err));
	DONE(foso_order_stream(order, FOSO_STDOUT, ends[1], err));
	DONE(foso_run_start(policy, order, &run, err));
	close(ends[1]);
	wait_for(run);
	EQ(read(ends[0], bytes, sizeof(bytes)), 4);
	OK(memcmp(bytes, "a\0b\n", 4) == 0);
	EQ(read(ends[0], bytes, sizeof(bytes)), 0);
	OK(foso_run_output(run, FOSO_STDOUT, &(size_t){ 0 }) == NULL);
	close(ends[0]);
	FAILS(foso_order_stream(order, FOSO_STDERR, 999, err), FOSO_ERROR_INVALID, "stderr");
	FAILS(foso_order_capture(order, FOSO_STDIN, 1, err), FOSO_ERROR_INVALID, "stream");
	foso_order_free(order);
	foso_policy_free(policy);
	foso_run_free(run);
}

static void test_capture_has_a_bound(void)
{
	struct foso_policy *policy = make_policy(NULL);
	const char *argv[] = { "/bin/sh", "-c", "head -c 100000 /dev/zero | tr '\\0' x", NULL };
	struct foso_order *order = NULL;
	struct foso_run *run = NULL;
	size_t len = 0;
	DONE(foso_order_new(argv, &order, err));
	DONE(foso_order_capture(order, FOSO_STDOUT, 1000, err));
	DONE(foso_run_start(policy, order, &run, err));
	wait_for(run);
	OK(foso_run_output(run, FOSO_STDOUT, &len) != NULL);
	EQ(len, 1000);
	EQ(foso_run_dropped_bytes(run, FOSO_STDOUT), 99000);
	EQ(foso_run_lost_bytes(run), 0);
	foso_order_free(order);
	foso_policy_free(policy);
	foso_run_free(run);
}

static void test_run_deadline_ends_the_whole_tree(void)
{
	const char *const pairs[] = { "limits.wall", "400ms", NULL };
	uint64_t from_ms = now_ms();
	struct foso_run *run =
		start(pairs, "trap '' TERM; setsid sleep 60 & (sleep 60 &) ; echo up; sleep 60");
	wait_for(run);
	OK(now_ms() - from_ms < 3000);
	EQ(foso_run_reason(run), FOSO_REASON_DEADLINE);
	STR_EQ(foso_run_limit(run), "limits.wall");
	EQ(foso_run_exit_status(run), 124);
	STR_EQ(output(run), "up\n");
	OK(is_gone(foso_run_id(run)));
	foso_run_free(run);
}

static void test_run_signal_and_kill(void)
{
	struct foso_run *run = start(NULL, "trap 'echo got; exit 3' USR1; echo up; "
					   "while :; do sleep 0.05; done");
	wait_for_output(run);
	FAILS(foso_run_signal(run, 65, err), FOSO_ERROR_INVALID, "signal");
	DONE(foso_run_signal(run, SIGUSR1, err));
	wait_for(run);
	EQ(foso_run_code(run), 3);
	STR_EQ(output(run), "up\ngot\n");
	DONE(foso_run_signal(run, SIGUSR1, err));
	DONE(foso_run_kill(run, err));
	foso_run_free(run);

	run = start(NULL, "setsid sleep 60 & echo up; sleep 60");
	wait_for_output(run);
	DONE(foso_run_kill(run, err));
	wait_for(run);
	EQ(foso_run_reason(run), FOSO_REASON_KILLED);
	EQ(foso_run_signal_number(run), SIGKILL);
	OK(is_gone(foso_run_id(run)));
	foso_run_free(run);
}

static int full_pipe(int ret_fds[2])
{
	static const char bytes[4096];
	if (pipe2(ret_fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return -1;
	while (write(ret_fds[1], bytes, sizeof(bytes)) > 0)
		;
	return fcntl(ret_fds[1], F_SETFL, 0);
}

/* A command that is over waits for its reader, until its holder says that he does not. */
static void test_kill_ends_the_wait_for_a_reader(void)
{
	struct foso_sandbox *sandbox = open_sandbox(NULL);
	struct foso_policy *policy = make_policy(NULL);
	const char *argv[] = { "/bin/echo", "hi", NULL };
	for (int is_session = 0; is_session < 2; is_session++) {
		struct foso_order *order = NULL;
		struct foso_run *run = NULL;
		int fds[2];
		EQ(full_pipe(fds), 0);
		DONE(foso_order_new(argv, &order, err));
		DONE(foso_order_stream(order, FOSO_STDOUT, fds[1], err));
		if (is_session)
			DONE(foso_sandbox_exec(sandbox, order, &run, err));
		else
			DONE(foso_run_start(policy, order, &run, err));
		EQ(foso_run_wait(run, 1500, err), FOSO_WAIT_RUNNING);
		uint64_t from_ms = now_ms();
		DONE(foso_run_kill(run, err));
		wait_for(run);
		OK(now_ms() - from_ms < 3000);
		EQ(foso_run_reason(run), FOSO_REASON_EXIT);
		EQ(foso_run_signal_number(run), 0);
		foso_run_free(run);
		foso_order_free(order);
		close(fds[0]);
		close(fds[1]);
	}
	foso_policy_free(policy);
	foso_sandbox_free(sandbox);
}

static void test_free_ends_what_runs(void)
{
	char id[64];
	struct foso_run *run = start(NULL, "echo up; sleep 60");
	wait_for_output(run);
	(void)snprintf(id, sizeof(id), "%s", foso_run_id(run));
	OK(id[0] != '\0');
	OK(!is_gone(id));
	foso_run_free(run);
	OK(is_gone(id));
}

static void test_run_tells_why_it_could_not(void)
{
	const char *argv[] = { "/no/such/program", NULL };
	struct foso_policy *policy = make_policy(NULL);
	struct foso_order *order = NULL;
	struct foso_run *run = NULL;
	DONE(foso_order_new(argv, &order, err));
	DONE(foso_run_start(policy, order, &run, err));
	wait_for(run);
	EQ(foso_run_reason(run), FOSO_REASON_EXIT);
	EQ(foso_run_code(run), 127);
	FAILS(foso_run_failure(run, err), FOSO_ERROR_NOT_FOUND, "args[0]");
	foso_run_free(run);

	DONE(foso_policy_set(policy, "mounts", "/no/such/folder:/data", err));
	DONE(foso_run_start(policy, order, &run, err));
	wait_for(run);
	EQ(foso_run_reason(run), FOSO_REASON_REFUSED);
	EQ(foso_run_exit_status(run), 125);
	EQ(foso_run_failure(run, err), -(int)foso_error_code(err));
	OK(strstr(foso_error_subject(err), "mounts") != NULL);
	foso_run_free(run);
	foso_order_free(order);
	foso_policy_free(policy);
}

static void test_errors_are_typed(void)
{
	static const char text[] = "limits:\n  memory: 12 bananas\n  pids: many\n";
	static const char good[] = "{\"limits\": {\"memory\": \"64MiB\"}}";
	struct foso_policy *policy = NULL;
	struct foso_order *order = NULL;
	char *json = NULL;
	const char *none[] = { NULL };
	FAILS(foso_policy_from_text(text, strlen(text), "agent.yaml", &policy, err),
	      FOSO_ERROR_INVALID, "agent.yaml:2: limits.memory");
	OK(foso_error_next(err));
	STR_EQ(foso_error_subject(err), "agent.yaml:3: limits.pids");
	OK(!foso_error_next(err));
	OK(policy == NULL);
	DONE(foso_policy_from_text(good, strlen(good), NULL, &policy, err));
	DONE(foso_policy_canonical(policy, &json, err));
	OK(json && strstr(json, "67108864"));
	free(json);
	FAILS(foso_policy_set(policy, "limits.memory", "64", err), FOSO_ERROR_INVALID,
	      "limits.memory");
	OK(strncmp(foso_error_text(err), "limits.memory: '64' ", 20) == 0);
	FAILS(foso_policy_set(policy, "limits.memroy", "64MiB", err), FOSO_ERROR_NOT_FOUND,
	      "limits.memroy");
	DONE(foso_policy_set(policy, "limits.fuel", "10", err));
	DONE(foso_policy_set(policy, "level", "process", err));
	EQ(foso_policy_check(policy, err), -(int)FOSO_ERROR_REFUSED);
	STR_EQ(foso_error_subject(err), "limits.fuel");
	EQ(foso_policy_check(policy, NULL), -(int)FOSO_ERROR_REFUSED);
	FAILS(foso_order_new(none, &order, err), FOSO_ERROR_INVALID, "args");
	FAILS(foso_programs_set("here", err), FOSO_ERROR_INVALID, "programs");
	STR_EQ(foso_error_code_word(FOSO_ERROR_NOT_FOUND), "not-found");
	foso_policy_free(policy);
}

static void test_missing_programs_are_named(const char *programs)
{
	struct foso_policy *policy = make_policy(NULL);
	struct foso_order *order = shell("true");
	struct foso_run *run = NULL;
	DONE(foso_programs_set("/nonexistent", err));
	FAILS(foso_run_start(policy, order, &run, err), FOSO_ERROR_NOT_FOUND, "foso-monitor");
	struct foso_policy *other = NULL;
	FAILS(foso_policy_from_text("", 0, NULL, &other, err), FOSO_ERROR_NOT_FOUND, "foso-policy");
	DONE(foso_programs_set(programs, err));
	foso_order_free(order);
	foso_policy_free(policy);
}

static void test_session_keeps_its_files(void)
{
	struct foso_sandbox *sandbox = open_sandbox(NULL);
	struct foso_run *first = exec_in(sandbox, "echo note >/tmp/a");
	wait_for(first);
	struct foso_run *second = exec_in(sandbox, "cat /tmp/a >/dev/stdout; exit 4");
	wait_for(second);
	STR_EQ(output(second), "note\n");
	EQ(foso_run_code(second), 4);
	OK(foso_run_record(second) == NULL);
	char id[64];
	(void)snprintf(id, sizeof(id), "%s", foso_sandbox_id(sandbox));
	OK(!is_gone(id));
	DONE(foso_sandbox_close(sandbox, err));
	DONE(foso_sandbox_close(sandbox, err));
	OK(foso_sandbox_is_over(sandbox));
	EQ(foso_sandbox_reason(sandbox), FOSO_REASON_CLOSED);
	OK(foso_sandbox_record(sandbox) &&
	   strstr(foso_sandbox_record(sandbox), "\"commands_count\":2"));
	OK(is_gone(id));
	struct foso_order *order = shell("true");
	struct foso_run *late = NULL;
	FAILS(foso_sandbox_exec(sandbox, order, &late, err), FOSO_ERROR_UNAVAILABLE, "sandbox");
	FAILS(foso_sandbox_list(sandbox, NULL, NULL, err), FOSO_ERROR_UNAVAILABLE, "sandbox");
	foso_order_free(order);
	foso_run_free(first);
	foso_run_free(second);
	foso_sandbox_free(sandbox);
}

static void test_session_orders_have_their_own_env_cwd_and_bounds(void)
{
	const char *const pairs[] = { "env.A", "policy", "env.B", "policy", NULL };
	struct foso_sandbox *sandbox = open_sandbox(pairs);
	struct foso_order *order = shell("echo $A $B $C; pwd");
	DONE(foso_order_env(order, "A", "order", err));
	DONE(foso_order_env(order, "C", "first", err));
	DONE(foso_order_env(order, "C", "last", err));
	FAILS(foso_order_env(order, "C=", "x", err), FOSO_ERROR_INVALID, "env");
	DONE(foso_order_cwd(order, "/usr", err));
	struct foso_run *run = exec_order(sandbox, order);
	wait_for(run);
	STR_EQ(output(run), "order policy last\n/usr\n");
	foso_run_free(run);

	order = shell("yes");
	DONE(foso_order_output(order, 5000, err));
	run = exec_order(sandbox, order);
	wait_for(run);
	EQ(foso_run_reason(run), FOSO_REASON_OUTPUT);
	STR_EQ(foso_run_limit(run), "limits.output");
	EQ(strlen(output(run)), 5000);
	foso_run_free(run);

	/* Longer than a packet: it goes through a sealed file. */
	char *large = malloc(100001);
	memset(large, 'x', 100000);
	large[100000] = '\0';
	const char *argv[] = { "/bin/sh", "-c", "echo ${#1}", "sh", large, NULL };
	DONE(foso_order_new(argv, &order, err));
	DONE(foso_order_capture(order, FOSO_STDOUT, 100, err));
	run = exec_order(sandbox, order);
	wait_for(run);
	STR_EQ(output(run), "100000\n");
	foso_run_free(run);
	free(large);
	foso_sandbox_free(sandbox);
}

static void test_session_commands_end_alone(void)
{
	struct foso_sandbox *sandbox = open_sandbox(NULL);
	struct foso_run *lives = exec_in(sandbox, "echo up; read line; echo never");
	struct foso_order *order = shell("echo up; sleep 60");
	DONE(foso_order_wall(order, 300, err));
	struct foso_run *late = exec_order(sandbox, order);
	struct foso_run *killed = exec_in(sandbox, "setsid sleep 61 & echo up; sleep 60");
	struct foso_run *missing = NULL;
	const char *argv[] = { "/no/such", NULL };
	DONE(foso_order_new(argv, &order, err));
	missing = exec_order(sandbox, order);
	wait_for_output(killed);
	DONE(foso_run_kill(killed, err));
	wait_for(killed);
	EQ(foso_run_reason(killed), FOSO_REASON_KILLED);
	wait_for(late);
	EQ(foso_run_reason(late), FOSO_REASON_DEADLINE);
	wait_for(missing);
	EQ(foso_run_code(missing), 127);
	FAILS(foso_run_failure(missing, err), FOSO_ERROR_NOT_FOUND, "args[0]");
	/* Its stdin is empty, so it has ended by itself; nobody ended it. */
	wait_for(lives);
	EQ(foso_run_reason(lives), FOSO_REASON_EXIT);
	STR_EQ(output(lives), "up\nnever\n");
	foso_run_free(lives);
	foso_run_free(late);
	foso_run_free(killed);
	foso_run_free(missing);
	foso_sandbox_free(sandbox);
}

struct names {
	int n_sleeps;
	pid_t pid;
};

/* The shell tells the size of its terminal, is typed to, and gets a new size. */
static const char terminal_script[] =
	"stty size; trap 'stty size; exit 7' WINCH; echo to-stderr >&2; tty; read word; "
	"echo \"got $word\"; while :; do sleep 0.01; done";

static struct foso_order *shell_at_terminal(const char *script)
{
	struct foso_order *order = shell(script);
	DONE(foso_order_terminal(order, 30, 100, err));
	DONE(foso_order_input(order, "word\n", 5, err));
	return order;
}

static void check_terminal(struct foso_run *run)
{
	uint64_t until_ms = now_ms() + 20000;
	while (!strstr(output(run), "got word\r\n") && now_ms() < until_ms)
		EQ(foso_run_wait(run, 50, err), FOSO_WAIT_RUNNING);
	OK(strstr(output(run), "30 100\r\n") && strstr(output(run), "/dev/pts/"));
	OK(strstr(output(run), "to-stderr\r\n"));
	DONE(foso_run_resize(run, 40, 120, err));
	wait_for(run);
	EQ(foso_run_code(run), 7);
	OK(strstr(output(run), "40 120\r\n"));
	DONE(foso_run_resize(run, 50, 120, err)); /* It is over. */
	foso_run_free(run);
}

static void test_run_has_a_terminal(void)
{
	struct foso_policy *policy = make_policy(NULL);
	struct foso_order *order = shell_at_terminal(terminal_script);
	struct foso_run *run = NULL;
	DONE(foso_run_start(policy, order, &run, err));
	check_terminal(run);
	foso_order_free(order);
	foso_policy_free(policy);
}

static void test_session_order_has_a_terminal(void)
{
	struct foso_sandbox *sandbox = open_sandbox(NULL);
	check_terminal(exec_order(sandbox, shell_at_terminal(terminal_script)));
	foso_sandbox_free(sandbox);
}

/* A size that comes before there is a terminal waits for it. */
static void test_terminal_is_resized_at_once(void)
{
	struct foso_policy *policy = make_policy(NULL);
	struct foso_order *order =
		shell_at_terminal("until [ \"$(stty size)\" = '7 9' ]; do sleep 0.01; done");
	struct foso_run *run = NULL;
	DONE(foso_run_start(policy, order, &run, err));
	DONE(foso_run_resize(run, 7, 9, err));
	wait_for(run);
	EQ(foso_run_code(run), 0);
	foso_run_free(run);
	foso_order_free(order);
	foso_policy_free(policy);
}

static void test_without_a_terminal_nothing_is_resized(void)
{
	struct foso_run *run = start(NULL, "! tty");
	FAILS(foso_run_resize(run, 7, 9, err), FOSO_ERROR_INVALID, "terminal");
	wait_for(run);
	EQ(foso_run_code(run), 0);
	foso_run_free(run);
}

static void count_sleeps(pid_t pid, const char *name, void *context)
{
	struct names *names = context;
	if (strcmp(name, "sleep") != 0)
		return;
	names->n_sleeps++;
	names->pid = pid;
}

static int sleeps_in(struct foso_sandbox *sandbox, pid_t *ret_pid)
{
	struct names names = { 0 };
	DONE(foso_sandbox_list(sandbox, count_sleeps, &names, err));
	if (ret_pid)
		*ret_pid = names.pid;
	return names.n_sleeps;
}

/* A fork is not yet the program, and a kill not yet the end. */
static void wait_for_sleeps(struct foso_sandbox *sandbox, int n_wanted, pid_t *ret_pid)
{
	for (int i = 0; i < 400 && sleeps_in(sandbox, ret_pid) != n_wanted; i++)
		(void)poll(NULL, 0, 10);
	EQ(sleeps_in(sandbox, NULL), n_wanted);
}

/*
 * A command that stops whatever it may, also what is on its way to become another command: that
 * one stands still, as it may, but foso-init does not, so that it is listed and killed at once.
 */
static void test_session_is_not_stopped_from_inside(void)
{
	struct foso_sandbox *sandbox = open_sandbox(NULL);
	struct foso_run *stopper = exec_in(sandbox, "exec python3 -c '\n"
						    "import os\n"
						    "print(\"up\", flush=True)\n"
						    "while True:\n"
						    "    try: os.kill(-1, 19)\n"
						    "    except OSError: pass\n'");
	wait_for_output(stopper);
	for (int i = 0; i < 10; i++) {
		struct foso_run *run = exec_in(sandbox, "true");
		(void)foso_run_wait(run, 50, err);
		uint64_t from_ms = now_ms();
		(void)sleeps_in(sandbox, NULL);
		if (!foso_run_is_over(run))
			DONE(foso_run_kill(run, err));
		wait_for(run);
		OK(now_ms() - from_ms < 3000);
		foso_run_free(run);
	}
	DONE(foso_run_kill(stopper, err));
	wait_for(stopper);
	foso_run_free(stopper);
	foso_sandbox_free(sandbox);
}

static void test_session_background_is_killed_or_kept(void)
{
	const char *const pairs[] = { "background", "keep", NULL };
	struct foso_sandbox *sandbox = open_sandbox(NULL);
	struct foso_run *run = exec_in(sandbox, "setsid sleep 60 & (sleep 60 &) ; exit 0");
	uint64_t from_ms = now_ms();
	wait_for(run);
	OK(now_ms() - from_ms < 3000);
	EQ(foso_run_reason(run), FOSO_REASON_EXIT);
	EQ(sleeps_in(sandbox, NULL), 0);
	foso_run_free(run);
	struct foso_order *order = shell("true");
	DONE(foso_order_keep(order, true, err));
	run = exec_order(sandbox, order);
	wait_for(run);
	EQ(foso_run_reason(run), FOSO_REASON_REFUSED);
	FAILS(foso_run_failure(run, err), FOSO_ERROR_REFUSED, "background");
	foso_run_free(run);
	foso_sandbox_free(sandbox);

	pid_t pid = 0;
	sandbox = open_sandbox(pairs);
	run = exec_in(sandbox, "sleep 60 & echo kept");
	wait_for(run);
	STR_EQ(output(run), "kept\n");
	wait_for_sleeps(sandbox, 1, &pid);
	FAILS(foso_sandbox_signal(sandbox, 1, SIGKILL, err), FOSO_ERROR_INVALID, "pid");
	DONE(foso_sandbox_signal(sandbox, pid, SIGKILL, err));
	wait_for_sleeps(sandbox, 0, &pid);
	foso_run_free(run);
	run = exec_in(sandbox, "sleep 60 >/dev/null 2>&1 & true");
	wait_for(run);
	wait_for_sleeps(sandbox, 1, &pid);
	DONE(foso_run_kill(run, err));
	wait_for_sleeps(sandbox, 0, &pid);
	foso_run_free(run);
	foso_sandbox_free(sandbox);
}

static void test_session_has_a_bound_of_commands(void)
{
	const char *const pairs[] = { "limits.pids", "256", NULL };
	struct foso_sandbox *sandbox = open_sandbox(pairs);
	struct foso_run *runs[65];
	for (size_t i = 0; i < ARRAY_LEN(runs); i++)
		runs[i] = exec_in(sandbox, "sleep 60");
	wait_for(runs[64]);
	EQ(foso_run_reason(runs[64]), FOSO_REASON_REFUSED);
	FAILS(foso_run_failure(runs[64], err), FOSO_ERROR_LIMIT, "command");
	DONE(foso_run_kill(runs[0], err));
	wait_for(runs[0]);
	struct foso_run *next = exec_in(sandbox, "echo room");
	wait_for(next);
	STR_EQ(output(next), "room\n");
	DONE(foso_sandbox_close(sandbox, err));
	EQ(foso_run_reason(runs[30]), FOSO_REASON_KILLED);
	for (size_t i = 0; i < ARRAY_LEN(runs); i++)
		foso_run_free(runs[i]);
	foso_run_free(next);
	foso_sandbox_free(sandbox);
}

static void test_session_outlives_its_memory_limit(void)
{
	const char *const pairs[] = { "limits.memory", "48MiB", NULL };
	if (!has_groups)
		SKIP("without control groups the watchdog ends the whole sandbox");
	struct foso_sandbox *sandbox = open_sandbox(pairs);
	struct foso_run *run = exec_in(sandbox, "head -c 200000000 /dev/zero | tail -c 190000000");
	wait_for(run);
	EQ(foso_run_reason(run), FOSO_REASON_MEMORY);
	STR_EQ(foso_run_limit(run), "limits.memory");
	foso_run_free(run);
	run = exec_in(sandbox, "echo alive");
	wait_for(run);
	STR_EQ(output(run), "alive\n");
	foso_run_free(run);
	foso_sandbox_free(sandbox);
}

static void test_session_ends_when_idle(void)
{
	const char *const pairs[] = { "idle", "300ms", NULL };
	struct foso_sandbox *sandbox = open_sandbox(pairs);
	struct foso_run *run = exec_in(sandbox, "sleep 0.6; echo done");
	wait_for(run);
	STR_EQ(output(run), "done\n");
	for (int i = 0; i < 100 && !foso_sandbox_is_over(sandbox); i++)
		DONE(foso_run_wait(run, 0, err) < 0 ? -1 : poll(NULL, 0, 50));
	OK(foso_sandbox_is_over(sandbox));
	EQ(foso_sandbox_reason(sandbox), FOSO_REASON_DEADLINE);
	foso_run_free(run);
	foso_sandbox_free(sandbox);
}

/* The newest control socket of this process. */
static int control_socket(void)
{
	for (int fd = 255; fd > 2; fd--) {
		int type = 0;
		socklen_t len = sizeof(type);
		if (getsockopt(fd, SOL_SOCKET, SO_TYPE, &type, &len) == 0 && type == SOCK_SEQPACKET)
			return fd;
	}
	return -1;
}

static void test_malformed_messages_end_the_session(void)
{
	static const struct {
		unsigned char bytes[24];
		size_t len;
		const char *what;
	} rows[] = {
		{ { 99, 0, 0, 0 }, 4, "an unknown number" },
		{ { 1, 1, 0, 0 }, 4, "a number above 255" },
		{ { 1, 0, 0 }, 3, "half a number" },
		{ { 16, 0, 0, 0 }, 4, "a message of the monitor" },
		{ { 1, 0, 0, 0, 1, 0, 0, 0 }, 8, "an order without descriptors" },
		{ { 2, 0, 0, 0, 1, 0, 0, 0 }, 8, "half a signal" },
		{ { 2, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0 }, 16, "signal 0" },
		{ { 2, 0, 0, 0, 1, 0, 0, 0, 255, 255, 255, 255, 9, 0, 0, 0 },
		  16,
		  "a negative pid" },
		{ { 3, 0, 0, 0, 1, 0, 0, 0, 1 }, 9, "a kill with one byte more" },
		{ { 4, 0, 0, 0, 1 }, 5, "a list with a byte" },
		{ { 5, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0, 1, 0, 0, 0 }, 16, "65536 rows" },
	};
	for (size_t i = 0; i < ARRAY_LEN(rows); i++) {
		struct foso_sandbox *sandbox = open_sandbox(NULL);
		struct foso_run *run = exec_in(sandbox, "sleep 60");
		char id[64];
		(void)snprintf(id, sizeof(id), "%s", foso_sandbox_id(sandbox));
		EQ(send(control_socket(), rows[i].bytes, rows[i].len, 0), rows[i].len);
		wait_for(run);
		if (foso_run_reason(run) != FOSO_REASON_SANDBOX_LOST)
			FAIL("%s: %s", rows[i].what, foso_reason_word(foso_run_reason(run)));
		FAILS(foso_run_failure(run, err), FOSO_ERROR_PROTOCOL, "control");
		DONE(foso_sandbox_close(sandbox, err));
		OK(is_gone(id));
		foso_run_free(run);
		foso_sandbox_free(sandbox);
	}
}

/* A holder that is killed cannot say CLOSE; his sandbox ends all the same. */
static void test_holder_that_dies_takes_the_sandbox_along(void)
{
	int ends[2];
	char id[64] = { 0 };
	OK(pipe2(ends, O_CLOEXEC) == 0);
	pid_t pid = fork();
	if (pid == 0) {
		struct foso_sandbox *sandbox = open_sandbox(NULL);
		(void)exec_in(sandbox, "setsid sleep 60 & sleep 60");
		(void)!write(ends[1], foso_sandbox_id(sandbox), strlen(foso_sandbox_id(sandbox)));
		(void)kill(getpid(), SIGKILL);
	}
	close(ends[1]);
	OK(read(ends[0], id, sizeof(id) - 1) > 0);
	(void)waitpid(pid, NULL, 0);
	close(ends[0]);
	for (int i = 0; i < 400 && !is_gone(id); i++)
		(void)poll(NULL, 0, 10);
	OK(is_gone(id));
}

static void test_monitor_that_dies_is_told(void)
{
	char command[64] = { 0 }, path[64];
	struct foso_sandbox *sandbox = open_sandbox(NULL);
	struct foso_run *run = exec_in(sandbox, "echo up; sleep 60");
	wait_for_output(run);
	/* The library's only child now. */
	(void)snprintf(path, sizeof(path), "/proc/self/task/%d/children", (int)getpid());
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	OK(fd >= 0 && read(fd, command, sizeof(command) - 1) > 0);
	close(fd);
	uint64_t pid = 0;
	for (const char *c = command; *c >= '0' && *c <= '9'; c++)
		pid = pid * 10 + (uint64_t)(*c - '0');
	OK(pid > 1 && kill((pid_t)pid, SIGKILL) == 0);
	wait_for(run);
	EQ(foso_run_reason(run), FOSO_REASON_SANDBOX_LOST);
	FAILS(foso_run_failure(run, err), FOSO_ERROR_UNAVAILABLE, "foso-monitor");
	FAILS(foso_sandbox_close(sandbox, err), FOSO_ERROR_UNAVAILABLE, "foso-monitor");
	foso_run_free(run);
	foso_sandbox_free(sandbox);
}

/* Rootless: another id, a folder of its own for what runs. */
static char home[] = "/tmp/foso-client-XXXXXX";

static void become_user(void)
{
	if (!mkdtemp(home) || chown(home, USER_ID, USER_ID) < 0 || setgroups(0, NULL) < 0 ||
	    setgid(USER_ID) < 0 || setuid(USER_ID) < 0) {
		printf("Bail out! cannot become another user\n");
		exit(1);
	}
	(void)setenv("XDG_RUNTIME_DIR", home, 1);
	(void)setenv("HOME", home, 1);
	(void)snprintf(rundir, sizeof(rundir), "%s/foso", home);
}

static bool can_run(void)
{
	struct foso_run *run = start(NULL, "true");
	if (!run)
		return false; /* The programs may lie where this user cannot reach them. */
	wait_for(run);
	bool is_fine = foso_run_reason(run) == FOSO_REASON_EXIT && foso_run_code(run) == 0;
	if (!is_fine && foso_run_failure(run, err) < 0)
		printf("# %s\n", foso_error_text(err));
	const char *record = foso_run_record(run);
	has_groups = record && !strstr(record, "no control groups");
	foso_run_free(run);
	return is_fine;
}

int main(int argc, char **argv)
{
	err = foso_error_new();
	if (argc < 2 || foso_programs_set(argv[1], err) < 0)
		return 1;
	if (argc > 2 && geteuid() == 0)
		become_user();
	else
		(void)snprintf(rundir, sizeof(rundir), "/run/foso");
	if (geteuid() != 0 && argc < 3) {
		printf("1..0 # SKIP needs root\n");
		return 0;
	}
	if (!can_run()) {
		printf("1..0 # SKIP no sandbox runs on this host\n");
		return 0;
	}
	RUN(test_run_captures_both_streams_and_the_code);
	RUN(test_run_takes_bytes_and_descriptors);
	RUN(test_capture_has_a_bound);
	RUN(test_run_deadline_ends_the_whole_tree);
	RUN(test_run_signal_and_kill);
	RUN(test_kill_ends_the_wait_for_a_reader);
	RUN(test_free_ends_what_runs);
	RUN(test_run_tells_why_it_could_not);
	RUN(test_errors_are_typed);
	tap_is_failing = false;
	test_missing_programs_are_named(argv[1]);
	if (tap_is_failing)
		printf("Bail out! missing programs are not told\n");
	RUN(test_session_keeps_its_files);
	RUN(test_session_orders_have_their_own_env_cwd_and_bounds);
	RUN(test_session_commands_end_alone);
	RUN(test_session_is_not_stopped_from_inside);
	RUN(test_session_background_is_killed_or_kept);
	RUN(test_session_has_a_bound_of_commands);
	RUN(test_session_outlives_its_memory_limit);
	RUN(test_session_ends_when_idle);
	RUN(test_run_has_a_terminal);
	RUN(test_session_order_has_a_terminal);
	RUN(test_terminal_is_resized_at_once);
	RUN(test_without_a_terminal_nothing_is_resized);
	RUN(test_malformed_messages_end_the_session);
	RUN(test_holder_that_dies_takes_the_sandbox_along);
	RUN(test_monitor_that_dies_is_told);
	/* A start removes what the killed monitor left. */
	(void)can_run();
	foso_error_free(err);
	if (argc > 2 && (rmdir(rundir) < 0 || rmdir(home) < 0))
		printf("Bail out! %s is not empty\n", rundir);
	return tap_done();
}
