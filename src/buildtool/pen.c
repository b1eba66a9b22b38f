/* SPDX-License-Identifier: Apache-2.0 */
/*
 * pen.c - a child that reads one folder and writes one file, and can do nothing else
 *
 * chroot() alone is no wall for root.  Here it comes first, and after it the child is nobody, has
 * CAP_DAC_READ_SEARCH and nothing more, holds no descriptor of anything outside but its output
 * and the pipe of its answer, and its filter has neither chroot, mount nor any call that writes to
 * a path.
 */
#include "buildtool/pen.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/sanitized.h"
#include "confine/confine.h"
#include "confine/filter.h"

#define NOBODY_ID        65534
#define MAX_MEMORY_BYTES (UINT64_C(1) << 30)
#define MAX_FILES        600 /* one for each level of folders, and few more */
#define FIRST_OWN_FD     3

/* clang-format off */
static struct sock_filter filter[] = {
	FILTER_BEGIN,
	FILTER_ALLOW(SYS_read),
	FILTER_ALLOW(SYS_write),
	FILTER_ALLOW(SYS_close),
	FILTER_ALLOW(SYS_fstat),
	FILTER_ALLOW(SYS_newfstatat),
	FILTER_ALLOW(SYS_getdents64),
	FILTER_ALLOW(SYS_readlinkat),
	FILTER_ALLOW(SYS_llistxattr),
	FILTER_ALLOW(SYS_lgetxattr),
	FILTER_ALLOW(SYS_flistxattr),
	FILTER_ALLOW(SYS_fgetxattr),
	FILTER_ALLOW(SYS_lseek),
	FILTER_ALLOW(SYS_brk),
	FILTER_ALLOW(SYS_munmap),
	FILTER_ALLOW(SYS_mremap),
	FILTER_ALLOW(SYS_madvise),
	FILTER_ALLOW(SYS_futex),
	FILTER_ALLOW(SYS_exit),
	FILTER_ALLOW(SYS_exit_group),
	/* Opening, but nothing that writes or makes. */
	BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_openat, 0, 4),
	BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[2])),
	BPF_JUMP(BPF_JMP | BPF_JSET | BPF_K, O_WRONLY | O_RDWR | O_CREAT | O_TRUNC, 1, 0),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | EPERM),
	FILTER_END,
};
/* clang-format on */

static int move_in(int dir_fd)
{
	int flags = CLONE_NEWNS | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS;
	/* Its ids are not mapped: what belongs to the caller can be read all the same. */
	if (geteuid() != 0)
		flags |= CLONE_NEWUSER;
	if (unshare(flags) < 0 || fchdir(dir_fd) < 0 || chroot(".") < 0)
		return errno;
	return 0;
}

static int drop_identity(bool is_root)
{
	if (!is_root)
		return confine_capabilities();
	int errnum = confine_ids(NOBODY_ID, NOBODY_ID);
	return errnum != 0 ? errnum : confine_capabilities_keep(1u << CAP_DAC_READ_SEARCH);
}

static int limit_resources(const struct pen *pen)
{
	const struct confine_rlimit rlimits[] = {
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_NPROC, 0 },
		{ RLIMIT_NOFILE, MAX_FILES },
		{ RLIMIT_FSIZE, pen->max_out_bytes },
		{ RLIMIT_CPU, pen->cpu_seconds },
		{ RLIMIT_AS, MAX_MEMORY_BYTES },
	};
	return confine_rlimits(rlimits, ARRAY_LEN(rlimits) - IS_SANITIZED);
}

static int only_this_folder(void)
{
	auto_fd int fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	const struct confine_path path = { fd, CONFINE_PATH_READ };
	return fd < 0 ? errno : confine_landlock_if_any(&path, 1, true);
}

static int give_up(const struct pen *pen)
{
	bool is_root = geteuid() == 0;
	int errnum = move_in(pen->dir_fd);
	if (errnum == 0 && !IS_SANITIZED)
		errnum = confine_not_dumpable();
	if (errnum == 0)
		errnum = confine_no_new_privs();
	if (errnum == 0)
		errnum = only_this_folder();
	if (errnum == 0)
		errnum = drop_identity(is_root);
	if (errnum == 0)
		errnum = limit_resources(pen);
	return errnum == 0 && !IS_SANITIZED ? confine_filter(filter, ARRAY_LEN(filter)) : errnum;
}

struct reply {
	int result;
	struct error err;
	char answer[PEN_MAX_ANSWER_BYTES];
};

/* Only what the child needs, at the lowest numbers. */
static bool sort_fds(struct pen *pen, int *reply_fd)
{
	int fds[3] = { fcntl(pen->dir_fd, F_DUPFD_CLOEXEC, 32),
		       fcntl(pen->out_fd, F_DUPFD_CLOEXEC, 32),
		       fcntl(*reply_fd, F_DUPFD_CLOEXEC, 32) };
	for (int i = 0; i < 3; i++) {
		if (fds[i] < 0 || dup3(fds[i], FIRST_OWN_FD + i, O_CLOEXEC) < 0)
			return false;
	}
	pen->dir_fd = FIRST_OWN_FD;
	pen->out_fd = FIRST_OWN_FD + 1;
	*reply_fd = FIRST_OWN_FD + 2;
	return confine_close_fds(FIRST_OWN_FD + 3) == 0;
}

static _Noreturn void run_child(struct pen *pen, int reply_fd)
{
	static struct reply reply;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	int errnum = sort_fds(pen, &reply_fd) ? give_up(pen) : errno;
	if (errnum != 0) {
		reply.result = error_set(&reply.err, ERR_SYSTEM, errnum, pen->name,
					 "cannot give up its rights before it reads");
		(void)error_remedy(&reply.err, reply.result, "see foso doctor");
	} else {
		reply.result =
			pen->run(pen->dir_fd, pen->out_fd, pen->order, reply.answer, &reply.err);
	}
	ssize_t n = write(reply_fd, &reply, sizeof(reply));
	_exit(n == (ssize_t)sizeof(reply) ? 0 : 1);
}

static bool read_reply(int fd, struct reply *reply)
{
	size_t at = 0;
	while (at < sizeof(*reply)) {
		ssize_t n = read(fd, (char *)reply + at, sizeof(*reply) - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

/* The child may have been taken over: its error is words, and nothing more. */
static int take_error(struct reply *reply, struct error *err)
{
	struct error *said = &reply->err;
	if (reply->result == 0)
		return 0;
	said->subject[sizeof(said->subject) - 1] = '\0';
	said->message[sizeof(said->message) - 1] = '\0';
	said->remedy[sizeof(said->remedy) - 1] = '\0';
	bool is_known = said->code > ERR_NONE && said->code < ERR_N_CODES;
	int r = error_set(err, is_known ? said->code : ERR_CORRUPT, 0, said->subject, "%s",
			  said->message);
	return error_remedy(err, r, "%s", said->remedy);
}

int pen_run(const struct pen *pen, struct error *err)
{
	static struct reply reply;
	int pipe_fds[2], status = 0;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, pen->name, "cannot be started");
		return error_remedy(err, r, "raise the limit of open files");
	}
	pid_t pid = fork();
	if (pid == 0) {
		struct pen own = *pen;
		run_child(&own, pipe_fds[1]);
	}
	int errnum = errno;
	close(pipe_fds[1]);
	bool has_reply = pid > 0 && read_reply(pipe_fds[0], &reply);
	close(pipe_fds[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (!has_reply) {
		int r = error_set(err, ERR_SYSTEM, pid < 0 ? errnum : 0, pen->name,
				  pid < 0 ? "cannot be started"
					  : "was ended, by signal %d: its bounds are %llu s of CPU "
					    "time and %llu bytes",
				  WIFSIGNALED(status) ? WTERMSIG(status) : 0,
				  (unsigned long long)pen->cpu_seconds,
				  (unsigned long long)pen->max_out_bytes);
		return error_remedy(err, r, "give the build smaller steps");
	}
	int r = take_error(&reply, err);
	if (r == 0)
		memcpy(pen->ret_answer, reply.answer, pen->answer_bytes);
	return r;
}
