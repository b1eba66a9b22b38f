/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtime.c - a language runtime: a module that was built and compiled ahead
 *
 * It lies beside foso's programs, in runtimes/, made by tools/fetch-runtimes:
 *
 *   NAME.wasm   the module         NAME.cwasm  its code
 *   NAME.sum    SHA-256 of the module, a space, and the key of the code (wasm_cache_key())
 *
 * These files are part of the installation, as the library and foso-wasm itself are, and trusted
 * as they are: they must belong to whom foso-wasm belongs to, and nobody else may write them.
 * Nothing of 25 MB is read or digested at a start.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/programs.h"
#include "levels/wasm/wasm.h"

#define SUM_BYTES (DIGEST_HEX_BYTES + DIGEST_HEX_BYTES) /* two digests, space and newline */

static int refuse(struct error *err, const char *name, const char *message)
{
	int r = error_set(err, ERR_UNAVAILABLE, 0, "runtime", "'%s' %s", name, message);
	return error_remedy(err, r, "run ./x runtimes %s in foso's source tree", name);
}

static int open_folder(struct stat *ret_program, struct error *err)
{
	not_zeroed char path[PROGRAM_PATH_BYTES];
	int r = program_path("foso-wasm", path, err);
	if (r < 0)
		return r;
	char *slash = strrchr(path, '/');
	if (stat(path, ret_program) < 0 || !slash)
		return -1;
	*slash = '\0';
	auto_fd int fd = openat(AT_FDCWD, path, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -1 : openat(fd, "runtimes", O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

static int open_file(int folder_fd, const struct stat *program, const char *name, const char *end)
{
	char file[32];
	struct stat status;
	(void)snprintf(file, sizeof(file), "%s.%s", name, end);
	auto_fd int fd = openat(folder_fd, file, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &status) < 0 || !S_ISREG(status.st_mode) ||
	    status.st_uid != program->st_uid || (status.st_mode & (S_IWGRP | S_IWOTH)) != 0)
		return -1;
	return take_fd(&fd);
}

static bool is_hex(const char *text)
{
	return strspn(text, "0123456789abcdef") == DIGEST_HEX_BYTES - 1;
}

static bool read_sum(int fd, char ret_module[DIGEST_HEX_BYTES], char ret_key[DIGEST_HEX_BYTES])
{
	char text[SUM_BYTES + 1] = "";
	if (read(fd, text, SUM_BYTES) != SUM_BYTES || text[DIGEST_HEX_BYTES - 1] != ' ' ||
	    text[SUM_BYTES - 1] != '\n')
		return false;
	text[DIGEST_HEX_BYTES - 1] = text[SUM_BYTES - 1] = '\0';
	memcpy(ret_module, text, DIGEST_HEX_BYTES);
	memcpy(ret_key, text + DIGEST_HEX_BYTES, DIGEST_HEX_BYTES);
	return is_hex(ret_module) && is_hex(ret_key);
}

int wasm_runtime_open(struct wasm *wasm, int *ret_module_fd, int *ret_code_fd, struct error *err)
{
	const char *name = policy_runtimes[wasm->policy->runtime].name;
	char key[DIGEST_HEX_BYTES];
	struct stat program = { .st_uid = (uid_t)-1 };
	auto_fd int folder_fd = open_folder(&program, err);
	auto_fd int sum_fd = open_file(folder_fd, &program, name, "sum");
	auto_fd int module_fd = open_file(folder_fd, &program, name, "wasm");
	auto_fd int code_fd = open_file(folder_fd, &program, name, "cwasm");
	if (sum_fd < 0 || module_fd < 0 || code_fd < 0)
		return refuse(err, name, "is not there, beside foso's programs");
	if (!read_sum(sum_fd, wasm->module_digest, wasm->key))
		return refuse(err, name, "has a sum that is none");
	wasm_cache_key(wasm->module_digest, key);
	if (strcmp(key, wasm->key) != 0)
		return refuse(err, name, "was compiled for another version of foso");
	*ret_module_fd = take_fd(&module_fd);
	*ret_code_fd = take_fd(&code_fd);
	return 0;
}
