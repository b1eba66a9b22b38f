/* SPDX-License-Identifier: Apache-2.0 */
/* terminal.c - the caller's terminal while a command has one of its own */
#include <sys/ioctl.h>
#include <termios.h>
#include <unistd.h>

#include "base/syscalls.h"
#include "monitor/monitor.h"

void terminal_save(struct monitor *monitor)
{
	struct termios raw;
	if (!monitor->plan->is_tty || tcgetattr(0, &monitor->saved_terminal) < 0)
		return;
	raw = monitor->saved_terminal;
	cfmakeraw(&raw);
	/* Keys go to the inner terminal, which makes signals of them. */
	if (tcsetattr(0, TCSADRAIN, &raw) == 0)
		monitor->has_saved_terminal = true;
}

void terminal_restore(struct monitor *monitor)
{
	if (monitor->has_saved_terminal)
		(void)tcsetattr(0, TCSADRAIN, &monitor->saved_terminal);
	monitor->has_saved_terminal = false;
}

void terminal_resize(struct monitor *monitor)
{
	struct winsize size;
	const struct command *command = &monitor->commands[0];
	if (monitor->plan->control_fd < 0 && command->pty_fd >= 0 &&
	    sys_ioctl(0, TIOCGWINSZ, &size) == 0)
		(void)sys_ioctl(command->pty_fd, TIOCSWINSZ, &size);
}

bool terminal_is_ours(void)
{
	return tcgetpgrp(0) == getpgrp();
}
