/* SPDX-License-Identifier: Apache-2.0 */
/* attach.c - the engine's side of the workspace; attach.h tells the whole */
#include "levels/folders/attach.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/memfd.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/fd.h"
#include "base/syscalls.h"
#include "levels/level.h"

#define MAX_COVERS 4096  /* mounts that hide files of a folder with access rw */
#define LEAVING_MS 50    /* a keeper that has reported */
#define UNDOING_MS 1000  /* one that puts the set in order first */
#define REPORT_MS  60000 /* counting millions of changed files takes its time */
#define NOTE_NO_LATE \
	"workspace.redact: files that appear on the host after the start are seen by their names"

static int fail(struct error *err, int errnum, const char *subject, const char *message,
		const char *remedy)
{
	int r = error_set(err, ERR_SYSTEM, errnum, subject, "%s", message);
	return error_remedy(err, r, "%s", remedy);
}

static void note(struct attach *attach, const char *text)
{
	if (attach->n_notes < ARRAY_LEN(attach->notes))
		attach->notes[attach->n_notes++] = text;
}

void attach_init(struct attach *attach)
{
	*attach = (struct attach){ .has_workspace = false };
	attach->folder_fd = attach->mask_fd = attach->late_fd = -1;
	attach->keeper_fd = attach->keeper_pidfd = -1;
	attach->changes = CHANGES_CLOSED;
}

static bool has_redaction(const struct policy *policy)
{
	return policy->workspace.secrets == POLICY_SECRETS_HIDE ||
	       policy->workspace.redact.n_items > 0;
}

/* The folder; a workspace that is a file is shown as it is, and its caller named it. */
static int open_folder(struct attach *attach, struct error *err)
{
	const struct policy *policy = attach->policy;
	struct stat status;
	auto_fd int fd = openat(AT_FDCWD, policy->workspace.path, O_PATH | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0) {
		int r = error_set(err, ERR_NOT_FOUND, errno, "workspace.path",
				  "'%s' cannot be shown to the sandbox", policy->workspace.path);
		return error_remedy(err, r, "name an existing folder or file of this machine");
	}
	attach->has_workspace = attach->order.is_folder = S_ISDIR(status.st_mode);
	attach->order.dev = status.st_dev;
	attach->order.inode = status.st_ino;
	if (!attach->has_workspace && policy->workspace.access == POLICY_ACCESS_OVERLAY) {
		int r = error_set(err, ERR_INVALID, 0, "workspace.path", "'%s' is no folder",
				  policy->workspace.path);
		return error_remedy(err, r, "name a folder, or write access ro or rw");
	}
	attach->folder_fd = take_fd(&fd);
	return 0;
}

/* What stands in place of one hidden file. */
static void put_mask(struct attach *attach, const struct redact_entry *entry, struct buf *masks,
		     struct buf *hidden)
{
	const struct policy *policy = attach->policy;
	auto_buf struct buf content = BUF_INIT(ATTACH_MAX_PARSED_BYTES);
	struct mask mask = {
		.hiding = policy->workspace.redact_as == POLICY_REDACT_ABSENT
				  ? CHANGES_HIDDEN_ABSENT
				  : CHANGES_HIDDEN_EMPTY,
		.is_folder = entry->type == DT_DIR,
		.path = entry->path,
		.len = entry->len,
	};
	if (entry->class == REDACT_GIT || entry->class == REDACT_ENV) {
		uint64_t inode = 0;
		enum parse_result r = attach_parse(attach, entry, &content, &inode);
		if (r == PARSE_UNCHANGED && redact_note_harmless(&attach->found, inode) == 0)
			return;
		if (r == PARSE_REPLACED) {
			mask.hiding = CHANGES_HIDDEN_REPLACED;
			mask.content = content.data;
			mask.content_len = content.len;
		}
	}
	mask_put(masks, &mask);
	changes_hidden_put(hidden, mask.hiding, mask.path, mask.len);
	attach->order.n_masks++;
}

static int write_masks(struct attach *attach, const struct buf *masks)
{
	auto_fd int fd = sys_memfd_create("foso-masks", MFD_CLOEXEC);
	if (fd < 0 || fd_write_all(fd, masks->data, masks->len) < 0)
		return errno;
	attach->mask_fd = take_fd(&fd);
	attach->order.has_masks = true;
	return 0;
}

/* Folders come first: what lies in a hidden one is then hidden already. */
static int make_masks(struct attach *attach, struct buf *hidden, struct error *err)
{
	auto_buf struct buf masks = BUF_INIT(CHANGES_MAX_HIDDEN_BYTES);
	for (int pass = 0; pass < 2; pass++) {
		struct redact_entry entry;
		for (size_t at = 0; redact_next(&attach->found, &at, &entry) == 1;) {
			if ((entry.type == DT_DIR) == (pass == 0))
				put_mask(attach, &entry, &masks, hidden);
		}
	}
	if (!buf_is_whole(&masks) || !buf_is_whole(hidden))
		return fail(err, ENOMEM, "workspace.redact", "the masks cannot be made",
			    "free some memory, or hide fewer files");
	if (attach->policy->workspace.access == POLICY_ACCESS_RW &&
	    attach->order.n_masks > MAX_COVERS) {
		int r = error_set(
			err, ERR_LIMIT, 0, "workspace.redact",
			"%u files would have to be covered, and with access rw at most %d can be",
			attach->order.n_masks, MAX_COVERS);
		return error_remedy(err, r,
				    "hide folders instead of files, or write access overlay");
	}
	int errnum = attach->order.n_masks > 0 ? write_masks(attach, &masks) : 0;
	return errnum == 0 ? 0
			   : fail(err, errnum, "workspace.redact", "the masks cannot be kept",
				  "free some memory");
}

static int find_hidden(struct attach *attach, struct buf *hidden, struct error *err)
{
	const struct policy *policy = attach->policy;
	bool wants_shown =
		policy->workspace.access == POLICY_ACCESS_OVERLAY && !attach->is_rootless;
	attach->redact = calloc(1, sizeof(*attach->redact));
	if (!attach->redact)
		return fail(err, ENOMEM, "workspace.redact", "no memory", "free some memory");
	redact_init(attach->redact, policy);
	int r = redact_walk(attach->folder_fd, attach->redact, wants_shown, &attach->found, err);
	return r < 0 ? r : make_masks(attach, hidden, err);
}

static uint64_t realtime_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* Where the host has the folder, for whoever commits to it later. */
static int describe_folder(const struct attach *attach, struct changes_record *record,
			   struct stat *ret_status)
{
	ssize_t len = fd_path(attach->folder_fd, record->path, sizeof(record->path));
	if (len < 0)
		return (int)-len;
	if (fstat(attach->folder_fd, ret_status) < 0)
		return errno;
	record->dev = ret_status->st_dev;
	record->inode = ret_status->st_ino;
	record->host_uid = ret_status->st_uid;
	record->host_gid = ret_status->st_gid;
	/* Rootless, one id is mapped: everything in the set is the caller's. */
	bool is_rootless = attach->is_rootless;
	uid_t inner = attach->inner_uid;
	record->disk_uid = is_rootless ? ret_status->st_uid : inner;
	record->disk_gid = is_rootless ? ret_status->st_gid : inner;
	return 0;
}

/* The upper folder is what the view's top folder shows. */
static int dress_upper(const struct changes *changes, const struct stat *status)
{
	const struct timespec times[] = { status->st_atim, status->st_mtim };
	if ((changes->record.mechanism == CHANGES_DISK || geteuid() == 0) &&
	    fchown(changes->upper_fd, changes->record.disk_uid, changes->record.disk_gid) < 0)
		return errno;
	if (fchmod(changes->upper_fd, status->st_mode & 07777) < 0 ||
	    futimens(changes->upper_fd, times) < 0)
		return errno;
	return 0;
}

/* If that cannot be read, it may have. */
static bool has_late(const struct changes *changes)
{
	auto_buf struct buf hidden = BUF_INIT(CHANGES_MAX_HIDDEN_BYTES);
	struct error ignored = { 0 };
	enum changes_hiding hiding;
	const char *path;
	size_t at = 0, len;
	if (changes_hidden_read(changes, &hidden, &ignored) < 0)
		return true;
	while (changes_hidden_next(&hidden, &at, &hiding, &path, &len) == 1) {
		if (hiding == CHANGES_HIDDEN_LATE)
			return true;
	}
	return false;
}

static int take_changes(struct attach *attach, int store_fd, const struct stat *status,
			struct error *err)
{
	struct changes *changes = &attach->changes;
	const char *id = attach->policy->workspace.changes;
	int r = changes_open(store_fd, id, false, changes, err);
	if (r < 0)
		return error_under(err, r, "workspace.changes");
	const struct changes_record *record = &changes->record;
	if (record->kind != CHANGES_WORKSPACE || record->dev != status->st_dev ||
	    record->inode != status->st_ino) {
		r = error_set(err, ERR_INVALID, 0, "workspace.changes",
			      "'%s' is a change set of another folder", id);
		return error_remedy(err, r, "name that folder in workspace.path: '%.120s'",
				    record->path);
	}
	if (record->state != CHANGES_STOPPED) {
		r = error_set(err, ERR_UNAVAILABLE, 0, "workspace.changes",
			      "'%s' is being committed, or was", id);
		return error_remedy(err, r, "take another one, or begin a new one");
	}
	if (has_late(changes)) {
		r = error_set(
			err, ERR_REFUSED, 0, "workspace.changes",
			"a secret appeared on the host while '%s' was written, and it may hold a copy",
			id);
		return error_remedy(err, r, "commit or discard it, and begin a new one");
	}
	changes->record.state = CHANGES_RUNNING;
	return changes_write(changes, err);
}

static int make_changes(const char *id, struct attach *attach, int store_fd,
			struct changes_record *record, const struct stat *status, struct error *err)
{
	const struct policy_limits *limits = &attach->policy->limits;
	struct changes *changes = &attach->changes;
	const struct changes_options options = {
		.wants_folder = attach->is_rootless,
		.is_strict = limits->is_strict,
	};
	(void)snprintf(record->id, sizeof(record->id), "%s", id);
	record->kind = CHANGES_WORKSPACE;
	record->started_realtime_ns = realtime_ns();
	record->disk_bytes = limits->disk_bytes;
	record->disk_inodes = limits->disk_inodes;
	int r = changes_create(store_fd, record, &options, changes, err);
	if (r < 0)
		return r;
	attach->is_fresh = true;
	int errnum = dress_upper(changes, status);
	return errnum == 0 ? 0
			   : fail(err, errnum, record->id,
				  "the change set cannot take the owner of the workspace",
				  "see foso doctor");
}

static int open_changes(const char *id, struct attach *attach, const struct buf *hidden,
			struct error *err)
{
	struct changes_record record = { .id = "" };
	struct stat status = { 0 };
	auto_fd int store_fd = -1;
	int errnum = describe_folder(attach, &record, &status);
	if (errnum != 0)
		return fail(err, errnum, "workspace.path", "cannot be described",
			    "see foso doctor");
	int r = changes_store_open(&store_fd, err);
	if (r == 0 && attach->policy->workspace.changes[0])
		r = take_changes(attach, store_fd, &status, err);
	else if (r == 0)
		r = make_changes(id, attach, store_fd, &record, &status, err);
	if (r < 0)
		return r;
	attach->has_changes = attach->order.has_changes = true;
	memcpy(attach->id, attach->changes.record.id, sizeof(attach->id));
	if (attach->changes.record.mechanism == CHANGES_FOLDER)
		note(attach,
		     "limits.disk: a watchdog holds it for the change set, as it is no disk");
	return changes_hidden_write(&attach->changes, hidden, err);
}

int attach_open(const char *id, struct attach *attach, struct error *err)
{
	const struct policy *policy = attach->policy;
	auto_buf struct buf hidden = BUF_INIT(CHANGES_MAX_HIDDEN_BYTES);
	if (!policy->workspace.path[0])
		return 0;
	int r = open_folder(attach, err);
	if (r < 0 || !attach->has_workspace)
		return r;
	if (has_redaction(policy) && (r = find_hidden(attach, &hidden, err)) < 0)
		return r;
	attach->order.is_watched = has_redaction(policy) && !attach->is_rootless;
	if (has_redaction(policy) && attach->is_rootless)
		note(attach, NOTE_NO_LATE);
	return policy->workspace.access == POLICY_ACCESS_OVERLAY
		       ? open_changes(id, attach, &hidden, err)
		       : 0;
}

/* The set's tree as the child can attach it: mapped, so that owners on disk are those inside. */
static int open_tree_for_child(struct attach *attach, int *ret_fd, struct error *err)
{
	struct changes *changes = &attach->changes;
	char path[64];
	int r;
	if (attach->is_rootless) {
		*ret_fd = fcntl(changes->tree_fd, F_DUPFD_CLOEXEC, 3);
		return *ret_fd < 0 ? fail(err, errno, changes->record.id, "cannot be handed over",
					  "raise the limit of open files")
				   : 0;
	}
	auto_fd int fd = -1;
	if ((r = changes_tree_clone(changes, &fd, err)) < 0)
		return r;
	(void)snprintf(path, sizeof(path), "/proc/%d/ns/user", (int)attach->pid);
	auto_fd int mapping_fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_IDMAP | MOUNT_ATTR_NOSUID | MOUNT_ATTR_NODEV,
		.propagation = MS_PRIVATE,
		.userns_fd = (unsigned)mapping_fd,
	};
	if (mapping_fd < 0 || sys_mount_setattr(fd, "", AT_EMPTY_PATH, &attr) < 0)
		return fail(err, errno, changes->record.id,
			    "the file system of the change set cannot map ids",
			    "use Linux 5.19 or later, and a store on ext4, xfs or btrfs");
	*ret_fd = take_fd(&fd);
	return 0;
}

int attach_send(struct attach *attach, struct error *err)
{
	struct iovec part = { .iov_base = &attach->order, .iov_len = sizeof(attach->order) };
	int fds[2];
	size_t n_fds = 0;
	auto_fd int tree_fd = -1;
	if (!attach->policy->workspace.path[0])
		return 0;
	if (attach->has_changes) {
		int r = open_tree_for_child(attach, &tree_fd, err);
		if (r < 0)
			return r;
		fds[n_fds++] = tree_fd;
	}
	if (attach->mask_fd >= 0)
		fds[n_fds++] = attach->mask_fd;
	int errnum = fd_send(attach->sync_fd, &part, 1, fds, n_fds);
	fd_close(&attach->mask_fd);
	return errnum != 0 ? fail(err, errnum, "workspace", "cannot be handed to the sandbox",
				  "see foso doctor")
			   : 0;
}

/* The child's view of /workspace, and device numbers of what is in it. */
static int recv_view(int sync_fd, int *ret_view_fd, struct view_devices *ret)
{
	for (;;) {
		union {
			struct cmsghdr align;
			char bytes[CMSG_SPACE(sizeof(int))];
		} control;
		struct iovec part = { .iov_base = ret, .iov_len = sizeof(*ret) };
		struct msghdr message = { .msg_iov = &part,
					  .msg_iovlen = 1,
					  .msg_control = control.bytes,
					  .msg_controllen = sizeof(control.bytes) };
		ssize_t n = recvmsg(sync_fd, &message, MSG_CMSG_CLOEXEC);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : EPIPE;
		/* Before it comes a byte that says that the control group's namespace stands. */
		struct cmsghdr *header = CMSG_FIRSTHDR(&message);
		if (n != sizeof(*ret) || !header)
			continue;
		memcpy(ret_view_fd, CMSG_DATA(header), sizeof(int));
		return 0;
	}
}

static int open_late(struct attach *attach, struct error *err)
{
	struct view_devices devices = { 0 };
	auto_fd int view_fd = -1;
	int errnum = recv_view(attach->sync_fd, &view_fd, &devices);
	attach->mask_dev = devices.mask;
	attach->own_dev = devices.own;
	if (errnum != 0)
		return fail(err, errnum, "workspace", "the child is gone", "see foso doctor");
	bool is_rw = attach->policy->workspace.access == POLICY_ACCESS_RW;
	attach->is_overlay = attach->has_changes || (attach->order.has_masks && !is_rw);
	if (late_open(attach->is_overlay, view_fd, &attach->late_fd) != 0)
		note(attach, NOTE_NO_LATE);
	return 0;
}

static int start_keeper(struct attach *attach, struct error *err)
{
	int sockets[2];
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		return fail(err, errno, "workspace", "no socket to its keeper",
			    "raise the limit of open files");
	pid_t pid = fork();
	if (pid == 0)
		keeper_main(attach, sockets[1]);
	int errnum = errno;
	close(sockets[1]);
	attach->keeper_fd = sockets[0];
	if (pid < 0)
		return fail(err, errnum, "workspace", "its keeper cannot be started",
			    "raise the limit of processes");
	attach->keeper_pid = pid;
	attach->keeper_pidfd = sys_pidfd_open(pid);
	/* What is left here is for looking at how full the set is. */
	fd_close(&attach->late_fd);
	fd_close(&attach->changes.upper_fd);
	fd_close(&attach->changes.dir_fd);
	fd_close(&attach->changes.lock_fd);
	fd_close(&attach->changes.store_fd);
	redact_found_fini(&attach->found);
	free(take_ptr(&attach->redact));
	return 0;
}

int attach_finish(struct attach *attach, struct error *err)
{
	int r = attach->order.is_watched ? open_late(attach, err) : 0;
	if (r < 0 || (!attach->has_changes && attach->late_fd < 0))
		return r;
	return start_keeper(attach, err);
}

/* 0, or an errno: the keeper is gone, or does not answer. */
static int await_report(int fd, struct keeper_report *report)
{
	struct pollfd answer = { .fd = fd, .events = POLLIN };
	if (send(fd, "e", 1, MSG_NOSIGNAL) != 1)
		return errno;
	for (;;) {
		int n = poll(&answer, 1, REPORT_MS);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? errno : ETIMEDOUT;
		ssize_t len = recv(fd, report, sizeof(*report), MSG_DONTWAIT);
		if (len == sizeof(*report))
			return 0;
		if (len == 0 || (len < 0 && errno != EINTR && errno != EAGAIN))
			return len < 0 ? errno : ECONNRESET;
	}
}

void attach_end(struct attach *attach, struct evidence_record *record)
{
	static const char *const mechanisms[] = { CHANGES_DISK_WORDS, CHANGES_FOLDER_WORDS };
	struct keeper_report report = { 0 };
	if (attach->keeper_fd < 0)
		return;
	/* The file system of the set goes with its last user, who shall be the keeper. */
	fd_close(&attach->changes.tree_fd);
	int errnum = await_report(attach->keeper_fd, &report);
	attach->is_told = errnum == 0;
	if (errnum != 0)
		note(attach, "workspace: its keeper was gone; foso gc looks after the change set");
	if (!attach->has_changes)
		return;
	if (report.has_failed)
		note(attach, "workspace: the record of the change set could not be written");
	attach->told = (struct evidence_changes){
		.id = attach->id,
		.mechanism = mechanisms[attach->changes.record.mechanism],
		.n_changed = report.n_changed,
		.bytes = report.bytes,
		.inodes = report.inodes,
		.is_kept = errnum != 0 || report.is_kept,
		.is_counted = errnum == 0 && report.is_whole,
	};
	record->changes = &attach->told;
}

/*
 * It ends by itself.  One that has reported still makes a disk for the next start, and closes its
 * socket; then it unmounts, which is a wait for all processors and need not be one for people.
 */
static void reap_keeper(struct attach *attach)
{
	struct pollfd end = { .fd = attach->keeper_pidfd, .events = POLLIN };
	struct pollfd leaving = { .fd = attach->keeper_fd };
	if (attach->keeper_pid <= 0) {
		fd_close(&attach->keeper_fd);
		return;
	}
	if (attach->is_told)
		(void)poll(&leaving, 1, LEAVING_MS);
	fd_close(&attach->keeper_fd);
	if (!attach->is_told)
		(void)poll(&end, 1, UNDOING_MS);
	if (waitpid(attach->keeper_pid, NULL, WNOHANG) == attach->keeper_pid)
		attach->keeper_pid = 0;
	fd_close(&attach->keeper_pidfd);
}

int attach_hear_keeper(const struct attach *attach, struct level_event *ret)
{
	char byte;
	ssize_t n = recv(attach->keeper_fd, &byte, 1, MSG_DONTWAIT);
	if (n < 0 && (errno == EAGAIN || errno == EINTR))
		return 0;
	if (n != 1 || byte != KEEPER_DISK_FULL)
		return -1;
	ret->type = LEVEL_EVENT_LIMIT;
	ret->reason = END_DISK;
	ret->limit = "limits.disk";
	ret->is_exceeded = true;
	return 1;
}

void attach_fini(struct attach *attach)
{
	struct error ignored = { 0 };
	/* Nobody ran in it: as if it had never been made. */
	if (attach->has_changes && attach->is_fresh && attach->changes.lock_fd >= 0)
		(void)!changes_remove(&attach->changes, &ignored);
	int *fds[] = { &attach->folder_fd, &attach->mask_fd, &attach->late_fd };
	reap_keeper(attach);
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fd_close(fds[i]);
	changes_close(&attach->changes);
	redact_found_fini(&attach->found);
	free(take_ptr(&attach->redact));
}
