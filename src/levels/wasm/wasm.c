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
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/programs.h"
#include "base/syscalls.h"

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
	/* The host is asked only if it matters here: else there is time while the child builds. */
	if (r == 0 && (policy->limits.is_strict || policy->limits.cpus_milli < 1000))
		r = wasm_groups_check(policy, errors);
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
	if (!wasm)
		return;
	if (wasm->pid > 0 && !wasm->is_gone) {
		struct pollfd end = { .fd = wasm->pidfd, .events = POLLIN };
		(void)sys_pidfd_send_signal(wasm->pidfd, SIGKILL);
		(void)poll(&end, 1, END_MS);
		(void)waitpid(wasm->pid, NULL, WNOHANG);
	}
	int *fds[] = { &wasm->channel_fd, &wasm->pidfd,     &wasm->epoll_fd,    &wasm->self_fd,
		       &wasm->code_fd,    &wasm->folder_fd, &wasm->cpu_timer_fd };
	for (size_t i = 0; i < ARRAY_LEN(fds); i++)
		fd_close(fds[i]);
	for (size_t i = 0; i < WASM_MAX_COMMANDS; i++) {
		if (wasm->commands[i].number != 0)
			wasm_command_free(&wasm->commands[i]);
	}
	wasm_folders_fini(&wasm->folders);
	wasm_groups_remove(wasm, leftovers);
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
	    watch(wasm, wasm->channel_fd) < 0 || watch(wasm, wasm->pidfd) < 0 ||
	    (wasm->folders.attach.keeper_fd >= 0 &&
	     watch(wasm, wasm->folders.attach.keeper_fd) < 0))
		return fail(err, errno, "its events cannot be watched");
	if (wasm->shares_cpu) {
		wasm->cpu_timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
		if (wasm->cpu_timer_fd < 0 || watch(wasm, wasm->cpu_timer_fd) < 0)
			return fail(err, errno, "no timer");
	}
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
	wasm->code_fd = wasm->folder_fd = wasm->cpu_timer_fd = -1;
	wasm->entry.clone_fd = -1;
	cgroup_init(&wasm->groups);
	wasm_folders_init(&wasm->folders, wasm->policy);
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
	return wasm_command_order(wasm, plan, err);
}

static int wasm_signal(struct sandbox *sandbox, unsigned command, pid_t pid, int signal_number,
		       struct error *err)
{
	struct wasm *wasm = sandbox->impl;
	int r = check_stands(sandbox, err);
	if (r < 0)
		return r;
	if (pid != 0)
		command = pid > (pid_t)WASM_FIRST_PID ? (unsigned)pid - WASM_FIRST_PID : 0;
	if (command != 0 && wasm_command_find(wasm, command))
		wasm_signal_send(wasm, command, signal_number);
	return 0;
}

static int wasm_kill_command(struct sandbox *sandbox, unsigned command, struct error *err)
{
	struct wasm *wasm = sandbox->impl;
	int r = check_stands(sandbox, err);
	if (r < 0)
		return wasm ? 0 : r;
	if (command == 0 ? wasm_command_any(wasm) : wasm_command_find(wasm, command) != NULL)
		wasm_signal_send(wasm, command, SIGKILL);
	return 0;
}

/* The rows are told by dispatch(), one by one. */
static int wasm_list(struct sandbox *sandbox, struct error *err)
{
	struct wasm *wasm = sandbox->impl;
	uint64_t one = 1;
	int r = check_stands(sandbox, err);
	if (r < 0)
		return r;
	wasm->is_listing = true;
	wasm->list_at = 0;
	(void)!write(wasm->self_fd, &one, sizeof(one));
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
	wasm->is_listing = false;
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
