/* SPDX-License-Identifier: Apache-2.0 */
/*
 * events.c - one event at a time out of many descriptors
 *
 * Everything that foso-init says is hostile: a message in the wrong state, with fields out of
 * range or too many descriptors, ends the sandbox as lost.
 */
#include "levels/process/events.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"

/* What was received last; each message is done with before the next, whosesoever it is. */
static struct init_packet received;

enum tag { TAG_CHANNEL, TAG_PIDFD, TAG_CGROUP, TAG_WATCH, TAG_KEEPER, TAG_LISTENER };

static int watch(int epoll_fd, int fd, uint64_t tag)
{
	struct epoll_event event = { .events = EPOLLIN, .data.u64 = tag };
	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event);
}

int process_events_open(struct sandbox *sandbox, struct process *process, struct error *err)
{
	process->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (process->epoll_fd < 0 ||
	    watch(process->epoll_fd, process->channel_fd, TAG_CHANNEL) < 0 ||
	    watch(process->epoll_fd, process->pidfd, TAG_PIDFD) < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, "sandbox",
				  "its events cannot be watched");
		return error_remedy(err, r, "raise the limit of open files");
	}
	sandbox->event_fd = process->epoll_fd;
	if (process->has_cgroup) {
		int r = cgroup_watch(&process->cgroup, process->epoll_fd, TAG_CGROUP, err);
		if (r < 0)
			return r;
	}
	if (process->attach.keeper_fd >= 0 &&
	    watch(process->epoll_fd, process->attach.keeper_fd, TAG_KEEPER) < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, "workspace",
				  "its keeper cannot be watched");
		return error_remedy(err, r, "raise the limit of open files");
	}
	int r = process_watch_open(process, err);
	if (r == 0 && process->watch_fd >= 0 &&
	    watch(process->epoll_fd, process->watch_fd, TAG_WATCH) < 0) {
		r = error_set(err, ERR_SYSTEM, errno, "sandbox", "its limits cannot be watched");
		r = error_remedy(err, r, "raise the limit of open files");
	}
	return r;
}

static int lost(struct level_event *ret, const char *message)
{
	ret->type = LEVEL_EVENT_LOST;
	int r = error_set(&ret->err, ERR_PROTOCOL, 0, "sandbox", "%s", message);
	(void)error_remedy(&ret->err, r,
			   "run it again; if it repeats, report it with foso doctor's output");
	return 1;
}

/* What the user wrote in the field that the step is about; "" if the child tells, or nothing can.
 */
static const char *stage_value(const struct policy *policy, enum init_stage stage)
{
	if (stage == STAGE_CWD)
		return policy->cwd[0] ? policy->cwd : "/workspace";
	if (stage == STAGE_USER)
		return policy->user;
	return stage == STAGE_HOSTNAME ? policy->hostname : "";
}

static int unknown_user(struct error *err, const char *user)
{
	int r = error_set(err, ERR_NOT_FOUND, 0, init_stage_field(STAGE_USER),
			  "'%s' has a name that /etc/passwd and /etc/group of the sandbox lack",
			  user);
	return error_remedy(err, r, "%s", init_stage_remedy(STAGE_USER));
}

/* A step of the set-up failed in the child: the field that caused it, where one did. */
static int set_setup_error(struct error *err, const struct process_setup *setup,
			   const struct init_event *event)
{
	const struct policy *policy = setup->policy;
	const char *field = init_stage_field(event->stage);
	const char *value = event->name[0] ? event->name : stage_value(policy, event->stage);
	if (event->stage == STAGE_USER && event->errnum == ENOENT)
		return unknown_user(err, value);
	if (event->stage == STAGE_MOUNT && event->errnum == EXDEV) {
		int r = process_sources_refuse_way_out(setup, err);
		if (r < 0)
			return r;
	}
	int r = error_set(err, ERR_SYSTEM, event->errnum, field[0] ? field : "sandbox",
			  "the sandbox cannot %s%s%s%s", init_stage_words(event->stage),
			  value[0] ? " '" : "", value, value[0] ? "'" : "");
	return error_remedy(err, r, "%s", init_stage_remedy(event->stage));
}

static int setup_failed(const struct process *process, struct level_event *ret,
			const struct init_event *event)
{
	ret->type = LEVEL_EVENT_LOST;
	(void)!set_setup_error(&ret->err, &process->setup, event);
	return 1;
}

int process_prefer_child_words(struct process *process, int result, struct error *err)
{
	struct init_event event;
	struct init_packet *packet = &received;
	if (process->channel_fd < 0 || process->pid <= 0)
		return result;
	/* That the other end is gone is told once, before what it said. */
	int errnum = init_channel_recv(process->channel_fd, packet, MSG_DONTWAIT);
	if (errnum == ECONNRESET)
		errnum = init_channel_recv(process->channel_fd, packet, MSG_DONTWAIT);
	if (errnum != 0)
		return result;
	if (packet->number == INIT_FAILED &&
	    init_event_decode(&event, packet->bytes, packet->len)) {
		error_clear(err);
		result = set_setup_error(err, &process->setup, &event);
	}
	init_packet_close(packet);
	return result;
}

static bool is_terminal_master(int fd)
{
	struct stat status;
	int number;
	/* Only a master answers TIOCGPTN; 5:2 and 128-135 are the numbers of masters. */
	return fstat(fd, &status) == 0 && S_ISCHR(status.st_mode) &&
	       sys_ioctl(fd, TIOCGPTN, &number) == 0;
}

static int add_listener(struct process *process, struct init_packet *packet,
			struct level_event *ret)
{
	if (packet->n_fds != 1)
		return lost(ret, "foso-init sent no filter");
	size_t slot = 0;
	while (slot < process->n_listeners && process->listeners[slot].fd >= 0)
		slot++;
	if (slot == PROCESS_MAX_LISTENERS) {
		/* More commands than that at once: their refused calls end in ENOSYS, uncounted. */
		return 0;
	}
	int fd = packet->fds[0];
	if (watch(process->epoll_fd, fd, TAG_LISTENER + slot) < 0)
		return lost(ret, "the filter's listener cannot be watched");
	packet->fds[0] = -1;
	process->listeners[slot].fd = fd;
	process->n_listeners = MAX(process->n_listeners, slot + 1);
	return 0;
}

static int started(struct init_packet *packet, const struct init_event *event,
		   struct level_event *ret)
{
	ret->type = LEVEL_EVENT_STARTED;
	ret->pid = (pid_t)event->pid;
	if (packet->n_fds == 1) {
		if (!is_terminal_master(packet->fds[0]))
			return lost(ret, "foso-init sent something else than a terminal");
		ret->pty_fd = take_fd(&packet->fds[0]);
	}
	return 1;
}

/* The ranges of what waitpid(), execve() and /proc can say. */
static bool is_possible(enum init_message number, const struct init_event *event)
{
	bool has_errnum = event->errnum >= 0 && event->errnum < 4096;
	switch ((int)number) {
	case INIT_EXITED:
		return (event->signal == 0 && event->code >= 0 && event->code <= 255) ||
		       (event->code == -1 && event->signal >= 1 && event->signal <= 64);
	case INIT_NOT_STARTED:
		return has_errnum && event->code >= 125 && event->code <= 127;
	case INIT_FAILED:
		return has_errnum;
	case INIT_PROCESS:
		return event->pid >= 2 && event->pid <= INT32_MAX;
	default:
		return true;
	}
}

/* Turns one message into an event: 1, or 0 if it was for the engine alone. */
static int read_message(struct process *process, struct init_packet *packet,
			struct level_event *ret)
{
	struct init_event event = { 0 };
	if (packet->number != INIT_LIST_END && packet->number != INIT_READY &&
	    !init_event_decode(&event, packet->bytes, packet->len))
		return lost(ret, "foso-init sent a malformed message");
	if (!process->is_ready && packet->number != INIT_READY && packet->number != INIT_FAILED)
		return lost(ret, "foso-init spoke out of turn");
	if (!is_possible(packet->number, &event))
		return lost(ret, "foso-init sent a value that cannot be");
	ret->command = event.command;
	ret->code = event.code;
	ret->signal = event.signal;
	ret->errnum = event.errnum;
	ret->pid = (pid_t)event.pid;
	memcpy(ret->name, event.name, sizeof(ret->name));
	switch ((int)packet->number) {
	case INIT_READY:
		if (process->is_ready)
			return lost(ret, "foso-init spoke out of turn");
		process->is_ready = true;
		if (packet->n_fds == 1)
			process->scratch_fd = take_fd(&packet->fds[0]);
		process_scratch_learn(process);
		ret->type = LEVEL_EVENT_READY;
		return 1;
	case INIT_FAILED:
		return setup_failed(process, ret, &event);
	case INIT_FILTER:
		return add_listener(process, packet, ret);
	case INIT_STARTED:
		return started(packet, &event, ret);
	case INIT_NOT_STARTED:
		ret->type = LEVEL_EVENT_NOT_STARTED;
		if (event.stage != STAGE_EXEC)
			(void)setup_failed(process, ret, &event);
		ret->type = LEVEL_EVENT_NOT_STARTED;
		return 1;
	case INIT_EXITED:
		ret->type = LEVEL_EVENT_EXITED;
		process->exited = *ret;
		process->exit_step = 1;
		process->is_ending = process->ends_itself;
		return 0;
	case INIT_PROCESS:
		ret->type = LEVEL_EVENT_PROCESS;
		return 1;
	case INIT_LIST_END:
		ret->type = LEVEL_EVENT_LIST_END;
		return 1;
	default:
		return lost(ret, "foso-init sent an order");
	}
}

static int gone(struct process *process, struct level_event *ret)
{
	ret->type = LEVEL_EVENT_GONE;
	process->is_gone_told = true;
	return 1;
}

/* Process 1 is no more, and so nothing that lived under it. */
static int on_init_reaped(struct process *process, int status, struct level_event *ret)
{
	process->is_gone = true;
	(void)epoll_ctl(process->epoll_fd, EPOLL_CTL_DEL, process->pidfd, NULL);
	if (process->is_killed)
		return gone(process, ret);
	if (process->is_ending) /* GONE is told after the kill, as always. */
		return 0;
	/* The filter is told by the command itself, right before its exec; STARTED by foso-init. */
	ret->may_have_run = process->n_listeners > 0;
	return lost(ret, WIFSIGNALED(status) ? "foso-init was killed" : "foso-init ended");
}

/* The other end is closed: dead, or in hands that would rather not be spoken to. */
static int on_hangup(struct process *process, struct level_event *ret)
{
	int status = 0;
	(void)epoll_ctl(process->epoll_fd, EPOLL_CTL_DEL, process->channel_fd, NULL);
	if (process->is_killed || process->is_gone || process->is_ending)
		return 0;
	if (waitpid(process->pid, &status, WNOHANG) > 0)
		return on_init_reaped(process, status, ret);
	ret->may_have_run = process->n_listeners > 0;
	return lost(ret, "foso-init closed its socket");
}

static int on_channel(struct process *process, struct level_event *ret)
{
	struct init_packet *packet = &received;
	int r = init_channel_recv(process->channel_fd, packet, MSG_DONTWAIT);
	if (r == EAGAIN)
		return 0;
	if (r == ECONNRESET || r == EPIPE)
		return on_hangup(process, ret);
	r = r == 0 ? read_message(process, packet, ret) : lost(ret, "foso-init broke the protocol");
	init_packet_close(packet);
	return r;
}

static bool has_words(const struct process *process)
{
	struct pollfd poll_fd = { .fd = process->channel_fd, .events = POLLIN };
	return poll(&poll_fd, 1, 0) > 0 && (poll_fd.revents & POLLIN);
}

static int on_init_exit(struct process *process, struct level_event *ret)
{
	int status = 0;
	/*
	 * Its last words first, all of them: a failure that it told, the start or the end of a
	 * command.  Whether a command had started decides between refused and lost.
	 */
	while (!process->is_killed && !process->is_gone && has_words(process)) {
		int r = on_channel(process, ret);
		if (r != 0 || process->exit_step > 0)
			return r;
	}
	if (process->is_gone || waitpid(process->pid, &status, WNOHANG) <= 0)
		return 0;
	return on_init_reaped(process, status, ret);
}

/* Without its keeper nobody would guard what is hidden: that ends the sandbox. */
static int on_keeper(struct process *process, struct level_event *ret)
{
	int r = attach_hear_keeper(&process->attach, ret);
	if (r >= 0)
		return r;
	(void)epoll_ctl(process->epoll_fd, EPOLL_CTL_DEL, process->attach.keeper_fd, NULL);
	return process->is_killed || process->is_gone
		       ? 0
		       : lost(ret, "the keeper of its workspace ended");
}

static int on_listener(struct process *process, size_t index, struct error *err)
{
	if (index >= process->n_listeners || process->listeners[index].fd < 0)
		return 0;
	int r = seccomp_listener_serve(process->listeners[index].fd, &process->denials, err);
	if (r < 0)
		return r;
	if (r == 1)
		fd_close(&process->listeners[index].fd);
	return 0;
}

static int on_cgroup(struct process *process, struct level_event *ret)
{
	cgroup_hits_read(&process->cgroup, &process->usage);
	ret->type = LEVEL_EVENT_LIMIT;
	if (process->usage.oom_kills > process->oom_kills) {
		process->oom_kills = process->usage.oom_kills;
		ret->reason = END_MEMORY;
		ret->limit = "limits.memory";
		return 1;
	}
	if (process->usage.pids_refused > process->pids_refused) {
		process->pids_refused = process->usage.pids_refused;
		ret->reason = END_PIDS;
		ret->limit = "limits.pids";
		return 1;
	}
	return 0;
}

/*
 * A command has ended.  A limit that it ran into just before may not have been told yet, and why
 * it ended depends on that, so limits come first: 1 and an event until the end itself is one.
 */
static int on_held_exit(struct process *process, struct level_event *ret)
{
	if (process->exit_step == 1) {
		if (process->has_cgroup && on_cgroup(process, ret) != 0)
			return 1;
		process->exit_step = 2;
	}
	if (process->exit_step == 2) {
		process->exit_step = 3;
		if (process_watch_check(process, ret) != 0)
			return 1;
	}
	/* Held by us, the file systems would be taken down by us, after all else. */
	if (process->is_ending)
		process_scratch_let_go(process);
	process->exit_step = 0;
	*ret = process->exited;
	return 1;
}

static void note_end(struct sandbox *sandbox, const struct level_event *event)
{
	if (event->type == LEVEL_EVENT_EXITED || event->type == LEVEL_EVENT_NOT_STARTED)
		process_commands_exited(sandbox, event->command);
}

int process_dispatch(struct sandbox *sandbox, struct level_event *ret, struct error *err)
{
	struct process *process = sandbox->impl;
	if (!process)
		return 0;
	/* A few tries: an event can be for the engine alone. */
	for (int i = 0; i < 64; i++) {
		struct epoll_event event;
		*ret = (struct level_event){ .pty_fd = -1 };
		if (process->exit_step > 0) {
			int held = on_held_exit(process, ret);
			note_end(sandbox, ret);
			return held;
		}
		/* It was dead before anybody killed it. */
		if (process->is_gone && process->is_killed && !process->is_gone_told)
			return gone(process, ret);
		int n = epoll_wait(process->epoll_fd, &event, 1, 0);
		if (n <= 0)
			return 0;
		int r = 0;
		if (event.data.u64 == TAG_CHANNEL)
			r = on_channel(process, ret);
		else if (event.data.u64 == TAG_PIDFD)
			r = on_init_exit(process, ret);
		else if (event.data.u64 == TAG_CGROUP)
			r = on_cgroup(process, ret);
		else if (event.data.u64 == TAG_WATCH)
			r = process_watch_check(process, ret);
		else if (event.data.u64 == TAG_KEEPER)
			r = on_keeper(process, ret);
		else
			r = on_listener(process, event.data.u64 - TAG_LISTENER, err);
		if (r > 0)
			note_end(sandbox, ret);
		if (r != 0)
			return r;
	}
	return 0;
}
