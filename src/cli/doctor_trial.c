/* SPDX-License-Identifier: Apache-2.0 */
/*
 * doctor_trial.c - whether a level works here: start a sandbox and see
 *
 * foso starts itself, so the trial goes the way that every run goes, and its errors are the words
 * that a user of the level would read.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/programs.h"
#include "base/syscalls.h"
#include "cli/doctor.h"

static int start_failed(int errnum, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "doctor", "a trial cannot be started");
	return error_remedy(err, r, "free some memory, processes or descriptors");
}

/* The shortest module: a _start that returns. */
static const char module_bytes[] = "\0asm\1\0\0\0"
				   "\1\4\1\140\0\0"
				   "\3\2\1\0"
				   "\7\12\1\6_start\0\0"
				   "\12\4\1\2\0\13";

#define MODULE_FD   9
#define MODULE_PATH "/proc/self/fd/9"

static int make_module(void)
{
	auto_fd int fd = sys_memfd_create("foso-trial", MFD_CLOEXEC);
	size_t len = sizeof(module_bytes) - 1;
	return fd >= 0 && write(fd, module_bytes, len) == (ssize_t)len ? take_fd(&fd) : -1;
}

/* stdin and stdout are /dev/null, stderr is the pipe; the module lies in a memory file. */
static int start(const char *level, int error_fd, pid_t *ret_pid, struct error *err)
{
	char path[PROGRAM_PATH_BYTES], named[32];
	int r = program_path("foso", path, err);
	if (r < 0)
		return r;
	(void)snprintf(named, sizeof(named), "%s", level);
	char foso[] = "foso", run[] = "run", quiet[] = "--quiet", option[] = "--level",
	     set[] = "--set", evidence[] = "evidence.enabled=false", limit[] = "--limit",
	     wall[] = "wall=10s", command[] = "/bin/true", module[] = MODULE_PATH,
	     nowhere[] = "FOSO_MODULES=";
	bool is_wasm = strcmp(level, "wasm") == 0;
	auto_fd int module_fd = is_wasm ? make_module() : -1;
	if (is_wasm && module_fd < 0)
		return start_failed(errno, err);
	char *argv[] = { foso, run,      quiet, option, named,
			 set,  evidence, limit, wall,   is_wasm ? module : command,
			 NULL };
	char *envp[] = { nowhere, NULL };
	posix_spawn_file_actions_t actions;
	int errnum = posix_spawn_file_actions_init(&actions);
	if (errnum != 0)
		return start_failed(errnum, err);
	errnum = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (errnum == 0)
		errnum = posix_spawn_file_actions_addopen(&actions, 1, "/dev/null", O_WRONLY, 0);
	if (errnum == 0)
		errnum = posix_spawn_file_actions_adddup2(&actions, error_fd, 2);
	if (errnum == 0 && is_wasm)
		errnum = posix_spawn_file_actions_adddup2(&actions, module_fd, MODULE_FD);
	if (errnum == 0)
		errnum = posix_spawn(ret_pid, path, &actions, NULL, argv, envp);
	(void)posix_spawn_file_actions_destroy(&actions);
	return errnum == 0 ? 0 : start_failed(errnum, err);
}

/* Up to the end of the pipe; what does not fit is read and dropped. */
static void read_text(int fd, char *text, size_t size)
{
	size_t used = 0;
	for (;;) {
		char rest[256];
		bool is_full = used + 1 >= size;
		ssize_t n = is_full ? read(fd, rest, sizeof(rest))
				    : read(fd, text + used, size - 1 - used);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		if (!is_full)
			used += (size_t)n;
	}
	text[used] = '\0';
}

int doctor_try(const char *level, struct doctor_trial *ret, struct error *err)
{
	auto_fd int read_fd = -1, write_fd = -1;
	int ends[2], status;
	pid_t pid;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return start_failed(errno, err);
	read_fd = ends[0];
	write_fd = ends[1];
	int r = start(level, write_fd, &pid, err);
	if (r < 0)
		return r;
	fd_close(&write_fd);
	read_text(read_fd, ret->text, sizeof(ret->text));
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return start_failed(errno, err);
	ret->is_good = status == 0;
	if (!ret->is_good && ret->text[0] == '\0')
		(void)snprintf(ret->text, sizeof(ret->text),
			       "foso: %s: the trial ended with wait status %d\n", level, status);
	return 0;
}
