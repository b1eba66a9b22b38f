/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache.c - compiled code between runs
 *
 * The library trusts compiled code without a look: a changed byte is a changed instruction.  So it
 * is taken only from a folder that belongs to the caller and that nobody else can write, and only
 * if the digest of what was read is the one that was written beside it:
 *
 *   <key>.cwasm  the code        <key>.sum  its SHA-256, 64 hexadecimal digits
 *
 * The key is the SHA-256 of library, configuration and module.  A run that cannot keep the code
 * runs all the same, and compiles again the next time.
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "levels/wasm/wasm.h"

#define DEFAULT_FOLDER "/var/lib/foso/modules"

static int folder_path(char path[PATH_MAX])
{
	const char *chosen = getenv("FOSO_MODULES"); /* NOLINT(concurrency-mt-unsafe) */
	const char *data = getenv("XDG_DATA_HOME");  /* NOLINT(concurrency-mt-unsafe) */
	const char *home = getenv("HOME");           /* NOLINT(concurrency-mt-unsafe) */
	int len = -1;
	if (chosen) /* Empty: nothing is kept. */
		len = chosen[0] == '/' ? snprintf(path, PATH_MAX, "%s", chosen) : -1;
	else if (geteuid() == 0)
		len = snprintf(path, PATH_MAX, "%s", DEFAULT_FOLDER);
	else if (data && data[0] == '/')
		len = snprintf(path, PATH_MAX, "%s/foso/modules", data);
	else if (home && home[0] == '/')
		len = snprintf(path, PATH_MAX, "%s/.local/share/foso/modules", home);
	return len > 0 && len < PATH_MAX ? 0 : -1;
}

static int make_folders(char *path)
{
	for (char *at = path + 1; *at; at++) {
		if (*at != '/')
			continue;
		*at = '\0';
		int r = mkdir(path, 0755);
		*at = '/';
		if (r < 0 && errno != EEXIST)
			return -1;
	}
	return mkdir(path, 0755) < 0 && errno != EEXIST ? -1 : 0;
}

static bool is_own(int fd, mode_t type)
{
	struct stat status;
	return fstat(fd, &status) == 0 && (status.st_mode & S_IFMT) == type &&
	       status.st_uid == geteuid() && (status.st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

static int open_folder(bool may_make, int *ret_fd, struct error *err)
{
	char path[PATH_MAX];
	*ret_fd = -1;
	if (folder_path(path) < 0 || (may_make && make_folders(path) < 0))
		return 0;
	auto_fd int fd = openat(AT_FDCWD, path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0)
		return 0;
	if (!is_own(fd, S_IFDIR)) {
		int r = error_set(err, ERR_DENIED, 0, path,
				  "holds compiled code, and others than its user could change it");
		return error_remedy(
			err, r, "make it a folder of the user who runs foso, and chmod go-w it");
	}
	*ret_fd = take_fd(&fd);
	return 0;
}

int wasm_cache_open(int *ret_fd, struct error *err)
{
	return open_folder(true, ret_fd, err);
}

int wasm_cache_open_existing(int *ret_fd, struct error *err)
{
	return open_folder(false, ret_fd, err);
}

void wasm_cache_key(const char *module_digest, char ret_key[DIGEST_HEX_BYTES])
{
	static const char build[] = WASM_LIBRARY_SHA256 " " WASM_CONFIG_REVISION " ";
	uint8_t digest[DIGEST_BYTES];
	digest_sha256(build, sizeof(build) - 1, module_digest, strlen(module_digest), digest);
	digest_hex(digest, ret_key);
}

#define NAME_BYTES 96 /* "<key>.cwasm" and more */

static int open_file(int folder_fd, const char *key, const char *end)
{
	char name[NAME_BYTES];
	(void)snprintf(name, sizeof(name), "%s.%s", key, end);
	auto_fd int fd = openat(folder_fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	return fd >= 0 && is_own(fd, S_IFREG) ? take_fd(&fd) : -1;
}

int wasm_cache_find(int folder_fd, const char *key, int *ret_fd, bool *ret_is_damaged)
{
	char kept[DIGEST_HEX_BYTES] = "", digest[DIGEST_HEX_BYTES] = "";
	auto_fd int sum_fd = open_file(folder_fd, key, "sum");
	auto_fd int code_fd = open_file(folder_fd, key, "cwasm");
	auto_fd int copy_fd = -1;
	*ret_is_damaged = false;
	if (sum_fd < 0 || code_fd < 0)
		return 0;
	if (read(sum_fd, kept, sizeof(kept) - 1) == (ssize_t)sizeof(kept) - 1 &&
	    wasm_copy(code_fd, WASM_MAX_CODE_BYTES, &copy_fd, digest) == 0 &&
	    memcmp(kept, digest, sizeof(kept)) == 0) {
		(void)futimens(sum_fd, NULL); /* Used now: see cache_trim.c. */
		*ret_fd = take_fd(&copy_fd);
		return 1;
	}
	*ret_is_damaged = true;
	return 0;
}

static int write_text(int fd, const char *text)
{
	return write(fd, text, strlen(text)) == (ssize_t)strlen(text) ? 0 : -1;
}

static int write_copy(int fd, int from_fd)
{
	static char buffer[64 * 1024];
	off_t at = 0;
	ssize_t n;
	while ((n = pread(from_fd, buffer, sizeof(buffer), at)) > 0) {
		if (write(fd, buffer, (size_t)n) != n)
			return -1;
		at += n;
	}
	return n == 0 ? 0 : -1;
}

/* Written aside and renamed, so that a file is there as a whole or not at all. */
static int write_file(int folder_fd, const char *key, const char *end, int from_fd,
		      const char *text)
{
	char name[NAME_BYTES], aside[NAME_BYTES + 16];
	(void)snprintf(name, sizeof(name), "%s.%s", key, end);
	(void)snprintf(aside, sizeof(aside), "%s.%d", name, (int)getpid());
	auto_fd int fd = openat(folder_fd, aside,
				O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (fd < 0)
		return -1;
	int r = text ? write_text(fd, text) : write_copy(fd, from_fd);
	if (r == 0 && renameat(folder_fd, aside, folder_fd, name) == 0)
		return 0;
	(void)unlinkat(folder_fd, aside, 0);
	return -1;
}

void wasm_cache_keep(int folder_fd, const char *key, int code_fd)
{
	char digest[DIGEST_HEX_BYTES];
	auto_fd int copy_fd = -1;
	if (folder_fd < 0 || wasm_copy(code_fd, WASM_MAX_CODE_BYTES, &copy_fd, digest) != 0)
		return;
	/* Code without its sum is not taken, and a sum of other code neither. */
	if (write_file(folder_fd, key, "cwasm", copy_fd, NULL) == 0)
		(void)write_file(folder_fd, key, "sum", -1, digest);
	struct wasm_cache_trimmed trimmed;
	wasm_cache_trim(folder_fd, WASM_CACHE_BYTES, false, &trimmed);
}
