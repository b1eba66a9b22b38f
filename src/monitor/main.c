/* SPDX-License-Identifier: Apache-2.0 */
/* main.c - foso-monitor: one per sandbox, started with a sealed plan at descriptor 3 */
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "monitor/monitor.h"

int main(void)
{
	struct error err = { 0 };
	struct plan plan;
	/* Modes are what is written in the code, whoever calls: some masks take our own rights. */
	(void)umask(022);
	if (plan_receive(&plan, &err) < 0) {
		error_print(stderr, &err);
		return error_code_exit_status(err.code);
	}
	int status = monitor_run(&plan);
	plan_fini(&plan);
	return status;
}
