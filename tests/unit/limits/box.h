/* SPDX-License-Identifier: Apache-2.0 */
/*
 * box.h - a sandbox's cgroup under test, and processes that work in it or outside it
 *
 * The tests run on whatever version this host offers, and again in the VM of tests/vm: on version 2
 * as root, as a user with and without delegation, and on version 1 with co-mounted controllers.
 * FOSO_TEST_CGROUP names what must be there (v1, v2, none): then a skip for lack of it is a
 * failure, so that a broken runner cannot look green.
 */
#pragma once

#include <errno.h>
#include <fcntl.h>
#include <linux/sched.h> /* struct clone_args */
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "limits/cgroup.h"
#include "limits/cgroup_private.h"
#include "support/tap.h"

static struct cgroup_host host;

static inline bool cgroup_is_here(void)
{
	return host.version != CGROUP_NONE && host.has[CGROUP_MEMORY] && host.has[CGROUP_PIDS] &&
	       host.has[CGROUP_CPU];
}

#define NEED_CGROUP()                                                                            \
	do {                                                                                     \
		if (!cgroup_is_here())                                                           \
			SKIP("this host offers the caller no cgroup with memory, pids and cpu"); \
	} while (0)

/* Called first by each test program. */
static inline void host_is_as_expected(void)
{
	const char *expected = getenv("FOSO_TEST_CGROUP"); /* NOLINT(concurrency-mt-unsafe) */
	cgroup_host_probe(&host);
	if (expected && strcmp(expected, "none") != 0) {
		EQ(host.version, strcmp(expected, "v2") == 0 ? CGROUP_V2 : CGROUP_V1);
		OK(cgroup_is_here());
	} else if (expected) {
		EQ(host.version, CGROUP_NONE);
	}
	if (host.lack[0])
		printf("# lack: %s; %s\n", host.lack, host.remedy);
}

static inline struct policy_limits limits_none(void)
{
	struct policy_limits limits = {
		.wall_ns = POLICY_UNLIMITED,
		.cpu_time_ns = POLICY_UNLIMITED,
		.cpus_milli = POLICY_UNLIMITED,
		.memory_bytes = POLICY_UNLIMITED,
		.pids = POLICY_UNLIMITED,
		.disk_bytes = POLICY_UNLIMITED,
		.disk_inodes = POLICY_UNLIMITED,
		.files = POLICY_UNLIMITED,
		.file_size_bytes = POLICY_UNLIMITED,
		.output_bytes = POLICY_UNLIMITED,
	};
	return limits;
}

/* One sandbox's cgroup under test. */
struct box {
	struct policy_limits limits;
	struct cgroup_options options;
	struct cgroup cgroup;
	char id[32];
};

static inline void box_init(struct box *box)
{
	static unsigned n_boxes;
	memset(box, 0, sizeof(*box));
	box->limits = limits_none();
	(void)snprintf(box->id, sizeof(box->id), "t%dx%u", (int)getpid(), n_boxes++);
	box->options = (struct cgroup_options){ .id = box->id,
						.limits = &box->limits,
						.owner_uid = (uid_t)-1,
						.owner_gid = (gid_t)-1 };
	cgroup_init(&box->cgroup);
}

static inline bool box_open(struct box *box)
{
	struct error err = { 0 };
	if (cgroup_create(&box->cgroup, &host, &box->options, &err) == 0)
		return true;
	char text[2048];
	error_format(&err, text, sizeof(text));
	FAIL("cgroup_create: %s", text);
	return false;
}

static inline void box_close(struct box *box)
{
	struct error_list leftovers = { 0 };
	cgroup_destroy(&box->cgroup, 2000, &leftovers);
	EQ(leftovers.n_errors, 0);
	if (leftovers.n_errors > 0)
		FAIL("left: %s: %s", leftovers.items[0].subject, leftovers.items[0].message);
}

/* A process that is in the cgroup before it works; on v2 it is born there.  -1 if that failed. */
static inline pid_t box_start(struct box *box, unsigned command, int (*work)(void))
{
	struct cgroup_entry entry;
	struct error err = { 0 };
	if (cgroup_entry_open(&box->cgroup, command, &entry, &err) < 0) {
		FAIL("cgroup_entry_open: %s: %s", err.subject, err.message);
		return -1;
	}
	struct clone_args args = { .exit_signal = SIGCHLD };
	if (entry.clone_fd >= 0) {
		args.flags = (__u64)CLONE_INTO_CGROUP;
		args.cgroup = (__u64)entry.clone_fd;
	}
	pid_t pid = (pid_t)syscall(SYS_clone3, &args, sizeof(args));
	if (pid == 0) {
		(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
		if (cgroup_entry_join(&entry) != 0)
			_exit(99);
		_exit(work());
	}
	if (pid < 0)
		FAIL("clone3: errno %d", errno);
	cgroup_entry_close(&entry);
	return pid;
}

static inline int wait_status(pid_t pid)
{
	int status = 0x7f00; /* exit status 127 */
	if (pid > 0) {
		while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
		}
	}
	return status;
}

/* The same work without a cgroup: what the limit forbids must be possible. */
static inline int run_outside(int (*work)(void))
{
	(void)fflush(stdout);
	pid_t pid = fork();
	if (pid == 0)
		_exit(work());
	return wait_status(pid);
}

static inline int run_inside(struct box *box, int (*work)(void))
{
	return wait_status(box_start(box, 0, work));
}

static inline void nap_ms(unsigned ms)
{
	struct timespec nap = { .tv_sec = ms / 1000, .tv_nsec = (long)(ms % 1000) * 1000000 };
	while (nanosleep(&nap, &nap) < 0 && errno == EINTR) {
	}
}

/* True as soon as @condition is; false when it has not become so in 5 s. */
#define EVENTUALLY(condition)                                                     \
	({                                                                        \
		bool is_so_ = false;                                              \
		for (unsigned i_ = 0; i_ < 1000 && !(is_so_ = (condition)); i_++) \
			nap_ms(5);                                                \
		is_so_;                                                           \
	})

static inline size_t n_pids(struct box *box, unsigned command)
{
	return cgroup_pids(&box->cgroup, command, NULL, 0);
}

static inline int work_sleep(void)
{
	while (pause() < 0) {
	}
	return 0;
}

/* Is there a group of this id where cgroup_create() makes them? */
static inline bool is_on_disk(const char *id)
{
	for (size_t i = 0; i < CGROUP_N_CONTROLLERS; i++) {
		char path[CGROUP_PATH_BYTES + 64];
		(void)snprintf(path, sizeof(path), "%s/foso-%s", host.parent[i], id);
		if (host.has[i] && access(path, F_OK) == 0)
			return true;
	}
	return false;
}
