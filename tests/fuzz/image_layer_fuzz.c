/* SPDX-License-Identifier: Apache-2.0 */
/*
 * image_layer_fuzz.c - bytes as the tar of a layer, unpacked; as an archive of blobs, listed
 *
 * The first byte chooses.  Whatever the tar says, nothing appears beside the folder that it is
 * unpacked into, and what was made can be removed.
 */
#include <assert.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/dir.h"
#include "image/write/remove.h"
#include "unpack/unpack.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void unpack_tree(struct unpack *unpack)
{
	static const struct layer_limits limits = { .max_entries = 1000,
						    .max_bytes = 1 << 20,
						    .is_flat = true };
	char folder[] = "/tmp/foso-fuzz-XXXXXX";
	struct error err = { .code = ERR_NONE };
	assert(mkdtemp(folder));
	auto_fd int top_fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert(top_fd >= 0 && mkdirat(top_fd, "fs", 0755) == 0);
	auto_fd int root_fd = openat(top_fd, "fs", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	(void)unpack_layer(unpack, root_fd, &limits);
	unsigned n_entries = 0;
	DIR_READER(reader, top_fd);
	while (dir_next(&reader))
		n_entries++;
	assert(n_entries == 3); /* ".", ".." and "fs" */
	assert(tree_remove(top_fd, "fs", &err) == 0);
	assert(rmdir(folder) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct image_answer answer;
	static struct unpack unpack;
	static char storage[IMAGE_ANSWER_BYTES];
	if (size == 0 || size > 64 * 1024)
		return 0;
	auto_fd int fd = memfd_create("tar", MFD_CLOEXEC);
	assert(fd >= 0 && write(fd, data + 1, size - 1) == (ssize_t)(size - 1));
	assert(lseek(fd, 0, SEEK_SET) == 0 && dup2(fd, STDIN_FILENO) == STDIN_FILENO);
	memset(&answer, 0, sizeof(answer));
	unpack = (struct unpack){ .answer = &answer,
				  .storage = BUF_ON(storage, sizeof(storage) - 1) };
	if (data[0] == 'a')
		(void)unpack_archive(&unpack, "auto");
	else
		unpack_tree(&unpack);
	return 0;
}
