/* SPDX-License-Identifier: Apache-2.0 */
/*
 * mount.c - RUN --mount: what a command sees and the layer does not have
 *
 * bind is a COPY that ends with the command.  cache and tmpfs are memory: a cache may be empty
 * whenever a command begins (Dockerfile reference, "RUN --mount=type=cache"), and one that
 * outlives its build would be a way from one stranger's build into another's.  secret and ssh are
 * refused, as a command has no network that they would be for.
 */
#include <string.h>

#include "base/macros.h"
#include "recipe/reader.h"

#define MAX_OPTIONS 16

struct option {
	const char *name, *value; /* value: "" if there is none */
};

struct options {
	struct option items[MAX_OPTIONS];
	size_t n_items;
};

static int refuse(struct reader *reader, const char *value, const char *remedy)
{
	int r = reader_fail(reader, ERR_UNSUPPORTED, "'--mount=%.80s' is not supported", value);
	return error_remedy(reader->err, r, "%s", remedy);
}

/* "a=b,c": names in the order in which they stand; the last of a name counts. */
static int split(struct reader *reader, const char *value, struct options *ret)
{
	const char *at = value;
	ret->n_items = 0;
	for (;;) {
		size_t n = strcspn(at, ",");
		const char *word = recipe_copy(&reader->plan->arena, at, n);
		if (!word)
			return reader_no_memory(reader);
		if (ret->n_items == MAX_OPTIONS)
			return refuse(reader, value, "write NAME=VALUE,NAME=VALUE, each once");
		size_t n_name = strcspn(word, "=");
		const char *name = recipe_copy(&reader->plan->arena, word, n_name);
		if (!name)
			return reader_no_memory(reader);
		ret->items[ret->n_items++] =
			(struct option){ name, word[n_name] ? word + n_name + 1 : "" };
		if (at[n] == '\0')
			return 0;
		at += n + 1;
	}
}

static const char *get(const struct options *options, const char *const names[3])
{
	const char *value = NULL;
	for (size_t i = 0; i < options->n_items; i++)
		for (size_t j = 0; j < 3 && names[j]; j++)
			if (strcmp(options->items[i].name, names[j]) == 0)
				value = options->items[i].value;
	return value;
}

static bool is_on(const char *value)
{
	return value && strcmp(value, "false") != 0 && strcmp(value, "0") != 0;
}

/* Names that a type of mount has; what only says how a cache is shared changes nothing here. */
static int check_names(struct reader *reader, const struct options *options, const char *value,
		       const char *known)
{
	for (size_t i = 0; i < options->n_items; i++) {
		char word[40];
		(void)snprintf(word, sizeof(word), " %.30s ", options->items[i].name);
		if (strlen(options->items[i].name) <= 30 && strstr(known, word))
			continue;
		int r = reader_fail(reader, ERR_UNSUPPORTED,
				    "'%.40s' of '--mount=%.60s' is not supported",
				    options->items[i].name, value);
		return error_remedy(reader->err, r, "leave it out");
	}
	return 0;
}

/* A source is no pattern, unlike that of COPY. */
static const char *escape(struct recipe_arena *arena, const char *path)
{
	char *copy = recipe_alloc(arena, 2 * strlen(path) + 1);
	char *at = copy;
	for (; copy && *path; path++) {
		if (strchr("*?[\\", *path))
			*at++ = '\\';
		*at++ = *path;
	}
	return copy;
}

static int read_source(struct reader *reader, const struct options *options,
		       struct recipe_mount *mount)
{
	static const char *const from_names[3] = { "from" };
	static const char *const source_names[3] = { "source", "src" };
	const char *from = get(options, from_names), *source = get(options, source_names);
	bool leads_out = false;
	mount->source = RECIPE_CONTEXT;
	mount->image = "";
	if (from && from[0]) {
		int r = reader_find_source(reader, from, &mount->source, &mount->stage,
					   &mount->image);
		if (r != 0)
			return r;
	}
	mount->path = path_relative(&reader->plan->arena, source ? source : "", &leads_out);
	if (leads_out) {
		int r = reader_fail(reader, ERR_INVALID, "'%.100s' leads out of the %s", source,
				    mount->source == RECIPE_CONTEXT ? "build context" : "stage");
		return error_remedy(reader->err, r, "copy it into the context first");
	}
	if (mount->path)
		mount->path = escape(&reader->plan->arena, mount->path);
	return mount->path ? 0 : reader_no_memory(reader);
}

static int read_target(struct reader *reader, const struct options *options, const char *value,
		       struct recipe_mount *mount)
{
	static const char *const names[3] = { "target", "dst", "destination" };
	const char *target = get(options, names), *cwd = reader->stage->config.cwd;
	if (!target || !target[0])
		return refuse(reader, value, "name its place: target=/PATH");
	mount->target = path_join(&reader->plan->arena, cwd[0] ? cwd : "/", target);
	if (!mount->target)
		return reader_no_memory(reader);
	return mount->target[1] ? 0 : refuse(reader, value, "name a place below /");
}

static int read_bind(struct reader *reader, const struct options *options, const char *value,
		     struct recipe_mount *mount)
{
	static const char *const writable[3] = { "rw", "readwrite" };
	mount->kind = is_on(get(options, writable)) ? RECIPE_MOUNT_SCRATCH : RECIPE_MOUNT_BIND;
	int r = check_names(
		reader, options, value,
		" type target dst destination source src from ro readonly rw readwrite ");
	return r == 0 ? read_source(reader, options, mount) : r;
}

static int read_memory(struct reader *reader, const struct options *options, const char *value,
		       bool is_cache, struct recipe_mount *mount)
{
	static const char *const from_names[3] = { "from" };
	mount->kind = RECIPE_MOUNT_MEMORY;
	mount->path = mount->image = "";
	if (is_cache && get(options, from_names))
		return refuse(reader, value, "use type=bind for what is to be there");
	/* A size would be a bound within the bounds that all steps have. */
	return check_names(
		reader, options, value,
		is_cache ? " type target dst destination id sharing mode uid gid ro readonly "
			 : " type target dst destination size ");
}

int reader_mount(struct reader *reader, const char *value, struct recipe_step *step)
{
	static const char *const type_names[3] = { "type" };
	struct recipe_mount mount = { .kind = RECIPE_MOUNT_BIND };
	struct options options;
	int r = split(reader, value, &options);
	if (r != 0)
		return r;
	const char *type = get(&options, type_names);
	if (!type || strcmp(type, "bind") == 0)
		r = read_bind(reader, &options, value, &mount);
	else if (strcmp(type, "cache") == 0 || strcmp(type, "tmpfs") == 0)
		r = read_memory(reader, &options, value, type[0] == 'c', &mount);
	else if (strcmp(type, "secret") == 0 || strcmp(type, "ssh") == 0)
		return refuse(reader, value,
			      "a step has no network that a secret would be for: leave it out, and "
			      "COPY what was fetched before");
	else
		return refuse(reader, value, "write type=bind, cache or tmpfs");
	if (r == 0)
		r = read_target(reader, &options, value, &mount);
	if (r != 0)
		return r;
	if (step->n_mounts == RECIPE_MAX_MOUNTS) {
		r = reader_fail(reader, ERR_LIMIT, "is one mount more than %d", RECIPE_MAX_MOUNTS);
		return error_remedy(reader->err, r, "mount a folder that holds several");
	}
	step->mounts = recipe_grow(&reader->plan->arena, step->mounts, step->n_mounts,
				   sizeof(*step->mounts));
	if (!step->mounts)
		return reader_no_memory(reader);
	step->mounts[step->n_mounts++] = mount;
	return 0;
}
