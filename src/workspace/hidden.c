/* SPDX-License-Identifier: Apache-2.0 */
/* hidden.c - ID/hidden of a change set: which paths of the workspace were redacted */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "wire/codec.h"
#include "workspace/changes.h"
#include "workspace/private.h"

void changes_hidden_put(struct buf *out, enum changes_hiding hiding, const char *path, size_t len)
{
	wire_put_u8(out, (uint8_t)hiding);
	wire_put_bytes(out, path, len);
}

/* Relative, without empty parts, "." and "..": such a path could not have come from a walk. */
static bool is_plain(const char *path, size_t len)
{
	size_t begin = 0;
	for (size_t i = 0; i <= len; i++) {
		if (i < len && path[i] != '/')
			continue;
		size_t n = i - begin;
		bool is_dots = n <= 2 && memcmp(path + begin, "..", n) == 0;
		if (n == 0 || is_dots)
			return false;
		begin = i + 1;
	}
	return !memchr(path, '\0', len);
}

int changes_hidden_next(const struct buf *entries, size_t *at, enum changes_hiding *ret_hiding,
			const char **ret_path, size_t *ret_len)
{
	struct wire_reader reader;
	size_t len = 0;
	if (*at >= entries->len)
		return 0;
	wire_reader_init(&reader, entries->data, entries->len);
	reader.at = *at;
	enum changes_hiding hiding = wire_get_enum(&reader, CHANGES_N_HIDINGS);
	const char *path = (const char *)wire_get_bytes(&reader, &len);
	if (reader.is_broken || !path || len == 0 || !is_plain(path, len))
		return 0;
	*at = reader.at;
	*ret_hiding = hiding;
	*ret_path = path;
	*ret_len = len;
	return 1;
}

int changes_hidden_write(struct changes *changes, const struct buf *entries, struct error *err)
{
	return changes_file_write(changes->dir_fd, "hidden", entries->data, entries->len,
				  changes->record.id, err);
}

static int corrupt(const struct changes *changes, struct error *err)
{
	int r = error_set(err, ERR_CORRUPT, 0, changes->record.id,
			  "the list of its redacted paths breaks its format");
	return error_remedy(err, r, "remove the change set with foso discard");
}

int changes_hidden_read(const struct changes *changes, struct buf *ret_entries, struct error *err)
{
	int r = changes_file_read(changes->dir_fd, "hidden", ret_entries, changes->record.id, err);
	if (r != 0)
		return r < 0 ? r : 0;
	enum changes_hiding hiding;
	const char *path;
	size_t at = 0, len;
	while (changes_hidden_next(ret_entries, &at, &hiding, &path, &len) == 1)
		;
	return at == ret_entries->len ? 0 : corrupt(changes, err);
}
