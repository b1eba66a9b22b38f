/* SPDX-License-Identifier: Apache-2.0 */
/* shared.c - acts on what processes share by name: the places where a run could leave a trace */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/shm.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "verify/act/act.h"

static const char *const folders[] = {
	"/tmp", "/var/tmp", "/dev/shm", "/run", "/home/user", "/root"
};

/* Key of a System V object, made of the tag (FNV-1a). */
static key_t key_of(const char *tag)
{
	uint32_t hash = 2166136261u;
	for (; *tag; tag++)
		hash = (hash ^ (unsigned char)*tag) * 16777619u;
	return (key_t)(hash | 1u);
}

static long queue_open(const char *tag, int flags)
{
	char name[64];
	(void)snprintf(name, sizeof(name), "%s", tag);
	return syscall(SYS_mq_open, name, flags, 0600, NULL);
}

static int leave_traces(const char *tag)
{
	char path[256];
	int n_left = 0;
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", folders[i], tag);
		auto_fd int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
		n_left += fd >= 0;
	}
	n_left += shmget(key_of(tag), 4096, IPC_CREAT | 0666) >= 0;
	n_left += queue_open(tag, O_CREAT | O_RDWR) >= 0;
	return n_left;
}

int act_fresh_mark(int argc, char **argv)
{
	int n_left = leave_traces(argv[1]);
	if (n_left < 4)
		return act_cannot(errno, "left only %d traces", n_left);
	int r = act_done("left %d traces", n_left);
	if (argc > 2)
		act_wait_ms(act_number(argv[2]));
	return r;
}

int act_fresh_find(int argc, char **argv)
{
	char path[256];
	struct stat status;
	if (argc > 2 && strcmp(argv[2], "mark") == 0)
		(void)leave_traces(argv[1]);
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", folders[i], argv[1]);
		if (lstat(path, &status) == 0)
			return act_done("%s is there", path);
	}
	if (shmget(key_of(argv[1]), 0, 0) >= 0)
		return act_done("its shared memory is there");
	if (queue_open(argv[1], O_RDONLY) >= 0)
		return act_done("its message queue is there");
	return act_denied(ENOENT, "no trace");
}

int act_ipc_find(int argc, char **argv)
{
	UNUSED(argc);
	if (shmget((key_t)act_number(argv[1]), 0, 0) >= 0)
		return act_done("the shared memory is there");
	if (queue_open(argv[2], O_RDONLY) >= 0)
		return act_done("the message queue is there");
	return act_denied(errno, "neither is there");
}
