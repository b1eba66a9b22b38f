/* SPDX-License-Identifier: Apache-2.0 */
/*
 * entry.c - owner, mode, extended attributes and times of what a layer makes
 *
 * Kept are the attributes that mean the same on every machine: user.*, file capabilities and
 * access control lists.  Labels of a security module and trusted.* belong to the machine that
 * made the image and are left out, as umoci leaves out labels.  Those of the overlay file system
 * could make a layer say what its tar does not, and are refused.
 */
#include "unpack/entry.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#define MAX_ID 65535

enum attribute { ATTRIBUTE_KEPT, ATTRIBUTE_LEFT, ATTRIBUTE_REFUSED };

static enum attribute judge_attribute(const char *name)
{
	static const struct {
		const char *prefix;
		enum attribute attribute;
	} rules[] = {
		{ "user.overlay.", ATTRIBUTE_REFUSED },
		{ "trusted.overlay.", ATTRIBUTE_REFUSED },
		{ "user.", ATTRIBUTE_KEPT },
		{ "security.capability", ATTRIBUTE_KEPT },
		{ "system.posix_acl_access", ATTRIBUTE_KEPT },
		{ "system.posix_acl_default", ATTRIBUTE_KEPT },
	};
	for (size_t i = 0; i < ARRAY_LEN(rules); i++) {
		if (strncmp(name, rules[i].prefix, strlen(rules[i].prefix)) == 0)
			return rules[i].attribute;
	}
	return ATTRIBUTE_LEFT;
}

int entry_check(struct tree *tree, struct archive_entry *entry, const char *path)
{
	const char *name;
	const void *value;
	size_t len;
	la_int64_t uid = archive_entry_uid(entry), gid = archive_entry_gid(entry);
	bool is_kept = uid >= 0 && uid <= MAX_ID && gid >= 0 && gid <= MAX_ID;
	if (!is_kept && !tree->is_flat)
		return fault_set(tree->fault, IMAGE_FAULT_OWNER, path, (uint64_t)uid,
				 (uint64_t)gid);
	(void)archive_entry_xattr_reset(entry);
	while (archive_entry_xattr_next(entry, &name, &value, &len) == ARCHIVE_OK) {
		if (judge_attribute(name) == ATTRIBUTE_REFUSED)
			return fault_set(tree->fault, IMAGE_FAULT_XATTR, path, 0, 0);
	}
	return 0;
}

/* An attribute that needs ids which a single-id namespace does not have is left out there. */
static int set_attributes(struct tree *tree, struct archive_entry *entry, int fd, const char *name)
{
	const char *attribute;
	const void *value;
	size_t len;
	(void)archive_entry_xattr_reset(entry);
	while (archive_entry_xattr_next(entry, &attribute, &value, &len) == ARCHIVE_OK) {
		if (judge_attribute(attribute) != ATTRIBUTE_KEPT)
			continue;
		if (fsetxattr(fd, attribute, value, len, 0) < 0 && !tree->is_flat)
			return fault_system(tree->fault, errno, name);
	}
	return 0;
}

static int clear_attributes(struct tree *tree, int fd, const char *name)
{
	static char list[65536];
	ssize_t len = flistxattr(fd, list, sizeof(list));
	if (len < 0 && errno != EOPNOTSUPP)
		return fault_system(tree->fault, errno, name);
	for (const char *at = list; len > 0 && at < list + len; at += strlen(at) + 1) {
		if (judge_attribute(at) == ATTRIBUTE_KEPT && fremovexattr(fd, at) < 0 &&
		    errno != ENODATA)
			return fault_system(tree->fault, errno, name);
	}
	return 0;
}

static void get_mtime(struct archive_entry *entry, struct timespec times[2])
{
	times[0] = (struct timespec){ .tv_sec = archive_entry_mtime(entry),
				      .tv_nsec = archive_entry_mtime_nsec(entry) };
	times[1] = times[0];
}

static int describe_open(struct tree *tree, struct archive_entry *entry, int fd, const char *name,
			 bool is_old)
{
	struct timespec times[2];
	get_mtime(entry, times);
	if (!tree->is_flat &&
	    fchown(fd, (uid_t)archive_entry_uid(entry), (gid_t)archive_entry_gid(entry)) < 0)
		return fault_system(tree->fault, errno, name);
	if (fchmod(fd, archive_entry_perm(entry) & 07777) < 0)
		return fault_system(tree->fault, errno, name);
	if (is_old && clear_attributes(tree, fd, name) < 0)
		return -1;
	if (set_attributes(tree, entry, fd, name) < 0)
		return -1;
	return futimens(fd, times) < 0 ? fault_system(tree->fault, errno, name) : 0;
}

int entry_describe(struct tree *tree, struct archive_entry *entry, int fd, const char *name,
		   bool is_old)
{
	int dir_fd = tree->parent.fd;
	struct timespec times[2];
	bool is_link = archive_entry_filetype(entry) == AE_IFLNK;
	if (fd >= 0)
		return describe_open(tree, entry, fd, name, is_old);
	get_mtime(entry, times);
	if (!tree->is_flat && fchownat(dir_fd, name, (uid_t)archive_entry_uid(entry),
				       (gid_t)archive_entry_gid(entry), AT_SYMLINK_NOFOLLOW) < 0)
		return fault_system(tree->fault, errno, name);
	/* It was made a moment ago in a folder that nobody else writes to, so it is no link. */
	if (!is_link && fchmodat(dir_fd, name, archive_entry_perm(entry) & 07777, 0) < 0)
		return fault_system(tree->fault, errno, name);
	return utimensat(dir_fd, name, times, AT_SYMLINK_NOFOLLOW) < 0
		       ? fault_system(tree->fault, errno, name)
		       : 0;
}
