/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rights.c - what foso-unpack gives up before it reads a byte
 *
 * A reader of documents keeps open descriptors and memory (confine/reader.h).  Whoever unpacks a
 * layer must make files: foso-image starts it in user, mount, network, IPC and process namespaces
 * of its own, whose root is nobody outside.  Here it mounts what it works in, leaves the host's
 * files behind for an empty folder, and keeps six capabilities over the files of that namespace.
 * Behind that stand Landlock (the tree alone), a filter of system calls, and limits.  What is left
 * to somebody who takes it over is to write nonsense into the layer that he made anyway.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sanitized.h"
#include "base/syscalls.h"
#include "confine/confine.h"
#include "confine/filter.h"
#include "confine/reader.h"
#include "image/link.h"
#include "unpack/unpack.h"

#define MEMORY_BYTES (UINT64_C(1) << 30)
#define MAX_FDS      1024

/* Something that every Linux has and that nothing here needs. */
#define SCRATCH "/sys"

static int failed(struct unpack *unpack, int errnum)
{
	return fault_set(&unpack->fault, IMAGE_FAULT_RIGHTS, "", (uint64_t)errnum, 0);
}

int rights_of_reader(struct unpack *unpack)
{
	static const struct confine_reader limits = { .memory_bytes = MEMORY_BYTES };
	int errnum = confine_reader(&limits);
	return errnum == 0 ? 0 : failed(unpack, errnum);
}

static int make_mount(const char *type, const char *const options[][2], unsigned attributes)
{
	auto_fd int context = sys_fsopen(type, FSOPEN_CLOEXEC);
	if (context < 0)
		return -1;
	for (size_t i = 0; options[i][0]; i++) {
		unsigned command = options[i][1] ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG;
		if (sys_fsconfig(context, command, options[i][0], options[i][1], 0) < 0)
			return -1;
	}
	if (sys_fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return -1;
	return sys_fsmount(context, FSMOUNT_CLOEXEC, attributes);
}

static int attach(int mount_fd, const char *path)
{
	return sys_move_mount(mount_fd, "", AT_FDCWD, path, MOVE_MOUNT_F_EMPTY_PATH);
}

/* A folder in memory becomes the working directory: everything else is mounted in it. */
static int enter_scratch(void)
{
	static const char *const options[][2] = {
		{ "source", "foso" }, { "size", "1m" }, { "mode", "0700" }, { NULL, NULL }
	};
	static const char *const folders[] = { "top", "layers", "empty" };
	auto_fd int fd = make_mount("tmpfs", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
	if (fd < 0 || mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    attach(fd, SCRATCH) < 0 || fchdir(fd) < 0)
		return -1;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		if (mkdir(folders[i], 0700) < 0)
			return -1;
	}
	return 0;
}

/* The root of a tree is shown as the topmost layer has it, so the new one takes it over. */
static int copy_root(const char *chain)
{
	struct stat status;
	char path[256];
	(void)snprintf(path, sizeof(path), "layers/%s/fs", chain);
	if (stat(path, &status) < 0)
		return -1;
	const struct timespec times[2] = { status.st_mtim, status.st_mtim };
	if (chown("top/fs", status.st_uid, status.st_gid) < 0 ||
	    chmod("top/fs", status.st_mode & 07777) < 0)
		return -1;
	return utimensat(AT_FDCWD, "top/fs", times, 0);
}

static int mount_merged(char *const *chains)
{
	char lower[IMAGE_LINK_LIST_BYTES], path[256];
	char *at = lower;
	size_t n_chains = 0;
	while (chains[n_chains])
		n_chains++;
	if (n_chains > IMAGE_MAX_LAYERS) {
		errno = E2BIG;
		return -1;
	}
	if (attach(UNPACK_TOP_FD, "top") < 0 || attach(UNPACK_LOWER_FD, "layers") < 0 ||
	    copy_root(chains[n_chains - 1]) < 0)
		return -1;
	/* The uppermost is first in the list of an overlay. */
	for (size_t i = n_chains; i-- > 0;) {
		const char name[2] = { image_link_name(i), '\0' };
		(void)snprintf(path, sizeof(path), "layers/%s/fs", chains[i]);
		if (symlink(path, name) < 0)
			return -1;
		*at++ = name[0];
		*at++ = ':';
	}
	at[-1] = '\0';
	const char *const options[][2] = { { "source", "foso" },     { "lowerdir", lower },
					   { "upperdir", "top/fs" }, { "workdir", "top/work" },
					   { "userxattr", NULL },    { NULL, NULL } };
	return make_mount("overlay", options, MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV);
}

/* From here on there is no file but those of the tree, which is reached by descriptor alone. */
static int leave_host(void)
{
	static const char *const options[][2] = { { "source", "foso" },
						  { "size", "4k" },
						  { "nr_inodes", "2" },
						  { "mode", "0" },
						  { NULL, NULL } };
	auto_fd int fd = make_mount("tmpfs", options,
				    MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_NOEXEC |
					    MOUNT_ATTR_RDONLY);
	if (fd < 0 || attach(fd, "empty") < 0 || fchdir(fd) < 0 || sys_pivot_root(".", ".") < 0)
		return -1;
	return umount2(".", MNT_DETACH) < 0 || chdir("/") < 0 ? -1 : 0;
}

static int open_layer_tree(char *const *chains, enum image_fault_id *ret_fault)
{
	*ret_fault = IMAGE_FAULT_RIGHTS;
	if (enter_scratch() < 0)
		return -1;
	auto_fd int fd = chains[0]
				 ? mount_merged(chains)
				 : openat(UNPACK_TOP_FD, "fs", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 && chains[0])
		*ret_fault = IMAGE_FAULT_OVERLAY;
	if (fd < 0 || leave_host() < 0)
		return -1;
	/* As of here no folder but the tree. */
	close(UNPACK_TOP_FD);
	if (chains[0])
		close(UNPACK_LOWER_FD);
	return take_fd(&fd);
}

/* Over files of ids that this namespace has, and nothing else. */
#define KEPT_CAPABILITIES                                                                 \
	(1u << CAP_CHOWN | 1u << CAP_DAC_OVERRIDE | 1u << CAP_FOWNER | 1u << CAP_FSETID | \
	 1u << CAP_MKNOD | 1u << CAP_SETFCAP)

static int keep_capabilities(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[_LINUX_CAPABILITY_U32S_3] = {
		{ .effective = KEPT_CAPABILITIES, .permitted = KEPT_CAPABILITIES }
	};
	for (unsigned long i = 0; prctl(PR_CAPBSET_READ, i, 0, 0, 0) >= 0; i++) {
		if (prctl(PR_CAPBSET_DROP, i, 0, 0, 0) < 0)
			return errno;
	}
	return syscall(SYS_capset, &header, data) < 0 ? errno : 0;
}

/* clang-format off */
static struct sock_filter filter[] = {
	FILTER_BEGIN,
	FILTER_ALLOW(SYS_read),
	FILTER_ALLOW(SYS_pwrite64),
	FILTER_ALLOW(SYS_write),
	FILTER_ALLOW(SYS_lseek),
	FILTER_ALLOW(SYS_openat2),
	FILTER_ALLOW(SYS_close),
	FILTER_ALLOW(SYS_fstat),
	FILTER_ALLOW(SYS_newfstatat),
	FILTER_ALLOW(SYS_fchown),
	FILTER_ALLOW(SYS_fchmod),
	FILTER_ALLOW(SYS_fsetxattr),
	FILTER_ALLOW(SYS_utimensat),
	FILTER_ALLOW(SYS_mkdirat),
	FILTER_ALLOW(SYS_symlinkat),
	FILTER_ALLOW(SYS_linkat),
	FILTER_ALLOW(SYS_unlinkat),
	FILTER_ALLOW(SYS_fchownat),
	FILTER_ALLOW(SYS_fchmodat),
	FILTER_ALLOW(SYS_readlinkat),
	FILTER_ALLOW(SYS_ftruncate),
	FILTER_ALLOW(SYS_flistxattr),
	FILTER_ALLOW(SYS_fremovexattr),
	FILTER_ALLOW(SYS_getdents64),
	FILTER_ALLOW(SYS_fcntl),
	FILTER_ALLOW(SYS_brk),
	FILTER_ALLOW(SYS_munmap),
	FILTER_ALLOW(SYS_mremap),
	FILTER_ALLOW(SYS_madvise),
	FILTER_ALLOW(SYS_futex),
	FILTER_ALLOW(SYS_getrandom),
	FILTER_ALLOW(SYS_getpid),
	FILTER_ALLOW(SYS_clock_gettime),
	FILTER_ALLOW(SYS_rt_sigreturn),
	FILTER_ALLOW(SYS_restart_syscall),
	FILTER_ALLOW(SYS_exit),
	FILTER_ALLOW(SYS_exit_group),
	/* A FIFO, and no other node. */
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_mknodat, 0, 4),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, S_IFIFO | 0600, 0, 1),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	FILTER_END,
};
/* clang-format on */

static int forbid_other_paths(int root_fd)
{
	const struct confine_path tree = { .fd = root_fd,
					   .access = CONFINE_PATH_READ | CONFINE_PATH_WRITE };
	return confine_landlock_if_any(&tree, 1, true);
}

static int limit(const struct layer_limits *limits)
{
	const struct confine_rlimit rlimits[] = {
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_NOFILE, MAX_FDS },
		{ RLIMIT_FSIZE, limits->max_bytes },
#if !IS_SANITIZED
		{ RLIMIT_AS, MEMORY_BYTES },
#endif
	};
	return confine_rlimits(rlimits, ARRAY_LEN(rlimits));
}

int rights_of_layer(struct unpack *unpack, char *const *chains, const struct layer_limits *limits,
		    int *ret_root_fd)
{
	(void)umask(0);
	enum image_fault_id id;
	auto_fd int root_fd = open_layer_tree(chains, &id);
	if (root_fd < 0)
		return fault_set(&unpack->fault, id, "", (uint64_t)errno, 0);
	int errnum = IS_SANITIZED ? 0 : confine_not_dumpable();
	if (errnum == 0)
		errnum = keep_capabilities();
	if (errnum == 0)
		errnum = confine_no_new_privs();
	if (errnum == 0)
		errnum = forbid_other_paths(root_fd);
	if (errnum == 0)
		errnum = limit(limits);
	if (errnum == 0 && !IS_SANITIZED)
		errnum = confine_filter(filter, ARRAY_LEN(filter));
	if (errnum != 0)
		return failed(unpack, errnum);
	*ret_root_fd = take_fd(&root_fd);
	return 0;
}
