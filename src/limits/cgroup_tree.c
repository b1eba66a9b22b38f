/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_tree.c - listing, killing and removing groups with all that lies below them
 *
 * A sandbox cannot make groups of its own, because no cgroup file system is mounted in it; so
 * what is found below foso-<id> was made by foso, is at most two levels deep, and a bound on the
 * depth is a guard and not a limit that anyone meets.
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "limits/cgroup_private.h"

uint64_t cgroup_clock_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000ULL + (uint64_t)now.tv_nsec;
}

void cgroup_nap(uint64_t deadline_ns, unsigned *step)
{
	uint64_t now_ns = cgroup_clock_ns();
	if (now_ns >= deadline_ns)
		return;
	uint64_t nap_ns = 100000ULL << MIN(*step, 5U);
	nap_ns = MIN(nap_ns, deadline_ns - now_ns);
	*step += 1;
	const struct timespec nap = { .tv_nsec = (long)nap_ns };
	(void)nanosleep(&nap, NULL);
}

void cgroup_children_each(int dir_fd, void (*found)(int dir_fd, const char *name, void *context),
			  void *context)
{
	/* A second description: the offset of the caller's is not ours to move. */
	auto_fd int fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0)
		return;
	DIR_READER(reader, fd);
	for (const struct dir_entry *entry; (entry = dir_next(&reader));) {
		if (entry->type == DT_DIR && entry->name[0] != '.')
			found(fd, entry->name, context);
	}
}

struct pid_list {
	pid_t *pids;
	size_t n, max; /* n counts those that did not fit, too */
	unsigned depth;
};

static void pids_parse(struct pid_list *list, char *text, size_t len, size_t *ret_rest)
{
	size_t start = 0;
	for (size_t at = 0; at < len; at++) {
		if (text[at] != '\n')
			continue;
		text[at] = '\0';
		uint64_t pid = cgroup_text_u64(text + start);
		start = at + 1;
		if (pid == 0 || pid > INT32_MAX) /* 0: a process of another pid namespace */
			continue;
		if (list->n < list->max)
			list->pids[list->n] = (pid_t)pid;
		list->n++;
	}
	*ret_rest = len - start;
	memmove(text, text + start, len - start);
}

static void pids_read(struct pid_list *list, int dir_fd)
{
	auto_fd int fd = openat(dir_fd, "cgroup.procs", O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return;
	char text[4096];
	size_t rest = 0;
	for (;;) {
		ssize_t n_read = read(fd, text + rest, sizeof(text) - rest);
		if (n_read < 0 && errno == EINTR)
			continue;
		if (n_read <= 0)
			return;
		pids_parse(list, text, rest + (size_t)n_read, &rest);
	}
}

static void pids_read_child(int dir_fd, const char *name, void *context)
{
	struct pid_list *list = context;
	auto_fd int fd = cgroup_dir_open(dir_fd, name);
	if (fd < 0 || list->depth >= CGROUP_MAX_DEPTH)
		return;
	pids_read(list, fd);
	list->depth++;
	cgroup_children_each(fd, pids_read_child, list);
	list->depth--;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): written through the list */
size_t cgroup_dir_pids(int dir_fd, pid_t *pids, size_t max)
{
	struct pid_list list = { .pids = pids, .max = max };
	pids_read(&list, dir_fd);
	return list.n;
}

/* NOLINTNEXTLINE(readability-non-const-parameter): written through the list */
size_t cgroup_tree_pids(int dir_fd, pid_t *pids, size_t max)
{
	struct pid_list list = { .pids = pids, .max = max };
	pids_read(&list, dir_fd);
	cgroup_children_each(dir_fd, pids_read_child, &list);
	return list.n;
}

static bool pids_has(const pid_t *pids, size_t n, pid_t pid)
{
	for (size_t i = 0; i < n; i++) {
		if (pids[i] == pid)
			return true;
	}
	return false;
}

#define KILL_BATCH   64
#define QUIET_ROUNDS 3

/*
 * A pid that is still listed after its pidfd was opened belongs to a member; had it been reused
 * by a stranger in between, the pidfd would name a process that is gone.  So no process outside
 * the group can ever get the signal.
 */
static void kill_batch(int dir_fd, const pid_t *pids, size_t n)
{
	int pidfds[KILL_BATCH];
	pid_t still[CGROUP_MAX_LISTED];
	for (size_t i = 0; i < n; i++)
		pidfds[i] = (int)syscall(SYS_pidfd_open, pids[i], 0);
	size_t n_still = MIN(cgroup_tree_pids(dir_fd, still, ARRAY_LEN(still)), ARRAY_LEN(still));
	for (size_t i = 0; i < n; i++) {
		if (pidfds[i] < 0)
			continue;
		if (pids_has(still, n_still, pids[i]))
			(void)syscall(SYS_pidfd_send_signal, pidfds[i], SIGKILL, NULL, 0);
		close(pidfds[i]);
	}
}

/* Returns how many were listed; *ret_sum tells one list from another. */
static size_t kill_round(int dir_fd, uint64_t *ret_sum)
{
	pid_t pids[CGROUP_MAX_LISTED];
	size_t n_all = cgroup_tree_pids(dir_fd, pids, ARRAY_LEN(pids));
	size_t n = MIN(n_all, ARRAY_LEN(pids));
	for (size_t at = 0; at < n; at += KILL_BATCH)
		kill_batch(dir_fd, pids + at, MIN(n - at, (size_t)KILL_BATCH));
	uint64_t sum = n_all;
	for (size_t i = 0; i < n; i++)
		sum = sum * 31 + (uint64_t)pids[i];
	*ret_sum = sum;
	return n_all;
}

/*
 * A killed process cannot fork any more, but one that was in the middle of fork() when the signal
 * came can still add a child.  So the end is an empty list, or the same list several times with
 * naps between: those are processes that the kernel does not let die yet (a stuck disk or FUSE
 * server), and they have the signal.
 */
int cgroup_tree_kill(int dir_fd, uint64_t deadline_ns)
{
	uint64_t last_sum = 0, sum = 0;
	unsigned n_quiet = 0;
	for (unsigned step = 0;; cgroup_nap(deadline_ns, &step)) {
		if (kill_round(dir_fd, &sum) == 0)
			return 0;
		n_quiet = sum == last_sum ? n_quiet + 1 : 0;
		last_sum = sum;
		if (n_quiet == QUIET_ROUNDS)
			return 0;
		if (cgroup_clock_ns() >= deadline_ns)
			return ETIMEDOUT;
	}
}

struct removal {
	uint64_t deadline_ns;
	unsigned depth;
};

static int tree_remove(int parent_fd, const char *name, struct removal *removal);

static void remove_child(int dir_fd, const char *name, void *context)
{
	struct removal *removal = context;
	if (removal->depth < CGROUP_MAX_DEPTH)
		(void)tree_remove(dir_fd, name, removal);
}

static int tree_remove(int parent_fd, const char *name, struct removal *removal)
{
	for (unsigned step = 0;; cgroup_nap(removal->deadline_ns, &step)) {
		if (unlinkat(parent_fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
			return 0;
		int errnum = errno;
		if (errnum != EBUSY && errnum != ENOTEMPTY)
			return errnum;
		auto_fd int fd = cgroup_dir_open(parent_fd, name);
		if (fd >= 0) {
			removal->depth++;
			cgroup_children_each(fd, remove_child, removal);
			removal->depth--;
		}
		if (unlinkat(parent_fd, name, AT_REMOVEDIR) == 0 || errno == ENOENT)
			return 0;
		if (cgroup_clock_ns() >= removal->deadline_ns)
			return errno;
	}
}

int cgroup_tree_remove(int parent_fd, const char *name, uint64_t deadline_ns)
{
	struct removal removal = { .deadline_ns = deadline_ns };
	return tree_remove(parent_fd, name, &removal);
}

void cgroup_leftover(struct error_list *leftovers, const char *path, const char *name, int errnum)
{
	char subject[CGROUP_PATH_BYTES + CGROUP_NAME_BYTES + 1];
	(void)snprintf(subject, sizeof(subject), "%s/%s", path, name);
	struct error *err = error_list_next(leftovers);
	int result = error_set(err, ERR_SYSTEM, errnum, subject, "the cgroup cannot be removed");
	(void)error_remedy(err, result, "run 'foso gc' when its processes have ended");
}
