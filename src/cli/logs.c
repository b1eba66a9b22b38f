/* SPDX-License-Identifier: Apache-2.0 */
/*
 * logs.c - foso logs: what processes wrote after their command had ended
 *
 * The bytes are a stranger's.  They go to a pipe or file as they are, for a program to read; on
 * a terminal they are escaped, line by line, so that they cannot drive it.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "cli/cli.h"
#include "wire/rundir.h"

#define CHUNK_BYTES 4096

static int write_all(const char *bytes, size_t len, struct error *err)
{
	while (len > 0) {
		ssize_t n = write(STDOUT_FILENO, bytes, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			int r = error_set(err, ERR_SYSTEM, errno, "stdout", "cannot be written");
			return error_remedy(err, r, "free space, or give another stdout");
		}
		bytes += n;
		len -= (size_t)n;
	}
	return 0;
}

/* Newlines stay; all else that is not text is escaped. */
static int write_escaped(const char *bytes, size_t len, struct error *err)
{
	char text[4 * CHUNK_BYTES + 1];
	int r = 0;
	while (len > 0 && r == 0) {
		const char *newline = memchr(bytes, '\n', len);
		size_t n = newline ? (size_t)(newline - bytes) : len;
		text_escape(bytes, n, text, sizeof(text));
		r = write_all(text, strlen(text), err);
		if (r == 0 && newline)
			r = write_all("\n", 1, err);
		n += newline != NULL;
		bytes += n;
		len -= n;
	}
	return r;
}

/* From where @fd stands to the present end. */
static int copy_rest(int fd, bool is_terminal, struct error *err)
{
	char bytes[CHUNK_BYTES];
	for (;;) {
		ssize_t n = read(fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return 0;
		int r = is_terminal ? write_escaped(bytes, (size_t)n, err)
				    : write_all(bytes, (size_t)n, err);
		if (r < 0)
			return r;
	}
}

/* True once one of the events says that the file is removed. */
static bool tells_removal(const char *events, size_t len)
{
	for (size_t at = 0; at < len;) {
		struct inotify_event event;
		memcpy(&event, events + at, sizeof(event));
		if (event.mask & (IN_ATTRIB | IN_DELETE_SELF | IN_IGNORED))
			return true;
		at += sizeof(event) + event.len;
	}
	return false;
}

/* Until the file is removed, which is what the monitor does when the sandbox is gone. */
static int follow(int fd, int inotify_fd, bool is_terminal, struct error *err)
{
	for (;;) {
		char events[CHUNK_BYTES];
		int r = copy_rest(fd, is_terminal, err);
		if (r < 0)
			return r;
		ssize_t n = read(inotify_fd, events, sizeof(events));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0 || tells_removal(events, (size_t)n))
			return copy_rest(fd, is_terminal, err);
	}
}

static int open_output(int dir_fd, const char *id, int *ret_fd, struct error *err)
{
	char name[RUNDIR_NAME_BYTES];
	if (!rundir_id_is_valid(id) || faccessat(dir_fd, id, F_OK, AT_SYMLINK_NOFOLLOW) < 0) {
		int r = error_set(err, ERR_NOT_FOUND, 0, id, "no sandbox of this user has this id");
		return error_remedy(err, r, "foso ps lists the ids");
	}
	rundir_output_name(id, name);
	*ret_fd = openat(dir_fd, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	if (*ret_fd < 0) {
		int r = error_set(err, ERR_NOT_FOUND, errno, id, "it keeps no output");
		return error_remedy(err, r,
				    "start it with --background keep, and wait until its "
				    "command has ended");
	}
	return 0;
}

static int show(int dir_fd, const char *id, bool is_following, struct error *err)
{
	char watched[32];
	bool is_terminal = isatty(STDOUT_FILENO);
	auto_fd int fd = -1, inotify_fd = -1;
	int r = open_output(dir_fd, id, &fd, err);
	if (r < 0)
		return r;
	if (!is_following)
		return copy_rest(fd, is_terminal, err);
	/* A file that is removed while it is open tells so by IN_ATTRIB: its link count changed. */
	(void)snprintf(watched, sizeof(watched), "/proc/self/fd/%d", fd);
	inotify_fd = inotify_init1(IN_CLOEXEC);
	if (inotify_fd < 0 ||
	    inotify_add_watch(inotify_fd, watched, IN_MODIFY | IN_ATTRIB | IN_DELETE_SELF) < 0) {
		r = error_set(err, ERR_SYSTEM, errno, id, "its output cannot be watched");
		return error_remedy(err, r,
				    "raise fs.inotify.max_user_instances, or leave out "
				    "--follow");
	}
	return follow(fd, inotify_fd, is_terminal, err);
}

int command_logs(struct cli *cli, int *ret_status, struct error *err)
{
	auto_fd int dir_fd = -1;
	struct option option;
	bool is_following = false;
	int r;
	while ((r = options_next(&cli->options, &option, err)) == 0)
		is_following = is_following || option.row->id == OPTION_FOLLOW;
	if (r < 0)
		return r;
	char **ids = cli->options.words + cli->options.at;
	if (!ids[0] || ids[1]) {
		r = error_set(err, ERR_INVALID, 0, "logs", "%s",
			      ids[0] ? "more than one id was given" : "no id was given");
		return error_remedy(err, r, "write foso logs ID; foso ps lists the ids");
	}
	r = rundir_open(&dir_fd, err);
	if (r == 0)
		r = show(dir_fd, ids[0], is_following, err);
	*ret_status = 0;
	return r;
}
