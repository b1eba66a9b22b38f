/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer.c - the members of a layer, one after the other, into the tree
 *
 * What each does is what umoci unpack does with it (tests/image/umoci_test compares), but for what
 * is refused here: devices, names that lead out, what is there twice, paths through a link of the
 * same layer.  Source of the form: OCI image spec, layer.md.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "unpack/entry.h"

#define WHITEOUT      ".wh."
#define WHITEOUT_META ".wh..wh."     /* of aufs, and the next */
#define WHITEOUT_ALL  ".wh..wh..opq" /* all that lower layers have in this folder */

struct layer {
	struct unpack_fault *fault;
	const struct layer_limits *limits;
	struct archive *archive;
	struct tree tree;
	uint64_t n_entries, n_bytes;
	char path[IMAGE_PATH_MAX + 1]; /* of the member at hand */
};

static int failed(struct layer *layer, int errnum)
{
	return fault_system(layer->fault, errnum, layer->path);
}

static int write_all(int fd, const char *bytes, size_t len, off_t offset)
{
	while (len > 0) {
		ssize_t n = pwrite(fd, bytes, len, offset);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		bytes += n;
		len -= (size_t)n;
		offset += n;
	}
	return 0;
}

static int write_content(struct layer *layer, struct archive_entry *entry, int fd)
{
	const void *bytes;
	size_t len;
	la_int64_t offset, end = 0;
	int r;
	while ((r = archive_read_data_block(layer->archive, &bytes, &len, &offset)) == ARCHIVE_OK) {
		int errnum = write_all(fd, bytes, len, offset);
		if (errnum != 0)
			return failed(layer, errnum);
		end = offset + (la_int64_t)len;
	}
	if (r != ARCHIVE_EOF)
		return tar_failed(layer->fault, layer->archive, layer->path);
	if (end < archive_entry_size(entry) && ftruncate(fd, archive_entry_size(entry)) < 0)
		return failed(layer, errno);
	return 0;
}

static int make_file(struct layer *layer, struct archive_entry *entry, const char *name)
{
	uint64_t n_bytes = (uint64_t)archive_entry_size(entry);
	if (archive_entry_size(entry) < 0)
		return fault_set(layer->fault, IMAGE_FAULT_TAR, layer->path, 0, 0);
	if (n_bytes > layer->limits->max_bytes - layer->n_bytes)
		return fault_set(layer->fault, IMAGE_FAULT_N_BYTES, layer->path,
				 layer->limits->max_bytes, layer->n_bytes + n_bytes);
	layer->n_bytes += n_bytes;
	auto_fd int fd = tree_open(layer->tree.parent.fd, name, O_WRONLY | O_CREAT | O_EXCL, 0600);
	if (fd < 0)
		return failed(layer, errno);
	if (write_content(layer, entry, fd) < 0)
		return -1;
	return entry_describe(&layer->tree, entry, fd, name, false);
}

static int make_folder(struct layer *layer, struct archive_entry *entry, const char *name,
		       bool is_old)
{
	if (!is_old && mkdirat(layer->tree.parent.fd, name, 0700) < 0)
		return failed(layer, errno);
	auto_fd int fd = tree_open(layer->tree.parent.fd, name, O_RDONLY | O_DIRECTORY, 0);
	if (fd < 0)
		return failed(layer, errno);
	return entry_describe(&layer->tree, entry, fd, name, is_old);
}

static int make_link(struct layer *layer, struct archive_entry *entry, const char *name)
{
	const char *target = archive_entry_symlink(entry);
	if (!target || !target[0])
		return fault_set(layer->fault, IMAGE_FAULT_TAR, layer->path, 0, 0);
	if (symlinkat(target, layer->tree.parent.fd, name) < 0)
		return failed(layer, errno);
	return entry_describe(&layer->tree, entry, -1, name, false);
}

static int make_fifo(struct layer *layer, struct archive_entry *entry, const char *name)
{
	if (mknodat(layer->tree.parent.fd, name, S_IFIFO | 0600, 0) < 0)
		return failed(layer, errno);
	return entry_describe(&layer->tree, entry, -1, name, false);
}

/*
 * The target's folder is entered first, to follow the links of lower layers in it; its descriptor
 * outlives the entering of the new name's folder.
 */
static int make_hard_link(struct layer *layer, const char *target)
{
	char path[IMAGE_PATH_MAX + 1];
	const char *from, *name;
	struct tree *tree = &layer->tree;
	if (path_normalize(layer->fault, target, path) < 0)
		return -1;
	int r = path[0] ? tree_enter(tree, path, false, &from) : 1;
	if (r < 0)
		return r;
	auto_fd int dir_fd = r == 0 ? fcntl(tree->parent.fd, F_DUPFD_CLOEXEC, 0) : -1;
	if (r != 0 || dir_fd < 0)
		return fault_set(layer->fault, IMAGE_FAULT_LINK_TARGET, layer->path, 0, 0);
	if (tree_enter(tree, layer->path, true, &name) != 0 ||
	    tree_clear_place(tree, name, false) < 0)
		return -1;
	if (linkat(dir_fd, from, tree->parent.fd, name, 0) < 0) {
		bool is_missing = errno == ENOENT || errno == EPERM;
		return is_missing
			       ? fault_set(layer->fault, IMAGE_FAULT_LINK_TARGET, layer->path, 0, 0)
			       : failed(layer, errno);
	}
	return tree_made(tree, name, TOUCHED_OTHER);
}

static int make_other(struct layer *layer, struct archive_entry *entry, const char *name)
{
	switch (archive_entry_filetype(entry)) {
	case AE_IFREG:
		return make_file(layer, entry, name);
	case AE_IFLNK:
		return make_link(layer, entry, name);
	case AE_IFIFO:
		return make_fifo(layer, entry, name);
	case AE_IFCHR:
	case AE_IFBLK:
		return fault_set(layer->fault, IMAGE_FAULT_DEVICE, layer->path, 0, 0);
	default:
		return fault_set(layer->fault, IMAGE_FAULT_KIND, layer->path, 0, 0);
	}
}

static int make(struct layer *layer, struct archive_entry *entry)
{
	struct tree *tree = &layer->tree;
	const char *name, *hard = archive_entry_hardlink(entry);
	bool is_folder = archive_entry_filetype(entry) == AE_IFDIR;
	if (hard)
		return make_hard_link(layer, hard);
	if (entry_check(tree, entry, layer->path) < 0 ||
	    tree_enter(tree, layer->path, true, &name) != 0)
		return -1;
	int r = tree_clear_place(tree, name, is_folder);
	if (r < 0)
		return r;
	r = is_folder ? make_folder(layer, entry, name, r == 1) : make_other(layer, entry, name);
	if (r < 0)
		return r;
	return tree_made(tree, name, is_folder ? TOUCHED_FOLDER : TOUCHED_OTHER);
}

/* The root itself is there already; a layer may say how it looks. */
static int describe_root(struct layer *layer, struct archive_entry *entry)
{
	const char *name;
	struct tree *tree = &layer->tree;
	if (archive_entry_hardlink(entry) || archive_entry_filetype(entry) != AE_IFDIR)
		return fault_set(layer->fault, IMAGE_FAULT_ROOT_KIND, "", 0, 0);
	if (entry_check(tree, entry, "") < 0 || tree_enter(tree, "", true, &name) != 0 ||
	    entry_describe(tree, entry, tree->parent.fd, "", true) < 0)
		return -1;
	tree->parent.mtime = (struct timespec){ .tv_sec = archive_entry_mtime(entry),
						.tv_nsec = archive_entry_mtime_nsec(entry) };
	return 0;
}

static int whiteout(struct layer *layer, const char *base)
{
	const char *name, *victim = base + strlen(WHITEOUT);
	bool is_all = strcmp(base, WHITEOUT_ALL) == 0;
	if (!is_all && strncmp(base, WHITEOUT_META, strlen(WHITEOUT_META)) == 0)
		return 0;
	if (victim[0] == '\0')
		return fault_set(layer->fault, IMAGE_FAULT_WHITEOUT, layer->path, 0, 0);
	if (strcmp(victim, ".") == 0 || strcmp(victim, "..") == 0)
		return fault_set(layer->fault, IMAGE_FAULT_UP, layer->path, 0, 0);
	int r = tree_enter(&layer->tree, layer->path, false, &name);
	if (r != 0)
		return MIN(r, 0);
	return tree_whiteout(&layer->tree, is_all ? "" : victim);
}

static int take_entry(struct layer *layer, struct archive_entry *entry)
{
	const char *name = archive_entry_pathname(entry);
	if (++layer->n_entries > layer->limits->max_entries)
		return fault_set(layer->fault, IMAGE_FAULT_N_ENTRIES, name ? name : "",
				 layer->limits->max_entries, layer->n_entries);
	if (path_normalize(layer->fault, name ? name : "", layer->path) < 0)
		return -1;
	if (layer->path[0] == '\0')
		return describe_root(layer, entry);
	const char *slash = strrchr(layer->path, '/');
	const char *base = slash ? slash + 1 : layer->path;
	if (strncmp(base, WHITEOUT, strlen(WHITEOUT)) == 0)
		return whiteout(layer, base);
	return make(layer, entry);
}

/* Behind the end of the archive there is padding, which whoever feeds us still wants to write. */
static int drain(struct layer *layer)
{
	static char part[64 * 1024];
	ssize_t n;
	while ((n = read(STDIN_FILENO, part, sizeof(part))) > 0)
		;
	return n < 0 ? failed(layer, errno) : 0;
}

static int walk(struct layer *layer)
{
	struct archive_entry *entry;
	int r;
	while ((r = tar_next(layer->fault, layer->archive, &entry, layer->path)) == 0) {
		if (take_entry(layer, entry) < 0)
			return -1;
	}
	if (r < 0 || tree_finish(&layer->tree) < 0)
		return -1;
	return drain(layer);
}

int unpack_layer(struct unpack *unpack, int root_fd, const struct layer_limits *limits)
{
	static struct layer layer;
	layer = (struct layer){ .fault = &unpack->fault, .limits = limits };
	auto_archive struct archive *archive = tar_open(&unpack->fault, STDIN_FILENO, false);
	if (!archive)
		return -1;
	layer.archive = archive;
	tree_init(&layer.tree, &unpack->fault, root_fd, limits->is_flat);
	int r = walk(&layer);
	tree_fini(&layer.tree);
	unpack->answer->kind = IMAGE_ANSWER_LAYER;
	unpack->answer->n_entries = layer.n_entries;
	unpack->answer->n_bytes = layer.n_bytes;
	return r;
}
