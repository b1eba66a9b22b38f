/* SPDX-License-Identifier: Apache-2.0 */
/* landlock_test.c - each right of Landlock, with and without it */
#include <fcntl.h>
#include <stddef.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/un.h>
#include <termios.h>

#include "acts.h"
#include "confined.h"

/* A directory with two parts: "in", which is granted, and "out", which is not. */
static char folder[] = "/tmp/foso-landlock-XXXXXX";
static int in_fd, out_fd;
static unsigned granted; /* access to "in" */
static bool is_scoped = true;

static int directory_open(const char *name)
{
	char path[128];
	(void)snprintf(path, sizeof(path), "%s/%s", folder, name);
	mkdir(path, 0700);
	return open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
}

static int file_make(int dir_fd, const char *name)
{
	int fd = openat(dir_fd, name, O_CREAT | O_RDWR | O_CLOEXEC, 0700);
	if (fd < 0)
		return errno;
	close(fd);
	return 0;
}

static void folder_make(void)
{
	OK(mkdtemp(folder) != NULL);
	in_fd = directory_open("in");
	out_fd = directory_open("out");
	EQ(file_make(in_fd, "file"), 0);
	EQ(file_make(out_fd, "file"), 0);
}

static void folder_remove(void)
{
	static const char *const names[] = { "file", "new", "fifo", "link", "sock", "dev" };
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		unlinkat(in_fd, names[i], 0);
		unlinkat(out_fd, names[i], 0);
	}
	close(in_fd);
	close(out_fd);
	char path[128];
	(void)snprintf(path, sizeof(path), "%s/in", folder);
	rmdir(path);
	(void)snprintf(path, sizeof(path), "%s/out", folder);
	rmdir(path);
	EQ(rmdir(folder), 0);
}

/* The act in a child with Landlock; ACT_BROKE if Landlock could not be set. */
static int act_locked(act_function act)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		alarm(CONFINED_SECONDS);
		struct confine_path path = { .fd = in_fd, .access = granted };
		if (confine_no_new_privs() != 0 || confine_landlock(&path, 1, is_scoped) != 0)
			_exit(ACT_BROKE);
		_exit(act());
	}
	return child_status(child);
}

static int dir_fd; /* what the act works on */

static int act_read(void)
{
	return outcome(openat(dir_fd, "file", O_RDONLY | O_CLOEXEC));
}

static int act_write(void)
{
	return outcome(openat(dir_fd, "file", O_WRONLY | O_CLOEXEC));
}

static int act_list(void)
{
	return outcome(openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

static int act_execute(void)
{
	char *argv[] = { folder, NULL };
	long result = syscall(SYS_execveat, dir_fd, "file", argv, NULL, 0);
	/* The file is empty: ENOEXEC is what happens once it may be executed. */
	return result < 0 && errno == ENOEXEC ? 0 : errno;
}

static int act_truncate(void)
{
	char path[128];
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d/file", dir_fd);
	return outcome(truncate(path, 0));
}

static int act_create(void)
{
	int result = file_make(dir_fd, "new");
	unlinkat(dir_fd, "new", 0);
	return result;
}

static int act_remove(void)
{
	int result = outcome(unlinkat(dir_fd, "file", 0));
	if (result == 0)
		(void)file_make(dir_fd, "file");
	return result;
}

static int act_mkdir(void)
{
	int result = outcome(mkdirat(dir_fd, "new", 0700));
	unlinkat(dir_fd, "new", AT_REMOVEDIR);
	return result;
}

static int act_symlink(void)
{
	int result = outcome(symlinkat("file", dir_fd, "link"));
	unlinkat(dir_fd, "link", 0);
	return result;
}

static int act_make_fifo(void)
{
	int result = outcome(mkfifoat(dir_fd, "fifo", 0600));
	unlinkat(dir_fd, "fifo", 0);
	return result;
}

/* Not 0:0, which is a whiteout and counts as a file on some kernels. */
#define NULL_DEVICE 0x103

static int act_make_device(void)
{
	int result = outcome(mknodat(dir_fd, "dev", S_IFCHR | 0600, NULL_DEVICE));
	unlinkat(dir_fd, "dev", 0);
	return result;
}

static int act_make_socket(void)
{
	int result = outcome(mknodat(dir_fd, "sock", S_IFSOCK | 0600, 0));
	unlinkat(dir_fd, "sock", 0);
	return result;
}

static void check_where(act_function act, int fd, int expected)
{
	dir_fd = fd;
	EQ(act_locked(act), expected);
	EQ(act_freely(act), 0);
}

static void test_nothing_outside_the_paths(void)
{
	static const act_function acts[] = { act_read,     act_write,      act_list,
					     act_execute,  act_create,     act_remove,
					     act_mkdir,    act_symlink,    act_make_fifo,
					     act_truncate, act_make_socket };
	granted = CONFINE_PATH_READ | CONFINE_PATH_WRITE;
	for (size_t i = 0; i < ARRAY_LEN(acts); i++) {
		int expected = EACCES;
		if (acts[i] == act_truncate && confine_landlock_abi() < 3)
			expected = 0;
		check_where(acts[i], out_fd, expected);
	}
}

static void test_all_inside_a_writable_path(void)
{
	static const act_function acts[] = { act_read,     act_write,      act_list,
					     act_execute,  act_create,     act_remove,
					     act_mkdir,    act_symlink,    act_make_fifo,
					     act_truncate, act_make_socket };
	granted = CONFINE_PATH_READ | CONFINE_PATH_WRITE;
	for (size_t i = 0; i < ARRAY_LEN(acts); i++)
		check_where(acts[i], in_fd, 0);
}

static void test_only_reading_inside_a_readable_path(void)
{
	granted = CONFINE_PATH_READ;
	check_where(act_read, in_fd, 0);
	check_where(act_list, in_fd, 0);
	check_where(act_execute, in_fd, 0);
	check_where(act_write, in_fd, EACCES);
	check_where(act_create, in_fd, EACCES);
	check_where(act_remove, in_fd, EACCES);
	check_where(act_truncate, in_fd, confine_landlock_abi() >= 3 ? EACCES : 0);
}

static void test_no_device_even_in_a_writable_path(void)
{
	granted = CONFINE_PATH_READ | CONFINE_PATH_WRITE;
	dir_fd = in_fd;
	if (act_freely(act_make_device) != 0)
		SKIP("without Landlock no device can be made here either");
	EQ(act_locked(act_make_device), EACCES);
}

/* From "out", which is not granted, into "in": a file must not gain rights by moving. */
static int act_move_in(void)
{
	int result = outcome(linkat(out_fd, "file", in_fd, "new", 0));
	unlinkat(in_fd, "new", 0);
	return result;
}

static void test_no_move_across_the_boundary(void)
{
	granted = CONFINE_PATH_READ | CONFINE_PATH_WRITE;
	int result = act_locked(act_move_in);
	OK(result == EXDEV || result == EACCES);
	EQ(act_freely(act_move_in), 0);
}

/* Between two folders of one writable path a move must work: many programs do it. */
static int act_move_within(void)
{
	if (mkdirat(in_fd, "a", 0700) < 0 || mkdirat(in_fd, "b", 0700) < 0)
		return errno;
	int result = file_make(in_fd, "a/x");
	if (result == 0)
		result = outcome(renameat(in_fd, "a/x", in_fd, "b/x"));
	unlinkat(in_fd, "a/x", 0);
	unlinkat(in_fd, "b/x", 0);
	unlinkat(in_fd, "a", AT_REMOVEDIR);
	unlinkat(in_fd, "b", AT_REMOVEDIR);
	return result;
}

static void test_move_within_a_writable_path(void)
{
	granted = CONFINE_PATH_READ | CONFINE_PATH_WRITE;
	EQ(act_locked(act_move_within), confine_landlock_abi() >= 2 ? 0 : EXDEV);
	EQ(act_freely(act_move_within), 0);
}

/* A single file, which has fewer rights than a directory: the rule must not be refused. */
static int locked_to_file(unsigned access, act_function act)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		struct confine_path path = { openat(in_fd, "file", O_PATH | O_CLOEXEC), access };
		if (confine_no_new_privs() != 0 || confine_landlock(&path, 1, is_scoped) != 0)
			_exit(ACT_BROKE);
		_exit(act());
	}
	return child_status(child);
}

static void test_single_file(void)
{
	dir_fd = in_fd;
	EQ(locked_to_file(CONFINE_PATH_READ | CONFINE_PATH_WRITE, act_write), 0);
	EQ(locked_to_file(CONFINE_PATH_READ, act_write), EACCES);
	EQ(locked_to_file(CONFINE_PATH_READ, act_read), 0);
	EQ(locked_to_file(CONFINE_PATH_READ | CONFINE_PATH_WRITE, act_list), EACCES);
}

static int terminal_ioctl(unsigned access)
{
	fflush(stdout);
	pid_t child = fork();
	if (child == 0) {
		int root = open("/dev", O_PATH | O_DIRECTORY | O_CLOEXEC);
		struct confine_path path = { root, access };
		if (confine_no_new_privs() != 0 || confine_landlock(&path, 1, is_scoped) != 0)
			_exit(ACT_BROKE);
		int fd = posix_openpt(O_RDWR | O_NOCTTY | O_CLOEXEC);
		struct termios terminal;
		_exit(fd < 0 ? ACT_BROKE : outcome(ioctl(fd, TCGETS, &terminal)));
	}
	return child_status(child);
}

static void test_ioctl_on_devices_needs_its_right(void)
{
	unsigned access = CONFINE_PATH_READ | CONFINE_PATH_WRITE;
	if (confine_landlock_abi() < 5)
		SKIP("Landlock of this kernel has no IOCTL_DEV (ABI 5)");
	EQ(terminal_ioctl(access), EACCES);
	EQ(terminal_ioctl(access | CONFINE_PATH_IOCTL), 0);
}

/* ---- scopes ---- */

static pid_t outsider;

static int act_signal(void)
{
	return outsider > 0 ? outcome(kill(outsider, 0)) : ACT_BROKE;
}

static void test_signals_stay_inside(void)
{
	if (confine_landlock_abi() < 6)
		SKIP("Landlock of this kernel has no scopes (ABI 6)");
	fflush(stdout);
	outsider = fork();
	if (outsider == 0) {
		pause();
		_exit(0);
	}
	EQ(act_locked(act_signal), EPERM);
	EQ(act_freely(act_signal), 0);
	is_scoped = false;
	EQ(act_locked(act_signal), 0);
	is_scoped = true;
	child_kill(outsider);
	EQ(child_status(outsider), 128 + SIGKILL);
}

static struct sockaddr_un address = { .sun_family = AF_UNIX };

static socklen_t address_len(void)
{
	(void)snprintf(address.sun_path + 1, sizeof(address.sun_path) - 1, "%s", folder);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + strlen(folder));
}

static int act_connect(void)
{
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return outcome(connect(fd, (struct sockaddr *)&address, address_len()));
}

static void test_abstract_sockets_stay_inside(void)
{
	if (confine_landlock_abi() < 6)
		SKIP("Landlock of this kernel has no scopes (ABI 6)");
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	EQ(bind(fd, (struct sockaddr *)&address, address_len()), 0);
	EQ(listen(fd, 8), 0);
	EQ(act_locked(act_connect), EPERM);
	EQ(act_freely(act_connect), 0);
	close(fd);
}

/* ---- the rest ---- */

static int locked_without_no_new_privs(void)
{
	if (geteuid() == 0) {
		/* CAP_SYS_ADMIN would do instead. */
		if (confine_capabilities() != 0)
			return ACT_BROKE;
	}
	return confine_landlock(NULL, 0, is_scoped);
}

static void test_needs_no_new_privs(void)
{
	EQ(act_freely(locked_without_no_new_privs), EPERM);
}

static int locked_with_bad_fd(void)
{
	struct confine_path path = { -1, CONFINE_PATH_READ };
	return confine_no_new_privs() != 0 ? ACT_BROKE : confine_landlock(&path, 1, is_scoped);
}

static void test_bad_descriptor_is_an_error(void)
{
	EQ(act_freely(locked_with_bad_fd), EBADF);
}

static int run_tests(void)
{
	if (confine_landlock_abi() == 0) {
		printf("1..0 # SKIP this kernel has no Landlock\n");
		return 0;
	}
	folder_make();
	RUN(test_nothing_outside_the_paths);
	RUN(test_all_inside_a_writable_path);
	RUN(test_only_reading_inside_a_readable_path);
	RUN(test_no_device_even_in_a_writable_path);
	RUN(test_no_move_across_the_boundary);
	RUN(test_move_within_a_writable_path);
	RUN(test_single_file);
	RUN(test_ioctl_on_devices_needs_its_right);
	RUN(test_signals_stay_inside);
	RUN(test_abstract_sockets_stay_inside);
	RUN(test_needs_no_new_privs);
	RUN(test_bad_descriptor_is_an_error);
	folder_remove();
	return tap_done();
}

int main(void)
{
	return confined_main(run_tests);
}
