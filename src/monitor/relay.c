/* SPDX-License-Identifier: Apache-2.0 */
/*
 * relay.c - bytes between the caller and the command, exact and counted
 *
 * Between pipes the kernel moves whole pages (splice), so nothing is copied; where a file does
 * not take that (a terminal, a file opened for appending) the bytes are copied through a small
 * buffer.  A reader that is slow or gone costs one pipe's worth of memory: the command is held
 * back by its own pipe being full.
 */
#include "monitor/relay.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/macros.h"

#define RELAY_SPLICE_BYTES (1024 * 1024)
#define RELAY_BUF_BYTES    65536
#define RELAY_WRITE_BYTES  4096 /* what a terminal takes without blocking once poll() says so */
#define RELAY_ROUNDS       16   /* then the other descriptors get their turn */

/* The room of the first relay that copies; most runs have no second one, and allocate nothing. */
static char first_room[RELAY_BUF_BYTES];
static bool first_room_is_taken;

static char *room_take(void)
{
	if (first_room_is_taken)
		return malloc(RELAY_BUF_BYTES);
	first_room_is_taken = true;
	return first_room;
}

static void room_give(char *room)
{
	if (room == first_room)
		first_room_is_taken = false;
	else
		free(room);
}

static bool is_ready(int fd, short events)
{
	struct pollfd poll_fd = { .fd = fd, .events = events };
	return poll(&poll_fd, 1, 0) > 0;
}

static void close_unless_caller(int *fd)
{
	if (*fd > 2)
		fd_close(fd);
	*fd = -1;
}

/*
 * A terminal that nobody reads holds who writes to it, even where poll() said that there is room.
 * That a write may not wait is said of an open file, and the caller shares his with others, so we
 * open our own.  Where that cannot be (the terminal is somebody else's) the alarm is left.
 */
static int without_wait(int to_fd)
{
	char path[32];
	if (isatty(to_fd) != 1)
		return to_fd;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", to_fd);
	int own = open(path, O_WRONLY | O_NOCTTY | O_NONBLOCK | O_CLOEXEC);
	if (own < 0)
		return to_fd;
	close_unless_caller(&to_fd);
	return own;
}

void relay_open(struct relay *relay, int from_fd, int to_fd, bool is_input)
{
	struct stat status;
	*relay = (struct relay){
		.is_open = true,
		.from_fd = from_fd,
		.to_fd = is_input ? to_fd : without_wait(to_fd),
	};
	to_fd = relay->to_fd;
	relay->is_terminal = isatty(from_fd) == 1;
	/* Sockets and terminals could block in splice() for as long as their peer likes. */
	relay->can_splice = fstat(is_input ? from_fd : to_fd, &status) == 0 &&
			    (S_ISFIFO(status.st_mode) || S_ISREG(status.st_mode));
}

void relay_close(struct relay *relay)
{
	if (relay->is_open) {
		close_unless_caller(&relay->from_fd);
		close_unless_caller(&relay->to_fd);
	}
	room_give(relay->buf);
	relay->buf = NULL;
	relay->buf_at = relay->buf_len = 0;
	relay->is_open = false;
}

void relay_redirect(struct relay *relay, int to_fd)
{
	if (!relay->is_open)
		return;
	close_unless_caller(&relay->to_fd);
	relay->to_fd = to_fd;
	relay->can_splice = false;
}

/* The command learns by SIGPIPE that its reader is gone, as it would without foso. */
static void reader_gone(struct relay *relay, int errnum)
{
	relay->write_errnum = errnum == EPIPE ? 0 : errnum;
	relay->n_lost_bytes += relay->buf_len - relay->buf_at;
	relay->has_no_reader = true;
	relay->buf_at = relay->buf_len = 0;
	if (relay->outlives_reader)
		relay->is_discarding = true;
	else
		relay_close(relay);
}

bool relay_has_waiting(const struct relay *relay)
{
	struct pollfd poll_fd = { .fd = relay->from_fd, .events = POLLIN };
	if (!relay->is_open)
		return false;
	return relay->buf_at < relay->buf_len ||
	       (poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & POLLIN));
}

/* Nothing can be passed on; that nothing more will come has to be seen all the same. */
static void close_at_end(struct relay *relay)
{
	struct pollfd poll_fd = { .fd = relay->from_fd, .events = POLLIN };
	if (relay->buf_at == relay->buf_len && poll(&poll_fd, 1, 0) > 0 &&
	    !(poll_fd.revents & POLLIN))
		relay_close(relay);
}

/* Moves pages: 1 moved, 0 nothing more for now, -1 this file cannot splice. */
static int pump_splice(struct relay *relay, uint64_t budget)
{
	size_t most = (size_t)MIN(budget, (uint64_t)RELAY_SPLICE_BYTES);
	ssize_t n = splice(relay->from_fd, NULL, relay->to_fd, NULL, most,
			   SPLICE_F_NONBLOCK | SPLICE_F_MOVE);
	if (n > 0) {
		relay->n_passed_bytes += (uint64_t)n;
		relay->is_blocked = false;
		return 1;
	}
	if (n == 0) {
		relay_close(relay);
		return 0;
	}
	if (errno == EAGAIN || errno == EINTR) {
		/* Either side can be the reason: wait for the one that is not ready. */
		close_at_end(relay);
		relay->is_blocked = relay->is_open && is_ready(relay->from_fd, POLLIN);
		return 0;
	}
	if (errno == EPIPE) {
		reader_gone(relay, EPIPE);
		return 0;
	}
	return -1;
}

static bool fill_buf(struct relay *relay)
{
	struct pollfd poll_fd = { .fd = relay->from_fd, .events = POLLIN };
	if (poll(&poll_fd, 1, 0) <= 0)
		return false;
	/* Hung up and nothing left to read: no room is needed to see the end. */
	if (!(poll_fd.revents & POLLIN)) {
		relay_close(relay);
		return false;
	}
	if (!relay->buf && !(relay->buf = room_take()))
		return false;
	ssize_t n = read(relay->from_fd, relay->buf, RELAY_BUF_BYTES);
	if (n > 0) {
		relay->buf_at = 0;
		relay->buf_len = (size_t)n;
		return true;
	}
	int errnum = n < 0 ? errno : 0;
	if (errnum == EAGAIN || errnum == EINTR)
		return false;
	/* A terminal, either end of it, says EIO when the other is closed: its end of file. */
	relay->read_errnum = relay->is_terminal && errnum == EIO ? 0 : errnum;
	relay_close(relay);
	return false;
}

static int pump_copy(struct relay *relay, uint64_t budget)
{
	if (relay->buf_at == relay->buf_len && !fill_buf(relay))
		return 0;
	relay->is_blocked = !is_ready(relay->to_fd, POLLOUT);
	if (relay->is_blocked)
		return 0;
	size_t most = MIN(relay->buf_len - relay->buf_at, (size_t)RELAY_WRITE_BYTES);
	most = (size_t)MIN((uint64_t)most, budget);
	ssize_t n = write(relay->to_fd, relay->buf + relay->buf_at, most);
	if (n > 0) {
		relay->buf_at += (size_t)n;
		relay->n_passed_bytes += (uint64_t)n;
		return 1;
	}
	if (n < 0 && errno != EAGAIN && errno != EINTR)
		reader_gone(relay, errno);
	return 0;
}

/* Reads and counts what may not be passed on. */
static int pump_discard(struct relay *relay)
{
	char bytes[4096];
	relay->n_lost_bytes += relay->buf_len - relay->buf_at;
	relay->buf_at = relay->buf_len = 0;
	if (!is_ready(relay->from_fd, POLLIN))
		return 0;
	ssize_t n = read(relay->from_fd, bytes, sizeof(bytes));
	if (n > 0) {
		relay->n_lost_bytes += (uint64_t)n;
		return 1;
	}
	if (n == 0 || (errno != EAGAIN && errno != EINTR))
		relay_close(relay);
	return 0;
}

/* One step; 1 if there may be more to do at once. */
static int pump_once(struct relay *relay, uint64_t budget)
{
	if (relay->is_discarding)
		return pump_discard(relay);
	if (budget == 0) {
		close_at_end(relay);
		return 0;
	}
	if (!relay->can_splice)
		return pump_copy(relay, budget);
	int r = pump_splice(relay, budget);
	if (r >= 0)
		return r;
	relay->can_splice = false;
	return 1;
}

void relay_pump(struct relay *relay, uint64_t budget)
{
	uint64_t first = relay->n_passed_bytes;
	for (int i = 0; i < RELAY_ROUNDS && relay->is_open; i++) {
		uint64_t left = budget - MIN(budget, relay->n_passed_bytes - first);
		if (pump_once(relay, left) == 0)
			return;
	}
}

short relay_poll(const struct relay *relay, int *ret_fd)
{
	*ret_fd = -1;
	if (!relay->is_open)
		return 0;
	bool must_write =
		!relay->is_discarding && (relay->is_blocked || relay->buf_at < relay->buf_len);
	*ret_fd = must_write ? relay->to_fd : relay->from_fd;
	return must_write ? POLLOUT : POLLIN;
}
