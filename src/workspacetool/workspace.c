/* SPDX-License-Identifier: Apache-2.0 */
/* workspace.c - a change set and the host's folder beside it, opened and compared */
#include "workspacetool/workspace.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "workspacetool/compare.h"
#include "workspacetool/exec.h"
#include "workspacetool/exec_links.h"
#include "workspacetool/tree.h"

void workspace_init(struct workspace *workspace)
{
	*workspace = (struct workspace){ .store_fd = -1,
					 .changes = CHANGES_CLOSED,
					 .host_fd = -1,
					 .hidden_entries = BUF_INIT(CHANGES_MAX_HIDDEN_BYTES),
					 .content = CONTENT_IDLE };
}

void workspace_fini(struct workspace *workspace)
{
	content_stop(&workspace->content);
	hidden_fini(&workspace->hidden);
	buf_fini(&workspace->hidden_entries);
	changes_close(&workspace->changes);
	fd_close(&workspace->host_fd);
	fd_close(&workspace->store_fd);
}

static bool write_file(const char *path, const char *text)
{
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
	return fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text);
}

/*
 * Capabilities over one's own files, and over nobody else's.  Where this host gives no user
 * namespace, files without a right to read are an error of the one who meets them.
 */
static void become_own_root(void)
{
	char uids[64], gids[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();
	(void)snprintf(uids, sizeof(uids), "%u %u 1", uid, uid);
	(void)snprintf(gids, sizeof(gids), "%u %u 1", gid, gid);
	if (uid == 0 || unshare(CLONE_NEWUSER) < 0)
		return;
	(void)write_file("/proc/self/setgroups", "deny");
	(void)write_file("/proc/self/gid_map", gids);
	(void)write_file("/proc/self/uid_map", uids);
}

static int not_found_here(struct error *err)
{
	int r = error_set(err, ERR_NOT_FOUND, 0, "workspace",
			  "no run with an overlay on this folder has changes that wait");
	return error_remedy(err, r,
			    "go to the folder, or name the ID that foso run said; "
			    "runs of root are seen by root");
}

/* This folder, then those that it lies in. */
static int find_last(int store_fd, char ret_id[CHANGES_ID_BYTES], struct error *err)
{
	struct stat status, above;
	auto_fd int fd = open(".", O_PATH | O_DIRECTORY | O_CLOEXEC);
	while (fd >= 0 && fstat(fd, &status) == 0) {
		int r = changes_find_last(store_fd, status.st_dev, status.st_ino, ret_id, err);
		if (r == 0 || err->code != ERR_NOT_FOUND)
			return r;
		error_clear(err);
		int next = openat(fd, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
		fd_close(&fd);
		fd = next;
		if (fd < 0 || fstat(fd, &above) < 0 ||
		    (above.st_dev == status.st_dev && above.st_ino == status.st_ino))
			break;
	}
	return not_found_here(err);
}

static int open_host(struct workspace *workspace, struct error *err)
{
	const struct changes_record *record = &workspace->changes.record;
	struct open_how how = { .flags = O_RDONLY | O_DIRECTORY | O_CLOEXEC,
				.resolve = RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS };
	struct stat status;
	int r = 0;
	workspace->host_fd = sys_openat2(AT_FDCWD, record->path, &how);
	if (workspace->host_fd < 0 || fstat(workspace->host_fd, &status) < 0) {
		r = error_set(err, ERR_SYSTEM, errno, record->path, "cannot be opened");
		return error_remedy(err, r, "put the folder back, or foso discard %s", record->id);
	}
	if (status.st_dev == record->dev && status.st_ino == record->inode)
		return 0;
	r = error_set(err, ERR_NOT_FOUND, 0, record->path,
		      "is not the folder that the sandbox saw, but another in its place");
	return error_remedy(err, r, "put the folder back, or foso discard %s", record->id);
}

int workspace_open(struct workspace *workspace, const char *id, bool is_read_only, bool wants_host,
		   struct error *err)
{
	char found[CHANGES_ID_BYTES];
	become_own_root();
	int r = changes_store_open(&workspace->store_fd, err);
	if (r == 0 && !id) {
		r = find_last(workspace->store_fd, found, err);
		id = found;
	}
	if (r == 0)
		r = changes_open(workspace->store_fd, id, is_read_only, &workspace->changes, err);
	if (r == 0 && workspace->changes.record.kind != CHANGES_WORKSPACE) {
		r = error_set(err, ERR_INVALID, 0, id, "is not of a workspace");
		r = error_remedy(err, r, "name a run that had --workspace PATH:overlay");
	}
	if (r == 0 && wants_host)
		r = open_host(workspace, err);
	if (r == 0)
		r = changes_hidden_read(&workspace->changes, &workspace->hidden_entries, err);
	if (r == 0)
		r = hidden_init(&workspace->hidden, &workspace->hidden_entries, err);
	workspace->sides = (struct sides){
		.upper_fd = workspace->changes.upper_fd,
		.host_fd = workspace->host_fd,
		.hidden = &workspace->hidden,
		.started_ns = (int64_t)workspace->changes.record.started_realtime_ns,
	};
	return r;
}

/* A side of an entry as a regular file; -1 if it is none, or gone meanwhile. */
static int open_side(int top_fd, const struct entry *entry, const struct node *node)
{
	const char *name;
	if (node->type != NODE_FILE)
		return -1;
	auto_fd int parent_fd = tree_open_parent(top_fd, entry->path, &name);
	return parent_fd < 0 ? -1 : tree_open_file(parent_fd, name);
}

static int look_at_config(struct workspace *workspace, struct entry *entry, size_t index,
			  struct workspace_notes *notes, struct error *err)
{
	struct content_answer answer;
	auto_buf struct buf text = BUF_INIT(CONTENT_MAX_ANSWER_BYTES);
	auto_fd int upper_fd = open_side(workspace->sides.upper_fd, entry, &entry->upper);
	auto_fd int host_fd = open_side(workspace->sides.host_fd, entry, &entry->host);
	int r = content_ask(&workspace->content, CONTENT_GIT_KEYS, host_fd, upper_fd, &answer,
			    &text, err);
	if (r < 0)
		return r;
	if (upper_fd >= 0 && answer.status == CONTENT_TEXT && text.len == 0)
		return 0;
	entry->flags |= ENTRY_EXECUTES;
	entry->reason = answer.status == CONTENT_TEXT ? EXEC_GIT_KEY : EXEC_GIT_ODD;
	return text.len > 0 ? workspace_note_add(notes, index, &text, err) : 0;
}

static int look_at_configs(struct workspace *workspace, struct set *set,
			   struct workspace_notes *notes, struct error *err)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < set->n_entries; i++) {
		struct entry *entry = &set->entries[i];
		bool is_new = entry->change == CHANGE_CREATED || entry->change == CHANGE_CHANGED;
		if (is_new && entry->upper.type == NODE_FILE &&
		    !(entry->flags & (ENTRY_NEVER | ENTRY_EXECUTES)) &&
		    exec_is_git_config(entry->path, entry->path_len))
			r = look_at_config(workspace, entry, i, notes, err);
	}
	return r;
}

int workspace_compare(struct workspace *workspace, struct set *ret, struct workspace_notes *notes,
		      struct error *err)
{
	*notes = (struct workspace_notes){ 0 };
	int r = walk_sides(&workspace->sides, ret, err);
	if (r == 0)
		r = compare_renames(&workspace->sides, ret, err);
	if (r == 0)
		r = exec_links_mark(&workspace->sides, ret, err);
	if (r == 0)
		r = look_at_configs(workspace, ret, notes, err);
	if (r < 0) {
		set_fini(ret);
		workspace_notes_fini(notes);
	}
	return r;
}
