/* SPDX-License-Identifier: Apache-2.0 */
/* data.c - where foso keeps what outlives a run */
#include "base/data.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define ROOT_FOLDER "/var/lib/foso"

static const char *absolute(const char *variable)
{
	const char *value = getenv(variable); /* NOLINT(concurrency-mt-unsafe): one thread */
	return value && value[0] == '/' ? value : NULL;
}

/* Of "workspaces": FOSO_WORKSPACES. */
static const char *own_variable(const char *name, char variable[64])
{
	int len = snprintf(variable, 64, "FOSO_%s", name);
	for (int i = 0; i < len && i < 63; i++) {
		if (variable[i] >= 'a' && variable[i] <= 'z')
			variable[i] = (char)(variable[i] - 32);
	}
	return absolute(variable);
}

int data_path(const char *name, char ret_path[DATA_PATH_BYTES], struct error *err)
{
	char variable[64];
	const char *own = own_variable(name, variable);
	const char *data = absolute("XDG_DATA_HOME"), *home = absolute("HOME");
	int len;
	if (own)
		len = snprintf(ret_path, DATA_PATH_BYTES, "%s", own);
	else if (geteuid() == 0)
		len = snprintf(ret_path, DATA_PATH_BYTES, "%s/%s", ROOT_FOLDER, name);
	else if (data)
		len = snprintf(ret_path, DATA_PATH_BYTES, "%s/foso/%s", data, name);
	else if (home)
		len = snprintf(ret_path, DATA_PATH_BYTES, "%s/.local/share/foso/%s", home, name);
	else {
		int r = error_set(err, ERR_NOT_FOUND, 0, name,
				  "has no folder, as neither XDG_DATA_HOME nor HOME is set");
		return error_remedy(err, r, "set HOME, or %s to a folder", variable);
	}
	if (len < DATA_PATH_BYTES)
		return 0;
	int r = error_set(err, ERR_LIMIT, 0, name, "its folder has a path of more than %d bytes",
			  DATA_PATH_BYTES - 1);
	return error_remedy(err, r, "set %s to a shorter path", variable);
}

static int failed(struct error *err, const char *path, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errno, path, "%s", what);
	return error_remedy(err, r, "check its owner, mode and free space");
}

/* @path is changed and restored. */
static int make_folders(char *path, struct error *err)
{
	if (mkdir(path, 0700) == 0 || errno == EEXIST)
		return 0;
	for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		int result = mkdir(path, 0755);
		int errnum = errno;
		*slash = '/';
		errno = errnum;
		if (result < 0 && errnum != EEXIST)
			return failed(err, path, "a folder above it cannot be made");
	}
	if (mkdir(path, 0700) < 0 && errno != EEXIST)
		return failed(err, path, "cannot be made");
	return 0;
}

int data_open(const char *name, int *ret_dir_fd, struct error *err)
{
	char path[DATA_PATH_BYTES];
	struct stat status;
	int r = data_path(name, path, err);
	if (r < 0 || (r = make_folders(path, err)) < 0)
		return r;
	auto_fd int fd = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return failed(err, path, "cannot be opened as a folder");
	if (status.st_uid != geteuid() || (status.st_mode & 022) != 0) {
		r = error_set(err, ERR_DENIED, 0, path,
			      "belongs to uid %u with mode %03o: others could change it",
			      (unsigned)status.st_uid, status.st_mode & 0777u);
		return error_remedy(err, r, "chown it to yourself and chmod go-w");
	}
	*ret_dir_fd = take_fd(&fd);
	return 0;
}
