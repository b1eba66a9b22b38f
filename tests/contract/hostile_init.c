/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostile_init.c - a foso-init that lies
 *
 * Takes the place of foso-init in a staged folder.  The host name of the sandbox names the
 * attack (tests/contract/hostile_test has the table); it then waits for its end.
 */
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/init_messages.h"
#include "wire/packet.h"

static struct init_packet packet;

static void say(unsigned number, const void *payload, size_t len, const int *fds, size_t n_fds)
{
	(void)packet_send(INIT_CHANNEL_FD, number, payload, len, fds, n_fds);
}

static void say_event(enum init_message number, const struct init_event *event)
{
	struct buf bytes = BUF_INIT(4096);
	init_event_encode(event, &bytes);
	say(number, bytes.data, bytes.len, NULL, 0);
	buf_fini(&bytes);
}

static void ready(void)
{
	say_event(INIT_READY, &(struct init_event){ 0 });
}

static void started(unsigned command)
{
	say_event(INIT_STARTED, &(struct init_event){ .command = command, .pid = 2 });
}

static int file(void)
{
	return open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
}

static int counter(void)
{
	return eventfd(1, EFD_CLOEXEC);
}

static void many_fds(unsigned number, size_t n_fds)
{
	int fds[PACKET_MAX_FDS];
	for (size_t i = 0; i < n_fds; i++)
		fds[i] = 0;
	say(number, "", 0, fds, n_fds);
}

static void huge(unsigned number)
{
	static char bytes[100000];
	say(number, bytes, sizeof(bytes), NULL, 0);
}

static void send_raw(const void *bytes, size_t len)
{
	(void)send(INIT_CHANNEL_FD, bytes, len, MSG_NOSIGNAL);
}

static void with_fd(enum init_message number, int fd)
{
	struct buf bytes = BUF_INIT(256);
	init_event_encode(&(struct init_event){ .command = 1, .pid = 2 }, &bytes);
	say(number, bytes.data, bytes.len, &fd, 1);
	buf_fini(&bytes);
}

/* Before READY. */
static void before(const char *attack)
{
	if (strcmp(attack, "early") == 0)
		started(1);
	else if (strcmp(attack, "early-exit") == 0)
		say_event(INIT_EXITED, &(struct init_event){ .command = 1 });
	else if (strcmp(attack, "failed-forged") == 0)
		say_event(INIT_FAILED, &(struct init_event){ .errnum = 1,
							     .stage = 3,
							     .name = "\033[2J\nfoso: x" });
	else if (strcmp(attack, "failed-range") == 0)
		say_event(INIT_FAILED, &(struct init_event){ .errnum = -5 });
	else if (strcmp(attack, "ready-fds") == 0)
		many_fds(INIT_READY, 3);
	else if (strcmp(attack, "leave") == 0)
		_exit(0);
	else if (strcmp(attack, "close") == 0)
		(void)close(INIT_CHANNEL_FD);
	else
		ready();
}

static void flood(void)
{
	for (;;)
		started(1);
}

/* After READY and STARTED. */
static void after(const char *attack)
{
	static const unsigned char above[] = { 16, 1, 0, 0 }, half[] = { 19, 0 };
	if (strcmp(attack, "ready-twice") == 0)
		ready();
	else if (strcmp(attack, "unknown") == 0)
		say(99, "", 0, NULL, 0);
	else if (strcmp(attack, "above") == 0)
		send_raw(above, sizeof(above));
	else if (strcmp(attack, "half") == 0)
		send_raw(half, sizeof(half));
	else if (strcmp(attack, "empty") == 0)
		send_raw("", 0);
	else if (strcmp(attack, "order") == 0)
		say(INIT_SPAWN, "x", 1, NULL, 0);
	else if (strcmp(attack, "short") == 0)
		say(INIT_EXITED, "12345", 5, NULL, 0);
	else if (strcmp(attack, "long") == 0)
		huge(INIT_EXITED);
	else if (strcmp(attack, "fds") == 0)
		many_fds(INIT_EXITED, 10);
	else if (strcmp(attack, "not-a-terminal") == 0)
		with_fd(INIT_STARTED, file());
	else if (strcmp(attack, "terminal") == 0)
		with_fd(INIT_STARTED, open("/dev/ptmx", O_RDWR | O_NOCTTY | O_CLOEXEC));
	else if (strcmp(attack, "filter-none") == 0)
		say_event(INIT_FILTER, &(struct init_event){ .command = 1 });
	else if (strcmp(attack, "filter-file") == 0)
		with_fd(INIT_FILTER, file());
	else if (strcmp(attack, "filter-counter") == 0)
		with_fd(INIT_FILTER, counter());
	else if (strcmp(attack, "started-twice") == 0)
		started(1);
	else if (strcmp(attack, "other-command") == 0)
		say_event(INIT_EXITED, &(struct init_event){ .command = 7 });
	else if (strcmp(attack, "exit-range") == 0)
		say_event(INIT_EXITED, &(struct init_event){ .command = 1, .code = 999 });
	else if (strcmp(attack, "signal-range") == 0)
		say_event(INIT_EXITED,
			  &(struct init_event){ .command = 1, .code = -1, .signal = 200 });
	else if (strcmp(attack, "not-started-range") == 0)
		say_event(INIT_NOT_STARTED, &(struct init_event){ .command = 1, .code = 0 });
	else if (strcmp(attack, "list") == 0)
		say_event(INIT_PROCESS, &(struct init_event){ .pid = 5, .name = "x" });
	else if (strcmp(attack, "list-end") == 0)
		say(INIT_LIST_END, "", 0, NULL, 0);
	else if (strcmp(attack, "shut") == 0)
		(void)close(INIT_CHANNEL_FD);
	else if (strcmp(attack, "die") == 0)
		_exit(3);
	else if (strcmp(attack, "flood") == 0)
		flood();
}

int main(void)
{
	char attack[64] = { 0 };
	(void)gethostname(attack, sizeof(attack) - 1);

	if (strcmp(attack, "silent") != 0) {
		before(attack);
		/* CONFIGURE, then SPAWN. */
		(void)init_channel_recv(INIT_CHANNEL_FD, &packet, 0);
		init_packet_close(&packet);
		(void)init_channel_recv(INIT_CHANNEL_FD, &packet, 0);
		init_packet_close(&packet);
		started(1);
		after(attack);
	}
	for (;;)
		(void)pause();
}
