/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kill_at.c - kills a program before its n-th system call that changes something on disk
 *
 * usage: kill_at N PROGRAM ARGUMENT...
 *
 * Exits with 99 if it was killed, else as the program did.  Children are not followed.
 */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/macros.h"
#include "base/text.h"

static const long changing[] = {
	SYS_write,     SYS_pwrite64,  SYS_renameat2,       SYS_renameat,  SYS_unlinkat,
	SYS_mkdirat,   SYS_symlinkat, SYS_fchmod,          SYS_fchown,    SYS_fchownat,
	SYS_ftruncate, SYS_utimensat, SYS_copy_file_range, SYS_fdatasync, SYS_fsync,
	SYS_syncfs,    SYS_fsetxattr, SYS_linkat,
};

static bool is_change(const struct __ptrace_syscall_info *info)
{
	if (info->op != PTRACE_SYSCALL_INFO_ENTRY)
		return false;
	if (info->entry.nr == SYS_openat)
		return (info->entry.args[2] & O_CREAT) != 0;
	for (size_t i = 0; i < ARRAY_LEN(changing); i++)
		if ((long)info->entry.nr == changing[i])
			return true;
	return false;
}

int main(int argc, char **argv)
{
	uint64_t n = 0;
	int status = 0;
	if (argc < 3 || !text_parse_u64(argv[1], &n))
		return 98;
	pid_t pid = fork();
	if (pid == 0) {
		(void)ptrace(PTRACE_TRACEME, 0, NULL, NULL);
		(void)raise(SIGSTOP);
		/* Where there is a sanitizer: the one for leaks traces, and is traced already. */
		(void)setenv("ASAN_OPTIONS", "detect_leaks=0", 1);
		(void)execv(argv[2], argv + 2);
		_exit(97);
	}
	(void)waitpid(pid, &status, 0);
	(void)ptrace(PTRACE_SETOPTIONS, pid, NULL,
		     (void *)(PTRACE_O_TRACESYSGOOD | PTRACE_O_EXITKILL));
	for (int pass_on = 0;;) {
		struct __ptrace_syscall_info info = { 0 };
		(void)ptrace(PTRACE_SYSCALL, pid, NULL, (void *)(long)pass_on);
		if (waitpid(pid, &status, 0) < 0)
			return 98;
		if (WIFEXITED(status))
			return WEXITSTATUS(status);
		if (WIFSIGNALED(status))
			return 128 + WTERMSIG(status);
		bool is_call = WSTOPSIG(status) == (SIGTRAP | 0x80);
		pass_on = is_call || WSTOPSIG(status) == SIGTRAP ? 0 : WSTOPSIG(status);
		(void)ptrace(PTRACE_GET_SYSCALL_INFO, pid, (void *)sizeof(info), &info);
		if (!is_call || !is_change(&info) || --n > 0)
			continue;
		(void)kill(pid, SIGKILL);
		(void)waitpid(pid, &status, 0);
		return 99;
	}
}
