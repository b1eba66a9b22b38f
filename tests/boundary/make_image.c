/* SPDX-License-Identifier: Apache-2.0 */
/*
 * make_image.c - puts an image into the store without importing it
 *
 *	make_image NAME [-e NAME=VALUE] [-w CWD] [-u USER] [-p ENTRYPOINT] [-c CMD] FOLDER...
 *
 * Each folder, which becomes a layer and is moved, is taken as it is: so a test can have layers
 * that no import would let in.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "image/image.h"
#include "wire/codec.h"

static _Noreturn void die(const char *what, const struct error *err)
{
	if (err)
		error_print(stderr, err);
	else
		perror(what);
	exit(1);
}

static void write_file(int dir_fd, const char *path, const void *bytes, size_t len)
{
	auto_fd int fd = openat(dir_fd, path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0 || write(fd, bytes, len) != (ssize_t)len)
		die(path, NULL);
}

/* A layer's digest is that of its name, of the image's, and of those below. */
static void add_layer(const struct image_store *store, struct image_record *record,
		      const char *folder)
{
	char path[IMAGE_PATH_BYTES], below[IMAGE_PATH_BYTES + 8];
	struct image_layer *layer = &record->layers[record->n_layers];
	const uint8_t *parent = record->n_layers > 0 ? layer[-1].chain : NULL;
	digest_sha256(folder, strlen(folder), record->name, strlen(record->name), layer->diff_id);
	memcpy(layer->blob, layer->diff_id, DIGEST_BYTES);
	image_chain(parent, layer->diff_id, layer->chain);
	image_layer_path(layer->chain, path);
	if (mkdirat(store->dir_fd, path, 0700) < 0)
		die(path, NULL);
	(void)snprintf(below, sizeof(below), "%s/fs", path);
	if (renameat(AT_FDCWD, folder, store->dir_fd, below) < 0)
		die(folder, NULL);
	if (parent) {
		char hex[DIGEST_HEX_BYTES + 1];
		digest_hex(parent, hex);
		hex[DIGEST_HEX_BYTES - 1] = '\n';
		(void)snprintf(below, sizeof(below), "%s/parent", path);
		write_file(store->dir_fd, below, hex, DIGEST_HEX_BYTES);
	}
	record->n_layers++;
}

static void set_option(struct image_record *record, int option, const char *lists[3][64],
		       uint32_t n_lists[3])
{
	static const char letters[] = "epc";
	const char *at = strchr(letters, option);
	if (option == 'w')
		record->cwd = optarg;
	else if (option == 'u')
		record->user = optarg;
	else if (at && *at && n_lists[at - letters] < 64)
		lists[at - letters][n_lists[at - letters]++] = optarg;
	else
		exit(2);
}

int main(int argc, char **argv)
{
	static struct image_record record = {
		.architecture = "amd64", .os = "linux", .user = "", .cwd = "", .stop_signal = ""
	};
	static const char *lists[3][64];
	uint32_t n_lists[3] = { 0 };
	struct image_list *places[] = { &record.env, &record.entrypoint, &record.cmd };
	struct buf storage[3], bytes = BUF_INIT(IMAGE_RECORD_MAX_BYTES);
	struct image_store store;
	struct error err = { 0 };
	char name[IMAGE_NAME_BYTES], path[IMAGE_NAME_BYTES + 8] = "names/";
	int option;

	if (argc < 2)
		return 2;
	if (image_store_create(&store, NULL, &err) < 0 || image_name_parse(argv[1], name, &err) < 0)
		die(argv[1], &err);
	record.name = name;
	optind = 2;
	/* NOLINTNEXTLINE(concurrency-mt-unsafe) */
	while ((option = getopt(argc, argv, "e:w:u:p:c:")) >= 0)
		set_option(&record, option, lists, n_lists);
	for (int i = 0; i < 3; i++) {
		storage[i] = BUF_INIT(65536);
		*places[i] = image_list_from(&storage[i], lists[i], n_lists[i]);
	}
	for (; optind < argc; optind++)
		add_layer(&store, &record, argv[optind]);
	digest_sha256(name, strlen(name), NULL, 0, record.manifest);
	image_record_encode(&record, &bytes);
	image_name_escape(name, path + strlen(path));
	write_file(store.dir_fd, path, bytes.data, bytes.len);
	digest_hex(record.manifest, path);
	puts(path);
	return 0;
}
