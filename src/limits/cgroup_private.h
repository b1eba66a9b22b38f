/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_private.h - what the two versions share, and the table of what differs
 *
 * Everything goes through directory descriptors: a cgroup path is walked once, and a name that
 * is opened below a held directory cannot be swapped for another.
 */
#pragma once

#include "limits/cgroup.h"

#define CGROUP_PREFIX      "foso-"
#define CGROUP_SELF        "foso-self" /* leaf for the caller's own processes; never an id */
#define CGROUP_ROOT_PARENT "/foso"     /* below the v2 mount, for root */
#define CGROUP_NAME_BYTES  48
#define CGROUP_MAX_DEPTH   4    /* of what lies below foso-<id>: 2 in use, the rest is slack */
#define CGROUP_MAX_LISTED  4096 /* pids that one look at a group can return */

#define CGROUP_REMEDY_DELEGATE \
	"run foso in a cgroup of its own: systemd-run --user --scope -p Delegate=yes -- foso ..."

/* The policy field of the same name is the subject when a limit cannot be set. */
struct cgroup_ops {
	int (*create)(struct cgroup *cgroup, const struct cgroup_options *options,
		      struct error *err);
	int (*finish)(struct cgroup *cgroup, const struct policy_limits *limits, struct error *err);
	int (*entry_open)(struct cgroup *cgroup, unsigned command, struct cgroup_entry *ret,
			  struct error *err);
	void (*hits_read)(struct cgroup *cgroup, struct cgroup_usage *ret);
	void (*usage_read)(struct cgroup *cgroup, struct cgroup_usage *ret); /* the hits too */
	uint64_t (*cpu_ns)(struct cgroup *cgroup);
	int (*watch)(struct cgroup *cgroup, int epoll_fd, uint64_t tag, struct error *err);
	int (*kill)(struct cgroup *cgroup, unsigned command, struct error *err);
	int (*command_open)(struct cgroup *cgroup, unsigned command); /* directory or -1 */
	int (*command_remove)(struct cgroup *cgroup, unsigned command);
	bool (*destroy)(struct cgroup *cgroup, uint64_t deadline_ns, struct error_list *leftovers);
	int (*reclaim)(int parent_fd, const char *name, uint64_t deadline_ns); /* 0 or errno */
};

extern const struct cgroup_ops cgroup_v1_ops, cgroup_v2_ops;

bool cgroup_id_is_valid(const char *id);

/* cgroup_file.c: small files of the cgroup file systems. */
int cgroup_file_write(int dir_fd, const char *name, const char *text); /* 0 or errno */
int cgroup_file_write_u64(int dir_fd, const char *name, uint64_t value);
size_t cgroup_file_read(int dir_fd, const char *name, char *text,
			size_t size);                   /* "" if unreadable */
size_t cgroup_fd_read(int fd, char *text, size_t size); /* from its start; also rearms its poll */
uint64_t cgroup_text_u64(const char *text); /* leading decimal number; 0 if there is none */
uint64_t cgroup_text_key(const char *text, const char *key); /* of a line "key N"; 0 if absent */
void cgroup_name(char name[CGROUP_NAME_BYTES], const char *prefix, const char *id);
void cgroup_command_name(char name[CGROUP_NAME_BYTES], unsigned command);
int cgroup_dir_make(int dir_fd, const char *name, int *ret_fd); /* 0 or errno; EEXIST is one */
int cgroup_dir_open(int dir_fd, const char *name);              /* fd or -1 and errno */

/* cgroup_tree.c: groups and the processes in them. */
uint64_t cgroup_clock_ns(void);
void cgroup_nap(uint64_t deadline_ns, unsigned *step); /* a sleep that grows: 0.1 ms to 5 ms */
size_t cgroup_dir_pids(int dir_fd, pid_t *pids, size_t max);  /* of the group alone */
size_t cgroup_tree_pids(int dir_fd, pid_t *pids, size_t max); /* of the group and those below */
int cgroup_tree_kill(int dir_fd, uint64_t deadline_ns); /* 0, or ETIMEDOUT; for kernels without
							    cgroup.kill */
int cgroup_tree_remove(int parent_fd, const char *name, uint64_t deadline_ns); /* 0 or errno */
void cgroup_leftover(struct error_list *leftovers, const char *path, const char *name, int errnum);
/* Calls back for each child group; the callback may remove it. */
void cgroup_children_each(int dir_fd, void (*found)(int dir_fd, const char *name, void *context),
			  void *context);

#define CGROUP_KILL_NS 1000000000ULL /* for all rounds of killing without cgroup.kill */

/* cgroup_v1.c, for cgroup_v1_use.c */
#define CGROUP_GROUP_PATH_BYTES (CGROUP_PATH_BYTES + CGROUP_NAME_BYTES + 1)
void cgroup_v1_group_path(const struct cgroup *cgroup, size_t controller,
			  char path[CGROUP_GROUP_PATH_BYTES]);
size_t cgroup_v1_alias(const struct cgroup *cgroup, size_t controller);
int cgroup_v1_dir(const struct cgroup *cgroup, enum cgroup_controller controller); /* -1: unused */
int cgroup_v1_create(struct cgroup *cgroup, const struct cgroup_options *options,
		     struct error *err);
int cgroup_v1_entry_open(struct cgroup *cgroup, unsigned command, struct cgroup_entry *ret,
			 struct error *err);

/* cgroup_v2.c, for cgroup_v2_use.c and back */
int cgroup_v2_create(struct cgroup *cgroup, const struct cgroup_options *options,
		     struct error *err);
int cgroup_v2_finish(struct cgroup *cgroup, const struct policy_limits *limits, struct error *err);
int cgroup_v2_entry_open(struct cgroup *cgroup, unsigned command, struct cgroup_entry *ret,
			 struct error *err);
/* Enables @controllers ("+memory +pids") in the parent; 0 or errno. */
int cgroup_v2_prepare(const struct cgroup_host *host, int parent_fd, const char *controllers);

/*
 * cgroup_mounts.c: where the hierarchies are mounted and where the caller is in them, from
 * /proc/self/mountinfo and /proc/self/cgroup.  Pure reading: nothing is checked for use.
 */
struct cgroup_hierarchy {
	bool is_mounted;
	bool is_readonly;
	char mount[CGROUP_PATH_BYTES]; /* mount point, unescaped */
	char root[CGROUP_PATH_BYTES];  /* which group of the hierarchy is mounted there */
	char own[CGROUP_PATH_BYTES];   /* the caller's group in it; "" if the kernel names none */
};

struct cgroup_mounts {
	struct cgroup_hierarchy v2;
	struct cgroup_hierarchy v1[CGROUP_N_CONTROLLERS];
};

int cgroup_mounts_read(struct cgroup_mounts *ret, const char *mountinfo, const char *cgroup);

/*
 * cgroup_mounts_usual() - the same where everything lies as everywhere, without the list of mounts
 *
 * The kernel needs 3 us to describe one mount, and hosts of containers have hundreds.  What is
 * found lies at /sys/fs/cgroup, or below it under the names of its controllers, and is the root of
 * a hierarchy, looked at from the first cgroup namespace.  What is not found may lie elsewhere, and
 * nothing tells here whether it is mounted read-only, nor what kind of file system it is.
 */
bool cgroup_mounts_usual(struct cgroup_mounts *ret);

/* cgroup_own_path() - the directory of the caller's own group; false if it is not visible. */
bool cgroup_own_path(const struct cgroup_hierarchy *hierarchy, char path[CGROUP_PATH_BYTES]);
