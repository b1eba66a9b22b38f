/* SPDX-License-Identifier: Apache-2.0 */
/*
 * client.h - what the files of libfoso share
 *
 * Theory of operation.  The library starts foso-monitor in a child and holds one end of its
 * control socket; the monitor does everything else.  Captured streams are pipes that the library
 * reads while its caller waits.  A struct foso_sandbox is behind every run: foso_run_start()
 * makes one that the run owns.
 */
#pragma once

#include <errno.h>
#include <foso/foso.h>

#include "base/error.h"
#include "policy/policy.h"
#include "wire/control_messages.h"

struct foso_error {
	struct error_list list; /* what the last failed call said */
	size_t at;              /* foso_error_next() */
	char text[1024];
};

struct foso_policy {
	struct policy policy;
};

enum order_kind { ORDER_NOTHING, ORDER_FD, ORDER_BYTES, ORDER_CAPTURE };

struct order_stream {
	enum order_kind kind;
	int fd;           /* ORDER_FD: the caller's */
	char *bytes;      /* ORDER_BYTES: owned */
	size_t len;       /* of bytes */
	size_t max_bytes; /* ORDER_CAPTURE */
};

struct foso_order {
	struct control_exec exec; /* command 0; strings owned */
	bool has_background;      /* exec.background was set */
	struct order_stream streams[3];
};

struct capture {
	int fd; /* read end, non-blocking; -1: none, or at its end */
	bool is_on;
	char *bytes; /* owned; NUL after len */
	size_t len, room, max_bytes;
	uint64_t n_dropped_bytes;
};

struct foso_run {
	struct foso_sandbox *sandbox;
	struct foso_run *next; /* of the same sandbox */
	bool owns_sandbox;
	unsigned number;
	bool is_tty, is_started, is_ended;
	bool has_new_size; /* rows and columns are for when it has started */
	uint16_t rows, columns;
	struct control_end end; /* once it is over */
	struct capture captures[3];
};

struct foso_sandbox {
	int control_fd; /* -1 once it is over */
	int record_fd;  /* memory file in which the monitor leaves the record */
	int epoll_fd;   /* control_fd and every capture */
	pid_t pid;      /* of foso-monitor; 0 once it is reaped */
	bool is_session, is_ready, is_over;
	struct control_end end; /* once it is over */
	struct error lost;      /* the monitor went away without a word */
	char id[64];
	unsigned last_number;
	enum policy_background background; /* of the policy: the default of a session's orders */
	struct foso_run *runs;
	char *record; /* owned; NULL before the end */
	void (*found)(pid_t pid, const char *name,
		      void *context); /* of a list that is waited for */
	void *found_context;
	bool is_listing;
	bool is_refused; /* the last request was, and why */
	struct error refusal;
	struct control_packet packet;
};

/* error.c: the way out of every public function. */
int client_fail(struct foso_error *err, int result, const struct error *internal);
int client_fail_list(struct foso_error *err, const struct error_list *list);

/* Inline, so that a static analyser sees that it is negative. */
static inline int client_no_memory(struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, ENOMEM, "libfoso", "no memory");
	return error_remedy(err, r, "free some memory");
}

/* programs.c */
const char *client_programs(void);

/* order.c */
void client_order_streams_fini(struct foso_order *order);

/* stdio.c: the command's ends of its streams; ours are put into the run's captures. */
int client_stdio_open(const struct foso_order *order, struct foso_run *run, int ret_stdio[3],
		      struct error *err) must_check;
void client_stdio_close(int stdio[3]);

/* capture.c */
bool capture_pump(struct capture *capture); /* false: no memory */
void capture_fini(struct capture *capture);

/* start.c: a monitor for @policy; stdio are those of its one command, or NULL for a session. */
int client_start(struct foso_sandbox *sandbox, const struct policy *policy,
		 const struct control_exec *exec, const int stdio[3], struct error *err) must_check;

/* events.c: carry news and captured bytes for up to @timeout_ms; 0, or -code. */
int client_pump(struct foso_sandbox *sandbox, int timeout_ms, struct error *err) must_check;
int client_send(struct foso_sandbox *sandbox, enum control_message number,
		const struct control_words *words, struct error *err) must_check;
int client_resize(struct foso_run *run, struct error *err) must_check;
int64_t client_now_ms(void);

/* life.c: of the object behind runs and sandboxes. */
struct foso_sandbox *client_sandbox_new(bool is_session);
struct foso_sandbox *client_sandbox_free(struct foso_sandbox *sandbox);
void client_run_add(struct foso_sandbox *sandbox, struct foso_run *run);
