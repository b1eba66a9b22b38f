/* SPDX-License-Identifier: Apache-2.0 */
/* programs.c - where foso's other programs are */
#include "base/programs.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

int program_path(const char *name, char ret_path[PROGRAM_PATH_BYTES], struct error *err)
{
	static const char *const folders[] = { "", "../libexec/foso/", "../../bin/" };
	not_zeroed char self[PROGRAM_PATH_BYTES];
	ssize_t len = readlink("/proc/self/exe", self, sizeof(self) - 1);
	if (len <= 0) {
		int r = error_set(err, ERR_SYSTEM, errno, name, "/proc/self/exe cannot be read");
		return error_remedy(err, r, "mount /proc");
	}
	self[len] = '\0';
	char *slash = strrchr(self, '/');
	if (slash)
		slash[1] = '\0';
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		int n = snprintf(ret_path, PROGRAM_PATH_BYTES, "%s%s%s", self, folders[i], name);
		if (n > 0 && n < PROGRAM_PATH_BYTES && access(ret_path, X_OK) == 0)
			return 0;
	}
	int r = error_set(err, ERR_NOT_FOUND, 0, name, "not found beside %s", self);
	return error_remedy(err, r, "build or install foso as a whole (./x build)");
}
