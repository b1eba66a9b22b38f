/* SPDX-License-Identifier: Apache-2.0 */
/*
 * recipe.h - a Dockerfile, and the plan of steps that it stands for
 *
 * Theory of operation.  The text is a stranger's.  recipe_read() runs in foso-buildfile, which has
 * no rights, and resolves all there is to resolve: variables, quotes, escapes, relative paths,
 * stages, what a stage inherits.  What is left is a flat list of concrete steps, in a form that
 * recipe_plan_decode() checks, and that foso-build carries out without knowing a Dockerfile.
 *
 * A stage inherits environment, user and so on from its base image, so the text cannot be resolved
 * without them: the plan names the images whose configuration is missing (needs), and the caller
 * asks again with those.  Names of images depend on ARG before the first FROM alone, so the second
 * plan is whole.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "recipe/arena.h"

#define RECIPE_MAX_TEXT_BYTES  (1024 * 1024)
#define RECIPE_MAX_PLAN_BYTES  (16 * 1024 * 1024)
#define RECIPE_MAX_ARENA_BYTES (64 * 1024 * 1024)
#define RECIPE_MAX_STAGES      64
#define RECIPE_MAX_STEPS       1024 /* of one stage */
#define RECIPE_MAX_ITEMS       4096 /* of one list */
#define RECIPE_MAX_WORD_BYTES  (128 * 1024)
#define RECIPE_MAX_NOTICES     64
#define RECIPE_MAX_MOUNTS      16 /* of one step */

struct recipe_list {
	const char **items;
	size_t n_items;
};

struct recipe_pair {
	const char *name, *value;
};

struct recipe_pairs {
	struct recipe_pair *items;
	size_t n_items;
};

/* What an image says about how it is run (OCI image-spec, config.md). */
struct recipe_config {
	struct recipe_pairs env;    /* each name once */
	struct recipe_pairs labels; /* each name once */
	struct recipe_list entrypoint, cmd;
	struct recipe_list ports, volumes;
	const char *cwd, *user, *stop_signal; /* "" if not set; never NULL in a plan */
};

/* The configuration of an image that a stage or COPY --from may begin from. */
struct recipe_base {
	const char *ref;
	struct recipe_config config;
};

/* What recipe_read() works on; everything is borrowed. */
struct recipe_order {
	const char *text;
	size_t len;
	const char *name;   /* what errors call the file */
	const char *ignore; /* text of .dockerignore; NULL if there is none */
	size_t ignore_len;
	const char *ignore_name;
	const char *target;       /* stage to build; "": the last one */
	const char *architecture; /* "amd64": as OCI calls this machine's */
	struct recipe_pairs args; /* --build-arg */
	const struct recipe_base *bases;
	size_t n_bases;
};

enum recipe_step_kind { RECIPE_RUN, RECIPE_COPY, RECIPE_WORKDIR, RECIPE_NOTE, RECIPE_N_KINDS };

enum recipe_source { RECIPE_CONTEXT, RECIPE_STAGE, RECIPE_IMAGE, RECIPE_INLINE, RECIPE_N_SOURCES };

#define RECIPE_NO_MODE UINT32_MAX

enum recipe_mount_kind {
	RECIPE_MOUNT_BIND,    /* read-only */
	RECIPE_MOUNT_SCRATCH, /* may be written; that is thrown away */
	RECIPE_MOUNT_MEMORY,  /* empty */
	RECIPE_N_MOUNT_KINDS
};

/* RUN --mount: there while the command runs. */
struct recipe_mount {
	enum recipe_mount_kind kind;
	const char *target;        /* absolute, normalised, not "/" */
	enum recipe_source source; /* but for memory: RECIPE_CONTEXT, _STAGE or _IMAGE */
	uint32_t stage;
	const char *image;
	const char *path; /* of the source: a pattern that matches one path; "" for all of it */
};

struct recipe_step {
	enum recipe_step_kind kind;
	uint32_t line;
	const char *text;        /* the instruction as history shows it */
	struct recipe_list args; /* RUN: argv.  COPY: patterns of sources, relative, normalised */
	struct recipe_pairs env; /* RUN: all of it */
	const char *cwd, *user;  /* RUN; cwd also of WORKDIR and COPY: absolute, normalised */
	const char *target;      /* COPY: absolute, normalised */
	bool is_folder;          /* COPY: the target was written with a slash at its end */
	bool is_add;             /* COPY: archives of the context are unpacked */
	enum recipe_source source;
	uint32_t stage;              /* of RECIPE_STAGE: always an earlier one */
	const char *image;           /* of RECIPE_IMAGE */
	struct recipe_pairs files;   /* of RECIPE_INLINE: name and content */
	const char *owner;           /* COPY: "", USER, or USER:GROUP */
	uint32_t mode;               /* COPY: RECIPE_NO_MODE, or 0 to 07777 */
	struct recipe_mount *mounts; /* RUN */
	size_t n_mounts;
};

struct recipe_stage {
	const char *name; /* "" if it has none */
	uint32_t line;
	bool is_needed;            /* for the target */
	enum recipe_source source; /* RECIPE_IMAGE, RECIPE_STAGE, or RECIPE_INLINE for scratch */
	uint32_t stage;
	const char *image;
	struct recipe_step *steps;
	size_t n_steps;
	struct recipe_config config; /* at its end */
};

struct recipe_pattern {
	const char *text; /* relative, normalised; segments may be "**" */
	bool is_kept;     /* written with "!" */
};

struct recipe_plan {
	struct recipe_arena arena;
	struct recipe_list needs;   /* images whose configuration is missing; no stages then */
	struct recipe_list notices; /* "Dockerfile:3: HEALTHCHECK: ..." */
	struct recipe_stage *stages;
	size_t n_stages;
	uint32_t target; /* number of the stage that becomes the image */
	struct recipe_pattern *ignores;
	size_t n_ignores;
};

/*
 * recipe_read() - what a Dockerfile asks for
 *
 * -ERR_INVALID: subject "NAME:LINE: INSTRUCTION", the value in the message, what to write in the
 * remedy; -ERR_UNSUPPORTED: an instruction or option that foso does not have; -ERR_LIMIT.  The
 * caller releases the plan with recipe_plan_fini() whatever comes out.
 */
int recipe_read(const struct recipe_order *order, struct recipe_plan *plan, struct error *err)
	must_check;
void recipe_plan_fini(struct recipe_plan *plan);

/*
 * The order and the plan as bytes (wire/codec.h).  decode() treats them as hostile: counts,
 * numbers of stages, kinds and paths are checked, and a path that has ".." or is not absolute is
 * refused.  -ERR_PROTOCOL.
 */
void recipe_order_encode(const struct recipe_order *order, struct buf *out);
int recipe_order_decode(const void *bytes, size_t len, struct recipe_arena *arena,
			struct recipe_order *ret_order, struct error *err) must_check;
void recipe_plan_encode(const struct recipe_plan *plan, struct buf *out);
int recipe_plan_decode(const void *bytes, size_t len, struct recipe_plan *ret_plan,
		       struct error *err) must_check;

/*
 * recipe_match() - does a pattern of COPY match a path, both relative?
 *
 * As Go's filepath.Match, which the Dockerfile reference names: "*" and "?" stay within a segment,
 * "[a-z]" and "[^a]" are sets, a backslash takes the next character as it is; and a segment "**"
 * stands for any number of segments, none included.  Time is bounded by the product of lengths.
 */
bool recipe_match(const char *pattern, const char *path);

/* recipe_is_ignored() - what .dockerignore says of a path; the last pattern that matches counts. */
bool recipe_is_ignored(const struct recipe_plan *plan, const char *path);

/* recipe_may_keep_below() - could a later "!" keep something in this ignored folder? */
bool recipe_may_keep_below(const struct recipe_plan *plan);
