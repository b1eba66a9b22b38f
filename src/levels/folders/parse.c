/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c - a file of the workspace, parsed by a process without rights
 *
 * The engine reads the bytes and looks at none of them.  The parser is a fork of it: the bytes are
 * there already, and all it can do is to write its answer to one pipe.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "confine/confine.h"
#include "confine/reader.h"
#include "levels/folders/attach.h"
#include "workspace/replace.h"

#define PARSER_MS        2000
#define PARSER_ANSWER_FD 3

/* The bytes of a hidden path; anything but a small plain file stays hidden as a whole. */
static int read_file(int folder_fd, const struct redact_entry *entry, struct buf *ret,
		     uint64_t *ret_inode)
{
	char path[4096];
	not_zeroed char part[16384];
	struct stat status;
	struct open_how how = {
		.flags = O_RDONLY | O_NONBLOCK | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_BENEATH | RESOLVE_NO_SYMLINKS,
	};
	if (entry->len >= sizeof(path))
		return ENAMETOOLONG;
	memcpy(path, entry->path, entry->len);
	path[entry->len] = '\0';
	auto_fd int fd = sys_openat2(folder_fd, path, &how);
	if (fd < 0 || fstat(fd, &status) < 0)
		return errno;
	if (!S_ISREG(status.st_mode) || status.st_size > REPLACE_MAX_BYTES)
		return EFBIG;
	*ret_inode = status.st_ino;
	for (;;) {
		ssize_t n = read(fd, part, sizeof(part));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		if (n == 0)
			return buf_is_whole(ret) ? 0 : EFBIG;
		buf_append(ret, part, (size_t)n);
	}
}

static _Noreturn void parser_main(const struct attach *attach, enum redact_class class,
				  const struct buf *bytes, int answer_fd)
{
	const struct confine_reader limits = { .cpu_seconds = 2 };
	auto_buf struct buf out = BUF_INIT(ATTACH_MAX_PARSED_BYTES);
	if (dup3(answer_fd, PARSER_ANSWER_FD, 0) < 0 && errno != EINVAL)
		_exit(1);
	for (int fd = 0; fd < PARSER_ANSWER_FD; fd++)
		close(fd);
	if (confine_close_fds(PARSER_ANSWER_FD + 1) != 0 || confine_reader(&limits) != 0)
		_exit(1);
	const char *text = buf_string(bytes);
	enum replace_result result =
		class == REDACT_GIT ? replace_git_config(text, bytes->len, &out)
				    : replace_dotenv(text, bytes->len,
						     &attach->policy->workspace.placeholders, &out);
	char word = (char)('0' + result);
	if (write(PARSER_ANSWER_FD, &word, 1) != 1)
		_exit(1);
	for (size_t at = 0; result == REPLACE_CHANGED && at < out.len;) {
		ssize_t n = write(PARSER_ANSWER_FD, out.data + at, out.len - at);
		if (n <= 0)
			_exit(1);
		at += (size_t)n;
	}
	_exit(0);
}

/* The answer, up to its end; false: it is none. */
static bool read_answer(int fd, struct buf *answer)
{
	not_zeroed char part[16384];
	struct pollfd ready = { .fd = fd, .events = POLLIN };
	for (;;) {
		int n_ready = poll(&ready, 1, PARSER_MS);
		if (n_ready < 0 && errno == EINTR)
			continue;
		if (n_ready <= 0)
			return false;
		ssize_t n = read(fd, part, sizeof(part));
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n == 0 && buf_is_whole(answer) && answer->len > 0;
		buf_append(answer, part, (size_t)n);
	}
}

static int ask_parser(const struct attach *attach, enum redact_class class, const struct buf *bytes,
		      struct buf *answer)
{
	int pipe_fds[2], status = -1;
	if (pipe2(pipe_fds, O_CLOEXEC) < 0)
		return errno;
	pid_t pid = fork();
	if (pid == 0)
		parser_main(attach, class, bytes, pipe_fds[1]);
	close(pipe_fds[1]);
	bool is_answered = pid > 0 && read_answer(pipe_fds[0], answer);
	close(pipe_fds[0]);
	if (pid < 0)
		return EAGAIN;
	if (!is_answered)
		(void)kill(pid, SIGKILL);
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	return is_answered && WIFEXITED(status) && WEXITSTATUS(status) == 0 ? 0 : EPROTO;
}

enum parse_result attach_parse(const struct attach *attach, const struct redact_entry *entry,
			       struct buf *ret_content, uint64_t *ret_inode)
{
	auto_buf struct buf bytes = BUF_INIT(REPLACE_MAX_BYTES);
	auto_buf struct buf answer = BUF_INIT(ATTACH_MAX_PARSED_BYTES + 1);
	if (read_file(attach->folder_fd, entry, &bytes, ret_inode) != 0)
		return PARSE_HIDDEN;
	if (entry->class == REDACT_GIT && !replace_git_may_hold(buf_string(&bytes), bytes.len))
		return PARSE_UNCHANGED;
	if (ask_parser(attach, entry->class, &bytes, &answer) != 0)
		return PARSE_HIDDEN;
	if (answer.data[0] == '0' + REPLACE_UNCHANGED && answer.len == 1)
		return PARSE_UNCHANGED;
	if (answer.data[0] != '0' + REPLACE_CHANGED)
		return PARSE_HIDDEN;
	buf_append(ret_content, answer.data + 1, answer.len - 1);
	return buf_is_whole(ret_content) ? PARSE_REPLACED : PARSE_HIDDEN;
}
