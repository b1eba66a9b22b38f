/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_set.c - a change set as a run leaves it, made without a sandbox
 *
 * usage: make_set FOLDER ID [--folder] [--hidden PATH]... SCRIPT
 *
 * Mounts an overlay of FOLDER and a new change set, runs SCRIPT with sh in it, and leaves the set
 * stopped.  --folder: plain folders even where a disk could be had.  Needs root, or a user
 * namespace, which it makes for an ordinary user.
 */
#include <fcntl.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "workspace/changes.h"

static int fail(const char *what)
{
	perror(what);
	return 1;
}

static uint64_t now_ns(void)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static void write_map(const char *path, const char *text)
{
	auto_fd int fd = open(path, O_WRONLY | O_CLOEXEC);
	if (fd < 0 || write(fd, text, strlen(text)) < 0)
		perror(path);
}

static int become_root(void)
{
	char uids[64], gids[64];
	(void)snprintf(uids, sizeof(uids), "0 %u 1", geteuid());
	(void)snprintf(gids, sizeof(gids), "0 %u 1", getegid());
	if (unshare(CLONE_NEWUSER | CLONE_NEWNS) < 0)
		return fail("unshare");
	write_map("/proc/self/setgroups", "deny");
	write_map("/proc/self/gid_map", gids);
	write_map("/proc/self/uid_map", uids);
	return 0;
}

/* In a mount namespace of its own, so nothing is left of it. */
static int run(const char *folder, int tree_fd, bool is_folder, const char *script)
{
	char options[16384], where[] = "/mnt";
	char tree[2048] = "", link[64];
	(void)snprintf(link, sizeof(link), "/proc/self/fd/%d", tree_fd);
	/* A plain folder is named by its path: its descriptor is of another mount namespace. */
	if (!is_folder || readlink(link, tree, sizeof(tree) - 1) < 0)
		(void)snprintf(tree, sizeof(tree), "%s", link);
	(void)snprintf(options, sizeof(options),
		       "lowerdir=%s,upperdir=%s/upper,workdir=%s/work,userxattr", folder, tree,
		       tree);
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) < 0 ||
	    mount("overlay", where, "overlay", 0, options) < 0)
		return fail("overlay");
	if (chdir(where) < 0)
		return fail(where);
	(void)umask(022);
	(void)execl("/bin/sh", "sh", "-c", script, (char *)NULL);
	return fail("/bin/sh");
}

static int make_tree(const struct changes *changes, bool is_folder)
{
	struct error err = { 0 };
	int fd = -1;
	if (is_folder)
		return changes->tree_fd;
	if (changes_tree_clone(changes, &fd, &err) < 0)
		error_print(stderr, &err);
	return fd;
}

int main(int argc, char **argv)
{
	struct changes_options options = { 0 };
	struct changes changes = CHANGES_CLOSED;
	static struct changes_record record;
	auto_buf struct buf hidden = BUF_INIT(65536);
	struct error err = { 0 };
	struct stat status;
	auto_fd int store_fd = -1;
	int result, at = 3;
	if (argc < 4 || stat(argv[1], &status) < 0)
		return fail("usage: make_set FOLDER ID [--folder] [--hidden PATH]... SCRIPT");
	for (; at + 1 < argc && argv[at][0] == '-'; at++) {
		if (strcmp(argv[at], "--folder") == 0)
			options.wants_folder = true;
		else if (at + 2 < argc)
			changes_hidden_put(&hidden, CHANGES_HIDDEN_ABSENT, argv[at + 1],
					   strlen(argv[at + 1])),
				at++;
	}
	(void)snprintf(record.id, sizeof(record.id), "%s", argv[2]);
	(void)snprintf(record.path, sizeof(record.path), "%s", argv[1]);
	record.dev = status.st_dev;
	record.inode = status.st_ino;
	record.host_uid = status.st_uid;
	record.host_gid = status.st_gid;
	record.disk_bytes = UINT64_C(20) << 30;
	record.disk_inodes = 300000;
	/* Files of the same tick would count as changed since. */
	(void)nanosleep(&(struct timespec){ .tv_nsec = 20000000 }, NULL);
	record.started_realtime_ns = now_ns();
	if (changes_store_open(&store_fd, &err) < 0 ||
	    changes_create(store_fd, &record, &options, &changes, &err) < 0) {
		error_print(stderr, &err);
		return 1;
	}
	bool is_folder = changes.record.mechanism == CHANGES_FOLDER;
	(void)fflush(NULL);
	pid_t pid = fork();
	if (pid == 0) {
		if (geteuid() != 0 ? become_root() != 0 : unshare(CLONE_NEWNS) < 0)
			_exit(fail("namespace"));
		_exit(run(argv[1], make_tree(&changes, is_folder), is_folder, argv[argc - 1]));
	}
	(void)waitpid(pid, &result, 0);
	changes.record.state = CHANGES_STOPPED;
	changes.record.ended_realtime_ns = now_ns();
	if ((hidden.len > 0 && changes_hidden_write(&changes, &hidden, &err) < 0) ||
	    changes_write(&changes, &err) < 0) {
		error_print(stderr, &err);
		return 1;
	}
	changes_close(&changes);
	return WIFEXITED(result) ? WEXITSTATUS(result) : 1;
}
