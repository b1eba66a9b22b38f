/* SPDX-License-Identifier: Apache-2.0 */
/*
 * start.c - from files and sockets to foso-wasm in its namespaces
 *
 * The child has rights in its own user namespace only, gives up even those, and becomes foso-wasm
 * with four descriptors and nothing else of the caller's: no environment, no terminal.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <sched.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/programs.h"
#include "base/syscalls.h"
#include "confine/confine.h"
#include "levels/wasm/wasm.h"

#define NAMESPACES (CLONE_NEWUSER | CLONE_NEWPID | CLONE_NEWIPC | CLONE_NEWUTS | CLONE_NEWNET)

#define N_FDS      (WASM_N_FDS - WASM_CHANNEL_FD)
#define FD(number) fds[(number)-WASM_CHANNEL_FD]
#define HOST_STACK (8u << 20)

struct child {
	int fds[N_FDS]; /* what is to be at WASM_CHANNEL_FD and behind it */
	int program_fd, null_fd;
	uint64_t stack_bytes;
	struct wasm_folders *folders;
};

static int fail(struct error *err, int errnum, const char *subject, const char *message,
		const char *remedy)
{
	int r = error_set(err, ERR_SYSTEM, errnum, subject, "%s", message);
	return error_remedy(err, r, "%s", remedy);
}

/* Waits for the id maps; the channel carries one byte of its own before its first message. */
static bool await_maps(int channel_fd)
{
	char byte;
	ssize_t n;
	do
		n = recv(channel_fd, &byte, 1, 0);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

static int move(int *fd)
{
	*fd = fcntl(*fd, F_DUPFD_CLOEXEC, WASM_OUT_OF_WAY);
	return *fd < 0 ? errno : 0;
}

/* The folders and, before them, the socket to the helper; nothing else of ours stays open. */
static int place_folders(const struct wasm_folders *folders)
{
	unsigned n = (unsigned)wasm_folders_count(folders);
	if (folders->n_items == 0)
		return confine_close_fds(WASM_N_FDS + 1);
	if (syscall(SYS_close_range, WASM_N_FDS + 1, WASM_FIRST_FOLDER_FD - 1, 0) < 0 ||
	    dup3(folders->helper_fd, WASM_HELPER_FD, 0) < 0)
		return errno;
	for (unsigned i = 0; i < n; i++) {
		if (dup3(folders->opened_fds[i], WASM_FIRST_FOLDER_FD + (int)i, 0) < 0)
			return errno;
	}
	return confine_close_fds(WASM_FIRST_FOLDER_FD + n);
}

static int place_fds(struct child *child)
{
	int r = move(&child->program_fd);
	if (r == 0)
		r = move(&child->null_fd);
	for (int i = 0; r == 0 && i < N_FDS; i++)
		r = move(&child->fds[i]);
	for (int fd = 0; r == 0 && fd < WASM_CHANNEL_FD; fd++)
		r = dup3(child->null_fd, fd, 0) < 0 ? errno : 0;
	for (int i = 0; r == 0 && i < N_FDS; i++)
		r = dup3(child->fds[i], WASM_CHANNEL_FD + i, 0) < 0 ? errno : 0;
	if (r == 0 && dup3(child->program_fd, WASM_N_FDS, O_CLOEXEC) < 0)
		r = errno;
	return r == 0 ? place_folders(child->folders) : r;
}

static int become_nobody(const struct child *child)
{
	const struct confine_rlimit rlimits[] = {
		{ RLIMIT_CORE, 0 },
		{ RLIMIT_MEMLOCK, 0 },
		{ RLIMIT_MSGQUEUE, 0 },
		/* Of the main thread, on which the guest runs, and the host's calls behind it. */
		{ RLIMIT_STACK, child->stack_bytes + HOST_STACK },
	};
	int r = confine_rlimits(rlimits, ARRAY_LEN(rlimits));
	if (r != 0)
		return r;
	/* Groups of root's: given up where that is allowed; else they are not mapped and no use. */
	(void)syscall(SYS_setgroups, 0, NULL);
	if (syscall(SYS_setresgid, WASM_INNER_ID, WASM_INNER_ID, WASM_INNER_ID) < 0 ||
	    syscall(SYS_setresuid, WASM_INNER_ID, WASM_INNER_ID, WASM_INNER_ID) < 0)
		return errno;
	r = confine_no_new_privs();
	return r == 0 ? confine_capabilities() : r;
}

/* What it could not show it says itself, with the field that named it. */
static void build_root(struct child *child)
{
	struct wasm_failed failed = { .subject = "" };
	char storage[1024];
	struct buf bytes = BUF_ON(storage, sizeof(storage) - 1);
	if (child->folders->n_items == 0 || wasm_root_build(child->folders, &failed) == 0)
		return;
	wasm_failed_encode(&failed, &bytes);
	(void)wasm_channel_send(child->FD(WASM_CHANNEL_FD), WASM_FAILED, bytes.data, bytes.len,
				NULL, 0);
	_exit(1);
}

static _Noreturn void child_main(struct child *child)
{
	char *argv[] = { (char[]){ "foso-wasm" }, NULL };
	char *envp[] = { NULL };
	if (!await_maps(child->FD(WASM_CHANNEL_FD)))
		_exit(1);
	build_root(child);
	int r = become_nobody(child);
	if (r == 0)
		r = place_fds(child);
	if (r == 0) {
		confine_signals();
		(void)umask(child->folders->n_items > 0 ? 022 : 077);
		/* Changing ids forgets it, so it comes after. */
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		sys_execveat(WASM_N_FDS, "", argv, envp, AT_EMPTY_PATH);
	}
	_exit(1);
}

static int write_proc(pid_t pid, const char *name, const char *text)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	auto_fd int fd = openat(AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, text, strlen(text)) < 0 ? -1 : 0;
}

/* FNV-1a: spreads the random names of sandboxes over the ids. */
static unsigned choose_uid(const char *id)
{
	uint32_t hash = 2166136261u;
	for (; *id; id++)
		hash = (hash ^ (uint8_t)*id) * 16777619u;
	return WASM_FIRST_UID + hash % WASM_N_UIDS / 2 * 2;
}

/* Its own id; started by root, also the id 0 that owns what foso makes in its root. */
static void write_map(char text[64], unsigned id, bool is_root)
{
	int len = snprintf(text, 64, "%u %u 1", WASM_INNER_ID, id);
	if (is_root)
		(void)snprintf(text + len, 64 - (size_t)len, "\n0 %u 1", id + 1);
}

void wasm_choose_ids(const char *id, unsigned *ret_uid, unsigned *ret_gid)
{
	bool is_root = geteuid() == 0;
	*ret_uid = is_root ? choose_uid(id) : geteuid();
	*ret_gid = is_root ? *ret_uid : getegid();
}

static int map_ids(const struct wasm *wasm, unsigned uid, unsigned gid, struct error *err)
{
	bool is_root = geteuid() == 0;
	char uids[64], gids[64];
	write_map(uids, uid, is_root);
	write_map(gids, gid, is_root);
	if (write_proc(wasm->pid, "uid_map", uids) < 0 ||
	    (!is_root && write_proc(wasm->pid, "setgroups", "deny") < 0) ||
	    write_proc(wasm->pid, "gid_map", gids) < 0)
		return fail(err, errno, "level 'wasm'",
			    "the id of the user namespace cannot be mapped",
			    "allow user namespaces, and run as root only where all ids are mapped");
	if (send(wasm->channel_fd, "m", 1, MSG_NOSIGNAL) != 1)
		return fail(err, errno, "sandbox", "the child is gone", "see foso doctor");
	return 0;
}

static int explain_clone(struct error *err, int errnum)
{
	int r = error_set(err, ERR_UNSUPPORTED, errnum, "level 'wasm'",
			  "namespaces cannot be made");
	return error_remedy(err, r,
			    "allow user namespaces (sysctl kernel.unprivileged_userns_clone=1, "
			    "user.max_user_namespaces), or run as root; see foso doctor");
}

static int open_program(const char *name, int *ret_fd, struct error *err)
{
	not_zeroed char path[PROGRAM_PATH_BYTES];
	int r = program_path(name, path, err);
	if (r < 0)
		return r;
	*ret_fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	return *ret_fd < 0 ? fail(err, errno, path, "cannot be opened",
				  "build or install foso as a whole (./x build)")
			   : 0;
}

static int open_programs(struct child *child, struct error *err)
{
	int r = open_program("foso-wasm", &child->program_fd, err);
	if (r == 0)
		r = open_program("libwasmtime.so", &child->FD(WASM_LIBRARY_FD), err);
	if (r < 0)
		return r;
	child->null_fd = openat(AT_FDCWD, "/dev/null", O_RDWR | O_CLOEXEC);
	return child->null_fd < 0
		       ? fail(err, errno, "/dev/null", "cannot be opened", "make the device")
		       : 0;
}

/* The module, and its code: there already, or an empty file that takes it. */
static int open_files(struct wasm *wasm, struct child *child, struct error *err)
{
	if (wasm->policy->runtime != POLICY_RUNTIME_NONE)
		return wasm_runtime_open(wasm, &child->FD(WASM_MODULE_FD), &child->FD(WASM_CODE_FD),
					 err);
	int r = wasm_module_open(wasm->policy->module, &child->FD(WASM_MODULE_FD),
				 wasm->module_digest, err);
	if (r == 0)
		r = wasm_cache_open(&wasm->folder_fd, err);
	if (r < 0)
		return r;
	wasm_cache_key(wasm->module_digest, wasm->key);
	int *code_fd = &child->FD(WASM_CODE_FD);
	if (wasm->folder_fd >= 0 &&
	    wasm_cache_find(wasm->folder_fd, wasm->key, code_fd, &wasm->was_damaged) == 1)
		return 0;
	wasm->was_compiled = true;
	wasm->code_fd = sys_memfd_create("foso-code", MFD_CLOEXEC | MFD_ALLOW_SEALING);
	*code_fd = wasm->code_fd < 0 ? -1 : fcntl(wasm->code_fd, F_DUPFD_CLOEXEC, 0);
	return *code_fd < 0 ? fail(err, errno, "sandbox", "no memory file for the code",
				   "free some memory")
			    : 0;
}

/* Interpreters recurse; they have a bound of their own below this. */
static uint64_t stack_bytes(const struct policy *policy)
{
	if (policy->runtime != POLICY_RUNTIME_NONE &&
	    policy->limits.stack_bytes == POLICY_UNLIMITED)
		return WASM_RUNTIME_STACK;
	return policy->limits.stack_bytes;
}

static int configure(struct wasm *wasm, struct error *err)
{
	const struct policy_limits *limits = &wasm->policy->limits;
	char *names[WASM_MAX_FOLDERS];
	struct wasm_configure configure = {
		.needs_compile = wasm->was_compiled,
		/* A sandbox with one command would only start it elsewhere. */
		.is_warm = policy_runtimes[wasm->policy->runtime].is_warm &&
			   wasm->policy->args.n_items == 0,
		.fuel = limits->fuel,
		.memory_bytes = limits->memory_bytes,
		.stack_bytes = stack_bytes(wasm->policy),
		.tables = limits->tables,
	};
	wasm_folders_configure(&wasm->folders, names, &configure);
	auto_buf struct buf bytes = BUF_INIT(WASM_MAX_MESSAGE_BYTES);
	wasm_configure_encode(&configure, &bytes);
	int r = buf_is_whole(&bytes) ? 0 : E2BIG;
	if (r == 0)
		r = wasm_channel_send(wasm->channel_fd, WASM_CONFIGURE, bytes.data, bytes.len, NULL,
				      0);
	if (r == 0 && !wasm->was_compiled)
		r = wasm_channel_send(wasm->channel_fd, WASM_LOAD, NULL, 0, NULL, 0);
	return r == 0 ? 0 : fail(err, r, "sandbox", "the child is gone", "see foso doctor");
}

static int clone_child(struct wasm *wasm, struct child *child, struct error *err)
{
	int pidfd = -1;
	struct clone_args args = {
		.flags = NAMESPACES | CLONE_PIDFD | (wasm->folders.n_items > 0 ? CLONE_NEWNS : 0),
		.pidfd = (uint64_t)(uintptr_t)&pidfd,
		.exit_signal = SIGCHLD,
	};
	/* Version 2 lets only a member of the tree clone into another group of it. */
	if (wasm->has_groups && wasm->groups.agent_fd >= 0) {
		args.flags |= CLONE_INTO_CGROUP;
		args.cgroup = (unsigned)wasm->groups.agent_fd;
	}
	pid_t pid = (pid_t)sys_clone3(&args);
	if (pid == 0)
		child_main(child);
	if (pid < 0)
		return explain_clone(err, errno);
	wasm->pid = pid;
	wasm->pidfd = pidfd;
	return 0;
}

/* If the child could not show one of them, its own words say more. */
static int give_folders(struct sandbox *sandbox, struct wasm *wasm, struct error *err)
{
	struct wasm_folders *folders = &wasm->folders;
	static struct wasm_packet packet;
	struct wasm_failed failed;
	int r = wasm_folders_send(folders, sandbox->id, wasm->pid, wasm->pidfd, err);
	if (r == 0)
		r = wasm_folders_finish(folders, err);
	if (r == 0 || wasm_channel_recv(wasm->channel_fd, &packet, MSG_DONTWAIT) != 0)
		return r;
	if (packet.number == WASM_FAILED && wasm_failed_decode(&failed, packet.bytes, packet.len)) {
		error_clear(err);
		r = error_set(err, ERR_REFUSED, 0, failed.subject, "%s", failed.message);
		r = error_remedy(err, r, "%s", failed.remedy);
	}
	wasm_packet_close(&packet);
	return r;
}

static int announce(struct sandbox *sandbox, struct error *err)
{
	return sandbox->announce ? sandbox->announce(sandbox, err) : 0;
}

/* On version 2 foso-wasm is born in its group; else groups are made while it loads the library. */
static int stand(struct sandbox *sandbox, struct wasm *wasm, struct child *child, struct error *err)
{
	bool has_v2 = cgroup_this_host()->version == CGROUP_V2;
	unsigned uid, gid;
	int r = 0;
	wasm_choose_ids(sandbox->id, &uid, &gid);
	if (has_v2 && ((r = announce(sandbox, err)) < 0 ||
		       (r = wasm_groups_make(sandbox, wasm, uid, gid, err)) < 0))
		return r;
	if ((r = clone_child(wasm, child, err)) < 0)
		return r;
	sandbox->root_pid = wasm->pid;
	if ((!has_v2 && (r = announce(sandbox, err)) < 0) ||
	    (r = map_ids(wasm, uid, gid, err)) < 0 || (r = configure(wasm, err)) < 0 ||
	    (r = give_folders(sandbox, wasm, err)) < 0)
		return r;
	return has_v2 ? 0 : wasm_groups_make(sandbox, wasm, uid, gid, err);
}

static int start(struct sandbox *sandbox, struct wasm *wasm, struct child *child, struct error *err)
{
	int sockets[2], r;
	uint64_t bytes = stack_bytes(wasm->policy);
	child->stack_bytes = bytes == POLICY_UNLIMITED ? 0 : bytes;
	child->folders = &wasm->folders;
	if ((r = open_programs(child, err)) < 0 || (r = open_files(wasm, child, err)) < 0 ||
	    (r = wasm_folders_open(&wasm->folders, choose_uid(sandbox->id), err)) < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return fail(err, errno, "sandbox", "no socket to foso-wasm",
			    "raise the limit of open files");
	wasm->channel_fd = sockets[0];
	child->FD(WASM_CHANNEL_FD) = sockets[1];
	return stand(sandbox, wasm, child, err);
}

int wasm_start(struct sandbox *sandbox, struct wasm *wasm, struct error *err)
{
	struct child child = { .fds = { -1, -1, -1, -1 }, .program_fd = -1, .null_fd = -1 };
	int r = start(sandbox, wasm, &child, err);
	for (int i = 0; i < N_FDS; i++)
		fd_close(&child.fds[i]);
	fd_close(&child.program_fd);
	fd_close(&child.null_fd);
	return r;
}
