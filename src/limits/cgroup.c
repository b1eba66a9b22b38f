/* SPDX-License-Identifier: Apache-2.0 */
/* cgroup.c - one interface over the two versions: checks, dispatch and what both share */
#include "limits/cgroup.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "limits/cgroup_private.h"

static const struct cgroup_ops *ops_get(const struct cgroup *cgroup)
{
	switch (cgroup->host.version) {
	case CGROUP_V1:
		return &cgroup_v1_ops;
	case CGROUP_V2:
		return &cgroup_v2_ops;
	case CGROUP_NONE:
		break;
	}
	return NULL;
}

void cgroup_init(struct cgroup *cgroup)
{
	memset(cgroup, 0, sizeof(*cgroup));
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++)
		cgroup->dir_fd[i] = -1;
	cgroup->parent_fd = cgroup->group_fd = cgroup->agent_fd = -1;
	cgroup->kill_fd = cgroup->cpu_fd = -1;
	cgroup->memory_event_fd = cgroup->pids_event_fd = -1;
	cgroup->oom_fd = cgroup->refused_fd = -1;
	cgroup->owner_uid = (uid_t)-1;
	cgroup->owner_gid = (gid_t)-1;
}

static void cgroup_close(struct cgroup *cgroup)
{
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++)
		fd_close(&cgroup->dir_fd[i]);
	fd_close(&cgroup->parent_fd);
	fd_close(&cgroup->group_fd);
	fd_close(&cgroup->agent_fd);
	fd_close(&cgroup->kill_fd);
	fd_close(&cgroup->cpu_fd);
	fd_close(&cgroup->memory_event_fd);
	fd_close(&cgroup->pids_event_fd);
	fd_close(&cgroup->oom_fd);
	fd_close(&cgroup->refused_fd);
}

/* The id becomes a file name and must not reach beyond its folder. */
bool cgroup_id_is_valid(const char *id)
{
	size_t len = strlen(id);
	if (len == 0 || len >= sizeof(((struct cgroup *)0)->id) || strcmp(id, "self") == 0)
		return false;
	return strspn(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-") ==
	       len;
}

static kept_apart void create_undo(struct cgroup *cgroup)
{
	struct error_list ignored = { 0 };
	cgroup_destroy(cgroup, 0, &ignored);
	cgroup_close(cgroup);
	cgroup->host.version = CGROUP_NONE;
}

int cgroup_create(struct cgroup *ret, const struct cgroup_host *host,
		  const struct cgroup_options *options, struct error *err)
{
	cgroup_init(ret);
	if (!cgroup_id_is_valid(options->id)) {
		int result = error_set(err, ERR_INVALID, 0, options->id, "is not a sandbox id");
		return error_remedy(err, result, "use 1 to 31 letters, digits, '-' and '_'");
	}
	if (host->version == CGROUP_NONE) {
		int result = error_set(err, ERR_UNSUPPORTED, 0, "cgroup", "%s", host->lack);
		return error_remedy(err, result, "%s", host->remedy);
	}
	ret->host = *host;
	ret->owner_uid = options->owner_uid;
	ret->owner_gid = options->owner_gid;
	(void)snprintf(ret->id, sizeof(ret->id), "%s", options->id);

	const struct cgroup_ops *ops = ops_get(ret);
	int result = ops ? ops->create(ret, options, err) : 0;
	if (result < 0)
		create_undo(ret);
	return result;
}

int cgroup_finish(struct cgroup *cgroup, const struct policy_limits *limits, struct error *err)
{
	const struct cgroup_ops *ops = ops_get(cgroup);
	return ops ? ops->finish(cgroup, limits, err) : 0;
}

int cgroup_entry_open(struct cgroup *cgroup, unsigned command, struct cgroup_entry *ret,
		      struct error *err)
{
	struct cgroup_entry entry = { .clone_fd = -1 };
	const struct cgroup_ops *ops = ops_get(cgroup);
	if (ops) {
		int result = ops->entry_open(cgroup, command, &entry, err);
		if (result < 0) {
			cgroup_entry_close(&entry);
			return result;
		}
	}
	*ret = entry;
	return 0;
}

void cgroup_entry_close(struct cgroup_entry *entry)
{
	fd_close(&entry->clone_fd);
	for (size_t i = 0; i < entry->n_task_fds; i++)
		fd_close(&entry->task_fds[i]);
	entry->n_task_fds = 0;
}

static int move_in(const struct cgroup_entry *entry, const char *pid)
{
	for (size_t i = 0; i < entry->n_task_fds; i++) {
		ssize_t n_written, len = (ssize_t)strlen(pid);
		do {
			n_written = write(entry->task_fds[i], pid, (size_t)len);
		} while (n_written < 0 && errno == EINTR);
		if (n_written != len)
			return n_written < 0 ? errno : EIO;
	}
	return 0;
}

int cgroup_entry_join(const struct cgroup_entry *entry)
{
	return move_in(entry, "0");
}

int cgroup_entry_put(const struct cgroup_entry *entry, pid_t pid)
{
	char text[16];
	(void)snprintf(text, sizeof(text), "%d", (int)pid);
	return move_in(entry, text);
}

void cgroup_usage_read(struct cgroup *cgroup, struct cgroup_usage *ret)
{
	memset(ret, 0, sizeof(*ret));
	const struct cgroup_ops *ops = ops_get(cgroup);
	if (ops)
		ops->usage_read(cgroup, ret);
}

void cgroup_hits_read(struct cgroup *cgroup, struct cgroup_usage *ret)
{
	const struct cgroup_ops *ops = ops_get(cgroup);
	if (ops)
		ops->hits_read(cgroup, ret);
}

uint64_t cgroup_cpu_ns(struct cgroup *cgroup)
{
	const struct cgroup_ops *ops = ops_get(cgroup);
	return ops ? ops->cpu_ns(cgroup) : 0;
}

int cgroup_watch(struct cgroup *cgroup, int epoll_fd, uint64_t tag, struct error *err)
{
	const struct cgroup_ops *ops = ops_get(cgroup);
	return ops ? ops->watch(cgroup, epoll_fd, tag, err) : 0;
}

int cgroup_kill(struct cgroup *cgroup, unsigned command, struct error *err)
{
	const struct cgroup_ops *ops = ops_get(cgroup);
	return ops ? ops->kill(cgroup, command, err) : 0;
}

int cgroup_command_remove(struct cgroup *cgroup, unsigned command)
{
	const struct cgroup_ops *ops = ops_get(cgroup);
	return ops ? ops->command_remove(cgroup, command) : 0;
}

size_t cgroup_pids(struct cgroup *cgroup, unsigned command, pid_t *pids, size_t max)
{
	const struct cgroup_ops *ops = ops_get(cgroup);
	auto_fd int fd = ops ? ops->command_open(cgroup, command) : -1;
	return fd < 0 ? 0 : cgroup_tree_pids(fd, pids, max);
}

void cgroup_destroy(struct cgroup *cgroup, unsigned wait_ms, struct error_list *leftovers)
{
	const struct cgroup_ops *ops = ops_get(cgroup);
	if (!ops)
		return;
	/* What stays can be tried again: the descriptors are kept for it. */
	if (!ops->destroy(cgroup, cgroup_clock_ns() + wait_ms * 1000000ULL, leftovers))
		return;
	cgroup_close(cgroup);
	cgroup->host.version = CGROUP_NONE; /* a second call has nothing to do */
}
