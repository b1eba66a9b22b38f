/* SPDX-License-Identifier: Apache-2.0 */
/*
 * control_messages.h - what a program that holds a sandbox and its monitor say to each other
 *
 * One SOCK_SEQPACKET socket (plan.control_fd), packets of wire/packet.h, fields of wire/codec.h.
 * libfoso holds the other end.  The monitor takes a message only in the states of its row, and
 * only as long, with as many descriptors and with such fields as the table and the decoders say;
 * the first violation ends the sandbox, and so does the end of the socket: a sandbox never
 * outlives its holder.
 *
 * CONTROL_MESSAGE(name, number, max bytes, max descriptors, states)
 *
 *   B  the sandbox is being built     O  it is open for commands     S  it runs its one command
 *   -  from the monitor: its holder must take it at any time
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "policy/policy.h"
#include "wire/end.h"

/* clang-format off */
#define CONTROL_MESSAGES(CONTROL_MESSAGE)                                                         \
	/* holder to monitor */                                                                   \
	CONTROL_MESSAGE(EXEC,       1, 65536, 4, "O")   /* stdio; a long order is a sealed file */ \
	CONTROL_MESSAGE(SIGNAL,     2, 12, 0, "BOS")    /* to a command, or to a process of LIST */ \
	CONTROL_MESSAGE(KILL,       3, 4, 0, "BOS")     /* one command with all that it started */ \
	CONTROL_MESSAGE(LIST,       4, 0, 0, "O")                                                 \
	CONTROL_MESSAGE(RESIZE,     5, 12, 0, "OS")     /* the terminal of a command */           \
	CONTROL_MESSAGE(CLOSE,      6, 0, 0, "BOS")     /* the last message: end the sandbox */   \
	/* monitor to holder */                                                                   \
	CONTROL_MESSAGE(READY,     16, 64, 0, "-")      /* the sandbox's id */                    \
	CONTROL_MESSAGE(STARTED,   17, 16, 0, "-")                                                \
	CONTROL_MESSAGE(ENDED,     18, 4096, 0, "-")    /* a command, with its output passed on */ \
	CONTROL_MESSAGE(PROCESS,   19, 128, 0, "-")                                               \
	CONTROL_MESSAGE(LIST_END,  20, 0, 0, "-")                                                 \
	CONTROL_MESSAGE(REFUSED,   21, 4096, 0, "-")    /* a request; the sandbox goes on */      \
	CONTROL_MESSAGE(CLOSED,    22, 4096, 0, "-")    /* the sandbox; nothing of it is left */
/* clang-format on */

enum control_message {
#define CONTROL_MESSAGE_ENUM(name, number, ...) CONTROL_##name = (number),
	CONTROL_MESSAGES(CONTROL_MESSAGE_ENUM)
#undef CONTROL_MESSAGE_ENUM
};

enum control_state { CONTROL_BUILDING, CONTROL_OPEN, CONTROL_SINGLE, CONTROL_SHUT };

#define CONTROL_MAX_BYTES 65536
#define CONTROL_MAX_FDS   4

struct control_packet {
	enum control_message number;
	uint8_t bytes[CONTROL_MAX_BYTES];
	size_t len;
	int fds[10]; /* PACKET_MAX_FDS; owned by the packet until taken (set to -1) */
	size_t n_fds;
};

/* control_send() and control_recv() - as packet_send() and packet_recv() */
int control_send(int socket_fd, enum control_message number, const struct buf *payload,
		 const int *fds, size_t n_fds);
int control_recv(int socket_fd, struct control_packet *packet, int flags);
void control_packet_close(struct control_packet *packet);

/* control_is_allowed() - may the holder send this message in this state? */
bool control_is_allowed(enum control_message number, enum control_state state);

/* EXEC.  Strings are owned by whoever filled it; decode() makes fresh ones. */
struct control_exec {
	uint32_t command; /* chosen by the holder: one more than the last, from 1 */
	bool is_tty;      /* the monitor's end of the terminal is joined to stdin and stdout */
	uint16_t rows, columns;
	enum policy_background background;
	uint64_t wall_ns, output_bytes; /* POLICY_UNLIMITED for none */
	char *cwd, *user;               /* "" for the policy's own */
	struct policy_list args;        /* not empty */
	struct policy_env *env;         /* beside the policy's own, and before it */
	size_t n_env;
};

void control_exec_encode(const struct control_exec *exec, struct buf *out);
bool control_exec_decode(struct control_exec *ret, const void *bytes, size_t len) must_check;
void control_exec_fini(struct control_exec *exec);

/*
 * control_exec_send() / control_exec_read() - a long order goes through a sealed memory file
 *
 * send(): 0 or errno; E2BIG if the order exceeds POLICY_MAX_ENCODED_BYTES.  read() takes no
 * descriptor but the file, and leaves the three of stdio in the packet.
 */
int control_exec_send(int socket_fd, const struct control_exec *exec, const int stdio[3]);
bool control_exec_read(struct control_exec *ret, struct control_packet *packet) must_check;

/* STARTED, SIGNAL, KILL, RESIZE, PROCESS: the fields that the message has, in this order. */
struct control_words {
	uint32_t command; /* of LIST's answers: 0 */
	uint32_t pid;     /* SIGNAL: 0 for the command itself, else a process of LIST; PROCESS */
	uint32_t signal;  /* SIGNAL: 1 to 64 */
	uint16_t rows;    /* RESIZE */
	uint16_t columns; /* RESIZE */
	char name[64];    /* PROCESS: hostile bytes, NUL-terminated; READY: the id */
};

void control_words_encode(enum control_message number, const struct control_words *words,
			  struct buf *out);
bool control_words_decode(enum control_message number, struct control_words *ret, const void *bytes,
			  size_t len) must_check;

/* ENDED, CLOSED, REFUSED: what came of a command, of the sandbox, of a request. */
struct control_end {
	uint32_t command; /* 0 of the sandbox */
	struct end end;   /* of REFUSED: reason END_REFUSED */
	int32_t exit_status;
	uint64_t stdout_bytes, stderr_bytes, lost_bytes;
	uint32_t n_survivors; /* processes that live on (background: keep) */
	uint32_t n_leftovers; /* CLOSED: what could not be removed */
	struct error err;     /* ERR_NONE if there is nothing to say; origin is not sent */
};

void control_end_encode(const struct control_end *end, struct buf *out);
bool control_end_decode(struct control_end *ret, const void *bytes, size_t len) must_check;
