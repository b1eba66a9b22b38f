/* SPDX-License-Identifier: Apache-2.0 */
/*
 * erofs.c - one file system image of all layers of an image, by mkfs.erofs
 *
 * mkfs.erofs walks a tree that a stranger made, so it gets no rights but to read that tree, the
 * system's programs and libraries, and to write one file:
 *
 *   we                                         child: own user, mount, pid, net, ipc namespaces
 *   id maps; the layers as one mount --------> an overlay of them, read-only
 *   output file, owned by an id of his ------> capabilities but CAP_DAC_READ_SEARCH given up,
 *                                              Landlock, seccomp, rlimits; exec mkfs.erofs
 *   deadline; the file becomes the store's
 *
 * The program gives inode and block numbers in the order of sorted names, so the UUID and the time
 * of the file system are all that has to be fixed for equal bytes.  Its option for the time (-T)
 * would set that of all files too; $SOURCE_DATE_EPOCH changes only those of later files, so it is
 * the end of the year 9999.
 */
#include "imagetool/erofs.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/syscalls.h"
#include "confine/confine.h"
#include "confine/seccomp.h"
#include "image/link.h"

#define FIRST_UID       0x6fff0000u /* below those of sandboxes */
#define N_UIDS          65536u
#define DEADLINE_MS     (20 * 60 * 1000)
#define MAX_CPU_SECONDS (15 * 60)
#define MAX_WORDS_BYTES 160 /* of what the program says when it fails */
#define SAFE            (MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV | MOUNT_ATTR_RDONLY)
#define SCRATCH         "/sys" /* covered in the child's mount namespace, where nobody needs it */
#define NAMESPACES \
	(CLONE_NEWUSER | CLONE_NEWNS | CLONE_NEWPID | CLONE_NEWNET | CLONE_NEWIPC | CLONE_NEWUTS)

struct job {
	const struct image_store *store;
	const struct image_record *record;
	const char *program;
	char uuid[40];
	char path[IMAGE_PATH_BYTES], staging[IMAGE_PATH_BYTES];
	struct seccomp_program filter;
	uint64_t max_bytes;
	bool is_root;
	int out_fd, layers_fd, null_fd;
	int sync_fd, child_sync_fd;   /* "mapped", and the layers */
	int words_fd, child_words_fd; /* what the program says */
	pid_t pid;
	int pidfd;
};

static int fail(struct error *err, int errnum, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "erofs", "%s", what);
	return error_remedy(err, r, "see foso doctor, and the disk that holds the image store");
}

/* ---- the child: every step returns 0 or an errno ---- */

static int receive_layers(const struct job *job, int *ret_fd)
{
	char byte;
	union {
		struct cmsghdr align;
		char bytes[CMSG_SPACE(sizeof(int))];
	} control;
	struct iovec part = { .iov_base = &byte, .iov_len = 1 };
	struct msghdr message = { .msg_iov = &part,
				  .msg_iovlen = 1,
				  .msg_control = control.bytes,
				  .msg_controllen = sizeof(control.bytes) };
	if (recvmsg(job->child_sync_fd, &message, MSG_CMSG_CLOEXEC) != 1)
		return EPIPE;
	if (!job->is_root)
		return 0;
	if (!CMSG_FIRSTHDR(&message))
		return EPROTO;
	memcpy(ret_fd, CMSG_DATA(&control.align), sizeof(int));
	return 0;
}

/* An ordinary user's child opens them at their path: mounts of another namespace are closed. */
static int clone_layers(const struct job *job, int *ret_fd)
{
	char path[IMAGE_STORE_PATH_BYTES];
	ssize_t len = fd_path(job->layers_fd, path, sizeof(path));
	if (len < 0)
		return (int)-len;
	*ret_fd = sys_open_tree(AT_FDCWD, path, OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_RECURSIVE);
	return *ret_fd < 0 ? errno : 0;
}

static int become_root_inside(const struct job *job)
{
	struct mount_attr private = { .propagation = MS_PRIVATE };
	if (job->is_root &&
	    (syscall(SYS_setgroups, 0, NULL) < 0 || syscall(SYS_setresgid, 0, 0, 0) < 0 ||
	     syscall(SYS_setresuid, 0, 0, 0) < 0))
		return errno;
	/* A change of ids forgets it. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	return sys_mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &private) < 0 ? errno : 0;
}

static int make_mount(const char *type, const char *const options[][2], size_t n_options,
		      unsigned attributes, const char *target)
{
	auto_fd int context = sys_fsopen(type, FSOPEN_CLOEXEC);
	if (context < 0)
		return errno;
	for (size_t i = 0; i < n_options; i++) {
		unsigned how = options[i][1] ? FSCONFIG_SET_STRING : FSCONFIG_SET_FLAG;
		if (sys_fsconfig(context, how, options[i][0], options[i][1], 0) < 0)
			return errno;
	}
	if (sys_fsconfig(context, FSCONFIG_CMD_CREATE, NULL, NULL, 0) < 0)
		return errno;
	auto_fd int mount_fd = sys_fsmount(context, FSMOUNT_CLOEXEC, attributes);
	if (mount_fd < 0 ||
	    sys_move_mount(mount_fd, "", AT_FDCWD, target, MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return errno;
	return 0;
}

/* The uppermost layer is first in the list of an overlay; without an upper side it needs two. */
static int link_layers(const struct image_record *record, char list[IMAGE_LINK_LIST_BYTES])
{
	char layer[IMAGE_PATH_BYTES], path[IMAGE_PATH_BYTES + 8];
	for (size_t i = record->n_layers; i-- > 0;) {
		char name[2] = { image_link_name(i), '\0' };
		image_layer_path(record->layers[i].chain, layer);
		(void)snprintf(path, sizeof(path), "%s/fs", layer);
		if (symlink(path, name) < 0)
			return errno;
		*list++ = name[0];
		*list++ = ':';
	}
	*list++ = IMAGE_LINK_OWN[0];
	if (record->n_layers == 0) {
		*list++ = ':';
		*list++ = image_link_name(0);
		if (mkdir((char[]){ image_link_name(0), '\0' }, 0755) < 0)
			return errno;
	}
	*list = '\0';
	return 0;
}

static int show_tree(const struct job *job, int layers_fd)
{
	static const char *const scratch[][2] = { { "size", "1m" }, { "mode", "0755" } };
	char list[IMAGE_LINK_LIST_BYTES];
	const char *const overlay[][2] = { { "source", "foso" },
					   { "lowerdir", list },
					   { "userxattr", NULL } };
	int r = make_mount("tmpfs", scratch, ARRAY_LEN(scratch),
			   MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV, SCRATCH);
	if (r != 0)
		return r;
	if (chdir(SCRATCH) < 0 || mkdir("layers", 0755) < 0 || mkdir("tree", 0755) < 0 ||
	    mkdir(IMAGE_LINK_OWN, 0755) < 0 ||
	    sys_move_mount(layers_fd, "", AT_FDCWD, "layers", MOVE_MOUNT_F_EMPTY_PATH) < 0)
		return errno;
	r = link_layers(job->record, list);
	return r != 0 ? r : make_mount("overlay", overlay, ARRAY_LEN(overlay), SAFE, "tree");
}

/* What a dynamic program needs of this machine, the tree, and the one file. */
static int restrict_paths(const struct job *job)
{
	static const char *const readable[] = { "/usr", "/lib",     "/lib64", "/etc/ld.so.cache",
						"tree", "/dev/null" };
	struct confine_path paths[ARRAY_LEN(readable) + 1] = {
		{ job->out_fd, CONFINE_PATH_READ | CONFINE_PATH_WRITE }
	};
	size_t n_paths = 1;
	for (size_t i = 0; i < ARRAY_LEN(readable); i++) {
		int fd = openat(AT_FDCWD, readable[i], O_PATH | O_CLOEXEC);
		if (fd >= 0)
			paths[n_paths++] = (struct confine_path){ fd, CONFINE_PATH_READ };
	}
	return confine_landlock_if_any(paths, n_paths, true);
}

static int restrict_rights(const struct job *job)
{
	const struct confine_rlimit rlimits[] = {
		{ RLIMIT_FSIZE, job->max_bytes },
		{ RLIMIT_CPU, MAX_CPU_SECONDS },
		{ RLIMIT_NPROC, 1 },
		{ RLIMIT_NOFILE, 64 },
		{ RLIMIT_CORE, 0 },
	};
	int r = confine_no_new_privs();
	if (r == 0)
		r = restrict_paths(job);
	if (r == 0)
		r = confine_rlimits(rlimits, ARRAY_LEN(rlimits));
	return r != 0 ? r : confine_capabilities_keep(1u << CAP_DAC_READ_SEARCH);
}

#define OUT_FD 3
#define TIME   "253402300799"

static int take_fds(const struct job *job)
{
	int out_fd = fcntl(job->out_fd, F_DUPFD_CLOEXEC, OUT_FD + 1);
	int words_fd = fcntl(job->child_words_fd, F_DUPFD_CLOEXEC, OUT_FD + 1);
	if (out_fd < 0 || words_fd < 0 || dup3(job->null_fd, 0, 0) < 0 ||
	    dup3(words_fd, 1, 0) < 0 || dup3(words_fd, 2, 0) < 0 || dup3(out_fd, OUT_FD, 0) < 0)
		return errno;
	return confine_close_fds(OUT_FD + 1);
}

static int build(const struct job *job)
{
	char uuid[48];
	char *argv[] = { (char[]){ "mkfs.erofs" },
			 (char[]){ "--quiet" },
			 (char[]){ "--preserve-mtime" },
			 uuid,
			 (char[]){ "/proc/self/fd/3" },
			 (char[]){ "tree" },
			 NULL };
	char *envp[] = { (char[]){ "SOURCE_DATE_EPOCH=" TIME }, NULL };
	int layers_fd = -1;
	(void)snprintf(uuid, sizeof(uuid), "-U%s", job->uuid);
	int r = receive_layers(job, &layers_fd);
	if (r != 0 || (r = become_root_inside(job)) != 0 ||
	    (!job->is_root && (r = clone_layers(job, &layers_fd)) != 0) ||
	    (r = show_tree(job, layers_fd)) != 0)
		return r;
	confine_signals();
	if ((r = restrict_rights(job)) != 0 || (r = take_fds(job)) != 0)
		return r;
	(void)umask(077);
	/* Nobody serves the listener: what the filter does not allow is ENOSYS. */
	int listener_fd =
		seccomp_program_install(job->filter.instructions, job->filter.n_instructions);
	if (listener_fd < 0)
		return -listener_fd;
	close(listener_fd);
	execve(job->program, argv, envp);
	return errno;
}

static _Noreturn void run_child(const struct job *job)
{
	int errnum = build(job);
	(void)dprintf(job->child_words_fd, "cannot be started (error %d)", errnum);
	_exit(125);
}

/* ---- the parent ---- */

static const char *find_program(void)
{
	static const char *const places[] = { "/usr/bin/mkfs.erofs", "/usr/sbin/mkfs.erofs",
					      "/sbin/mkfs.erofs", "/usr/local/bin/mkfs.erofs" };
	for (size_t i = 0; i < ARRAY_LEN(places); i++) {
		if (access(places[i], X_OK) == 0)
			return places[i];
	}
	return NULL;
}

/* As in RFC 9562, version 8: bits that we choose, here the manifest's. */
static void make_uuid(const uint8_t manifest[DIGEST_BYTES], char uuid[40])
{
	char hex[DIGEST_HEX_BYTES];
	digest_hex(manifest, hex);
	(void)snprintf(uuid, 40, "%.8s-%.4s-8%.3s-8%.3s-%.12s", hex, hex + 8, hex + 12, hex + 15,
		       hex + 18);
}

static int write_proc(pid_t pid, const char *name, const char *text)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	auto_fd int fd = openat(AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, text, strlen(text)) < 0 ? errno : 0;
}

static int map_ids(const struct job *job)
{
	char uids[64], gids[64];
	unsigned count = job->is_root ? N_UIDS : 1;
	(void)snprintf(uids, sizeof(uids), "0 %u %u", job->is_root ? FIRST_UID : geteuid(), count);
	(void)snprintf(gids, sizeof(gids), "0 %u %u", job->is_root ? FIRST_UID : getegid(), count);
	int r = write_proc(job->pid, "uid_map", uids);
	if (r == 0 && !job->is_root)
		r = write_proc(job->pid, "setgroups", "deny");
	return r != 0 ? r : write_proc(job->pid, "gid_map", gids);
}

/* The layers as the child sees them: owners are those of its user namespace. */
static int map_layers(const struct job *job, int *ret_tree_fd)
{
	char path[64];
	struct mount_attr attr = { .attr_set = SAFE | MOUNT_ATTR_IDMAP, .propagation = MS_PRIVATE };
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)job->pid);
	auto_fd int user_fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	auto_fd int tree = sys_open_tree(job->layers_fd, "",
					 OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC | AT_EMPTY_PATH);
	if (user_fd < 0 || tree < 0)
		return errno;
	attr.userns_fd = (__u64)user_fd;
	if (sys_mount_setattr(tree, "", AT_EMPTY_PATH, &attr) < 0)
		return errno;
	*ret_tree_fd = take_fd(&tree);
	return 0;
}

static int send_layers(const struct job *job)
{
	auto_fd int tree = -1;
	char byte = 'm';
	struct iovec part = { .iov_base = &byte, .iov_len = 1 };
	int r = map_ids(job);
	if (r == 0 && job->is_root)
		r = map_layers(job, &tree);
	return r != 0 ? r : fd_send(job->sync_fd, &part, 1, &tree, tree >= 0 ? 1 : 0);
}

static int start_child(struct job *job)
{
	struct clone_args args = { .flags = NAMESPACES | CLONE_PIDFD,
				   .pidfd = (uint64_t)(uintptr_t)&job->pidfd,
				   .exit_signal = SIGCHLD };
	int pair[2], words[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) < 0)
		return errno;
	job->sync_fd = pair[0];
	job->child_sync_fd = pair[1];
	if (pipe2(words, O_CLOEXEC) < 0)
		return errno;
	job->words_fd = words[0];
	job->child_words_fd = words[1];
	job->pid = (pid_t)sys_clone3(&args);
	if (job->pid == 0) {
		fd_close(&job->sync_fd);
		fd_close(&job->words_fd);
		run_child(job);
	}
	if (job->pid < 0)
		return errno;
	fd_close(&job->child_sync_fd);
	fd_close(&job->child_words_fd);
	return send_layers(job);
}

/* It says little, which fits into the pipe; what does not fit blocks it until the deadline. */
static int await_child(struct job *job, struct error *err)
{
	char words[MAX_WORDS_BYTES + 1];
	int status = 0;
	struct pollfd end = { .fd = job->pidfd, .events = POLLIN };
	int n = poll(&end, 1, DEADLINE_MS);
	(void)sys_pidfd_send_signal(job->pidfd, SIGKILL);
	while (waitpid(job->pid, &status, 0) < 0 && errno == EINTR)
		;
	job->pid = -1;
	if (n != 1) {
		int r = error_set(err, ERR_TIMEOUT, 0, "erofs", "mkfs.erofs took too long");
		return error_remedy(err, r, "see what else this machine does");
	}
	if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
		return 0;
	ssize_t len = read(job->words_fd, words, sizeof(words) - 1);
	words[len < 0 ? 0 : len] = '\0';
	words[strcspn(words, "\n")] = '\0';
	int r = error_set(err, ERR_SYSTEM, 0, "erofs", "mkfs.erofs failed: %s",
			  words[0] ? words : "it said nothing");
	return error_remedy(err, r, "see whether the disk of the image store is full");
}

/* Written by an id of the child's; then it becomes the store's, whole or not at all. */
static int keep_output(const struct job *job)
{
	if ((job->is_root && fchown(job->out_fd, 0, 0) < 0) || fchmod(job->out_fd, 0400) < 0 ||
	    fsync(job->out_fd) < 0 ||
	    renameat(job->store->dir_fd, job->staging, job->store->dir_fd, job->path) < 0)
		return errno;
	return 0;
}

static int open_files(struct job *job)
{
	(void)snprintf(job->staging, sizeof(job->staging), "staging/erofs-%d", (int)getpid());
	(void)unlinkat(job->store->dir_fd, job->staging, 0);
	job->out_fd = openat(job->store->dir_fd, job->staging,
			     O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	job->layers_fd =
		openat(job->store->dir_fd, "layers", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	job->null_fd = openat(AT_FDCWD, "/dev/null", O_RDONLY | O_CLOEXEC);
	if (job->out_fd < 0 || job->layers_fd < 0 || job->null_fd < 0 ||
	    (job->is_root && fchown(job->out_fd, FIRST_UID, FIRST_UID) < 0))
		return errno;
	return 0;
}

static void choose_size(struct job *job)
{
	const struct image_record *record = job->record;
	job->max_bytes = 64 * 1024 * 1024;
	for (size_t i = 0; i < record->n_layers; i++)
		job->max_bytes += 2 * record->layers[i].tree_bytes +
				  (uint64_t)16 * 1024 * record->layers[i].n_entries;
}

static int make_filter(struct job *job, struct error *err)
{
	struct policy policy;
	int r = policy_init(&policy, err);
	if (r < 0)
		return r;
	r = seccomp_program_build(&job->filter, &policy, false, err);
	policy_fini(&policy);
	return r;
}

static int run_job(struct job *job, struct error *err)
{
	int r = make_filter(job, err);
	if (r < 0)
		return r;
	choose_size(job);
	int errnum = open_files(job);
	if (errnum != 0)
		return fail(err, errnum, "the file cannot be made");
	errnum = start_child(job);
	if (errnum != 0)
		return fail(err, errnum, "mkfs.erofs cannot be started");
	r = await_child(job, err);
	if (r < 0)
		return r;
	errnum = keep_output(job);
	return errnum == 0 ? 0 : fail(err, errnum, "the file cannot be kept");
}

static void job_fini(struct job *job)
{
	int *fds[] = { &job->out_fd,        &job->layers_fd, &job->null_fd,       &job->sync_fd,
		       &job->child_sync_fd, &job->words_fd,  &job->child_words_fd };
	if (job->pid > 0) {
		(void)sys_pidfd_send_signal(job->pidfd, SIGKILL);
		(void)waitpid(job->pid, NULL, 0);
	}
	fd_close(&job->pidfd);
	if (job->out_fd >= 0)
		(void)unlinkat(job->store->dir_fd, job->staging, 0);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fd_close(fds[i]);
	seccomp_program_fini(&job->filter);
}

int erofs_make(const struct image_store *store, const struct image *image, struct error *err)
{
	struct job job = {
		.store = store,
		.record = &image->record,
		.program = find_program(),
		.is_root = geteuid() == 0,
		.out_fd = -1,
		.layers_fd = -1,
		.null_fd = -1,
		.sync_fd = -1,
		.child_sync_fd = -1,
		.words_fd = -1,
		.child_words_fd = -1,
		.pidfd = -1,
		.pid = -1,
	};
	image_erofs_path(image->record.manifest, job.path);
	if (faccessat(store->dir_fd, job.path, F_OK, 0) == 0)
		return EROFS_EXISTS;
	if (!job.program) {
		int r = error_set(err, ERR_UNSUPPORTED, 0, "mkfs.erofs", "is not installed");
		return error_remedy(err, r, "apt-get install erofs-utils");
	}
	make_uuid(image->record.manifest, job.uuid);
	int r = run_job(&job, err);
	job_fini(&job);
	return r;
}
