/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_mounts.c - /proc/self/mountinfo and /proc/self/cgroup, read strictly
 *
 * Mount points and cgroup names can be chosen by strangers, so a line that does not have the
 * exact form of proc(5) is skipped, and so is one that is longer than any cgroup mount's can be
 * (an overlay with many layers fills pages).  The kernel escapes space, tab, newline and backslash
 * as \ooo in mountinfo; in /proc/self/cgroup it forbids newline and escapes nothing.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "limits/cgroup_private.h"

#define LINE_BYTES 8192

static const char *const v1_words[CGROUP_N_CONTROLLERS] = {
	[CGROUP_MEMORY] = "memory",   [CGROUP_PIDS] = "pids",       [CGROUP_CPU] = "cpu",
	[CGROUP_CPUACCT] = "cpuacct", [CGROUP_FREEZER] = "freezer", [CGROUP_IO] = "blkio",
};

/* Calls @found with each whole line, NUL-terminated and its own to change. */
static int lines_each(const char *path, void (*found)(char *line, void *context), void *context)
{
	auto_fd int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	not_zeroed char text[LINE_BYTES];
	size_t used = 0;
	bool is_skipping = false; /* the rest of a line that was too long */
	for (;;) {
		ssize_t n_read = read(fd, text + used, sizeof(text) - used);
		if (n_read < 0 && errno == EINTR)
			continue;
		if (n_read <= 0)
			return n_read < 0 ? errno : 0;
		used += (size_t)n_read;
		size_t start = 0;
		char *end;
		while ((end = memchr(text + start, '\n', used - start))) {
			*end = '\0';
			if (!is_skipping && strlen(text + start) == (size_t)(end - text) - start)
				found(text + start, context);
			is_skipping = false;
			start = (size_t)(end - text) + 1;
		}
		used -= start;
		memmove(text, text + start, used);
		if (used == sizeof(text)) {
			is_skipping = true;
			used = 0;
		}
	}
}

/* Cuts @text at the next space; NULL at the end.  A field may be empty (a source can be). */
static char *field_next(char **text)
{
	char *field = *text;
	if (!field)
		return NULL;
	char *end = strchr(field, ' ');
	if (end)
		*end = '\0';
	*text = end ? end + 1 : NULL;
	return field;
}

static bool list_has(const char *list, const char *word)
{
	size_t len = strlen(word);
	for (const char *item = list; item; item = strchr(item, ',')) {
		item += *item == ',';
		if (strncmp(item, word, len) == 0 && (item[len] == ',' || item[len] == '\0'))
			return true;
	}
	return false;
}

static bool is_octal(char c)
{
	return c >= '0' && c <= '7';
}

/* Undoes the kernel's \ooo; false if it does not fit or is not of that form. */
static bool path_unescape(const char *from, char to[CGROUP_PATH_BYTES])
{
	size_t used = 0;
	for (; *from && used + 1 < CGROUP_PATH_BYTES; from++) {
		if (*from != '\\') {
			to[used++] = *from;
			continue;
		}
		if (from[1] < '0' || from[1] > '3' || !is_octal(from[2]) || !is_octal(from[3]))
			return false;
		to[used++] = (char)((from[1] - '0') * 64 + (from[2] - '0') * 8 + (from[3] - '0'));
		from += 3;
	}
	to[used] = '\0';
	return *from == '\0' && to[0] == '/';
}

struct mount_line {
	const char *root, *mount_point, *options, *type, *super_options;
};

/* "36 35 98:0 /root /mount rw,noatime [optional ...] - type source super" */
static bool mount_line_parse(char *line, struct mount_line *ret)
{
	(void)field_next(&line); /* mount id */
	(void)field_next(&line); /* parent id */
	(void)field_next(&line); /* device */
	ret->root = field_next(&line);
	ret->mount_point = field_next(&line);
	ret->options = field_next(&line);
	for (;;) {
		const char *field = field_next(&line);
		if (!field)
			return false;
		if (strcmp(field, "-") == 0)
			break;
	}
	ret->type = field_next(&line);
	(void)field_next(&line); /* source */
	ret->super_options = field_next(&line);
	return ret->super_options && !line;
}

/* The first usable mount of a hierarchy counts; a read-only one only if there is no other. */
static void hierarchy_set(struct cgroup_hierarchy *hierarchy, const struct mount_line *line)
{
	if (hierarchy->is_mounted && !hierarchy->is_readonly)
		return;
	struct cgroup_hierarchy found = { .is_mounted = true };
	found.is_readonly = list_has(line->options, "ro") || list_has(line->super_options, "ro");
	if (hierarchy->is_mounted && found.is_readonly)
		return;
	if (path_unescape(line->mount_point, found.mount) && path_unescape(line->root, found.root))
		*hierarchy = found;
}

static void mount_found(char *text, void *context)
{
	struct cgroup_mounts *mounts = context;
	struct mount_line line;
	if (!strstr(text, " - cgroup") || !mount_line_parse(text, &line))
		return;
	if (strcmp(line.type, "cgroup2") == 0)
		hierarchy_set(&mounts->v2, &line);
	if (strcmp(line.type, "cgroup") != 0)
		return;
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++) {
		if (list_has(line.super_options, v1_words[i]))
			hierarchy_set(&mounts->v1[i], &line);
	}
}

static void own_set(struct cgroup_hierarchy *hierarchy, const char *path)
{
	size_t len = strlen(path);
	if (path[0] == '/' && len < sizeof(hierarchy->own))
		memcpy(hierarchy->own, path, len + 1);
}

/* "4:memory:/user.slice" or "0::/user.slice" */
static void own_found(char *line, void *context)
{
	struct cgroup_mounts *mounts = context;
	char *controllers = strchr(line, ':');
	char *path = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!path)
		return;
	*controllers++ = '\0';
	*path++ = '\0';
	if (strcmp(line, "0") == 0 && *controllers == '\0')
		own_set(&mounts->v2, path);
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++) {
		if (list_has(controllers, v1_words[i]))
			own_set(&mounts->v1[i], path);
	}
}

int cgroup_mounts_read(struct cgroup_mounts *ret, const char *mountinfo, const char *cgroup)
{
	memset(ret, 0, sizeof(*ret));
	int errnum = lines_each(mountinfo, mount_found, ret);
	return errnum != 0 ? errnum : lines_each(cgroup, own_found, ret);
}

#define ROOT_INODE 1 /* of every hierarchy: the first that kernfs gives */
#define FIRST_CGROUPS                                                              \
	0xEFFFFFFBu /* PROC_CGROUP_INIT_INO: the namespace that begins at the root \
		     */

static bool has_inode(const char *path, uint64_t inode)
{
	struct stat status;
	return stat(path, &status) == 0 && status.st_ino == inode;
}

static void usual_set(struct cgroup_hierarchy *hierarchy, const char *mount, const char *own)
{
	hierarchy->is_mounted = true;
	(void)snprintf(hierarchy->mount, sizeof(hierarchy->mount), "%s", mount);
	(void)snprintf(hierarchy->root, sizeof(hierarchy->root), "/");
	own_set(hierarchy, own);
}

/* A line of /proc/self/cgroup names a hierarchy as the folder is named that it is mounted at. */
static void usual_found(char *line, void *context)
{
	struct cgroup_mounts *mounts = context;
	char mount[CGROUP_PATH_BYTES];
	char *controllers = strchr(line, ':');
	char *path = controllers ? strchr(controllers + 1, ':') : NULL;
	if (!path)
		return;
	*controllers++ = '\0';
	*path++ = '\0';
	bool is_v2 = *controllers == '\0', is_ours = is_v2;
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++)
		is_ours = is_ours || list_has(controllers, v1_words[i]);
	int n = snprintf(mount, sizeof(mount), "/sys/fs/cgroup%s%s", is_v2 ? "" : "/", controllers);
	if (!is_ours || n >= (int)sizeof(mount) || !has_inode(mount, ROOT_INODE))
		return;
	if (is_v2)
		usual_set(&mounts->v2, mount, path);
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++) {
		if (list_has(controllers, v1_words[i]))
			usual_set(&mounts->v1[i], mount, path);
	}
}

bool cgroup_mounts_usual(struct cgroup_mounts *ret)
{
	memset(ret, 0, sizeof(*ret));
	return has_inode("/proc/self/ns/cgroup", FIRST_CGROUPS) &&
	       lines_each("/proc/self/cgroup", usual_found, ret) == 0;
}

bool cgroup_own_path(const struct cgroup_hierarchy *hierarchy, char path[CGROUP_PATH_BYTES])
{
	const char *own = hierarchy->own;
	size_t root_len = strlen(hierarchy->root);
	if (!hierarchy->is_mounted || own[0] != '/')
		return false;
	if (strncmp(own, "/..", 3) == 0 && (own[3] == '/' || own[3] == '\0'))
		return false; /* outside of the caller's cgroup namespace */
	if (strcmp(hierarchy->root, "/") != 0) {
		if (strncmp(own, hierarchy->root, root_len) != 0 ||
		    (own[root_len] != '/' && own[root_len] != '\0'))
			return false;
		own += root_len;
	}
	if (strcmp(own, "/") == 0)
		own = "";
	size_t mount_len = strlen(hierarchy->mount), own_len = strlen(own);
	if (mount_len + own_len >= CGROUP_PATH_BYTES)
		return false;
	memcpy(path, hierarchy->mount, mount_len);
	memcpy(path + mount_len, own, own_len + 1);
	return true;
}
