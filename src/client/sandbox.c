/* SPDX-License-Identifier: Apache-2.0 */
/* sandbox.c - a sandbox for many commands, as the library's callers see it */
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "client/client.h"

/* The monitor's own bounds end every one of these waits: a set-up that hangs has a deadline. */
#define OPEN_MS 60000

static int not_ready(const struct foso_sandbox *sandbox, struct error *err)
{
	if (sandbox->is_over && sandbox->end.err.code != ERR_NONE) {
		*err = sandbox->end.err;
		return -(int)err->code;
	}
	int r = error_set(err, ERR_TIMEOUT, 0, "sandbox", "it does not stand after %d seconds",
			  OPEN_MS / 1000);
	return error_remedy(err, r, "see foso doctor");
}

static int open_and_wait(struct foso_sandbox *sandbox, const struct policy *policy,
			 struct error *err)
{
	int64_t until_ms = client_now_ms() + OPEN_MS;
	int r = client_start(sandbox, policy, NULL, NULL, err);
	while (r == 0 && !sandbox->is_ready && !sandbox->is_over && client_now_ms() < until_ms)
		r = client_pump(sandbox, (int)(until_ms - client_now_ms()), err);
	if (r == 0 && (!sandbox->is_ready || sandbox->is_over))
		r = not_ready(sandbox, err);
	return r;
}

int foso_sandbox_open(const struct foso_policy *policy, struct foso_sandbox **ret_sandbox,
		      struct foso_error *err)
{
	struct error failure = { 0 };
	int r = foso_policy_check(policy, err);
	if (r < 0)
		return r;
	struct foso_sandbox *sandbox = client_sandbox_new(true);
	if (!sandbox)
		return client_fail(err, client_no_memory(&failure), &failure);
	r = open_and_wait(sandbox, &policy->policy, &failure);
	if (r < 0) {
		(void)client_sandbox_free(sandbox);
		return client_fail(err, r, &failure);
	}
	sandbox->background = policy->policy.background;
	*ret_sandbox = sandbox;
	return 0;
}

const char *foso_sandbox_id(const struct foso_sandbox *sandbox)
{
	return sandbox->id;
}

int foso_sandbox_fd(const struct foso_sandbox *sandbox)
{
	return sandbox->is_over ? -1 : sandbox->epoll_fd;
}

static int list(struct foso_sandbox *sandbox, struct error *err)
{
	sandbox->is_refused = false;
	int r = client_send(sandbox, CONTROL_LIST, NULL, err);
	sandbox->is_listing = r == 0;
	while (r == 0 && sandbox->is_listing)
		r = client_pump(sandbox, -1, err);
	if (r == 0 && sandbox->is_refused) {
		*err = sandbox->refusal;
		return -(int)err->code;
	}
	if (r < 0 || !sandbox->is_over)
		return r;
	r = error_set(err, ERR_UNAVAILABLE, 0, "sandbox", "it ended before the answer was whole");
	return error_remedy(err, r, "open another one");
}

int foso_sandbox_list(struct foso_sandbox *sandbox,
		      void (*found)(pid_t pid, const char *name, void *context), void *context,
		      struct foso_error *err)
{
	struct error failure = { 0 };
	sandbox->found = found;
	sandbox->found_context = context;
	return client_fail(err, list(sandbox, &failure), &failure);
}

int foso_sandbox_signal(struct foso_sandbox *sandbox, pid_t pid, int number, struct foso_error *err)
{
	struct error failure = { 0 };
	if (pid < 2 || number < 1 || number > 64) {
		int r = error_set(&failure, ERR_INVALID, 0, pid < 2 ? "pid" : "signal",
				  "%d is not one", pid < 2 ? (int)pid : number);
		r = error_remedy(&failure, r,
				 "write a pid of foso_sandbox_list(), a signal 1 to 64");
		return client_fail(err, r, &failure);
	}
	const struct control_words words = { .pid = (uint32_t)pid, .signal = (uint32_t)number };
	return client_fail(err, client_send(sandbox, CONTROL_SIGNAL, &words, &failure), &failure);
}

static int close_and_wait(struct foso_sandbox *sandbox, struct error *err)
{
	struct error ignored = { 0 };
	if (!sandbox->is_over)
		(void)!client_send(sandbox, CONTROL_CLOSE, NULL, &ignored);
	int r = 0;
	while (r == 0 && !sandbox->is_over)
		r = client_pump(sandbox, -1, err);
	if (r < 0)
		return r;
	if (sandbox->end.err.code == ERR_UNAVAILABLE) {
		*err = sandbox->end.err;
		return -(int)err->code;
	}
	if (sandbox->end.n_leftovers == 0)
		return 0;
	r = error_set(err, ERR_SYSTEM, 0, "sandbox", "%u things of it could not be removed",
		      sandbox->end.n_leftovers);
	return error_remedy(err, r, "run foso gc");
}

int foso_sandbox_close(struct foso_sandbox *sandbox, struct foso_error *err)
{
	struct error failure = { 0 };
	return client_fail(err, close_and_wait(sandbox, &failure), &failure);
}

bool foso_sandbox_is_over(const struct foso_sandbox *sandbox)
{
	return sandbox->is_over;
}

enum foso_reason foso_sandbox_reason(const struct foso_sandbox *sandbox)
{
	return (enum foso_reason)sandbox->end.end.reason;
}

const char *foso_sandbox_record(const struct foso_sandbox *sandbox)
{
	return sandbox->record;
}

struct foso_sandbox *foso_sandbox_free(struct foso_sandbox *sandbox)
{
	if (sandbox && !sandbox->is_over)
		(void)foso_sandbox_close(sandbox, NULL);
	return client_sandbox_free(sandbox);
}

const char *foso_reason_word(enum foso_reason reason)
{
	return end_reason_word((enum end_reason)reason);
}

#define SAME_REASON(name, ...) static_assert((int)FOSO_REASON_##name == (int)END_##name, #name);
END_REASONS(SAME_REASON)
