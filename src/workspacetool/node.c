/* SPDX-License-Identifier: Apache-2.0 */
/* node.c - what lies at a path on one side */
#include "workspacetool/node.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <time.h>

#define NS_PER_S       1000000000ll
#define MAX_TICK_WAITS 100
#define TICK_WAIT_NS   1000000

static enum node_type type_of(const struct stat *status, bool is_upper)
{
	switch (status->st_mode & S_IFMT) {
	case S_IFREG:
		return NODE_FILE;
	case S_IFDIR:
		return NODE_FOLDER;
	case S_IFLNK:
		return NODE_LINK;
	case S_IFIFO:
		return NODE_FIFO;
	case S_IFSOCK:
		return NODE_SOCKET;
	case S_IFCHR:
		return is_upper && status->st_rdev == 0 ? NODE_WHITEOUT : NODE_CHAR;
	default:
		return NODE_BLOCK;
	}
}

static int64_t nanoseconds(const struct timespec *time)
{
	return (int64_t)time->tv_sec * NS_PER_S + time->tv_nsec;
}

static void fill(const struct stat *status, bool is_upper, struct node *ret)
{
	*ret = (struct node){
		.type = (uint8_t)type_of(status, is_upper),
		.mode = (uint16_t)(status->st_mode & 07777),
		.n_links = (uint32_t)status->st_nlink,
		.dev = status->st_dev,
		.inode = status->st_ino,
		.size_bytes = (uint64_t)status->st_size,
		.mtime_ns = nanoseconds(&status->st_mtim),
		.ctime_ns = nanoseconds(&status->st_ctim),
	};
	ret->is_sparse = ret->type == NODE_FILE &&
			 (uint64_t)status->st_blocks * 512 + 65536 < ret->size_bytes;
}

/* Whether a change that comes now would get the same time as the last one. */
static bool is_in_this_tick(const struct stat *status)
{
	struct timespec now;
	clock_gettime(CLOCK_REALTIME_COARSE, &now);
	int64_t age_ns = nanoseconds(&now) - nanoseconds(&status->st_ctim);
	return age_ns <= 0 && age_ns > -NS_PER_S;
}

int node_read(int dir_fd, const char *name, bool is_upper, const char *path, struct node *ret,
	      struct error *err)
{
	struct stat status;
	int flags = AT_SYMLINK_NOFOLLOW | (name[0] == '\0' ? AT_EMPTY_PATH : 0);
	for (int i = 0; i < MAX_TICK_WAITS; i++) {
		const struct timespec wait = { .tv_nsec = TICK_WAIT_NS };
		if (fstatat(dir_fd, name, &status, flags) < 0) {
			if (errno == ENOENT || errno == ENOTDIR) {
				*ret = (struct node){ .type = NODE_ABSENT };
				return 0;
			}
			int r = error_set(err, ERR_SYSTEM, errno, path, "cannot be looked at");
			return error_remedy(err, r, "see who may read the folder it lies in");
		}
		if (S_ISDIR(status.st_mode) || !is_in_this_tick(&status))
			break;
		(void)nanosleep(&wait, NULL);
	}
	fill(&status, is_upper, ret);
	/* The upper side is one file system, whose number is another one at each mount. */
	if (is_upper)
		ret->dev = 0;
	return 0;
}

void node_of_stat(const struct stat *status, struct node *ret)
{
	fill(status, false, ret);
}

int node_of_fd(int fd, struct node *ret)
{
	struct stat status;
	if (fstat(fd, &status) < 0)
		return errno;
	fill(&status, false, ret);
	return 0;
}

static bool is_same_object(const struct node *a, const struct node *b)
{
	return a->type == b->type && a->mode == b->mode && a->dev == b->dev && a->inode == b->inode;
}

bool node_is_moved(const struct node *before, const struct node *now)
{
	if (before->type == NODE_ABSENT || now->type == NODE_ABSENT)
		return before->type == now->type;
	if (!is_same_object(before, now))
		return false;
	return now->type == NODE_FOLDER ||
	       (before->size_bytes == now->size_bytes && before->mtime_ns == now->mtime_ns);
}

bool node_is_same(const struct node *a, const struct node *b)
{
	return node_is_moved(a, b) && (a->type == NODE_FOLDER || a->ctime_ns == b->ctime_ns);
}

const char *node_type_word(enum node_type type)
{
	static const char *const words[NODE_N_TYPES] = {
		[NODE_ABSENT] = "absent", [NODE_FILE] = "file",    [NODE_FOLDER] = "folder",
		[NODE_LINK] = "link",     [NODE_FIFO] = "fifo",    [NODE_SOCKET] = "socket",
		[NODE_CHAR] = "device",   [NODE_BLOCK] = "device", [NODE_WHITEOUT] = "absent",
	};
	return words[type];
}
