/* SPDX-License-Identifier: Apache-2.0 */
/*
 * folders.h - workspace and mounts at level `wasm`
 *
 * Theory of operation.  With a folder, foso-wasm gets a mount namespace of its own as well.
 * The engine opens the host's folders as detached mounts, whose owners are mapped to its id
 * (started by an ordinary user, the child opens them itself); the workspace is as at level process
 * (levels/folders).  Before it becomes foso-wasm, the child puts all of them into a root in memory
 * that holds nothing else (root.c), and opens each one: these descriptors are what WASI grants.
 *
 * The library is loaded from paths of the host, so the root cannot be entered before.  A helper
 * with rights in the child's namespace waits until foso-wasm has loaded all it needs, makes the
 * new root the namespace's own, which is then that of foso-wasm too, takes the old one away, and
 * ends.
 */
#pragma once

#include "levels/folders/attach.h"
#include "wire/wasm_messages.h"

/* By what limits.disk is held over all writable folders, for the evidence. */
#define WASM_DISK_WORDS "count of foso's own WASI, through which all writing passes"

/* First number that no descriptor of foso-wasm has. */
#define WASM_OUT_OF_WAY (WASM_FIRST_FOLDER_FD + WASM_MAX_FOLDERS)

struct wasm_folder {
	const char *target; /* inside, borrowed */
	const char *source; /* NULL: memory */
	const char *field;  /* of the policy, for messages */
	enum policy_access access;
	uint64_t size_bytes; /* of what lies in memory */
	bool is_workspace;
	int tree_fd; /* a detached mount; -1: the child opens it */
};

struct wasm_folders {
	struct wasm_folder items[POLICY_MAX_MOUNTS + 1];
	size_t n_items;
	struct attach attach;
	int null_fd;
	int child_sync_fd, helper_fd;     /* of the child: to the engine, and to its helper */
	int opened_fds[WASM_MAX_FOLDERS]; /* of the child: as they are to be placed */
	const struct policy *policy;
	bool is_rootless;
};

/* wasm_folders_init() - what the policy names; nothing is opened. */
void wasm_folders_init(struct wasm_folders *folders, const struct policy *policy);
void wasm_folders_fini(struct wasm_folders *folders);

/* The engine's side, in this order.  @uid: of foso-wasm outside. */
int wasm_folders_open(struct wasm_folders *folders, unsigned uid, struct error *err) must_check;
int wasm_folders_send(struct wasm_folders *folders, const char *id, pid_t pid, int pidfd,
		      struct error *err) must_check;
int wasm_folders_finish(struct wasm_folders *folders, struct error *err) must_check;

/* wasm_folders_count() - descriptors of foso-wasm: a workspace has two. */
size_t wasm_folders_count(const struct wasm_folders *folders);

/* wasm_folders_configure() - names and limits; borrowed by @ret, and no longer than @folders. */
void wasm_folders_configure(struct wasm_folders *folders, char *names[WASM_MAX_FOLDERS],
			    struct wasm_configure *ret);

/*
 * root.c: in the child.  Leaves the folders in folders->opened_fds, and the socket to the helper in
 * folders->helper_fd, all beyond the places that they are to take; -1 and *failed.
 */
int wasm_root_build(struct wasm_folders *folders, struct wasm_failed *failed);
