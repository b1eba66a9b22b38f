/* SPDX-License-Identifier: Apache-2.0 */
/*
 * content_main.c - foso-content: looks into what a sandbox wrote
 *
 * foso-workspace starts it with a socket as stdin and nothing else; it gives up its rights, then
 * answers questions until the socket ends.  It is apart from foso-workspace, which can write to
 * the host, because diffs and configs are parsed here.
 */
#include <errno.h>
#include <git2.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "confine/confine.h"
#include "confine/reader.h"
#include "workspacetool/content.h"
#include "workspacetool/git_config.h"

#define SOCKET          0
#define MAX_MEMORY      (UINT64_C(1) << 30)
#define STATUS_UNUSABLE 125

static bool receive(void *bytes, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = read(SOCKET, (char *)bytes + at, len - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

static bool answer(const void *bytes, size_t len)
{
	for (size_t at = 0; at < len;) {
		ssize_t n = write(SOCKET, (const char *)bytes + at, len - at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return false;
		at += (size_t)n;
	}
	return true;
}

static enum content_status reply_to(const struct content_request *request, const char *before,
				    const char *now, struct content_answer *ret, struct buf *out)
{
	size_t n_before = (size_t)request->n_old, n_now = (size_t)request->n_new;
	if (request->question == CONTENT_PATCH)
		return content_patch(before, n_before, now, n_now, ret, out);
	return git_config_compare(before, n_before, now, n_now, out) ? CONTENT_TEXT : CONTENT_ODD;
}

static bool serve(void)
{
	struct content_request request;
	struct content_answer reply = { 0 };
	auto_buf struct buf out = BUF_INIT(CONTENT_MAX_ANSWER_BYTES);
	if (!receive(&request, sizeof(request)) || request.n_old > CONTENT_MAX_BYTES ||
	    request.n_new > CONTENT_MAX_BYTES)
		return false;
	auto_free char *before = malloc((size_t)request.n_old + 1);
	auto_free char *now = malloc((size_t)request.n_new + 1);
	if (!before || !now || !receive(before, (size_t)request.n_old) ||
	    !receive(now, (size_t)request.n_new))
		return false;
	reply.status = reply_to(&request, before, now, &reply, &out);
	if (reply.status != CONTENT_TEXT)
		buf_clear(&out);
	reply.n_bytes = out.len;
	return answer(&reply, sizeof(reply)) && answer(out.data, out.len);
}

int main(void)
{
	const struct confine_reader limits = { .memory_bytes = MAX_MEMORY, .cpu_seconds = 3600 };
	struct sockaddr_storage peer;
	socklen_t len = sizeof(peer);
	/* Started by hand it would only wait for what nobody sends. */
	if (getpeername(SOCKET, (struct sockaddr *)&peer, &len) < 0)
		return STATUS_UNUSABLE;
	/* Not even words on the terminal are its own to write, hence all but the socket goes. */
	if (git_libgit2_init() < 0)
		return STATUS_UNUSABLE;
	if (confine_close_fds(SOCKET + 1) != 0 || confine_reader(&limits) != 0)
		return STATUS_UNUSABLE;
	while (serve())
		;
	/* Its end is the end of the process: nothing is given back in order. */
	_exit(0);
}
