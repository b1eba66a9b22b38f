/* SPDX-License-Identifier: Apache-2.0 */
/*
 * poll.c - poll_oneoff: waiting for clocks and streams
 *
 * It waits in the kernel, so whoever ends the worker by a signal ends the wait.
 *
 * Subscription, 48 bytes: u64 userdata, u8 tag at 8 (clock, read, write); a clock has u32 id at
 * 16, u64 timeout at 24, u64 precision at 32, u16 flags at 40; a stream has its number at 16.
 * Event, 32 bytes: u64 userdata, u16 errno at 8, u8 tag at 10, u64 bytes at 16, u16 flags at 24.
 */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <time.h>

#include "base/macros.h"
#include "wasm/wasi/guest.h"

#define SUBSCRIPTION_BYTES 48
#define EVENT_BYTES        32

enum { TAG_CLOCK, TAG_READ, TAG_WRITE, N_TAGS };

#define CLOCK_FLAG_ABSOLUTE  1
#define EVENT_FLAG_HANGUP    1
#define UNITS_PER_SUBSCRIBER 100

struct subscriptions {
	const uint8_t *in;
	size_t n;
	int64_t wait_ns[WASI_MAX_SUBSCRIPTIONS]; /* of clocks, from now */
	uint32_t failure[WASI_MAX_SUBSCRIPTIONS];
	struct pollfd fds[WASI_MAX_SUBSCRIPTIONS];
	int64_t least_ns; /* INT64_MAX: no clock */
};

static int64_t now_ns(clockid_t clock)
{
	struct timespec now = { 0 };
	(void)clock_gettime(clock, &now);
	return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

static void read_clock(struct subscriptions *all, size_t i, const uint8_t *at)
{
	static const clockid_t clocks[] = { CLOCK_REALTIME, CLOCK_MONOTONIC };
	uint32_t id = guest_u32(at + 16);
	uint16_t flags = guest_u16(at + 40);
	if (id >= ARRAY_LEN(clocks) || flags > CLOCK_FLAG_ABSOLUTE) {
		all->failure[i] =
			id < 4 && flags <= CLOCK_FLAG_ABSOLUTE ? WASI_ENOTSUP : WASI_EINVAL;
		return;
	}
	int64_t timeout_ns = (int64_t)MIN(guest_u64(at + 24), (uint64_t)INT64_MAX);
	if (flags & CLOCK_FLAG_ABSOLUTE)
		timeout_ns = MAX(timeout_ns - now_ns(clocks[id]), (int64_t)0);
	all->wait_ns[i] = timeout_ns;
	all->least_ns = MIN(all->least_ns, timeout_ns);
}

static void read_stream(struct wasi *wasi, struct subscriptions *all, size_t i, const uint8_t *at)
{
	const struct wasi_file *stream = wasi_file(wasi, guest_u32(at + 16));
	if (!stream)
		all->failure[i] = WASI_EBADF;
	else if (!(stream->rights & WASI_RIGHT_POLL_FD_READWRITE))
		all->failure[i] = WASI_ENOTCAPABLE;
	else
		all->fds[i] = (struct pollfd){ .fd = stream->fd,
					       .events = at[8] == TAG_READ ? POLLIN : POLLOUT };
}

static uint32_t read_all(struct wasi *wasi, struct subscriptions *all)
{
	for (size_t i = 0; i < all->n; i++) {
		const uint8_t *at = all->in + i * SUBSCRIPTION_BYTES;
		all->fds[i] = (struct pollfd){ .fd = -1 };
		all->failure[i] = WASI_SUCCESS;
		all->wait_ns[i] = INT64_MAX;
		if (at[8] >= N_TAGS)
			return WASI_EINVAL;
		if (at[8] == TAG_CLOCK)
			read_clock(all, i, at);
		else
			read_stream(wasi, all, i, at);
		if (all->failure[i] != WASI_SUCCESS)
			all->least_ns = 0;
	}
	return WASI_SUCCESS;
}

static uint32_t wait_for(struct subscriptions *all, int64_t *ret_waited_ns)
{
	int64_t start_ns = now_ns(CLOCK_MONOTONIC);
	struct timespec left, *timeout = NULL;
	for (;;) {
		int64_t waited_ns = now_ns(CLOCK_MONOTONIC) - start_ns;
		if (all->least_ns != INT64_MAX) {
			int64_t left_ns = MAX(all->least_ns - waited_ns, (int64_t)0);
			left = (struct timespec){ left_ns / 1000000000, left_ns % 1000000000 };
			timeout = &left;
		}
		int n = ppoll(all->fds, all->n, timeout, NULL);
		*ret_waited_ns = now_ns(CLOCK_MONOTONIC) - start_ns;
		if (n >= 0)
			return WASI_SUCCESS;
		if (errno != EINTR)
			return wasi_errno_of(errno);
	}
}

/* What has come true, written to @out; a copy, since the guest may have let them overlap. */
static uint32_t tell(const struct subscriptions *all, int64_t waited_ns, uint8_t *out)
{
	uint32_t n_events = 0;
	for (size_t i = 0; i < all->n; i++) {
		const uint8_t *at = all->in + i * SUBSCRIPTION_BYTES;
		bool is_due = at[8] == TAG_CLOCK ? waited_ns >= all->wait_ns[i]
						 : all->fds[i].fd >= 0 && all->fds[i].revents != 0;
		if (all->failure[i] == WASI_SUCCESS && !is_due)
			continue;
		uint8_t *event = out + (size_t)n_events++ * EVENT_BYTES;
		memset(event, 0, EVENT_BYTES);
		guest_put_u64(event, guest_u64(at));
		guest_put_u16(event + 8, (uint16_t)all->failure[i]);
		event[10] = at[8];
		if (all->fds[i].revents & POLLIN)
			guest_put_u64(event + 16, 1);
		if (all->fds[i].revents & POLLHUP)
			guest_put_u16(event + 24, EVENT_FLAG_HANGUP);
	}
	return n_events;
}

uint32_t wasi_poll_oneoff(struct wasi *wasi, const uint64_t *args)
{
	static uint8_t in[WASI_MAX_SUBSCRIPTIONS * SUBSCRIPTION_BYTES];
	static struct subscriptions all;
	uint64_t n = args[2];
	int64_t waited_ns = 0;
	if (n == 0 || n > WASI_MAX_SUBSCRIPTIONS)
		return WASI_EINVAL;
	const uint8_t *source = guest_at(wasi, args[0], n * SUBSCRIPTION_BYTES);
	uint8_t *out = guest_at(wasi, args[1], n * EVENT_BYTES);
	if (!source || !out || !guest_at(wasi, args[3], 4))
		return WASI_EFAULT;
	if (!wasi_pay(wasi, n * UNITS_PER_SUBSCRIBER))
		return WASI_OUT_OF_FUEL;
	memcpy(in, source, n * SUBSCRIPTION_BYTES);
	all.in = in;
	all.n = n;
	all.least_ns = INT64_MAX;
	uint32_t r = read_all(wasi, &all);
	if (r == WASI_SUCCESS)
		r = wait_for(&all, &waited_ns);
	if (r != WASI_SUCCESS)
		return r;
	return guest_store_u32(wasi, args[3], tell(&all, waited_ns, out));
}
