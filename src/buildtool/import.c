/* SPDX-License-Identifier: Apache-2.0 */
/* import.c - foso-image brings what others made into the store */
#include <errno.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/programs.h"
#include "buildtool/verbs.h"
#include "confine/confine.h"

int import_path(const char *path, const char *name, struct error *err)
{
	char program[PROGRAM_PATH_BYTES];
	const char *const words[] = { "foso-image", "import", "--name", name, path, NULL };
	int status = 0, r = program_path("foso-image", program, err);
	if (r < 0)
		return r;
	pid_t pid = fork();
	if (pid == 0) {
		confine_signals();
		(void)execv(program, (char *const *)(uintptr_t)words);
		_exit(126);
	}
	if (pid < 0) {
		r = error_set(err, ERR_SYSTEM, errno, "foso-image", "cannot be started");
		return error_remedy(err, r, "raise the limit of processes");
	}
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (WIFEXITED(status) && WEXITSTATUS(status) != 126)
		return WEXITSTATUS(status) == 0 ? 0 : VERB_SAID;
	r = error_set(err, ERR_UNAVAILABLE, 0, "foso-image", "was ended before its work was done");
	return error_remedy(err, r, "build or install foso as a whole (./x build)");
}
