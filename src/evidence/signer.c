/* SPDX-License-Identifier: Apache-2.0 */
/*
 * signer.c - signatures by a separate program
 *
 * One socket pair carries everything: its "ready" or its error, the 32 bytes of the hash, its
 * answer.  The receive timeout of the socket bounds each wait, so that no timer and no poll is
 * needed in a monitor that has restricted itself.  The program has a session of its own, as a
 * Ctrl-C that the command shall get must not end it; it ends at the end of file when its
 * starter is gone.
 */
#include "evidence/signer.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/programs.h"
#include "confine/confine.h"

#define SUBJECT        "evidence.sign"
#define MAX_LINE_BYTES 1024

static int describe_failure(struct error *err, int errnum, const char *what)
{
	int r = error_set(err, ERR_SYSTEM, errnum, SUBJECT, "%s", what);
	return error_remedy(err, r, "see whether the limits of this user or machine are reached");
}

/* In the child, between fork and exec. */
static void become_signer(int fd, const char *program, const char *key_path)
{
	static char name[] = "foso-evidence", verb[] = "sign", ready[] = "--ready", key[] = "--key";
	char *no_environment[] = { NULL };
	char path[PROGRAM_PATH_BYTES];
	if (strlen(key_path) >= sizeof(path))
		_exit(125);
	memcpy(path, key_path, strlen(key_path) + 1);
	char *argv[] = { name, verb, ready, key, path, NULL };
	for (int target = 0; target < 3; target++) {
		/* A socket that is 0, 1 or 2 already keeps its close-on-exec flag. */
		int result = fd == target ? fcntl(fd, F_SETFD, 0) : dup3(fd, target, 0);
		if (result < 0)
			_exit(125);
	}
	confine_signals();
	if (confine_close_fds(3) != 0)
		_exit(125);
	(void)setsid();
	execve(program, argv, no_environment);
	_exit(125);
}

int evidence_signer_start(struct evidence_signer *signer, const char *key_path, struct error *err)
{
	struct timeval wait = { .tv_sec = EVIDENCE_SIGNER_WAIT_S };
	char program[PROGRAM_PATH_BYTES];
	int pair[2];
	int r = program_path("foso-evidence", program, err);
	if (r < 0)
		return r;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) < 0)
		return describe_failure(err, errno, "no socket for the signer");
	auto_fd int own_fd = pair[0];
	auto_fd int its_fd = pair[1];
	if (setsockopt(own_fd, SOL_SOCKET, SO_RCVTIMEO, &wait, sizeof(wait)) < 0)
		return describe_failure(err, errno, "no timeout for the signer");
	pid_t pid = fork();
	if (pid < 0)
		return describe_failure(err, errno, "the signer cannot be started");
	if (pid == 0)
		become_signer(its_fd, program, key_path);
	*signer = (struct evidence_signer){ .pid = pid, .fd = take_fd(&own_fd) };
	return 0;
}

/*
 * Reads up to a line break, which is left away.  Returns 0; -ERR_UNAVAILABLE at the end of file
 * or for a longer line; -ERR_TIMEOUT.
 */
static int read_line(int fd, char *line, size_t size, struct error *err)
{
	size_t len = 0;
	for (;;) {
		ssize_t n = read(fd, line + len, size - 1 - len);
		int errnum = errno;
		if (n < 0 && errnum == EINTR)
			continue;
		if (n < 0 && errnum == EAGAIN) {
			int r = error_set(err, ERR_TIMEOUT, 0, SUBJECT,
					  "the signer does not answer within %d s",
					  EVIDENCE_SIGNER_WAIT_S);
			return error_remedy(err, r, "see what slows this machine down");
		}
		len += n > 0 ? (size_t)n : 0;
		line[len] = '\0';
		char *line_break = memchr(line, '\n', len);
		if (line_break) {
			*line_break = '\0';
			return 0;
		}
		if (n <= 0 || len == size - 1) {
			int r = error_set(err, ERR_UNAVAILABLE, n < 0 ? errnum : 0, SUBJECT,
					  "the signer ended without an answer");
			return error_remedy(err, r, "try it with foso-evidence sign --key FILE");
		}
	}
}

/* Its error line is "foso: subject: message; remedy". */
static int forward_refusal(struct error *err, char *line)
{
	char *text = strncmp(line, "foso: ", 6) == 0 ? line + 6 : line;
	char *remedy = strstr(text, "; ");
	if (remedy)
		*remedy = '\0';
	int r = error_set(err, ERR_DENIED, 0, SUBJECT, "%s", text);
	return error_remedy(err, r, "%s",
			    remedy ? remedy + 2 : "make a key with foso evidence keygen");
}

int evidence_signer_await(struct evidence_signer *signer, struct error *err)
{
	char line[MAX_LINE_BYTES];
	int r = read_line(signer->fd, line, sizeof(line), err);
	if (r < 0)
		return r;
	return strcmp(line, "ready") == 0 ? 0 : forward_refusal(err, line);
}

int evidence_signer_sign(void *context, const uint8_t hash[32], struct buf *ret, struct error *err)
{
	struct evidence_signer *signer = context;
	char line[MAX_LINE_BYTES];
	ssize_t n;
	do {
		n = send(signer->fd, hash, 32, MSG_NOSIGNAL);
	} while (n < 0 && errno == EINTR);
	if (n != 32) {
		int r = error_set(err, ERR_UNAVAILABLE, n < 0 ? errno : 0, SUBJECT,
				  "the signer is gone");
		return error_remedy(err, r, "see in the kernel's log whether it was killed");
	}
	int r = read_line(signer->fd, line, sizeof(line), err);
	if (r < 0)
		return r;
	buf_append_string(ret, line);
	return 0;
}

void evidence_signer_stop(struct evidence_signer *signer)
{
	fd_close(&signer->fd);
	if (signer->pid <= 0)
		return;
	/* Its answer has been read, or is not wanted any more. */
	if (kill(signer->pid, SIGKILL) == 0) {
		while (waitpid(signer->pid, NULL, 0) < 0 && errno == EINTR)
			;
	}
	signer->pid = 0;
}
