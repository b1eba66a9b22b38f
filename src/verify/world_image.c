/* SPDX-License-Identifier: Apache-2.0 */
/*
 * world_image.c - images in a store of our own, as hostile as a stranger could make them
 *
 * They are put together from folders and a record, without an importer, which would not let all
 * of this in: /etc, /dev, /tmp, ... as links to a folder of the host, a set-user-id file, a node
 * of a device.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "image/image.h"
#include "verify/world.h"

static const char *const links[] = { "etc", "dev", "proc", "sys", "tmp", "run" };

static int write_file(int dir_fd, const char *path, const void *bytes, size_t len, mode_t mode)
{
	auto_fd int fd = openat(dir_fd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
	return fd < 0 || write(fd, bytes, len) != (ssize_t)len || fchmod(fd, mode) < 0 ? -1 : 0;
}

/* Makes the folder of a layer and opens its fs/. */
static int add_layer(const struct image_store *store, struct image_record *record, const char *name)
{
	char path[IMAGE_PATH_BYTES], tree[IMAGE_PATH_BYTES + 8];
	struct image_layer *layer = &record->layers[record->n_layers];
	digest_sha256(name, strlen(name), NULL, 0, layer->diff_id);
	memcpy(layer->blob, layer->diff_id, DIGEST_BYTES);
	image_chain(record->n_layers > 0 ? layer[-1].chain : NULL, layer->diff_id, layer->chain);
	image_layer_path(layer->chain, path);
	(void)snprintf(tree, sizeof(tree), "%s/fs", path);
	if (mkdirat(store->dir_fd, path, 0700) < 0 || mkdirat(store->dir_fd, tree, 0755) < 0)
		return -1;
	record->n_layers++;
	return openat(store->dir_fd, tree, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
}

static int write_record(const struct image_store *store, struct image_record *record)
{
	char path[IMAGE_NAME_BYTES + 8] = "names/";
	auto_buf struct buf bytes = BUF_INIT(IMAGE_RECORD_MAX_BYTES);
	digest_sha256(record->name, strlen(record->name), NULL, 0, record->manifest);
	image_record_encode(record, &bytes);
	image_name_escape(record->name, path + strlen(path));
	return buf_is_whole(&bytes) ? write_file(store->dir_fd, path, bytes.data, bytes.len, 0600)
				    : -1;
}

static int copy_file(const char *path, int dir_fd, const char *name, mode_t mode)
{
	char bytes[65536];
	ssize_t n;
	auto_fd int from = open(path, O_RDONLY | O_CLOEXEC);
	auto_fd int to = openat(dir_fd, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0700);
	if (from < 0 || to < 0)
		return -1;
	while ((n = read(from, bytes, sizeof(bytes))) > 0) {
		if (write(to, bytes, (size_t)n) != n)
			return -1;
	}
	return n < 0 || fchmod(to, mode) < 0 ? -1 : 0;
}

static int fill_low(int dir_fd)
{
	return write_file(dir_fd, "file", "of the image\n", 13, 0666) < 0 ||
			       write_file(dir_fd, "spare", "of the image\n", 13, 0666) < 0 ||
			       write_file(dir_fd, "gone", "x", 1, 0666) < 0
		       ? -1
		       : 0;
}

/* Only root can make what belongs to root. */
static int fill_high(const struct world *world, const char *act, int dir_fd)
{
	for (size_t i = 0; i < ARRAY_LEN(links); i++) {
		if (symlinkat(world->folder, dir_fd, links[i]) < 0)
			return -1;
	}
	if (mknodat(dir_fd, "gone", S_IFCHR, makedev(0, 0)) < 0)
		return -1;
	if (!world->is_root)
		return 0;
	if (mknodat(dir_fd, "root-zero", S_IFCHR | 0666, makedev(1, 5)) < 0 ||
	    fchmodat(dir_fd, "root-zero", 0666, 0) < 0)
		return -1;
	return copy_file(act, dir_fd, "root-setuid", 04755);
}

static int make_images(struct world *world, const struct image_store *store, const char *act)
{
	static struct image_record record = { .name = "foso-verify/low:latest",
					      .architecture = "",
					      .os = "linux",
					      .user = "",
					      .cwd = "",
					      .stop_signal = "" };
	char hex[DIGEST_HEX_BYTES];
	auto_fd int low_fd = add_layer(store, &record, world->name);
	if (low_fd < 0 || fill_low(low_fd) < 0 || write_record(store, &record) < 0)
		return -1;
	digest_hex(record.layers[0].chain, hex);
	(void)snprintf(world->low_layer, sizeof(world->low_layer), "%s/layers/%s/fs", store->path,
		       hex);
	record.name = "foso-verify/high:latest";
	auto_fd int high_fd = add_layer(store, &record, "high");
	if (high_fd < 0 || fill_high(world, act, high_fd) < 0 || write_record(store, &record) < 0)
		return -1;
	digest_hex(record.layers[1].chain, hex);
	(void)snprintf(world->high_layer, sizeof(world->high_layer), "%s/layers/%s/fs", store->path,
		       hex);
	return 0;
}

void world_make_images(struct world *world, const char *act)
{
	struct image_store store;
	struct error err = { 0 };
	(void)snprintf(world->images, sizeof(world->images), "%s/images", world->folder);
	if (image_store_create(&store, world->images, &err) < 0)
		return;
	if (make_images(world, &store, act) < 0)
		world->low_layer[0] = world->high_layer[0] = '\0';
	image_store_fini(&store);
}
