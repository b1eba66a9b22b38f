/* SPDX-License-Identifier: Apache-2.0 */
/*
 * child.c - from a fresh clone in its namespaces to foso-init
 *
 * The child holds rights only in its own user namespace.  Whatever fails is told over the socket
 * that foso-init will use, and nothing is executed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/capability.h>
#include <poll.h>
#include <sched.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "base/text.h"
#include "confine/confine.h"
#include "levels/process/root.h"

#define CHILD_INIT_FD       (INIT_SCRATCH_FD + 1)
#define CHILD_FIRST_FREE_FD (CHILD_INIT_FD + 1)

static _Noreturn void fail(const struct process_setup *setup, enum init_stage stage, int errnum,
			   const char *subject)
{
	struct init_event event = { .errnum = errnum, .stage = stage };
	not_zeroed char storage[INIT_EVENT_BYTES];
	struct buf bytes = BUF_ON(storage, 256);
	(void)snprintf(event.name, sizeof(event.name), "%s", subject);
	init_event_encode(&event, &bytes);
	(void)init_channel_send(setup->channel_fd, INIT_FAILED, bytes.data, bytes.len, NULL, 0);
	_exit(1);
}

/* Waits for the engine to have written the id maps; it dies with the engine. */
static void wait_for_maps(const struct process_setup *setup)
{
	char byte;
	ssize_t n;
	do
		n = recv(setup->sync_fd, &byte, 1, 0);
	while (n < 0 && errno == EINTR);
	if (n != 1)
		_exit(1);
}

/* Root's own ids and groups came along through the clone: only mapped ones may stay. */
static int become_inner_root(const struct process_setup *setup)
{
	if (setup->is_rootless)
		return 0;
	/* The C library's own would tell its threads, of which there are none. */
	if (syscall(SYS_setgroups, 0, NULL) < 0 || syscall(SYS_setresgid, 0, 0, 0) < 0 ||
	    syscall(SYS_setresuid, 0, 0, 0) < 0)
		return errno;
	return 0;
}

static int write_file(const char *path, const char *text)
{
	auto_fd int fd = openat(AT_FDCWD, path, O_WRONLY | O_CLOEXEC);
	return fd < 0 || write(fd, text, strlen(text)) < 0 ? errno : 0;
}

static int set_names(const struct process_setup *setup)
{
	const char *name = root_hostname(setup->policy);
	if (sethostname(name, strlen(name)) < 0 || setdomainname("", 0) < 0)
		return errno;
	/* A second wall behind the filter: this namespace's count of children is zero. */
	return setup->policy->syscalls.may_nest
		       ? 0
		       : write_file("/proc/sys/user/max_user_namespaces", "0");
}

/*
 * Started by an ordinary user, the sandbox has his uid outside, and the kernel counts what it
 * watches as his: it gets a part of his quota, so that it cannot use up all of it.  Root's
 * sandboxes have ids, and so quotas, of their own.  A kernel without the quota has no file.
 */
static void share_quotas(const struct process_setup *setup)
{
	static const struct {
		const char *whole, *own;
	} quotas[] = {
		{ "/proc/sys/fs/inotify/max_user_instances",
		  "/proc/sys/user/max_inotify_instances" },
		{ "/proc/sys/fs/inotify/max_user_watches", "/proc/sys/user/max_inotify_watches" },
	};
	for (size_t i = 0; setup->is_rootless && i < ARRAY_LEN(quotas); i++) {
		char text[32] = "";
		uint64_t whole;
		auto_fd int fd = open(quotas[i].whole, O_RDONLY | O_CLOEXEC);
		ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
		if (n <= 0)
			continue;
		text[strcspn(text, "\n")] = '\0';
		if (!text_parse_u64(text, &whole))
			continue;
		(void)snprintf(text, sizeof(text), "%llu", (unsigned long long)(whole / 4));
		(void)write_file(quotas[i].own, text);
	}
}

/* What foso-init does not need can be given up now; the commands' own step then has less to do. */
static int drop_unused_bounds(const struct process_setup *setup)
{
	const uint32_t kept = 1u << CAP_SETUID | 1u << CAP_SETGID | 1u << CAP_KILL |
			      1u << CAP_SETPCAP | (setup->is_installer ? CONFINE_INSTALLER : 0);
	for (int capability = 0; capability < 64; capability++) {
		bool is_kept = capability < 32 && kept & 1u << capability;
		if (!is_kept && prctl(PR_CAPBSET_DROP, capability, 0, 0, 0) < 0)
			return errno == EINVAL ? 0 : errno;
	}
	return 0;
}

/* What a command starts with, whatever the caller's own is. */
#define CHILD_UMASK 022

static _Noreturn void become_init(struct process_setup *setup, int scratch_fd)
{
	char *argv[] = { (char[]){ "foso-init" }, NULL };
	char *envp[] = { NULL };
	for (int fd = 0; fd < 3; fd++) {
		if (dup3(setup->null_fd, fd, 0) < 0)
			fail(setup, STAGE_DESCRIPTORS, errno, "");
	}
	/* First out of each other's way, then to their places; nothing of the caller's goes along.
	 */
	int init_fd = fcntl(setup->init_fd, F_DUPFD_CLOEXEC, CHILD_FIRST_FREE_FD);
	int channel_fd = fcntl(setup->channel_fd, F_DUPFD_CLOEXEC, CHILD_FIRST_FREE_FD);
	int scratch = fcntl(scratch_fd, F_DUPFD_CLOEXEC, CHILD_FIRST_FREE_FD);
	if (init_fd < 0 || channel_fd < 0 || scratch < 0 ||
	    dup3(channel_fd, INIT_CHANNEL_FD, 0) < 0 || dup3(scratch, INIT_SCRATCH_FD, 0) < 0 ||
	    dup3(init_fd, CHILD_INIT_FD, O_CLOEXEC) < 0)
		fail(setup, STAGE_DESCRIPTORS, errno, "");
	setup->channel_fd = INIT_CHANNEL_FD;
	int errnum = confine_close_fds(CHILD_FIRST_FREE_FD);
	if (errnum != 0)
		fail(setup, STAGE_DESCRIPTORS, errnum, "");
	/*
	 * One id is mapped and nobody changes ids, so foso-init needs no capability; it would also
	 * lose them by the exec, and with them the right to lock this.
	 */
	errnum = setup->is_rootless ? confine_capabilities() : 0;
	if (errnum != 0)
		fail(setup, STAGE_PRIVILEGES, errnum, "");
	(void)umask(CHILD_UMASK);
	sys_execveat(CHILD_INIT_FD, "", argv, envp, AT_EMPTY_PATH);
	fail(setup, STAGE_INIT, errno, "foso-init");
}

_Noreturn void process_child_main(struct process_setup *setup)
{
	struct process_network network;
	struct cgroup_namespace namespace;
	struct process_step step = { .stage = STAGE_ROOT };
	struct mount_attr private = { .propagation = MS_PRIVATE };
	int root_fd = -1, scratch_fd = -1;
	int r;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)umask(0); /* Modes are what is written here, whoever calls. */
	if ((r = cgroup_namespace_start(setup->group_fd, &namespace)) != 0)
		fail(setup, STAGE_NAMESPACES, r, "cgroup");
	if ((r = process_network_start(&network)) != 0)
		fail(setup, STAGE_NETWORK, r, "");
	if (sys_mount_setattr(AT_FDCWD, "/", AT_RECURSIVE, &private) < 0)
		fail(setup, STAGE_NAMESPACES, errno, "/");
	wait_for_maps(setup);
	if ((r = cgroup_namespace_enter(&namespace)) != 0)
		fail(setup, STAGE_NAMESPACES, r, "cgroup");
	if (send(setup->sync_fd, "n", 1, MSG_NOSIGNAL) != 1)
		_exit(1);
	if ((r = become_inner_root(setup)) != 0)
		fail(setup, STAGE_NAMESPACES, r, "");
	if ((r = process_root_build(setup, &root_fd, &scratch_fd, &step)) != 0)
		fail(setup, step.stage, r, step.subject);
	if ((r = set_names(setup)) != 0)
		fail(setup, STAGE_HOSTNAME, r, "");
	share_quotas(setup);
	confine_signals();
	if ((r = drop_unused_bounds(setup)) != 0)
		fail(setup, STAGE_PRIVILEGES, r, "");
	if (setup->policy->root == POLICY_ROOT_HOST &&
	    (r = root_verify_masks(setup, root_fd, &step)) != 0)
		fail(setup, step.stage, r, step.subject);
	/* Everything before this line runs beside the making of the network namespace. */
	if ((r = process_network_join(&network)) != 0)
		fail(setup, STAGE_NETWORK, r, "");
	if ((r = process_root_enter(root_fd, &step)) != 0)
		fail(setup, step.stage, r, step.subject);
	become_init(setup, scratch_fd);
}
