/* SPDX-License-Identifier: Apache-2.0 */
/* build_copy.c - the stream of a COPY, ADD or WORKDIR: what goes where */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "buildtool/build.h"
#include "buildtool/walk.h"
#include "wire/files.h"

static int put_order(const struct recipe_step *step, struct sink *sink, struct error *err)
{
	auto_buf struct buf bytes = BUF_INIT(FILES_MAX_ORDER_BYTES);
	bool is_copy = step->kind == RECIPE_COPY;
	const struct files_order order = {
		.target = is_copy ? step->target : step->cwd,
		.is_folder = is_copy ? step->is_folder : true,
		.owner = step->owner,
		.mode = step->mode == RECIPE_NO_MODE ? FILES_NO_MODE : step->mode,
	};
	files_order_encode(&order, &bytes);
	if (!buf_is_whole(&bytes)) {
		int r = error_set(err, ERR_LIMIT, 0, "COPY", "the target is too long");
		return error_remedy(err, r, "use a shorter path");
	}
	const struct files_header header = { .type = FILES_ORDER, .name_len = (uint32_t)bytes.len };
	return walk_put(sink, &header, bytes.data, err);
}

static int put_inline(const struct recipe_step *step, struct sink *sink, struct error *err)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < step->files.n_items; i++) {
		const struct recipe_pair *file = &step->files.items[i];
		size_t len = strlen(file->value);
		struct files_header header = { .type = FILES_SOURCE,
					       .mode = S_IFREG | 0644,
					       .name_len = (uint32_t)strlen(file->name) };
		r = walk_put(sink, &header, file->name, err);
		header = (struct files_header){ .type = FILES_FILE, .mode = 0644, .size = len };
		if (r == 0)
			r = walk_put(sink, &header, "", err);
		if (r == 0)
			r = sink_put(sink, file->value, NULL, len, err);
	}
	return r;
}

/* The layers of an image that COPY --from names, as if it were a stage. */
static int open_image(struct build *build, const char *ref, struct build_stage *ret,
		      struct error *err)
{
	static struct image image;
	int r = image_open(&build->store, ref, &image, err);
	if (r != 0)
		return r;
	ret->n_layers = image.record.n_layers;
	memcpy(ret->layers, image.record.layers, ret->n_layers * sizeof(ret->layers[0]));
	ret->hold_fd = take_fd(&image.hold_fd);
	image_fini(&image);
	return 0;
}

static int open_tree(struct build *build, const struct recipe_step *step, int *ret_fd,
		     struct error *err)
{
	static struct build_stage image;
	if (step->source == RECIPE_STAGE)
		return build_mount(build, &build->stages[step->stage], ret_fd, err);
	int r = open_image(build, step->image, &image, err);
	if (r == 0)
		r = build_mount(build, &image, ret_fd, err);
	fd_close(&image.hold_fd);
	return r;
}

static int unpack(void *context, int fd, const char *name, int *ret_tree_fd, struct error *err)
{
	return build_unpack(context, fd, name, ret_tree_fd, err);
}

/* Of several sources a pattern may name nothing, but not all of them. */
static int put_sources(struct walk *walk, const struct recipe_list *sources, struct error *err)
{
	const char *missing = NULL;
	size_t n_missing = 0;
	int r = 0;
	for (size_t i = 0; r >= 0 && i < sources->n_items; i++) {
		r = walk_source(walk, sources->items[i], err);
		if (r == 1) {
			missing = sources->items[i];
			n_missing++;
		}
	}
	if (r < 0)
		return r;
	return missing && n_missing == sources->n_items ? walk_missing(walk, missing, err) : 0;
}

static int put_tree(struct build *build, const struct recipe_step *step, struct sink *sink,
		    struct error *err)
{
	auto_fd int tree_fd = -1;
	char what[160] = "the build context";
	struct walk walk = {
		.root_fd = build->context_fd,
		.is_context = step->source == RECIPE_CONTEXT,
		.plan = &build->plan,
		.what = what,
		.sink = sink,
	};
	if (!walk.is_context) {
		int r = open_tree(build, step, &tree_fd, err);
		if (r != 0)
			return r;
		walk.root_fd = tree_fd;
		if (step->source == RECIPE_STAGE)
			(void)snprintf(what, sizeof(what), "the stage of line %u",
				       build->plan.stages[step->stage].line);
		else
			(void)snprintf(what, sizeof(what), "the image '%.100s'", step->image);
	}
	/* For the digest the archive itself counts. */
	if (step->is_add && sink->fd >= 0) {
		walk.unpack = unpack;
		walk.context = build;
	}
	return put_sources(&walk, &step->args, err);
}

static int put_all(struct build *build, const struct recipe_step *step, struct sink *sink,
		   struct error *err)
{
	static const struct files_header end = { .type = FILES_END };
	int r = put_order(step, sink, err);
	if (r == 0 && step->kind == RECIPE_COPY)
		r = step->source == RECIPE_INLINE ? put_inline(step, sink, err)
						  : put_tree(build, step, sink, err);
	return r == 0 ? walk_put(sink, &end, "", err) : r;
}

static int stream(struct build *build, const struct recipe_step *step, int fd,
		  uint8_t ret_digest[DIGEST_BYTES], struct error *err)
{
	static struct sink sink;
	int r = sink_init(&sink, fd, "foso-copy", err);
	if (r == 0)
		r = put_all(build, step, &sink, err);
	if (r == 0)
		sink_digest(&sink, ret_digest);
	sink_fini(&sink);
	/* Its reader ended, and has said why. */
	if (r < 0 && sink.is_gone) {
		error_clear(err);
		return 1;
	}
	return r;
}

struct answer {
	int result;
	struct error err;
	uint8_t digest[DIGEST_BYTES];
};

/* Rootless, mounting the layers takes a user namespace, which only a child may enter. */
static int stream_in_child(struct build *build, const struct recipe_step *step, int fd,
			   uint8_t ret_digest[DIGEST_BYTES], struct error *err)
{
	static struct answer answer;
	int fds[2], status;
	if (pipe2(fds, O_CLOEXEC) < 0) {
		int r = error_set(err, ERR_SYSTEM, errno, "COPY", "cannot be started");
		return error_remedy(err, r, "raise the limit of open files");
	}
	pid_t pid = fork();
	if (pid == 0) {
		answer.result = stream(build, step, fd, answer.digest, &answer.err);
		_exit(write(fds[1], &answer, sizeof(answer)) == (ssize_t)sizeof(answer) ? 0 : 1);
	}
	close(fds[1]);
	ssize_t n = pid < 0 ? -1 : read(fds[0], &answer, sizeof(answer));
	close(fds[0]);
	while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	if (n != (ssize_t)sizeof(answer)) {
		int r = error_set(err, ERR_SYSTEM, 0, "COPY", "the walk over its sources was lost");
		return error_remedy(err, r, "start the build again");
	}
	if (answer.result < 0)
		*err = answer.err;
	memcpy(ret_digest, answer.digest, DIGEST_BYTES);
	return answer.result;
}

int build_copy_stream(struct build *build, const struct recipe_step *step, int fd,
		      uint8_t ret_digest[DIGEST_BYTES], struct error *err)
{
	bool has_layers = step->kind == RECIPE_COPY &&
			  (step->source == RECIPE_STAGE || step->source == RECIPE_IMAGE);
	return has_layers && geteuid() != 0 ? stream_in_child(build, step, fd, ret_digest, err)
					    : stream(build, step, fd, ret_digest, err);
}
