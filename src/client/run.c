/* SPDX-License-Identifier: Apache-2.0 */
/* run.c - one command that runs, as the library's callers see it */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "client/client.h"

static struct foso_run *run_new(void)
{
	struct foso_run *run = calloc(1, sizeof(*run));
	for (size_t i = 0; run && i < ARRAY_LEN(run->captures); i++)
		run->captures[i].fd = -1;
	return run;
}

static void run_release(struct foso_run *run)
{
	for (size_t i = 0; i < ARRAY_LEN(run->captures); i++)
		capture_fini(&run->captures[i]);
	free(run);
}

static enum policy_background background_of(const struct foso_order *order,
					    const struct policy *policy)
{
	return order->has_background ? order->exec.background : policy->background;
}

static int check_background(const struct foso_order *order, const struct policy *policy,
			    struct error *err)
{
	if (background_of(order, policy) == POLICY_BACKGROUND_KILL ||
	    policy->background == POLICY_BACKGROUND_KEEP)
		return 0;
	int r = error_set(err, ERR_REFUSED, 0, "background",
			  "the order would keep processes, which its policy does not");
	return error_remedy(err, r, "write background: keep in the policy");
}

static int start_alone(const struct policy *policy, const struct foso_order *order,
		       struct foso_run *run, struct error *err)
{
	int stdio[3] = { -1, -1, -1 };
	struct control_exec exec = order->exec; /* strings borrowed */
	exec.background = background_of(order, policy);
	int r = check_background(order, policy, err);
	if (r < 0)
		return r;
	run->sandbox = client_sandbox_new(false);
	run->owns_sandbox = true;
	run->number = 1;
	run->is_tty = exec.is_tty;
	if (!run->sandbox)
		return client_no_memory(err);
	r = client_stdio_open(order, run, stdio, err);
	if (r == 0)
		r = client_start(run->sandbox, policy, &exec, stdio, err);
	client_stdio_close(stdio);
	if (r == 0)
		client_run_add(run->sandbox, run);
	return r;
}

int foso_run_start(const struct foso_policy *policy, const struct foso_order *order,
		   struct foso_run **ret_run, struct foso_error *err)
{
	struct error failure = { 0 };
	int r = foso_policy_check(policy, err);
	if (r < 0)
		return r;
	struct foso_run *run = run_new();
	r = run ? start_alone(&policy->policy, order, run, &failure) : client_no_memory(&failure);
	if (r == 0) {
		*ret_run = run;
		return 0;
	}
	if (run) {
		run->sandbox = client_sandbox_free(run->sandbox);
		run_release(run);
	}
	return client_fail(err, r, &failure);
}

static int send_exec(struct foso_sandbox *sandbox, const struct foso_order *order,
		     const int stdio[3], struct error *err)
{
	struct control_exec exec = order->exec;
	exec.command = sandbox->last_number + 1;
	if (!order->has_background)
		exec.background = sandbox->background;
	int errnum = sandbox->is_over ? 0 : control_exec_send(sandbox->control_fd, &exec, stdio);
	if (sandbox->is_over || (errnum != 0 && errnum != E2BIG)) {
		int r = error_set(err, ERR_UNAVAILABLE, errnum, "sandbox", "it is over");
		return error_remedy(err, r, "open another one");
	}
	if (errnum == E2BIG) {
		int r = error_set(err, ERR_LIMIT, 0, "args",
				  "arguments and environment exceed %d bytes",
				  POLICY_MAX_ENCODED_BYTES);
		return error_remedy(err, r, "pass large data through a file or stdin");
	}
	sandbox->last_number = exec.command;
	return 0;
}

int foso_sandbox_exec(struct foso_sandbox *sandbox, const struct foso_order *order,
		      struct foso_run **ret_run, struct foso_error *err)
{
	int stdio[3] = { -1, -1, -1 };
	struct error failure = { 0 };
	struct foso_run *run = run_new();
	int r = run ? client_stdio_open(order, run, stdio, &failure) : client_no_memory(&failure);
	if (r == 0)
		r = send_exec(sandbox, order, stdio, &failure);
	client_stdio_close(stdio);
	if (r < 0) {
		if (run)
			run_release(run);
		return client_fail(err, r, &failure);
	}
	run->number = sandbox->last_number;
	run->is_tty = order->exec.is_tty;
	client_run_add(sandbox, run);
	*ret_run = run;
	return 0;
}

int foso_run_fd(const struct foso_run *run)
{
	return run->sandbox->is_over ? -1 : run->sandbox->epoll_fd;
}

/* A run with a sandbox of its own is over when nothing of that is left, unless it keeps some. */
bool foso_run_is_over(const struct foso_run *run)
{
	if (!run->owns_sandbox || !run->is_ended)
		return run->is_ended;
	return run->sandbox->is_over || run->end.n_survivors > 0;
}

int foso_run_wait(struct foso_run *run, int timeout_ms, struct foso_error *err)
{
	struct error failure = { 0 };
	int64_t until_ms = client_now_ms() + timeout_ms;
	int left_ms = timeout_ms;
	for (;;) {
		int r = client_pump(run->sandbox, foso_run_is_over(run) ? 0 : left_ms, &failure);
		if (r < 0)
			return client_fail(err, r, &failure);
		if (foso_run_is_over(run))
			break;
		if (timeout_ms < 0)
			continue;
		int64_t left = until_ms - client_now_ms();
		if (left <= 0)
			return FOSO_WAIT_RUNNING;
		left_ms = (int)left;
	}
	/* All that it wrote before its end is in the pipes; there may be more than one round. */
	for (size_t i = 0; i < ARRAY_LEN(run->captures); i++) {
		struct capture *capture = &run->captures[i];
		uint64_t before;
		do {
			before = capture->len + capture->n_dropped_bytes;
			if (!capture_pump(capture))
				return client_fail(err, client_no_memory(&failure), &failure);
		} while (capture->fd >= 0 && capture->len + capture->n_dropped_bytes != before);
	}
	return FOSO_WAIT_OVER;
}

int foso_run_signal(struct foso_run *run, int number, struct foso_error *err)
{
	struct error failure = { 0 };
	if (number < 1 || number > 64) {
		int r = error_set(&failure, ERR_INVALID, 0, "signal", "%d is not a signal", number);
		r = error_remedy(&failure, r, "write 1 to 64");
		return client_fail(err, r, &failure);
	}
	if (run->is_ended || run->sandbox->is_over)
		return 0;
	const struct control_words words = { .command = run->number, .signal = (uint32_t)number };
	return client_fail(err, client_send(run->sandbox, CONTROL_SIGNAL, &words, &failure),
			   &failure);
}

int foso_run_resize(struct foso_run *run, uint16_t rows, uint16_t columns, struct foso_error *err)
{
	struct error failure = { 0 };
	if (!run->is_tty) {
		int r = error_set(&failure, ERR_INVALID, 0, "terminal", "the command has none");
		r = error_remedy(&failure, r, "ask for one by foso_order_terminal()");
		return client_fail(err, r, &failure);
	}
	run->rows = rows;
	run->columns = columns;
	run->has_new_size = !run->is_started;
	if (run->has_new_size || run->is_ended || run->sandbox->is_over)
		return 0;
	return client_fail(err, client_resize(run, &failure), &failure);
}

int foso_run_kill(struct foso_run *run, struct foso_error *err)
{
	struct error failure = { 0 };
	const struct control_words words = { .command = run->number };
	if (run->sandbox->is_over)
		return 0;
	return client_fail(err, client_send(run->sandbox, CONTROL_KILL, &words, &failure),
			   &failure);
}

enum foso_reason foso_run_reason(const struct foso_run *run)
{
	return (enum foso_reason)run->end.end.reason;
}

int foso_run_code(const struct foso_run *run)
{
	return run->end.end.code;
}

int foso_run_signal_number(const struct foso_run *run)
{
	return run->end.end.signal;
}

const char *foso_run_limit(const struct foso_run *run)
{
	return run->end.end.limit;
}

int foso_run_exit_status(const struct foso_run *run)
{
	return run->end.exit_status;
}

int foso_run_failure(const struct foso_run *run, struct foso_error *err)
{
	return client_fail(err, -(int)run->end.err.code, &run->end.err);
}

const char *foso_run_output(const struct foso_run *run, enum foso_stream stream, size_t *ret_len)
{
	if ((unsigned)stream >= ARRAY_LEN(run->captures) || !run->captures[stream].is_on)
		return NULL;
	*ret_len = run->captures[stream].len;
	return run->captures[stream].bytes ? run->captures[stream].bytes : "";
}

uint64_t foso_run_dropped_bytes(const struct foso_run *run, enum foso_stream stream)
{
	return (unsigned)stream < ARRAY_LEN(run->captures) ? run->captures[stream].n_dropped_bytes
							   : 0;
}

uint64_t foso_run_lost_bytes(const struct foso_run *run)
{
	return run->end.lost_bytes;
}

const char *foso_run_record(const struct foso_run *run)
{
	return run->owns_sandbox ? run->sandbox->record : NULL;
}

const char *foso_run_id(const struct foso_run *run)
{
	return run->sandbox->id;
}

static void leave_sandbox(struct foso_run *run)
{
	struct foso_run **at = &run->sandbox->runs;
	while (*at && *at != run)
		at = &(*at)->next;
	if (*at)
		*at = run->next;
}

struct foso_run *foso_run_free(struct foso_run *run)
{
	if (!run)
		return NULL;
	if (run->owns_sandbox) {
		run->sandbox = client_sandbox_free(run->sandbox);
	} else {
		/* Its group is emptied even if nobody waits for that. */
		if (!run->is_ended)
			(void)foso_run_kill(run, NULL);
		leave_sandbox(run);
	}
	run_release(run);
	return NULL;
}
