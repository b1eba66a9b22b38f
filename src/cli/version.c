/* SPDX-License-Identifier: Apache-2.0 */
/* version.c - foso version, foso --version */
#include "base/version.h"

#include "cli/cli.h"

void version_print(void)
{
	(void)printf("foso %s (%s)\n", version_number(), version_build_id());
}

int command_version(struct cli *cli, int *ret_status, struct error *err)
{
	int r = options_operands(&cli->options, 0, 0, "[OPTION]...", err);
	if (r < 0)
		return r;
	version_print();
	*ret_status = 0;
	return 0;
}
