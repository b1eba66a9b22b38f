/* SPDX-License-Identifier: Apache-2.0 */
/* jail_probe.c - runs a program in the place of skopeo: jail_probe FOLDER PROGRAM [ARGUMENT]... */
#include <fcntl.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "buildtool/jail.h"

int main(int argc, char **argv)
{
	struct error err = { .code = ERR_NONE };
	auto_fd int fd = argc > 2 ? open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC) : -1;
	if (fd < 0 || fchown(fd, jail_owner(), (gid_t)jail_owner()) < 0)
		return 125;
	const struct jail jail = {
		.program = argv[2],
		.args = (const char *const *)argv + 2,
		.folder_fd = fd,
		.max_bytes = UINT64_C(1) << 30,
		.deadline_s = 30,
		.name = "probe",
	};
	int r = jail_run(&jail, &err);
	if (r < 0)
		error_print(stderr, &err);
	return r < 0 ? 125 : r;
}
