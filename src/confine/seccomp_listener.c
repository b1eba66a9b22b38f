/* SPDX-License-Identifier: Apache-2.0 */
/*
 * seccomp_listener.c - answer denied calls with an errno, and count them
 *
 * The answer never depends on anything but the number of the call: nothing of the caller's
 * memory is read and no call is continued, so there is nothing to race with.  A caller that
 * dies between its call and the answer makes RECV or SEND fail with ENOENT, which is no error.
 */
#include <errno.h>
#include <linux/seccomp.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "confine/seccomp.h"

#define MAX_SERVED 256 /* per call, so that a flood of denied calls does not starve the monitor */

/*
 * A newer kernel may have longer structures; it writes as many bytes as it knows, whatever this
 * build knows.  Both have been 80 and 24 bytes since 5.0.
 */
#define MAX_NOTIFICATION_BYTES 512

union notification {
	struct seccomp_notif notif;
	char bytes[MAX_NOTIFICATION_BYTES];
};

union answer {
	struct seccomp_notif_resp resp;
	char bytes[MAX_NOTIFICATION_BYTES];
};

static void denials_count(struct seccomp_denials *denials, uint32_t audit_arch, uint32_t number)
{
	for (size_t i = 0; i < denials->n_items; i++) {
		if (denials->items[i].audit_arch == audit_arch &&
		    denials->items[i].number == number) {
			denials->items[i].n_calls++;
			return;
		}
	}
	if (denials->n_items == SECCOMP_MAX_DENIALS) {
		denials->n_other++;
		return;
	}
	denials->items[denials->n_items].audit_arch = audit_arch;
	denials->items[denials->n_items].number = number;
	denials->items[denials->n_items++].n_calls = 1;
}

int seccomp_listener_check(struct error *err)
{
	struct seccomp_notif_sizes sizes;
	if (syscall(SYS_seccomp, SECCOMP_GET_NOTIF_SIZES, 0, &sizes) < 0)
		return error_remedy(err,
				    error_set(err, ERR_SYSTEM, errno, "seccomp listener",
					      "the kernel does not tell the size of notifications"),
				    "use Linux 5.0 or later");
	if (sizes.seccomp_notif > MAX_NOTIFICATION_BYTES ||
	    sizes.seccomp_notif_resp > MAX_NOTIFICATION_BYTES)
		return error_remedy(err,
				    error_set(err, ERR_UNSUPPORTED, 0, "seccomp listener",
					      "notifications of this kernel have %u bytes",
					      sizes.seccomp_notif),
				    "use a foso that is as new as the kernel");
	return 0;
}

enum served { SERVED_ONE, SERVED_NONE, SERVED_GONE, SERVED_FAILED };

/* RECV blocks while nothing is pending, so it is only called after poll() has seen something. */
static enum served listener_poll(int listener_fd)
{
	struct pollfd pollfd = { .fd = listener_fd, .events = POLLIN };
	int n_ready = poll(&pollfd, 1, 0);
	if (n_ready < 0)
		return errno == EINTR ? SERVED_NONE : SERVED_FAILED;
	if (n_ready == 0)
		return SERVED_NONE;
	if (pollfd.revents & POLLIN)
		return SERVED_ONE;
	errno = EBADF;
	return pollfd.revents & POLLHUP ? SERVED_GONE : SERVED_FAILED;
}

static enum served listener_serve_one(int listener_fd, struct seccomp_denials *denials)
{
	enum served polled = listener_poll(listener_fd);
	if (polled != SERVED_ONE)
		return polled;
	/* The kernel wants its structure zeroed (EINVAL otherwise). */
	union notification notification;
	memset(&notification, 0, sizeof(notification));
	if (syscall(SYS_ioctl, listener_fd, SECCOMP_IOCTL_NOTIF_RECV, &notification) < 0)
		return errno == ENOENT || errno == EINTR ? SERVED_ONE : SERVED_FAILED;
	const struct seccomp_data *call = &notification.notif.data;
	denials_count(denials, call->arch, (uint32_t)call->nr);
	union answer answer;
	memset(&answer, 0, sizeof(answer));
	answer.resp.id = notification.notif.id;
	answer.resp.error = -seccomp_deny_errno(call->arch, (uint32_t)call->nr);
	if (syscall(SYS_ioctl, listener_fd, SECCOMP_IOCTL_NOTIF_SEND, &answer) < 0 &&
	    errno != ENOENT)
		return SERVED_FAILED;
	return SERVED_ONE;
}

int seccomp_listener_serve(int listener_fd, struct seccomp_denials *denials, struct error *err)
{
	enum served served = SERVED_ONE;
	for (unsigned i = 0; i < MAX_SERVED && served == SERVED_ONE; i++)
		served = listener_serve_one(listener_fd, denials);
	if (served != SERVED_FAILED)
		return served == SERVED_GONE ? 1 : 0;
	int result = error_set(err, ERR_SYSTEM, errno, "seccomp listener",
			       "denied calls cannot be answered");
	return error_remedy(err, result, "this is a fault of foso or of the kernel: report it");
}
