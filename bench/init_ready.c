/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init_ready.c - how long foso-init takes from its exec to its READY
 *
 *   init_ready FOSO-INIT RUNS
 *
 * The order that a sandbox gives (Landlock, keyring, filter, capabilities) is in the socket
 * before the program starts, so nothing is waited for.  There is no namespace around it: only
 * the program's own time counts.
 */
#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/syscalls.h"
#include "base/text.h"
#include "confine/confine.h"
#include "confine/seccomp.h"
#include "wire/init_messages.h"

#define WARM     5
#define MAX_RUNS 100000

static _Noreturn void die(const char *what)
{
	(void)fprintf(stderr, "init_ready: %s (%s)\n", what, strerror(errno));
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec now;
	(void)clock_gettime(CLOCK_MONOTONIC, &now);
	return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

/* The default profile's filter, as the engine hands it over. */
static void make_filter(struct seccomp_program *ret)
{
	struct policy policy;
	struct error err = { 0 };
	if (policy_init(&policy, &err) < 0 || seccomp_program_build(ret, &policy, false, &err))
		die("no filter");
	policy_fini(&policy);
}

static void order(int socket_fd, const struct seccomp_program *filter)
{
	static char paths[][12] = { "/",     "/dev",  "/tmp",     "/var/tmp", "/run",
				    "/home", "/root", "/dev/shm", "/proc" };
	struct init_configure configure = {
		.needs_landlock = true,
		.filter = filter->instructions,
		.n_filter_bytes = filter->n_instructions * sizeof(filter->instructions[0]),
	};
	auto_buf struct buf bytes = BUF_INIT(INIT_MAX_MESSAGE_BYTES);
	for (size_t i = 0; i < ARRAY_LEN(paths); i++)
		configure.paths[configure.n_paths++] =
			(struct init_path){ paths[i],
					    CONFINE_PATH_READ | (i > 0 ? CONFINE_PATH_WRITE : 0) };
	init_configure_encode(&configure, &bytes);
	if (init_channel_send(socket_fd, INIT_CONFIGURE, bytes.data, bytes.len, NULL, 0) != 0)
		die("no order");
}

static uint64_t measure(const char *path, const struct seccomp_program *filter)
{
	static struct init_packet packet;
	posix_spawn_file_actions_t actions;
	char *argv[] = { (char[]){ "foso-init" }, NULL };
	char *envp[] = { NULL };
	int sockets[2], status;
	pid_t pid;
	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets) < 0)
		die("no socket");
	order(sockets[0], filter);
	if (posix_spawn_file_actions_init(&actions) != 0 ||
	    posix_spawn_file_actions_adddup2(&actions, sockets[1], INIT_CHANNEL_FD) != 0)
		die("no memory");
	uint64_t began_ns = now_ns();
	errno = posix_spawn(&pid, path, &actions, NULL, argv, envp);
	if (errno != 0)
		die(path);
	close(sockets[1]);
	if (init_channel_recv(sockets[0], &packet, 0) != 0 || packet.number != INIT_READY)
		die("foso-init did not get ready");
	uint64_t taken_ns = now_ns() - began_ns;
	init_packet_close(&packet);
	close(sockets[0]); /* it ends by itself when nobody holds the other end */
	(void)waitpid(pid, &status, 0);
	(void)posix_spawn_file_actions_destroy(&actions);
	return taken_ns;
}

static int compare(const void *a, const void *b)
{
	const uint64_t *left = a, *right = b;
	return (*left > *right) - (*left < *right);
}

int main(int argc, char **argv)
{
	static uint64_t taken_ns[MAX_RUNS];
	uint64_t runs;
	struct seccomp_program filter;
	if (argc != 3 || !text_parse_u64(argv[2], &runs) || runs == 0 || runs > MAX_RUNS) {
		(void)fprintf(stderr, "usage: init_ready FOSO-INIT RUNS\n");
		return 125;
	}
	/* The place that the socket has inside must not be one of ours. */
	while (open("/dev/null", O_RDWR | O_CLOEXEC) < INIT_SCRATCH_FD)
		continue;
	make_filter(&filter);
	for (uint64_t i = 0; i < runs + WARM; i++)
		taken_ns[i < WARM ? 0 : i - WARM] = measure(argv[1], &filter);
	qsort(taken_ns, runs, sizeof(taken_ns[0]), compare);
	(void)printf("{\"runs\": %llu, \"median_ns\": %llu, \"p10_ns\": %llu, \"p90_ns\": %llu}\n",
		     (unsigned long long)runs, (unsigned long long)taken_ns[runs / 2],
		     (unsigned long long)taken_ns[runs / 10],
		     (unsigned long long)taken_ns[runs * 9 / 10]);
	return 0;
}
