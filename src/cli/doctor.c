/* SPDX-License-Identifier: Apache-2.0 */
/* doctor.c - foso doctor */
#include "cli/cli.h"

int command_doctor(struct cli *cli, int *ret_status, struct error *err)
{
	UNUSED(cli);
	UNUSED(ret_status);
	return error_set(err, ERR_UNSUPPORTED, 0, "doctor", "not there yet");
}
