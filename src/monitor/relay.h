/* SPDX-License-Identifier: Apache-2.0 */
/* relay.h - one direction of the command's standard streams */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct relay {
	bool is_open;
	int from_fd, to_fd;   /* owned unless it is the caller's 0, 1 or 2 */
	bool is_terminal;     /* from_fd is */
	bool can_splice;      /* tried until a file refuses it */
	bool is_discarding;   /* the limit is reached: read and count, pass nothing */
	bool is_blocked;      /* the reader is slow: wait for to_fd and not for from_fd */
	bool has_no_reader;   /* the reader went away */
	int write_errnum;     /* why to_fd took no more, if not for want of a reader; 0: it did */
	int read_errnum;      /* why from_fd gave no more, if not for its end; 0: it was the end */
	bool outlives_reader; /* then what is written is dropped, instead of ending the writer */
	uint64_t n_passed_bytes, n_lost_bytes;
	char *buf; /* bytes read and not yet written (copying only); owned */
	size_t buf_at, buf_len;
};

/*
 * relay_open() - start to carry bytes
 * @is_input:  caller to command
 *
 * Pipes of ours are non-blocking; the caller's own descriptors are never changed, since he shares
 * them with others: they are used only when poll() says so.
 */
void relay_open(struct relay *relay, int from_fd, int to_fd, bool is_input);

/* relay_pump() - move what can be moved now; at most @budget bytes are passed on. */
void relay_pump(struct relay *relay, uint64_t budget);

/* relay_has_waiting() - true if bytes have come that were not passed on. */
bool relay_has_waiting(const struct relay *relay);

void relay_close(struct relay *relay);

/* relay_redirect() - what comes from now on goes to @to_fd, one of the caller's three numbers. */
void relay_redirect(struct relay *relay, int to_fd);

/* relay_poll() - what to wait for: fills @ret_fd and returns the poll events. */
short relay_poll(const struct relay *relay, int *ret_fd);
