/* SPDX-License-Identifier: Apache-2.0 */
/* stay.c - acts of processes that do not want to end, and acts in namespaces of their own */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "verify/act/act.h"

#define STAY_SECONDS 120 /* a process that got away ends by itself */

static _Noreturn void stay(const char *name)
{
	(void)prctl(PR_SET_NAME, name, 0, 0, 0);
	(void)alarm(STAY_SECONDS);
	for (;;)
		pause();
}

/* The parent waits for the byte, so that the child is what it shall be before we go on. */
static int fork_staying(const char *name, void (*prepare)(void))
{
	int fds[2];
	char byte;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return errno;
	pid_t pid = fork();
	if (pid == 0) {
		close(fds[0]);
		prepare();
		(void)prctl(PR_SET_NAME, name, 0, 0, 0);
		if (write(fds[1], "x", 1) == 1)
			close(fds[1]);
		stay(name);
	}
	close(fds[1]);
	int errnum = pid < 0 ? errno : 0;
	if (errnum == 0 && read(fds[0], &byte, 1) != 1)
		errnum = EIO;
	close(fds[0]);
	return errnum;
}

static void prepare_nothing(void)
{
}

static void prepare_session(void)
{
	(void)setsid();
}

static void prepare_deaf(void)
{
	struct sigaction ignore = { .sa_handler = SIG_IGN };
	sigset_t all;
	sigfillset(&all);
	for (int number = 1; number < 32; number++) {
		if (number != SIGALRM)
			(void)sigaction(number, &ignore, NULL);
	}
	sigdelset(&all, SIGALRM);
	(void)sigprocmask(SIG_BLOCK, &all, NULL); /* NOLINT(concurrency-mt-unsafe) */
}

/* Twice forked: its parent is gone at once, and it leads a session of its own. */
static void prepare_twice(void)
{
	(void)setsid();
	if (fork() > 0)
		_exit(0);
	(void)setsid();
}

int act_daemon(int argc, char **argv)
{
	UNUSED(argc);
	int errnum = fork_staying(argv[1], prepare_twice);
	return errnum == 0 ? act_done("left a process") : act_cannot(errnum, "fork");
}

int act_hide(int argc, char **argv)
{
	static void (*const ways[])(void) = { prepare_nothing, prepare_session, prepare_deaf,
					      prepare_twice };
	UNUSED(argc);
	for (size_t i = 0; i < ARRAY_LEN(ways); i++) {
		int errnum = fork_staying(argv[1], ways[i]);
		if (errnum != 0)
			return act_cannot(errnum, "fork");
	}
	(void)act_done("hidden");
	prepare_deaf();
	/* Stopped: a stopped process heeds no signal but one that ends it for good. */
	(void)kill(0, SIGSTOP);
	stay(argv[1]);
}

int act_block(int argc, char **argv)
{
	int fds[2];
	char byte;
	UNUSED(argc);
	prepare_deaf();
	long ms = act_number(argv[1]);
	if (pipe2(fds, O_CLOEXEC) < 0)
		return act_cannot(errno, "pipe");
	pid_t pid = fork();
	if (pid == 0) {
		act_wait_ms(ms);
		_exit(write(fds[1], "x", 1) == 1 ? 0 : 1);
	}
	return act_outcome(read(fds[0], &byte, 1), "waited to the end");
}

int act_pause(int argc, char **argv)
{
	UNUSED(argc);
	int r = act_done("ready");
	act_wait_ms(act_number(argv[1]));
	return r;
}

static int write_file(const char *path, const char *text)
{
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, text, strlen(text)) < 0 ? -1 : 0;
}

/* What a control needs where the host itself must not be touched: a root of its own. */
int act_own_namespaces(int argc, char **argv)
{
	char uids[64], gids[64];
	int status = -1;
	(void)snprintf(uids, sizeof(uids), "0 %u 1", (unsigned)geteuid());
	(void)snprintf(gids, sizeof(gids), "0 %u 1", (unsigned)getegid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS |
		    CLONE_NEWPID) < 0)
		return act_cannot(errno, "no namespaces");
	if (write_file("/proc/self/setgroups", "deny") < 0 ||
	    write_file("/proc/self/uid_map", uids) < 0 ||
	    write_file("/proc/self/gid_map", gids) < 0)
		return act_cannot(errno, "no id map");
	pid_t pid = fork();
	if (pid == 0)
		_exit(act_run(argc - 1, argv + 1));
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return act_cannot(errno, "run in new namespaces");
	return WEXITSTATUS(status);
}
