/* SPDX-License-Identifier: Apache-2.0 */
/*
 * keep.c - foso run with background: keep, where the monitor outlives the command
 *
 * foso forks; the child becomes the monitor, the parent waits for its message that the command
 * has ended, and exits with the command's status while the monitor stays with what was kept.
 * What the terminal sends (SIGINT, SIGQUIT) reaches the monitor by itself; what is sent to foso
 * alone (SIGTERM, SIGHUP) is handed on.
 */
#include "cli/keep.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "wire/status.h"

static int failed(const char *what, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errno, "background", "%s", what);
	return error_remedy(err, r, "free some memory or descriptors, or write background: kill");
}

/* In the child: does not return. */
static void become_monitor(struct plan *plan, int socket_fd, const sigset_t *mask)
{
	struct error err = { .code = ERR_NONE };
	plan->status_fd = fcntl(socket_fd, F_DUPFD_CLOEXEC, PLAN_FD + 1);
	bool is_ready = plan->status_fd >= 0 && pthread_sigmask(SIG_SETMASK, mask, NULL) == 0;
	if (!is_ready || plan_launch(plan, &err) < 0) {
		if (!is_ready)
			(void)failed("the monitor cannot be started", &err);
		error_print(stderr, &err);
	}
	_exit(error_code_exit_status(err.code));
}

static void hand_on_signal(int signal_fd, pid_t monitor_pid)
{
	struct signalfd_siginfo info;
	if (read(signal_fd, &info, sizeof(info)) != sizeof(info))
		return;
	if (info.ssi_signo == SIGTERM || info.ssi_signo == SIGHUP)
		(void)kill(monitor_pid, (int)info.ssi_signo);
}

/* Returns true and the status when the command has ended, false when the monitor is gone. */
static bool wait_for_end(int socket_fd, int signal_fd, pid_t monitor_pid, int *ret_status)
{
	for (;;) {
		struct pollfd fds[] = { { .fd = socket_fd, .events = POLLIN },
					{ .fd = signal_fd, .events = POLLIN } };
		if (poll(fds, ARRAY_LEN(fds), -1) < 0 && errno != EINTR)
			return false;
		if (fds[1].revents)
			hand_on_signal(signal_fd, monitor_pid);
		if (!fds[0].revents)
			continue;
		struct status_message message;
		ssize_t n = recv(socket_fd, &message, sizeof(message), 0);
		if (n < 0 && errno == EINTR)
			continue;
		if (n != sizeof(message))
			return false;
		if (message.type == STATUS_ENDED) {
			*ret_status = message.exit_status;
			return true;
		}
	}
}

static int tell_of_loss(pid_t monitor_pid, struct error *err)
{
	int status = 0;
	while (waitpid(monitor_pid, &status, 0) < 0 && errno == EINTR)
		continue;
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		return KEEP_FAILED;
	int r = error_set(err, ERR_UNAVAILABLE, 0, "sandbox-lost",
			  "the monitor ended before the command did (wait status %d)", status);
	return error_remedy(err, r, "foso gc removes what it left");
}

int keep_launch(struct plan *plan, int *ret_status, struct error *err)
{
	auto_fd int socket_fd = -1, far_fd = -1, signal_fd = -1;
	sigset_t handled, mask;
	int ends[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) < 0)
		return failed("no socket to the monitor", err);
	socket_fd = ends[0];
	far_fd = ends[1];
	(void)sigemptyset(&handled);
	(void)sigaddset(&handled, SIGTERM);
	(void)sigaddset(&handled, SIGHUP);
	(void)sigaddset(&handled, SIGINT);
	(void)sigaddset(&handled, SIGQUIT);
	if (pthread_sigmask(SIG_BLOCK, &handled, &mask) != 0)
		return failed("signals cannot be blocked", err);
	signal_fd = signalfd(-1, &handled, SFD_CLOEXEC);
	if (signal_fd < 0)
		return failed("signals cannot be received", err);
	pid_t pid = fork();
	if (pid < 0)
		return failed("the monitor cannot be started", err);
	if (pid == 0)
		become_monitor(plan, far_fd, &mask);
	fd_close(&far_fd);
	if (wait_for_end(socket_fd, signal_fd, pid, ret_status))
		return 0;
	return tell_of_loss(pid, err);
}
