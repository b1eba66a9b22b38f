/* SPDX-License-Identifier: Apache-2.0 */
/* wasm.c - level `wasm`: a WebAssembly module with WASI preview 1, no operating system inside */
#include "levels/wasm/wasm.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/programs.h"
#include "base/syscalls.h"
#include "wire/codec.h"

#define END_MS 1000 /* what the kernel gets to end foso-wasm at a teardown */

static int fail(struct error *err, int errnum, const char *message)
{
	int r = error_set(err, ERR_SYSTEM, errnum, "sandbox", "%s", message);
	return error_remedy(err, r, "see foso doctor");
}

/* The library is not part of every build: its wheel is fetched. */
static int wasm_probe(const struct policy *policy, struct error_list *errors)
{
	not_zeroed char path[PROGRAM_PATH_BYTES];
	struct error err = { .code = ERR_NONE };
	int r = policy_check(policy, POLICY_LEVEL_WASM, errors);
	if (program_path("libwasmtime.so", path, &err) < 0) {
		struct error *item = error_list_next(errors);
		int lack = error_set(item, ERR_UNSUPPORTED, 0, "level 'wasm'",
				     "the library libwasmtime.so is not beside foso's programs");
		r = error_remedy(item, lack, "run ./x build, or tools/fetch-wasmtime build");
	}
	return r;
}

static void wasm_teardown(struct sandbox *sandbox, struct error_list *leftovers)
{
	struct wasm *wasm = sandbox->impl;
	UNUSED(leftovers);
	if (!wasm)
		return;
	if (wasm->pid > 0 && !wasm->is_gone) {
		struct pollfd end = { .fd = wasm->pidfd, .events = POLLIN };
		(void)sys_pidfd_send_signal(wasm->pidfd, SIGKILL);
		(void)poll(&end, 1, END_MS);
		(void)waitpid(wasm->pid, NULL, WNOHANG);
	}
	int *fds[] = { &wasm->channel_fd,   &wasm->pidfd,        &wasm->epoll_fd,
		       &wasm->self_fd,      &wasm->code_fd,      &wasm->folder_fd,
		       &wasm->order_fds[0], &wasm->order_fds[1], &wasm->order_fds[2] };
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fd_close(fds[i]);
	buf_fini(&wasm->order);
	free(wasm);
	sandbox->impl = NULL;
	sandbox->event_fd = -1;
}

static int check_stands(const struct sandbox *sandbox, struct error *err)
{
	const struct wasm *wasm = sandbox->impl;
	if (wasm && !wasm->is_killed && !wasm->is_gone)
		return 0;
	int r = error_set(err, ERR_UNAVAILABLE, 0, "sandbox", "it does not stand");
	return error_remedy(err, r, "open another one");
}

static int watch(const struct wasm *wasm, int fd)
{
	struct epoll_event event = { .events = EPOLLIN, .data.fd = fd };
	return epoll_ctl(wasm->epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

static int open_events(struct sandbox *sandbox, struct wasm *wasm, struct error *err)
{
	wasm->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	wasm->self_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (wasm->epoll_fd < 0 || wasm->self_fd < 0 || watch(wasm, wasm->self_fd) < 0 ||
	    watch(wasm, wasm->channel_fd) < 0 || watch(wasm, wasm->pidfd) < 0)
		return fail(err, errno, "its events cannot be watched");
	sandbox->event_fd = wasm->epoll_fd;
	return 0;
}

static int wasm_provision(struct sandbox *sandbox, struct error *err)
{
	if (sandbox->impl) {
		int exists = error_set(err, ERR_EXISTS, 0, "sandbox", "it stands already");
		return error_remedy(err, exists, "open another one");
	}
	struct wasm *wasm = calloc(1, sizeof(*wasm));
	if (!wasm)
		return fail(err, ENOMEM, "no memory");
	wasm->policy = sandbox->policy;
	wasm->channel_fd = wasm->pidfd = wasm->epoll_fd = wasm->self_fd = -1;
	wasm->code_fd = wasm->folder_fd = -1;
	wasm->order_fds[0] = wasm->order_fds[1] = wasm->order_fds[2] = -1;
	buf_init(&wasm->order, POLICY_MAX_ENCODED_BYTES);
	sandbox->impl = wasm;
	int r = wasm_start(sandbox, wasm, err);
	if (r == 0)
		r = open_events(sandbox, wasm, err);
	if (r < 0) {
		struct error_list leftovers = { 0 };
		wasm_teardown(sandbox, &leftovers);
	}
	return r;
}

/* NAME=VALUE strings. */
static int join_env(const struct exec_plan *plan, struct policy_list *ret)
{
	ret->items = calloc(plan->n_env + 1, sizeof(char *));
	for (; ret->items && ret->n_items < plan->n_env; ret->n_items++) {
		const struct policy_env *env = &plan->env[ret->n_items];
		if (asprintf(&ret->items[ret->n_items], "%s=%s", env->name, env->value) < 0)
			return -1;
	}
	return ret->items ? 0 : -1;
}

static uint64_t cpu_left_ns(const struct wasm *wasm)
{
	uint64_t limit = wasm->policy->limits.cpu_time_ns;
	return limit == POLICY_UNLIMITED ? limit : limit - MIN(limit, wasm->cpu_ns);
}

static int encode_order(struct wasm *wasm, const struct exec_plan *plan, struct error *err)
{
	struct wasm_execute execute = {
		.command = plan->command,
		.cpu_left_ns = cpu_left_ns(wasm),
	};
	int r = join_env(plan, &execute.env);
	execute.args = *plan->args;
	if (r == 0)
		wasm_execute_encode(&execute, &wasm->order);
	execute.args = (struct policy_list){ 0 };
	wasm_execute_fini(&execute);
	if (r == 0 && buf_is_whole(&wasm->order))
		return 0;
	buf_fini(&wasm->order);
	return fail(err, E2BIG, "the order does not fit");
}

static int wasm_execute(struct sandbox *sandbox, struct exec_plan *plan, struct error *err)
{
	struct wasm *wasm = sandbox->impl;
	int r = check_stands(sandbox, err);
	if (r < 0)
		return r;
	if (plan->is_tty) {
		r = error_set(err, ERR_UNSUPPORTED, 0, "--tty", "level 'wasm' has no terminals");
		return error_remedy(err, r, "leave it out, or use level: process");
	}
	if (wasm->command != 0) {
		r = error_set(err, ERR_LIMIT, 0, "sandbox",
			      "level 'wasm' runs one command at a time");
		return error_remedy(err, r, "wait for the other one, or open another sandbox");
	}
	r = encode_order(wasm, plan, err);
	if (r < 0)
		return r;
	wasm->command = plan->command;
	for (int i = 0; i < 3; i++)
		wasm->order_fds[i] = take_fd(&plan->stdio[i]);
	if (wasm->is_ready && (r = wasm_send_order(wasm)) != 0)
		return fail(err, r, "foso-wasm is gone");
	return 0;
}

static int wasm_signal(struct sandbox *sandbox, unsigned command, pid_t pid, int signal_number,
		       struct error *err)
{
	struct wasm *wasm = sandbox->impl;
	char storage[16];
	struct buf bytes = BUF_ON(storage, sizeof(storage) - 1);
	UNUSED(pid);
	int r = check_stands(sandbox, err);
	if (r < 0)
		return r;
	if (wasm->command == 0 || (command != 0 && command != wasm->command))
		return 0;
	wire_put_u32(&bytes, wasm->command);
	wire_put_u32(&bytes, (uint32_t)signal_number);
	/* Before READY there is nobody to signal; the order comes first on the same way. */
	if (wasm->is_ready)
		(void)wasm_channel_send(wasm->channel_fd, WASM_SIGNAL, bytes.data, bytes.len, NULL,
					0);
	return 0;
}

static int wasm_kill_command(struct sandbox *sandbox, unsigned command, struct error *err)
{
	return wasm_signal(sandbox, command, 0, SIGKILL, err);
}

static int wasm_list(struct sandbox *sandbox, struct error *err)
{
	struct wasm *wasm = sandbox->impl;
	struct level_event event = {
		.type = LEVEL_EVENT_PROCESS, .pid = 2, .name = "module", .pty_fd = -1
	};
	int r = check_stands(sandbox, err);
	if (r < 0)
		return r;
	if (wasm->is_started)
		wasm_push(wasm, &event);
	event = (struct level_event){ .type = LEVEL_EVENT_LIST_END, .pty_fd = -1 };
	wasm_push(wasm, &event);
	return 0;
}

static int wasm_kill(struct sandbox *sandbox, struct error *err)
{
	struct wasm *wasm = sandbox->impl;
	if (!wasm) {
		int r = error_set(err, ERR_UNAVAILABLE, 0, "sandbox", "it does not stand");
		return error_remedy(err, r, "open another one");
	}
	if (wasm->is_killed)
		return 0;
	wasm->is_killed = true;
	wasm->n_events = 0;
	if (!wasm->is_gone && sys_pidfd_send_signal(wasm->pidfd, SIGKILL) < 0 && errno != ESRCH)
		return fail(err, errno, "foso-wasm cannot be killed");
	if (wasm->is_gone) {
		uint64_t one = 1;
		(void)!write(wasm->self_fd, &one, sizeof(one));
	}
	return 0;
}

const struct level level_wasm = {
	.name = "wasm",
	.id = POLICY_LEVEL_WASM,
	.features = LEVEL_SIGNALS,
	.probe = wasm_probe,
	.provision = wasm_provision,
	.execute = wasm_execute,
	.dispatch = wasm_dispatch,
	.signal = wasm_signal,
	.kill_command = wasm_kill_command,
	.list = wasm_list,
	.kill = wasm_kill,
	.describe = wasm_describe,
	.teardown = wasm_teardown,
};
