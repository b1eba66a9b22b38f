/* SPDX-License-Identifier: Apache-2.0 */
/* events.c - news of the monitor, and what commands write, while the caller waits */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "client/client.h"

#define MAX_RECORD_BYTES (1024 * 1024)

int64_t client_now_ms(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

/* The monitor wrote it before its last word; a copy is kept as a string. */
static void read_record(struct foso_sandbox *sandbox)
{
	struct stat status;
	if (sandbox->record || fstat(sandbox->record_fd, &status) < 0 || status.st_size <= 0 ||
	    status.st_size > MAX_RECORD_BYTES)
		return;
	size_t len = (size_t)status.st_size;
	char *text = malloc(len + 1);
	if (!text || pread(sandbox->record_fd, text, len, 0) != (ssize_t)len) {
		free(text);
		return;
	}
	text[len] = '\0';
	if (text[len - 1] == '\n')
		text[len - 1] = '\0';
	sandbox->record = text;
}

static void end_run(struct foso_run *run, const struct control_end *end)
{
	if (run->is_ended)
		return;
	run->is_ended = true;
	run->end = *end;
}

/* What had no end of its own has that of the sandbox. */
static void end_runs(struct foso_sandbox *sandbox)
{
	struct control_end end = sandbox->end;
	if (end.end.reason == END_CLOSED)
		end.end.reason = END_KILLED;
	for (struct foso_run *run = sandbox->runs; run; run = run->next)
		end_run(run, &end);
}

static void reap(struct foso_sandbox *sandbox)
{
	while (sandbox->pid > 0 && waitpid(sandbox->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	sandbox->pid = 0;
}

static void over(struct foso_sandbox *sandbox)
{
	sandbox->is_over = true;
	/* It stays open until the monitor is gone: its end would be a kill. */
	reap(sandbox);
	fd_close(&sandbox->control_fd);
	read_record(sandbox);
	end_runs(sandbox);
	sandbox->is_listing = false;
}

static void lose(struct foso_sandbox *sandbox, const char *what)
{
	struct control_end *end = &sandbox->end;
	*end = (struct control_end){ .end = { .reason = END_SANDBOX_LOST, .code = -1 },
				     .exit_status = 125 };
	int r = error_set(&end->err, ERR_UNAVAILABLE, 0, "foso-monitor", "%s", what);
	(void)error_remedy(&end->err, r, "foso gc removes what it left");
	fd_close(&sandbox->control_fd);
	over(sandbox);
}

static struct foso_run *find_run(struct foso_sandbox *sandbox, unsigned number)
{
	for (struct foso_run *run = sandbox->runs; run; run = run->next) {
		if (run->number == number)
			return run;
	}
	return NULL;
}

static bool on_end(struct foso_sandbox *sandbox, const struct control_packet *packet)
{
	struct control_end end;
	if (!control_end_decode(&end, packet->bytes, packet->len))
		return false;
	if (packet->number == CONTROL_CLOSED) {
		sandbox->end = end;
		over(sandbox);
		return true;
	}
	if (packet->number == CONTROL_REFUSED) {
		sandbox->is_refused = true;
		sandbox->refusal = end.err;
		sandbox->is_listing = false;
		return true;
	}
	struct foso_run *run = find_run(sandbox, end.command);
	if (run)
		end_run(run, &end);
	return true;
}

/* A size that came before there was a terminal. */
static void on_started(struct foso_run *run)
{
	struct error err = { 0 };
	if (!run)
		return;
	run->is_started = true;
	/* If it cannot be sent the sandbox is over, which is what is read next. */
	if (run->has_new_size && client_resize(run, &err) == 0)
		run->has_new_size = false;
}

static bool on_words(struct foso_sandbox *sandbox, const struct control_packet *packet)
{
	struct control_words words;
	if (!control_words_decode(packet->number, &words, packet->bytes, packet->len))
		return false;
	if (packet->number == CONTROL_READY) {
		sandbox->is_ready = true;
		memcpy(sandbox->id, words.name, sizeof(sandbox->id));
	} else if (packet->number == CONTROL_STARTED) {
		on_started(find_run(sandbox, words.command));
	} else if (packet->number == CONTROL_PROCESS && sandbox->is_listing) {
		sandbox->found((pid_t)words.pid, words.name, sandbox->found_context);
	}
	return true;
}

static bool on_message(struct foso_sandbox *sandbox, const struct control_packet *packet)
{
	switch (packet->number) {
	case CONTROL_READY:
	case CONTROL_STARTED:
	case CONTROL_PROCESS:
		return on_words(sandbox, packet);
	case CONTROL_LIST_END:
		sandbox->is_listing = false;
		return true;
	case CONTROL_ENDED:
	case CONTROL_REFUSED:
	case CONTROL_CLOSED:
		return on_end(sandbox, packet);
	case CONTROL_EXEC:
	case CONTROL_SIGNAL:
	case CONTROL_KILL:
	case CONTROL_LIST:
	case CONTROL_RESIZE:
	case CONTROL_CLOSE:
		break;
	}
	return false;
}

static void read_news(struct foso_sandbox *sandbox)
{
	struct control_packet *packet = &sandbox->packet;
	while (!sandbox->is_over) {
		int r = control_recv(sandbox->control_fd, packet, MSG_DONTWAIT);
		if (r == EAGAIN)
			return;
		if (r == EPROTO)
			lose(sandbox, "it speaks another language than this library");
		else if (r != 0)
			lose(sandbox, "it ended without a word");
		else if (!on_message(sandbox, packet))
			lose(sandbox, "it sent a malformed message");
		control_packet_close(packet);
	}
}

static int read_captures(struct foso_sandbox *sandbox, struct error *err)
{
	for (struct foso_run *run = sandbox->runs; run; run = run->next) {
		for (size_t i = 0; i < ARRAY_LEN(run->captures); i++) {
			if (!capture_pump(&run->captures[i]))
				return client_no_memory(err);
		}
	}
	return 0;
}

int client_pump(struct foso_sandbox *sandbox, int timeout_ms, struct error *err)
{
	struct epoll_event events[8];
	if (!sandbox->is_over)
		(void)epoll_wait(sandbox->epoll_fd, events, ARRAY_LEN(events), timeout_ms);
	/* News first: what they say was written before them is in the pipes by then. */
	read_news(sandbox);
	return read_captures(sandbox, err);
}

int client_resize(struct foso_run *run, struct error *err)
{
	const struct control_words words = {
		.command = run->number,
		.rows = run->rows,
		.columns = run->columns,
	};
	return client_send(run->sandbox, CONTROL_RESIZE, &words, err);
}

int client_send(struct foso_sandbox *sandbox, enum control_message number,
		const struct control_words *words, struct error *err)
{
	auto_buf struct buf bytes = BUF_INIT(256);
	if (words)
		control_words_encode(number, words, &bytes);
	int errnum = sandbox->is_over ? EPIPE
				      : control_send(sandbox->control_fd, number, &bytes, NULL, 0);
	if (errnum == 0)
		return 0;
	int r = error_set(err, ERR_UNAVAILABLE, 0, "sandbox", "it is over");
	return error_remedy(err, r, "open another one");
}
