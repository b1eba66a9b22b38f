/* SPDX-License-Identifier: Apache-2.0 */
/*
 * tree.c - what a process tree uses, from /proc, where no cgroup counts
 *
 * Every process of the sandbox hangs below foso-init, which is the reaper of its pid namespace; so
 * the children files (proc(5), CONFIG_PROC_CHILDREN) lead to all of them.  Processes come and go
 * while they are read: one that vanishes is passed over, and its CPU time turns up in its parent's
 * sum when it is waited for.  The name of a process is chosen by the sandbox and stands in the
 * middle of /proc/PID/stat; what follows the last ')' is the kernel's.
 *
 * What this cannot see: CPU time of a child whose parent ignores SIGCHLD, memory of a tmpfs file
 * that nobody maps, a process that lives shorter than the time between two looks.  That is why
 * limits held in this way are not called whole-tree (limit_table.h).
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "limits/cgroup_private.h"
#include "limits/mechanism.h"

#define TREE_MAX_PROCESSES 4096
#define TREE_MAX_TASKS     16384 /* looked into for children, of the whole tree */

struct tree {
	int proc_fd;
	pid_t pids[TREE_MAX_PROCESSES]; /* found; [0] is the root */
	size_t n_pids;
	size_t n_tasks;
	bool has_children_files;
};

struct process_stat {
	uint64_t own_ticks, waited_ticks, n_threads;
};

/* The fields that follow ")" in /proc/PID/stat, counted as in proc(5): state is 3. */
static bool stat_parse(const char *text, size_t len, struct process_stat *ret)
{
	const char *at = memrchr(text, ')', len);
	if (!at || at[1] != ' ')
		return false;
	uint64_t values[21] = { 0 };
	at += 2; /* at field 3, one letter */
	for (size_t field = 3; field <= 20; field++) {
		values[field] = cgroup_text_u64(at);
		at = strchr(at, ' ');
		if (!at)
			return false;
		at++;
	}
	ret->own_ticks = values[14] + values[15];
	ret->waited_ticks = values[16] + values[17];
	ret->n_threads = values[20];
	return true;
}

/* "RssAnon:	    1234 kB" */
static uint64_t status_kib(const char *text, const char *key)
{
	const char *line = strstr(text, key);
	if (!line)
		return 0;
	line += strlen(key);
	line += strspn(line, " \t");
	return cgroup_text_u64(line);
}

/*
 * Private and shared memory, swapped out or not, but no file pages: those can be dropped, and a
 * library that all processes map would be counted for each.  The Name line comes first and cannot
 * contain a newline, which the kernel escapes, so no name can pass for one of these lines.
 */
static uint64_t status_memory_bytes(const char *text)
{
	return 1024 * (status_kib(text, "\nRssAnon:") + status_kib(text, "\nRssShmem:") +
		       status_kib(text, "\nVmSwap:"));
}

static void children_parse(struct tree *tree, const char *text)
{
	while (*text >= '0' && *text <= '9') {
		uint64_t pid = cgroup_text_u64(text);
		text += strspn(text, "0123456789");
		text += strspn(text, " \n");
		if (pid == 0 || pid > INT32_MAX || tree->n_pids == TREE_MAX_PROCESSES)
			return;
		tree->pids[tree->n_pids++] = (pid_t)pid;
	}
}

/* The children of one thread.  The list can be longer than any buffer: it is read piecewise. */
static void task_children(int task_dir_fd, const char *name, void *context)
{
	struct tree *tree = context;
	if (++tree->n_tasks > TREE_MAX_TASKS || tree->n_pids == TREE_MAX_PROCESSES)
		return;
	char path[64];
	(void)snprintf(path, sizeof(path), "%.20s/children", name);
	auto_fd int fd = openat(task_dir_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	tree->has_children_files = true;
	char text[4096];
	size_t used = 0;
	for (;;) {
		ssize_t n_read = read(fd, text + used, sizeof(text) - 1 - used);
		if (n_read < 0 && errno == EINTR)
			continue;
		if (n_read <= 0)
			break;
		used += (size_t)n_read;
		text[used] = '\0';
		char *last = memrchr(text, ' ', used); /* the kernel ends each number with one */
		if (!last)
			return;
		*last = '\0';
		children_parse(tree, text);
		size_t rest = used - (size_t)(last - text) - 1;
		memmove(text, last + 1, rest);
		used = rest;
	}
}

static void process_children(struct tree *tree, pid_t pid)
{
	char path[32];
	(void)snprintf(path, sizeof(path), "%d/task", (int)pid);
	auto_fd int fd = openat(tree->proc_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd >= 0)
		cgroup_children_each(fd, task_children, tree);
}

static uint64_t ticks_ns(uint64_t ticks, long ticks_per_second)
{
	return ticks * (1000000000ULL / (uint64_t)ticks_per_second);
}

static void process_add(struct tree *tree, size_t at, struct tree_usage *usage)
{
	long ticks_per_second = sysconf(_SC_CLK_TCK);
	bool is_root = at == 0;
	char path[32], text[4096];
	(void)snprintf(path, sizeof(path), "%d/stat", (int)tree->pids[at]);
	size_t len = cgroup_file_read(tree->proc_fd, path, text, sizeof(text));
	struct process_stat stat;
	if (!stat_parse(text, len, &stat))
		return;
	/* foso-init is not work, but what it has waited for was: commands and their orphans. */
	usage->cpu_ns +=
		ticks_ns(stat.waited_ticks + (is_root ? 0 : stat.own_ticks), ticks_per_second);
	if (is_root)
		return;
	usage->pids += MAX(stat.n_threads, (uint64_t)1);
	(void)snprintf(path, sizeof(path), "%d/status", (int)tree->pids[at]);
	(void)cgroup_file_read(tree->proc_fd, path, text, sizeof(text));
	usage->memory_bytes += status_memory_bytes(text);
}

void tree_usage_read(pid_t root, struct tree_usage *ret)
{
	memset(ret, 0, sizeof(*ret));
	struct tree tree = { .n_pids = 1 };
	tree.pids[0] = root;
	auto_fd int proc_fd = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (proc_fd < 0)
		return;
	tree.proc_fd = proc_fd;
	for (size_t at = 0; at < tree.n_pids; at++) {
		process_children(&tree, tree.pids[at]);
		process_add(&tree, at, ret);
	}
	ret->is_whole = tree.has_children_files && tree.n_pids < TREE_MAX_PROCESSES &&
			tree.n_tasks <= TREE_MAX_TASKS;
}
