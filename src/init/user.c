/* SPDX-License-Identifier: Apache-2.0 */
/*
 * user.c - who a command runs as
 *
 * The files are the sandbox's own, so a hostile root can name any user; it gains nothing, since
 * every id of the sandbox maps to an id without rights outside.  They are read without blocking
 * and bounded: a FIFO at /etc/passwd must not stop process 1.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "init/init.h"

#define USER_MAX_FILE_BYTES (256 * 1024)
#define USER_MAX_FIELDS     8

/* The whole file as a string, or NULL. */
static char *read_file(const char *path)
{
	struct stat status;
	auto_fd int fd = openat(AT_FDCWD, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode))
		return NULL;
	size_t size = (size_t)MIN(status.st_size, (off_t)USER_MAX_FILE_BYTES);
	char *text = malloc(size + 1);
	size_t len = 0;
	while (text && len < size) {
		ssize_t n = read(fd, text + len, size - len);
		if (n <= 0)
			break;
		len += (size_t)n;
	}
	if (text)
		text[len] = '\0';
	return text;
}

/* Splits a line at its colons in place; returns how many fields there are. */
static size_t split(char *line, char *fields[USER_MAX_FIELDS])
{
	size_t n = 0;
	while (line && n < USER_MAX_FIELDS)
		fields[n++] = strsep(&line, ":");
	return n;
}

/*
 * Finds the line of @file whose field @key_at is @key, and leaves its fields in @fields, which
 * point into the returned text (owned by the caller).  NULL if there is none.
 */
static char *find_line(const char *file, size_t key_at, const char *key,
		       char *fields[USER_MAX_FIELDS])
{
	char *text = read_file(file);
	char *rest = text;
	while (rest && *rest) {
		char *line = strsep(&rest, "\n");
		size_t n = split(line, fields);
		if (n > 3 && strcmp(fields[key_at], key) == 0) {
			for (; n < USER_MAX_FIELDS; n++)
				fields[n] = NULL;
			return text;
		}
	}
	free(text);
	return NULL;
}

static bool parse_id(const char *text, uint32_t *ret_id)
{
	uint64_t value;
	if (!text || !text_parse_u64(text, &value) || value >= UINT32_MAX)
		return false;
	*ret_id = (uint32_t)value;
	return true;
}

static int find_group(const char *group, gid_t *ret_gid)
{
	char *fields[USER_MAX_FIELDS];
	if (parse_id(group, ret_gid))
		return 0;
	auto_free char *text = find_line("/etc/group", 0, group, fields);
	return text && parse_id(fields[2], ret_gid) ? 0 : ENOENT;
}

int init_user_find(const struct init *init, const char *user, struct init_user *ret)
{
	char *fields[USER_MAX_FIELDS];
	char name[256], uid_text[16];
	const char *group = strchr(user, ':');
	size_t n_name = group ? (size_t)(group - user) : strlen(user);
	if (n_name >= sizeof(name))
		return ENAMETOOLONG;
	memcpy(name, user, n_name);
	name[n_name] = '\0';

	*ret = (struct init_user){ init->configure.default_uid, init->configure.default_gid, "" };
	bool is_number = n_name == 0 || parse_id(name, &ret->uid);
	(void)snprintf(uid_text, sizeof(uid_text), "%u", (unsigned)ret->uid);
	auto_free char *text =
		find_line("/etc/passwd", is_number ? 2 : 0, is_number ? uid_text : name, fields);
	if (!text && !is_number)
		return ENOENT;
	if (text) {
		if (!parse_id(fields[2], &ret->uid))
			return ENOENT;
		if (n_name > 0 && !parse_id(fields[3], &ret->gid))
			return ENOENT;
		if (fields[5])
			(void)snprintf(ret->home, sizeof(ret->home), "%s", fields[5]);
	} else if (n_name > 0) {
		ret->gid = (gid_t)ret->uid;
	}
	return group ? find_group(group + 1, &ret->gid) : 0;
}
