/* SPDX-License-Identifier: Apache-2.0 */
/* programs.c - where foso's programs are, and which version this is */
#include <string.h>

#include "base/version.h"
#include "client/client.h"

#define MAX_FOLDER_BYTES 3000

/* The one state of the library: documented as to be set before threads are there. */
static char programs[MAX_FOLDER_BYTES + 1] = FOSO_PROGRAMS_FOLDER;

const char *client_programs(void)
{
	return programs;
}

const char *foso_version(void)
{
	return version_number();
}

int foso_programs_set(const char *folder, struct foso_error *err)
{
	struct error failure = { 0 };
	if (!folder)
		folder = FOSO_PROGRAMS_FOLDER;
	if (folder[0] != '/' || strlen(folder) > MAX_FOLDER_BYTES) {
		int r = error_set(&failure, ERR_INVALID, 0, "programs",
				  "'%.100s' is not an absolute path of at most %d bytes", folder,
				  MAX_FOLDER_BYTES);
		r = error_remedy(&failure, r, "name the folder that holds foso-monitor");
		return client_fail(err, r, &failure);
	}
	memmove(programs, folder, strlen(folder) + 1);
	return 0;
}
