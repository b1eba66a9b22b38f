/* SPDX-License-Identifier: Apache-2.0 */
/*
 * jail.c - a tool of the distribution that talks to the network, run without rights
 *
 *   foso-image ---- fork ----> keeper (namespaces, root file system) ---- fork ----> the tool
 *     watches size and time      waits, pid 1's parent                   pid 1, no rights
 *
 * The tool is process 1 of its namespace, so the kernel ends all that it started with it; and it
 * ends with foso-image, by PDEATHSIG.
 */
#include "buildtool/jail.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "base/fd.h"
#include "base/syscalls.h"
#include "confine/confine.h"
#include "confine/seccomp.h"
#include "policy/policy.h"

#define JAIL_UID        0x6fff0000u /* an id that no user has, and no sandbox either */
#define LOOK_EVERY_MS   100
#define MAX_PROCESSES   512
#define MAX_MEMORY      (UINT64_C(4) << 30) /* of data; Go reserves address space without end */
#define EXIT_NOT_JAILED 70

uid_t jail_owner(void)
{
	return geteuid() == 0 ? JAIL_UID : geteuid();
}

/* What the tool sees of the machine; missing ones are left out. */
static const char *const shown[] = {
	"usr",
	"bin",
	"sbin",
	"lib",
	"lib64",
	"etc/ssl",
	"etc/hosts",
	"etc/pki",
	"etc/containers",
	"etc/resolv.conf",
	"etc/nsswitch.conf",
	"etc/gai.conf",
	"etc/ca-certificates",
	"etc/docker/certs.d",
};

static const char *const devices[] = { "dev/null", "dev/zero", "dev/urandom", "dev/random" };

/* Variables that say how the network is reached; all others stay outside. */
static const char *const kept_variables[] = { "HTTP_PROXY",    "HTTPS_PROXY", "NO_PROXY",
					      "http_proxy",    "https_proxy", "no_proxy",
					      "SSL_CERT_FILE", "SSL_CERT_DIR" };

static int make_folders(int dir_fd, const char *path)
{
	char part[256];
	for (const char *slash = strchr(path, '/'); slash; slash = strchr(slash + 1, '/')) {
		(void)snprintf(part, sizeof(part), "%.*s", (int)(slash - path), path);
		if (mkdirat(dir_fd, part, 0755) < 0 && errno != EEXIST)
			return errno;
	}
	return 0;
}

/* The host's /@path at the same place of the new root. */
static int show(int root_fd, const char *path, bool is_writable)
{
	char source[256], target[256];
	struct stat status;
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_NOSUID };
	(void)snprintf(source, sizeof(source), "/%s", path);
	if (lstat(source, &status) < 0)
		return 0;
	int r = make_folders(root_fd, path);
	if (r != 0)
		return r;
	ssize_t len = S_ISLNK(status.st_mode) && strncmp(path, "etc/", 4) != 0
			      ? readlink(source, target, sizeof(target) - 1)
			      : -1;
	if (len > 0) {
		target[len] = '\0';
		return symlinkat(target, root_fd, path) < 0 ? errno : 0;
	}
	/* A link of /etc, such as resolv.conf, becomes what it leads to. */
	if (stat(source, &status) < 0)
		return 0;
	r = S_ISDIR(status.st_mode) ? mkdirat(root_fd, path, 0755)
				    : mknodat(root_fd, path, S_IFREG | 0644, 0);
	auto_fd int tree =
		sys_open_tree(AT_FDCWD, source, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	if (!is_writable)
		attr.attr_set |= MOUNT_ATTR_RDONLY | MOUNT_ATTR_NODEV;
	if (r < 0 || tree < 0 ||
	    sys_mount_setattr(tree, "", AT_EMPTY_PATH | AT_RECURSIVE, &attr) < 0 ||
	    sys_move_mount(tree, "", root_fd, path, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return errno;
	return 0;
}

static int show_folder(int root_fd, int folder_fd)
{
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV |
					       MOUNT_ATTR_NOEXEC };
	auto_fd int tree =
		sys_open_tree(folder_fd, "", OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
	if (tree < 0 || sys_mount_setattr(tree, "", AT_EMPTY_PATH, &attr) < 0 ||
	    mkdirat(root_fd, "work", 0755) < 0 ||
	    sys_move_mount(tree, "", root_fd, "work", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return errno;
	return 0;
}

static int write_secret(const struct jail *jail, int root_fd)
{
	struct stat status;
	auto_fd int fd = openat(root_fd, JAIL_SECRET + 1,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
	if (fd < 0 || fd_write_all(fd, jail->secret, jail->secret_len) < 0 ||
	    fstat(jail->folder_fd, &status) < 0)
		return errno;
	/* Ids are what they are in this namespace; the folder is the tool's already. */
	return status.st_uid != geteuid() && fchown(fd, status.st_uid, status.st_gid) < 0 ? errno
											  : 0;
}

static int fill_root(const struct jail *jail, int root_fd, int folder_fd)
{
	int r = show_folder(root_fd, folder_fd);
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(shown); i++)
		r = show(root_fd, shown[i], false);
	for (size_t i = 0; r == 0 && jail->shown && jail->shown[i]; i++)
		r = show(root_fd, jail->shown[i], false);
	for (size_t i = 0; r == 0 && jail->folders && jail->folders[i]; i++) {
		r = make_folders(root_fd, jail->folders[i]);
		if (r == 0 && mkdirat(root_fd, jail->folders[i], 0755) < 0)
			r = errno;
	}
	for (size_t i = 0; r == 0 && i < ARRAY_LEN(devices); i++)
		r = show(root_fd, devices[i], true);
	if (r == 0 && jail->secret)
		r = write_secret(jail, root_fd);
	if (r == 0 && (mkdirat(root_fd, "proc", 0555) < 0 || mkdirat(root_fd, "tmp", 01777) < 0))
		r = errno;
	return r;
}

/*
 * The same folder, found anew: a descriptor from before belongs to a mount of the namespace that
 * was left, which cannot be cloned here.
 */
static int find_again(int folder_fd, int *ret_fd)
{
	char path[4096];
	struct stat before, after;
	ssize_t len = fd_path(folder_fd, path, sizeof(path));
	if (len < 0)
		return (int)-len;
	auto_fd int fd = open(path, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(folder_fd, &before) < 0 || fstat(fd, &after) < 0)
		return errno;
	if (before.st_dev != after.st_dev || before.st_ino != after.st_ino)
		return ESTALE;
	*ret_fd = take_fd(&fd);
	return 0;
}

/* A root in memory, attached over /tmp of this mount namespace, and entered. */
static int enter_root(const struct jail *jail)
{
	auto_fd int folder_fd = -1;
	int r = find_again(jail->folder_fd, &folder_fd);
	if (r != 0)
		return r;
	if (sys_mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    sys_mount("foso", "/tmp", "tmpfs", MS_NOSUID, "mode=0755,size=64m") < 0)
		return errno;
	auto_fd int root_fd = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	r = root_fd < 0 ? errno : fill_root(jail, root_fd, folder_fd);
	if (r != 0)
		return r;
	auto_fd int old_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (old_fd < 0 || fchdir(root_fd) < 0 || sys_pivot_root(".", ".") < 0 || fchdir(old_fd) < 0)
		return errno;
	return 0;
}

/* The old root lies on top until /proc is mounted, which needs one that is fully visible. */
static int leave_old_root(void)
{
	if (sys_mount("foso", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) < 0 &&
	    errno != EPERM)
		return errno;
	return sys_umount2(".", MNT_DETACH) < 0 || chdir("/") < 0 ? errno : 0;
}

static int write_text(const char *path, const char *text)
{
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, text, strlen(text)) < 0 ? errno : 0;
}

/* Rootless: a user namespace whose one id is the caller's. */
static int own_namespaces(void)
{
	char text[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int flags = CLONE_NEWNS | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWPID;
	if (unshare(uid == 0 ? flags : flags | CLONE_NEWUSER) < 0)
		return errno;
	if (uid == 0)
		return 0;
	(void)snprintf(text, sizeof(text), "0 %u 1", (unsigned)uid);
	int r = write_text("/proc/self/uid_map", text);
	if (r == 0)
		r = write_text("/proc/self/setgroups", "deny");
	(void)snprintf(text, sizeof(text), "0 %u 1", (unsigned)gid);
	return r == 0 ? write_text("/proc/self/gid_map", text) : r;
}

static int drop_rights(const struct jail *jail, bool is_root)
{
	const struct confine_rlimit rlimits[] = {
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_NPROC, MAX_PROCESSES },
		{ RLIMIT_FSIZE, jail->max_bytes },
		{ RLIMIT_DATA, MAX_MEMORY },
		{ RLIMIT_CPU, jail->deadline_s },
	};
	int r = confine_rlimits(rlimits, ARRAY_LEN(rlimits));
	if (r == 0)
		r = confine_keyring();
	if (r == 0 && is_root)
		r = confine_ids(JAIL_UID, JAIL_UID);
	if (r == 0)
		r = confine_capabilities();
	return r == 0 ? confine_no_new_privs() : r;
}

static char **make_environment(void)
{
	static char *envp[ARRAY_LEN(kept_variables) + 4];
	static char texts[ARRAY_LEN(kept_variables)][4096];
	size_t n = 0;
	envp[n++] = (char[]){ "PATH=/usr/bin:/bin" };
	envp[n++] = (char[]){ "HOME=/work" };
	envp[n++] = (char[]){ "TMPDIR=/work" };
	for (size_t i = 0; i < ARRAY_LEN(kept_variables); i++) {
		const char *value = getenv(kept_variables[i]); /* NOLINT(concurrency-mt-unsafe) */
		if (!value)
			continue;
		(void)snprintf(texts[i], sizeof(texts[i]), "%s=%s", kept_variables[i], value);
		envp[n++] = texts[i];
	}
	return envp;
}

static int set_streams(const struct jail *jail)
{
	auto_fd int null_fd = open("/dev/null", O_RDONLY | O_CLOEXEC);
	auto_fd int out_fd = -1;
	char path[256];
	if (jail->output) {
		(void)snprintf(path, sizeof(path), "/work/%s", jail->output);
		out_fd = open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	}
	if (null_fd < 0 || (jail->output && out_fd < 0) || dup2(null_fd, 0) < 0 ||
	    dup2(jail->output ? out_fd : 2, 1) < 0)
		return errno;
	return confine_close_fds(3);
}

/* Process 1 of the new namespace. */
static _Noreturn void become_tool(const struct jail *jail, const struct seccomp_program *program,
				  bool is_root)
{
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	confine_signals();
	int r = leave_old_root();
	char **envp = make_environment();
	if (r == 0)
		r = drop_rights(jail, is_root);
	if (r == 0)
		r = set_streams(jail);
	/* Nobody listens once this has been executed, and then a call that is denied is ENOSYS. */
	if (r == 0 && seccomp_program_install(program->instructions, program->n_instructions) < 0)
		r = EPERM;
	if (r == 0)
		(void)execve(jail->program, (char *const *)(uintptr_t)jail->args, envp);
	_exit(EXIT_NOT_JAILED);
}

static _Noreturn void keep(const struct jail *jail, const struct seccomp_program *program,
			   pid_t parent)
{
	int status = 0;
	bool is_root = geteuid() == 0;
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || getppid() != parent)
		_exit(EXIT_NOT_JAILED);
	int r = own_namespaces();
	if (r == 0)
		r = enter_root(jail);
	pid_t pid = r == 0 ? fork() : -1;
	if (pid == 0)
		become_tool(jail, program, is_root);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	_exit(pid > 0 && WIFEXITED(status) ? WEXITSTATUS(status) : EXIT_NOT_JAILED);
}

/* ---- watching ---- */

/* What the files of a folder take, at most two levels deep: so it is with the tools used. */
/* NOLINTNEXTLINE(misc-no-recursion): @depth bounds it */
static uint64_t folder_bytes(int dir_fd, unsigned depth)
{
	const struct dir_entry *entry;
	uint64_t n_bytes = 0;
	auto_fd int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR_READER(reader, fd);
	while (fd >= 0 && (entry = dir_next(&reader))) {
		struct stat status;
		if (entry->name[0] == '.' ||
		    fstatat(fd, entry->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
			continue;
		n_bytes += (uint64_t)status.st_blocks * 512;
		if (!S_ISDIR(status.st_mode) || depth == 0)
			continue;
		auto_fd int below =
			openat(fd, entry->name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
		if (below >= 0)
			n_bytes += folder_bytes(below, depth - 1);
	}
	return n_bytes;
}

static int64_t now_ms(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* 0 when it has ended; else why it is to be killed. */
static int watch(const struct jail *jail, int pidfd, struct error *err)
{
	int64_t deadline = now_ms() + (int64_t)jail->deadline_s * 1000;
	struct pollfd poll_fd = { .fd = pidfd, .events = POLLIN };
	for (;;) {
		int n = poll(&poll_fd, 1, LOOK_EVERY_MS);
		if (n > 0)
			return 0;
		if (now_ms() > deadline) {
			int r = error_set(err, ERR_TIMEOUT, 0, jail->name,
					  "did not end within %u s", jail->deadline_s);
			return error_remedy(err, r, "give more time with --timeout");
		}
		if (folder_bytes(jail->folder_fd, 4) > jail->max_bytes) {
			int r = error_set(err, ERR_LIMIT, 0, jail->name,
					  "fetched more than %llu bytes",
					  (unsigned long long)jail->max_bytes);
			return error_remedy(err, r, "allow more with --max-bytes");
		}
	}
}

/* The filter of a sandbox with the default profile: a tool needs no more than a workload. */
static int build_filter(struct seccomp_program *ret, struct error *err)
{
	struct policy policy;
	int r = policy_init(&policy, err);
	if (r == 0)
		r = seccomp_program_build(ret, &policy, false, err);
	policy_fini(&policy);
	return r;
}

static int run(const struct jail *jail, const struct seccomp_program *program, struct error *err)
{
	int status = 0;
	pid_t parent = getpid(), pid = fork();
	if (pid == 0)
		keep(jail, program, parent);
	auto_fd int pidfd = pid < 0 ? -1 : sys_pidfd_open(pid);
	int r = 0;
	if (pidfd < 0) {
		r = error_set(err, ERR_SYSTEM, errno, jail->name, "cannot be started");
		r = error_remedy(err, r, "raise the limits of processes and open files");
	} else {
		r = watch(jail, pidfd, err);
	}
	if (r != 0 && pid > 0)
		(void)kill(pid, SIGKILL);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (r != 0)
		return r;
	if (WIFEXITED(status) && WEXITSTATUS(status) != EXIT_NOT_JAILED)
		return WEXITSTATUS(status);
	r = error_set(err, ERR_SYSTEM, 0, jail->name,
		      "could not be run without rights, or was killed");
	return error_remedy(err, r, "see foso doctor for what this host lacks");
}

int jail_run(const struct jail *jail, struct error *err)
{
	struct seccomp_program program = { .instructions = NULL };
	if (access(jail->program, X_OK) < 0) {
		int r = error_set(err, ERR_NOT_FOUND, 0, jail->name, "is not installed");
		return error_remedy(err, r, "install it: apt-get install %s", jail->name);
	}
	int r = build_filter(&program, err);
	if (r == 0)
		r = run(jail, &program, err);
	seccomp_program_fini(&program);
	return r;
}
