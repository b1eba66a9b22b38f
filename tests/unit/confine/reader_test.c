/* SPDX-License-Identifier: Apache-2.0 */
/*
 * reader_test.c - what a reader can no longer do, and that it could before
 *
 * Each act is tried in a child three times: free, where it must work; behind every wall but the
 * filter; and behind the filter too.  The errno shows which wall stopped it.
 */
#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "confine/reader.c"
#include "support/tap.h"

#define MEMORY_BYTES (UINT64_C(256) << 20)

struct answers {
	int free, walled, filtered; /* errno, 0 for success */
};

static int open_file(void)
{
	auto_fd int fd = open("/proc/self/status", O_RDONLY | O_CLOEXEC);
	return fd < 0 ? errno : 0;
}

static int make_socket(void)
{
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	return fd < 0 ? errno : 0;
}

static int map_much(void)
{
	size_t n_bytes = (size_t)MEMORY_BYTES;
	void *memory =
		mmap(NULL, n_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return errno;
	(void)munmap(memory, n_bytes);
	return 0;
}

static int map_executable(void)
{
	void *memory = mmap(NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
			    MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	if (memory == MAP_FAILED)
		return errno;
	(void)munmap(memory, 4096);
	return 0;
}

static int make_folder(void)
{
	static const char path[] = "/tmp/foso-reader-test";
	int result = mkdir(path, 0700) < 0 ? errno : 0;
	(void)rmdir(path);
	return result;
}

static int start_process(void)
{
	pid_t pid = fork();
	if (pid == 0)
		_exit(0);
	if (pid < 0)
		return errno;
	(void)waitpid(pid, NULL, 0);
	return 0;
}

/* ENOENT is what exec says when it may: it looked. */
static int execute(void)
{
	(void)execl("/nowhere", "nowhere", (char *)NULL);
	return errno == ENOENT ? 0 : errno;
}

static int signal_parent(void)
{
	return kill(getppid(), 0) < 0 ? errno : 0;
}

static int raise_limit(void)
{
	struct rlimit rlimit = { 16, 16 };
	return setrlimit(RLIMIT_NOFILE, &rlimit) < 0 ? errno : 0;
}

static int become_root(void)
{
	return setresuid(0, 0, 0) < 0 ? errno : 0;
}

static const struct confine_reader limits = { .memory_bytes = MEMORY_BYTES,
					      .cpu_seconds = 5,
					      .output_bytes = 4096 };

static int wall_up(void)
{
	int errnum = confine_not_dumpable();
	if (errnum == 0)
		errnum = drop_identity();
	if (errnum == 0)
		errnum = confine_no_new_privs();
	if (errnum == 0)
		errnum = confine_landlock_if_any(NULL, 0, true);
	return errnum == 0 ? limit_resources(&limits) : errnum;
}

static int as_it_is(void)
{
	return 0;
}

static int confine_all(void)
{
	return confine_reader(&limits);
}

/* The child answers through its stdout, which it can write to behind every wall. */
static int try_behind(int (*wall)(void), int (*act)(void))
{
	int ends[2], answer = -1;
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0) {
		(void)dup3(ends[1], STDOUT_FILENO, 0);
		answer = wall() == 0 ? act() : -2;
		_exit(write(STDOUT_FILENO, &answer, sizeof(answer)) < 0);
	}
	fd_close(&ends[1]);
	if (read(ends[0], &answer, sizeof(answer)) != sizeof(answer))
		answer = -3;
	fd_close(&ends[0]);
	(void)waitpid(pid, NULL, 0);
	return answer;
}

static struct answers try(int (*act)(void))
{
	return (struct answers){ try_behind(as_it_is, act), try_behind(wall_up, act),
				 try_behind(confine_all, act) };
}

/* @walled: 0 where the filter is the only wall. */
static void expect(int (*act)(void), int walled, int filtered)
{
	struct answers answers = try(act);
	EQ(answers.free, 0);
	EQ(answers.walled, walled);
	EQ(answers.filtered, filtered);
}

static void test_reader_opens_nothing(void)
{
	struct answers answers = try(open_file);
	EQ(answers.free, 0);
	OK(answers.walled == EMFILE || answers.walled == EACCES);
	EQ(answers.filtered, EPERM);
	expect(make_socket, EMFILE, EPERM);
}

static void test_reader_makes_nothing(void)
{
	if (confine_landlock_abi() == 0)
		SKIP("this kernel has no Landlock");
	expect(make_folder, EACCES, EPERM);
}

static void test_reader_has_bounded_memory(void)
{
	expect(map_much, ENOMEM, ENOMEM);
	expect(map_executable, 0, EPERM);
}

static void test_reader_starts_nothing(void)
{
	expect(start_process, EAGAIN, EPERM);
	/* Landlock lets it look for what is not there. */
	expect(execute, 0, EPERM);
}

static void test_reader_signals_nobody(void)
{
	/* Landlock keeps signals inside from ABI 6; before that, another id does, if it has one. */
	struct answers answers = try(signal_parent);
	EQ(answers.free, 0);
	EQ(answers.filtered, EPERM);
}

static void test_reader_gets_nothing_back(void)
{
	expect(raise_limit, EPERM, EPERM);
	if (geteuid() != 0)
		SKIP("only root has an id to give up");
	expect(become_root, EPERM, EPERM);
}

static void test_reader_output_is_bounded(void)
{
	struct confine_reader none = { 0 };
	char path[] = "/tmp/foso-reader-XXXXXX";
	auto_fd int fd = mkostemp(path, O_CLOEXEC);
	OK(fd >= 0 && unlink(path) == 0);
	(void)fflush(stdout);
	for (int is_bounded = 0; is_bounded <= 1; is_bounded++) {
		int status = -1;
		pid_t pid = fork();
		if (pid == 0) {
			char bytes[4097] = { 0 };
			(void)dup3(fd, STDOUT_FILENO, 0);
			(void)dup3(fd, STDERR_FILENO, 0);
			if (confine_reader(is_bounded ? &limits : &none) != 0)
				_exit(2);
			_exit(write(STDOUT_FILENO, bytes, sizeof(bytes)) != sizeof(bytes));
		}
		(void)waitpid(pid, &status, 0);
		EQ(WEXITSTATUS(status), is_bounded);
		OK(ftruncate(fd, 0) == 0 && lseek(fd, 0, SEEK_SET) == 0);
	}
}

int main(void)
{
	RUN(test_reader_opens_nothing);
	RUN(test_reader_makes_nothing);
	RUN(test_reader_has_bounded_memory);
	RUN(test_reader_starts_nothing);
	RUN(test_reader_signals_nobody);
	RUN(test_reader_gets_nothing_back);
	RUN(test_reader_output_is_bounded);
	return tap_done();
}
