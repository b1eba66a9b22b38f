/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c - every entry of a tree that a stranger may have made */
#include "workspace/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/dir.h"

#define OPEN_FOLDER (O_RDONLY | O_DIRECTORY | O_NOFOLLOW)

/* One folder on the way down. */
struct frame {
	int fd; /* -1: closed, since it lies too deep to be kept */
	dev_t dev;
	ino_t inode;
	size_t names_at; /* its folders that wait begin here in names */
	size_t path_len;
};

struct state {
	const struct walk_options *options;
	void *context;
	struct frame *frames;
	size_t n_frames, room;
	struct buf names; /* NUL-terminated, one after the other */
	struct buf path;  /* of the folder on top, with a slash at its end */
	uint64_t n_entries;
};

static bool is_late(const struct state *state)
{
	struct timespec now;
	if (state->options->deadline_ns == 0 || state->n_entries % 1024 != 0)
		return false;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec >
	       state->options->deadline_ns;
}

static int tell(struct state *state, struct walk_entry *entry)
{
	size_t len = state->path.len;
	entry->depth = state->n_frames - 1;
	if (state->options->wants_paths) {
		buf_append_string(&state->path, entry->name);
		if (!buf_is_whole(&state->path))
			return ENOMEM;
		entry->path = buf_string(&state->path);
		entry->path_len = state->path.len;
	}
	int r = state->options->found(entry, state->context);
	if (state->options->wants_paths && state->path.data) {
		state->path.len = len;
		state->path.data[len] = '\0';
	}
	return r;
}

static unsigned char type_of(int dir_fd, const struct dir_entry *item)
{
	struct stat status;
	if (item->type != DT_UNKNOWN)
		return item->type;
	if (fstatat(dir_fd, item->name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return DT_UNKNOWN;
	return IFTODT(status.st_mode);
}

/* Tells everything in the folder on top, and remembers the folders to go into. */
static int read_folder(struct state *state)
{
	const struct frame *frame = &state->frames[state->n_frames - 1];
	DIR_READER(reader, frame->fd);
	for (const struct dir_entry *item; (item = dir_next(&reader));) {
		if (strcmp(item->name, ".") == 0 || strcmp(item->name, "..") == 0)
			continue;
		struct walk_entry entry = {
			.dir_fd = frame->fd,
			.name = item->name,
			.type = type_of(frame->fd, item),
			.inode = item->inode,
		};
		if (entry.type == DT_UNKNOWN)
			continue; /* It went away meanwhile. */
		if (state->n_entries++ >= state->options->max_entries)
			return EOVERFLOW;
		if (is_late(state))
			return ETIME;
		int r = tell(state, &entry);
		if (r == WALK_DESCEND && entry.type == DT_DIR)
			buf_append(&state->names, item->name, strlen(item->name) + 1);
		else if (r != 0)
			return r == WALK_DESCEND ? ENOTDIR : r;
	}
	if (reader.len < 0)
		return errno == ENOENT ? 0 : errno; /* ENOENT: it was removed under our eyes. */
	return buf_is_whole(&state->names) ? 0 : ENOMEM;
}

static int push(struct state *state, int fd)
{
	struct stat status;
	if (state->n_frames == state->room) {
		size_t room = state->room == 0 ? 64 : state->room * 2;
		struct frame *frames = reallocarray(state->frames, room, sizeof(*frames));
		if (!frames)
			return ENOMEM;
		state->frames = frames;
		state->room = room;
	}
	if (fstat(fd, &status) < 0)
		return errno;
	state->frames[state->n_frames++] = (struct frame){
		.fd = fd,
		.dev = status.st_dev,
		.inode = status.st_ino,
		.names_at = state->names.len,
		.path_len = state->path.len,
	};
	return 0;
}

/* Into the last folder that waits; 0, or an errno. */
static int descend(struct state *state)
{
	struct frame *frame = &state->frames[state->n_frames - 1];
	size_t at = state->names.len - 1; /* on its NUL */
	while (at > frame->names_at && state->names.data[at - 1] != '\0')
		at--;
	const char *name = state->names.data + at;
	auto_fd int fd = openat(frame->fd, name, OPEN_FOLDER | O_CLOEXEC);
	struct stat status = { 0 };
	int r = fd < 0 || fstat(fd, &status) < 0 ? errno : 0;
	bool is_gone = r == ENOENT || r == ENOTDIR || r == ELOOP;
	bool is_elsewhere =
		r == 0 && state->options->stays_on_device && status.st_dev != frame->dev;
	if (state->options->wants_paths)
		buf_printf(&state->path, "%s/", name);
	state->names.len = at;
	if (is_gone || is_elsewhere) {
		state->path.len = frame->path_len;
		return 0;
	}
	if (r != 0)
		return r;
	if (!buf_is_whole(&state->path))
		return ENOMEM;
	if ((r = push(state, fd)) != 0)
		return r;
	(void)take_fd(&fd);
	/* The one that leaves the window of kept descriptors; the top stays, it is the caller's. */
	size_t far = state->n_frames > WALK_MAX_FDS ? state->n_frames - WALK_MAX_FDS : 0;
	if (far > 0)
		fd_close(&state->frames[far].fd);
	return read_folder(state);
}

/* The name of the folder on top, from the path or, without paths, from nowhere. */
static int tell_leaving(struct state *state, const struct frame *left)
{
	struct frame *above = &state->frames[state->n_frames - 1];
	char name[256];
	/* Its name still lies behind the end of the names that wait: it was the last one read. */
	(void)snprintf(name, sizeof(name), "%.*s", (int)(left->path_len - above->path_len - 1),
		       state->path.data + above->path_len);
	state->path.len = above->path_len;
	struct walk_entry entry = {
		.dir_fd = above->fd,
		.name = name,
		.type = DT_DIR,
		.inode = left->inode,
		.is_leaving = true,
	};
	return tell(state, &entry);
}

/* Back to the folder above, whose descriptor may have been closed. */
static int ascend(struct state *state)
{
	struct frame left = state->frames[--state->n_frames];
	struct stat status;
	int r = 0;
	if (state->n_frames > 0) {
		struct frame *above = &state->frames[state->n_frames - 1];
		if (above->fd < 0) {
			above->fd = openat(left.fd, "..", OPEN_FOLDER | O_CLOEXEC);
			if (above->fd < 0 || fstat(above->fd, &status) < 0)
				r = errno;
			else if (status.st_dev != above->dev || status.st_ino != above->inode)
				r = EAGAIN;
		}
		if (r == 0 && state->options->tells_leaving)
			r = tell_leaving(state, &left);
		state->path.len = above->path_len;
	}
	if (state->n_frames > 0)
		fd_close(&left.fd);
	return r;
}

static int go(struct state *state, int top_fd)
{
	int r = push(state, top_fd);
	if (r == 0 && lseek(top_fd, 0, SEEK_SET) < 0)
		r = errno;
	if (r == 0)
		r = read_folder(state);
	while (r == 0 && state->n_frames > 0) {
		const struct frame *frame = &state->frames[state->n_frames - 1];
		r = state->names.len > frame->names_at ? descend(state) : ascend(state);
	}
	return r;
}

int walk(int top_fd, const struct walk_options *options, void *context)
{
	struct walk_options own = *options;
	/* The name of a folder that is left is taken from the path. */
	own.wants_paths = options->wants_paths || options->tells_leaving;
	struct state state = {
		.options = &own,
		.context = context,
		.names = BUF_INIT(WALK_MAX_NAME_BYTES),
		.path = BUF_INIT(WALK_MAX_NAME_BYTES),
	};
	int r = go(&state, top_fd);
	for (size_t i = 1; i < state.n_frames; i++)
		fd_close(&state.frames[i].fd);
	free(state.frames);
	buf_fini(&state.names);
	buf_fini(&state.path);
	return r;
}
