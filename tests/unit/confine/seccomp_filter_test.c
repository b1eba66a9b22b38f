/* SPDX-License-Identifier: Apache-2.0 */
/* seccomp_filter_test.c - what the filters deny and allow, on this kernel, both sides of each */
#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <netinet/in.h>
#include <sched.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/xattr.h>

#include "acts.h"
#include "confined.h"

#define X32_BIT 0x40000000u

static const struct policy by_default;
static const struct policy strict = { .syscalls = { .profile = POLICY_PROFILE_STRICT } };

static char skip_reason[128];

/* Denied with EPERM and counted; and without the filter it works, else the reason to skip. */
static const char *check_denied(act_function act, const struct policy *policy, uint32_t number)
{
	struct seccomp_denials denials;
	EQ(act_confined(act, policy, &denials), EPERM);
	EQ(denials_of(&denials, AUDIT_ARCH_X86_64, number), 1);
	EQ(denials_all(&denials), 1);
	int free_errno = act_freely(act);
	if (free_errno == 0)
		return NULL;
	(void)snprintf(skip_reason, sizeof(skip_reason),
		       "denied, but without the filter it does not work here either (%s)",
		       strerror(free_errno));
	return skip_reason;
}

static void check_allowed(act_function act, const struct policy *policy)
{
	struct seccomp_denials denials;
	int free_errno = act_freely(act);
	EQ(free_errno, 0);
	EQ(act_confined(act, policy, &denials), 0);
	EQ(denials_all(&denials), 0);
}

#define DENIED_TEST(name, call, what)                                                   \
	static void test_default_denies_##name(void)                                    \
	{                                                                               \
		const char *reason = check_denied(act_##name, &by_default, SYS_##call); \
		if (reason)                                                             \
			SKIP(reason);                                                   \
	}
ACTS(DENIED_TEST)

/* ---- numbers that are not this architecture's ---- */

static long call_int80(long number)
{
	long result;
	__asm__ volatile("int $0x80"
			 : "=a"(result)
			 : "a"(number)
			 : "memory", "r8", "r9", "r10", "r11");
	return result;
}

/* 20 is getpid() there, and mkdir() is 39: a filter that looks at numbers only would allow it. */
static int act_int80(void)
{
	long result = call_int80(20);
	return result < 0 ? (int)-result : 0;
}

static void test_int80_is_enosys_and_counted(void)
{
	struct seccomp_denials denials;
	EQ(act_confined(act_int80, &by_default, &denials), ENOSYS);
	EQ(denials_of(&denials, AUDIT_ARCH_I386, 20), 1);
	EQ(denials_all(&denials), 1);
	if (act_freely(act_int80) != 0)
		SKIP("denied, but this kernel has no int 0x80 without the filter either");
}

static int act_x32(void)
{
	return outcome(syscall(X32_BIT | SYS_getpid));
}

static void test_x32_is_enosys_and_counted(void)
{
	struct seccomp_denials denials;
	EQ(act_confined(act_x32, &by_default, &denials), ENOSYS);
	EQ(denials_of(&denials, AUDIT_ARCH_X86_64, X32_BIT | SYS_getpid), 1);
	EQ(denials_all(&denials), 1);
	if (act_freely(act_x32) != 0)
		SKIP("denied, but this kernel has no x32 without the filter either");
}

static int act_unknown(void)
{
	return outcome(syscall(1000));
}

static int act_minus_one(void)
{
	return outcome(syscall(-1));
}

static int act_gone(void)
{
	return outcome(syscall(SYS_vserver));
}

static void test_unknown_numbers_are_enosys_and_counted(void)
{
	struct seccomp_denials denials;
	EQ(act_confined(act_unknown, &by_default, &denials), ENOSYS);
	EQ(denials_of(&denials, AUDIT_ARCH_X86_64, 1000), 1);
	EQ(act_confined(act_minus_one, &by_default, &denials), ENOSYS);
	EQ(denials_of(&denials, AUDIT_ARCH_X86_64, UINT32_MAX), 1);
	EQ(act_confined(act_gone, &by_default, &denials), ENOSYS);
	EQ(denials_of(&denials, AUDIT_ARCH_X86_64, SYS_vserver), 1);
}

static int act_clone3(void)
{
	struct clone_args args = { .exit_signal = SIGCHLD };
	long child = syscall(SYS_clone3, &args, sizeof(args));
	if (child == 0)
		_exit(0);
	return outcome(child);
}

static void test_clone3_is_enosys_and_not_counted(void)
{
	struct seccomp_denials denials;
	EQ(act_confined(act_clone3, &by_default, &denials), ENOSYS);
	EQ(denials_all(&denials), 0);
	EQ(act_freely(act_clone3), 0);
}

static int act_audit(void)
{
	return with_socket(AF_NETLINK, SOCK_RAW, NETLINK_AUDIT);
}

/* useradd ends at any other answer. */
static void test_audit_is_as_on_a_kernel_without_it(void)
{
	struct seccomp_denials denials;
	EQ(act_confined(act_audit, &by_default, &denials), EPROTONOSUPPORT);
	EQ(denials_all(&denials), 0);
	int freely = act_freely(act_audit);
	OK(freely == 0 || freely == EPROTONOSUPPORT);
}

/* ---- what must still work ---- */

static int act_sockets(void)
{
	static const struct {
		int domain, type, protocol;
	} sockets[] = {
		{ AF_UNIX, SOCK_STREAM, 0 },
		{ AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0 },
		{ AF_INET, SOCK_STREAM, 0 },
		{ AF_INET, SOCK_STREAM | SOCK_NONBLOCK, IPPROTO_TCP },
		{ AF_INET6, SOCK_STREAM | SOCK_CLOEXEC, IPPROTO_TCP },
		{ AF_INET6, SOCK_DGRAM, 0 },
		{ AF_INET, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_UDP },
		{ AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_ROUTE },
		{ AF_NETLINK, SOCK_DGRAM, NETLINK_ROUTE },
	};
	for (size_t i = 0; i < ARRAY_LEN(sockets); i++) {
		int result = with_socket(sockets[i].domain, sockets[i].type, sockets[i].protocol);
		if (result != 0)
			return result;
	}
	int pair[2];
	return outcome(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair));
}

static int act_terminal(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	struct winsize size;
	return outcome(ioctl(master, TIOCGWINSZ, &size));
}

static int act_fork(void)
{
	pid_t child = fork();
	if (child == 0)
		_exit(0);
	return child < 0 ? errno : outcome(waitpid(child, NULL, 0));
}

static int act_unshare_files(void)
{
	return outcome(unshare(CLONE_FILES | CLONE_FS));
}

static int act_personality_query(void)
{
	return outcome(personality(0xffffffff));
}

static int act_own_filter(void)
{
	struct sock_filter allow = { BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW };
	struct sock_fprog program = { 1, &allow };
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return outcome(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program));
}

static int act_memfd(void)
{
	return outcome(memfd_create("foso", MFD_CLOEXEC));
}

static int act_fifo(void)
{
	char path[] = "/tmp/foso-act-XXXXXX";
	if (!mkdtemp(path))
		return errno;
	int dir_fd = open(path, O_DIRECTORY | O_CLOEXEC);
	int result = outcome(mkfifoat(dir_fd, "fifo", 0600));
	unlinkat(dir_fd, "fifo", 0);
	rmdir(path);
	return result;
}

static int act_thread_name(void)
{
	return outcome(prctl(PR_SET_NAME, "foso"));
}

static int act_affinity(void)
{
	cpu_set_t set;
	if (sched_getaffinity(0, sizeof(set), &set) < 0)
		return errno;
	return outcome(sched_setaffinity(0, sizeof(set), &set));
}

static void test_default_allows_what_programs_need(void)
{
	static const act_function acts[] = {
		act_sockets,    act_terminal, act_fork, act_unshare_files, act_personality_query,
		act_own_filter, act_memfd,    act_fifo, act_thread_name,   act_affinity
	};
	for (size_t i = 0; i < ARRAY_LEN(acts); i++)
		check_allowed(acts[i], &by_default);
}

/* ---- core dumps: answered, but not done ---- */

static int act_core_is_kept(void)
{
	struct rlimit limit, after, unlimited = { RLIM_INFINITY, RLIM_INFINITY }, zero = { 0, 0 };
	if (getrlimit(RLIMIT_CORE, &limit) < 0)
		return errno;
	if (syscall(SYS_setrlimit, RLIMIT_CORE, &zero) < 0 ||
	    syscall(SYS_prlimit64, 0, RLIMIT_CORE, &unlimited, NULL) < 0 ||
	    syscall(SYS_prlimit64, 0, RLIMIT_CORE, NULL, &after) < 0)
		return errno;
	return limit.rlim_cur == after.rlim_cur && limit.rlim_max == after.rlim_max ? 0 : ERANGE;
}

static int act_core_swap(void)
{
	struct rlimit zero = { 0, 0 }, old;
	return outcome(syscall(SYS_prlimit64, 0, RLIMIT_CORE, &zero, &old));
}

static int act_files_limit(void)
{
	struct rlimit limit;
	if (getrlimit(RLIMIT_NOFILE, &limit) < 0)
		return errno;
	limit.rlim_cur = 16;
	return outcome(setrlimit(RLIMIT_NOFILE, &limit));
}

static void test_core_limit_cannot_be_changed(void)
{
	struct seccomp_denials denials;
	EQ(act_confined(act_core_is_kept, &by_default, &denials), 0);
	EQ(denials_all(&denials), 0);
	int free_errno = act_freely(act_core_is_kept);
	OK(free_errno == ERANGE || free_errno == EPERM);
	EQ(act_confined(act_core_swap, &by_default, &denials), EPERM);
	EQ(denials_of(&denials, AUDIT_ARCH_X86_64, SYS_prlimit64), 1);
	EQ(act_freely(act_core_swap), 0);
	check_allowed(act_files_limit, &by_default);
}

/* ---- the policy's own lists ---- */

static void test_deny_list_denies(void)
{
	char *names[] = { (char[]){ "memfd_create" } };
	struct policy policy = { .syscalls = { .deny = { names, 1 } } };
	struct seccomp_denials denials;
	EQ(act_confined(act_memfd, &policy, &denials), EPERM);
	EQ(denials_of(&denials, AUDIT_ARCH_X86_64, SYS_memfd_create), 1);
	EQ(act_confined(act_memfd, &by_default, &denials), 0);
}

static void test_allow_list_allows(void)
{
	char *names[] = { (char[]){ "ptrace" }, (char[]){ "personality" } };
	struct policy policy = { .syscalls = { .allow = { names, 2 } } };
	struct seccomp_denials denials;
	EQ(act_confined(act_ptrace, &policy, &denials), act_freely(act_ptrace));
	EQ(denials_all(&denials), 0);
	EQ(act_confined(act_personality, &policy, &denials), 0);
	EQ(act_confined(act_kcmp, &policy, &denials), EPERM);
}

static void test_deny_wins_over_allow(void)
{
	char *names[] = { (char[]){ "memfd_create" } };
	struct policy policy = { .syscalls = { .allow = { names, 1 }, .deny = { names, 1 } } };
	struct seccomp_denials denials;
	EQ(act_confined(act_memfd, &policy, &denials), EPERM);
}

static void test_may_nest_allows_namespaces_only(void)
{
	struct policy policy = { .syscalls = { .may_nest = true } };
	struct seccomp_denials denials;
	EQ(act_confined(act_clone_user, &policy, &denials), act_freely(act_clone_user));
	EQ(act_confined(act_unshare_user, &policy, &denials), act_freely(act_unshare_user));
	EQ(act_confined(act_setns, &policy, &denials), act_freely(act_setns));
	EQ(denials_all(&denials), 0);
	EQ(act_confined(act_mount, &policy, &denials), EPERM);
	EQ(act_confined(act_clone3, &policy, &denials), ENOSYS);
}

/* ---- strict ---- */

static int act_inet(void)
{
	return with_socket(AF_INET, SOCK_STREAM, 0);
}

static int act_unix(void)
{
	return with_socket(AF_UNIX, SOCK_STREAM, 0);
}

static int act_inotify(void)
{
	return outcome(inotify_init1(IN_CLOEXEC));
}

static int act_shm(void)
{
	int id = shmget(IPC_PRIVATE, 4096, 0600);
	if (id < 0)
		return errno;
	return outcome(shmctl(id, IPC_RMID, NULL));
}

static int act_mq(void)
{
	long fd = syscall(SYS_mq_open, "foso-test", O_RDWR | O_CREAT | O_CLOEXEC, 0600, NULL);
	return fd < 0 ? errno : outcome(syscall(SYS_mq_unlink, "foso-test"));
}

static int act_setuid(void)
{
	return outcome(syscall(SYS_setresuid, 65534, 65534, 65534));
}

static int act_chmod_setuid(void)
{
	return outcome(fchmod(temporary_file(), 04755));
}

static int act_chmod_plain(void)
{
	return outcome(fchmod(temporary_file(), 0755));
}

static int act_create(mode_t mode)
{
	char path[] = "/tmp/foso-act-XXXXXX";
	if (!mkdtemp(path))
		return errno;
	int dir_fd = open(path, O_DIRECTORY | O_CLOEXEC);
	int result =
		outcome(syscall(SYS_openat, dir_fd, "file", O_CREAT | O_WRONLY | O_CLOEXEC, mode));
	unlinkat(dir_fd, "file", 0);
	rmdir(path);
	return result;
}

static int act_create_setuid(void)
{
	return act_create(04755);
}

/* The mode is not read without O_CREAT, so garbage there must do no harm. */
static int act_create_plain(void)
{
	if (syscall(SYS_openat, AT_FDCWD, "/", O_RDONLY | O_CLOEXEC, 07777) < 0)
		return errno;
	return act_create(0755);
}

static int act_chown(void)
{
	return outcome(fchown(temporary_file(), 1, 1));
}

static int act_xattr(void)
{
	return outcome(fsetxattr(temporary_file(), "user.foso", "x", 1, 0));
}

static int act_execveat(void)
{
	char *argv[] = { (char[]){ "true" }, NULL };
	return outcome(syscall(SYS_execveat, AT_FDCWD, "/bin/true", argv, NULL, 0));
}

static int act_filter(void)
{
	return act_own_filter();
}

static int act_fionread(void)
{
	int pipe_fds[2], n_bytes;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return errno;
	return outcome(ioctl(pipe_fds[0], FIONREAD, &n_bytes));
}

static int act_fioasync(void)
{
	int pipe_fds[2], is_on = 0;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return errno;
	return outcome(ioctl(pipe_fds[0], FIOASYNC, &is_on));
}

#define STRICT_ACTS(ACT)            \
	ACT(inet, socket)           \
	ACT(unix, socket)           \
	ACT(inotify, inotify_init1) \
	ACT(memfd, memfd_create)    \
	ACT(shm, shmget)            \
	ACT(mq, mq_open)            \
	ACT(setuid, setresuid)      \
	ACT(chmod_setuid, fchmod)   \
	ACT(create_setuid, openat)  \
	ACT(chown, fchown)          \
	ACT(xattr, fsetxattr)       \
	ACT(execveat, execveat)     \
	ACT(filter, seccomp)        \
	ACT(fioasync, ioctl)        \
	ACT(tiocsti, ioctl)         \
	ACT(clone_user, clone)      \
	ACT(unshare_user, unshare)  \
	ACT(ptrace, ptrace)         \
	ACT(mount, mount)

#define STRICT_TEST(name, call)                                                     \
	static void test_strict_denies_##name(void)                                 \
	{                                                                           \
		const char *reason = check_denied(act_##name, &strict, SYS_##call); \
		if (reason)                                                         \
			SKIP(reason);                                               \
	}
STRICT_ACTS(STRICT_TEST)

static int act_socketpair(void)
{
	int pair[2];
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return errno;
	return fd_send(pair[0], pair[1]) < 0 || fd_receive(pair[1]) < 0 ? errno : 0;
}

static int act_exec(void)
{
	/* This program: what /bin/true does before it returns differs from system to system. */
	char *argv[] = { (char[]){ "test" }, (char[]){ "--true" }, NULL };
	return outcome(execv("/proc/self/exe", argv));
}

static void test_strict_allows_computing(void)
{
	static const act_function acts[] = { act_socketpair,   act_exec,     act_fork,
					     act_create_plain, act_fionread, act_chmod_plain,
					     act_thread_name };
	for (size_t i = 0; i < ARRAY_LEN(acts); i++)
		check_allowed(acts[i], &strict);
}

/* ---- the monitor's own ---- */

static int restricted(act_function act)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		alarm(CONFINED_SECONDS);
		if (confine_no_new_privs() != 0 || seccomp_self_restrict() != 0)
			_exit(ACT_BROKE);
		_exit(act());
	}
	return child_status(child);
}

static int act_monitor_work(void)
{
	int pipe_fds[2], event_fd = eventfd(0, EFD_CLOEXEC);
	if (event_fd < 0 || pipe2(pipe_fds, O_CLOEXEC | O_NONBLOCK) < 0)
		return errno;
	if (write(pipe_fds[1], "x", 1) != 1 || read(pipe_fds[0], (char[1]){ 0 }, 1) != 1)
		return errno;
	int dir_fd = open("/tmp", O_DIRECTORY | O_CLOEXEC);
	if (dir_fd < 0 || mkdirat(dir_fd, "foso-act-monitor", 0700) < 0 ||
	    unlinkat(dir_fd, "foso-act-monitor", AT_REMOVEDIR) < 0)
		return errno;
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? errno : outcome(munmap(memory, 4096));
}

static int act_exec_memory(void)
{
	/* By the system call: musl makes ENOMEM of EPERM. */
	return outcome(syscall(SYS_mmap, NULL, 4096, PROT_READ | PROT_EXEC,
			       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
}

static int act_make_executable(void)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return outcome(mprotect(memory, 4096, PROT_READ | PROT_EXEC));
}

static void test_monitor_keeps_its_work_and_nothing_else(void)
{
	EQ(restricted(act_monitor_work), 0);
	static const act_function denied[] = {
		act_fork,   act_exec,        act_clone_user, act_inet,           act_unix,
		act_mount,  act_setuid,      act_bpf,        act_setns,          act_io_uring,
		act_ptrace, act_exec_memory, act_tiocsti,    act_make_executable
	};
	for (size_t i = 0; i < ARRAY_LEN(denied); i++) {
		EQ(restricted(denied[i]), EPERM);
		if (geteuid() == 0)
			EQ(act_freely(denied[i]), 0);
	}
}

static int run_tests(void)
{
#define RUN_DENIED(name, call, what) RUN(test_default_denies_##name);
	ACTS(RUN_DENIED)
	RUN(test_int80_is_enosys_and_counted);
	RUN(test_x32_is_enosys_and_counted);
	RUN(test_unknown_numbers_are_enosys_and_counted);
	RUN(test_clone3_is_enosys_and_not_counted);
	RUN(test_audit_is_as_on_a_kernel_without_it);
	RUN(test_default_allows_what_programs_need);
	RUN(test_core_limit_cannot_be_changed);
	RUN(test_deny_list_denies);
	RUN(test_allow_list_allows);
	RUN(test_deny_wins_over_allow);
	RUN(test_may_nest_allows_namespaces_only);
#define RUN_STRICT(name, call) RUN(test_strict_denies_##name);
	STRICT_ACTS(RUN_STRICT)
	RUN(test_strict_allows_computing);
	RUN(test_monitor_keeps_its_work_and_nothing_else);
	return tap_done();
}

int main(int argc, char **argv)
{
	if (argc > 1 && strcmp(argv[1], "--true") == 0)
		return 0;
	return confined_main(run_tests);
}
