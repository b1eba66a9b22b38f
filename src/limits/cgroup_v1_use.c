/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_v1_use.c - version 1: counters, events, killing and removal
 *
 * Every hierarchy of the sandbox holds all of its processes, so any of its groups can be listed;
 * only the freezer hierarchy knows single commands.
 */
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "limits/cgroup_private.h"

#define FREEZE_NS    50000000ULL
#define OOM_COUNT_NS 20000000ULL
#define PIDS_LOOK_NS 100000000L

static uint64_t file_u64(int dir_fd, const char *name)
{
	char text[64];
	(void)cgroup_file_read(dir_fd, name, text, sizeof(text));
	return cgroup_text_u64(text);
}

/* A counter that is looked at more than once: opened by the first look, kept in *@fd. */
static uint64_t kept_file_key(int *fd, int dir_fd, const char *name, const char *key)
{
	char text[512];
	if (*fd < 0)
		*fd = openat(dir_fd, name, O_RDONLY | O_CLOEXEC);
	return *fd >= 0 && cgroup_fd_read(*fd, text, sizeof(text)) > 0 ? cgroup_text_key(text, key)
								       : 0;
}

static uint64_t v1_cpu_ns(struct cgroup *cgroup)
{
	int dir_fd = cgroup_v1_dir(cgroup, CGROUP_CPUACCT);
	if (dir_fd < 0)
		return 0;
	if (cgroup->cpu_fd < 0)
		cgroup->cpu_fd = openat(dir_fd, "cpuacct.usage", O_RDONLY | O_CLOEXEC);
	char text[32];
	if (cgroup->cpu_fd < 0 || cgroup_fd_read(cgroup->cpu_fd, text, sizeof(text)) == 0)
		return 0;
	return cgroup_text_u64(text);
}

/*
 * The kernel signals the event when memory has run out, and counts the kill when it has chosen
 * its victim, a moment later.  A caller that compares counters would see nothing and wait for an
 * event that has been; so after an event the count is waited for, for a bounded time.
 */
static uint64_t oom_kills_read(struct cgroup *cgroup, int dir_fd)
{
	uint64_t n_events = 0;
	bool is_due = cgroup->memory_event_fd >= 0 &&
		      read(cgroup->memory_event_fd, &n_events, sizeof(n_events)) > 0;
	uint64_t deadline_ns = is_due ? cgroup_clock_ns() + OOM_COUNT_NS : 0;
	uint64_t n_kills;
	for (unsigned step = 0;; cgroup_nap(deadline_ns, &step)) {
		n_kills = kept_file_key(&cgroup->oom_fd, dir_fd, "memory.oom_control", "oom_kill");
		if (!is_due || n_kills != cgroup->oom_kills_seen ||
		    cgroup_clock_ns() >= deadline_ns)
			break;
	}
	cgroup->oom_kills_seen = n_kills;
	return n_kills;
}

static uint64_t pids_refused_read(struct cgroup *cgroup, int dir_fd)
{
	uint64_t n_ticks;
	if (cgroup->pids_event_fd >= 0)
		(void)!read(cgroup->pids_event_fd, &n_ticks, sizeof(n_ticks)); /* rearms it */
	return kept_file_key(&cgroup->refused_fd, dir_fd, "pids.events", "max");
}

static void v1_hits_read(struct cgroup *cgroup, struct cgroup_usage *ret)
{
	int memory_fd = cgroup_v1_dir(cgroup, CGROUP_MEMORY);
	int pids_fd = cgroup_v1_dir(cgroup, CGROUP_PIDS);
	if (memory_fd >= 0)
		ret->oom_kills = oom_kills_read(cgroup, memory_fd);
	if (pids_fd >= 0)
		ret->pids_refused = pids_refused_read(cgroup, pids_fd);
}

static void peaks_read(struct cgroup *cgroup, struct cgroup_usage *ret)
{
	int memory_fd = cgroup_v1_dir(cgroup, CGROUP_MEMORY);
	int pids_fd = cgroup_v1_dir(cgroup, CGROUP_PIDS);
	if (memory_fd >= 0)
		ret->memory_peak_bytes =
			file_u64(memory_fd, cgroup->host.has_swap_limit
						    ? "memory.memsw.max_usage_in_bytes"
						    : "memory.max_usage_in_bytes");
	if (pids_fd >= 0)
		ret->pids_peak = file_u64(pids_fd, "pids.peak");
}

/* Lines "MAJOR:MINOR Read BYTES", one set per device; the totals are left out. */
static void io_usage(struct cgroup *cgroup, struct cgroup_usage *ret)
{
	int dir_fd = cgroup_v1_dir(cgroup, CGROUP_IO);
	if (dir_fd < 0)
		return;
	char text[4096];
	(void)cgroup_file_read(dir_fd, "blkio.throttle.io_service_bytes", text, sizeof(text));
	for (const char *line = text; *line;) {
		const char *end = strchr(line, '\n');
		const char *word = strchr(line, ' ');
		if (!end || !word)
			return;
		if (word < end && strncmp(word, " Read ", 6) == 0)
			ret->io_read_bytes += cgroup_text_u64(word + 6);
		if (word < end && strncmp(word, " Write ", 7) == 0)
			ret->io_write_bytes += cgroup_text_u64(word + 7);
		line = end + 1;
	}
}

static void v1_usage_read(struct cgroup *cgroup, struct cgroup_usage *ret)
{
	v1_hits_read(cgroup, ret);
	ret->cpu_ns = v1_cpu_ns(cgroup);
	peaks_read(cgroup, ret);
	io_usage(cgroup, ret);
}

static int memory_event_open(struct cgroup *cgroup, int dir_fd)
{
	auto_fd int event_fd = eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC);
	cgroup->oom_fd = openat(dir_fd, "memory.oom_control", O_RDONLY | O_CLOEXEC);
	if (event_fd < 0 || cgroup->oom_fd < 0)
		return errno;
	char text[32];
	(void)snprintf(text, sizeof(text), "%d %d", event_fd, cgroup->oom_fd);
	int errnum = cgroup_file_write(dir_fd, "cgroup.event_control", text);
	if (errnum == 0)
		cgroup->memory_event_fd = take_fd(&event_fd);
	return errnum;
}

/* Since Linux 6.11 pids.events of version 1 tells nobody of a change, so a timer has to. */
static int pids_event_open(struct cgroup *cgroup)
{
	const struct timespec period = { .tv_nsec = PIDS_LOOK_NS };
	const struct itimerspec timer = { .it_interval = period, .it_value = period };
	auto_fd int fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
	if (fd < 0 || timerfd_settime(fd, 0, &timer, NULL) < 0)
		return errno;
	cgroup->pids_event_fd = take_fd(&fd);
	return 0;
}

static int watch_add(int epoll_fd, int fd, uint64_t tag)
{
	struct epoll_event event = { .events = EPOLLIN, .data = { .u64 = tag } };
	return epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) < 0 ? errno : 0;
}

static int v1_watch(struct cgroup *cgroup, int epoll_fd, uint64_t tag, struct error *err)
{
	int memory_fd = cgroup_v1_dir(cgroup, CGROUP_MEMORY);
	int pids_fd = cgroup_v1_dir(cgroup, CGROUP_PIDS);
	int errnum = 0;
	if (memory_fd >= 0) {
		errnum = memory_event_open(cgroup, memory_fd);
		if (errnum == 0)
			errnum = watch_add(epoll_fd, cgroup->memory_event_fd, tag);
	}
	if (pids_fd >= 0 && errnum == 0) {
		errnum = pids_event_open(cgroup);
		if (errnum == 0)
			errnum = watch_add(epoll_fd, cgroup->pids_event_fd, tag);
	}
	if (errnum == 0)
		return 0;
	int result = error_set(err, ERR_SYSTEM, errnum, cgroup->id,
			       "the events of its cgroups cannot be watched");
	return error_remedy(err, result, "run 'foso doctor' to see what this host offers");
}

/* A directory that lists every process of the sandbox, or of one command; borrowed, -1 if none. */
static int listing_dir(const struct cgroup *cgroup)
{
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++) {
		if (cgroup->is_used[i] && cgroup->dir_fd[i] >= 0)
			return cgroup->dir_fd[i];
	}
	return -1;
}

static int v1_command_open(struct cgroup *cgroup, unsigned command)
{
	if (command == 0) {
		int dir_fd = listing_dir(cgroup);
		return dir_fd < 0 ? -1 : fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
	}
	int freezer_fd = cgroup_v1_dir(cgroup, CGROUP_FREEZER);
	char name[CGROUP_NAME_BYTES];
	cgroup_command_name(name, command);
	return freezer_fd < 0 ? -1 : cgroup_dir_open(freezer_fd, name);
}

static bool freeze(int dir_fd)
{
	if (cgroup_file_write(dir_fd, "freezer.state", "FROZEN") != 0)
		return false;
	uint64_t deadline_ns = cgroup_clock_ns() + FREEZE_NS;
	for (unsigned step = 0;; cgroup_nap(deadline_ns, &step)) {
		char state[16];
		(void)cgroup_file_read(dir_fd, "freezer.state", state, sizeof(state));
		if (strcmp(state, "FROZEN\n") == 0)
			return true;
		if (cgroup_clock_ns() >= deadline_ns)
			return false;
	}
}

/*
 * Frozen processes neither fork nor end, so one look lists them all and no pid can be reused.
 * What could not be frozen in time (it sleeps where no signal reaches it) is killed by rounds.
 */
static int freezer_kill(int dir_fd)
{
	pid_t pids[CGROUP_MAX_LISTED];
	bool is_frozen = freeze(dir_fd);
	size_t n = is_frozen ? cgroup_tree_pids(dir_fd, pids, ARRAY_LEN(pids)) : 0;
	for (size_t i = 0; i < MIN(n, ARRAY_LEN(pids)); i++)
		(void)kill(pids[i], SIGKILL);
	(void)cgroup_file_write(dir_fd, "freezer.state", "THAWED");
	if (is_frozen && n <= ARRAY_LEN(pids))
		return 0;
	return cgroup_tree_kill(dir_fd, cgroup_clock_ns() + CGROUP_KILL_NS);
}

/* Without a freezer: by rounds; if the processes fork faster, by rounds with forks forbidden. */
static int rounds_kill(struct cgroup *cgroup, int dir_fd)
{
	int errnum = cgroup_tree_kill(dir_fd, cgroup_clock_ns() + CGROUP_KILL_NS / 10);
	int pids_fd = cgroup_v1_dir(cgroup, CGROUP_PIDS);
	if (errnum == 0 || pids_fd < 0)
		return errnum;
	char limit[32];
	(void)cgroup_file_read(pids_fd, "pids.max", limit, sizeof(limit));
	(void)cgroup_file_write(pids_fd, "pids.max", "0");
	errnum = cgroup_tree_kill(dir_fd, cgroup_clock_ns() + CGROUP_KILL_NS);
	(void)cgroup_file_write(pids_fd, "pids.max", limit);
	return errnum;
}

static int v1_kill(struct cgroup *cgroup, unsigned command, struct error *err)
{
	if (command > 0 && !cgroup->is_used[CGROUP_FREEZER]) {
		int result = error_set(err, ERR_UNSUPPORTED, 0, cgroup->id,
				       "its commands have no cgroups of their own");
		return error_remedy(err, result,
				    "end the whole sandbox, or mount the freezer "
				    "controller (foso doctor)");
	}
	int freezer_fd = cgroup_v1_dir(cgroup, CGROUP_FREEZER);
	auto_fd int dir_fd = command > 0      ? v1_command_open(cgroup, command)
			     : freezer_fd < 0 ? v1_command_open(cgroup, 0)
					      : fcntl(freezer_fd, F_DUPFD_CLOEXEC, 0);
	if (dir_fd < 0)
		return 0; /* the command never started or is gone */
	int errnum = freezer_fd >= 0 ? freezer_kill(dir_fd) : rounds_kill(cgroup, dir_fd);
	if (errnum == 0)
		return 0;
	int result = error_set(err, ERR_TIMEOUT, 0, cgroup->id, "its processes fork too fast");
	return error_remedy(err, result, "set limits.pids, which holds them");
}

static int v1_command_remove(struct cgroup *cgroup, unsigned command)
{
	int freezer_fd = cgroup_v1_dir(cgroup, CGROUP_FREEZER);
	char name[CGROUP_NAME_BYTES];
	cgroup_command_name(name, command);
	if (freezer_fd < 0 || unlinkat(freezer_fd, name, AT_REMOVEDIR) == 0)
		return 0;
	return errno == EBUSY ? EBUSY : 0;
}

static bool v1_destroy(struct cgroup *cgroup, uint64_t deadline_ns, struct error_list *leftovers)
{
	char path[CGROUP_GROUP_PATH_BYTES], name[CGROUP_NAME_BYTES];
	cgroup_name(name, CGROUP_PREFIX, cgroup->id);
	bool is_gone = true;
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++) {
		/* Only what this sandbox has made has a descriptor. */
		if (cgroup->dir_fd[i] < 0)
			continue;
		cgroup_v1_group_path(cgroup, i, path);
		int errnum = cgroup_tree_remove(AT_FDCWD, path, deadline_ns);
		if (errnum == 0)
			continue;
		is_gone = false;
		cgroup_leftover(leftovers, cgroup->host.parent[i], name, errnum);
	}
	return is_gone;
}

static void thaw_command(int dir_fd, const char *name, void *context)
{
	UNUSED(context);
	auto_fd int fd = cgroup_dir_open(dir_fd, name);
	if (fd >= 0)
		(void)cgroup_file_write(fd, "freezer.state", "THAWED");
}

static int v1_reclaim(int parent_fd, const char *name, uint64_t deadline_ns)
{
	auto_fd int dir_fd = cgroup_dir_open(parent_fd, name);
	if (dir_fd < 0)
		return errno == ENOENT ? 0 : errno;
	/* Left frozen by a monitor that was killed in the middle, they could not die. */
	(void)cgroup_file_write(dir_fd, "freezer.state", "THAWED");
	cgroup_children_each(dir_fd, thaw_command, NULL);
	(void)cgroup_tree_kill(dir_fd, deadline_ns);
	return cgroup_tree_remove(parent_fd, name, deadline_ns);
}

static int v1_finish(struct cgroup *cgroup, const struct policy_limits *limits, struct error *err)
{
	UNUSED(cgroup);
	UNUSED(limits);
	UNUSED(err);
	return 0; /* version 1 has no reason to stop half-way */
}

const struct cgroup_ops cgroup_v1_ops = {
	.create = cgroup_v1_create,
	.finish = v1_finish,
	.entry_open = cgroup_v1_entry_open,
	.hits_read = v1_hits_read,
	.usage_read = v1_usage_read,
	.cpu_ns = v1_cpu_ns,
	.watch = v1_watch,
	.kill = v1_kill,
	.command_open = v1_command_open,
	.command_remove = v1_command_remove,
	.destroy = v1_destroy,
	.reclaim = v1_reclaim,
};
