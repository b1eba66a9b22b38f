/* SPDX-License-Identifier: Apache-2.0 */
/*
 * stuck_fuse.c - a file system whose file "stuck" is never read to an end
 *
 * stuck_fuse FOLDER: mounts itself there, prints "ready", and answers everything but reads, so a
 * reader waits in the kernel where no signal reaches it.  On SIGTERM, and when stdin ends, it
 * unmounts; the reader then gets its error.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#define STUCK_INODE 2u
#define REQUEST_MAX (1024 * 1024 + 4096)

static int fuse_fd;

static void answer(const struct fuse_in_header *in, int error, const void *body, size_t len)
{
	char bytes[4096];
	struct fuse_out_header out = { .len = (uint32_t)(sizeof(out) + (error ? 0 : len)),
				       .error = -error,
				       .unique = in->unique };
	memcpy(bytes, &out, sizeof(out));
	if (!error && len > 0)
		memcpy(bytes + sizeof(out), body, len);
	if (write(fuse_fd, bytes, out.len) < 0)
		perror("stuck_fuse: answer");
}

static struct fuse_attr attributes(uint64_t inode)
{
	return (struct fuse_attr){
		.ino = inode,
		.mode = inode == STUCK_INODE ? S_IFREG | 0444 : S_IFDIR | 0555,
		.size = inode == STUCK_INODE ? 1 << 20 : 0,
		.nlink = 1,
	};
}

static void answer_init(const struct fuse_in_header *in, const void *body)
{
	const struct fuse_init_in *asked = body;
	struct fuse_init_out out = {
		.major = FUSE_KERNEL_VERSION,
		.minor = FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = asked->max_readahead,
		.max_background = 16,
		.congestion_threshold = 12,
		.max_write = 65536,
	};
	answer(in, 0, &out, sizeof(out));
}

static void answer_lookup(const struct fuse_in_header *in, const char *name)
{
	struct fuse_entry_out out = { .nodeid = STUCK_INODE, .attr_valid = 60, .entry_valid = 60 };
	out.attr = attributes(STUCK_INODE);
	answer(in, strcmp(name, "stuck") == 0 ? 0 : ENOENT, &out, sizeof(out));
}

static void serve_one(const struct fuse_in_header *in)
{
	const void *body = in + 1;
	struct fuse_attr_out attr = { .attr_valid = 60, .attr = attributes(in->nodeid) };
	struct fuse_open_out opened = { .open_flags = FOPEN_DIRECT_IO };
	switch (in->opcode) {
	case FUSE_INIT:
		answer_init(in, body);
		break;
	case FUSE_LOOKUP:
		answer_lookup(in, body);
		break;
	case FUSE_GETATTR:
		answer(in, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
	case FUSE_OPENDIR:
		answer(in, 0, &opened, sizeof(opened));
		break;
	case FUSE_READDIR:
	case FUSE_FLUSH:
	case FUSE_RELEASE:
	case FUSE_RELEASEDIR:
	case FUSE_ACCESS:
		answer(in, 0, NULL, 0);
		break;
	case FUSE_READ: /* Never. */
	case FUSE_INTERRUPT:
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
		break;
	default:
		answer(in, ENOSYS, NULL, 0);
	}
}

static void serve(void)
{
	static _Alignas(struct fuse_in_header) char request[REQUEST_MAX];
	struct pollfd polls[] = { { .fd = fuse_fd, .events = POLLIN },
				  { .fd = 0, .events = POLLIN } };
	while (poll(polls, 2, -1) > 0 && !polls[1].revents) {
		ssize_t n = read(fuse_fd, request, sizeof(request));
		if (n < 0 && errno != EINTR && errno != ENOENT)
			return;
		if (n >= (ssize_t)sizeof(struct fuse_in_header))
			serve_one((const struct fuse_in_header *)request);
	}
}

int main(int argc, char **argv)
{
	char options[128];
	if (argc != 2)
		return 2;
	fuse_fd = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	(void)snprintf(options, sizeof(options),
		       "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", fuse_fd);
	if (fuse_fd < 0 ||
	    mount("stuck", argv[1], "fuse.stuck", MS_NOSUID | MS_NODEV, options) < 0) {
		perror("stuck_fuse");
		return 1;
	}
	printf("ready\n");
	(void)fflush(stdout);
	serve();
	(void)umount2(argv[1], MNT_DETACH);
	return 0;
}
