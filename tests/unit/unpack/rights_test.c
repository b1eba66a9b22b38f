/* SPDX-License-Identifier: Apache-2.0 */
/*
 * rights_test.c - what one who unpacks a layer can no longer do, and that it could before
 *
 * Each act is tried in a child twice: free, where it must work, and after rights_of_layer(), where
 * it must fail with the errno of the wall that stands there.
 */
#include <sched.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "image/write/remove.h"
#include "support/tap.h"
#include "unpack/rights.c"
#include "unpack/tree.h"

static char folder[] = "/tmp/foso-rights-XXXXXX";

static int open_host_file(int root_fd)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC };
	UNUSED(root_fd);
	auto_fd int fd = sys_openat2(AT_FDCWD, "/etc/passwd", &how);
	return fd < 0 ? errno : 0;
}

static int climb_out(int root_fd)
{
	struct open_how how = { .flags = O_RDONLY | O_CLOEXEC };
	auto_fd int fd = sys_openat2(root_fd, "../../../etc/passwd", &how);
	return fd < 0 ? errno : 0;
}

static int make_socket(int root_fd)
{
	UNUSED(root_fd);
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return fd < 0 ? errno : 0;
}

static int make_device(int root_fd)
{
	int r = mknodat(root_fd, "device", S_IFCHR | 0600, 0x103) < 0 ? errno : 0;
	(void)unlinkat(root_fd, "device", 0);
	return r;
}

static int make_memory(int root_fd)
{
	UNUSED(root_fd);
	auto_fd int fd = memfd_create("x", MFD_CLOEXEC);
	return fd < 0 ? errno : 0;
}

static int start_process(int root_fd)
{
	UNUSED(root_fd);
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return errno;
	(void)waitpid(pid, NULL, 0);
	return 0;
}

/* ENOENT is what exec says when it may: it looked. */
static int execute(int root_fd)
{
	UNUSED(root_fd);
	(void)execl("/nowhere", "nowhere", (char *)NULL);
	return errno == ENOENT ? 0 : errno;
}

static int mount_something(int root_fd)
{
	UNUSED(root_fd);
	auto_fd int fd = sys_fsopen("tmpfs", FSOPEN_CLOEXEC);
	return fd < 0 ? errno : 0;
}

static int map_executable(int root_fd)
{
	UNUSED(root_fd);
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return memory == MAP_FAILED ? errno : 0;
}

/* What it is for: this must work behind all walls. */
static int make_file(int root_fd)
{
	auto_fd int fd = tree_open(root_fd, "file", O_WRONLY | O_CREAT, 0600);
	if (fd < 0 || pwrite(fd, "x", 1, 0) != 1 || fchmod(fd, 04755) < 0 ||
	    mkdirat(root_fd, "d", 0755) < 0 || linkat(root_fd, "file", root_fd, "d/l", 0) < 0 ||
	    symlinkat("/x", root_fd, "s") < 0 || mknodat(root_fd, "p", S_IFIFO | 0600, 0) < 0)
		return errno;
	return 0;
}

static void enter(void)
{
	char text[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();
	static const char *const files[] = { "setgroups", "uid_map", "gid_map" };
	int flags = CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWPID;
	if (unshare(flags) < 0)
		_exit(201);
	for (size_t i = 0; i < ARRAY_LEN(files); i++) {
		char path[64];
		(void)snprintf(path, sizeof(path), "/proc/self/%s", files[i]);
		(void)snprintf(text, sizeof(text), i == 0 ? "deny" : "0 %u 1", i == 1 ? uid : gid);
		auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
		if (fd < 0 || write(fd, text, strlen(text)) < 0)
			_exit(202);
	}
	int tree = sys_open_tree(AT_FDCWD, folder, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (tree < 0 || (tree != UNPACK_TOP_FD && dup2(tree, UNPACK_TOP_FD) < 0))
		_exit(203);
}

static _Noreturn void run_act(int (*act)(int root_fd), bool is_apart)
{
	static struct unpack unpack;
	static const struct layer_limits limits = { 1000, 1 << 20, true };
	char *const no_chains[] = { NULL };
	int root_fd = open("/tmp", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (is_apart) {
		int status;
		enter();
		/* The first of a namespace of processes is started now. */
		pid_t pid = fork();
		if (pid != 0)
			_exit(waitpid(pid, &status, 0) == pid && WIFEXITED(status)
				      ? WEXITSTATUS(status)
				      : 204);
		if (rights_of_layer(&unpack, no_chains, &limits, &root_fd) < 0)
			_exit(205);
	}
	_exit(act(root_fd));
}

static int try_act(int (*act)(int root_fd), bool is_apart)
{
	int status;
	pid_t pid = fork();
	if (pid == 0)
		run_act(act, is_apart);
	if (pid < 0 || waitpid(pid, &status, 0) != pid || !WIFEXITED(status))
		return -1;
	return WEXITSTATUS(status);
}

static void walls(void)
{
	static const struct {
		const char *name;
		int (*act)(int root_fd);
		int errnum;
		bool needs_root;
	} acts[] = {
		{ "open a file of the host", open_host_file, ENOENT, false },
		{ "climb out of the tree", climb_out, ENOENT, false },
		{ "make a socket", make_socket, EPERM, false },
		{ "make a device", make_device, EPERM, true },
		{ "make a file in memory", make_memory, EPERM, false },
		{ "start a process", start_process, EPERM, false },
		{ "execute", execute, EPERM, false },
		{ "mount", mount_something, EPERM, true },
		{ "map executable memory", map_executable, EPERM, false },
	};
	if (TAP_IS_SANITIZED)
		SKIP("a sanitizer makes calls of its own, so there is no filter");
	if (try_act(make_file, true) >= 201)
		SKIP("no user namespace can be made here");
	for (size_t i = 0; i < ARRAY_LEN(acts); i++) {
		if (acts[i].needs_root && geteuid() != 0)
			continue;
		int before = try_act(acts[i].act, false), after = try_act(acts[i].act, true);
		/* Landlock, where the kernel has it, says EACCES before anything is looked for. */
		bool is_stopped =
			after == acts[i].errnum || (acts[i].errnum == ENOENT && after == EACCES);
		if (before != 0 || !is_stopped)
			FAIL("%s: %d free, %d behind the walls", acts[i].name, before, after);
	}
}

static void work(void)
{
	if (TAP_IS_SANITIZED)
		SKIP("a sanitizer makes calls of its own, so there is no filter");
	int r = try_act(make_file, true);
	if (r >= 201)
		SKIP("no user namespace can be made here");
	/* walls() made it once already. */
	OK(r == 0 || r == EEXIST);
}

int main(void)
{
	char path[64];
	struct error err = { .code = ERR_NONE };
	if (!mkdtemp(folder))
		return 1;
	(void)snprintf(path, sizeof(path), "%s/fs", folder);
	OK(mkdir(path, 0755) == 0);
	RUN(walls);
	RUN(work);
	OK(tree_remove(AT_FDCWD, folder, &err) == 0);
	return tap_done();
}
