/* SPDX-License-Identifier: Apache-2.0 */
/* pack.c - the upper side of an overlay becomes a layer */
#include "buildtool/pack.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/xattr.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "buildtool/names.h"
#include "buildtool/pen.h"
#include "buildtool/sink.h"
#include "format/tar.h"

#define MAX_DEPTH        512
#define PATH_BYTES       4096
#define MAX_XATTRS_BYTES 65536
#define MAX_HEADER_BYTES (8u * 1024 * 1024)
#define WHITEOUT         ".wh."
#define OPAQUE           ".wh..wh..opq"
#define OVERLAY_XATTRS   "user.overlay."
#define CPU_SECONDS      1800

/* A file that has several names: the first that was written. */
struct linked {
	struct linked *next;
	ino_t inode;
	char path[];
};

#define N_BUCKETS 4096

struct packer {
	const struct pack_order *order;
	struct sink sink;
	struct pack_result result;
	char path[PATH_BYTES];
	unsigned depth;
	struct linked *linked[N_BUCKETS];
};

static int fail(const struct packer *packer, enum error_code code, int errnum, const char *what,
		struct error *err)
{
	int r = error_set(err, code, errnum, packer->path, "%s", what);
	return error_remedy(err, r, "change the step that made it");
}

static int put_header(struct packer *packer, const struct tar_entry *entry, struct error *err)
{
	auto_buf struct buf bytes = BUF_INIT(MAX_HEADER_BYTES);
	if (++packer->result.n_entries > packer->order->max_entries)
		return fail(packer, ERR_LIMIT, 0, "is one file too many for a layer", err);
	tar_header(entry, &bytes);
	if (!buf_is_whole(&bytes))
		return fail(packer, ERR_LIMIT, 0, "is described by too many bytes", err);
	return sink_put(&packer->sink, bytes.data, NULL, bytes.len, err);
}

static struct tar_entry entry_of(const struct packer *packer, const struct stat *status)
{
	bool is_flat = packer->order->is_flat;
	return (struct tar_entry){
		.path = packer->path,
		.mode = status->st_mode & 07777,
		.uid = is_flat ? 0 : status->st_uid,
		.gid = is_flat ? 0 : status->st_gid,
		.mtime_s = MIN((int64_t)status->st_mtim.tv_sec, packer->order->latest_mtime_s),
	};
}

/* Users' own attributes; those of the overlay are how it is stored, and of the rest none counts. */
static int read_xattrs(struct packer *packer, int fd, struct buf *records, struct error *err)
{
	static char names[MAX_XATTRS_BYTES], value[MAX_XATTRS_BYTES];
	ssize_t len = flistxattr(fd, names, sizeof(names));
	if (len < 0)
		return errno == EOPNOTSUPP ? 0
					   : fail(packer, ERR_SYSTEM, errno,
						  "its attributes cannot be listed", err);
	for (const char *name = names; name < names + len; name += strlen(name) + 1) {
		if (strncmp(name, "user.", 5) != 0 ||
		    strncmp(name, OVERLAY_XATTRS, strlen(OVERLAY_XATTRS)) == 0 || strchr(name, '='))
			continue;
		ssize_t n = fgetxattr(fd, name, value, sizeof(value));
		if (n < 0)
			return fail(packer, ERR_SYSTEM, errno, "an attribute cannot be read", err);
		tar_xattr(records, name, value, (size_t)n);
	}
	return 0;
}

/* Another name of a file that is there already: its first name, or NULL. */
static const char *find_linked(const struct packer *packer, ino_t inode)
{
	const struct linked *linked = packer->linked[inode % N_BUCKETS];
	while (linked && linked->inode != inode)
		linked = linked->next;
	return linked ? linked->path : NULL;
}

static bool add_linked(struct packer *packer, ino_t inode)
{
	size_t size = strlen(packer->path) + 1;
	struct linked *linked = malloc(sizeof(*linked) + size);
	if (!linked)
		return false;
	linked->inode = inode;
	memcpy(linked->path, packer->path, size);
	linked->next = packer->linked[inode % N_BUCKETS];
	packer->linked[inode % N_BUCKETS] = linked;
	return true;
}

static int pack_file(struct packer *packer, int dir_fd, const char *name, struct error *err)
{
	static const char zeroes[TAR_BLOCK_BYTES];
	struct stat status;
	auto_buf struct buf records = BUF_INIT(MAX_HEADER_BYTES);
	auto_fd int fd =
		openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return fail(packer, ERR_SYSTEM, errno, "cannot be read", err);
	struct tar_entry entry = entry_of(packer, &status);
	entry.type = TAR_FILE;
	entry.size = (uint64_t)status.st_size;
	entry.xattrs = &records;
	if (status.st_nlink > 1 && (entry.leads_to = find_linked(packer, status.st_ino))) {
		entry.type = TAR_HARD_LINK;
		return put_header(packer, &entry, err);
	}
	if (status.st_nlink > 1 && !add_linked(packer, status.st_ino))
		return fail(packer, ERR_SYSTEM, ENOMEM, "cannot be remembered", err);
	int r = read_xattrs(packer, fd, &records, err);
	if (r == 0)
		r = put_header(packer, &entry, err);
	if (r == 0)
		r = sink_copy(&packer->sink, fd, entry.size, packer->path, err);
	if (r == 0)
		r = sink_put(&packer->sink, zeroes, NULL, tar_padding(entry.size), err);
	return r;
}

static int pack_link(struct packer *packer, int dir_fd, const char *name, const struct stat *status,
		     struct error *err)
{
	char leads_to[PATH_BYTES];
	ssize_t len = readlinkat(dir_fd, name, leads_to, sizeof(leads_to) - 1);
	if (len < 0)
		return fail(packer, ERR_SYSTEM, errno, "cannot be read", err);
	leads_to[len] = '\0';
	struct tar_entry entry = entry_of(packer, status);
	entry.type = TAR_LINK;
	entry.mode = 0777;
	entry.leads_to = leads_to;
	return put_header(packer, &entry, err);
}

/* Writes the path of @name beside packer->path into @ret; false if it is too long. */
static bool beside(const struct packer *packer, const char *prefix, const char *name,
		   char ret[PATH_BYTES])
{
	const char *slash = strrchr(packer->path, '/');
	size_t n_parent = slash ? (size_t)(slash - packer->path) + 1 : 0;
	int n = snprintf(ret, PATH_BYTES, "%.*s%s%s", (int)n_parent, packer->path, prefix, name);
	return n > 0 && n < PATH_BYTES;
}

static int pack_whiteout(struct packer *packer, const char *name, const struct stat *status,
			 struct error *err)
{
	char path[PATH_BYTES];
	struct tar_entry entry = entry_of(packer, status);
	if (!beside(packer, WHITEOUT, name, path))
		return fail(packer, ERR_LIMIT, ENAMETOOLONG, "cannot be whited out", err);
	entry.type = TAR_FILE;
	entry.path = path;
	entry.mode = 0;
	entry.uid = entry.gid = 0;
	return put_header(packer, &entry, err);
}

static int pack_children(struct packer *packer, int dir_fd, struct error *err);

static bool is_opaque(int fd)
{
	char value = '\0';
	return fgetxattr(fd, OVERLAY_XATTRS "opaque", &value, 1) == 1 && value == 'y';
}

static int put_opaque(struct packer *packer, const struct stat *status, struct error *err)
{
	char path[PATH_BYTES];
	struct tar_entry entry = entry_of(packer, status);
	int n = snprintf(path, sizeof(path), "%s/%s", packer->path, OPAQUE);
	if (n < 0 || (size_t)n >= sizeof(path))
		return fail(packer, ERR_LIMIT, ENAMETOOLONG, "cannot be made opaque", err);
	entry.type = TAR_FILE;
	entry.path = path;
	entry.mode = 0;
	entry.uid = entry.gid = 0;
	return put_header(packer, &entry, err);
}

/* NOLINTNEXTLINE(misc-no-recursion): MAX_DEPTH bounds it */
static int pack_folder(struct packer *packer, int dir_fd, const char *name, struct error *err)
{
	struct stat status;
	auto_buf struct buf records = BUF_INIT(MAX_HEADER_BYTES);
	auto_fd int fd =
		openat(dir_fd, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0)
		return fail(packer, ERR_SYSTEM, errno, "cannot be entered", err);
	struct tar_entry entry = entry_of(packer, &status);
	entry.type = TAR_FOLDER;
	entry.xattrs = &records;
	int r = read_xattrs(packer, fd, &records, err);
	if (r == 0)
		r = put_header(packer, &entry, err);
	if (r == 0 && is_opaque(fd))
		r = put_opaque(packer, &status, err);
	return r == 0 ? pack_children(packer, fd, err) : r;
}

static int pack_special(struct packer *packer, const char *name, const struct stat *status,
			struct error *err)
{
	struct tar_entry entry = entry_of(packer, status);
	if (S_ISCHR(status->st_mode) && status->st_rdev == makedev(0, 0))
		return pack_whiteout(packer, name, status, err);
	/* A socket without its process is nothing. */
	if (S_ISSOCK(status->st_mode))
		return 0;
	if (!S_ISFIFO(status->st_mode))
		return fail(packer, ERR_INVALID, 0, "is a device, which no layer may hold", err);
	entry.type = TAR_FIFO;
	return put_header(packer, &entry, err);
}

/* NOLINTNEXTLINE(misc-no-recursion): MAX_DEPTH bounds it */
static int pack_entry(struct packer *packer, int dir_fd, const char *name, struct error *err)
{
	struct stat status;
	if (strncmp(name, WHITEOUT, strlen(WHITEOUT)) == 0)
		return fail(packer, ERR_INVALID, 0,
			    "begins with .wh., which means a removed file in a layer", err);
	if (fstatat(dir_fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return fail(packer, ERR_SYSTEM, errno, "cannot be looked at", err);
	if (S_ISDIR(status.st_mode))
		return pack_folder(packer, dir_fd, name, err);
	if (S_ISREG(status.st_mode))
		return pack_file(packer, dir_fd, name, err);
	if (S_ISLNK(status.st_mode))
		return pack_link(packer, dir_fd, name, &status, err);
	return pack_special(packer, name, &status, err);
}

/* What foso itself mounts over a root; nothing of it belongs to the image. */
static bool is_own(const struct packer *packer, const char *name)
{
	static const char *const names[] = { "dev", "proc", "sys" };
	for (size_t i = 0; i < ARRAY_LEN(names) && packer->path[0] == '\0'; i++)
		if (strcmp(name, names[i]) == 0)
			return true;
	return false;
}

/* NOLINTNEXTLINE(misc-no-recursion): MAX_DEPTH bounds it */
static int pack_children(struct packer *packer, int dir_fd, struct error *err)
{
	auto_names struct names names = { .items = NULL };
	size_t len = strlen(packer->path);
	if (++packer->depth > MAX_DEPTH)
		return fail(packer, ERR_LIMIT, 0, "is nested too deeply", err);
	int r = names_read(&names, dir_fd, packer->order->max_entries, packer->path, err);
	for (size_t i = 0; r == 0 && i < names.n_items; i++) {
		const char *name = names.items[i];
		if (is_own(packer, name))
			continue;
		int n = snprintf(packer->path + len, sizeof(packer->path) - len, "%s%s",
				 len > 0 ? "/" : "", name);
		if (n < 0 || (size_t)n >= sizeof(packer->path) - len)
			r = fail(packer, ERR_LIMIT, ENAMETOOLONG, "cannot be packed", err);
		else
			r = pack_entry(packer, dir_fd, name, err);
		packer->path[len] = '\0';
	}
	packer->depth--;
	return r;
}

/* In the pen. */
static int run(int dir_fd, int out_fd, const void *order, void *ret_answer, struct error *err)
{
	static struct packer packer;
	static const char zeroes[TAR_END_BYTES];
	packer.order = order;
	packer.sink = (struct sink){ .fd = out_fd, .name = "the layer" };
	packer.sink.max_bytes = packer.order->max_bytes;
	packer.sink.remedy = "let the step write less, or raise --limit disk=SIZE";
	int r = pack_children(&packer, dir_fd, err);
	if (r == 0)
		r = sink_put(&packer.sink, zeroes, NULL, sizeof(zeroes), err);
	if (r != 0)
		return r;
	packer.result.n_bytes = packer.sink.n_bytes;
	memcpy(ret_answer, &packer.result, sizeof(packer.result));
	return 0;
}

int pack_upper(int upper_fd, int out_fd, const struct pack_order *order, struct pack_result *ret,
	       struct error *err)
{
	const struct pen pen = {
		.dir_fd = upper_fd,
		.out_fd = out_fd,
		.max_out_bytes = order->max_bytes,
		.cpu_seconds = CPU_SECONDS,
		.run = run,
		.order = order,
		.ret_answer = ret,
		.answer_bytes = sizeof(*ret),
		.name = "the packing of a layer",
	};
	return pen_run(&pen, err);
}
