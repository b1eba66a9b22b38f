/* SPDX-License-Identifier: Apache-2.0 */
/* exec.c - finding and executing the command, with the errno that tells the user why not */
#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "init/init.h"

/* Where commands are looked for when the policy names no PATH (the environment stays empty). */
#define EXEC_DEFAULT_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

static const char *search_path(char *const env[])
{
	for (; *env; env++) {
		if (strncmp(*env, "PATH=", 5) == 0)
			return *env + 5;
	}
	return EXEC_DEFAULT_PATH;
}

/* Executes one file; returns why it could not, told apart where the kernel's errno is vague. */
static int try(const char *path, char *const argv[], char *const env[])
{
	struct stat status;
	execve(path, argv, env);
	int errnum = errno;
	if (errnum == EACCES && stat(path, &status) == 0 && S_ISDIR(status.st_mode))
		return EISDIR;
	/* The file is there, so what is missing is the interpreter that it names. */
	if (errnum == ENOENT && stat(path, &status) == 0)
		return ELIBACC;
	return errnum;
}

int init_exec(char *const argv[], char *const env[])
{
	const char *name = argv[0];
	if (strchr(name, '/'))
		return try(name, argv, env);
	if (name[0] == '\0')
		return ENOENT;
	int result = ENOENT;
	for (const char *at = search_path(env); at;) {
		char path[4096];
		const char *end = strchr(at, ':');
		size_t n = end ? (size_t)(end - at) : strlen(at);
		if (n + strlen(name) + 2 <= sizeof(path) && n > 0) {
			memcpy(path, at, n); /* NOLINT(bugprone-not-null-terminated-result) */
			path[n] = '/';
			memcpy(path + n + 1, name, strlen(name) + 1);
			int errnum = try(path, argv, env);
			/* As execvp(): a later folder may have it, but remember the better reason.
			 */
			if (errnum != ENOENT && errnum != ENOTDIR)
				result = errnum;
			if (result != ENOENT && result != EACCES && result != EISDIR)
				return result;
		}
		at = end ? end + 1 : NULL;
	}
	return result;
}
