/* SPDX-License-Identifier: Apache-2.0 */
/*
 * changes.h - what a sandbox wrote, kept on disk after its end: change sets
 *
 * Theory of operation.  A change set is the upper side of an overlay: of a workspace with
 * access "overlay", or of the root of one step of an image build.  It is a folder of the store
 * (data_open("workspaces")), mode 0700, named by an id:
 *
 *   ID/lock     flock(LOCK_EX) by whoever uses the set; an unlocked set is at rest
 *   ID/record   struct changes_record in a fixed format; written last, replaced atomically
 *   ID/hidden   which paths of the workspace were redacted (changes_hidden_...)
 *   ID/disk     CHANGES_DISK: a sparse file with an ext4 of exactly the quota
 *   ID/upper, ID/work  CHANGES_FOLDER: plain folders; nothing but a watchdog bounds them
 *
 * Started by root, the set is a file system of its own: the file is attached to a loop device
 * that detaches itself with its last user, and mounted without being attached to any path, so a
 * process that is killed leaves neither mount nor loop device.  The kernel holds the quota: what
 * is available to a sandbox is exactly the limit, in bytes and inodes (disk.c).
 *
 * Everything inside upper/ is hostile: names, types, modes, contents and extended attributes.
 * Callers get descriptors and never a path.
 *
 * Owners on disk are those that the sandbox saw (canonical): record.disk_uid is the id that
 * stands for the owner of the workspace's folder, record.host_uid.  With CHANGES_FOLDER made by
 * an ordinary user every file is the caller's, and disk_uid is host_uid.
 *
 * Failures: -ERR_NOT_FOUND (no such set), -ERR_UNAVAILABLE (somebody uses it), -ERR_CORRUPT (its
 * record or disk cannot be read), -ERR_EXISTS, -ERR_SYSTEM; the subject is the id or the path.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/digest.h"
#include "base/error.h"

#define CHANGES_ID_BYTES         32
#define CHANGES_WAIT_MS          5000
#define CHANGES_MAX_PATH_BYTES   4095
#define CHANGES_MAX_RECORD_BYTES 8192
#define CHANGES_MAX_HIDDEN_BYTES (64u * 1024 * 1024)

enum changes_kind { CHANGES_WORKSPACE, CHANGES_ROOT, CHANGES_N_KINDS };

enum changes_state {
	CHANGES_RUNNING,    /* a sandbox writes to it */
	CHANGES_STOPPED,    /* waits for diff, commit, discard, fork, or another run on it */
	CHANGES_COMMITTING, /* a commit began; its journal says how far it came */
	CHANGES_COMMITTED,  /* all of it is in the host's folder */
	CHANGES_N_STATES
};

enum changes_mechanism { CHANGES_DISK, CHANGES_FOLDER, CHANGES_N_MECHANISMS };

/* Plain data: no pointers, so it may be copied. */
struct changes_record {
	char id[CHANGES_ID_BYTES];
	char parent[CHANGES_ID_BYTES]; /* forked from; "" for none */
	enum changes_kind kind;
	enum changes_state state;
	enum changes_mechanism mechanism;      /* chosen by changes_create() */
	bool was_lost;                         /* a monitor that used it was killed */
	char path[CHANGES_MAX_PATH_BYTES + 1]; /* of the workspace, absolute, without links */
	uint64_t dev, inode, mount_id;         /* of that folder; mount_id 0: not known */
	uint64_t started_realtime_ns, ended_realtime_ns;
	uint8_t policy_digest[DIGEST_BYTES];
	uid_t host_uid, disk_uid; /* disk_uid in upper/ stands for host_uid in the workspace */
	gid_t host_gid, disk_gid;
	uint64_t disk_bytes, disk_inodes; /* quota; UINT64_MAX: none was asked for */
	uint64_t n_changed;               /* files, as counted after the last run */
};

/* A set in use.  Zeroed or CHANGES_CLOSED: none. */
struct changes {
	struct changes_record record;
	int store_fd; /* own copy */
	int dir_fd;   /* of ID/, for further files of the set (a journal, ...) */
	int lock_fd;
	int tree_fd;  /* folder that holds upper/ and work/: a detached mount, or ID/ itself */
	int upper_fd; /* O_RDONLY | O_DIRECTORY */
	int loop;     /* CHANGES_DISK: number of the loop device */
};

#define CHANGES_CLOSED     \
	((struct changes){ \
		.store_fd = -1, .dir_fd = -1, .lock_fd = -1, .tree_fd = -1, .upper_fd = -1 })

/* changes_store_open() - the store of all sets; made if it is missing. */
int changes_store_open(int *ret_store_fd, struct error *err) must_check;

/* By what limits.disk is held, for evidence and doctor. */
#define CHANGES_DISK_WORDS   "ext4 of that size on a loop device"
#define CHANGES_FOLDER_WORDS "watchdog over a folder"
#define CHANGES_DISK_REMEDY  "run foso as root, with loop devices and mkfs.ext4"

/*
 * changes_disk_lack() - why this process cannot have CHANGES_DISK; NULL if it can
 *
 * Not root, no loop devices, no mkfs.ext4, or no overlay over such a disk.  Static text.
 */
const char *changes_disk_lack(void);

/*
 * changes_disk_unnamed() - a disk like that of a set, which nothing outlives: gone with its mount
 *
 * Needs what CHANGES_DISK needs.  *ret_mount_fd: a detached mount that holds upper/ and work/.
 */
int changes_disk_unnamed(int store_fd, uint64_t bytes, uint64_t inodes, int *ret_mount_fd,
			 struct error *err) must_check;

struct changes_options {
	bool wants_folder; /* CHANGES_FOLDER even where CHANGES_DISK could be had */
	bool is_strict; /* -ERR_REFUSED, subject "limits.disk", where the kernel holds no quota */
	const struct changes *copy_of; /* begin with a copy of this set's disk (a fork); or NULL */
};

/*
 * changes_create() - a new set: state RUNNING, locked, upper/ and work/ empty (0755, owner 0)
 * @record:  id, kind and all that the caller knows; mechanism is chosen here
 *
 * On failure nothing is left.  copy_of is for CHANGES_DISK; -ERR_UNSUPPORTED otherwise.
 */
int changes_create(int store_fd, const struct changes_record *record,
		   const struct changes_options *options, struct changes *ret, struct error *err)
	must_check;

/*
 * changes_open() - take an existing set: locked, its disk mounted
 *
 * A lock that is held is waited for CHANGES_WAIT_MS: a run that just ended still puts it in order.
 *
 * With @is_read_only, nothing in it can be changed, and no lock is needed to look: several
 * readers may hold it at once, but no reader and a writer.
 */
int changes_open(int store_fd, const char *id, bool is_read_only, struct changes *ret,
		 struct error *err) must_check;

/*
 * changes_prepare() - makes a disk like that of @record, so that the next changes_create() of the
 * same size need not copy one; whatever fails is left, as it is not needed
 * @ret_fd:  of the disk if one was made, else -1; to be written out with fdatasync(2) when nobody
 *           waits, as a loop device does that itself when it is attached
 */
void changes_prepare(int store_fd, const struct changes_record *record, int *ret_fd);

/* changes_write() - replaces ID/record by changes->record. */
int changes_write(struct changes *changes, struct error *err) must_check;

/* changes_close() - lets go of lock, mount and loop device; the set stays.  May be called twice. */
void changes_close(struct changes *changes);

/* changes_remove() - ends the set for good and closes it; goes on after a failure. */
int changes_remove(struct changes *changes, struct error *err) must_check;

/*
 * changes_erase() - the same, but it is left open: its disk goes with changes_close()
 *
 * To unmount it, the kernel waits several times for all processors.  Nobody else need wait for
 * that.
 */
int changes_erase(struct changes *changes, struct error *err) must_check;

/*
 * changes_tree_clone() - another detached mount of tree_fd, to be mapped and handed to a sandbox
 *
 * Needs root.  Whoever mounts an overlay with it names "upper" and "work" below it.
 */
int changes_tree_clone(const struct changes *changes, int *ret_mount_fd, struct error *err)
	must_check;

/*
 * changes_usage_read() - what is in use, and how much of it is a change, by a bounded walk
 * @lower_fd:  the workspace's folder on the host, to tell a folder whose mode was changed from
 *             one that was passed through; -1 if there is none
 *
 * A change is each entry below upper/ but folders that are there only because something below
 * them was changed; whiteouts count.  Never follows a link.
 */
struct changes_usage {
	uint64_t bytes, inodes; /* as the quota counts; CHANGES_FOLDER: blocks of what was walked */
	uint64_t n_changed;
	bool is_whole; /* false: the walk met its bound, and the numbers are at least these */
};
void changes_usage_read(const struct changes *changes, int lower_fd, struct changes_usage *ret);

/* One set found by changes_list(). */
struct changes_entry {
	char id[CHANGES_ID_BYTES];
	bool is_used;  /* somebody holds its lock */
	bool is_whole; /* record could be read */
	struct changes_record record;
};

/*
 * changes_list() - calls @found for each set, in no order; stops when it returns non-zero
 *
 * Returns 0, what @found returned, or -ERR_SYSTEM.
 */
int changes_list(int store_fd, int (*found)(const struct changes_entry *entry, void *context),
		 void *context, struct error *err) must_check;

/*
 * changes_find_last() - the newest set of a folder, by its device and inode
 *
 * -ERR_NOT_FOUND if it has none.  Sets that are committed do not count.
 */
int changes_find_last(int store_fd, uint64_t dev, uint64_t inode, char ret_id[CHANGES_ID_BYTES],
		      struct error *err) must_check;

/*
 * changes_reclaim() - what killed processes left: half-made sets go; a set in state RUNNING that
 * nobody holds goes if nothing was changed, and else becomes STOPPED with was_lost
 * @found:  told of each one; may be NULL
 */
struct changes_reclaim_item {
	char id[CHANGES_ID_BYTES];
	bool is_removed; /* else: stopped, its changes are kept */
};
int changes_reclaim(int store_fd, bool is_dry_run,
		    void (*found)(const struct changes_reclaim_item *item, void *context),
		    void *context, struct error_list *leftovers, struct error *err) must_check;

/* record.c: the fixed format.  decode treats the bytes as hostile: -ERR_CORRUPT. */
void changes_record_encode(const struct changes_record *record, struct buf *out);
int changes_record_decode(struct changes_record *ret, const void *bytes, size_t len,
			  struct error *err) must_check;

/* What became of a redacted path.  The host's content was never readable from the sandbox. */
enum changes_hiding {
	CHANGES_HIDDEN_ABSENT,   /* the sandbox saw no such name */
	CHANGES_HIDDEN_EMPTY,    /* an empty file or folder */
	CHANGES_HIDDEN_REPLACED, /* the file with secret values replaced */
	CHANGES_HIDDEN_LATE,     /* it appeared while the sandbox ran, and could not be opened */
	CHANGES_N_HIDINGS
};

/*
 * hidden.c: ID/hidden, one entry per redacted path, relative to the workspace, any bytes but NUL.
 *
 * A file in upper/ at such a path, or below it, was written by the sandbox without having seen
 * the host's: a commit must not replace the host's by it.  A whiteout there is likewise no change
 * of the host's file.  A set with a late entry may hold a copy of it under another name, so no
 * sandbox is given it again.
 */
void changes_hidden_put(struct buf *out, enum changes_hiding hiding, const char *path, size_t len);
int changes_hidden_write(struct changes *changes, const struct buf *entries, struct error *err)
	must_check;
/* changes_hidden_read() - all entries as one run of bytes, checked; "" if there are none. */
int changes_hidden_read(const struct changes *changes, struct buf *ret_entries, struct error *err)
	must_check;
/* changes_hidden_next() - 1 and the entry at *at, which moves on; 0 at the end. */
int changes_hidden_next(const struct buf *entries, size_t *at, enum changes_hiding *ret_hiding,
			const char **ret_path, size_t *ret_len);
