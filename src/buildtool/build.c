/* SPDX-License-Identifier: Apache-2.0 */
/* build.c - foso image build: options, stages, the end */
#include "buildtool/build.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/programs.h"
#include "base/text.h"
#include "buildtool/verbs.h"
#include "workspace/changes.h"

const char *build_architecture(void)
{
	static struct utsname host;
	static const char *const names[][2] = { { "x86_64", "amd64" },
						{ "aarch64", "arm64" },
						{ "riscv64", "riscv64" } };
	if (uname(&host) < 0)
		return "amd64";
	for (size_t i = 0; i < ARRAY_LEN(names); i++)
		if (strcmp(host.machine, names[i][0]) == 0)
			return names[i][1];
	return host.machine;
}

void build_say(const struct build *build, const struct recipe_step *step, const char *how)
{
	char text[160];
	if (build->options->is_quiet)
		return;
	text_escape(step->text, strlen(step->text), text, sizeof(text));
	(void)fprintf(stderr, "foso: %s:%u: %s%s%s\n", build->file_name, step->line, text,
		      how[0] ? ": " : "", how);
}

/* ---- options ---- */

static int refuse(const char *option, const char *value, const char *what, struct error *err)
{
	int r = error_set(err, ERR_INVALID, 0, option, "'%.80s' %s", value, what);
	return error_remedy(err, r, "see foso image build --help");
}

/* The copies of names live as long as the program. */
static int set_arg(struct build_options *options, const char *value, struct error *err)
{
	size_t len = strcspn(value, "=");
	const char *text =
		value[len] ? value + len + 1 : getenv(value); /* NOLINT(concurrency-mt-unsafe) */
	if (options->n_args == BUILD_MAX_ARGS)
		return refuse("--build-arg", value, "is one too many", err);
	if (len == 0 || !text)
		return refuse("--build-arg", value, "has no value", err);
	char *name = strndup(value, len);
	if (!name)
		return error_set(err, ERR_SYSTEM, errno, "--build-arg", "no memory");
	options->args[options->n_args++] = (struct recipe_pair){ name, text };
	return 0;
}

static int set_name(struct build_options *options, const char *value, struct error *err)
{
	char full[IMAGE_NAME_BYTES];
	if (options->n_names == BUILD_MAX_NAMES)
		return refuse("--tag", value, "is one too many", err);
	options->names[options->n_names++] = value;
	return image_name_parse(value, full, err);
}

static int set_limit(struct build_options *options, const char *value, struct error *err)
{
	if (options->n_limits == BUILD_MAX_LIMITS || !strchr(value, '='))
		return refuse("--limit", value, "is not NAME=VALUE", err);
	options->limits[options->n_limits++] = value;
	return 0;
}

static int set_option(void *into, const struct option *option, struct error *err)
{
	struct build_options *options = into;
	const char *value = option->value;
	switch (option->row->id) {
	case OPTION_NO_CACHE:
		options->has_cache = false;
		return 0;
	case OPTION_QUIET:
		options->is_quiet = true;
		return 0;
	case OPTION_TAG:
		return set_name(options, value, err);
	case OPTION_BUILD_ARG:
		return set_arg(options, value, err);
	case OPTION_LIMIT:
		return set_limit(options, value, err);
	case OPTION_FILE:
		return option_once(&options->file, option, err);
	case OPTION_EVIDENCE:
		return option_once(&options->evidence, option, err);
	default:
		return option_once(&options->target, option, err);
	}
}

static int read_epoch(struct build_options *options, struct error *err)
{
	const char *text = getenv("SOURCE_DATE_EPOCH"); /* NOLINT(concurrency-mt-unsafe) */
	uint64_t value;
	options->epoch_s = -1;
	if (!text)
		return 0;
	if (!text_parse_u64(text, &value) || value > INT32_MAX)
		return refuse("SOURCE_DATE_EPOCH", text, "is no time in seconds", err);
	options->epoch_s = (int64_t)value;
	return 0;
}

static int read_options(struct build_options *options, const struct args *args, struct error *err)
{
	char *const *operands = NULL;
	int r = verb_parse(args->verb, args->words, set_option, options, &operands, err);
	if (r == 0 && options->n_names == 0)
		r = refuse("--tag", "", "names no image", err);
	options->context = operands ? operands[0] : NULL;
	return r;
}

/* ---- the store ---- */

static int open_folder(const struct build *build, const char *name, int *ret_fd, struct error *err)
{
	if (mkdirat(build->store.dir_fd, name, 0700) == 0 || errno == EEXIST)
		*ret_fd = openat(build->store.dir_fd, name,
				 O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (*ret_fd >= 0)
		return 0;
	int r = error_set(err, ERR_SYSTEM, errno, build->store.path, "has no folder '%s'", name);
	return error_remedy(err, r, "look at the disk that holds the image store");
}

struct leftovers {
	int steps_fd;
};

/* A step that nobody holds belonged to a build that was killed. */
static int sweep_step(const struct changes_entry *entry, void *context)
{
	const struct leftovers *leftovers = context;
	struct changes changes = CHANGES_CLOSED;
	struct error ignored = { .code = ERR_NONE };
	if (entry->is_used ||
	    changes_open(leftovers->steps_fd, entry->id, false, &changes, &ignored) != 0)
		return 0;
	error_clear(&ignored);
	(void)!changes_remove(&changes, &ignored);
	return 0;
}

static int open_folders(struct build *build, struct error *err)
{
	int r = open_folder(build, "steps", &build->steps_fd, err);
	return r == 0 ? open_folder(build, "cache", &build->cache_fd, err) : r;
}

/* What cannot be removed now is tried again by the next build. */
static void sweep_steps(const struct build *build)
{
	static struct error_list unremoved;
	struct leftovers leftovers = { build->steps_fd };
	struct error ignored = { .code = ERR_NONE };
	(void)!changes_list(build->steps_fd, sweep_step, &leftovers, &ignored);
	error_clear(&ignored);
	unremoved.n_errors = 0;
	/* Also what was half made when the build was killed. */
	(void)!changes_reclaim(build->steps_fd, false, NULL, NULL, &unremoved, &ignored);
}

static int open_store(struct build *build, struct error *err)
{
	int r = image_store_create(&build->store, NULL, err);
	if (r == 0)
		r = staging_begin(&build->store, &build->staging, err);
	if (r == 0)
		r = open_folders(build, err);
	if (r == 0)
		sweep_steps(build);
	return r;
}

static int open_context(struct build *build, struct error *err)
{
	const struct build_options *options = build->options;
	const char *slash = options->file ? strrchr(options->file, '/') : NULL;
	const char *name = !options->file ? "Dockerfile" : slash ? slash + 1 : options->file;
	(void)snprintf(build->file_name, sizeof(build->file_name), "%.100s", name);
	build->context_fd = open(options->context, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (build->context_fd >= 0)
		return 0;
	int r = error_set(err, errno == ENOENT ? ERR_NOT_FOUND : ERR_SYSTEM, errno,
			  options->context, "is no folder that can be read");
	return error_remedy(err, r, "name the folder that COPY takes files from");
}

/* ---- stages ---- */

static int copy_history(struct build_stage *ret, const struct build_stage *from, struct error *err)
{
	ret->history = calloc(from->n_history + 1, sizeof(*ret->history));
	if (!ret->history) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, "history", "cannot be kept");
		return error_remedy(err, r, "free some memory");
	}
	if (from->n_history > 0)
		memcpy(ret->history, from->history, from->n_history * sizeof(*ret->history));
	ret->n_history = from->n_history;
	return 0;
}

static int begin_stage(struct build *build, const struct recipe_stage *stage,
		       struct build_stage *ret, struct error *err)
{
	static struct image image;
	if (stage->source == RECIPE_STAGE) {
		const struct build_stage *from = &build->stages[stage->stage];
		ret->n_layers = from->n_layers;
		ret->created_s = from->created_s;
		memcpy(ret->layers, from->layers, from->n_layers * sizeof(ret->layers[0]));
		ret->hold_fd = from->hold_fd < 0 ? -1 : fcntl(from->hold_fd, F_DUPFD_CLOEXEC, 3);
		return copy_history(ret, from, err);
	}
	if (stage->source != RECIPE_IMAGE)
		return 0;
	int r = image_open(&build->store, stage->image, &image, err);
	if (r != 0)
		return error_under(err, r, "FROM");
	ret->n_layers = image.record.n_layers;
	memcpy(ret->layers, image.record.layers, ret->n_layers * sizeof(ret->layers[0]));
	ret->hold_fd = take_fd(&image.hold_fd);
	ret->created_s = build->options->epoch_s >= 0 ? build->options->epoch_s
						      : (int64_t)image.record.imported_realtime_s;
	image_fini(&image);
	return 0;
}

static int build_stages(struct build *build, struct error *err)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i <= build->plan.target; i++) {
		const struct recipe_stage *stage = &build->plan.stages[i];
		if (!stage->is_needed)
			continue;
		r = begin_stage(build, stage, &build->stages[i], err);
		for (size_t j = 0; r == 0 && j < stage->n_steps; j++)
			r = build_step(build, &build->stages[i], &stage->steps[j], err);
	}
	return r;
}

static int make_stages(struct build *build, struct error *err)
{
	build->stages = calloc(build->plan.n_stages, sizeof(*build->stages));
	if (!build->stages) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, "stages", "cannot be kept");
		return error_remedy(err, r, "free some memory");
	}
	for (size_t i = 0; i < build->plan.n_stages; i++)
		build->stages[i].hold_fd = -1;
	return 0;
}

static void show_notices(const struct build *build)
{
	char text[500];
	for (size_t i = 0; i < build->plan.notices.n_items && !build->options->is_quiet; i++) {
		const char *notice = build->plan.notices.items[i];
		text_escape(notice, strlen(notice), text, sizeof(text));
		(void)fprintf(stderr, "foso: %s\n", text);
	}
}

/* Before anything is made: a mistake in an option is not a step's. */
static int check_limits(const struct build_options *options, struct error *err)
{
	struct policy policy;
	int r = build_limits(options, &policy, err);
	policy_fini(&policy);
	return r;
}

static int build_all(struct build *build, struct error *err)
{
	int r = check_limits(build->options, err);
	if (r == 0)
		r = open_store(build, err);
	if (r == 0)
		r = open_context(build, err);
	if (r == 0)
		r = program_path("foso-copy", build->copier, err);
	if (r == 0)
		r = build_read_plan(build, err);
	if (r != 0)
		return r;
	show_notices(build);
	uint32_t target = build->plan.target;
	r = make_stages(build, err);
	if (r == 0)
		r = build_stages(build, err);
	if (r == 0)
		r = build_finish(build, &build->plan.stages[target], &build->stages[target], err);
	return r;
}

static void release(struct build *build)
{
	for (size_t i = 0; build->stages && i < build->plan.n_stages; i++) {
		fd_close(&build->stages[i].hold_fd);
		free(build->stages[i].history);
	}
	free(build->stages);
	recipe_plan_fini(&build->plan);
	fd_close(&build->context_fd);
	fd_close(&build->steps_fd);
	fd_close(&build->cache_fd);
	staging_end(&build->staging);
	image_store_fini(&build->store);
}

int build_make(struct build_options *options, struct error *err)
{
	struct build build = {
		.options = options,
		.context_fd = -1,
		.steps_fd = -1,
		.cache_fd = -1,
		.staging = { .dir_fd = -1 },
	};
	int r = read_epoch(options, err);
	if (r < 0)
		return r;
	/* A copier that ended is told by a failed write. */
	(void)sigaction(SIGPIPE, &(struct sigaction){ .sa_handler = SIG_IGN }, NULL);
	r = build_all(&build, err);
	release(&build);
	return r;
}

int verb_build(const struct args *args, struct error *err)
{
	static struct build_options options;
	options = (struct build_options){ .has_cache = true };
	int r = read_options(&options, args, err);
	return r == 0 ? build_make(&options, err) : r;
}

/* For foso image gc, which knows nothing of builds. */
int verb_sweep(const struct args *args, struct error *err)
{
	struct build build = {
		.context_fd = -1, .steps_fd = -1, .cache_fd = -1, .staging = { .dir_fd = -1 }
	};
	int r = image_store_open(&build.store, args->words[0], err);
	if (r == 0)
		r = open_folders(&build, err);
	if (r == 0) {
		sweep_steps(&build);
		r = build_cache_sweep(&build, err);
	}
	release(&build);
	return r;
}
