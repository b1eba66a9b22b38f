/* SPDX-License-Identifier: Apache-2.0 */
/*
 * build.h - foso image build: what its files share
 *
 * Theory of operation.  foso-buildfile reads the Dockerfile and answers with a plan (recipe.h).
 * For each step of a stage that the target needs, the cache is asked first, by the layers below
 * and everything the step is made of.  Else the step runs in a sandbox of its own whose root is
 * the layers so far: RUN its command, COPY and WORKDIR the program foso-copy, fed by a walk over
 * the sources.  What it wrote is kept in a change set below steps/ of the store, packed into a tar
 * by a process without rights, and becomes a layer as an imported one does.
 *
 * Whatever happens, nothing but whole layers and whole images is left: an unfinished step is a
 * change set that nobody holds, which the next build removes.
 */
#pragma once

#include "image/image.h"
#include "image/write/staging.h"
#include "policy/policy.h"
#include "recipe/recipe.h"

#define BUILD_MAX_ARGS   256
#define BUILD_MAX_NAMES  16
#define BUILD_MAX_LIMITS 32

struct build_options {
	const char *names[BUILD_MAX_NAMES]; /* -t */
	size_t n_names;
	const char *file;     /* -f; NULL: Dockerfile of the context */
	const char *evidence; /* folder of the log; NULL: the default */
	const char *target;   /* NULL: the last stage */
	const char *context;  /* a folder */
	struct recipe_pair args[BUILD_MAX_ARGS];
	size_t n_args;
	const char *limits[BUILD_MAX_LIMITS]; /* NAME=VALUE */
	size_t n_limits;
	bool has_cache;
	bool is_quiet;
	int64_t epoch_s; /* SOURCE_DATE_EPOCH; -1: none */
};

/* One instruction in the history of an image. */
struct build_history {
	const char *text; /* of the plan's arena */
	int64_t created_s;
	bool is_empty; /* no layer belongs to it */
};

/* What a stage is after some of its steps. */
struct build_stage {
	struct image_layer layers[IMAGE_MAX_LAYERS]; /* the lowest first */
	size_t n_layers;
	int hold_fd; /* of the topmost layer, which holds those below; owned; -1: none */
	struct build_history *history; /* owned */
	size_t n_history;
	int64_t created_s; /* of the newest step */
};

struct build {
	const struct build_options *options;
	struct image_store store;
	struct staging staging; /* of this build */
	struct recipe_plan plan;
	int context_fd;
	struct build_stage *stages; /* one for each of the plan; owned */
	char copier[4096];          /* path of foso-copy */
	char file_name[128];        /* of the Dockerfile, for messages */
	int steps_fd;               /* steps/ of the store: change sets of steps that run */
	int cache_fd;               /* cache/ of the store */
	size_t n_steps, n_cached;
};

/* build.c: the image that @options describe; the names in it are valid ones. */
int build_make(struct build_options *options, struct error *err) must_check;

/* build_plan.c: reads the Dockerfile, and the records of the images that it begins from. */
int build_read_plan(struct build *build, struct error *err) must_check;

/* build_bind.c: RUN --mount; the layers that the sources became. */
struct build_bind {
	char path[IMAGE_STORE_PATH_BYTES + 128]; /* of the tree */
	uint8_t chain[DIGEST_BYTES];
	int hold_fd; /* -1: memory */
};

struct build_binds {
	const struct recipe_step *step;
	struct build_bind items[RECIPE_MAX_MOUNTS];
};

/* The caller releases them whatever comes out. */
int build_binds_make(struct build *build, const struct recipe_step *step, struct build_binds *ret,
		     struct error *err) must_check;
void build_binds_fini(struct build_binds *binds);
int build_binds_set(const struct build_binds *binds, struct policy *policy, struct error *err)
	must_check;
/* Removes from what the step wrote the names that were made to mount on. */
void build_binds_unname(const struct build_binds *binds, int upper_fd);

/* build_step.c: the layer of a step on top of @stage, made or found; @binds may be NULL */
int build_step_make(struct build *build, struct build_stage *stage, const struct recipe_step *step,
		    const struct build_binds *binds, struct error *err) must_check;

/* build_step.c: one step on top of @stage, whose layers grow by at most one. */
int build_step(struct build *build, struct build_stage *stage, const struct recipe_step *step,
	       struct error *err) must_check;

/*
 * build_run.c: a sandbox on the layers of @stage
 *
 * @feed is called with the write end of its stdin, if given.  The exit status is the command's.
 */
struct build_run {
	const struct build_stage *stage;
	const struct recipe_step *step;
	const struct build_binds *binds; /* NULL: none */
	const char *const *args;         /* argv, NULL at the end */
	bool is_copy;                    /* foso-copy is mounted, and stdin is fed */
	int changes_fd;
	int (*feed)(void *context, int fd, struct error *err);
	void *context;
};
/* The limits of a step; the caller releases the policy whatever comes out. */
int build_limits(const struct build_options *options, struct policy *ret_policy, struct error *err)
	must_check;
int build_run(const struct build *build, const struct build_run *run, int *ret_status,
	      struct error *err) must_check;

/* build_copy.c: the stream of a COPY; fd -1: only its digest */
int build_copy_stream(struct build *build, const struct recipe_step *step, int fd,
		      uint8_t ret_digest[DIGEST_BYTES], struct error *err) must_check;

/*
 * build_add.c: the files of the archive in @fd; they stay until the next one, or the build's end
 *
 * 1 if it is none.  -ERR_UNSUPPORTED for one that foso-unpack does not read; its faults.
 */
int build_unpack(struct build *build, int fd, const char *name, int *ret_tree_fd, struct error *err)
	must_check;

/* build_cache.c */
struct build_cached {
	struct image_layer layer;
	bool is_empty; /* the step changes nothing */
	int64_t created_s;
};
void build_cache_key(const struct build *build, const struct build_stage *stage,
		     const struct recipe_step *step, const struct build_binds *binds,
		     const uint8_t source[DIGEST_BYTES], uint8_t ret_key[DIGEST_BYTES]);
/* 0 and the layer, held by *ret_hold_fd unless it is empty; 1: not there */
int build_cache_get(const struct build *build, const uint8_t key[DIGEST_BYTES],
		    struct build_cached *ret, int *ret_hold_fd, struct error *err) must_check;
/* Removes entries whose layer is not in the store any more. */
int build_cache_sweep(const struct build *build, struct error *err) must_check;
int build_cache_put(const struct build *build, const uint8_t key[DIGEST_BYTES],
		    const struct build_cached *cached, struct error *err) must_check;

/* build_layer.c: a file without a name on the disk of the store */
int build_layer_file(const struct build *build, int *ret_fd, struct error *err) must_check;

/*
 * build_layer.c: the tar in @tar_fd as a blob and as a tree on top of the layers of @stage
 *
 * As an import does with a layer that is not packed: the digest is taken of the bytes, and
 * foso-unpack makes the tree.  A layer that is there already is only held.
 */
int build_layer_add(struct build *build, const struct build_stage *stage, int tar_fd,
		    uint64_t n_bytes, struct image_layer *ret, int *ret_hold_fd, struct error *err)
	must_check;

/* build_layer.c: 0 and held; 1 if the store lacks its tree or its blob. */
int build_layer_hold(const struct build *build, const struct image_layer *layer, int *ret_hold_fd,
		     struct error *err) must_check;

/* build_layer.c: both documents into the store, and the image under each of its names. */
int build_image_add(struct build *build, const struct buf *config, const struct buf *manifest,
		    const struct recipe_config *settings, const struct build_stage *built,
		    struct error *err) must_check;

/* build.c: "amd64" */
const char *build_architecture(void);

/* build_image.c: configuration, manifest, record and names of the finished image. */
int build_finish(struct build *build, const struct recipe_stage *stage,
		 const struct build_stage *built, struct error *err) must_check;

/* build.c: one line about a step on stderr, unless -q. */
void build_say(const struct build *build, const struct recipe_step *step, const char *how);

/* build_mount.c: all layers of a stage as one tree that can be read; an O_PATH descriptor. */
int build_mount(const struct build *build, const struct build_stage *stage, int *ret_fd,
		struct error *err) must_check;
