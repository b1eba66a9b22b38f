/* SPDX-License-Identifier: Apache-2.0 */
/*
 * walk.h - the files that a COPY names, as a stream (wire/files.h)
 *
 * The tree is a stranger's: a build context, the layers of a stage, an unpacked archive.  No
 * link is followed but those on the way to a source that was named, and those stay below the
 * tree: of a context an escape is an error, of a stage "/" is the stage's own root.
 */
#pragma once

#include "buildtool/sink.h"
#include "recipe/recipe.h"
#include "wire/files.h"

struct walk {
	int root_fd;                    /* of the tree; borrowed */
	bool is_context;                /* .dockerignore counts, links must stay below */
	const struct recipe_plan *plan; /* for its ignores; of a context */
	const char *what;               /* "the build context", "stage 'build'": for errors */
	struct sink *sink;
	uint64_t n_entries;
	/*
	 * Of ADD: asked for each file that was named; 0 and a tree if it is an archive, 1 if not.
	 * NULL: every file is a file.
	 */
	int (*unpack)(void *context, int fd, const char *name, int *ret_tree_fd, struct error *err);
	void *context;
};

/*
 * walk_source() - everything that one pattern of a COPY names
 *
 * 1 if it has a wildcard and names nothing, which is fine beside others: "COPY a.json lock* ./";
 * -ERR_NOT_FOUND if a plain path is not there, -ERR_INVALID for what cannot be copied (a socket, a
 * device) and for a link that leads out, -ERR_LIMIT, -ERR_UNAVAILABLE as sink_put().  The subject
 * is the path below the tree.
 */
int walk_source(struct walk *walk, const char *pattern, struct error *err) must_check;

/* walk_missing() - -ERR_NOT_FOUND: the pattern names nothing. */
int walk_missing(const struct walk *walk, const char *pattern, struct error *err) must_check;

/* walk_open() - the file at @path of the tree, as a source that was named is found; -1: none. */
int walk_open(const struct walk *walk, const char *path, unsigned flags);

/* walk_put() - one record; @times are what the digest leaves out. */
int walk_put(struct sink *sink, const struct files_header *header, const char *name,
	     struct error *err) must_check;
