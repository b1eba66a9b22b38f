/* SPDX-License-Identifier: Apache-2.0 */
/*
 * attach.h - the workspace of a sandbox: its change set, what is hidden in it, its keeper
 *
 * Theory of operation.  The engine opens the host's folder, walks over it once to find what must
 * be hidden (workspace/redact.h), and, for access "overlay", makes or takes a change set.  The
 * child then builds the view at /workspace (view.c):
 *
 *   ro, nothing hidden     the folder, mounted read-only
 *   ro                     an overlay of masks above the folder
 *   rw                     the folder, and a read-only mount of an empty file on what is hidden
 *   overlay                an overlay: the change set, masks, the folder
 *
 * Masks are whiteouts, empty files and files whose secrets were replaced.
 *
 * The monitor gives up its rights once the sandbox stands, so what is to be done later is done by
 * a process of its own, the keeper (keeper.c): it counts and keeps the changes at the end, removes
 * a set in which nothing was changed, also if the monitor was killed, and answers the kernel's
 * questions about files that appeared on the host after the walk (late.c).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "base/error.h"
#include "evidence/record.h"
#include "workspace/changes.h"
#include "workspace/redact.h"

struct level_event;

/* What the child is told about the view; two descriptors may come along: masks, the set's tree. */
struct view_order {
	bool is_folder; /* false: the workspace is a file, shown as it is */
	bool has_masks, has_changes;
	bool is_watched; /* the child sends the view back, for the questions of the kernel */
	uint32_t n_masks;
	uint64_t dev,
		inode; /* of the folder that was walked over: it must be the one that is shown */
};

/* What the child says with the view: device numbers, see struct attach. */
struct view_devices {
	uint64_t mask, own;
};

struct attach {
	/* Set by the engine: before attach_open(), */
	const struct policy *policy; /* borrowed; outlives it */
	bool is_rootless;
	uid_t inner_uid; /* what stands for the folder's owner inside, and in the set */
	/* and before attach_send(). */
	pid_t pid;          /* of the child */
	int pidfd;          /* borrowed, as are the next two */
	int sync_fd;        /* socket to the child */
	int null_fd;        /* /dev/null */
	bool has_workspace; /* a folder, so all of this applies */
	bool has_changes, is_fresh;
	bool is_overlay;   /* the view is one, and its inodes tell where a file comes from */
	uint64_t mask_dev; /* what st_dev says of a mask in it; 0: no mask is a file */
	uint64_t own_dev;  /* and of a file that was made inside; 0: nothing can be made */
	int folder_fd;     /* O_PATH, of the host */
	int mask_fd;       /* a memory file of masks; -1: nothing is hidden */
	int late_fd;       /* fanotify; -1: none */
	int keeper_fd, keeper_pidfd;
	pid_t keeper_pid;       /* 0: none, or reaped */
	bool is_told;           /* it has reported: what it still does nobody waits for long */
	struct changes changes; /* of the engine until the keeper has it; then tree_fd alone */
	struct redact *redact;
	struct redact_found found;
	struct view_order order;
	char id[CHANGES_ID_BYTES];
	struct evidence_changes told; /* for the record, strings in here */
	const char *notes[4];         /* for the record */
	size_t n_notes;
};

/* What the keeper says at the end, in one message. */
struct keeper_report {
	uint64_t n_changed, bytes, inodes;
	bool is_kept, is_whole, has_failed;
	uint64_t n_late; /* refused opens of files that appeared meanwhile */
};

/* One byte each, from the keeper to the engine. */
#define KEEPER_DISK_FULL 'd' /* a folder outgrew limits.disk */

/* attach.c: in this order; on failure *err names the field. */
void attach_init(struct attach *attach);
int attach_open(const char *id, struct attach *attach, struct error *err) must_check;
int attach_send(struct attach *attach, struct error *err) must_check;
/* The view stands: questions about late files are asked from now on, and the keeper lives. */
int attach_finish(struct attach *attach, struct error *err) must_check;
/*
 * attach_hear_keeper() - what the keeper says while the sandbox runs
 *
 * 1: *ret is an event; 0: nothing; -1: it ended, and nobody guards what is hidden.
 */
int attach_hear_keeper(const struct attach *attach, struct level_event *ret) must_check;
/* attach_end() - at the end of the run: what became of the changes. */
void attach_end(struct attach *attach, struct evidence_record *record);
void attach_fini(struct attach *attach);

/* parse.c: what a file with secrets in it is replaced by. */
#define ATTACH_MAX_PARSED_BYTES (2 * 1024 * 1024)
enum parse_result { PARSE_HIDDEN, PARSE_REPLACED, PARSE_UNCHANGED };
/* @ret_inode: of the file that was read. */
enum parse_result attach_parse(const struct attach *attach, const struct redact_entry *entry,
			       struct buf *ret_content, uint64_t *ret_inode);

/* keeper.c: never returns. */
_Noreturn void keeper_main(struct attach *attach, int engine_fd);

/* late.c: files that appear on the host after the walk. */
int late_open(bool is_overlay, int view_fd, int *ret_fd); /* 0 or errno */
struct late {
	const struct attach *attach;
	const struct redact *redact;
	bool is_one_device;  /* the change set and the folder lie on one file system */
	bool has_met_secret; /* a late one, or a hidden one elsewhere: also if it is gone by now */
	uint64_t n_refused;
};
/* late_list() - adds what is hidden on the host now and not in @hidden, as late */
void late_list(const struct late *late, struct buf *hidden);
int late_answer(struct late *late); /* 0, or an errno: no more answers can be given */

/* view.c: in the child. */
#define VIEW_TARGET "/workspace"
struct view_setup {
	const struct policy *policy;
	bool is_rootless;
	int sync_fd; /* child's end */
};
int view_mount(const struct view_setup *setup, int root_fd, int scratch_fd, int source_fd);

/* masks.c of the view: the entries of mask_fd. */
struct mask {
	enum changes_hiding hiding;
	bool is_folder;
	const char *path, *content; /* not terminated */
	size_t len, content_len;
};
void mask_put(struct buf *out, const struct mask *mask);
int mask_next(const struct buf *masks, size_t *at, struct mask *ret); /* 1, or 0 at the end */
