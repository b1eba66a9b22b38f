/* SPDX-License-Identifier: Apache-2.0 */
/*
 * run_kept.c - runs a command in an image and keeps what it changes, as `image build` does
 *
 *	run_kept BIN CHANGES ROOT COMMAND [ARGUMENT]...
 *
 * CHANGES is a folder that holds the folders upper and work.
 */
#include <fcntl.h>
#include <stdlib.h>

#include "base/cleanup.h"
#include "wire/plan.h"

static void set(struct plan *plan, const char *field, const char *value)
{
	struct error err = { 0 };
	if (policy_set(&plan->policy, field, value, &err) == 0)
		return;
	error_print(stderr, &err);
	exit(125);
}

int main(int argc, char **argv)
{
	struct plan plan;
	struct plan_start start;
	struct error err = { 0 };
	if (argc < 5 || plan_init(&plan, &err) < 0)
		return 125;
	set(&plan, "level", "process");
	set(&plan, "evidence", "off");
	set(&plan, "root", argv[3]);
	for (int i = 4; i < argc; i++)
		set(&plan, "args", argv[i]);
	int changes_fd = open(argv[2], O_PATH | O_DIRECTORY | O_CLOEXEC);
	plan.root_changes_fd = changes_fd < 0 ? -1 : fcntl(changes_fd, F_DUPFD_CLOEXEC, 10);
	if (plan.root_changes_fd < 0) {
		perror(argv[2]);
		return 125;
	}
	if (plan_start_prepare(&plan, argv[1], &start, &err) < 0) {
		error_print(stderr, &err);
		return 125;
	}
	int errnum = plan_start_exec(&start);
	(void)fprintf(stderr, "run_kept: error %d\n", errnum);
	return 125;
}
