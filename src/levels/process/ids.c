/* SPDX-License-Identifier: Apache-2.0 */
/*
 * ids.c - which ids a sandbox has, and whether the caller may map them
 *
 * Three kinds of caller: real root, who maps a range of ids that nobody else has; an ordinary
 * user, who maps his own id only; and the root of a user namespace, who is an ordinary user in
 * disguise.  What must not happen is that an id of the sandbox is root outside.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <string.h>
#include <sys/fsuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "levels/process/process.h"

/* Rootless: the one id that exists inside, which is the caller's outside. */
static int choose_inner_id(struct process_setup *setup, struct error *err)
{
	const struct policy *policy = setup->policy;
	const char *group = strchr(policy->user, ':');
	char name[64];
	uint64_t uid, gid;
	(void)snprintf(name, sizeof(name), "%.*s", (int)strcspn(policy->user, ":"), policy->user);
	uid_t fallback = policy->root == POLICY_ROOT_HOST ? PROCESS_DEFAULT_USER : 0;
	if (name[0] == '\0')
		uid = fallback;
	else if (strcmp(name, "root") == 0)
		uid = 0;
	else if (policy->root == POLICY_ROOT_HOST && strcmp(name, "user") == 0)
		uid = PROCESS_DEFAULT_USER;
	else if (policy->root == POLICY_ROOT_HOST && strcmp(name, "nobody") == 0)
		uid = 65534;
	else if (!text_parse_u64(name, &uid) || uid > 65535)
		uid = UINT64_MAX;
	gid = uid;
	if (uid == UINT64_MAX || (group && (!text_parse_u64(group + 1, &gid) || gid > 65535))) {
		int r = error_set(
			err, ERR_REFUSED, 0, "user",
			"'%s' cannot be mapped: without root, one id is mapped before the root file system can be read",
			policy->user);
		return error_remedy(
			err, r, "write a number from 0 to 65535, as in user: 1000, or run as root");
	}
	setup->inner_uid = (uid_t)uid;
	setup->inner_gid = (gid_t)gid;
	return 0;
}

/* An id that is not mapped here is not taken; setfsuid() says so without any other effect. */
static bool has_id(uid_t uid)
{
	(void)setfsuid(uid);
	return (uid_t)setfsuid(geteuid()) == uid;
}

static bool has_admin_capability(void)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	struct __user_cap_data_struct data[2];
	return syscall(SYS_capget, &header, data) == 0 &&
	       (data[0].effective & 1u << CAP_SYS_ADMIN) != 0;
}

/* What our id 0 is one namespace further out: the second number of the first line. */
static bool is_root_outside(void)
{
	char text[64];
	auto_fd int fd = openat(AT_FDCWD, "/proc/self/uid_map", O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len <= 0)
		return true;
	text[len] = '\0';
	const char *at = text + strspn(text, " ");
	at += strcspn(at, " ");
	at += strspn(at, " ");
	return strncmp(at, "0 ", 2) == 0;
}

static int choose_range(struct process_setup *setup, struct error *err)
{
	/* Sandboxes that run at once differ, so no kernel quota of one user is shared. */
	unsigned range = (unsigned)getpid() % PROCESS_N_RANGES;
	uid_t first = PROCESS_FIRST_UID + range * PROCESS_N_UIDS;
	if (has_id(first) && has_admin_capability()) {
		setup->base_uid = setup->base_gid = first;
		return 0;
	}
	if (!has_id(first) && !is_root_outside()) {
		setup->is_rootless = true;
		return 0;
	}
	int r = error_set(
		err, ERR_REFUSED, 0, "level 'process'",
		"root here has neither its capabilities nor an id of its own to give: the sandbox's user would be root outside");
	return error_remedy(
		err, r,
		"run foso as an ordinary user, or as root with CAP_SYS_ADMIN and all ids mapped");
}

int process_choose_ids(struct process_setup *setup, struct error *err)
{
	setup->is_rootless = geteuid() != 0;
	int r = setup->is_rootless ? 0 : choose_range(setup, err);
	if (r < 0 || !setup->is_rootless)
		return r;
	setup->base_uid = geteuid();
	setup->base_gid = getegid();
	return choose_inner_id(setup, err);
}
