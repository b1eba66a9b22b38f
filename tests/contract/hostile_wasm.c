/* SPDX-License-Identifier: Apache-2.0 */
/*
 * hostile_wasm.c - a foso-wasm that lies
 *
 * Takes the place of foso-wasm in a staged folder: as if a module had taken it over.  limits.fuel
 * is the number of the attack (tests/contract/hostile_wasm_test has the same table in the same
 * order); it then waits for its end.
 */
#include <fcntl.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "wire/codec.h"
#include "wire/packet.h"
#include "wire/wasm_messages.h"

static struct wasm_packet packet;

static void say(unsigned number, const void *payload, size_t len, const int *fds, size_t n_fds)
{
	(void)packet_send(WASM_CHANNEL_FD, number, payload, len, fds, n_fds);
}

static void send_raw(const void *bytes, size_t len)
{
	(void)send(WASM_CHANNEL_FD, bytes, len, MSG_NOSIGNAL);
}

static void many_fds(unsigned number, size_t n_fds)
{
	int fds[PACKET_MAX_FDS];
	for (size_t i = 0; i < n_fds; i++)
		fds[i] = 0;
	say(number, "", 0, fds, n_fds);
}

static void started(unsigned command)
{
	char storage[16];
	struct buf bytes = BUF_ON(storage, sizeof(storage) - 1);
	wire_put_u32(&bytes, command);
	say(WASM_STARTED, bytes.data, bytes.len, NULL, 0);
}

static void ended(const struct wasm_ended *how)
{
	char storage[1024];
	struct buf bytes = BUF_ON(storage, sizeof(storage) - 1);
	wasm_ended_encode(how, &bytes);
	say(WASM_ENDED, bytes.data, bytes.len, NULL, 0);
}

static void failed(const char *subject, const char *message)
{
	char storage[1024];
	struct buf bytes = BUF_ON(storage, sizeof(storage) - 1);
	struct wasm_failed words = { .remedy = "x" };
	(void)snprintf(words.subject, sizeof(words.subject), "%s", subject);
	(void)snprintf(words.message, sizeof(words.message), "%s", message);
	wasm_failed_encode(&words, &bytes);
	say(WASM_FAILED, bytes.data, bytes.len, NULL, 0);
}

/* An end of which one byte is another. */
static void ended_with(size_t at, uint8_t byte)
{
	char storage[1024];
	struct buf bytes = BUF_ON(storage, sizeof(storage) - 1);
	const struct wasm_ended how = { .command = 1, .end = WASM_END_TRAP };
	wasm_ended_encode(&how, &bytes);
	bytes.data[at] = (char)byte;
	say(WASM_ENDED, bytes.data, bytes.len, NULL, 0);
}

/* Takes what is said to it, as long as there is something. */
static void listen_to(void)
{
	while (wasm_channel_recv(WASM_CHANNEL_FD, &packet, 0) == 0)
		wasm_packet_close(&packet);
}

/* The order comes after READY, and what it brings before it does not matter. */
static void await_order(void)
{
	do
		wasm_packet_close(&packet);
	while (wasm_channel_recv(WASM_CHANNEL_FD, &packet, 0) == 0 &&
	       packet.number != WASM_EXECUTE);
	wasm_packet_close(&packet);
}

static void early_start(void)
{
	started(1);
}

static void early_end(void)
{
	ended(&(struct wasm_ended){ .command = 1 });
}

static void compiled_twice(void)
{
	say(WASM_COMPILED, "", 0, NULL, 0);
	say(WASM_COMPILED, "", 0, NULL, 0);
}

static void ready_uncompiled(void)
{
	say(WASM_READY, "", 0, NULL, 0);
}

static void failed_forged(void)
{
	failed("\033[2Jmodule", "\033[2J\nfoso: all is well");
}

static void failed_empty(void)
{
	failed("", "");
}

static void leave(void)
{
	_exit(0);
}

static void shut(void)
{
	(void)close(WASM_CHANNEL_FD);
}

static void ready_fds(void)
{
	many_fds(WASM_READY, 3);
}

static void ready_twice(void)
{
	say(WASM_READY, "", 0, NULL, 0);
}

static void unknown(void)
{
	say(99, "", 0, NULL, 0);
}

static void above(void)
{
	static const unsigned char bytes[] = { 16, 1, 0, 0 };
	send_raw(bytes, sizeof(bytes));
}

static void half(void)
{
	static const unsigned char bytes[] = { 19, 0 };
	send_raw(bytes, sizeof(bytes));
}

static void empty(void)
{
	send_raw("", 0);
}

static void order(void)
{
	say(WASM_EXECUTE, "x", 1, NULL, 0);
}

static void truncated(void)
{
	say(WASM_ENDED, "12345", 5, NULL, 0);
}

static void huge(void)
{
	static char bytes[100000];
	say(WASM_ENDED, bytes, sizeof(bytes), NULL, 0);
}

static void end_fds(void)
{
	many_fds(WASM_ENDED, 10);
}

static void start_twice(void)
{
	started(1);
}

static void start_other(void)
{
	started(7);
}

static void start_none(void)
{
	started(0);
}

static void end_other(void)
{
	ended(&(struct wasm_ended){ .command = 7 });
}

static void end_none(void)
{
	ended(&(struct wasm_ended){ .command = 0 });
}

static void exit_range(void)
{
	ended(&(struct wasm_ended){ .command = 1, .code = 999 });
}

static void signal_range(void)
{
	ended(&(struct wasm_ended){ .command = 1, .end = WASM_END_SIGNAL, .code = 200 });
}

static void signal_none(void)
{
	ended(&(struct wasm_ended){ .command = 1, .end = WASM_END_SIGNAL, .code = 0 });
}

static void end_kind(void)
{
	ended_with(4, 200);
}

static void trap_kind(void)
{
	ended_with(9, 200);
}

static void late_failure(void)
{
	failed("module", "is not valid");
}

static void late_code(void)
{
	say(WASM_COMPILED, "", 0, NULL, 0);
}

static void flood(void)
{
	for (;;)
		started(1);
}

/* A name of a function that a terminal would obey. */
static void forged_trap(void)
{
	struct wasm_ended how = { .command = 1, .end = WASM_END_TRAP, .function = 1 };
	(void)snprintf(how.name, sizeof(how.name), "\033[2J\nfoso: all is well");
	ended(&how);
}

/* Numbers that no host has: they are only told. */
static void vast(void)
{
	ended(&(struct wasm_ended){ .command = 1,
				    .fuel = UINT64_MAX,
				    .cpu_ns = UINT64_MAX,
				    .memory_peak_bytes = UINT64_MAX,
				    .n_memory_refusals = UINT64_MAX });
}

static void quiet(void)
{
}

static const struct attack {
	void (*act)(void);
	unsigned when; /* 0: in place of all; 1: after READY; 2: after STARTED */
} attacks[] = {
	{ quiet, 0 },
	{ early_start, 0 },
	{ early_end, 0 },
	{ compiled_twice, 0 },
	{ ready_uncompiled, 0 },
	{ failed_forged, 0 },
	{ failed_empty, 0 },
	{ leave, 0 },
	{ shut, 0 },
	{ ready_fds, 0 },
	{ ready_twice, 2 },
	{ unknown, 2 },
	{ above, 2 },
	{ half, 2 },
	{ empty, 2 },
	{ order, 2 },
	{ truncated, 2 },
	{ huge, 2 },
	{ end_fds, 2 },
	{ start_twice, 2 },
	{ start_other, 2 },
	{ start_none, 1 },
	{ end_other, 2 },
	{ end_none, 2 },
	{ exit_range, 2 },
	{ signal_range, 2 },
	{ signal_none, 2 },
	{ end_kind, 2 },
	{ trap_kind, 2 },
	{ late_failure, 2 },
	{ late_code, 2 },
	{ leave, 2 },
	{ shut, 2 },
	{ flood, 2 },
	{ quiet, 2 },
	{ forged_trap, 2 },
	{ vast, 2 },
};

int main(void)
{
	static struct wasm_configure configure;
	if (wasm_channel_recv(WASM_CHANNEL_FD, &packet, 0) != 0 ||
	    !wasm_configure_decode(&configure, packet.bytes, packet.len) ||
	    configure.fuel - 1 >= sizeof(attacks) / sizeof(attacks[0]))
		return 1;
	const struct attack *attack = &attacks[configure.fuel - 1];
	if (attack->when > 0) {
		say(WASM_COMPILED, "", 0, NULL, 0);
		say(WASM_READY, "", 0, NULL, 0);
		await_order();
	}
	if (attack->when > 1)
		started(1);
	attack->act();
	listen_to();
	for (;;)
		(void)pause();
}
