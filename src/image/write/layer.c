/* SPDX-License-Identifier: Apache-2.0 */
/*
 * layer.c - a blob becomes a layer of the store
 *
 * Theory of operation.  Three processes: one inflates, one makes the files, and we stand between
 * them and hash.  Both are started anew for each layer, so a layer that takes one over cannot
 * reach the next.  The tree goes from the staging folder into the store, by one rename, only if
 * the bytes that made it are those of the diff id: a layer that two images share is what its
 * digest says, whoever brought it first.
 */
#include "image/write/layer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "image/image.h"
#include "image/write/pump.h"
#include "image/write/remove.h"

#define WHERE_BYTES 128

struct job {
	struct staging *staging;
	struct image_layer *layer;
	const struct image_record *record;
	uint32_t index;
	struct unpack_limits *limits;
	char where[WHERE_BYTES];
	char folder[STAGING_PATH_BYTES]; /* below the store */
};

static int failed(const struct job *job, const char *what, struct error *err)
{
	int r = error_set(err, ERR_SYSTEM, errno, job->where, "%s", what);
	return error_remedy(err, r, "look at the free space and inodes of the image store's disk");
}

static int check_diff_id(const struct job *job, const uint8_t digest[DIGEST_BYTES],
			 struct error *err)
{
	char hex[DIGEST_HEX_BYTES];
	if (memcmp(digest, job->layer->diff_id, DIGEST_BYTES) == 0)
		return 0;
	digest_hex(digest, hex);
	int r = error_set(err, ERR_CORRUPT, 0, job->where,
			  "unpacked it has another digest than its config says: sha256:%s", hex);
	return error_remedy(err, r, "the image was damaged or made wrongly: fetch it anew");
}

static int verify_alone(const struct job *job, int blob_fd, struct error *err)
{
	uint8_t digest[DIGEST_BYTES];
	if (job->layer->compression == IMAGE_COMPRESSION_NONE)
		return check_diff_id(job, job->layer->blob, err);
	int r = unpack_inflate(blob_fd, job->layer->compression, -1, job->limits, job->where,
			       digest, err);
	return r < 0 ? r : check_diff_id(job, digest, err);
}

/* fs/ to be the tree, work/ for the overlay, and the name of the layer below. */
static int make_folder(struct job *job, struct error *err)
{
	char hex[DIGEST_HEX_BYTES], path[STAGING_PATH_BYTES + 16];
	int dir_fd = job->staging->store->dir_fd;
	digest_hex(job->layer->chain, hex);
	(void)snprintf(job->folder, sizeof(job->folder), "%s/layers/%s", job->staging->name, hex);
	if (mkdirat(dir_fd, job->folder, 0755) < 0)
		return failed(job, "its folder cannot be made", err);
	static const char *const folders[] = { "fs", "work" };
	for (size_t i = 0; i < ARRAY_LEN(folders); i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", job->folder, folders[i]);
		/* The umask of the caller is not the image's. */
		if (mkdirat(dir_fd, path, 0755) < 0 || fchmodat(dir_fd, path, 0755, 0) < 0)
			return failed(job, "its folder cannot be made", err);
	}
	if (job->index == 0)
		return 0;
	digest_hex(job->record->layers[job->index - 1].chain, hex);
	hex[DIGEST_HEX_BYTES - 1] = '\n';
	(void)snprintf(path, sizeof(path), "%s/parent", job->folder);
	auto_fd int fd = openat(dir_fd, path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return fd < 0 || write(fd, hex, sizeof(hex)) != (ssize_t)sizeof(hex)
		       ? failed(job, "its folder cannot be made", err)
		       : 0;
}

static int start_maker(const struct job *job, int input_fd, struct child *ret, struct error *err)
{
	char numbers[2][32];
	static char chains[IMAGE_MAX_LAYERS][DIGEST_HEX_BYTES];
	const char *words[IMAGE_MAX_LAYERS + 5] = { "layer", numbers[0], numbers[1],
						    store_is_flat() ? "flat" : "keep" };
	(void)snprintf(numbers[0], sizeof(numbers[0]), "%llu",
		       (unsigned long long)job->limits->max_entries);
	(void)snprintf(numbers[1], sizeof(numbers[1]), "%llu",
		       (unsigned long long)job->limits->max_bytes);
	for (uint32_t i = 0; i < job->index; i++) {
		digest_hex(job->record->layers[i].chain, chains[i]);
		words[4 + i] = chains[i];
	}
	return child_start_apart(job->staging->store, words, input_fd, job->folder, job->index > 0,
				 ret, err);
}

static int finish_maker(struct job *job, struct child *child, struct error *err)
{
	struct unpack_reply reply;
	int r = unpack_reply(child, IMAGE_ANSWER_LAYER, job->limits->deadline_ns, job->where,
			     &reply, err);
	if (r < 0)
		return r;
	job->layer->n_entries = reply.answer.n_entries;
	job->layer->tree_bytes = reply.answer.n_bytes;
	unpack_reply_fini(&reply);
	return 0;
}

static int make_plain(struct job *job, int blob_fd, struct error *err)
{
	struct child child = CHILD_NONE;
	int r = start_maker(job, blob_fd, &child, err);
	if (r == 0)
		r = finish_maker(job, &child, err);
	child_fini(&child);
	return r == 0 ? check_diff_id(job, job->layer->blob, err) : r;
}

/*
 * Which of the two is to blame?  A maker that stopped reading has said why; one that got too
 * little may only be the victim of who inflates.
 */
static int judge(struct job *job, struct pump *pump, struct child *maker, int pumped,
		 struct error *err)
{
	struct error inflate_err = { .code = ERR_NONE };
	uint8_t digest[DIGEST_BYTES];
	if (pumped < 0)
		return pumped;
	int r = pumped == 0 ? pump_finish(pump, job->limits->deadline_ns, job->where, digest,
					  &inflate_err)
			    : 0;
	if (r < 0) {
		*err = inflate_err;
		return r;
	}
	r = finish_maker(job, maker, err);
	if (r < 0 || pumped == 0)
		return r < 0 ? r : check_diff_id(job, digest, err);
	r = error_set(err, ERR_PROTOCOL, 0, job->where, "foso-unpack did not read it to its end");
	return error_remedy(err, r, "do not use this image");
}

static int make_packed(struct job *job, int blob_fd, struct error *err)
{
	struct child maker = CHILD_NONE;
	struct pump pump;
	int ends[2];
	int r = pump_start(blob_fd, job->layer->compression, job->where, &pump, err);
	if (r < 0)
		return r;
	pump.n_free = MIN(job->limits->max_entries, UINT64_C(1) << 32) * PUMP_BYTES_OF_ENTRY;
	if (pipe2(ends, O_CLOEXEC) < 0) {
		r = failed(job, "no pipe can be made", err);
	} else {
		(void)fcntl(ends[1], F_SETPIPE_SZ, PUMP_PART_BYTES);
		(void)fcntl(ends[1], F_SETFL, O_NONBLOCK);
		r = start_maker(job, ends[0], &maker, err);
		close(ends[0]);
		int pumped = r == 0 ? pump_run(&pump, ends[1], job->limits, job->where, err) : r;
		close(ends[1]);
		r = r < 0 ? r : judge(job, &pump, &maker, pumped, err);
	}
	child_fini(&maker);
	pump_fini(&pump);
	return r;
}

/* What the tree came to, for images that will stand on it later. */
static int write_sizes(const struct job *job, struct error *err)
{
	char path[STAGING_PATH_BYTES + 16], text[64];
	(void)snprintf(path, sizeof(path), "%s/sizes", job->folder);
	int len = snprintf(text, sizeof(text), "%llu %llu\n",
			   (unsigned long long)job->layer->n_entries,
			   (unsigned long long)job->layer->tree_bytes);
	auto_fd int fd = openat(job->staging->store->dir_fd, path,
				O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);
	return fd < 0 || write(fd, text, (size_t)len) != len
		       ? failed(job, "its sizes cannot be written", err)
		       : 0;
}

static int read_sizes(const struct job *job, struct error *err)
{
	char path[IMAGE_PATH_BYTES + 16], text[64];
	image_layer_path(job->layer->chain, path);
	(void)snprintf(path + strlen(path), sizeof("/sizes"), "/sizes");
	auto_fd int fd =
		openat(job->staging->store->dir_fd, path, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, text, sizeof(text) - 1);
	if (len <= 0 || text[len - 1] != '\n')
		return failed(job, "its sizes cannot be read", err);
	text[len - 1] = '\0';
	char *space = strchr(text, ' ');
	if (space)
		*space = '\0';
	if (space && text_parse_u64(text, &job->layer->n_entries) &&
	    text_parse_u64(space + 1, &job->layer->tree_bytes))
		return 0;
	return failed(job, "its sizes cannot be read", err);
}

/* Into the store, held from before it has its name. */
static int publish(struct job *job, struct error *err)
{
	struct error unused = { .code = ERR_NONE };
	const struct image_store *store = job->staging->store;
	char path[IMAGE_PATH_BYTES], work[STAGING_PATH_BYTES + 16];
	auto_fd int lock_fd = -1;
	(void)snprintf(work, sizeof(work), "%s/work", job->folder);
	int r = tree_remove(store->dir_fd, work, err);
	if (r == 0)
		r = write_sizes(job, err);
	if (r < 0)
		return r;
	auto_fd int hold_fd =
		openat(store->dir_fd, job->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (hold_fd < 0 || flock(hold_fd, LOCK_SH | LOCK_NB) < 0)
		return failed(job, "cannot be held", err);
	r = image_store_lock(store, true, &lock_fd, err);
	if (r < 0)
		return r;
	image_layer_path(job->layer->chain, path);
	if (renameat(store->dir_fd, job->folder, store->dir_fd, path) == 0) {
		if (job->staging->n_made < ARRAY_LEN(job->staging->made))
			memcpy(job->staging->made[job->staging->n_made++], job->layer->chain,
			       DIGEST_BYTES);
		staging_hold(job->staging, take_fd(&hold_fd));
		return 0;
	}
	if (errno != EEXIST && errno != ENOTEMPTY)
		return failed(job, "cannot be put in its place", err);
	/* Somebody else was faster; his is the same, and ours goes. */
	(void)!tree_remove(store->dir_fd, job->folder, &unused);
	r = image_hold(store, job->layer->chain, &hold_fd, err);
	if (r == 0)
		staging_hold(job->staging, take_fd(&hold_fd));
	return MIN(r, 0);
}

/* 0 if the layer is in the store, and is held now; 1 if not. */
static int find_existing(struct job *job, struct error *err)
{
	auto_fd int lock_fd = -1, hold_fd = -1;
	int r = image_store_lock(job->staging->store, false, &lock_fd, err);
	if (r == 0)
		r = image_hold(job->staging->store, job->layer->chain, &hold_fd, err);
	if (r == 0)
		staging_hold(job->staging, take_fd(&hold_fd));
	return r;
}

int layer_unpack(struct staging *staging, struct image_record *record, uint32_t index,
		 struct unpack_limits *limits, struct error *err)
{
	struct job job = { .staging = staging,
			   .layer = &record->layers[index],
			   .record = record,
			   .index = index,
			   .limits = limits };
	char what[32];
	auto_fd int blob_fd = -1;
	(void)snprintf(what, sizeof(what), "layer %u of %u", (unsigned)index + 1,
		       (unsigned)record->n_layers);
	blob_label(what, job.layer->blob, job.where);
	int r = blob_open(staging, job.layer->blob, &blob_fd, err);
	if (r == 0)
		r = find_existing(&job, err);
	if (r == 0) {
		r = verify_alone(&job, blob_fd, err);
		return r < 0 ? r : read_sizes(&job, err);
	}
	if (r == 1)
		r = make_folder(&job, err);
	if (r == 0)
		r = job.layer->compression == IMAGE_COMPRESSION_NONE
			    ? make_plain(&job, blob_fd, err)
			    : make_packed(&job, blob_fd, err);
	if (r == 0)
		r = publish(&job, err);
	if (r < 0)
		return r;
	limits->max_entries -= MIN(limits->max_entries, job.layer->n_entries);
	limits->max_bytes -= MIN(limits->max_bytes, job.layer->tree_bytes);
	return 0;
}
