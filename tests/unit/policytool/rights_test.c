/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rights_test.c - what foso-policy can no longer do, and that it could before
 *
 * Each act is tried in a child twice: before rights_drop(), where it must work, and after, where
 * it must fail with the errno that shows which wall stopped it.
 */
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "policytool/rights.c"
#include "support/tap.h"

struct answer {
	int before, after; /* errno, 0 for success */
};

static int open_file(void)
{
	auto_fd int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? errno : 0;
}

static int make_socket(void)
{
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return fd < 0 ? errno : 0;
}

static int use_other_fd(void)
{
	return fcntl(9, F_GETFD) < 0 ? errno : 0;
}

static int map_much(void)
{
	size_t n_bytes = (size_t)MAX_MEMORY_BYTES;
	void *memory =
		mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return errno;
	(void)munmap(memory, n_bytes);
	return 0;
}

static int make_folder(void)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "/tmp/foso-rights-test-%ld", (long)getpid());
	int result = mkdir(path, 0700) < 0 ? errno : 0;
	(void)rmdir(path);
	return result;
}

static int gain_by_exec(void)
{
	/* Not exec itself, but whether exec could still gain: the flag is kept for good. */
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1 ? EPERM : 0;
}

static int raise_limit(void)
{
	struct rlimit rlimit = { 16, 16 };
	return setrlimit(RLIMIT_NOFILE, &rlimit) < 0 ? errno : 0;
}

/* Runs @act in a child, before and after; the child answers through its stdout. */
static struct answer try(int (*act)(void))
{
	struct answer answer = { -1, -1 };
	int ends[2];
	if (pipe2(ends, O_CLOEXEC) < 0)
		return answer;
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		struct error err = { 0 };
		(void)dup3(ends[1], 9, 0);
		(void)dup3(ends[1], STDOUT_FILENO, 0);
		answer.before = act();
		answer.after = rights_drop(&err) == 0 ? act() : -2;
		_exit(write(STDOUT_FILENO, &answer, sizeof(answer)) < 0);
	}
	fd_close(&ends[1]);
	if (read(ends[0], &answer, sizeof(answer)) != sizeof(answer))
		answer.after = -3;
	fd_close(&ends[0]);
	(void)waitpid(pid, NULL, 0);
	return answer;
}

static void test_rights_no_file_can_be_opened(void)
{
	struct answer answer = try(open_file);
	EQ(answer.before, 0);
	OK(answer.after == EMFILE || answer.after == EACCES);
}

static void test_rights_no_socket_can_be_made(void)
{
	struct answer answer = try(make_socket);
	EQ(answer.before, 0);
	EQ(answer.after, EMFILE);
}

static void test_rights_no_other_descriptor_is_there(void)
{
	struct answer answer = try(use_other_fd);
	EQ(answer.before, 0);
	EQ(answer.after, EBADF);
}

static void test_rights_memory_is_bounded(void)
{
	if (IS_SANITIZED)
		SKIP("the address sanitizer needs the memory");
	struct answer answer = try(map_much);
	EQ(answer.before, 0);
	EQ(answer.after, ENOMEM);
}

static void test_rights_no_folder_can_be_made(void)
{
	if (confine_landlock_abi() == 0)
		SKIP("this kernel has no Landlock");
	struct answer answer = try(make_folder);
	EQ(answer.before, 0);
	EQ(answer.after, EACCES);
}

static void test_rights_exec_gains_nothing(void)
{
	struct answer answer = try(gain_by_exec);
	EQ(answer.before, 0);
	EQ(answer.after, EPERM);
}

static void test_rights_limits_cannot_be_raised(void)
{
	struct answer answer = try(raise_limit);
	EQ(answer.before, 0);
	EQ(answer.after, EPERM);
}

int main(void)
{
	RUN(test_rights_no_file_can_be_opened);
	RUN(test_rights_no_socket_can_be_made);
	RUN(test_rights_no_other_descriptor_is_there);
	RUN(test_rights_memory_is_bounded);
	RUN(test_rights_no_folder_can_be_made);
	RUN(test_rights_exec_gains_nothing);
	RUN(test_rights_limits_cannot_be_raised);
	return tap_done();
}
