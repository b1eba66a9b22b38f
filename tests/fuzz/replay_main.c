/* SPDX-License-Identifier: Apache-2.0 */
/*
 * replay_main.c - runs every file of a corpus through a fuzz target, under any compiler
 *
 * usage: TARGET_replay PATH...   (files, or folders of files)
 *
 * The target crashes on a finding, so the name of each input is printed before it runs.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"

#define MAX_INPUT_BYTES (64 * 1024)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t n_inputs;

/* Returns false for what cannot be read; a corpus that is not there is no pass. */
static bool replay_file(int dir_fd, const char *name)
{
	static uint8_t bytes[MAX_INPUT_BYTES];
	auto_fd int fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, bytes, sizeof(bytes));
	if (len < 0) {
		printf("# %s: cannot be read (errno %d)\n", name, errno);
		return false;
	}
	printf("# %s\n", name);
	(void)fflush(stdout);
	/* A copy of the exact size, so that a sanitizer sees a read past its end. */
	auto_free uint8_t *copy = malloc((size_t)len + 1);
	if (!copy)
		return false;
	memcpy(copy, bytes, (size_t)len);
	uint8_t *exact = realloc(copy, len > 0 ? (size_t)len : 1);
	if (exact)
		copy = exact;
	(void)LLVMFuzzerTestOneInput(copy, (size_t)len);
	n_inputs++;
	return true;
}

static bool replay_folder(const char *path)
{
	auto_dir DIR *dir = opendir(path);
	if (!dir) {
		printf("# %s: cannot be opened (errno %d)\n", path, errno);
		return false;
	}
	bool is_good = true;
	for (struct dirent *entry = readdir(dir); entry; entry = readdir(dir))
		if (entry->d_name[0] != '.')
			is_good = replay_file(dirfd(dir), entry->d_name) && is_good;
	return is_good;
}

int main(int argc, char **argv)
{
	bool is_good = true;
	for (int i = 1; i < argc; i++) {
		struct stat status;
		bool is_folder = stat(argv[i], &status) == 0 && S_ISDIR(status.st_mode);
		bool r = is_folder ? replay_folder(argv[i]) : replay_file(AT_FDCWD, argv[i]);
		is_good = is_good && r;
	}
	is_good = is_good && n_inputs > 0;
	printf("%sok 1 - %zu inputs\n1..1\n", is_good ? "" : "not ", n_inputs);
	return is_good ? 0 : 1;
}
