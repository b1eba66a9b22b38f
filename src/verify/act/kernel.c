/* SPDX-License-Identifier: Apache-2.0 */
/*
 * kernel.c - acts on parts of the kernel that a sandbox has no business with
 *
 * Each is harmless where it works: a wrong argument that is looked at only after the right to the
 * act, an object that ends with the process, a setting set to what it is.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/io_uring.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/io.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/timex.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "verify/act/act.h"

/* The kernel looked at the arguments, so it had granted the right. */
static int granted(long result, int errnum, const char *what)
{
	if (result >= 0 || (errnum != EPERM && errnum != ENOSYS && errnum != EACCES))
		return act_done("%s", what);
	return act_denied(errnum, "%s", what);
}

int act_mount(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	return act_outcome(sys_mount("foso", "/tmp", "tmpfs", 0, NULL), "mount");
}

int act_mount_new(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	auto_fd int context = sys_fsopen("tmpfs", FSOPEN_CLOEXEC);
	if (context < 0)
		return act_denied(errno, "fsopen");
	if (sys_fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return act_denied(errno, "fsconfig");
	auto_fd int tree = sys_fsmount(context, FSMOUNT_CLOEXEC, 0);
	return act_outcome(tree, "make a mount");
}

int act_remount(int argc, char **argv)
{
	struct mount_attr attr = { .attr_clr = MOUNT_ATTR_RDONLY };
	UNUSED(argc);
	if (sys_mount_setattr(AT_FDCWD, argv[1], 0, &attr) == 0)
		return act_done("made %s writable", argv[1]);
	int errnum = errno;
	/* MS_REMOUNT | MS_BIND, without MS_RDONLY */
	if (sys_mount(NULL, argv[1], NULL, 0x1020, NULL) == 0)
		return act_done("made %s writable", argv[1]);
	return granted(-1, errnum, "change a mount");
}

int act_unmask(int argc, char **argv)
{
	UNUSED(argc);
	long r = sys_umount2(argv[1], MNT_DETACH);
	return granted(r, errno, "unmount");
}

int act_unshare(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	return act_outcome(unshare(CLONE_NEWUSER), "a user namespace by unshare()");
}

int act_clone(int argc, char **argv)
{
	int status;
	UNUSED(argc);
	UNUSED(argv);
	long pid = syscall(SYS_clone, CLONE_NEWUSER | SIGCHLD, NULL, NULL, NULL, 0);
	if (pid == 0)
		_exit(0);
	int errnum = errno;
	if (pid > 0)
		(void)waitpid((pid_t)pid, &status, 0);
	errno = errnum;
	return act_outcome(pid, "a user namespace by clone()");
}

int act_clone3(int argc, char **argv)
{
	struct clone_args args = { .flags = CLONE_NEWUSER, .exit_signal = SIGCHLD };
	int status;
	UNUSED(argc);
	UNUSED(argv);
	long pid = sys_clone3(&args);
	if (pid == 0)
		_exit(0);
	int errnum = errno;
	if (pid > 0)
		(void)waitpid((pid_t)pid, &status, 0);
	errno = errnum;
	return act_outcome(pid, "a user namespace by clone3()");
}

int act_setns(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	auto_fd int fd = open("/proc/self/ns/net", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return act_cannot(errno, "open a namespace");
	return act_outcome(setns(fd, 0), "enter a namespace");
}

int act_chroot(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	return act_outcome(syscall(SYS_chroot, "/tmp"), "change the root");
}

/* A terminal of our own: nobody reads what is typed. */
static int type_into(unsigned long request)
{
	int unlock = 0;
	char byte = 'x';
	int status = 0;
	pid_t pid = fork();
	if (pid > 0)
		return waitpid(pid, &status, 0) > 0 && WIFEXITED(status) ? WEXITSTATUS(status)
									 : ACT_CANNOT;
	(void)setsid();
	int master = open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (master < 0 || sys_ioctl(master, TIOCSPTLCK, &unlock) < 0)
		_exit(act_cannot(errno, "no terminal"));
	int slave = (int)syscall(SYS_ioctl, master, 0x5441UL /* TIOCGPTPEER */, O_RDWR | O_CLOEXEC);
	if (slave < 0 || sys_ioctl(slave, TIOCSCTTY, NULL) < 0)
		_exit(act_cannot(errno, "no controlling terminal"));
	_exit(act_outcome(syscall(SYS_ioctl, slave, request, &byte), "TIOCSTI"));
}

int act_type_ahead(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	return type_into(0x5412UL /* TIOCSTI */);
}

/* The kernel reads 32 bits of the request, a filter sees 64 (CVE-2019-10063). */
int act_type_ahead_64(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	return type_into(0x100005412UL);
}

#ifdef __x86_64__
/* Number 20 of the 32-bit table is getpid(). */
int act_int80(int argc, char **argv)
{
	int status = 0;
	UNUSED(argc);
	UNUSED(argv);
	pid_t pid = fork();
	if (pid == 0) {
		long result = 20;
		__asm__ volatile("int $0x80" : "+a"(result) : : "r8", "r9", "r10", "r11", "memory");
		_exit(result == getpid() ? 0 : 1);
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0)
		return act_cannot(errno, "fork");
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return act_done("getpid by int 0x80");
	return act_denied(ENOSYS, WIFSIGNALED(status) ? "int 0x80 ended the process"
						      : "int 0x80 gave no answer");
}

/* Bit 30 of the number selects the x32 table. */
int act_x32(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	long result = syscall(0x40000000L | SYS_getpid);
	return act_outcome(result == getpid() ? 0 : -1, "getpid by x32");
}
#else
int act_int80(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	return act_cannot(0, "this processor has no int 0x80");
}

int act_x32(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	return act_cannot(0, "this processor has no x32");
}
#endif

int act_io_uring(int argc, char **argv)
{
	struct io_uring_params params = { 0 };
	UNUSED(argc);
	UNUSED(argv);
	return act_outcome(syscall(SYS_io_uring_setup, 1, &params), "make an io_uring");
}

int act_bpf(int argc, char **argv)
{
	union bpf_attr attr = { .map_type = BPF_MAP_TYPE_ARRAY };
	UNUSED(argc);
	UNUSED(argv);
	attr.key_size = 4;
	attr.value_size = 4;
	attr.max_entries = 1;
	return act_outcome(syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)), "make a BPF map");
}

int act_requests(int argc, char **argv)
{
	unsigned long context = 0;
	UNUSED(argc);
	UNUSED(argv);
	return act_outcome(syscall(SYS_io_setup, 1, &context), "room for one request");
}

int act_attach_filter(int argc, char **argv)
{
	struct sock_filter pass = BPF_STMT(BPF_RET | BPF_K, 0xffff);
	struct sock_fprog program = { .len = 1, .filter = &pass };
	UNUSED(argc);
	UNUSED(argv);
	auto_fd int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return act_cannot(errno, "a socket");
	return act_outcome(setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof(program)),
			   "a filter of a socket");
}

int act_perf(int argc, char **argv)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_PAGE_FAULTS,
					.exclude_kernel = 1,
					.exclude_hv = 1 };
	UNUSED(argc);
	UNUSED(argv);
	return act_outcome(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0), "count page faults");
}

int act_userfaultfd(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	/* 1: UFFD_USER_MODE_ONLY, which needs no right since Linux 5.11. */
	return act_outcome(syscall(SYS_userfaultfd, O_CLOEXEC | 1), "handle page faults");
}

int act_keys(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	long key = syscall(SYS_add_key, "user", "foso-verify", "x", 1, KEY_SPEC_PROCESS_KEYRING);
	if (key >= 0)
		return act_done("added a key");
	int errnum = errno;
	if (syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 0) >= 0)
		return act_done("reached a keyring");
	if (syscall(SYS_request_key, "user", "foso-verify", NULL, 0) >= 0 || errno == ENOKEY)
		return act_done("asked for a key");
	return act_denied(errnum, "keys");
}

int act_module(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	long r = syscall(SYS_init_module, NULL, 0, "");
	return granted(r, errno, "load a module");
}

int act_reboot(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	long r = syscall(SYS_reboot, 1, 2, 3, NULL);
	return granted(r, errno, "reboot");
}

int act_swap(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	long r = syscall(SYS_swapon, "/nonexistent/foso", 0);
	return granted(r, errno, "swap");
}

int act_kernel_log(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	/* 10: SYSLOG_ACTION_SIZE_BUFFER */
	if (syscall(SYS_syslog, 10, NULL, 0) >= 0)
		return act_done("asked about the kernel's log");
	int errnum = errno;
	auto_fd int fd = open("/dev/kmsg", O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 ? act_done("opened /dev/kmsg") : act_denied(errnum, "the kernel's log");
}

int act_ports(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
#ifdef __x86_64__
	return act_outcome(ioperm(0x80, 1, 1), "reach port 0x80");
#else
	return act_cannot(0, "this processor has no ports");
#endif
}

int act_clock(int argc, char **argv)
{
	struct timex clock = { .modes = 0 };
	UNUSED(argc);
	UNUSED(argv);
	if (syscall(SYS_adjtimex, &clock) < 0)
		return act_denied(errno, "ask the clock");
	clock.modes = ADJ_FREQUENCY;
	return act_outcome(syscall(SYS_adjtimex, &clock), "set the clock's frequency");
}

int act_handle(int argc, char **argv)
{
	struct {
		unsigned len;
		int type;
		unsigned char bytes[128];
	} handle = { .len = sizeof(handle.bytes) };
	int mount_id;
	UNUSED(argc);
	if (syscall(SYS_name_to_handle_at, AT_FDCWD, argv[1], &handle, &mount_id, 0) < 0)
		return act_denied(errno, "get a handle");
	auto_fd int folder = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	auto_fd int fd = (int)syscall(SYS_open_by_handle_at, folder, &handle, O_RDONLY | O_CLOEXEC);
	return granted(fd, errno, "open by a handle");
}

int act_personality(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	return act_outcome(syscall(SYS_personality, ADDR_NO_RANDOMIZE), "turn off randomisation");
}

int act_core(int argc, char **argv)
{
	struct rlimit rlimit;
	UNUSED(argc);
	UNUSED(argv);
	if (getrlimit(RLIMIT_CORE, &rlimit) < 0)
		return act_cannot(errno, "the limit of core dumps");
	/* One byte is what keeps a piped handler out; it holds nothing. */
	if (rlimit.rlim_max > 1)
		return act_done("core dumps may have %llu bytes",
				(unsigned long long)rlimit.rlim_max);
	return act_denied(EPERM, "core dumps are off");
}

int act_hostname(int argc, char **argv)
{
	struct utsname name;
	UNUSED(argc);
	if (uname(&name) < 0)
		return act_cannot(errno, "uname");
	if (strcmp(name.nodename, argv[1]) == 0)
		return act_done("the name is %s", name.nodename);
	return act_denied(ENOENT, "the name is %s", name.nodename);
}

int act_set_hostname(int argc, char **argv)
{
	struct utsname name;
	UNUSED(argc);
	UNUSED(argv);
	if (uname(&name) < 0)
		return act_cannot(errno, "uname");
	return act_outcome(sethostname(name.nodename, strlen(name.nodename)), "name the machine");
}
