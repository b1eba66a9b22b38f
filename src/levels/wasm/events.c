/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - what foso-wasm says, as events
 *
 * It carries a stranger's module, so every message is held to its table, its state and its
 * ranges; the first that does not fit ends the sandbox as lost.
 */
#include <errno.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "levels/wasm/wasm.h"
#include "wire/codec.h"

/* What was received last; each message is done with before the next, whosesoever it is. */
static struct wasm_packet received;

/* The next row of the list that was asked for, or its end. */
static int next_row(struct wasm *wasm, struct level_event *ret)
{
	uint64_t count;
	while (wasm->list_at < WASM_MAX_COMMANDS) {
		const struct wasm_command *command = &wasm->commands[wasm->list_at++];
		if (command->number == 0 || !command->is_started)
			continue;
		ret->type = LEVEL_EVENT_PROCESS;
		ret->pid = (pid_t)(WASM_FIRST_PID + command->number);
		(void)snprintf(ret->name, sizeof(ret->name), "module");
		return 1;
	}
	ret->type = LEVEL_EVENT_LIST_END;
	wasm->is_listing = false;
	(void)!read(wasm->self_fd, &count, sizeof(count));
	return 1;
}

static int lost(struct level_event *ret, const char *message)
{
	ret->type = LEVEL_EVENT_LOST;
	int r = error_set(&ret->err, ERR_PROTOCOL, 0, "sandbox", "%s", message);
	(void)error_remedy(&ret->err, r,
			   "run it again; if it repeats, report it with foso doctor's output");
	return 1;
}

/* The words are the module's or the library's; whoever prints them escapes them. */
static int on_failed(struct level_event *ret)
{
	struct wasm_failed failed;
	if (!wasm_failed_decode(&failed, received.bytes, received.len))
		return lost(ret, "foso-wasm sent a malformed message");
	ret->type = LEVEL_EVENT_LOST;
	int r = error_set(&ret->err, ERR_REFUSED, 0, failed.subject, "%s", failed.message);
	(void)error_remedy(&ret->err, r, "%s", failed.remedy);
	return 1;
}

static int on_compiled(struct wasm *wasm, struct level_event *ret)
{
	if (wasm->code_fd < 0)
		return lost(ret, "foso-wasm spoke out of turn");
	wasm_cache_keep(wasm->folder_fd, wasm->key, wasm->code_fd);
	fd_close(&wasm->code_fd);
	if (wasm_channel_send(wasm->channel_fd, WASM_LOAD, NULL, 0, NULL, 0) != 0)
		return lost(ret, "foso-wasm is gone");
	return 0;
}

static int on_ready(struct wasm *wasm, struct level_event *ret)
{
	if (wasm->is_ready || wasm->code_fd >= 0)
		return lost(ret, "foso-wasm spoke out of turn");
	wasm->is_ready = true;
	if (wasm_groups_send(wasm) != 0)
		return lost(ret, "foso-wasm is gone");
	for (size_t i = 0; i < WASM_MAX_COMMANDS; i++) {
		if (wasm->commands[i].number != 0 &&
		    wasm_command_send(wasm, &wasm->commands[i]) != 0)
			return lost(ret, "foso-wasm is gone");
	}
	ret->type = LEVEL_EVENT_READY;
	return 1;
}

/* Of those that it was given. */
static struct wasm_command *find(struct wasm *wasm, unsigned number)
{
	return wasm->is_ready && number != 0 ? wasm_command_find(wasm, number) : NULL;
}

static int on_started(struct wasm *wasm, struct level_event *ret)
{
	struct wire_reader reader;
	wire_reader_init(&reader, received.bytes, received.len);
	ret->command = wire_get_u32(&reader);
	struct wasm_command *command = find(wasm, ret->command);
	if (!wire_reader_is_done(&reader) || !command || command->is_started)
		return lost(ret, "foso-wasm spoke out of turn");
	command->is_started = true;
	ret->type = LEVEL_EVENT_STARTED;
	ret->pid = (pid_t)(WASM_FIRST_PID + command->number);
	return 1;
}

/* "memory access out of bounds in function 3 'grow', at byte 0x9f" */
static void trap_words(const struct wasm_ended *ended, char *words, size_t size)
{
	char at[40] = "";
	const char *quote = ended->name[0] ? "'" : "", *space = ended->name[0] ? " " : "";
	if (ended->offset != UINT64_MAX) /* Of an overflow it is not known. */
		(void)snprintf(at, sizeof(at), ", at byte 0x%" PRIx64, ended->offset);
	if (ended->function != WASM_NO_FUNCTION)
		(void)snprintf(words, size, "trap: %s in function %" PRIu32 "%s%s%.80s%s%s",
			       wasm_trap_words(ended->trap), ended->function, space, quote,
			       ended->name, quote, at);
	else
		(void)snprintf(words, size, "trap: %s%s%.100s", wasm_trap_words(ended->trap),
			       ended->name[0] ? ": " : "", ended->name);
}

static void set_trap_error(const struct wasm *wasm, const struct wasm_ended *ended,
			   struct error *err)
{
	char words[240];
	trap_words(ended, words, sizeof(words));
	const struct policy *policy = wasm->policy;
	const char *subject =
		policy->module[0] ? policy->module : policy_runtimes[policy->runtime].name;
	int r = error_set(err, ERR_REFUSED, 0, subject, "%s", words);
	(void)error_remedy(err, r, "mend the module; foso itself held");
}

/* What was refused more memory and then failed, failed for that: as with pids and disk. */
static void set_memory_error(const struct wasm_ended *ended, struct error *err)
{
	char words[240] = "";
	if (ended->end == WASM_END_TRAP)
		trap_words(ended, words, sizeof(words));
	else
		(void)snprintf(words, sizeof(words), "exit %d", ended->code);
	int r = error_set(err, ERR_LIMIT, 0, "limits.memory",
			  "the module was refused more memory, and then ended: %s", words);
	(void)error_remedy(err, r, "raise the limit, or mend the module");
}

static bool has_failed(const struct wasm_ended *ended)
{
	return ended->end == WASM_END_TRAP || (ended->end == WASM_END_EXIT && ended->code != 0);
}

/* Why a command ended that no signal of ours ended. */
static void set_reason(struct wasm *wasm, const struct wasm_ended *ended, bool is_oom,
		       struct level_event *ret)
{
	wasm->n_memory_hits += is_oom ? 1 : ended->n_memory_refusals;
	wasm->n_fuel_hits += ended->end == WASM_END_FUEL;
	if (is_oom || (ended->n_memory_refusals > 0 && has_failed(ended))) {
		ret->reason = END_MEMORY;
		ret->limit = "limits.memory";
		if (!is_oom)
			set_memory_error(ended, &ret->err);
	} else if (ended->end == WASM_END_FUEL) {
		ret->reason = END_FUEL;
		ret->limit = "limits.fuel";
	} else if (ended->end == WASM_END_TRAP) {
		ret->reason = END_TRAP;
		set_trap_error(wasm, ended, &ret->err);
	}
}

static bool is_possible(const struct wasm_ended *ended)
{
	if (ended->end == WASM_END_EXIT)
		return ended->code >= 0 && ended->code <= 255;
	return ended->end != WASM_END_SIGNAL || (ended->code >= 1 && ended->code <= 64);
}

static int on_ended(struct wasm *wasm, struct level_event *ret)
{
	struct wasm_ended ended;
	if (!wasm_ended_decode(&ended, received.bytes, received.len) || !is_possible(&ended))
		return lost(ret, "foso-wasm sent a malformed message");
	struct wasm_command *command = find(wasm, ended.command);
	if (!command || !command->is_started)
		return lost(ret, "foso-wasm spoke out of turn");
	bool is_oom = ended.end == WASM_END_SIGNAL && ended.code == SIGKILL &&
		      wasm_groups_oom_kills(wasm) > command->oom_kills;
	wasm_command_free(command);
	wasm->fuel += ended.fuel;
	wasm->cpu_ns += ended.cpu_ns;
	wasm->memory_peak_bytes = MAX(wasm->memory_peak_bytes, ended.memory_peak_bytes);
	bool was_refused = ended.n_disk_refused > wasm->n_disk_refused;
	wasm->disk_bytes = ended.disk_bytes;
	wasm->disk_inodes = ended.disk_inodes;
	wasm->n_disk_refused = MAX(wasm->n_disk_refused, ended.n_disk_refused);
	ret->type = LEVEL_EVENT_EXITED;
	ret->command = ended.command;
	ret->code = ended.end == WASM_END_EXIT ? ended.code : -1;
	ret->signal = ended.end == WASM_END_SIGNAL ? ended.code : 0;
	set_reason(wasm, &ended, is_oom, ret);
	if (was_refused && ret->code > 0 && !ret->limit) {
		/* It was told, and did not cope. */
		ret->reason = END_DISK;
		ret->limit = "limits.disk";
	}
	return 1;
}

static int read_message(struct wasm *wasm, struct level_event *ret)
{
	switch ((int)received.number) {
	case WASM_COMPILED:
		return on_compiled(wasm, ret);
	case WASM_READY:
		return on_ready(wasm, ret);
	case WASM_STARTED:
		return on_started(wasm, ret);
	case WASM_ENDED:
		return on_ended(wasm, ret);
	case WASM_FAILED:
		return wasm->is_ready ? lost(ret, "foso-wasm spoke out of turn") : on_failed(ret);
	default:
		return lost(ret, "foso-wasm sent an order");
	}
}

/* The other end is closed: dead, or in hands that would rather not be spoken to. */
static int on_hangup(struct wasm *wasm, struct level_event *ret)
{
	(void)epoll_ctl(wasm->epoll_fd, EPOLL_CTL_DEL, wasm->channel_fd, NULL);
	if (wasm->is_killed || wasm->is_gone)
		return 0;
	ret->may_have_run = wasm->is_ready && wasm_command_any(wasm);
	return lost(ret, "foso-wasm closed its socket");
}

static int on_channel(struct wasm *wasm, struct level_event *ret)
{
	int r = wasm_channel_recv(wasm->channel_fd, &received, MSG_DONTWAIT);
	if (r == EAGAIN)
		return 0;
	if (r == ECONNRESET || r == EPIPE)
		return on_hangup(wasm, ret);
	r = r == 0 ? read_message(wasm, ret) : lost(ret, "foso-wasm broke the protocol");
	wasm_packet_close(&received);
	return r;
}

static bool has_words(const struct wasm *wasm)
{
	struct pollfd ready = { .fd = wasm->channel_fd, .events = POLLIN };
	return poll(&ready, 1, 0) > 0 && (ready.revents & POLLIN);
}

/* Without its keeper nobody would guard what is hidden: that ends the sandbox. */
static int on_keeper(struct wasm *wasm, struct level_event *ret)
{
	const struct attach *attach = &wasm->folders.attach;
	int r = attach_hear_keeper(attach, ret);
	if (r >= 0)
		return r;
	(void)epoll_ctl(wasm->epoll_fd, EPOLL_CTL_DEL, attach->keeper_fd, NULL);
	return wasm->is_killed || wasm->is_gone ? 0
						: lost(ret, "the keeper of its workspace ended");
}

static int gone(struct wasm *wasm, struct level_event *ret)
{
	ret->type = LEVEL_EVENT_GONE;
	wasm->is_gone_told = true;
	return 1;
}

/* It was process 1, so the kernel has ended every worker before it could be reaped. */
static int on_death(struct wasm *wasm, struct level_event *ret)
{
	/* Its last words first: why nothing ran, or how a command ended. */
	while (!wasm->is_killed && has_words(wasm)) {
		int r = wasm_channel_recv(wasm->channel_fd, &received, MSG_DONTWAIT);
		if (r != 0)
			break;
		r = read_message(wasm, ret);
		wasm_packet_close(&received);
		if (r != 0)
			return r;
	}
	if (waitpid(wasm->pid, NULL, WNOHANG) <= 0)
		return 0;
	wasm->is_gone = true;
	(void)epoll_ctl(wasm->epoll_fd, EPOLL_CTL_DEL, wasm->pidfd, NULL);
	if (wasm->is_killed)
		return gone(wasm, ret);
	ret->may_have_run = wasm->is_ready && wasm_command_any(wasm);
	return lost(ret, "foso-wasm ended");
}

int wasm_dispatch(struct sandbox *sandbox, struct level_event *ret, struct error *err)
{
	struct wasm *wasm = sandbox->impl;
	UNUSED(err);
	if (!wasm)
		return 0;
	for (int i = 0; i < 64; i++) {
		struct epoll_event event;
		*ret = (struct level_event){ .pty_fd = -1 };
		if (wasm->is_gone && wasm->is_killed && !wasm->is_gone_told)
			return gone(wasm, ret);
		if (wasm->is_listing)
			return next_row(wasm, ret);
		if (epoll_wait(wasm->epoll_fd, &event, 1, 0) <= 0)
			return 0;
		int r = 0;
		if (event.data.fd == wasm->channel_fd)
			r = on_channel(wasm, ret);
		else if (event.data.fd == wasm->pidfd)
			r = on_death(wasm, ret);
		else if (event.data.fd == wasm->cpu_timer_fd)
			r = wasm_cpu_check(wasm, ret);
		else if (event.data.fd == wasm->folders.attach.keeper_fd)
			r = on_keeper(wasm, ret);
		if (r != 0)
			return r;
	}
	return 0;
}
