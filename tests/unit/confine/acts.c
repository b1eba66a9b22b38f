/* SPDX-License-Identifier: Apache-2.0 */
/* acts.c - what a sandbox must not be able to do, as functions */
#include "acts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/bpf.h>
#include <linux/filter.h>
#include <linux/fs.h>
#include <linux/keyctl.h>
#include <linux/perf_event.h>
#include <linux/sched.h>
#include <linux/seccomp.h>
#include <linux/vm_sockets.h>
#include <netinet/in.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mount.h>
#include <sys/personality.h>
#include <sys/prctl.h>
#include <sys/ptrace.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <termios.h>
#include <unistd.h>

int outcome(long result)
{
	return result < 0 ? errno : 0;
}

/* ---- terminals ---- */

/* A child that has a terminal of its own as controlling terminal. */
static int with_terminal(unsigned long request)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	if (master < 0 || grantpt(master) < 0 || unlockpt(master) < 0)
		return errno;
	setsid();
	int slave = ioctl(master, TIOCGPTPEER, O_RDWR | O_CLOEXEC);
	if (slave < 0 || ioctl(slave, TIOCSCTTY, 0) < 0)
		return errno;
	char byte = 'x';
	return outcome(syscall(SYS_ioctl, slave, request, &byte));
}

int act_tiocsti(void)
{
	return with_terminal(TIOCSTI);
}

/* The kernel reads 32 bits of the request (CVE-2019-10063). */
int act_tiocsti_64(void)
{
	return with_terminal(0x100000000UL | TIOCSTI);
}

int act_tiocsti_sign(void)
{
	return with_terminal(0xffffffff00000000UL | TIOCSTI);
}

int act_line_discipline(void)
{
	int master = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
	int discipline = 0;
	return outcome(syscall(SYS_ioctl, master, TIOCSETD, &discipline));
}

/* ---- sockets ---- */

int with_socket(long domain, long type, long protocol)
{
	return outcome(syscall(SYS_socket, domain, type, protocol));
}

int act_vsock(void)
{
	return with_socket(AF_VSOCK, SOCK_STREAM, 0);
}

int act_packet(void)
{
	return with_socket(AF_PACKET, SOCK_RAW, 0);
}

int act_packet_64(void)
{
	return with_socket(0x100000000L | AF_PACKET, SOCK_RAW, 0);
}

int act_alg(void)
{
	return with_socket(AF_ALG, SOCK_SEQPACKET, 0);
}

int act_raw(void)
{
	return with_socket(AF_INET, SOCK_RAW, IPPROTO_ICMP);
}

int act_raw_flags(void)
{
	return with_socket(AF_INET6, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, IPPROTO_ICMPV6);
}

int act_raw_64(void)
{
	return with_socket(AF_INET, 0x100000000L | SOCK_RAW, 0x100000000L | IPPROTO_ICMP);
}

/* Is there a pair of sockets, the errno of the option; else that of the pair. */
static int with_option(long level, long name)
{
	struct sock_filter pass = BPF_STMT(BPF_RET | BPF_K, 0xffff);
	struct sock_fprog program = { .len = 1, .filter = &pass };
	int fds[2];
	if (socketpair(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0, fds) < 0)
		return errno;
	int r = outcome(syscall(SYS_setsockopt, fds[0], level, name, &program, sizeof(program)));
	close(fds[0]);
	close(fds[1]);
	return r;
}

int act_attach_filter(void)
{
	return with_option(SOL_SOCKET, SO_ATTACH_FILTER);
}

int act_attach_64(void)
{
	return with_option(0x100000000L | SOL_SOCKET, 0x700000000L | SO_ATTACH_FILTER);
}

int act_io_setup(void)
{
	unsigned long context = 0;
	return outcome(syscall(SYS_io_setup, 1, &context));
}

int act_netlink_fib(void)
{
	return with_socket(AF_NETLINK, SOCK_RAW, 10 /* NETLINK_FIB_LOOKUP */);
}

int act_netlink_uevent(void)
{
	return with_socket(AF_NETLINK, SOCK_RAW, 15 /* NETLINK_KOBJECT_UEVENT */);
}

int act_mptcp(void)
{
	return with_socket(AF_INET, SOCK_STREAM, 262 /* IPPROTO_MPTCP */);
}

int act_udplite(void)
{
	return with_socket(AF_INET, SOCK_DGRAM, 136 /* IPPROTO_UDPLITE */);
}

/* ---- namespaces and mounts ---- */

static int with_clone(unsigned long flags)
{
	long child = syscall(SYS_clone, flags | SIGCHLD, 0, 0, 0, 0);
	if (child == 0)
		_exit(0);
	if (child < 0)
		return errno;
	waitpid((pid_t)child, NULL, 0);
	return 0;
}

int act_clone_user(void)
{
	return with_clone(CLONE_NEWUSER);
}

int act_clone_net(void)
{
	return with_clone(CLONE_NEWNET);
}

/* clone() reads 32 bits of its flags. */
int act_clone_64(void)
{
	return with_clone(0x100000000UL | CLONE_NEWPID);
}

int act_unshare_user(void)
{
	return outcome(syscall(SYS_unshare, CLONE_NEWUSER));
}

int act_unshare_time(void)
{
	return outcome(syscall(SYS_unshare, CLONE_NEWTIME));
}

int act_setns(void)
{
	int fd = open("/proc/self/ns/uts", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? errno : outcome(setns(fd, 0));
}

/* Works on a path that is not there: what counts is who answers. */
static int expect_enoent(long result)
{
	if (result < 0 && errno == ENOENT)
		return 0;
	return result < 0 ? errno : EEXIST;
}

int act_mount(void)
{
	return expect_enoent(mount("none", "/nonexistent", "tmpfs", 0, NULL));
}

int act_umount(void)
{
	return expect_enoent(umount2("/nonexistent", MNT_DETACH));
}

int act_chroot(void)
{
	return outcome(chroot("/"));
}

int act_pivot_root(void)
{
	return expect_enoent(syscall(SYS_pivot_root, "/nonexistent", "/nonexistent"));
}

int act_open_tree(void)
{
	return outcome(syscall(SYS_open_tree, AT_FDCWD, "/", O_CLOEXEC));
}

int act_fsopen(void)
{
	return outcome(syscall(SYS_fsopen, "tmpfs", 1 /* FSOPEN_CLOEXEC */));
}

int act_mount_setattr(void)
{
	return expect_enoent(
		syscall(SYS_mount_setattr, AT_FDCWD, "/nonexistent", 0, (uint64_t[4]){ 1 }, 32));
}

/* ---- other processes ---- */

/* What is done to a sibling that waits for it; returns what the call did. */
typedef long (*sibling_function)(pid_t sibling);

static int with_sibling(sibling_function function)
{
	pid_t sibling = fork();
	if (sibling < 0)
		return errno; /* Never kill(-1): that is everybody. */
	if (sibling == 0) {
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		for (;;)
			pause();
	}
	int result = outcome(function(sibling));
	kill(sibling, SIGKILL);
	waitpid(sibling, NULL, 0);
	return result;
}

static long sibling_seize(pid_t sibling)
{
	return ptrace(PTRACE_SEIZE, sibling, NULL, NULL);
}

int act_ptrace(void)
{
	return with_sibling(sibling_seize);
}

static char sibling_secret[8], sibling_seen[8];

static long sibling_read(pid_t sibling)
{
	struct iovec local = { sibling_seen, sizeof(sibling_seen) };
	struct iovec remote = { sibling_secret, sizeof(sibling_secret) };
	return process_vm_readv(sibling, &local, 1, &remote, 1, 0);
}

int act_process_vm_readv(void)
{
	return with_sibling(sibling_read);
}

static long sibling_write(pid_t sibling)
{
	struct iovec local = { sibling_seen, sizeof(sibling_seen) };
	struct iovec remote = { sibling_secret, sizeof(sibling_secret) };
	return process_vm_writev(sibling, &local, 1, &remote, 1, 0);
}

int act_process_vm_writev(void)
{
	return with_sibling(sibling_write);
}

static long sibling_take_fd(pid_t sibling)
{
	int pidfd = (int)syscall(SYS_pidfd_open, sibling, 0);
	return pidfd < 0 ? -1 : syscall(SYS_pidfd_getfd, pidfd, 0, 0);
}

int act_pidfd_getfd(void)
{
	return with_sibling(sibling_take_fd);
}

static long sibling_compare(pid_t sibling)
{
	return syscall(SYS_kcmp, getpid(), sibling, 1 /* KCMP_VM */, 0, 0);
}

int act_kcmp(void)
{
	return with_sibling(sibling_compare);
}

/* ---- the kernel ---- */

int act_io_uring(void)
{
	return outcome(syscall(SYS_io_uring_setup, 1, (char[120]){ 0 }));
}

int act_bpf(void)
{
	union bpf_attr attr = {
		.map_type = BPF_MAP_TYPE_ARRAY, .key_size = 4, .value_size = 4, .max_entries = 1
	};
	return outcome(syscall(SYS_bpf, BPF_MAP_CREATE, &attr, sizeof(attr)));
}

int act_keyctl(void)
{
	return outcome(syscall(SYS_keyctl, KEYCTL_GET_KEYRING_ID, KEY_SPEC_SESSION_KEYRING, 1));
}

int act_add_key(void)
{
	return outcome(syscall(SYS_add_key, "user", "foso", "x", 1, KEY_SPEC_PROCESS_KEYRING));
}

int act_perf_event_open(void)
{
	struct perf_event_attr attr = { .type = PERF_TYPE_SOFTWARE,
					.size = sizeof(attr),
					.config = PERF_COUNT_SW_CPU_CLOCK };
	return outcome(syscall(SYS_perf_event_open, &attr, 0, -1, -1, 0));
}

int act_userfaultfd(void)
{
	return outcome(syscall(SYS_userfaultfd, O_CLOEXEC));
}

int act_syslog(void)
{
	return outcome(syscall(SYS_syslog, 10 /* SYSLOG_ACTION_SIZE_BUFFER */, NULL, 0));
}

int act_modify_ldt(void)
{
	return outcome(syscall(SYS_modify_ldt, 0, (char[16]){ 0 }, 16));
}

int act_personality(void)
{
	return outcome(personality(ADDR_NO_RANDOMIZE));
}

/* The kernel reads 32 bits. */
int act_personality_64(void)
{
	return outcome(syscall(SYS_personality, 0x100000000UL | READ_IMPLIES_EXEC));
}

int act_adjtimex(void)
{
	return outcome(syscall(SYS_adjtimex, (char[256]){ 0 }));
}

int act_sethostname(void)
{
	char name[65];
	return gethostname(name, sizeof(name)) < 0 ? errno
						   : outcome(sethostname(name, strlen(name)));
}

int act_fanotify(void)
{
	return outcome(syscall(SYS_fanotify_init, 1 /* FAN_CLOEXEC */, O_RDONLY));
}

int act_name_to_handle(void)
{
	struct {
		unsigned size;
		int type;
		char bytes[128];
	} handle = { .size = sizeof(handle.bytes) };
	int mount_id;
	return outcome(syscall(SYS_name_to_handle_at, AT_FDCWD, "/tmp", &handle, &mount_id, 0));
}

int act_speculation(void)
{
	/* ENODEV or ENXIO is the kernel's answer where the processor needs no such control. */
	long result = prctl(PR_SET_SPECULATION_CTRL, PR_SPEC_STORE_BYPASS, PR_SPEC_DISABLE, 0, 0);
	return result < 0 && errno != ENODEV && errno != ENXIO ? errno : 0;
}

int act_listener(void)
{
	struct sock_filter allow = { BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW };
	struct sock_fprog program = { 1, &allow };
	prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
	return outcome(syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER,
			       SECCOMP_FILTER_FLAG_NEW_LISTENER, &program));
}

/* ---- files ---- */

/* A file of its own that is gone at once. */
int temporary_file(void)
{
	char path[] = "/tmp/foso-act-XXXXXX";
	int fd = mkostemp(path, O_CLOEXEC);
	if (fd >= 0)
		unlink(path);
	return fd;
}

int act_set_flags(void)
{
	int flags = FS_NODUMP_FL;
	return outcome(syscall(SYS_ioctl, temporary_file(), FS_IOC_SETFLAGS, &flags));
}

int act_mknod_device(void)
{
	char path[] = "/tmp/foso-act-XXXXXX";
	if (!mkdtemp(path))
		return errno;
	int dir_fd = open(path, O_DIRECTORY | O_CLOEXEC);
	int result = outcome(mknodat(dir_fd, "null", S_IFCHR | 0600, 0x103));
	unlinkat(dir_fd, "null", 0);
	rmdir(path);
	return result;
}
