/* SPDX-License-Identifier: Apache-2.0 */
/*
 * owner.c - who --chown means
 *
 * The files are the image's, and so anybody's: they are read without blocking, to a bound, and
 * nothing but numbers comes out of them.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "copytool/copy.h"

#define MAX_FILE_BYTES (1024 * 1024)
#define MAX_ID         UINT64_C(65535) /* what a sandbox has */

static char *read_file(const char *path)
{
	struct stat status;
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return NULL;
	char *text = malloc(MAX_FILE_BYTES + 1);
	size_t len = 0;
	ssize_t n;
	while (text && len < MAX_FILE_BYTES && (n = read(fd, text + len, MAX_FILE_BYTES - len)) > 0)
		len += (size_t)n;
	if (text)
		text[len] = '\0';
	return text;
}

static bool parse_id(const char *text, uid_t *ret_id)
{
	uint64_t value;
	if (!text || !text_parse_u64(text, &value) || value > MAX_ID)
		return false;
	*ret_id = (uid_t)value;
	return true;
}

/* The fields behind "name:x:" of the line of @name; true if @n of them are numbers. */
static bool find_ids(const char *file, const char *name, uid_t *ret_ids, size_t n)
{
	auto_free char *text = read_file(file);
	char *rest = text;
	while (rest) {
		char *line = strsep(&rest, "\n");
		const char *first = strsep(&line, ":");
		if (!line || strcmp(first, name) != 0)
			continue;
		(void)strsep(&line, ":");
		size_t i = 0;
		while (i < n && line && parse_id(strsep(&line, ":"), &ret_ids[i]))
			i++;
		return i == n;
	}
	return false;
}

static int not_found(const char *name, const char *file, struct error *err)
{
	int r = error_set(err, ERR_NOT_FOUND, 0, "--chown", "'%.60s' is not in the image's %s",
			  name, file);
	return error_remedy(err, r, "write a number up to 65535, or add it in a RUN before");
}

int owner_find(const char *text, uid_t *ret_uid, gid_t *ret_gid, struct error *err)
{
	uid_t ids[2] = { 0, 0 };
	char user[64];
	const char *colon = strchr(text, ':');
	size_t n_user = colon ? (size_t)(colon - text) : strlen(text);
	if (n_user >= sizeof(user))
		return not_found(text, "/etc/passwd", err);
	memcpy(user, text, n_user);
	user[n_user] = '\0';
	if (n_user > 0 && parse_id(user, &ids[0]))
		ids[1] = ids[0];
	else if (n_user > 0 && !find_ids("/etc/passwd", user, ids, 2))
		return not_found(user, "/etc/passwd", err);
	if (colon && !parse_id(colon + 1, &ids[1]) &&
	    !find_ids("/etc/group", colon + 1, &ids[1], 1))
		return not_found(colon + 1, "/etc/group", err);
	*ret_uid = ids[0];
	*ret_gid = ids[1];
	return 0;
}
