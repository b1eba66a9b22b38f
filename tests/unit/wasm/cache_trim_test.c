/* SPDX-License-Identifier: Apache-2.0 */
/* cache_trim_test.c - which compiled modules go, and in which order */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "levels/wasm/wasm.h"
#include "support/tap.h"

static char folder[] = "/tmp/foso-trim-XXXXXX";
static int folder_fd;

static const char *name_of(char letter, const char *end)
{
	static char name[128];
	memset(name, letter, 64);
	(void)snprintf(name + 64, sizeof(name) - 64, ".%s", end);
	return name;
}

static void make(char letter, const char *end, off_t bytes, long seconds_ago)
{
	const char *name = name_of(letter, end);
	struct timespec times[2];
	int fd = openat(folder_fd, name, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	(void)clock_gettime(CLOCK_REALTIME, &times[0]);
	times[0].tv_sec -= seconds_ago;
	times[1] = times[0];
	OK(fd >= 0 && ftruncate(fd, bytes) == 0 && futimens(fd, times) == 0);
	close(fd);
}

static void make_module(char letter, off_t bytes, long seconds_ago)
{
	make(letter, "cwasm", bytes, 999999);
	make(letter, "sum", 64, seconds_ago);
}

static bool is_there(char letter, const char *end)
{
	return faccessat(folder_fd, name_of(letter, end), F_OK, 0) == 0;
}

static bool is_whole(char letter)
{
	return is_there(letter, "cwasm") && is_there(letter, "sum");
}

static bool is_gone(char letter)
{
	return !is_there(letter, "cwasm") && !is_there(letter, "sum");
}

static void test_within_the_bound_nothing_goes(void)
{
	struct wasm_cache_trimmed trimmed;
	make_module('a', 1000, 50);
	make_module('b', 1000, 5000000);
	wasm_cache_trim(folder_fd, 2000, false, &trimmed);
	EQ(trimmed.n_modules, 0);
	OK(is_whole('a') && is_whole('b'));
}

static void test_the_longest_unused_go_first(void)
{
	struct wasm_cache_trimmed trimmed;
	make_module('a', 1000, 50);
	make_module('b', 1000, 100);
	make_module('c', 1000, 20);
	make_module('d', 1000, 75);
	wasm_cache_trim(folder_fd, 2500, true, &trimmed);
	EQ(trimmed.n_modules, 2);
	EQ(trimmed.bytes, 2000);
	OK(is_whole('a') && is_whole('b') && is_whole('c') && is_whole('d'));
	wasm_cache_trim(folder_fd, 2500, false, &trimmed);
	EQ(trimmed.n_modules, 2);
	OK(is_whole('a') && is_gone('b') && is_whole('c') && is_gone('d'));
	wasm_cache_trim(folder_fd, 0, false, &trimmed);
	OK(is_gone('a') && is_gone('c'));
}

static void test_halves_go_when_they_are_old(void)
{
	struct wasm_cache_trimmed trimmed;
	make('a', "cwasm", 10, 4000);
	make('b', "cwasm", 10, 10);
	make('c', "cwasm.77", 10, 4000);
	make('d', "sum.77", 10, 10);
	wasm_cache_trim(folder_fd, 2500, false, &trimmed);
	EQ(trimmed.n_modules, 2);
	OK(!is_there('a', "cwasm") && is_there('b', "cwasm") && !is_there('c', "cwasm.77") &&
	   is_there('d', "sum.77"));
	(void)unlinkat(folder_fd, name_of('b', "cwasm"), 0);
	(void)unlinkat(folder_fd, name_of('d', "sum.77"), 0);
}

static void test_other_names_stay(void)
{
	struct wasm_cache_trimmed trimmed;
	OK(mkdirat(folder_fd, name_of('a', "cwasm"), 0700) == 0);
	OK(symlinkat("x", folder_fd, name_of('b', "cwasm")) == 0);
	int fd = openat(folder_fd, "README", O_WRONLY | O_CREAT | O_CLOEXEC, 0600);
	close(fd);
	wasm_cache_trim(folder_fd, 0, false, &trimmed);
	EQ(trimmed.n_modules, 0);
	OK(faccessat(folder_fd, "README", F_OK, 0) == 0);
	(void)unlinkat(folder_fd, name_of('a', "cwasm"), AT_REMOVEDIR);
	(void)unlinkat(folder_fd, name_of('b', "cwasm"), 0);
	(void)unlinkat(folder_fd, "README", 0);
}

int main(void)
{
	if (!mkdtemp(folder))
		return 1;
	folder_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	RUN(test_within_the_bound_nothing_goes);
	RUN(test_the_longest_unused_go_first);
	RUN(test_halves_go_when_they_are_old);
	RUN(test_other_names_stay);
	close(folder_fd);
	(void)rmdir(folder);
	return tap_done();
}
