/* SPDX-License-Identifier: Apache-2.0 */
/*
 * main.c - foso-init: process 1 of a sandbox, and its agent
 *
 * Waits for two things only: orders on the socket, and children to reap.  It lives outside the
 * workload's limits, so that it answers during a fork bomb.  When the socket closes, whoever
 * held it is dead, and foso-init exits: the kernel then ends every process of the namespace.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "confine/confine.h"
#include "init/init.h"

void init_send_event(const struct init *init, enum init_message number,
		     const struct init_event *event, int fd)
{
	not_zeroed char storage[INIT_EVENT_BYTES];
	auto_buf struct buf bytes = BUF_ON(storage, 256);
	init_event_encode(event, &bytes);
	int r = init_channel_send(init->channel_fd, number, bytes.data, bytes.len, &fd,
				  fd >= 0 ? 1 : 0);
	if (r != 0)
		_exit(1);
}

static void reap(struct init *init)
{
	int status;
	pid_t pid;
	while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
		for (size_t i = 0; i < INIT_MAX_COMMANDS; i++) {
			struct init_command *command = &init->commands[i];
			if (command->number == 0 || command->pid != pid)
				continue;
			struct init_event event = {
				.command = command->number,
				.pid = (uint32_t)pid,
				.code = WIFEXITED(status) ? WEXITSTATUS(status) : -1,
				.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0,
			};
			bool is_last = command->is_last;
			*command = (struct init_command){ 0 };
			init_send_event(init, INIT_EXITED, &event, -1);
			/* The kernel takes all down while the monitor looks at the counters. */
			if (is_last)
				_exit(0);
			break;
		}
	}
}

/* The order may lie in a file (a long argument list) or in the packet itself. */
static bool read_spawn(struct init_packet *packet, struct init_spawn *ret)
{
	if (packet->len > 0)
		return init_spawn_decode(ret, packet->bytes, packet->len);
	if (packet->n_fds == 0)
		return false;
	int fd = packet->fds[packet->n_fds - 1];
	off_t size = lseek(fd, 0, SEEK_END);
	if (size <= 0 || size > INIT_MAX_SPAWN_BYTES)
		return false;
	void *bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	bool is_ok = init_spawn_decode(ret, bytes, (size_t)size);
	munmap(bytes, (size_t)size);
	fd_close(&packet->fds[--packet->n_fds]);
	return is_ok;
}

static void deliver_signal(const struct init *init, const struct init_event *order)
{
	if (order->pid != 0) {
		(void)kill((pid_t)order->pid, order->signal);
		return;
	}
	for (size_t i = 0; i < INIT_MAX_COMMANDS; i++) {
		const struct init_command *command = &init->commands[i];
		/* The group first: a shell's foreground child gets it too, as at a terminal. */
		if (command->number != 0 && command->number == order->command &&
		    kill(-command->pid, order->signal) < 0)
			(void)kill(command->pid, order->signal);
	}
}

/* One order; false ends foso-init, and with it the sandbox. */
static bool obey(struct init *init, struct init_packet *packet)
{
	struct init_spawn spawn;
	struct init_event order;
	switch ((int)packet->number) {
	case INIT_SPAWN:
		if (!read_spawn(packet, &spawn))
			return false;
		init_spawn(init, &spawn, packet->fds, packet->n_fds);
		init_spawn_fini(&spawn);
		return true;
	case INIT_SIGNAL:
		if (!init_event_decode(&order, packet->bytes, packet->len))
			return false;
		deliver_signal(init, &order);
		return true;
	case INIT_LIST:
		init_list(init);
		return true;
	default:
		return false;
	}
}

/* The message that brought it is overwritten by the next. */
static bool keep_filter(struct init *init)
{
	size_t n_bytes = init->configure.n_filter_bytes;
	if (n_bytes == 0 || n_bytes > sizeof(init->filter) || n_bytes % sizeof(init->filter[0]))
		return false;
	memcpy(init->filter, init->configure.filter, n_bytes);
	init->n_filter = n_bytes / sizeof(init->filter[0]);
	init->configure.filter = NULL;
	return true;
}

static bool configure(struct init *init, struct init_packet *packet, struct init_event *failure)
{
	enum init_stage stage = STAGE_PROTOCOL;
	int r = init_channel_recv(init->channel_fd, packet, 0);
	if (r == ECONNRESET)
		_exit(0);
	if (r == 0 && (packet->number != INIT_CONFIGURE ||
		       !init_configure_decode(&init->configure, packet->bytes, packet->len)))
		r = EPROTO;
	if (r == 0 && !keep_filter(init))
		r = EPROTO;
	init_packet_close(packet);
	if (r == 0)
		r = init_configure_apply(init, &stage);
	*failure = (struct init_event){ .errnum = r, .stage = stage };
	return r == 0;
}

static void serve(struct init *init, struct init_packet *packet, int signal_fd)
{
	struct pollfd polls[2] = {
		{ .fd = init->channel_fd, .events = POLLIN },
		{ .fd = signal_fd, .events = POLLIN },
	};
	for (;;) {
		if (poll(polls, 2, -1) < 0 && errno != EINTR)
			return;
		if (polls[1].revents) {
			struct signalfd_siginfo info;
			(void)!read(signal_fd, &info, sizeof(info));
			reap(init);
		}
		if (!polls[0].revents)
			continue;
		int r = init_channel_recv(init->channel_fd, packet, MSG_DONTWAIT);
		if (r == EAGAIN)
			continue;
		bool is_fine = r == 0 && obey(init, packet);
		init_packet_close(packet);
		if (!is_fine)
			return;
	}
}

int main(void)
{
	static struct init init;
	static struct init_packet packet;
	struct init_event failure;
	sigset_t signals;

	init.channel_fd = INIT_CHANNEL_FD; /* all else is zeros, which cost no page of the file */
	/* A monitor that dies takes its sandbox with it; the socket's end is the second way. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	sigemptyset(&signals);
	sigaddset(&signals, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &signals, NULL); /* NOLINT(concurrency-mt-unsafe) */
	int signal_fd = signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK);
	if (signal_fd < 0)
		return 1;
	if (!configure(&init, &packet, &failure)) {
		init_send_event(&init, INIT_FAILED, &failure, -1);
		return 1;
	}
	bool has_scratch = fcntl(INIT_SCRATCH_FD, F_GETFD) >= 0;
	init_send_event(&init, INIT_READY, &(struct init_event){ 0 },
			has_scratch ? INIT_SCRATCH_FD : -1);
	close(INIT_SCRATCH_FD);
	serve(&init, &packet, signal_fd);
	return 0;
}
