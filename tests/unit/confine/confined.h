/* SPDX-License-Identifier: Apache-2.0 */
/*
 * confined.h - the same act twice: in a free child, and in one under a filter
 *
 * An act returns 0 if it worked and an errno if not.  The parent serves the listener of the
 * confined child until the last process under its filter is gone.
 */
#pragma once

#include <errno.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine/confine.h"
#include "confine/seccomp.h"
#include "support/tap.h"

#define CONFINED_SECONDS 60 /* after which a child is killed by its alarm */

#define ACT_BROKE 255 /* exit status: the test itself went wrong */

typedef int (*act_function)(void);

/*
 * The tests in a pid namespace of their own, where a mistake with kill() meets nobody else, and
 * from which nothing remains when they end.  Without root they run as they are.
 */
static inline int confined_main(int (*run_tests)(void))
{
	if (unshare(CLONE_NEWPID) < 0)
		return run_tests();
	pid_t child = fork();
	if (child == 0) {
		int result = run_tests();
		fflush(stdout);
		_exit(result);
	}
	int status;
	return child > 0 && waitpid(child, &status, 0) == child && WIFEXITED(status)
		       ? WEXITSTATUS(status)
		       : 1;
}

static inline int child_status(pid_t child)
{
	int status;
	if (waitpid(child, &status, 0) != child)
		return ACT_BROKE;
	return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Never anything but one process: kill(-1) is everybody. */
static inline void child_kill(pid_t child)
{
	OK(child > 0);
	if (child > 0)
		EQ(kill(child, SIGKILL), 0);
}

/* Without any boundary; in a process of its own, so that an act may leave traces in it. */
static inline int act_freely(act_function act)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		alarm(CONFINED_SECONDS);
		_exit(act());
	}
	return child_status(child);
}

static inline int fd_send(int socket_fd, int fd)
{
	char byte = 0;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	header->cmsg_level = SOL_SOCKET;
	header->cmsg_type = SCM_RIGHTS;
	header->cmsg_len = CMSG_LEN(sizeof(int));
	memcpy(CMSG_DATA(header), &fd, sizeof(int));
	return sendmsg(socket_fd, &message, 0) == 1 ? 0 : -1;
}

static inline int fd_receive(int socket_fd)
{
	char byte;
	_Alignas(struct cmsghdr) char control[CMSG_SPACE(sizeof(int))] = { 0 };
	struct iovec iov = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &iov,
				  .msg_iovlen = 1,
				  .msg_control = control,
				  .msg_controllen = sizeof(control) };
	if (recvmsg(socket_fd, &message, MSG_CMSG_CLOEXEC) != 1)
		return -1;
	struct cmsghdr *header = CMSG_FIRSTHDR(&message);
	int fd = -1;
	if (header)
		memcpy(&fd, CMSG_DATA(header), sizeof(int));
	return fd;
}

/* A child under the filter of a policy; *ret_listener_fd is its listener. */
static inline pid_t confined_start(act_function act, const struct policy *policy,
				   int *ret_listener_fd)
{
	struct error err = { .code = ERR_NONE };
	struct seccomp_program program;
	int pair[2];
	if (seccomp_program_build(&program, policy, false, &err) != 0 ||
	    socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return -1;
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		alarm(CONFINED_SECONDS);
		if (confine_no_new_privs() != 0)
			_exit(ACT_BROKE);
		int fd = seccomp_program_install(program.instructions, program.n_instructions);
		if (fd < 0 || fd_send(pair[1], fd) < 0)
			_exit(ACT_BROKE);
		close(fd);
		_exit(act());
	}
	close(pair[1]);
	*ret_listener_fd = fd_receive(pair[0]);
	close(pair[0]);
	seccomp_program_fini(&program);
	return child;
}

/*
 * Serves until nothing under the filter is left, closes the listener, and returns the child's
 * status.  Before Linux 6.11 a process is left until it has been reaped, so that is done on the
 * way, as foso-init does it.
 */
static inline int listener_finish(int listener_fd, pid_t child, struct seccomp_denials *denials)
{
	struct error err = { .code = ERR_NONE };
	int result = 0, status = ACT_BROKE;
	int pidfd = (int)syscall(SYS_pidfd_open, child, 0);
	while (result == 0) {
		struct pollfd pollfds[] = { { .fd = listener_fd, .events = POLLIN },
					    { .fd = pidfd, .events = POLLIN } };
		if (poll(pollfds, 2, CONFINED_SECONDS * 1000) <= 0)
			break;
		result = seccomp_listener_serve(listener_fd, denials, &err);
		if (pollfds[1].revents) {
			status = child_status(child);
			close(pidfd);
			pidfd = -1;
		}
	}
	EQ(result, 1);
	if (result < 0)
		FAIL("%s: %s", err.subject, err.message);
	close(listener_fd);
	if (pidfd < 0)
		return status;
	close(pidfd);
	return child_status(child);
}

static inline int act_confined(act_function act, const struct policy *policy,
			       struct seccomp_denials *ret_denials)
{
	int listener_fd = -1;
	memset(ret_denials, 0, sizeof(*ret_denials));
	pid_t child = confined_start(act, policy, &listener_fd);
	if (child < 0 || listener_fd < 0)
		return ACT_BROKE;
	return listener_finish(listener_fd, child, ret_denials);
}

static inline uint64_t denials_of(const struct seccomp_denials *denials, uint32_t audit_arch,
				  uint32_t number)
{
	for (size_t i = 0; i < denials->n_items; i++) {
		if (denials->items[i].audit_arch == audit_arch &&
		    denials->items[i].number == number)
			return denials->items[i].n_calls;
	}
	return 0;
}

static inline uint64_t denials_all(const struct seccomp_denials *denials)
{
	uint64_t n_calls = denials->n_other;
	for (size_t i = 0; i < denials->n_items; i++)
		n_calls += denials->items[i].n_calls;
	return n_calls;
}
