/* SPDX-License-Identifier: Apache-2.0 */
/* content.c - the way to foso-content */
#include "workspacetool/content.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/programs.h"

#define PROGRAM      "foso-content"
#define MAX_WAIT_MS  20000
#define STDIN_NUMBER 0

/* Between fork and exec: only what is async-signal-safe. */
static void be_content(const char *path, int fd)
{
	static char name[] = PROGRAM;
	char *argv[] = { name, NULL }, *envp[] = { NULL };
	/* The socket becomes stdin; fcntl() takes the lowest free number, and 0 is then free. */
	(void)close(STDIN_NUMBER);
	if (fcntl(fd, F_DUPFD, STDIN_NUMBER) == STDIN_NUMBER)
		(void)execve(path, argv, envp);
	_exit(127);
}

static int start(struct content *content, struct error *err)
{
	char path[PROGRAM_PATH_BYTES];
	int pair[2];
	int r = program_path(PROGRAM, path, err);
	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0) {
		r = error_set(err, ERR_SYSTEM, errno, PROGRAM, "no socket can be had for it");
		return error_remedy(err, r, "raise the limit of open files");
	}
	(void)fflush(NULL);
	pid_t pid = fork();
	if (pid == 0)
		be_content(path, pair[1]);
	(void)close(pair[1]);
	if (pid < 0) {
		(void)close(pair[0]);
		r = error_set(err, ERR_SYSTEM, errno, PROGRAM, "cannot be started");
		return error_remedy(err, r, "raise the limit of processes");
	}
	*content = (struct content){ .fd = pair[0], .pid = pid };
	return 0;
}

void content_stop(struct content *content)
{
	fd_close(&content->fd);
	if (content->pid > 0) {
		(void)kill(content->pid, SIGKILL);
		(void)waitpid(content->pid, NULL, 0);
	}
	content->pid = -1;
}

static int64_t now_ms(void)
{
	struct timespec now;
	clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static bool wait_for(int fd, short events, int64_t deadline_ms)
{
	struct pollfd item = { .fd = fd, .events = events };
	for (;;) {
		int64_t left_ms = deadline_ms - now_ms();
		if (left_ms <= 0)
			return false;
		int n = poll(&item, 1, (int)left_ms);
		if (n > 0)
			return true;
		if (n == 0 || errno != EINTR)
			return false;
	}
}

static bool send_all(int fd, const void *bytes, size_t len, int64_t deadline_ms)
{
	for (size_t at = 0; at < len;) {
		if (!wait_for(fd, POLLOUT, deadline_ms))
			return false;
		ssize_t n =
			send(fd, (const char *)bytes + at, len - at, MSG_NOSIGNAL | MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n < 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

static bool receive_all(int fd, void *bytes, size_t len, int64_t deadline_ms)
{
	for (size_t at = 0; at < len;) {
		if (!wait_for(fd, POLLIN, deadline_ms))
			return false;
		ssize_t n = recv(fd, (char *)bytes + at, len - at, MSG_DONTWAIT);
		if (n < 0 && (errno == EINTR || errno == EAGAIN))
			continue;
		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

/* All bytes of a file as they are now: it may have shrunk since, and is then sent as it is. */
static int load(int fd, struct buf *out)
{
	char chunk[32768];
	for (off_t at = 0; fd >= 0;) {
		ssize_t n = pread(fd, chunk, sizeof(chunk), at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -1;
		if (n == 0)
			break;
		buf_append(out, chunk, (size_t)n);
		if (!buf_is_whole(out))
			break;
		at += n;
	}
	return 0;
}

static bool is_large(int fd)
{
	struct stat status;
	return fd >= 0 && (fstat(fd, &status) < 0 || status.st_size > (off_t)CONTENT_MAX_BYTES);
}

static bool converse(int fd, const struct content_request *request, const struct buf *sides,
		     struct content_answer *ret, struct buf *ret_text)
{
	int64_t deadline_ms = now_ms() + MAX_WAIT_MS;
	if (!send_all(fd, request, sizeof(*request), deadline_ms) ||
	    !send_all(fd, sides[0].data, sides[0].len, deadline_ms) ||
	    !send_all(fd, sides[1].data, sides[1].len, deadline_ms) ||
	    !receive_all(fd, ret, sizeof(*ret), deadline_ms))
		return false;
	if (ret->status >= CONTENT_N_STATUSES || ret->n_bytes > CONTENT_MAX_ANSWER_BYTES)
		return false;
	buf_clear(ret_text);
	for (uint64_t left = ret->n_bytes; left > 0;) {
		char chunk[16384];
		size_t n = (size_t)MIN(left, (uint64_t)sizeof(chunk));
		if (!receive_all(fd, chunk, n, deadline_ms))
			return false;
		buf_append(ret_text, chunk, n);
		left -= n;
	}
	return buf_is_whole(ret_text);
}

int content_ask(struct content *content, enum content_question question, int old_fd, int new_fd,
		struct content_answer *ret, struct buf *ret_text, struct error *err)
{
	struct buf sides[2] = { BUF_INIT(CONTENT_MAX_BYTES), BUF_INIT(CONTENT_MAX_BYTES) };
	*ret = (struct content_answer){ .status = CONTENT_LARGE };
	buf_clear(ret_text);
	if (is_large(old_fd) || is_large(new_fd))
		return 0;
	int r = content->fd < 0 ? start(content, err) : 0;
	if (r == 0 && (load(old_fd, &sides[0]) < 0 || load(new_fd, &sides[1]) < 0)) {
		r = error_set(err, ERR_SYSTEM, errno, "content", "cannot be read");
		r = error_remedy(err, r, "see who may read it");
	}
	if (r == 0 && buf_is_whole(&sides[0]) && buf_is_whole(&sides[1])) {
		struct content_request request = { .question = question,
						   .n_old = sides[0].len,
						   .n_new = sides[1].len };
		if (!converse(content->fd, &request, sides, ret, ret_text)) {
			content_stop(content);
			*ret = (struct content_answer){ .status = CONTENT_ODD };
			buf_clear(ret_text);
		}
	}
	buf_fini(&sides[0]);
	buf_fini(&sides[1]);
	return r;
}
