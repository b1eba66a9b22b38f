/* SPDX-License-Identifier: Apache-2.0 */
/* spawn.c - foso-unpack as a child */
#include "image/write/spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/programs.h"
#include "base/syscalls.h"
#include "confine/confine.h"
#include "image/answer.h"
#include "wire/packet.h"

/* Ranges of ids that neither users nor sandboxes have (levels/process/process.h). */
#define FIRST_ID 0x60000000u
#define N_IDS    65536u
#define N_RANGES 4096u

#define NAMESPACES \
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)

/* stdin, stdout, stderr, the answer, the two folders, and the program, which exec closes. */
#define N_FDS      7
#define PROGRAM_FD 6

enum message { MESSAGE_GO = 1 };

/* What the child needs between clone and exec. */
struct start {
	const char *const *words;
	int program_fd, null_fd, input_fd, output_fd, answer_fd;
	int sync_fd; /* -1: a reader, which waits for nothing */
	int far_fd;  /* the parent's end of it: held by the child, it would hide the parent's end */
	const struct image_store *store;
	const char *top; /* of one that opens its folders itself, being flat */
	bool has_lower, is_flat;
};

static int failed(struct error *err, int errnum, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "foso-unpack", "%s", what);
	return error_remedy(err, r,
			    "see what foso doctor says; install foso as a whole (./x build)");
}

uint64_t monotonic_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * UINT64_C(1000000000) + (uint64_t)now.tv_nsec;
}

/* An id that is not mapped here is not taken; setfsuid() says so without any other effect. */
bool store_is_flat(void)
{
	if (geteuid() != 0)
		return true;
	(void)setfsuid(FIRST_ID);
	return (uid_t)setfsuid(0) != FIRST_ID;
}

int wait_for(int fd, short events, uint64_t deadline_ns, struct error *err)
{
	for (;;) {
		uint64_t now = monotonic_ns();
		struct pollfd item = { .fd = fd, .events = events };
		uint64_t left_ms = now < deadline_ns ? (deadline_ns - now) / 1000000 + 1 : 0;
		int n = left_ms == 0 ? 0 : poll(&item, 1, (int)MIN(left_ms, UINT64_C(60000)));
		if (n > 0)
			return 0;
		if (n < 0 && errno != EINTR)
			return failed(err, errno, "cannot be waited for");
		if (left_ms == 0) {
			int r = error_set(err, ERR_TIMEOUT, 0, "image",
					  "was not read within its time (limit: time)");
			return error_remedy(err, r,
					    "if you trust the image, give a longer --max-time");
		}
	}
}

/*
 * @fds become descriptors 0, 1, ..., and nothing else stays open.  They are moved up first, since
 * one may lie where another one goes.
 */
static int place_fds(const int fds[N_FDS])
{
	int high[N_FDS];
	for (int i = 0; i < N_FDS; i++) {
		high[i] = fds[i] < 0 ? -1 : fcntl(fds[i], F_DUPFD_CLOEXEC, 32);
		if (fds[i] >= 0 && high[i] < 0)
			return -1;
	}
	for (int i = 0; i < N_FDS; i++) {
		if (high[i] >= 0 && dup2(high[i], i) < 0)
			return -1;
		if (high[i] < 0)
			(void)close(i);
	}
	return confine_close_fds(N_FDS) != 0 || fcntl(PROGRAM_FD, F_SETFD, FD_CLOEXEC) < 0 ? -1 : 0;
}

/* An ordinary user's mounts can be made in his own namespace alone, so by path and by the child. */
static int open_flat(const struct start *start, const char *below)
{
	char path[IMAGE_STORE_PATH_BYTES + IMAGE_PATH_BYTES];
	struct mount_attr attr = { .attr_set = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV };
	(void)snprintf(path, sizeof(path), "%s/%s", start->store->path, below);
	auto_fd int fd = sys_open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd < 0 || sys_mount_setattr(fd, "", AT_EMPTY_PATH, &attr) < 0)
		return -1;
	return take_fd(&fd);
}

static int become_apart(const struct start *start, int folders[2])
{
	static const struct packet_bound bounds[] = { { MESSAGE_GO, 0, 2 } };
	uint8_t unused[1];
	int fds[PACKET_MAX_FDS];
	struct packet_view view = { .bytes = unused, .max_bytes = 0, .fds = fds };
	if (packet_recv(start->sync_fd, &view, bounds, ARRAY_LEN(bounds), 0) != 0)
		return -1;
	for (size_t i = 0; i < view.n_fds; i++)
		folders[i] = fds[i];
	if (start->is_flat) {
		folders[0] = open_flat(start, start->top);
		folders[1] = start->has_lower ? open_flat(start, "layers") : -1;
	}
	if (folders[0] < 0 || (start->has_lower && folders[1] < 0))
		return -1;
	if (!start->is_flat && syscall(SYS_setgroups, 0, NULL) < 0)
		return -1;
	return syscall(SYS_setresgid, 0, 0, 0) < 0 || syscall(SYS_setresuid, 0, 0, 0) < 0 ? -1 : 0;
}

static _Noreturn void run_child(const struct start *start, pid_t parent)
{
	static char *no_environment[] = { NULL };
	char *argv[IMAGE_MAX_LAYERS + 8] = { (char *)(uintptr_t) "foso-unpack" };
	int folders[2] = { -1, -1 };
	for (size_t i = 0; start->words[i] && i + 2 < ARRAY_LEN(argv); i++)
		argv[i + 1] = (char *)(uintptr_t)start->words[i];
	confine_signals();
	/* Before it waits for a parent that may be killed meanwhile; a change of ids forgets it. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (start->far_fd >= 0)
		(void)close(start->far_fd);
	if (start->sync_fd >= 0 && become_apart(start, folders) < 0)
		_exit(125);
	const int fds[N_FDS] = {
		start->input_fd,  start->output_fd < 0 ? start->null_fd : start->output_fd,
		start->null_fd,   start->answer_fd,
		folders[0],       folders[1],
		start->program_fd
	};
	/* Of a namespace of processes its parent is nobody; of ours, it may be gone already. */
	if (prctl(PR_SET_PDEATHSIG, SIGKILL) < 0 || (start->sync_fd < 0 && getppid() != parent))
		_exit(125);
	if (place_fds(fds) == 0)
		(void)sys_execveat(PROGRAM_FD, "", argv, no_environment, AT_EMPTY_PATH);
	_exit(125);
}

static int open_programs(struct start *start, struct error *err)
{
	char path[PROGRAM_PATH_BYTES];
	int r = program_path("foso-unpack", path, err);
	if (r < 0)
		return r;
	start->program_fd = openat(AT_FDCWD, path, O_PATH | O_CLOEXEC);
	start->null_fd = openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
	return start->program_fd < 0 || start->null_fd < 0 ? failed(err, errno, "cannot be opened")
							   : 0;
}

static int start_child(struct start *start, uint64_t flags, struct child *ret, struct error *err)
{
	int answer[2];
	struct clone_args args = { .flags = flags | CLONE_PIDFD, .exit_signal = SIGCHLD };
	int r = open_programs(start, err);
	if (r == 0 && pipe2(answer, O_CLOEXEC) < 0)
		r = failed(err, errno, "cannot be given a pipe");
	if (r == 0) {
		pid_t parent = getpid();
		start->answer_fd = answer[1];
		args.pidfd = (uint64_t)(uintptr_t)(void *)&ret->pidfd;
		ret->answer_fd = answer[0];
		ret->pid = (pid_t)sys_clone3(&args);
		if (ret->pid == 0)
			run_child(start, parent);
		if (ret->pid < 0) {
			r = failed(err, errno, "cannot be started");
			ret->pid = 0;
			ret->pidfd = -1;
		}
		close(answer[1]);
	}
	fd_close(&start->program_fd);
	fd_close(&start->null_fd);
	return r;
}

int child_start(const char *const *words, int input_fd, int output_fd, struct child *ret,
		struct error *err)
{
	struct start start = { .words = words,
			       .program_fd = -1,
			       .null_fd = -1,
			       .input_fd = input_fd,
			       .output_fd = output_fd,
			       .sync_fd = -1,
			       .far_fd = -1 };
	*ret = CHILD_NONE;
	return start_child(&start, 0, ret, err);
}

static int write_file(pid_t pid, const char *which, const char *text)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, which);
	auto_fd int fd = openat(AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ? -1 : 0;
}

static int map_ids(const struct child *child)
{
	char uids[64], gids[64];
	unsigned first = FIRST_ID + (unsigned)getpid() % N_RANGES * N_IDS;
	if (child->is_flat && write_file(child->pid, "setgroups", "deny") < 0)
		return -1;
	(void)snprintf(uids, sizeof(uids), "0 %u %u", child->is_flat ? geteuid() : first,
		       child->is_flat ? 1 : N_IDS);
	(void)snprintf(gids, sizeof(gids), "0 %u %u", child->is_flat ? getegid() : first,
		       child->is_flat ? 1 : N_IDS);
	return write_file(child->pid, "uid_map", uids) < 0 ||
			       write_file(child->pid, "gid_map", gids) < 0
		       ? -1
		       : 0;
}

/* A folder of the store as the child will see it: owner 0 on disk is its own root. */
static int open_mapped(const struct image_store *store, const char *below, int userns_fd,
		       uint64_t attributes)
{
	struct mount_attr attr = { .attr_set = attributes | MOUNT_ATTR_IDMAP,
				   .propagation = MS_PRIVATE,
				   .userns_fd = (unsigned)userns_fd };
	auto_fd int fd = sys_open_tree(store->dir_fd, below, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	if (fd < 0 || sys_mount_setattr(fd, "", AT_EMPTY_PATH, &attr) < 0)
		return -1;
	return take_fd(&fd);
}

static int hand_over(const struct image_store *store, const struct child *child, const char *top,
		     bool has_lower, int sync_fd)
{
	char path[64];
	auto_fd int top_fd = -1, lower_fd = -1;
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)child->pid);
	auto_fd int userns_fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (!child->is_flat) {
		uint64_t safe = MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV;
		top_fd = open_mapped(store, top, userns_fd, safe);
		if (top_fd < 0)
			return -1;
		if (has_lower)
			lower_fd =
				open_mapped(store, "layers", userns_fd, safe | MOUNT_ATTR_RDONLY);
		if (has_lower && lower_fd < 0)
			return -1;
	}
	const int fds[2] = { top_fd, lower_fd };
	size_t n_fds = (size_t)(top_fd >= 0) + (size_t)(lower_fd >= 0);
	errno = packet_send(sync_fd, MESSAGE_GO, NULL, 0, fds, n_fds);
	return errno == 0 ? 0 : -1;
}

int child_start_apart(const struct image_store *store, const char *const *words, int input_fd,
		      const char *top, bool has_lower, struct child *ret, struct error *err)
{
	int sync[2];
	struct start start = { .words = words,
			       .program_fd = -1,
			       .null_fd = -1,
			       .input_fd = input_fd,
			       .output_fd = -1,
			       .store = store,
			       .top = top,
			       .has_lower = has_lower,
			       .is_flat = store_is_flat() };
	*ret = CHILD_NONE;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sync) < 0)
		return failed(err, errno, "cannot be given a socket");
	start.sync_fd = sync[1];
	start.far_fd = sync[0];
	ret->is_flat = start.is_flat;
	int r = start_child(&start, NAMESPACES, ret, err);
	close(sync[1]);
	if (r == 0 && map_ids(ret) < 0)
		r = failed(err, errno, "cannot be given ids of its own");
	if (r == 0 && hand_over(store, ret, top, has_lower, sync[0]) < 0) {
		r = error_set(err, ERR_UNSUPPORTED, errno, store->path,
			      "its file system cannot map owners");
		r = error_remedy(err, r,
				 "put the image store on ext4, xfs, btrfs or tmpfs: set "
				 "$FOSO_IMAGES");
	}
	close(sync[0]);
	if (r < 0)
		child_fini(ret);
	return r;
}

int child_answer(struct child *child, uint64_t deadline_ns, struct buf *ret_answer,
		 struct error *err)
{
	char part[16 * 1024];
	int r;
	for (;;) {
		r = wait_for(child->answer_fd, POLLIN, deadline_ns, err);
		if (r < 0)
			break;
		ssize_t n = read(child->answer_fd, part, sizeof(part));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			break;
		buf_append(ret_answer, part, (size_t)n);
		if (!buf_is_whole(ret_answer))
			break; /* no answer is that long, and decoding will say so */
	}
	child_fini(child);
	return r;
}

void child_fini(struct child *child)
{
	siginfo_t info;
	if (child->pid > 0) {
		(void)sys_pidfd_send_signal(child->pidfd, SIGKILL);
		while (waitid(P_PID, (id_t)child->pid, &info, WEXITED) < 0 && errno == EINTR)
			;
	}
	child->pid = 0;
	fd_close(&child->pidfd);
	fd_close(&child->answer_fd);
}
