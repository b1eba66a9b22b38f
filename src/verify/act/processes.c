/* SPDX-License-Identifier: Apache-2.0 */
/* processes.c - acts on other processes, and on process 1 of the sandbox */
#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "verify/act/act.h"

int act_kill(int argc, char **argv)
{
	pid_t pid = (pid_t)act_number(argv[1]);
	UNUSED(argc);
	if (pid <= 1)
		return act_cannot(0, "%d is not a victim", (int)pid);
	if (kill(pid, SIGKILL) == 0)
		return act_done("killed %d", (int)pid);
	int errnum = errno;
	auto_fd int pidfd = sys_pidfd_open(pid);
	if (pidfd >= 0 && sys_pidfd_send_signal(pidfd, SIGKILL) == 0)
		return act_done("killed %d by its descriptor", (int)pid);
	return act_denied(errnum, "kill %d", (int)pid);
}

int act_ptrace(int argc, char **argv)
{
	pid_t pid = (pid_t)act_number(argv[1]);
	UNUSED(argc);
	if (ptrace(PTRACE_SEIZE, pid, NULL, NULL) < 0)
		return act_denied(errno, "trace %d", (int)pid);
	(void)ptrace(PTRACE_DETACH, pid, NULL, NULL);
	return act_done("traced %d", (int)pid);
}

int act_readv(int argc, char **argv)
{
	char bytes[8];
	struct iovec local = { .iov_base = bytes, .iov_len = sizeof(bytes) };
	struct iovec remote = { .iov_base = (void *)act_number(argv[2]), /* NOLINT */
				.iov_len = sizeof(bytes) };
	pid_t pid = (pid_t)act_number(argv[1]);
	UNUSED(argc);
	long r = syscall(SYS_process_vm_readv, pid, &local, 1, &remote, 1, 0);
	return act_outcome(r, "read memory of another process");
}

int act_steal_fd(int argc, char **argv)
{
	UNUSED(argc);
	auto_fd int pidfd = sys_pidfd_open((pid_t)act_number(argv[1]));
	if (pidfd < 0)
		return act_denied(errno, "open the process");
	return act_outcome(syscall(SYS_pidfd_getfd, pidfd, 0, 0), "take its stdin");
}

/* The next process of /proc, or 0. */
static pid_t next_process(DIR *dir)
{
	for (struct dirent *item; (item = readdir(dir));) { /* NOLINT(concurrency-mt-unsafe) */
		if (isdigit((unsigned char)item->d_name[0]))
			return (pid_t)act_number(item->d_name);
	}
	return 0;
}

static ssize_t read_file(const char *path, char *text, size_t size)
{
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, text, size - 1);
	text[n < 0 ? 0 : n] = '\0';
	return n;
}

int act_proc_find(int argc, char **argv)
{
	char path[64], name[64];
	int n_seen = 0;
	UNUSED(argc);
	auto_dir DIR *dir = opendir("/proc");
	if (!dir)
		return act_cannot(errno, "/proc");
	for (pid_t pid; (pid = next_process(dir)) != 0;) {
		(void)snprintf(path, sizeof(path), "/proc/%d/comm", (int)pid);
		n_seen += read_file(path, name, sizeof(name)) > 0;
		name[strcspn(name, "\n")] = '\0';
		if (strcmp(name, argv[1]) == 0)
			return act_done("%s is process %d", name, (int)pid);
	}
	return act_denied(ENOENT, "not among %d processes", n_seen);
}

static int holds_text(const char *path, const char *text, size_t len)
{
	char bytes[65536];
	ssize_t n = read_file(path, bytes, sizeof(bytes));
	return n > 0 && memmem(bytes, (size_t)n, text, len) != NULL;
}

static int process_holds_text(pid_t pid, const char *text, size_t len)
{
	char path[96];
	(void)snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	if (holds_text(path, text, len))
		return 1;
	(void)snprintf(path, sizeof(path), "/proc/%d/environ", (int)pid);
	if (holds_text(path, text, len))
		return 1;
	(void)snprintf(path, sizeof(path), "/proc/%d/task", (int)pid);
	auto_dir DIR *dir = opendir(path);
	for (pid_t task; dir && (task = next_process(dir)) != 0;) {
		(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/environ", (int)pid, (int)task);
		if (holds_text(path, text, len))
			return 1;
	}
	return 0;
}

/* The text comes backwards, since otherwise it would be found in our own arguments. */
int act_text_find(int argc, char **argv)
{
	char text[256];
	size_t len = strlen(argv[1]);
	int n_seen = 0;
	UNUSED(argc);
	if (len < 4 || len >= sizeof(text))
		return act_cannot(0, "a text of %zu bytes", len);
	for (size_t i = 0; i < len; i++)
		text[i] = argv[1][len - 1 - i];
	auto_dir DIR *dir = opendir("/proc");
	if (!dir)
		return act_cannot(errno, "/proc");
	for (pid_t pid; (pid = next_process(dir)) != 0; n_seen++) {
		if (process_holds_text(pid, text, len))
			return act_done("process %d has it", (int)pid);
	}
	return act_denied(ENOENT, "not in any of %d processes", n_seen);
}

int act_variable(int argc, char **argv)
{
	const char *value = getenv(argv[1]); /* NOLINT(concurrency-mt-unsafe) */
	UNUSED(argc);
	return value ? act_done("%s is set", argv[1]) : act_denied(ENOENT, "%s", argv[1]);
}

/* Bounded by what a process may have. */
int act_fds(int argc, char **argv)
{
	char bytes[16];
	UNUSED(argc);
	UNUSED(argv);
	for (int fd = 3; fd < 65536; fd++) {
		if (fcntl(fd, F_GETFD) < 0)
			continue;
		bool is_read = pread(fd, bytes, sizeof(bytes), 0) >= 0;
		return act_done("descriptor %d is open%s", fd, is_read ? " and read" : "");
	}
	return act_denied(EBADF, "only 0, 1 and 2");
}

int act_privileges(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	return prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0) == 1
		       ? act_denied(EPERM, "no_new_privs is set")
		       : act_done("no_new_privs is not set");
}

int act_capabilities(int argc, char **argv)
{
	char line[256];
	int n_sets = 0;
	UNUSED(argc);
	UNUSED(argv);
	FILE *file = fopen("/proc/self/status", "re");
	if (!file)
		return act_cannot(errno, "/proc/self/status");
	while (fgets(line, sizeof(line), file)) {
		if (strncmp(line, "Cap", 3) != 0)
			continue;
		n_sets++;
		line[strcspn(line, "\n")] = '\0';
		if (line[strspn(line + 7, " \t0") + 7] != '\0') {
			(void)fclose(file);
			return act_done("%s", line);
		}
	}
	(void)fclose(file);
	return n_sets == 5 ? act_denied(EPERM, "all five sets are empty")
			   : act_cannot(0, "%d sets", n_sets);
}

/* Signals to process 1 can be accepted and dropped, so the effect counts: are we still here? */
int act_init_kill(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	for (int number = 1; number <= 64; number++)
		(void)kill(1, number);
	(void)syscall(SYS_tgkill, 1, 1, SIGKILL);
	act_wait_ms(150);
	if (getppid() == 0 || kill(1, 0) < 0)
		return errno == EPERM ? act_denied(EPERM, "64 signals to process 1")
				      : act_done("process 1 is gone");
	return act_denied(EPERM, "64 signals to process 1, none heeded");
}

int act_init_read(int argc, char **argv)
{
	static const char *const names[] = { "mem",  "environ", "maps", "root/etc", "cwd/etc",
					     "fd/3", "exe",     "auxv", "stack",    "syscall" };
	char path[64], byte;
	struct iovec part = { .iov_base = &byte, .iov_len = 1 };
	UNUSED(argc);
	UNUSED(argv);
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		(void)snprintf(path, sizeof(path), "/proc/1/%s", names[i]);
		auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
		/* Some open for all, and are empty for strangers. */
		if (fd >= 0 && (strchr(names[i], '/') || read(fd, &byte, 1) > 0))
			return act_done("read %s", path);
	}
	if (ptrace(PTRACE_SEIZE, 1, NULL, NULL) == 0)
		return act_done("traced process 1");
	if (syscall(SYS_process_vm_readv, 1, &part, 1, &part, 1, 0) > 0)
		return act_done("read the memory of process 1");
	auto_fd int pidfd = sys_pidfd_open(1);
	if (pidfd >= 0 && syscall(SYS_pidfd_getfd, pidfd, 3, 0) >= 0)
		return act_done("took a descriptor of process 1");
	return act_denied(EPERM, "%zu ways to read process 1", ARRAY_LEN(names) + 3);
}

/* Has the kernel end it before all others; read back, as a write may go nowhere. */
static bool offer_to_oom(pid_t pid)
{
	char path[64], text[16] = "";
	(void)snprintf(path, sizeof(path), "/proc/%d/oom_score_adj", (int)pid);
	auto_fd int fd = open(path, O_RDWR | O_CLOEXEC);
	return fd >= 0 && write(fd, "987", 3) == 3 && pread(fd, text, sizeof(text) - 1, 0) > 0 &&
	       strncmp(text, "987", 3) == 0;
}

int act_init_limit(int argc, char **argv)
{
	const struct {
		uint64_t now, max;
	} few = { 64, 64 };
	unsigned long mask[16] = { 1 };
	pid_t pid = (pid_t)act_number(argv[1]);
	UNUSED(argc);
	if (syscall(SYS_prlimit64, pid, RLIMIT_NOFILE, &few, NULL) == 0)
		return act_done("lowered the open files of process %d", (int)pid);
	int errnum = errno;
	if (syscall(SYS_sched_setaffinity, pid, sizeof(mask), mask) == 0)
		return act_done("moved process %d to one processor", (int)pid);
	if (setpriority(PRIO_PROCESS, (id_t)pid, 19) == 0)
		return act_done("made process %d wait for all others", (int)pid);
	if (offer_to_oom(pid))
		return act_done("made process %d the first to end for want of memory", (int)pid);
	return act_denied(errnum, "limits, processors, priority, want of memory");
}

int act_own_kill(int argc, char **argv)
{
	int status = 0;
	UNUSED(argc);
	UNUSED(argv);
	pid_t pid = fork();
	if (pid == 0) {
		for (;;)
			pause();
	}
	if (pid < 0 || kill(pid, SIGKILL) < 0)
		return act_denied(errno, "kill a child");
	(void)waitpid(pid, &status, 0);
	return WIFSIGNALED(status) ? act_done("killed a child") : act_cannot(0, "%d", status);
}

static int count_zombies(void)
{
	char path[64], text[512];
	int n_zombies = 0;
	auto_dir DIR *dir = opendir("/proc");
	for (pid_t pid; dir && (pid = next_process(dir)) != 0;) {
		(void)snprintf(path, sizeof(path), "/proc/%d/stat", (int)pid);
		(void)read_file(path, text, sizeof(text));
		const char *end = strrchr(text, ')');
		n_zombies += end && strncmp(end, ") Z", 3) == 0;
	}
	return n_zombies;
}

/* Forks a child that forks one and ends, so that the grandchild belongs to whoever reaps. */
static int orphan_one(void)
{
	int status;
	pid_t pid = fork();
	if (pid == 0) {
		(void)!fork();
		_exit(0);
	}
	return pid < 0 || waitpid(pid, &status, 0) < 0 ? errno : 0;
}

int act_zombies(int argc, char **argv)
{
	long n = act_number(argv[1]);
	bool is_reaper = argc > 2 && strcmp(argv[2], "keep") == 0;
	if (is_reaper && prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) < 0)
		return act_cannot(errno, "become the reaper");
	for (long i = 0; i < n; i++) {
		int errnum = orphan_one();
		if (errnum != 0)
			return act_cannot(errnum, "orphan a process");
	}
	int n_zombies = 0;
	for (int i = 0; i < 40; i++) {
		act_wait_ms(50);
		n_zombies = count_zombies();
		if (n_zombies == 0)
			return act_denied(ECHILD, "%ld orphans, no zombie", n);
	}
	return act_done("%d zombies after 2 s", n_zombies);
}
