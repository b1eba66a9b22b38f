/* SPDX-License-Identifier: Apache-2.0 */
/* files.c - acts on files */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "verify/act/act.h"

static int read_one(const char *path)
{
	char byte;
	auto_fd int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	return fd < 0 || read(fd, &byte, 1) < 0 ? -1 : 0;
}

int act_read(int argc, char **argv)
{
	int errnum = 0;
	for (int i = 1; i < argc; i++) {
		if (read_one(argv[i]) == 0)
			return act_done("read %s", argv[i]);
		errnum = errno;
	}
	return act_denied(errnum, "%s", argv[argc - 1]);
}

int act_await_read(int argc, char **argv)
{
	int r = -1;
	UNUSED(argc);
	for (int i = 0; i < 500; i++) {
		r = read_one(argv[1]);
		if (r == 0 || errno != ENOENT)
			break;
		(void)poll(NULL, 0, 10);
	}
	return act_outcome(r, "read what came late");
}

int act_rename_read(int argc, char **argv)
{
	UNUSED(argc);
	if (rename(argv[1], argv[2]) < 0)
		return act_denied(errno, "rename %s", argv[1]);
	return act_outcome(read_one(argv[2]), "read it by its new name");
}

int act_read_link(int argc, char **argv)
{
	UNUSED(argc);
	if (symlink(argv[2], argv[1]) < 0)
		return act_cannot(errno, "make the link %s", argv[1]);
	int r = read_one(argv[1]);
	int errnum = errno;
	(void)unlink(argv[1]);
	errno = errnum;
	return act_outcome(r, "read through a link");
}

/* By path, by the working directory, and by descriptors of folders. */
int act_climb(int argc, char **argv)
{
	char path[4096];
	const char *name = argv[1] + strspn(argv[1], "/");
	UNUSED(argc);
	size_t len = 0;
	for (int i = 0; i < 40; i++)
		len += (size_t)snprintf(path + len, sizeof(path) - len, "../");
	(void)snprintf(path + len, sizeof(path) - len, "%s", name);
	if (read_one(path) == 0)
		return act_done("read %s", path);
	if (chdir("/") < 0)
		return act_cannot(errno, "go to /");
	for (int i = 0; i < 40; i++) {
		if (chdir("..") < 0)
			return act_denied(errno, "go up");
	}
	if (read_one(name) == 0)
		return act_done("read %s from above /", name);
	auto_fd int fd = open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	for (int i = 0; i < 40 && fd >= 0; i++) {
		int above = openat(fd, "..", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		fd_close(&fd);
		fd = above;
	}
	auto_fd int file = openat(fd, name, O_RDONLY | O_CLOEXEC);
	return act_outcome(file, "read from above /");
}

int act_magic(int argc, char **argv)
{
	static const char *const links[] = {
		"/proc/self/root",    "/proc/self/cwd",  "/proc/thread-self/root",
		"/proc/1/root",       "/proc/1/cwd",     "/proc/self/fd/0",
		"/proc/self/fd/1",    "/proc/self/fd/2", "/proc/self/fd/7",
		"/proc/self/fd/2048", "/dev/fd/7",       "/proc/self/map_files",
	};
	char path[4096];
	int errnum = 0;
	UNUSED(argc);
	for (size_t i = 0; i < ARRAY_LEN(links); i++) {
		(void)snprintf(path, sizeof(path), "%s/../../../../../..%s", links[i], argv[1]);
		if (read_one(path) == 0)
			return act_done("read %s", path);
		if (errno != EACCES && errno != ENOTDIR)
			errnum = errno;
	}
	return act_denied(errnum, "%s through %zu links", argv[1], ARRAY_LEN(links));
}

static int spoil_one(const char *path, const char **ret_how)
{
	char other[4096];
	struct stat status;
	/* A link itself may be ours: what it leads to is not. */
	bool is_link = lstat(path, &status) == 0 && S_ISLNK(status.st_mode);
	auto_fd int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);
	int errnum = errno;
	if (fd >= 0 && write(fd, "spoilt", 6) == 6) {
		*ret_how = "wrote to";
		return 0;
	}
	(void)snprintf(other, sizeof(other), "%s.moved", path);
	if (truncate(path, 0) == 0)
		*ret_how = "truncated";
	else if (chmod(path, 0600) == 0)
		*ret_how = "changed the mode of";
	else if (!is_link && rename(path, other) == 0)
		*ret_how = "renamed";
	else if (!is_link && unlink(path) == 0)
		*ret_how = "removed";
	else
		return errnum;
	return 0;
}

int act_spoil(int argc, char **argv)
{
	const char *how = "";
	int errnum = 0;
	for (int i = 1; i < argc; i++) {
		errnum = spoil_one(argv[i], &how);
		if (errnum == 0)
			return act_done("%s %s", how, argv[i]);
	}
	return act_denied(errnum, "%s", argv[argc - 1]);
}

/* The folders that a path lies in, as far as they are missing. */
static void make_folders(const char *path)
{
	char folder[512];
	for (const char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		(void)snprintf(folder, sizeof(folder), "%.*s", (int)(slash - path), path);
		(void)mkdir(folder, 0755);
	}
}

/* Done if each could be made, with the bit set or not; what is there is written over. */
int act_plant(int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		make_folders(argv[i]);
		auto_fd int fd = open(argv[i], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0755);
		if (fd < 0 || write(fd, "planted\n", 8) != 8)
			return act_denied(errno, "%s", argv[i]);
		if (fchmod(fd, 06755) < 0)
			return act_denied(errno, "set the bits of %s", argv[i]);
	}
	return act_done("planted %d", argc - 1);
}

/* Done if any could be created; it says how many. */
int act_create(int argc, char **argv)
{
	int n_created = 0, errnum = 0;
	for (int i = 1; i < argc; i++) {
		auto_fd int fd =
			open(argv[i], O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0644);
		if (fd >= 0 && write(fd, "x", 1) == 1)
			n_created++;
		else
			errnum = errno;
	}
	if (n_created == 0)
		return act_denied(errnum, "%s", argv[argc - 1]);
	return act_done("created %d of %d", n_created, argc - 1);
}

int act_exists(int argc, char **argv)
{
	struct stat status;
	int errnum = ENOENT;
	for (int i = 1; i < argc; i++) {
		if (lstat(argv[i], &status) == 0)
			return act_done("%s is there", argv[i]);
		if (errno != ENOENT)
			errnum = errno;
	}
	return act_denied(errnum, "none of %d names", argc - 1);
}

int act_list(int argc, char **argv)
{
	int errnum = ENOENT;
	for (int i = 1; i < argc; i++) {
		auto_dir DIR *dir = opendir(argv[i]);
		if (!dir) {
			errnum = errno;
			continue;
		}
		for (struct dirent *item;
		     (item = readdir(dir));) { /* NOLINT(concurrency-mt-unsafe) */
			if (item->d_name[0] != '.')
				return act_done("%s/%s", argv[i], item->d_name);
		}
	}
	return act_denied(errnum, "nothing below %d folders", argc - 1);
}

int act_open_write(int argc, char **argv)
{
	int errnum = ENOENT;
	for (int i = 1; i < argc; i++) {
		auto_fd int fd = open(argv[i], O_WRONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
		if (fd >= 0)
			return act_done("opened %s", argv[i]);
		if (errno != ENOENT)
			errnum = errno;
	}
	return act_denied(errnum, "none of %d", argc - 1);
}

int act_mknod(int argc, char **argv)
{
	UNUSED(argc);
	/* 1:11 is the kernel's log: harmless to open, and of no use to a sandbox. */
	if (mknod(argv[1], S_IFCHR | 0600, makedev(1, 11)) < 0)
		return act_denied(errno, "make a device");
	auto_fd int fd = open(argv[1], O_RDONLY | O_NONBLOCK | O_CLOEXEC);
	int errnum = errno;
	(void)unlink(argv[1]);
	return fd < 0 ? act_denied(errnum, "open a device") : act_done("made and opened a device");
}

/* "/dev/" stands for everything below; an octal escape cannot be in a name of ours. */
static int is_known(const char *path, int argc, char **argv)
{
	for (int i = 1; i < argc; i++) {
		size_t len = strlen(argv[i]);
		bool is_folder = len > 1 && argv[i][len - 1] == '/';
		if (is_folder ? strncmp(path, argv[i], len) == 0 : strcmp(path, argv[i]) == 0)
			return 1;
	}
	return 0;
}

int act_unknown_mount(int argc, char **argv)
{
	char line[8192], path[4096];
	int n_mounts = 0;
	FILE *file = fopen("/proc/self/mountinfo", "re");
	if (!file)
		return act_cannot(errno, "/proc/self/mountinfo");
	while (fgets(line, sizeof(line), file)) {
		n_mounts++;
		if (sscanf(line, "%*s %*s %*s %*s %4095s", path) == 1 && /* NOLINT(cert-err34-c) */
		    !is_known(path, argc, argv)) {
			(void)fclose(file);
			return act_done("%s is mounted", path);
		}
	}
	(void)fclose(file);
	return act_denied(ENOENT, "%d mounts, all named", n_mounts);
}

int act_exec(int argc, char **argv)
{
	UNUSED(argc);
	(void)execv(argv[1], argv + 1);
	return act_denied(errno, "execute %s", argv[1]);
}

int act_euid(int argc, char **argv)
{
	UNUSED(argc);
	UNUSED(argv);
	if (geteuid() != getuid() || getegid() != getgid() || getauxval(AT_SECURE) != 0)
		return act_done("uid %u became %u", (unsigned)getuid(), (unsigned)geteuid());
	return act_denied(EPERM, "uid %u stays %u", (unsigned)getuid(), (unsigned)geteuid());
}

/* The copy's own run as somebody else: the exit status is that of the act "euid". */
static int run_copy(const char *path)
{
	int status = -1;
	pid_t pid = fork();
	if (pid == 0) {
		if (setgid(65534) < 0 || setuid(65534) < 0)
			_exit(act_cannot(errno, "become another user"));
		(void)execl(path, path, "euid", (char *)NULL);
		_exit(act_denied(errno, "execute %s", path));
	}
	if (pid < 0 || waitpid(pid, &status, 0) < 0 || !WIFEXITED(status))
		return act_cannot(errno, "run the copy");
	return WEXITSTATUS(status);
}

int act_setuid_copy(int argc, char **argv)
{
	char bytes[65536];
	ssize_t n;
	UNUSED(argc);
	auto_fd int from = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
	auto_fd int to = open(argv[1], O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0755);
	if (from < 0 || to < 0)
		return act_cannot(errno, "copy to %s", argv[1]);
	while ((n = read(from, bytes, sizeof(bytes))) > 0) {
		if (write(to, bytes, (size_t)n) != n)
			return act_cannot(errno, "copy to %s", argv[1]);
	}
	if (fchmod(to, 04755) < 0)
		return act_denied(errno, "set the bit");
	fd_close(&to);
	int status = run_copy(argv[1]);
	(void)unlink(argv[1]);
	return status;
}
