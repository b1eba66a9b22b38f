/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasi_fuzz.c - calls of WASI by a guest that means harm
 *
 * The input is a list of calls, each a number and nine arguments, then the guest's memory.  What
 * would wait for ever cannot: fuel is small and the streams are at their end.  Two folders are
 * granted, 3 to be written and 4 to be read, with a file, a folder, a FIFO and links that lead out
 * in them; what lies beside them must stay as it is, and what is counted must stay below its limit.
 */
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/macros.h"
#include "wasm/wasi/guest.h"

#define N_CALLS    8
#define CALL_BYTES (1 + 8 * WASI_MAX_ARGS)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool pay(void *context, uint64_t n_units)
{
	uint64_t *fuel = context;
	if (n_units > *fuel)
		return false;
	*fuel -= n_units;
	return true;
}

/* A wait is made a short one: the clock's own code is what is of interest. */
static void shorten_waits(uint8_t *memory, size_t len)
{
	for (size_t at = 0; at + 48 <= len; at++) {
		if (memory[at + 8] == 0)
			memset(memory + at + 26, 0, 6);
	}
}

static void must(bool is_so)
{
	if (!is_so)
		abort();
}

static void write_file(int dir_fd, const char *name, const char *text)
{
	int fd = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	must(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
	close(fd);
}

/* decoy, write/ and read/ */
static int make_world(char top[64])
{
	static const char *const names[] = { "write", "read" };
	(void)snprintf(top, 64, "/tmp/foso-fuzz-XXXXXX");
	must(mkdtemp(top) != NULL);
	int top_fd = open(top, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(top_fd >= 0);
	write_file(top_fd, "decoy", "secret");
	for (size_t i = 0; i < ARRAY_LEN(names); i++) {
		must(mkdirat(top_fd, names[i], 0700) == 0);
		int fd = openat(top_fd, names[i], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		write_file(fd, "f", "text");
		must(mkdirat(fd, "d", 0700) == 0 && mkfifoat(fd, "p", 0600) == 0 &&
		     symlinkat("../decoy", fd, "l") == 0 && symlinkat("..", fd, "u") == 0);
		close(fd);
	}
	return top_fd;
}

static int remove_all(int fd)
{
	int n = 0;
	DIR *dir = fdopendir(fd);
	for (struct dirent *entry; dir && (entry = readdir(dir));) {
		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		n++;
		if (unlinkat(dirfd(dir), entry->d_name, 0) == 0)
			continue;
		int below = openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (below >= 0)
			(void)remove_all(below);
		(void)unlinkat(dirfd(dir), entry->d_name, AT_REMOVEDIR);
	}
	if (dir)
		closedir(dir);
	return n;
}

static void check_world(const char *top, int top_fd)
{
	char text[16] = "";
	int fd = openat(top_fd, "decoy", O_RDONLY | O_CLOEXEC);
	must(fd >= 0 && read(fd, text, sizeof(text) - 1) == 6 && strcmp(text, "secret") == 0);
	close(fd);
	fd = openat(top_fd, "read", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(fd >= 0 && remove_all(fd) == 5); /* f, d, p, l and u, as they were made */
	must(remove_all(top_fd) == 3);
	must(rmdir(top) == 0);
}

static void open_world(struct wasi *wasi, int top_fd, int granted[2])
{
	for (int i = 0; i < WASI_N_STREAMS; i++)
		wasi->files[i].fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	granted[0] = openat(top_fd, "write", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	granted[1] = openat(top_fd, "read", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	must(wasi_grant_folder(wasi, granted[0], "/", false) == 0);
	must(wasi_grant_folder(wasi, granted[1], "/read", true) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct wasi wasi;
	struct wasi_disk disk = { .max_bytes = 1 << 20, .max_inodes = 4 };
	char top[64];
	int granted[2];
	static uint8_t memory[65536];
	static const char *const words[] = { "prog", "argument" };
	uint64_t fuel = 100000;
	if (size < N_CALLS * CALL_BYTES)
		return 0;
	size_t len = size - N_CALLS * CALL_BYTES;
	memcpy(memory, data + N_CALLS * CALL_BYTES, len < sizeof(memory) ? len : sizeof(memory));
	int top_fd = make_world(top);
	wasi_init(&wasi);
	open_world(&wasi, top_fd, granted);
	wasi.disk = &disk;
	wasi.args = wasi.env = words;
	wasi.n_args = wasi.n_env = 2;
	wasi.memory = memory;
	wasi.memory_len = len < sizeof(memory) ? len : sizeof(memory);
	wasi.charge = pay;
	wasi.context = &fuel;
	for (int i = 0; i < N_CALLS; i++, data += CALL_BYTES) {
		enum wasi_function function = (enum wasi_function)(data[0] % WASI_N_FUNCTIONS);
		const char *params = wasi_function_params(function);
		uint64_t args[WASI_MAX_ARGS] = { 0 };
		for (size_t n = 0; params[n]; n++)
			args[n] = params[n] == 'I' ? guest_u64(data + 1 + 8 * n)
						   : guest_u32(data + 1 + 8 * n);
		/* Small numbers are descriptors and pointers that are some. */
		for (size_t n = 0; (data[0] & 128) && params[n]; n++)
			args[n] &= 4095;
		if (function == WASI_poll_oneoff)
			shorten_waits(memory, wasi.memory_len);
		(void)wasi_call(&wasi, function, args);
		must(disk.bytes <= disk.max_bytes && disk.inodes <= disk.max_inodes);
	}
	wasi_fini(&wasi);
	for (int i = 0; i < 2; i++) /* What was listed or closed stays open for other commands. */
		close(granted[i]);
	for (size_t i = 0; i < wasi.n_files; i++) { /* Streams, wherever they were put. */
		if (wasi.files[i].fd >= 0)
			close(wasi.files[i].fd);
	}
	check_world(top, top_fd);
	return 0;
}
