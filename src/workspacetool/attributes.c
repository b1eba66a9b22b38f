/* SPDX-License-Identifier: Apache-2.0 */
/* attributes.c - which extended attributes go with a file that is committed */
#include "workspacetool/attributes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/xattr.h>

#include "base/cleanup.h"
#include "base/macros.h"

#define MAX_NAMES_BYTES 65536 /* XATTR_LIST_MAX of the kernel */
#define MAX_VALUE_BYTES 65536 /* XATTR_SIZE_MAX */

struct attributes {
	char *names; /* owned; each ends with a NUL */
	ssize_t len;
};

static void attributes_fini(struct attributes *attributes)
{
	free(attributes->names);
}

/* Most files have none, which the first call tells; 0 or errno. */
static int read_names(int fd, struct attributes *ret)
{
	char few[256];
	*ret = (struct attributes){ 0 };
	ssize_t n = flistxattr(fd, few, sizeof(few));
	if (n == 0 || (n < 0 && errno == EOPNOTSUPP))
		return 0;
	if (n < 0 && errno != ERANGE)
		return errno;
	ret->names = malloc(MAX_NAMES_BYTES);
	if (!ret->names)
		return ENOMEM;
	ret->len = flistxattr(fd, ret->names, MAX_NAMES_BYTES);
	return ret->len < 0 ? errno : 0;
}

bool attribute_is_committed(const char *name)
{
	/* Of overlayfs, fuse-overlayfs, containers/storage, PRoot and umoci, in this order. */
	static const char *const others[] = { "user.overlay.", "user.fuseoverlayfs.",
					      "user.containers.", "user.rootlesscontainers" };
	for (size_t i = 0; i < ARRAY_LEN(others); i++)
		if (strncmp(name, others[i], strlen(others[i])) == 0)
			return false;
	return strncmp(name, "user.", 5) == 0;
}

/* Those that stay with the host's file: nothing that a change of its content takes away. */
static bool is_kept(const char *name)
{
	bool is_overlay = strncmp(name, "user.overlay.", 13) == 0;
	bool is_user = strncmp(name, "user.", 5) == 0;
	return strcmp(name, "system.posix_acl_access") == 0 ||
	       (is_user && !is_overlay && !attribute_is_committed(name));
}

static int copy(int from_fd, int to_fd, bool (*counts)(const char *name))
{
	CLEANUP(attributes_fini) struct attributes from;
	int errnum = read_names(from_fd, &from);
	if (errnum != 0 || from.len <= 0)
		return errnum;
	auto_free char *value = malloc(MAX_VALUE_BYTES);
	if (!value)
		return ENOMEM;
	for (ssize_t at = 0; at < from.len; at += (ssize_t)strlen(from.names + at) + 1) {
		const char *name = from.names + at;
		if (!counts(name))
			continue;
		ssize_t len = fgetxattr(from_fd, name, value, MAX_VALUE_BYTES);
		if (len < 0 || fsetxattr(to_fd, name, value, (size_t)len, 0) < 0)
			return errno;
	}
	return 0;
}

int attributes_commit(int from_fd, int to_fd)
{
	return copy(from_fd, to_fd, attribute_is_committed);
}

int attributes_keep(int host_fd, int to_fd)
{
	return copy(host_fd, to_fd, is_kept);
}

static size_t count(const struct attributes *attributes)
{
	size_t n = 0;
	for (ssize_t at = 0; at < attributes->len;
	     at += (ssize_t)strlen(attributes->names + at) + 1)
		n += attribute_is_committed(attributes->names + at);
	return n;
}

bool attributes_are_same(int one_fd, int other_fd)
{
	CLEANUP(attributes_fini) struct attributes one;
	CLEANUP(attributes_fini) struct attributes other;
	int errnum = read_names(one_fd, &one), errnum_other = read_names(other_fd, &other);
	if (errnum != 0 || errnum_other != 0 || count(&one) != count(&other))
		return false;
	if (count(&one) == 0)
		return true;
	auto_free char *values = malloc(2 * (size_t)MAX_VALUE_BYTES);
	for (ssize_t at = 0; values && at < one.len; at += (ssize_t)strlen(one.names + at) + 1) {
		const char *name = one.names + at;
		if (!attribute_is_committed(name))
			continue;
		ssize_t n = fgetxattr(one_fd, name, values, MAX_VALUE_BYTES);
		ssize_t n_other =
			fgetxattr(other_fd, name, values + MAX_VALUE_BYTES, MAX_VALUE_BYTES);
		if (n < 0 || n != n_other ||
		    memcmp(values, values + MAX_VALUE_BYTES, (size_t)n) != 0)
			return false;
	}
	return values != NULL;
}
