/* SPDX-License-Identifier: Apache-2.0 */
/*
 * network.c - a network namespace with nothing but lo, made beside everything else
 *
 * Making a network namespace takes the kernel longer than all the rest together (0.6-0.8 ms where
 * the whole start takes 2-3), so a helper that shares memory and descriptors makes it while the
 * child builds the root file system.  The helper ends before foso-init is executed.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/if.h>
#include <linux/sockios.h>
#include <sched.h>
#include <signal.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "levels/process/process.h"

#define NETWORK_STACK_BYTES 16384

/* A socket of the new namespace is all that is needed: it also says which namespace that is. */
static int bring_up_lo(int *ret_ns_fd)
{
	struct ifreq request = { .ifr_name = "lo", .ifr_flags = IFF_UP | IFF_RUNNING };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || ioctl(fd, SIOCSIFFLAGS, &request) < 0 ||
	    (*ret_ns_fd = ioctl(fd, SIOCGSKNS)) < 0) /* close-on-exec from birth */
		return errno;
	close(fd);
	return 0;
}

/* Runs in the helper.  errno is shared with the child, so it is written only by a failure here. */
static int make_namespace(void *context)
{
	struct process_network *network = context;
	network->errnum = unshare(CLONE_NEWNET) < 0 ? errno : bring_up_lo(&network->ns_fd);
	return network->errnum != 0;
}

int process_network_start(struct process_network *network)
{
	static _Alignas(16) char stack[NETWORK_STACK_BYTES];
	*network = (struct process_network){ .ns_fd = -1 };
	network->helper = clone(make_namespace, stack + sizeof(stack),
				CLONE_VM | CLONE_FILES | SIGCHLD, network);
	return network->helper < 0 ? errno : 0;
}

int process_network_join(struct process_network *network)
{
	int status = 0;
	pid_t pid;
	do
		pid = waitpid(network->helper, &status, __WALL);
	while (pid < 0 && errno == EINTR);
	if (pid < 0)
		return errno;
	if (network->errnum != 0 || network->ns_fd < 0)
		return network->errnum != 0 ? network->errnum : EIO;
	int r = setns(network->ns_fd, CLONE_NEWNET) < 0 ? errno : 0;
	close(network->ns_fd);
	return r;
}
