/* SPDX-License-Identifier: Apache-2.0 */
/* walls_test.c - what each filter lets through and what it does not, in a child for each */
#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "confine/confine.h"
#include "support/tap.h"
#include "wasm/walls.h"

enum act {
	OPEN,
	SOCKET,
	FORK,
	KILL,
	EXEC,
	MAP,
	MAP_EXEC,
	PROTECT_EXEC,
	CONNECTED,
	OPEN_BELOW,
	OPEN_CWD,
	MAKE_BELOW,
	MAKE_CWD,
	LIST,
	ALLOCATE,
	PUNCH,
	APPEND,
	COPY_FD,
	MOUNT,
	CHMOD,
	N_ACTS
};

static int folder_fd, file_fd;

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
	case OPEN_BELOW:
	case OPEN_CWD:
		return syscall(SYS_openat2, act == OPEN_BELOW ? folder_fd : AT_FDCWD, ".",
			       &(struct open_how){ .flags = O_RDONLY | O_DIRECTORY },
			       sizeof(struct open_how));
	case MAKE_BELOW:
	case MAKE_CWD:
		return syscall(SYS_mkdirat, act == MAKE_BELOW ? folder_fd : AT_FDCWD, "made", 0700);
	case LIST:
		return syscall(SYS_getdents64, folder_fd, page, sizeof(page));
	case ALLOCATE:
		return syscall(SYS_fallocate, file_fd, 0, 0, 4096);
	case PUNCH:
		return syscall(SYS_fallocate, file_fd, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
			       0, 4096);
	case APPEND:
		return syscall(SYS_fcntl, file_fd, F_SETFL, O_APPEND);
	case COPY_FD:
		return syscall(SYS_fcntl, file_fd, F_DUPFD, 0);
	case MOUNT:
		return syscall(SYS_mount, "none", "/", NULL, MS_REMOUNT, NULL);
	case CHMOD:
		return syscall(SYS_fchmodat, folder_fd, ".", 0777);
	case N_ACTS:
		break;
	}
	return -1;
}

/* 0: allowed, 1: EPERM, 2: something else */
static int outcome_with(enum walls walls, bool has_folders, enum act act)
{
	int status = 0;
	pid_t pid = fork();
	if (pid == 0) {
		if (confine_no_new_privs() != 0 || walls_raise(walls, has_folders) != 0)
			_exit(3);
		long r = do_act(act);
		_exit(r >= 0 ? 0 : errno == EPERM ? 1 : 2);
	}
	(void)waitpid(pid, &status, 0);
	return WIFEXITED(status) ? WEXITSTATUS(status) : 100 + WTERMSIG(status);
}

static int outcome(enum walls walls, enum act act)
{
	return outcome_with(walls, false, act);
}

static void test_folders_open_what_they_need(void)
{
	static const enum act for_folders[] = { OPEN_BELOW, MAKE_BELOW, LIST, ALLOCATE, APPEND };
	static const enum act never[] = { OPEN_CWD, MAKE_CWD, PUNCH,  COPY_FD, MOUNT,
					  CHMOD,    OPEN,     SOCKET, EXEC,    KILL };
	char top[] = "/tmp/foso-walls-XXXXXX";
	OK(mkdtemp(top) != NULL);
	folder_fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	file_fd = openat(folder_fd, "file", O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	OK(folder_fd >= 0 && file_fd >= 0);
	for (size_t i = 0; i < ARRAY_LEN(for_folders); i++) {
		EQ(outcome_with(WALLS_WORKER, false, for_folders[i]), 1);
		EQ(outcome_with(WALLS_WORKER, true, for_folders[i]), 0);
		(void)unlinkat(folder_fd, "made", AT_REMOVEDIR);
		EQ(outcome_with(WALLS_ZYGOTE, true, for_folders[i]), 0);
		EQ(outcome_with(WALLS_COMPILER, true, for_folders[i]), 1);
		(void)unlinkat(folder_fd, "made", AT_REMOVEDIR);
	}
	for (size_t i = 0; i < ARRAY_LEN(never); i++)
		EQ(outcome_with(WALLS_WORKER, true, never[i]), 1);
	EQ(outcome_with(WALLS_WORKER, true, MAP_EXEC), 1);
	OK(unlinkat(folder_fd, "file", 0) == 0);
	close(file_fd);
	close(folder_fd);
	OK(rmdir(top) == 0);
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
	RUN(test_folders_open_what_they_need);
	RUN(test_only_the_compiler_makes_executable_memory);
	RUN(test_without_walls_all_acts_work);
	return tap_done();
}
