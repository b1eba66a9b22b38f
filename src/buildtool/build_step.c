/* SPDX-License-Identifier: Apache-2.0 */
/* build_step.c - one step becomes one layer, or the cache has it */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "buildtool/build.h"
#include "buildtool/pack.h"
#include "workspace/changes.h"

#define COPIER_NAME   ".foso-copy" /* where build_run.c mounts foso-copy */
#define MAX_TAR_BYTES (UINT64_C(1) << 40)

static int64_t now_s(const struct build *build)
{
	struct timespec now;
	if (build->options->epoch_s >= 0)
		return build->options->epoch_s;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	return now.tv_sec;
}

static int add_history(struct build_stage *stage, const struct recipe_step *step, int64_t created_s,
		       bool is_empty, struct error *err)
{
	size_t n = stage->n_history + 1;
	struct build_history *history = reallocarray(stage->history, n, sizeof(*history));
	if (!history) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, "history", "cannot be kept");
		return error_remedy(err, r, "free some memory");
	}
	stage->history = history;
	history[stage->n_history++] = (struct build_history){ step->text, created_s, is_empty };
	stage->created_s = MAX(stage->created_s, created_s);
	return 0;
}

/* What the step made is on top now, and what holds it as well. */
static int add_layer(struct build_stage *stage, const struct recipe_step *step,
		     const struct build_cached *cached, int *hold_fd, struct error *err)
{
	if (!cached->is_empty) {
		if (stage->n_layers == IMAGE_MAX_LAYERS) {
			int r = error_set(err, ERR_LIMIT, 0, "layers", "an image has at most %d",
					  IMAGE_MAX_LAYERS);
			return error_remedy(err, r, "join some RUN and COPY instructions");
		}
		stage->layers[stage->n_layers++] = cached->layer;
		fd_close(&stage->hold_fd);
		stage->hold_fd = take_fd(hold_fd);
	}
	return add_history(stage, step, cached->created_s, cached->is_empty, err);
}

/* ---- running ---- */

/* What a layer is made of. */
struct order {
	const struct recipe_step *step;
	const struct build_binds *binds; /* NULL: none */
	uint8_t source[DIGEST_BYTES];    /* digest of what a COPY copies */
};

struct feed {
	struct build *build;
	const struct recipe_step *step;
	const uint8_t *digest; /* of the sources when the cache was asked */
};

static int feed_copier(void *context, int fd, struct error *err)
{
	struct feed *feed = context;
	uint8_t digest[DIGEST_BYTES];
	int r = build_copy_stream(feed->build, feed->step, fd, digest, err);
	/* Of an archive the bytes were digested, and its files are sent. */
	if (r == 0 && !feed->step->is_add && memcmp(digest, feed->digest, DIGEST_BYTES) != 0) {
		r = error_set(err, ERR_UNAVAILABLE, 0, "the build context",
			      "was changed while it was copied");
		return error_remedy(err, r, "let nothing change it, and start again");
	}
	return r < 0 ? r : 0;
}

static int make_id(char ret_id[CHANGES_ID_BYTES], struct error *err)
{
	uint64_t random;
	if (getrandom(&random, sizeof(random), 0) != (ssize_t)sizeof(random)) {
		int r = error_set(err, ERR_SYSTEM, errno, "getrandom", "gives no number");
		return error_remedy(err, r, "see foso doctor");
	}
	(void)snprintf(ret_id, CHANGES_ID_BYTES, "step%016llx", (unsigned long long)random);
	return 0;
}

static int create_changes(const struct build *build, const struct policy *limits,
			  struct changes *ret, struct error *err)
{
	struct changes_record record = {
		.kind = CHANGES_ROOT,
		.state = CHANGES_RUNNING,
		.disk_bytes = limits->limits.disk_bytes,
		.disk_inodes = limits->limits.disk_inodes,
	};
	const struct changes_options options = { .is_strict = limits->limits.is_strict };
	struct timespec now;
	(void)clock_gettime(CLOCK_REALTIME, &now);
	record.started_realtime_ns = (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
	int r = make_id(record.id, err);
	return r == 0 ? changes_create(build->steps_fd, &record, &options, ret, err) : r;
}

static int run(struct build *build, const struct build_stage *stage, const struct order *order,
	       const struct changes *changes, struct error *err)
{
	static const char *const copier[] = { "/" COPIER_NAME, NULL };
	const struct recipe_step *step = order->step;
	struct feed feed = { build, step, order->source };
	struct build_run run = {
		.stage = stage, .step = step, .binds = order->binds, .changes_fd = changes->tree_fd
	};
	int status = 0;
	const char **args = calloc(step->args.n_items + 1, sizeof(*args));
	if (!args) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, "the step", "cannot be started");
		return error_remedy(err, r, "free some memory");
	}
	for (size_t i = 0; i < step->args.n_items; i++)
		args[i] = step->args.items[i];
	run.args = args;
	if (step->kind != RECIPE_RUN) {
		run.args = copier;
		run.is_copy = true;
		run.feed = feed_copier;
		run.context = &feed;
	}
	int r = build_run(build, &run, &status, err);
	free(args);
	if (r == 0 && status != 0) {
		r = error_set(err, ERR_CANCELLED, 0, "", "ended with status %d", status);
		return error_remedy(err, r, "%s",
				    status == 124   ? "raise the limit with --limit NAME=VALUE"
				    : status == 125 ? "see what is said above"
						    : "see its output above");
	}
	return r;
}

/* ---- from what was written to a layer ---- */

static int pack(const struct build *build, const struct policy *limits, int upper_fd, int tar_fd,
		struct pack_result *ret, struct error *err)
{
	uint64_t disk = limits->limits.disk_bytes, inodes = limits->limits.disk_inodes;
	const struct pack_order order = {
		/* Headers take room as well; and a sparse file is as large as it says. */
		.max_bytes =
			MIN(disk, MAX_TAR_BYTES) + MIN(inodes, UINT64_C(1) << 24) * 2048 + 65536,
		.max_entries = MIN(inodes, UINT64_C(1) << 24) + 1024,
		.latest_mtime_s =
			build->options->epoch_s >= 0 ? build->options->epoch_s : INT64_MAX,
		.is_flat = geteuid() != 0,
	};
	(void)unlinkat(upper_fd, COPIER_NAME, 0);
	return pack_upper(upper_fd, tar_fd, &order, ret, err);
}

/* Where no kernel holds the quota of a plain folder, at least nothing larger becomes a layer. */
static int check_usage(const struct changes *changes, const struct policy *limits,
		       struct error *err)
{
	struct changes_usage usage;
	if (changes->record.mechanism != CHANGES_FOLDER)
		return 0;
	changes_usage_read(changes, -1, &usage);
	if (usage.bytes <= limits->limits.disk_bytes && usage.inodes <= limits->limits.disk_inodes)
		return 0;
	int r = error_set(err, ERR_LIMIT, 0, "limits.disk",
			  "the step wrote %llu bytes in %llu files",
			  (unsigned long long)usage.bytes, (unsigned long long)usage.inodes);
	return error_remedy(err, r, "raise it with --limit disk=SIZE");
}

static int keep_layer(struct build *build, const struct build_stage *stage,
		      const struct changes *changes, const struct policy *limits,
		      struct build_cached *ret, int *ret_hold_fd, struct error *err)
{
	struct pack_result packed;
	auto_fd int tar_fd = -1;
	int r = check_usage(changes, limits, err);
	if (r == 0)
		r = build_layer_file(build, &tar_fd, err);
	if (r == 0)
		r = pack(build, limits, changes->upper_fd, tar_fd, &packed, err);
	if (r != 0)
		return r;
	*ret = (struct build_cached){ .is_empty = packed.n_entries == 0,
				      .created_s = now_s(build) };
	if (ret->is_empty)
		return 0;
	return build_layer_add(build, stage, tar_fd, packed.n_bytes, &ret->layer, ret_hold_fd, err);
}

static int make_layer(struct build *build, const struct build_stage *stage,
		      const struct order *order, struct build_cached *ret, int *ret_hold_fd,
		      struct error *err)
{
	struct policy limits;
	struct changes changes = CHANGES_CLOSED;
	int r = build_limits(build->options, &limits, err);
	if (r == 0)
		r = create_changes(build, &limits, &changes, err);
	if (r == 0)
		r = run(build, stage, order, &changes, err);
	if (r == 0 && order->binds)
		build_binds_unname(order->binds, changes.upper_fd);
	if (r == 0)
		r = keep_layer(build, stage, &changes, &limits, ret, ret_hold_fd, err);
	policy_fini(&limits);
	if (changes.dir_fd >= 0) {
		struct error ignored = { .code = ERR_NONE };
		int removed = changes_remove(&changes, r == 0 ? err : &ignored);
		r = r == 0 ? removed : r;
	}
	return r;
}

int build_step_make(struct build *build, struct build_stage *stage, const struct recipe_step *step,
		    const struct build_binds *binds, struct error *err)
{
	uint8_t key[DIGEST_BYTES];
	struct order order = { .step = step, .binds = binds };
	struct build_cached cached;
	auto_fd int hold_fd = -1;
	int r = 0;
	if (step->kind != RECIPE_RUN)
		r = build_copy_stream(build, step, -1, order.source, err);
	if (r != 0)
		return r;
	build_cache_key(build, stage, step, binds, order.source, key);
	r = build_cache_get(build, key, &cached, &hold_fd, err);
	if (r == 0) {
		build->n_cached++;
		build_say(build, step, "cached");
		return add_layer(stage, step, &cached, &hold_fd, err);
	}
	if (r < 0)
		return r;
	build_say(build, step, "");
	r = make_layer(build, stage, &order, &cached, &hold_fd, err);
	if (r == 0)
		r = build_cache_put(build, key, &cached, err);
	return r == 0 ? add_layer(stage, step, &cached, &hold_fd, err) : r;
}

static int make_or_find(struct build *build, struct build_stage *stage,
			const struct recipe_step *step, struct error *err)
{
	struct build_binds *binds = step->n_mounts > 0 ? calloc(1, sizeof(*binds)) : NULL;
	if (step->n_mounts > 0 && !binds) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, "--mount", "cannot be kept");
		return error_remedy(err, r, "free some memory");
	}
	int r = binds ? build_binds_make(build, step, binds, err) : 0;
	if (r == 0)
		r = build_step_make(build, stage, step, binds, err);
	if (binds)
		build_binds_fini(binds);
	free(binds);
	return r;
}

int build_step(struct build *build, struct build_stage *stage, const struct recipe_step *step,
	       struct error *err)
{
	char where[96];
	if (step->kind == RECIPE_NOTE)
		return add_history(stage, step, stage->created_s, true, err);
	build->n_steps++;
	int r = make_or_find(build, stage, step, err);
	if (r == 0)
		return 0;
	(void)snprintf(where, sizeof(where), "%.60s:%u: %.*s", build->file_name, step->line,
		       (int)MIN(strcspn(step->text, " \t"), (size_t)12), step->text);
	if (err->subject[0])
		error_prefix(err, where);
	else
		(void)snprintf(err->subject, sizeof(err->subject), "%s", where);
	return r;
}
