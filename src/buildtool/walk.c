/* SPDX-License-Identifier: Apache-2.0 */
/* walk.c - the files that a COPY names, as a stream */
#include "buildtool/walk.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "buildtool/names.h"
#include "wire/files.h"

#define MAX_DEPTH   256
#define MAX_ENTRIES (UINT64_C(1) << 20)
#define PATH_BYTES  (FILES_MAX_NAME_BYTES + 1)

/* A folder on the way to an entry; one that is ignored is told only if something in it is kept. */
struct frame {
	struct frame *above;
	struct files_header header;
	size_t name_len; /* of its path below the source */
	bool is_told;
};

struct state {
	struct walk *walk;
	char path[PATH_BYTES]; /* below the tree */
	size_t source_len;     /* of it, the path of the source and a slash */
	unsigned depth;
};

static int too_many(const char *path, struct error *err)
{
	int r = error_set(err, ERR_LIMIT, 0, path,
			  "has more than %llu files, or is nested deeper "
			  "than %d",
			  (unsigned long long)MAX_ENTRIES, MAX_DEPTH);
	return error_remedy(err, r, "leave what is not needed out with .dockerignore");
}

int walk_put(struct sink *sink, const struct files_header *header, const char *name,
	     struct error *err)
{
	uint8_t bytes[FILES_HEADER_BYTES], digested[FILES_HEADER_BYTES];
	struct files_header timeless = *header;
	timeless.mtime_s = 0;
	timeless.mtime_ns = 0;
	files_header_encode(header, bytes);
	files_header_encode(&timeless, digested);
	int r = sink_put(sink, bytes, digested, sizeof(bytes), err);
	if (r == 0 && header->name_len > 0)
		r = sink_put(sink, name, NULL, header->name_len, err);
	return r;
}

static const char *name_of(const struct state *state)
{
	size_t len = strlen(state->path);
	return state->path + MIN(state->source_len, len);
}

static struct files_header header_of(enum files_type type, const struct stat *status,
				     const char *name)
{
	return (struct files_header){
		.type = type,
		.mode = status->st_mode & 07777,
		.size = type == FILES_FOLDER ? 0 : (uint64_t)status->st_size,
		.mtime_s = status->st_mtim.tv_sec,
		.mtime_ns = (uint32_t)status->st_mtim.tv_nsec,
		.name_len = (uint32_t)strlen(name),
	};
}

/* NOLINTNEXTLINE(misc-no-recursion): MAX_DEPTH bounds it */
static int tell_folders(struct state *state, struct frame *frame, struct error *err)
{
	if (!frame || frame->is_told)
		return 0;
	int r = tell_folders(state, frame->above, err);
	frame->is_told = true;
	return r == 0 ? walk_put(state->walk->sink, &frame->header, name_of(state), err) : r;
}

static int cannot_read(const char *path, int errnum, struct error *err)
{
	int r = error_set(err, errnum == EACCES ? ERR_DENIED : ERR_SYSTEM, errnum, path,
			  "cannot be read");
	return error_remedy(err, r, "make it readable, or leave it out with .dockerignore");
}

static int put_file(struct state *state, int dir_fd, const char *name, struct error *err)
{
	struct stat status;
	/* A FIFO that took the place of the file must not stop us. */
	auto_fd int fd =
		openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return cannot_read(state->path, fd < 0 ? errno : EAGAIN, err);
	struct files_header header = header_of(FILES_FILE, &status, name_of(state));
	int r = walk_put(state->walk->sink, &header, name_of(state), err);
	return r == 0 ? sink_copy(state->walk->sink, fd, header.size, state->path, err) : r;
}

static int put_link(struct state *state, int dir_fd, const char *name, const struct stat *status,
		    struct error *err)
{
	char leads_to[PATH_BYTES];
	ssize_t len = readlinkat(dir_fd, name, leads_to, sizeof(leads_to));
	if (len < 0 || (size_t)len >= sizeof(leads_to))
		return cannot_read(state->path, len < 0 ? errno : ENAMETOOLONG, err);
	struct files_header header = header_of(FILES_LINK, status, name_of(state));
	header.size = (uint64_t)len;
	int r = walk_put(state->walk->sink, &header, name_of(state), err);
	return r == 0 ? sink_put(state->walk->sink, leads_to, NULL, (size_t)len, err) : r;
}

static bool is_ignored(const struct state *state)
{
	const struct walk *walk = state->walk;
	return walk->is_context && walk->plan && state->path[0] &&
	       recipe_is_ignored(walk->plan, state->path);
}

static int walk_folder(struct state *state, int dir_fd, struct frame *frame, struct error *err);

/* NOLINTNEXTLINE(misc-no-recursion): MAX_DEPTH bounds it */
static int enter_folder(struct state *state, int dir_fd, const char *name,
			const struct stat *status, struct frame *above, struct error *err)
{
	struct frame frame = {
		.above = above,
		.header = header_of(FILES_FOLDER, status, name_of(state)),
		.name_len = strlen(state->path),
	};
	bool is_out = is_ignored(state);
	if (is_out && !recipe_may_keep_below(state->walk->plan))
		return 0;
	auto_fd int fd =
		openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
	if (fd < 0)
		return cannot_read(state->path, errno, err);
	int r = is_out ? 0 : tell_folders(state, &frame, err);
	return r == 0 ? walk_folder(state, fd, &frame, err) : r;
}

/* NOLINTNEXTLINE(misc-no-recursion): MAX_DEPTH bounds it */
static int walk_entry(struct state *state, int dir_fd, const char *name, struct frame *above,
		      struct error *err)
{
	struct stat status;
	if (++state->walk->n_entries > MAX_ENTRIES)
		return too_many(state->path, err);
	if (fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return cannot_read(state->path, errno, err);
	if (S_ISDIR(status.st_mode))
		return enter_folder(state, dir_fd, name, &status, above, err);
	if (is_ignored(state))
		return 0;
	int r = tell_folders(state, above, err);
	if (r != 0)
		return r;
	if (S_ISREG(status.st_mode))
		return put_file(state, dir_fd, name, err);
	if (S_ISLNK(status.st_mode))
		return put_link(state, dir_fd, name, &status, err);
	r = error_set(err, ERR_INVALID, 0, state->path, "is neither file nor folder nor link");
	return error_remedy(err, r, "remove it, or leave it out with .dockerignore");
}

/* Appends a name to the path; false if it would be too long. */
static bool append(struct state *state, const char *name)
{
	size_t len = strlen(state->path);
	const char *slash = len > 0 ? "/" : "";
	int n = snprintf(state->path + len, sizeof(state->path) - len, "%s%s", slash, name);
	return n >= 0 && (size_t)n < sizeof(state->path) - len;
}

/* @frame is NULL for the source itself, whose own mode and owner COPY leaves alone. */
/* NOLINTNEXTLINE(misc-no-recursion): MAX_DEPTH bounds it */
static int walk_folder(struct state *state, int dir_fd, struct frame *frame, struct error *err)
{
	auto_names struct names names = { .items = NULL };
	size_t len = strlen(state->path);
	if (++state->depth > MAX_DEPTH)
		return too_many(state->path, err);
	int r = names_read(&names, dir_fd, MAX_ENTRIES, state->path, err);
	for (size_t i = 0; r == 0 && i < names.n_items; i++) {
		if (!append(state, names.items[i]))
			r = cannot_read(state->path, ENAMETOOLONG, err);
		else
			r = walk_entry(state, dir_fd, names.items[i], frame, err);
		/* An error names the path that it holds a copy of. */
		state->path[len] = '\0';
	}
	state->depth--;
	return r;
}

int walk_open(const struct walk *walk, const char *path, unsigned flags)
{
	struct open_how how = {
		.flags = flags | O_CLOEXEC | O_NOCTTY | O_NONBLOCK,
		.resolve = RESOLVE_NO_MAGICLINKS |
			   (walk->is_context ? RESOLVE_BENEATH : RESOLVE_IN_ROOT),
	};
	return sys_openat2(walk->root_fd, path[0] ? path : ".", &how);
}

static int no_source(const struct walk *walk, const char *path, int errnum, struct error *err)
{
	int r;
	if (errnum == EXDEV) {
		r = error_set(err, ERR_INVALID, 0, path, "leads out of %s by a link", walk->what);
		return error_remedy(err, r, "replace the link by what it leads to");
	}
	if (errnum == EACCES)
		return cannot_read(path, errnum, err);
	r = error_set(err, ERR_NOT_FOUND, errnum == ENOENT ? 0 : errnum, path, "is not in %s",
		      walk->what);
	return error_remedy(err, r, "name a file or folder of it; .dockerignore may leave it out");
}

/* What is in the archive, as if a folder had been named; 1 if it is none. */
static int put_archive(struct walk *walk, int fd, const char *path, struct error *err)
{
	static const struct files_header header = { .type = FILES_SOURCE, .mode = S_IFDIR | 0755 };
	auto_fd int tree_fd = -1;
	struct walk below = { .what = path, .sink = walk->sink, .n_entries = walk->n_entries };
	struct state state = { .walk = &below };
	int r = walk->unpack(walk->context, fd, path, &tree_fd, err);
	if (r != 0)
		return r;
	r = walk_put(walk->sink, &header, "", err);
	return r == 0 ? walk_folder(&state, tree_fd, NULL, err) : r;
}

/* The source at @path, which was named: links on the way are followed below the tree. */
static int put_source(struct walk *walk, const char *path, struct error *err)
{
	struct stat status;
	struct state state = { .walk = walk };
	const char *slash = strrchr(path, '/');
	const char *name = slash ? slash + 1 : path;
	(void)snprintf(state.path, sizeof(state.path), "%s", path);
	/* Entries are called by what follows the source; the file itself by nothing. */
	state.source_len = path[0] ? strlen(path) + 1 : 0;
	if (is_ignored(&state))
		return no_source(walk, path, ENOENT, err);
	auto_fd int fd = walk_open(walk, path, O_RDONLY);
	if (fd < 0 || fstat(fd, &status) < 0)
		return no_source(walk, path, errno, err);
	struct files_header header = { .type = FILES_SOURCE,
				       .mode = status.st_mode & (S_IFMT | 07777),
				       .name_len = (uint32_t)strlen(name) };
	if (!S_ISDIR(status.st_mode) && !S_ISREG(status.st_mode)) {
		int r = error_set(err, ERR_INVALID, 0, path, "is neither file nor folder");
		return error_remedy(err, r, "name another");
	}
	if (walk->unpack && S_ISREG(status.st_mode)) {
		int unpacked = put_archive(walk, fd, path, err);
		if (unpacked <= 0)
			return unpacked;
		/* Whoever looked has read it. */
		if (lseek(fd, 0, SEEK_SET) != 0)
			return cannot_read(path, errno, err);
	}
	int r = walk_put(walk->sink, &header, name, err);
	if (r != 0 || S_ISDIR(status.st_mode))
		return r != 0 ? r : walk_folder(&state, fd, NULL, err);
	header = header_of(FILES_FILE, &status, "");
	r = walk_put(walk->sink, &header, "", err);
	return r == 0 ? sink_copy(walk->sink, fd, header.size, path, err) : r;
}

/* ---- patterns ---- */

struct search {
	struct walk *walk;
	const char *pattern;
	unsigned n_segments; /* of the pattern; no match lies deeper, unless "**" is in it */
	char path[PATH_BYTES];
	size_t n_found;
	unsigned depth;
};

static int search_folder(struct search *search, int dir_fd, struct error *err);

/* NOLINTNEXTLINE(misc-no-recursion): MAX_DEPTH bounds it */
static int search_entry(struct search *search, int dir_fd, const char *name, struct error *err)
{
	bool is_out =
		search->walk->is_context && recipe_is_ignored(search->walk->plan, search->path);
	if (++search->walk->n_entries > MAX_ENTRIES)
		return too_many(search->path, err);
	if (!is_out && recipe_match(search->pattern, search->path)) {
		search->n_found++;
		return put_source(search->walk, search->path, err);
	}
	if (search->depth >= search->n_segments)
		return 0;
	auto_fd int fd =
		openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
	return fd < 0 ? 0 : search_folder(search, fd, err);
}

/* NOLINTNEXTLINE(misc-no-recursion): MAX_DEPTH bounds it */
static int search_folder(struct search *search, int dir_fd, struct error *err)
{
	auto_names struct names names = { .items = NULL };
	size_t len = strlen(search->path);
	if (++search->depth > MAX_DEPTH)
		return too_many(search->path, err);
	int r = names_read(&names, dir_fd, MAX_ENTRIES, search->path, err);
	for (size_t i = 0; r == 0 && i < names.n_items; i++) {
		int n = snprintf(search->path + len, sizeof(search->path) - len, "%s%s",
				 len > 0 ? "/" : "", names.items[i]);
		if (n < 0 || (size_t)n >= sizeof(search->path) - len)
			r = cannot_read(names.items[i], ENAMETOOLONG, err);
		else
			r = search_entry(search, dir_fd, names.items[i], err);
		search->path[len] = '\0';
	}
	search->depth--;
	return r;
}

/* Letters that stand for others; behind a backslash they stand for themselves. */
static bool has_wildcard(const char *pattern)
{
	for (; *pattern; pattern++) {
		if (strchr("*?[", *pattern))
			return true;
		pattern += pattern[0] == '\\' && pattern[1];
	}
	return false;
}

int walk_missing(const struct walk *walk, const char *pattern, struct error *err)
{
	return no_source(walk, pattern, ENOENT, err);
}

int walk_source(struct walk *walk, const char *pattern, struct error *err)
{
	struct search search = { .walk = walk, .pattern = pattern, .n_segments = 1 };
	if (!strpbrk(pattern, "*?[\\"))
		return put_source(walk, pattern, err);
	for (const char *at = pattern; *at; at++)
		search.n_segments += *at == '/';
	if (strstr(pattern, "**"))
		search.n_segments = MAX_DEPTH;
	auto_fd int fd = walk_open(walk, "", O_RDONLY | O_DIRECTORY);
	if (fd < 0)
		return cannot_read(walk->what, errno, err);
	int r = search_folder(&search, fd, err);
	if (r != 0 || search.n_found > 0)
		return r;
	return has_wildcard(pattern) ? 1 : walk_missing(walk, pattern, err);
}
