/* SPDX-License-Identifier: Apache-2.0 */
/* staging.c - a folder of the store in which an image is made */
#include "image/write/staging.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/file.h>
#include <sys/random.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "image/write/remove.h"

static int failed(const struct image_store *store, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errno, store->path,
			  "no folder to make an image in can be made");
	return error_remedy(err, r, "look at the free space, inodes and mode of the image store");
}

static int make(const struct image_store *store, struct staging *staging, int lock_fd)
{
	uint64_t number;
	UNUSED(lock_fd); /* while it is held, no sweep takes the folder for a leftover */
	if (getrandom(&number, sizeof(number), 0) != (ssize_t)sizeof(number))
		return -1;
	(void)snprintf(staging->name, sizeof(staging->name), "staging/%016llx",
		       (unsigned long long)number);
	if (mkdirat(store->dir_fd, staging->name, 0700) < 0)
		return -1;
	staging->dir_fd = openat(store->dir_fd, staging->name,
				 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (staging->dir_fd < 0 || flock(staging->dir_fd, LOCK_EX | LOCK_NB) < 0)
		return -1;
	return mkdirat(staging->dir_fd, "blobs", 0700) < 0 ||
			       mkdirat(staging->dir_fd, "layers", 0700) < 0
		       ? -1
		       : 0;
}

int staging_begin(const struct image_store *store, struct staging *ret, struct error *err)
{
	auto_fd int lock_fd = -1;
	*ret = (struct staging){ .store = store, .dir_fd = -1 };
	int r = image_store_lock(store, false, &lock_fd, err);
	if (r < 0)
		return r;
	if (make(store, ret, lock_fd) < 0) {
		r = failed(store, err);
		staging_end(ret);
	}
	return r;
}

void staging_end(struct staging *staging)
{
	struct error unused = { .code = ERR_NONE };
	for (size_t i = 0; i < staging->n_holds; i++)
		fd_close(&staging->holds[i]);
	staging->n_holds = 0;
	if (staging->dir_fd < 0 || !staging->store)
		return;
	/* What cannot be removed now is a leftover for the next sweep. */
	(void)!tree_remove(staging->store->dir_fd, staging->name, &unused);
	fd_close(&staging->dir_fd);
}

void staging_hold(struct staging *staging, int hold_fd)
{
	if (staging->n_holds < ARRAY_LEN(staging->holds))
		staging->holds[staging->n_holds++] = hold_fd;
	else
		close(hold_fd);
}
