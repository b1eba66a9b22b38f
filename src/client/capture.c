/* SPDX-License-Identifier: Apache-2.0 */
/* capture.c - a stream of a command, kept in memory up to a bound */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "client/client.h"

#define FIRST_ROOM_BYTES 4096

void capture_fini(struct capture *capture)
{
	fd_close(&capture->fd);
	free(capture->bytes);
	capture->bytes = NULL;
	capture->len = capture->room = 0;
}

/* Room for @n more bytes and the NUL; what is beyond the bound never needs any. */
static bool reserve(struct capture *capture, size_t n)
{
	size_t room = capture->room > 0 ? capture->room : FIRST_ROOM_BYTES;
	while (room - 1 < capture->len + n)
		room *= 2;
	if (room == capture->room)
		return true;
	char *bytes = realloc(capture->bytes, room);
	if (!bytes)
		return false;
	capture->bytes = bytes;
	capture->room = room;
	return true;
}

static bool keep(struct capture *capture, const char *bytes, size_t n)
{
	size_t kept = MIN(n, capture->max_bytes - capture->len);
	capture->n_dropped_bytes += n - kept;
	if (kept == 0)
		return true;
	if (!reserve(capture, kept))
		return false;
	memcpy(capture->bytes + capture->len, bytes, kept);
	capture->len += kept;
	capture->bytes[capture->len] = '\0';
	return true;
}

bool capture_pump(struct capture *capture)
{
	char bytes[16384];
	/* A few rounds, so that one stream cannot keep the others waiting. */
	for (int round = 0; round < 64 && capture->fd >= 0; round++) {
		ssize_t n = read(capture->fd, bytes, sizeof(bytes));
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 && errno == EAGAIN)
			return true;
		if (n <= 0)
			fd_close(&capture->fd);
		else if (!keep(capture, bytes, (size_t)n))
			return false;
	}
	return true;
}
