/* SPDX-License-Identifier: Apache-2.0 */
/* sockets.c - acts over sockets */
#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "verify/act/act.h"

/* Waits for a connection that is being made; 0 or the errno of its end. */
static int connect_within(int fd, const void *address, socklen_t len)
{
	struct pollfd poll_fd = { .fd = fd, .events = POLLOUT };
	int errnum = 0;
	socklen_t size = sizeof(errnum);
	if (connect(fd, address, len) == 0)
		return 0;
	if (errno != EINPROGRESS)
		return errno;
	if (poll(&poll_fd, 1, 1000) <= 0)
		return ETIMEDOUT;
	return getsockopt(fd, SOL_SOCKET, SO_ERROR, &errnum, &size) < 0 ? errno : errnum;
}

int act_tcp(int argc, char **argv)
{
	in_port_t port = htons((uint16_t)act_number(argv[1]));
	struct sockaddr_in v4 = { .sin_family = AF_INET,
				  .sin_port = port,
				  .sin_addr = { htonl(INADDR_LOOPBACK) } };
	struct sockaddr_in6 v6 = { .sin6_family = AF_INET6, .sin6_port = port };
	v6.sin6_addr.s6_addr[15] = 1;
	UNUSED(argc);
	auto_fd int fd4 = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	int errnum = fd4 < 0 ? errno : connect_within(fd4, &v4, sizeof(v4));
	if (errnum == 0)
		return act_done("connected to 127.0.0.1");
	auto_fd int fd6 = socket(AF_INET6, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (fd6 >= 0 && connect_within(fd6, &v6, sizeof(v6)) == 0)
		return act_done("connected to ::1");
	return act_denied(errnum, "connect to a port of the host");
}

int act_udp(int argc, char **argv)
{
	struct sockaddr_in to = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)act_number(argv[1])) };
	UNUSED(argc);
	if (inet_pton(AF_INET, argv[2], &to.sin_addr) != 1)
		return act_cannot(0, "%s is not an address", argv[2]);
	auto_fd int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	/* A route is all that is asked for; nothing is sent. */
	int r = fd < 0 ? -1 : connect(fd, (struct sockaddr *)&to, sizeof(to));
	return act_outcome(r, "find a route");
}

static socklen_t abstract_address(struct sockaddr_un *address, const char *name)
{
	size_t len = strnlen(name, sizeof(address->sun_path) - 1);
	*address = (struct sockaddr_un){ .sun_family = AF_UNIX };
	memcpy(address->sun_path + 1, name, len);
	return (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + len);
}

int act_abstract(int argc, char **argv)
{
	struct sockaddr_un address;
	socklen_t len = abstract_address(&address, argv[1]);
	UNUSED(argc);
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	int r = fd < 0 ? -1 : connect(fd, (struct sockaddr *)&address, len);
	return act_outcome(r, "connect to an abstract socket");
}

int act_unix(int argc, char **argv)
{
	int errnum = ENOENT;
	for (int i = 1; i < argc; i++) {
		struct sockaddr_un address = { .sun_family = AF_UNIX };
		(void)snprintf(address.sun_path, sizeof(address.sun_path), "%s", argv[i]);
		auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
		if (fd >= 0 && connect(fd, (struct sockaddr *)&address, sizeof(address)) == 0)
			return act_done("connected to %s", argv[i]);
		errnum = errno;
	}
	return act_denied(errnum, "%s", argv[argc - 1]);
}

int act_socket(int argc, char **argv)
{
	int family = (int)act_number(argv[1]), type = (int)act_number(argv[2]);
	UNUSED(argc);
	auto_fd int fd = socket(family, type | SOCK_CLOEXEC, (int)act_number(argv[3]));
	return act_outcome(fd, "make the socket");
}

int act_interfaces(int argc, char **argv)
{
	char line[512];
	int n_lines = 0;
	UNUSED(argc);
	UNUSED(argv);
	FILE *file = fopen("/proc/net/dev", "re");
	if (!file)
		return act_cannot(errno, "/proc/net/dev");
	while (fgets(line, sizeof(line), file)) {
		const char *name = line + strspn(line, " ");
		size_t len = strcspn(name, ":");
		/* Two lines of headings hold no colon before their end. */
		if (++n_lines <= 2 || (len == 2 && strncmp(name, "lo", 2) == 0))
			continue;
		(void)fclose(file);
		return act_done("interface %.*s", (int)len, name);
	}
	(void)fclose(file);
	return act_denied(ENODEV, "only lo");
}

/* Whoever calls may also hand over a descriptor, so a call alone is one too many. */
int act_listen(int argc, char **argv)
{
	struct sockaddr_un address;
	socklen_t len = abstract_address(&address, argv[1]);
	UNUSED(argc);
	auto_fd int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	struct pollfd poll_fd = { .fd = fd, .events = POLLIN };
	if (fd < 0 || bind(fd, (struct sockaddr *)&address, len) < 0 || listen(fd, 1) < 0)
		return act_cannot(errno, "listen");
	(void)act_done("ready");
	if (poll(&poll_fd, 1, (int)act_number(argv[2])) > 0)
		return act_done("was called");
	return act_denied(ETIMEDOUT, "nobody called");
}

int act_listen_tcp(int argc, char **argv)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
				  .sin_port = htons((uint16_t)act_number(argv[1])),
				  .sin_addr = { htonl(INADDR_ANY) } };
	UNUSED(argc);
	auto_fd int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
	if (fd < 0 || bind(fd, (struct sockaddr *)&at, sizeof(at)) < 0 || listen(fd, 1) < 0)
		return act_denied(errno, "listen");
	(void)act_done("ready");
	act_wait_ms(act_number(argv[2]));
	return ACT_DONE;
}
