/* SPDX-License-Identifier: Apache-2.0 */
/* life.c - the object behind runs and sandboxes */
#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/wait.h>

#include "base/cleanup.h"
#include "client/client.h"

struct foso_sandbox *client_sandbox_new(bool is_session)
{
	struct foso_sandbox *sandbox = calloc(1, sizeof(*sandbox));
	if (!sandbox)
		return NULL;
	sandbox->is_session = is_session;
	sandbox->control_fd = sandbox->record_fd = sandbox->epoll_fd = -1;
	return sandbox;
}

/* A monitor whose socket closes ends its sandbox, and then itself. */
struct foso_sandbox *client_sandbox_free(struct foso_sandbox *sandbox)
{
	if (!sandbox)
		return NULL;
	fd_close(&sandbox->control_fd);
	while (sandbox->pid > 0 && waitpid(sandbox->pid, NULL, 0) < 0 && errno == EINTR)
		continue;
	fd_close(&sandbox->record_fd);
	fd_close(&sandbox->epoll_fd);
	free(sandbox->record);
	free(sandbox);
	return NULL;
}

void client_run_add(struct foso_sandbox *sandbox, struct foso_run *run)
{
	struct epoll_event event = { .events = EPOLLIN };
	run->sandbox = sandbox;
	run->next = sandbox->runs;
	sandbox->runs = run;
	for (size_t i = 0; i < ARRAY_LEN(run->captures); i++) {
		/* Unwatched, it would only be read later: with the news of the end. */
		if (run->captures[i].fd >= 0)
			(void)epoll_ctl(sandbox->epoll_fd, EPOLL_CTL_ADD, run->captures[i].fd,
					&event);
	}
}
