/* SPDX-License-Identifier: Apache-2.0 */
/* check_workspace.c - the row about a file that appears while a sandbox runs */
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "verify/check.h"

#define LATE_MS \
	300 /* the sandbox stands by then, or the file is no late one, which is hidden too */

static void name_late(const struct verify *verify, char path[256])
{
	(void)snprintf(path, 256, "%s/.env.late", verify->world.project);
}

static pid_t start_writer(const char *path)
{
	pid_t pid = fork();
	if (pid != 0)
		return pid;
	(void)poll(NULL, 0, LATE_MS);
	int fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	_exit(fd >= 0 && write(fd, "late\n", 5) == 5 ? 0 : 1);
}

/* As check_denied(), while a file is made on the host. */
void check_late(struct verify *verify, const struct row *row, struct finding *finding)
{
	char path[256];
	int status = 0;
	name_late(verify, path);
	(void)unlink(path);
	pid_t pid = start_writer(path);
	check_denied(verify, row, finding);
	if (pid > 0)
		(void)waitpid(pid, &status, 0);
	(void)unlink(path);
	if (pid < 0 || !WIFEXITED(status) || WEXITSTATUS(status) != 0)
		finding_skip(finding, "the late file could not be made");
}
