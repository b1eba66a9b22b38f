/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faulty_monitor.c - foso-monitor whose n-th system call fails
 *
 * Takes the place of foso-monitor in a staged folder.  XDG_DATA_HOME, one of the three variables
 * that reach it, is "/n/ERRNO" instead of a folder.
 */
#include <stdlib.h>

#include "monitor/monitor.h"
#include "support/fault_syscall.h"

int main(void)
{
	struct error err = { 0 };
	struct plan plan;
	unsigned long n = 0, errnum = 0;
	const char *fault = getenv("XDG_DATA_HOME");
	for (; fault && *fault && *++fault >= '0' && *fault <= '9';)
		n = n * 10 + (unsigned long)(*fault - '0');
	for (; fault && *fault && *++fault >= '0' && *fault <= '9';)
		errnum = errnum * 10 + (unsigned long)(*fault - '0');
	fault_call_arm(n, (int)errnum);
	if (plan_receive(&plan, &err) < 0) {
		error_print(stderr, &err);
		return error_code_exit_status(err.code);
	}
	int status = monitor_run(&plan);
	plan_fini(&plan);
	return status;
}
