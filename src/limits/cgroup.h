/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup.h - the kernel's whole-tree limits, version 2 or 1 behind one interface
 *
 * One struct cgroup per sandbox.  The workload lives inside its groups; foso-init and the
 * monitor live outside the limits, so that a fork bomb or an out-of-memory kill leaves the
 * control channel answering (contract of exec, point 8).
 *
 * v2:  <parent>/foso-<id>/agent  foso-init            <parent>/foso-<id>/work  limits, commands
 * v1:  <controller>/foso-<id>    limits, commands     (foso-init stays where the monitor is)
 *
 * On v2, foso-init starts commands with CLONE_INTO_CGROUP: a write to cgroup.procs takes a
 * system-wide lock that costs milliseconds.  That needs write permission for the sandbox's uid
 * on cgroup.procs of agent, work and their common ancestor, so those three files (and nothing
 * else) are given to it.  On v1 a new process writes "0" into each "tasks" file through
 * descriptors that the monitor opened: the kernel checks the opener's rights, and for
 * a single thread moving itself it takes no system-wide lock.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/error.h"
#include "policy/policy.h"

enum cgroup_version { CGROUP_NONE, CGROUP_V1, CGROUP_V2 };

enum cgroup_controller {
	CGROUP_MEMORY,
	CGROUP_PIDS,
	CGROUP_CPU,
	CGROUP_CPUACCT, /* v1 only; part of cpu on v2 */
	CGROUP_FREEZER, /* v1 only; built in on v2 */
	CGROUP_IO,      /* blkio on v1: accounting only */
	CGROUP_N_CONTROLLERS
};

#define CGROUP_PATH_BYTES 512

/* What this host offers the caller.  Plain data; filled by cgroup_host_probe(). */
struct cgroup_host {
	enum cgroup_version version;
	bool has[CGROUP_N_CONTROLLERS]; /* usable by the caller, writable included */
	char parent[CGROUP_N_CONTROLLERS][CGROUP_PATH_BYTES]; /* v1: one each; v2: all the same */
	bool has_swap_limit;                      /* memory.swap.max, or memory.memsw.* */
	bool has_kill;                            /* cgroup.kill (Linux 5.14) */
	uint16_t mount_len[CGROUP_N_CONTROLLERS]; /* of parent[i]: bytes that are the mount point */
	char lack[256];   /* why version is NONE or a controller is missing; "" if all is there */
	char remedy[256]; /* e.g. "systemd-run --user --scope -p Delegate=yes foso ..." */
};

/*
 * cgroup_host_probe() - which version and which controllers the caller can really use
 *
 * Prefers v2 with controllers; then v1 (a hybrid host, whose v2 tree has no controllers, is v1);
 * then none.  Leaves nothing behind.  Never fails: an unusable host is CGROUP_NONE with the lack
 * and the remedy filled in.  Kept fast (no process, under 150 us): it runs at each start.
 */
void cgroup_host_probe(struct cgroup_host *ret_host);

/* cgroup_this_host() - the same, asked once: the host does not change while a program runs. */
const struct cgroup_host *cgroup_this_host(void);

/*
 * One sandbox's groups.  The holder keeps it and hands it back; it reads host, is_used, group_fd
 * and agent_fd (v2: where foso-init is cloned into, else -1), the rest is private.  All descriptors
 * are -1 while unused and are closed by cgroup_destroy().
 */
struct cgroup {
	struct cgroup_host host;
	char id[32];
	uid_t owner_uid; /* (uid_t)-1: nobody is given the right to start processes in the groups */
	gid_t owner_gid;
	bool is_used[CGROUP_N_CONTROLLERS];
	int parent_fd;                    /* v2: where foso-<id> lies */
	int dir_fd[CGROUP_N_CONTROLLERS]; /* v1: foso-<id> of each; v2: [0] is work */
	int group_fd, agent_fd;           /* v2: foso-<id> and its agent group */
	int kill_fd;             /* v2: cgroup.kill of work, held so that it always works */
	int cpu_fd;              /* counter of CPU time */
	int memory_event_fd;     /* v2: memory.events; v1: eventfd of memory.oom_control */
	int pids_event_fd;       /* pids.events */
	int oom_fd, refused_fd;  /* v1: memory.oom_control, pids.events, once read */
	uint64_t oom_kills_seen; /* v1: to wait for the count that follows its event */
};

#define CGROUP_MAX_ENTRY_FDS CGROUP_N_CONTROLLERS

/* How a new process gets into the groups; descriptors are owned by the holder of this struct. */
struct cgroup_entry {
	int clone_fd;                       /* v2: directory for CLONE_INTO_CGROUP; else -1 */
	int task_fds[CGROUP_MAX_ENTRY_FDS]; /* v1: write "0" into each; */
	size_t n_task_fds;
};

/* What cgroup_create() shall make.  Each group costs about 0.1 ms on v1, so ask for no more. */
struct cgroup_options {
	const char *id; /* [A-Za-z0-9_-], 1 to 31 bytes, not "self" */
	const struct policy_limits *limits;
	uid_t owner_uid; /* host ids of the sandbox's root: get cgroup.procs on v2; (uid_t)-1: none
			  */
	gid_t owner_gid;
	bool needs_kill; /* single commands will be killed (v1: adds the freezer group) */
	bool needs_cpu;  /* CPU time is wanted even if limits.cpu_time is not set (v1: adds cpuacct)
			  */
	bool is_staged;  /* v2: stop before the limits, for cgroup_namespace_enter() */
	bool needs_io;   /* bytes read and written are wanted (v1: adds blkio; v2: enables io) */
};

/*
 * cgroup_create() - the groups of one sandbox, with the limits set
 *
 * Only controllers that a set limit or an option needs are used, and of those only what the host
 * has: limit_mechanism_get() says by what the others must be held.  memory.swap.max is 0 (v2)
 * and memsw equals memory (v1), so swap is included; memory.oom.group is 1.
 *
 * -ERR_INVALID: bad id.  -ERR_EXISTS: the id has groups already.  -ERR_REFUSED with the policy
 * field as subject: a limit cannot be set.  -ERR_UNSUPPORTED: the host has no usable cgroup.
 * -ERR_DENIED or -ERR_SYSTEM: a group cannot be made.  On failure nothing is left behind and
 * *ret needs no cgroup_destroy(), which accepts it nevertheless.
 */
int cgroup_create(struct cgroup *ret, const struct cgroup_host *host,
		  const struct cgroup_options *options, struct error *err) must_check;

/*
 * cgroup_finish() - the second half of a staged cgroup_create(): work and the limits
 *
 * Between the two, the sandbox's first process has called cgroup_namespace_enter().  Does nothing
 * where nothing is left to do (v1, not staged).  Errors as those of cgroup_create(); after one,
 * cgroup_destroy() removes what there is.
 */
int cgroup_finish(struct cgroup *cgroup, const struct policy_limits *limits, struct error *err)
	must_check;

/* A cgroup namespace in the making. */
struct cgroup_namespace {
	pid_t pid; /* of the helper that makes it; -1: none */
	int fd;
};

/*
 * cgroup_namespace_start(), cgroup_namespace_enter() - a cgroup namespace for the calling process
 * @group_fd:  of a staged struct cgroup on v2; -1 on v1 and without a cgroup
 *
 * Called in the sandbox's first process: single-threaded, with CAP_SYS_ADMIN in its own user
 * namespace, the host's /proc still there; on v2 it was born in the agent group.  On v2 a helper
 * works between the two calls, in 0.1 ms.  Inside, the namespace begins at foso-<id> (v2) or at the
 * caller's groups (v1).  0 or errno; async-safe.
 */
int cgroup_namespace_start(int group_fd, struct cgroup_namespace *ret);
int cgroup_namespace_enter(struct cgroup_namespace *namespace);

/* cgroup_init() - the empty value: every call accepts it, none does anything with it. */
void cgroup_init(struct cgroup *cgroup);

/*
 * cgroup_entry_open() - descriptors for the entry of command @command (0: the group itself)
 *
 * Makes the command's own group below it where that is what kills it alone later: v2 work/c<N>,
 * v1 c<N> in the freezer hierarchy if the cgroup was made with needs_kill.
 */
int cgroup_entry_open(struct cgroup *cgroup, unsigned command, struct cgroup_entry *ret,
		      struct error *err) must_check;
void cgroup_entry_close(struct cgroup_entry *entry);

/* cgroup_entry_join() - move the calling (single-threaded) process in; 0 or errno; async-safe. */
int cgroup_entry_join(const struct cgroup_entry *entry);

/* cgroup_entry_put() - the same for another process, which may have ended: 0 or errno. */
int cgroup_entry_put(const struct cgroup_entry *entry, pid_t pid);

/* What happened and what was used, of the whole tree, since creation. */
struct cgroup_usage {
	uint64_t cpu_ns;
	uint64_t memory_peak_bytes; /* 0 if unknown (v2 before Linux 5.19) */
	uint64_t pids_peak;         /* 0 if unknown */
	uint64_t oom_kills;         /* by the kernel for memory.max; v2 can count a victim twice */
	uint64_t pids_refused;      /* forks that the kernel refused for pids.max */
	uint64_t io_read_bytes, io_write_bytes; /* 0 if not accounted */
};

/* cgroup_usage_read() - unreadable counters are 0; never fails (the groups may be going away). */
void cgroup_usage_read(struct cgroup *cgroup, struct cgroup_usage *ret);

/* cgroup_hits_read() - oom_kills and pids_refused alone: what an event can be about. */
void cgroup_hits_read(struct cgroup *cgroup, struct cgroup_usage *ret);

/* cgroup_cpu_ns() - CPU time alone: cheap enough for a timer. */
uint64_t cgroup_cpu_ns(struct cgroup *cgroup);

/*
 * cgroup_watch() - add to @epoll_fd what becomes ready when memory or pids ran out
 *
 * data.u64 of each event is @tag.  After each event the caller calls cgroup_hits_read(), which
 * rearms it, and compares oom_kills and pids_refused: an event may tell of nothing new (v1 looks
 * at pids ten times a second, for its kernels tell of no change).
 */
int cgroup_watch(struct cgroup *cgroup, int epoll_fd, uint64_t tag, struct error *err) must_check;

/*
 * cgroup_kill() - SIGKILL to every process in the groups (or of one command); idempotent
 *
 * The agent group is spared.  Returns when every process has the signal; they may still be dying.
 * -ERR_UNSUPPORTED: @command > 0 on v1 without needs_kill.  -ERR_TIMEOUT: some keep forking
 * faster than they can be listed (v1 without a freezer and without a pids group).
 */
int cgroup_kill(struct cgroup *cgroup, unsigned command, struct error *err) must_check;

/*
 * cgroup_command_remove() - forget a command that has ended
 *
 * Returns 0 if its group is gone (or never was), or EBUSY while processes of it live on
 * (background: keep): call again when they have ended; cgroup_destroy() removes it at the latest.
 */
int cgroup_command_remove(struct cgroup *cgroup, unsigned command) must_check;

/* cgroup_pids() - host pids of the processes in it, at most @max; returns how many there are. */
size_t cgroup_pids(struct cgroup *cgroup, unsigned command, pid_t *pids, size_t max);

/*
 * cgroup_destroy() - remove the groups; they must be empty or dying
 *
 * Waits up to @wait_ms for dying processes to leave.  Goes on after a failure; every group that
 * stays is one item of @leftovers (path, errno), and a later call tries it again.  Once all is
 * gone, the descriptors are closed and further calls do nothing.
 */
void cgroup_destroy(struct cgroup *cgroup, unsigned wait_ms, struct error_list *leftovers);

/*
 * cgroup_reclaim() - kill and remove the groups that a dead monitor left, by sandbox id
 *
 * Looks in the whole of each hierarchy, because the dead monitor may have run in another login
 * session than the caller; but only at groups that the caller's user made.  Waits up to a second
 * for the killed processes.  Returns how many groups were removed (v1: one per controller).
 * Used by gc, which knows that no monitor holds @id.
 */
size_t cgroup_reclaim(const struct cgroup_host *host, const char *id, struct error_list *leftovers);

/*
 * cgroup_list_ids() - calls @found once for each id of which the caller's user has a group
 *
 * An id alone does not tell whether its sandbox lives.  With more than 1024 of them, @found can
 * be called more than once for one.
 */
void cgroup_list_ids(const struct cgroup_host *host, void (*found)(const char *id, void *context),
		     void *context);
