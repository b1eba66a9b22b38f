/* SPDX-License-Identifier: Apache-2.0 */
/*
 * faulty_foso.c - foso whose n-th system call fails, counted from where it becomes a monitor
 *
 * Takes the place of foso in a staged folder: its own sources, with monitor_run() wrapped by the
 * linker.  XDG_DATA_HOME, one of the variables that a monitor keeps, is "/n/ERRNO" instead
 * of a folder.
 */
#include <stdlib.h>

#include "monitor/monitor.h"
#include "support/fault_syscall.h"

int __real_monitor_run(struct plan *plan);
int __wrap_monitor_run(struct plan *plan);

int __wrap_monitor_run(struct plan *plan)
{
	unsigned long n = 0, errnum = 0;
	const char *fault = getenv("XDG_DATA_HOME");
	for (; fault && *fault && *++fault >= '0' && *fault <= '9';)
		n = n * 10 + (unsigned long)(*fault - '0');
	for (; fault && *fault && *++fault >= '0' && *fault <= '9';)
		errnum = errnum * 10 + (unsigned long)(*fault - '0');
	fault_call_arm(n, (int)errnum);
	return __real_monitor_run(plan);
}
