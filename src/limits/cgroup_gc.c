/* SPDX-License-Identifier: Apache-2.0 */
/*
 * cgroup_gc.c - finding and removing what dead monitors left
 *
 * Not on the path of a start: the hierarchies are walked, bounded in depth and number.  Groups of
 * other users are none of the caller's business: their monitors are not in its run directory, so
 * it could not tell a live sandbox from a dead one.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "limits/cgroup_private.h"

#define WALK_DEPTH  12
#define WALK_GROUPS 65536
#define IDS_SEEN    1024
#define RECLAIM_NS  1000000000ULL

struct walk {
	/* Called with each sandbox group: the directory it is in, and its id. */
	void (*found)(struct walk *walk, int dir_fd, const char *id);
	const char *mount; /* of the hierarchy that is walked */
	unsigned depth;
	size_t n_groups;
	/* of cgroup_reclaim() */
	const char *id;
	const struct cgroup_ops *ops;
	struct error_list *leftovers;
	size_t n_removed;
	/* of cgroup_list_ids() */
	void (*tell)(const char *id, void *context);
	void *context;
	size_t n_seen;
	char seen[IDS_SEEN][32];
};

static void walk_child(int dir_fd, const char *name, void *context)
{
	struct walk *walk = context;
	if (++walk->n_groups > WALK_GROUPS || walk->depth >= WALK_DEPTH)
		return;
	size_t prefix_len = strlen(CGROUP_PREFIX);
	if (strncmp(name, CGROUP_PREFIX, prefix_len) == 0 &&
	    cgroup_id_is_valid(name + prefix_len)) {
		struct stat info;
		if (fstatat(dir_fd, name, &info, AT_SYMLINK_NOFOLLOW) == 0 &&
		    info.st_uid == geteuid())
			walk->found(walk, dir_fd, name + prefix_len);
		return;
	}
	auto_fd int fd = cgroup_dir_open(dir_fd, name);
	if (fd < 0)
		return;
	walk->depth++;
	cgroup_children_each(fd, walk_child, walk);
	walk->depth--;
}

/* The freezer first: what is frozen there cannot die, and would keep all other groups busy. */
static const enum cgroup_controller order[] = {
	CGROUP_FREEZER, CGROUP_MEMORY, CGROUP_PIDS, CGROUP_CPU, CGROUP_CPUACCT, CGROUP_IO,
};
_Static_assert(ARRAY_LEN(order) == CGROUP_N_CONTROLLERS, "every controller is walked");

/* True if an earlier one in the order is mounted at the same place. */
static bool is_same_mount(const struct cgroup_host *host, size_t at)
{
	enum cgroup_controller controller = order[at];
	for (size_t earlier = 0; earlier < at; earlier++) {
		enum cgroup_controller i = order[earlier];
		if (host->has[i] && host->mount_len[i] == host->mount_len[controller] &&
		    memcmp(host->parent[i], host->parent[controller], host->mount_len[i]) == 0)
			return true;
	}
	return false;
}

static void walk_host(const struct cgroup_host *host, struct walk *walk)
{
	for (size_t at = 0; at < ARRAY_LEN(order); at++) {
		enum cgroup_controller i = order[at];
		if (!host->has[i] || is_same_mount(host, at))
			continue;
		char mount[CGROUP_PATH_BYTES];
		(void)snprintf(mount, sizeof(mount), "%.*s", (int)host->mount_len[i],
			       host->parent[i]);
		auto_fd int fd = open(mount, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0)
			continue;
		walk->mount = mount;
		walk->n_groups = 0;
		cgroup_children_each(fd, walk_child, walk);
	}
}

static void found_reclaim(struct walk *walk, int dir_fd, const char *id)
{
	if (strcmp(id, walk->id) != 0)
		return;
	char name[CGROUP_NAME_BYTES];
	cgroup_name(name, CGROUP_PREFIX, id);
	int errnum = walk->ops->reclaim(dir_fd, name, cgroup_clock_ns() + RECLAIM_NS);
	if (errnum == 0)
		walk->n_removed++;
	else
		cgroup_leftover(walk->leftovers, walk->mount, name, errnum);
}

size_t cgroup_reclaim(const struct cgroup_host *host, const char *id, struct error_list *leftovers)
{
	if (host->version == CGROUP_NONE || !cgroup_id_is_valid(id))
		return 0;
	struct walk walk = {
		.found = found_reclaim,
		.id = id,
		.ops = host->version == CGROUP_V2 ? &cgroup_v2_ops : &cgroup_v1_ops,
		.leftovers = leftovers,
	};
	walk_host(host, &walk);
	return walk.n_removed;
}

static void found_tell(struct walk *walk, int dir_fd, const char *id)
{
	UNUSED(dir_fd);
	for (size_t i = 0; i < walk->n_seen; i++) {
		if (strcmp(walk->seen[i], id) == 0)
			return;
	}
	if (walk->n_seen < IDS_SEEN)
		(void)snprintf(walk->seen[walk->n_seen++], sizeof(walk->seen[0]), "%s", id);
	walk->tell(id, walk->context);
}

void cgroup_list_ids(const struct cgroup_host *host, void (*found)(const char *id, void *context),
		     void *context)
{
	if (host->version == CGROUP_NONE)
		return;
	struct walk walk = { .found = found_tell, .tell = found, .context = context };
	walk_host(host, &walk);
}
