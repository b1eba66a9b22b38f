/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cache_trim.c - the folder of compiled modules stays within a bound
 *
 * What was used longest ago goes first: each use sets the time of the sum.  Runs that read or write
 * meanwhile are not waited for and do not wait: the sum goes before the code, and code without a
 * sum is not taken, so that a run finds both or compiles.  What a killed run left half written goes
 * once it is an hour old.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "levels/wasm/wasm.h"

#define KEY_CHARS     (DIGEST_HEX_BYTES - 1)
#define STALE_SECONDS 3600
#define MAX_MODULES   65536

struct module {
	char key[DIGEST_HEX_BYTES];
	int64_t used_ns;
	uint64_t bytes;
};

struct modules {
	struct module *items; /* owned */
	size_t n_items, n_room;
	uint64_t bytes;
};

struct trim {
	int folder_fd;
	bool is_dry_run;
	int64_t now_ns;
	struct modules modules;
	struct wasm_cache_trimmed *ret;
};

static int64_t time_ns(const struct timespec *time)
{
	return (int64_t)time->tv_sec * 1000000000 + time->tv_nsec;
}

static bool begins_with_key(const char *name)
{
	return strspn(name, "0123456789abcdef") == KEY_CHARS && name[KEY_CHARS] == '.';
}

static void remove_file(const struct trim *trim, const char *key, const char *end)
{
	char name[DIGEST_HEX_BYTES + 8];
	(void)snprintf(name, sizeof(name), "%s.%s", key, end);
	if (!trim->is_dry_run)
		(void)unlinkat(trim->folder_fd, name, 0);
}

/* Half of a module: written just now, or left. */
static void remove_if_stale(const struct trim *trim, const char *name, const struct stat *status)
{
	if (trim->now_ns - time_ns(&status->st_mtim) < (int64_t)STALE_SECONDS * 1000000000)
		return;
	if (!trim->is_dry_run)
		(void)unlinkat(trim->folder_fd, name, 0);
	trim->ret->n_modules++;
	trim->ret->bytes += (uint64_t)status->st_size;
}

static void add(struct modules *modules, const char *name, int64_t used_ns, uint64_t bytes)
{
	if (modules->n_items == modules->n_room) {
		size_t n_room = MAX(modules->n_room * 2, (size_t)64);
		struct module *items =
			n_room > MAX_MODULES
				? NULL
				: realloc(modules->items, n_room * sizeof(*modules->items));
		if (!items)
			return; /* What is not on the list stays. */
		modules->items = items;
		modules->n_room = n_room;
	}
	struct module *module = &modules->items[modules->n_items++];
	(void)snprintf(module->key, sizeof(module->key), "%s", name);
	module->used_ns = used_ns;
	module->bytes = bytes;
	modules->bytes += bytes;
}

static void look_at(struct trim *trim, const char *name)
{
	char sum_name[DIGEST_HEX_BYTES + 8];
	struct stat code, sum;
	if (!begins_with_key(name) ||
	    fstatat(trim->folder_fd, name, &code, AT_SYMLINK_NOFOLLOW) < 0 ||
	    !S_ISREG(code.st_mode))
		return;
	const char *end = name + KEY_CHARS + 1;
	if (strcmp(end, "sum") == 0)
		return;
	(void)snprintf(sum_name, sizeof(sum_name), "%.*s.sum", (int)KEY_CHARS, name);
	bool has_sum = fstatat(trim->folder_fd, sum_name, &sum, AT_SYMLINK_NOFOLLOW) == 0;
	if (strcmp(end, "cwasm") == 0 && has_sum)
		add(&trim->modules, name, time_ns(&sum.st_mtim), (uint64_t)code.st_size);
	else
		remove_if_stale(trim, name, &code);
}

static int older_first(const void *left, const void *right)
{
	const struct module *a = left, *b = right;
	return (a->used_ns > b->used_ns) - (a->used_ns < b->used_ns);
}

static void remove_oldest(struct trim *trim, uint64_t max_bytes)
{
	struct modules *modules = &trim->modules;
	if (modules->n_items > 0)
		qsort(modules->items, modules->n_items, sizeof(*modules->items), older_first);
	for (size_t i = 0; i < modules->n_items && modules->bytes > max_bytes; i++) {
		const struct module *module = &modules->items[i];
		remove_file(trim, module->key, "sum");
		remove_file(trim, module->key, "cwasm");
		modules->bytes -= module->bytes;
		trim->ret->n_modules++;
		trim->ret->bytes += module->bytes;
	}
}

void wasm_cache_trim(int folder_fd, uint64_t max_bytes, bool is_dry_run,
		     struct wasm_cache_trimmed *ret)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	struct trim trim = { .folder_fd = folder_fd,
			     .is_dry_run = is_dry_run,
			     .now_ns = time_ns(&now),
			     .ret = ret };
	*ret = (struct wasm_cache_trimmed){ 0 };
	/* A second description: the offset of the caller's is not ours to move. */
	auto_fd int fd = openat(folder_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	DIR_READER(reader, fd);
	for (const struct dir_entry *entry; (entry = dir_next(&reader));)
		look_at(&trim, entry->name);
	remove_oldest(&trim, max_bytes);
	free(trim.modules.items);
}
