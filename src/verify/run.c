/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - programs that are started, watched and always ended */
#include "verify/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "base/text.h"
#include "verify/verify.h"

#define INHERITED_FOLDER 7
#define INHERITED_FILE   2048

uint64_t run_now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* ---- words ---- */

static int expand(const struct verify *verify, const char *word, size_t len, struct buf *out,
		  struct error *err)
{
	for (size_t i = 0; i < len; i++) {
		const char *end = word[i] == '{' ? memchr(word + i, '}', len - i) : NULL;
		if (!end) {
			buf_append_char(out, word[i]);
			continue;
		}
		size_t n_name = (size_t)(end - word) - i - 1;
		if (!world_lookup(&verify->world, word + i + 1, n_name, out))
			return error_set(err, ERR_INTERNAL, 0, "verify", "no object '%.*s'",
					 (int)n_name, word + i + 1);
		i += n_name + 1;
	}
	return 0;
}

int words_add(struct words *words, const struct verify *verify, const char *text, struct error *err)
{
	for (const char *at = text ? text : ""; *at;) {
		size_t len = strcspn(at, " ");
		struct buf word = BUF_INIT(256 * 1024);
		int r = expand(verify, at, len, &word, err);
		if (r == 0 && (!buf_is_whole(&word) || words->n_items == RUN_MAX_WORDS))
			r = error_set(err, ERR_INTERNAL, 0, "verify", "too many words");
		if (r < 0) {
			buf_fini(&word);
			return r;
		}
		if (len > 0)
			words->items[words->n_items++] = word.data;
		at += len + (at[len] == ' ');
	}
	return 0;
}

int words_add_whole(struct words *words, const char *text, struct error *err)
{
	char *copy = words->n_items < RUN_MAX_WORDS ? strdup(text) : NULL;
	if (!copy)
		return error_set(err, ERR_INTERNAL, 0, "verify", "too many words");
	words->items[words->n_items++] = copy;
	return 0;
}

void words_fini(struct words *words)
{
	for (size_t i = 0; i < words->n_items; i++)
		free(words->items[i]);
	*words = (struct words){ 0 };
}

/* ---- programs ---- */

static int start_failed(struct error *err, const char *program, int errnum)
{
	int r = error_set(err, ERR_SYSTEM, errnum, program, "cannot be started");
	return error_remedy(err, r, "build or install foso as a whole (./x build)");
}

/* Descriptors that the program gets beyond 0, 1 and 2, as a careless parent would leave them. */
static int add_inherited(posix_spawn_file_actions_t *actions, const struct verify *verify)
{
	struct rlimit files;
	if (getrlimit(RLIMIT_NOFILE, &files) < 0)
		return errno;
	files.rlim_cur = files.rlim_max;
	if (setrlimit(RLIMIT_NOFILE, &files) < 0)
		return errno;
	int errnum =
		posix_spawn_file_actions_addopen(actions, INHERITED_FOLDER, verify->world.folder,
						 O_RDONLY | O_DIRECTORY, 0);
	if (errnum == 0)
		errnum = posix_spawn_file_actions_addopen(actions, INHERITED_FILE,
							  verify->world.decoy, O_RDWR, 0);
	return errnum;
}

/* A pipe whose other end stays open in us; made once. */
static int silent_fd(void)
{
	static int ends[2] = { -1, -1 };
	if (ends[0] < 0 && pipe2(ends, O_CLOEXEC) < 0)
		return -1;
	return ends[0];
}

static int spawn(struct run *run, const struct verify *verify, char *const *argv, unsigned flags,
		 const int ends[4])
{
	posix_spawn_file_actions_t actions;
	int errnum = posix_spawn_file_actions_init(&actions);
	if (errnum != 0)
		return errnum;
	if (flags & ROW_SILENT)
		errnum = posix_spawn_file_actions_adddup2(&actions, silent_fd(), 0);
	else
		errnum = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
	if (errnum == 0)
		errnum = posix_spawn_file_actions_adddup2(&actions, ends[1], 1);
	if (errnum == 0)
		errnum = posix_spawn_file_actions_adddup2(&actions, ends[3], 2);
	if (errnum == 0 && (flags & ROW_INHERIT))
		errnum = add_inherited(&actions, verify);
	run->started_ns = run_now_ns();
	if (errnum == 0)
		errnum = posix_spawn(&run->pid, argv[0], &actions, NULL, argv, verify->environment);
	(void)posix_spawn_file_actions_destroy(&actions);
	return errnum;
}

int run_start(struct run *run, const struct verify *verify, char *const *argv, unsigned flags,
	      struct error *err)
{
	int ends[4] = { -1, -1, -1, -1 };
	*run = RUN_INIT;
	buf_init(&run->out, RUN_MAX_OUTPUT_BYTES);
	buf_init(&run->err, RUN_MAX_OUTPUT_BYTES);
	if (pipe2(ends, O_CLOEXEC) < 0 || pipe2(ends + 2, O_CLOEXEC) < 0) {
		fd_close(&ends[0]);
		fd_close(&ends[1]);
		return start_failed(err, argv[0], errno);
	}
	int errnum = spawn(run, verify, argv, flags, ends);
	close(ends[1]);
	close(ends[3]);
	run->out_fd = ends[0];
	run->err_fd = ends[2];
	if (errnum == 0) {
		run->pidfd = sys_pidfd_open(run->pid);
		(void)fcntl(run->out_fd, F_SETFL, O_NONBLOCK);
		(void)fcntl(run->err_fd, F_SETFL, O_NONBLOCK);
		return 0;
	}
	run->pid = 0;
	run_fini(run);
	return start_failed(err, argv[0], errnum);
}

/* What there is; closes the descriptor at its end.  A flood beyond the buffer is thrown away. */
static void take_output(int *fd, struct buf *out)
{
	char bytes[65536];
	while (*fd >= 0) {
		ssize_t n = read(*fd, bytes, sizeof(bytes));
		if (n > 0)
			buf_append(out, bytes, (size_t)n);
		else if (n < 0 && errno == EINTR)
			continue;
		else if (n < 0 && errno == EAGAIN)
			return;
		else
			fd_close(fd);
	}
}

/* One wait; false once the program has ended and its output is read. */
static bool watch(struct run *run, uint64_t until_ns)
{
	struct pollfd polls[] = {
		{ .fd = run->out_fd, .events = POLLIN },
		{ .fd = run->err_fd, .events = POLLIN },
		{ .fd = run->pidfd, .events = POLLIN },
	};
	uint64_t now = run_now_ns();
	int ms = now >= until_ns ? 0 : (int)((until_ns - now) / 1000000) + 1;
	(void)poll(polls, ARRAY_LEN(polls), ms);
	take_output(&run->out_fd, &run->out);
	take_output(&run->err_fd, &run->err);
	/* Its end is the end, whoever still holds its pipes. */
	return run->pidfd < 0 || !polls[2].revents;
}

bool run_await(struct run *run, const char *text, uint64_t ms)
{
	uint64_t until_ns = run->started_ns + ms * 1000000;
	bool is_running = true;
	while (!strstr(buf_string(&run->out), text)) {
		if (!is_running || run_now_ns() >= until_ns)
			return false;
		is_running = watch(run, until_ns);
	}
	return true;
}

static void reap(struct run *run)
{
	int status = 0;
	while (waitpid(run->pid, &status, 0) < 0 && errno == EINTR)
		continue;
	run->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
	run->duration_ns = run_now_ns() - run->started_ns;
	run->pid = 0;
}

static void close_all(struct run *run)
{
	fd_close(&run->pidfd);
	fd_close(&run->out_fd);
	fd_close(&run->err_fd);
}

void run_finish(struct run *run)
{
	uint64_t until_ns = run->started_ns + RUN_MAX_MS * 1000000ull;
	while (watch(run, until_ns)) {
		if (run_now_ns() < until_ns)
			continue;
		run->is_late = true;
		(void)kill(run->pid, SIGKILL);
		until_ns = UINT64_MAX;
	}
	reap(run);
	take_output(&run->out_fd, &run->out);
	take_output(&run->err_fd, &run->err);
	close_all(run);
}

void run_fini(struct run *run)
{
	if (run->pid > 0) {
		(void)kill(run->pid, SIGKILL);
		reap(run);
	}
	close_all(run);
	buf_fini(&run->out);
	buf_fini(&run->err);
}

int run_whole(struct run *run, const struct verify *verify, char *const *argv, unsigned flags,
	      struct error *err)
{
	int r = run_start(run, verify, argv, flags, err);
	if (r == 0)
		run_finish(run);
	return r;
}

void run_line(const struct buf *output, char *line, size_t size)
{
	const char *text = buf_string(output);
	text_escape(text, strcspn(text, "\n"), line, size);
}
