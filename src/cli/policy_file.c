/* SPDX-License-Identifier: Apache-2.0 */
/* policy_file.c - a policy out of a text file, through foso-policy compile */
#include "cli/policy_file.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/programs.h"

static char program[] = "foso-policy";

static int start_failed(int errnum, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errnum, program, "cannot be started");
	return error_remedy(err, r, "free some memory or processes, and try again");
}

/* Its stdin is the file, its stdout the pipe, its environment empty. */
static int start_compiler(const char *file, int file_fd, int out_fd, pid_t *ret_pid,
			  struct error *err)
{
	static char verb[] = "compile", option[] = "--name";
	char path[PROGRAM_PATH_BYTES];
	int r = program_path(program, path, err);
	if (r < 0)
		return r;
	char *name = strdup(file);
	char *argv[] = { program, verb, option, name, NULL };
	char *envp[] = { NULL };
	posix_spawn_file_actions_t actions;
	int errnum = name ? posix_spawn_file_actions_init(&actions) : ENOMEM;
	if (errnum == 0) {
		if (file_fd >= 0)
			errnum = posix_spawn_file_actions_adddup2(&actions, file_fd, STDIN_FILENO);
		if (errnum == 0)
			errnum = posix_spawn_file_actions_adddup2(&actions, out_fd, STDOUT_FILENO);
		if (errnum == 0)
			errnum = posix_spawn(ret_pid, path, &actions, NULL, argv, envp);
		(void)posix_spawn_file_actions_destroy(&actions);
	}
	free(name);
	return errnum == 0 ? 0 : start_failed(errnum, err);
}

/* Until the end of the pipe; a flood marks the buffer broken and is read no further. */
static void read_all(int fd, struct buf *out)
{
	char bytes[4096];
	while (buf_is_whole(out)) {
		ssize_t n = read(fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return;
		buf_append(out, bytes, (size_t)n);
	}
}

static int wait_for(pid_t pid)
{
	int status;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return -1;
	return status;
}

static int open_file(const char *file, int *ret_fd, struct error *err)
{
	if (strcmp(file, "-") == 0)
		return 0;
	*ret_fd = open(file, O_RDONLY | O_NOCTTY | O_CLOEXEC);
	if (*ret_fd >= 0)
		return 0;
	enum error_code code = errno == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM;
	int r = error_set(err, code, errno, "--policy", "'%s' cannot be opened", file);
	return error_remedy(err, r, "name a policy file that you may read, or - for stdin");
}

int policy_file_read(const char *file, struct policy *policy, struct error *err)
{
	auto_fd int file_fd = -1, out_fd = -1, in_fd = -1;
	auto_buf struct buf bytes = BUF_INIT(POLICY_MAX_ENCODED_BYTES);
	pid_t pid;
	int ends[2];

	int r = open_file(file, &file_fd, err);
	if (r < 0)
		return r;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return start_failed(errno, err);
	in_fd = ends[0];
	out_fd = ends[1];
	r = start_compiler(file, file_fd, out_fd, &pid, err);
	if (r < 0)
		return r;
	fd_close(&out_fd);
	read_all(in_fd, &bytes);
	fd_close(&in_fd); /* A compiler that still writes ends by SIGPIPE. */
	int status = wait_for(pid);
	if (WIFEXITED(status) && WEXITSTATUS(status) != 0)
		return POLICY_FILE_REFUSED;
	if (status != 0 || !buf_is_whole(&bytes)) {
		r = error_set(err, ERR_PROTOCOL, 0, program, "it broke off (wait status %d)",
			      status);
		return error_remedy(err, r, "try foso policy check %.100s", file);
	}
	struct policy compiled;
	r = policy_decode(&compiled, bytes.data, bytes.len, err);
	if (r < 0)
		return r;
	policy_fini(policy);
	*policy = compiled;
	return 0;
}
