/* SPDX-License-Identifier: Apache-2.0 */
/*
 * process.h - what the files of level `process` share
 *
 * Theory of operation.  The engine (in the monitor's process) clones a child into fresh
 * namespaces and then works beside it: while the child builds the root file system and a helper
 * makes the network namespace (the kernel needs longest for that), the engine maps the ids,
 * opens the mounts' sources and makes the control groups.  The child then enters the new root and
 * becomes foso-init.
 *
 *   engine (rights of the caller)          child (rights in its own user namespace only)
 *   clone3(all namespaces but net) ------> private mounts; helper: network namespace
 *   uid_map, gid_map, "mapped"     ------> scratch file system, system folders, /dev, /proc
 *   sources as detached mounts     ------> mounts of the policy, network namespace, pivot_root
 *   control groups                         masks verified, exec foso-init
 *   CONFIGURE, SPAWN               ------> rights given up, READY
 */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include "confine/seccomp.h"
#include "levels/folders/attach.h"
#include "levels/folders/mounts.h"
#include "levels/level.h"
#include "limits/cgroup.h"
#include "limits/mechanism.h"
#include "wire/init_messages.h"

/* Ids of a sandbox that root starts: 65536 of them, from a range that nothing else uses. */
#define PROCESS_FIRST_UID 0x70000000u
#define PROCESS_N_UIDS    65536u
#define PROCESS_N_RANGES  32768u

#define PROCESS_DEFAULT_HOSTNAME "foso"

#define PROCESS_DEFAULT_USER 1000u /* of root: host; of other roots it is 0 */
#define PROCESS_END_MS       1000  /* what the kernel gets to end foso-init at a teardown */
/*
 * Queued signals and timers.  Rootless they count as the caller's too, whose processes could not
 * queue any if a sandbox took all of them.
 */
#define PROCESS_MAX_SIGNALS 4096

#define PROCESS_MAX_LISTENERS 64
#define PROCESS_MAX_COMMANDS  256

/* What the child needs to know; filled by the engine before the clone, read by the child. */
struct process_setup {
	const struct policy *policy;
	const struct level_image *image; /* of root: image */
	int changes_fd;                  /* of the root; -1: the scratch takes them */
	bool keeps_changes;              /* they outlive the sandbox */
	bool is_rootless;
	bool is_installer; /* level.h */
	uid_t base_uid;    /* host id of the sandbox's id 0, or the caller's own when rootless */
	gid_t base_gid;
	uid_t inner_uid; /* rootless: the one id that is mapped */
	gid_t inner_gid;
	bool may_be_root; /* a command may have the sandbox's id 0 */
	uint64_t scratch_bytes, scratch_inodes;
	unsigned n_cpus; /* what the sandbox sees */
	int channel_fd;  /* child's end; becomes INIT_CHANNEL_FD */
	int sync_fd;     /* child's end: sends "named"; gets "mapped", then the sources */
	int group_fd;    /* of the cgroup on v2, for the cgroup namespace; else -1 */
	int init_fd;     /* O_PATH of foso-init */
	int null_fd;     /* /dev/null */
	char layers[48]; /* of root: host, a path; "": the child makes its own */
	bool are_layers_new;
};

struct process_listener {
	int fd;
	unsigned command;
};

/* struct sandbox.impl */
struct process {
	struct process_setup setup;
	struct cgroup_host host;
	struct cgroup cgroup;
	bool has_cgroup;
	int epoll_fd;   /* what sandbox->event_fd is */
	int channel_fd; /* engine's end */
	int sync_fd;
	int pidfd; /* foso-init's */
	pid_t pid;
	int scratch_fd; /* O_PATH on the scratch, sent by the child: for statfs */
	int watch_fd;   /* timer of the watchdog; -1 if every limit is the kernel's */
	bool is_ready, is_killed, is_gone, is_gone_told;
	bool ends_itself;          /* foso-init ends with the command */
	bool is_ending;            /* it has: its end is no loss */
	struct level_event exited; /* held back until the limits were looked at once more */
	unsigned exit_step;        /* 0: no end is held back */
	struct process_listener listeners[PROCESS_MAX_LISTENERS];
	size_t n_listeners;
	struct seccomp_denials denials;
	struct cgroup_usage usage; /* newest reading */
	struct tree_usage tree_peak;
	uint64_t oom_kills, pids_refused;            /* already told */
	bool was_disk_full, was_disk_full_of_inodes; /* seen so, by the watchdog */
	uint64_t disk_end_bytes, disk_end_inodes;    /* once the scratch was let go */
	uint64_t own_bytes, own_inodes; /* of the scratch, used by foso itself before the start */
	uint16_t n_bound_cpus;          /* 0: all that the caller may use */
	unsigned live[PROCESS_MAX_COMMANDS]; /* numbers of commands that run; of many only */
	size_t n_live;
	unsigned ended[PROCESS_MAX_COMMANDS]; /* those whose groups have still to be removed */
	size_t n_ended;
	bool has_strays; /* without groups: something of an ended command may live */
	int landlock_abi;
	struct attach attach;
	const char *notes[8];
	size_t n_notes;
};

/* The steps of the child report by this: 0, or an errno and where. */
struct process_step {
	enum init_stage stage;
	char subject[64]; /* what was being done it to, for the message; may be "" */
};

/*
 * ids.c: who the sandbox is outside.  -ERR_REFUSED, subject "level 'process'", where one of its
 * ids would be root outside; subject "user" where the policy's user cannot be mapped.
 */
int process_choose_ids(struct process_setup *setup, struct error *err) must_check;

/*
 * layers.c: looks for, or makes, what setup->layers names; false if there should be shared layers
 * and none can be had, so that the sandbox makes its own.
 */
bool process_layers_open(struct process_setup *setup);

/* child.c: runs in the child; never returns. */
_Noreturn void process_child_main(struct process_setup *setup);

/* network.c: the network namespace, made beside everything else. */
struct process_network {
	int ns_fd;
	int errnum;
	pid_t helper;
};
int process_network_start(struct process_network *network);
int process_network_join(struct process_network *network);

/* root.c: the root file system, up to the point where it can be entered. */
int process_root_build(const struct process_setup *setup, int *ret_root_fd, int *ret_scratch_fd,
		       struct process_step *step);
int process_root_enter(int root_fd, struct process_step *step);

/* sources.c: the engine's side of the policy's mounts (root only). */
#define PROCESS_MAX_SOURCES (POLICY_MAX_MOUNTS + 3)
int process_sources_send(struct process *process, struct error *err) must_check;

/* For a child that met EXDEV: -code if a source leads out of a written folder; 0 if none does. */
int process_sources_refuse_way_out(const struct process_setup *setup, struct error *err) must_check;

/*
 * process_source_open() - O_PATH of a folder or file that the policy shows
 *
 * Returns a descriptor or -errno; -EXDEV if @path leads out of a folder that the sandbox may
 * write, and it lies below that one.
 */
int process_source_open(const struct policy *policy, const char *path);
int process_sources_recv(const struct process_setup *setup, int *fds, size_t *ret_n_fds,
			 struct process_step *step);
uid_t process_inner_user(const struct policy *policy);
size_t process_sources_count(const struct process_setup *setup);
size_t process_sources_of_root(const struct process_setup *setup);
void process_note_attributes(struct process *process); /* what the root cannot do on this kernel */

/* stand.c: the engine's side of building up and taking down. */
int process_stand_up(struct sandbox *sandbox, struct process *process, struct error *err)
	must_check;
int process_configure(struct process *process, const struct policy *policy, struct error *err)
	must_check;

/* process.c */
int process_check_stands(const struct sandbox *sandbox, struct error *err) must_check;

/* commands.c: of a sandbox with many. */
void process_commands_add(struct process *process, unsigned command);
void process_commands_exited(struct sandbox *sandbox, unsigned command);
void process_commands_sweep(struct process *process);
int process_kill_command(struct sandbox *sandbox, unsigned command, struct error *err) must_check;
