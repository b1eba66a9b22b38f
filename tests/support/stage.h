/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stage.h - run the test program itself from a folder that holds a foso-init of its choice
 *
 * Engines look for foso-init beside the running program.  stage_enter() copies both into a
 * temporary folder and runs the program there once more; what it returns is for the second run.
 */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define STAGE_VARIABLE "FOSO_TEST_STAGE"

static inline bool stage_copy(const char *from, const char *to)
{
	int in = open(from, O_RDONLY | O_CLOEXEC);
	int out = open(to, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	struct stat status = { 0 };
	bool is_done = in >= 0 && out >= 0 && fstat(in, &status) == 0;
	for (off_t at = 0; is_done && at < status.st_size;)
		is_done = sendfile(out, in, &at, (size_t)(status.st_size - at)) > 0;
	if (in >= 0)
		close(in);
	if (out >= 0)
		close(out);
	return is_done;
}

static inline _Noreturn void stage_fail(const char *what)
{
	printf("Bail out! %s\n", what);
	exit(1);
}

/* Returns in the second run only; the first waits for it, cleans up and exits as it did. */
static inline void stage_enter(char **argv, const char *init_path)
{
	char folder[] = "/tmp/foso-stage-XXXXXX", self[64], init[64];
	int status = 0;
	if (getenv(STAGE_VARIABLE))
		return;
	if (!mkdtemp(folder) || chmod(folder, 0755) < 0)
		stage_fail("no temporary folder");
	(void)snprintf(self, sizeof(self), "%s/program", folder);
	(void)snprintf(init, sizeof(init), "%s/foso-init", folder);
	if (!stage_copy("/proc/self/exe", self) || !stage_copy(init_path, init))
		stage_fail("the programs cannot be copied");
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		(void)setenv(STAGE_VARIABLE, folder, 1);
		execv(self, argv);
		_exit(125);
	}
	(void)waitpid(pid, &status, 0);
	(void)unlink(self);
	(void)unlink(init);
	(void)rmdir(folder);
	exit(WIFEXITED(status) ? WEXITSTATUS(status) : 1);
}
