/* SPDX-License-Identifier: Apache-2.0 */
/* walls_test.c - what each filter lets through and what it does not, in a child for each */
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine/confine.h"
#include "support/tap.h"
#include "wasm/walls.h"

enum act { OPEN, SOCKET, FORK, KILL, EXEC, MAP, MAP_EXEC, PROTECT_EXEC, CONNECTED, N_ACTS };

static long do_act(enum act act)
{
	static char page[8192] __attribute__((aligned(4096)));
	switch (act) {
	case OPEN:
		return syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY, 0);
	case SOCKET:
		return syscall(SYS_socket, AF_INET, SOCK_STREAM, 0);
	case FORK:
		return syscall(SYS_clone, SIGCHLD, 0, 0, 0, 0);
	case KILL:
		return syscall(SYS_kill, 1, 0);
	case EXEC:
		return syscall(SYS_execve, "/bin/true", NULL, NULL);
	case MAP:
	case MAP_EXEC:
		return syscall(SYS_mmap, NULL, 4096,
			       PROT_READ | (act == MAP_EXEC ? PROT_EXEC : PROT_WRITE),
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == -1
			       ? -1
			       : 0;
	case PROTECT_EXEC:
		return syscall(SYS_mprotect, page, 4096, PROT_READ | PROT_EXEC);
	case CONNECTED:
		return syscall(SYS_write, 1, "", 0);
	case N_ACTS:
		break;
	}
	return -1;
}

/* 0: allowed, 1: EPERM, 2: something else */
static int outcome(enum walls walls, enum act act)
{
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		if (confine_no_new_privs() != 0 || walls_raise(walls, false) != 0)
			_exit(3);
		long r = do_act(act);
		_exit(r >= 0 ? 0 : errno == EPERM ? 1 : 2);
	}
	(void)waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static void test_without_walls_all_acts_work(void)
{
	EQ(do_act(OPEN) >= 0, true);
	EQ(do_act(MAP), 0);
	EQ(do_act(MAP_EXEC), 0);
	EQ(do_act(PROTECT_EXEC), 0);
}

static void test_no_wall_has_a_way_out(void)
{
	static const enum act acts[] = { OPEN, SOCKET, FORK, KILL, EXEC };
	for (unsigned walls = WALLS_COMPILER; walls <= WALLS_WORKER; walls++) {
		for (size_t i = 0; i < ARRAY_LEN(acts); i++)
			EQ(outcome((enum walls)walls, acts[i]), 1);
		EQ(outcome((enum walls)walls, MAP), 0);
		EQ(outcome((enum walls)walls, CONNECTED), 0);
	}
}

static void test_only_the_compiler_makes_executable_memory(void)
{
	for (unsigned walls = WALLS_COMPILER; walls <= WALLS_WORKER; walls++) {
		EQ(outcome((enum walls)walls, MAP_EXEC), walls == WALLS_COMPILER ? 0 : 1);
		EQ(outcome((enum walls)walls, PROTECT_EXEC), walls == WALLS_COMPILER ? 0 : 1);
	}
}

int main(void)
{
	RUN(test_no_wall_has_a_way_out);
	RUN(test_only_the_compiler_makes_executable_memory);
	RUN(test_without_walls_all_acts_work);
	return tap_done();
}
