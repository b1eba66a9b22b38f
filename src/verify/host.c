/* SPDX-License-Identifier: Apache-2.0 */
/* host.c - what this host shows of sandboxes: processes, control groups, mounts */
#include "verify/host.h"

#include <dirent.h>
#include <fcntl.h>
#include <fts.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/cleanup.h"
#include "base/text.h"

#define MAX_FILE_BYTES (16 * 1024 * 1024)

static void read_file(const char *path, struct buf *out)
{
	char bytes[16384];
	ssize_t n;
	buf_clear(out);
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	while (fd >= 0 && (n = read(fd, bytes, sizeof(bytes))) > 0)
		buf_append(out, bytes, (size_t)n);
}

static pid_t next_process(DIR *dir)
{
	for (struct dirent *item; (item = readdir(dir));) { /* NOLINT(concurrency-mt-unsafe) */
		uint64_t pid;
		if (text_parse_u64(item->d_name, &pid) && pid <= INT32_MAX)
			return (pid_t)pid;
	}
	return 0;
}

static void read_process(pid_t pid, const char *name, struct buf *out)
{
	char path[64];
	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, name);
	read_file(path, out);
}

static bool is_named(pid_t pid, const char *name, struct buf *text)
{
	size_t len = strlen(name);
	read_process(pid, "comm", text);
	return text->len == len + 1 && memcmp(text->data, name, len) == 0;
}

size_t host_count_named(const char *name)
{
	auto_buf struct buf text = BUF_INIT(4096);
	auto_dir DIR *dir = opendir("/proc");
	size_t n = 0;
	for (pid_t pid; dir && (pid = next_process(dir)) != 0;)
		n += is_named(pid, name, &text);
	return n;
}

size_t host_await_gone(const char *name, int ms)
{
	const struct timespec pause = { .tv_nsec = 10000000 };
	size_t n;
	for (int waited = 0; (n = host_count_named(name)) > 0 && waited < ms; waited += 10)
		(void)nanosleep(&pause, NULL);
	return n;
}

pid_t host_child(pid_t parent)
{
	auto_buf struct buf text = BUF_INIT(4096);
	auto_dir DIR *dir = opendir("/proc");
	char wanted[32];
	(void)snprintf(wanted, sizeof(wanted), " %d ", (int)parent);
	for (pid_t pid; dir && (pid = next_process(dir)) != 0;) {
		read_process(pid, "stat", &text);
		/* "PID (NAME) STATE PPID ...": the name may hold anything, a closing brace too. */
		const char *end = strrchr(buf_string(&text), ')');
		if (end && strncmp(end + 3, wanted, strlen(wanted)) == 0)
			return pid;
	}
	return 0;
}

static bool holds(const struct buf *text, const char *wanted)
{
	return text->len > 0 && memmem(text->data, text->len, wanted, strlen(wanted)) != NULL;
}

bool host_holds_text(const char *text)
{
	static const char *const own[] = { "foso", "foso-monitor", "foso-init" };
	auto_buf struct buf bytes = BUF_INIT(MAX_FILE_BYTES);
	auto_dir DIR *dir = opendir("/proc");
	for (pid_t pid; dir && (pid = next_process(dir)) != 0;) {
		read_process(pid, "cmdline", &bytes);
		if (holds(&bytes, text))
			return true;
		bool is_own = false;
		for (size_t i = 0; i < ARRAY_LEN(own); i++)
			is_own = is_own || is_named(pid, own[i], &bytes);
		if (!is_own)
			continue;
		read_process(pid, "environ", &bytes);
		if (holds(&bytes, text))
			return true;
	}
	return false;
}

size_t host_count_groups(const char *id)
{
	char root[] = "/sys/fs/cgroup", wanted[64];
	char *roots[] = { root, NULL };
	size_t n = 0;
	(void)snprintf(wanted, sizeof(wanted), "foso-%s", id);
	FTS *walk = fts_open(roots, FTS_PHYSICAL | FTS_NOCHDIR | FTS_NOSTAT, NULL);
	if (!walk)
		return 0;
	for (FTSENT *item; (item = fts_read(walk));)
		n += item->fts_info == FTS_D && strcmp(item->fts_name, wanted) == 0;
	(void)fts_close(walk);
	return n;
}

size_t host_count_mounts(void)
{
	auto_buf struct buf text = BUF_INIT(MAX_FILE_BYTES);
	size_t n = 0;
	read_file("/proc/self/mountinfo", &text);
	for (size_t i = 0; i < text.len; i++)
		n += text.data[i] == '\n';
	return n;
}

bool host_file_holds(const char *path, const char *text)
{
	auto_buf struct buf bytes = BUF_INIT(MAX_FILE_BYTES);
	read_file(path, &bytes);
	return holds(&bytes, text);
}
