/* SPDX-License-Identifier: Apache-2.0 */
/* stage.c - FROM and ARG: where a stage begins, and what its variables are */
#include <string.h>

#include "base/text.h"
#include "recipe/reader.h"

/* Usable without an ARG, when --build-arg gives them (Dockerfile reference, "Predefined ARGs"). */
static const char *const predefined[] = { "HTTP_PROXY", "http_proxy", "HTTPS_PROXY", "https_proxy",
					  "FTP_PROXY",  "ftp_proxy",  "NO_PROXY",    "no_proxy",
					  "ALL_PROXY",  "all_proxy" };

bool reader_is_predefined(const char *name, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(predefined); i++)
		if (strlen(predefined[i]) == len && strncmp(predefined[i], name, len) == 0)
			return true;
	return false;
}

static const char *pairs_find(const struct recipe_pairs *pairs, const char *name, size_t len)
{
	for (size_t i = 0; i < pairs->n_items; i++)
		if (strlen(pairs->items[i].name) == len &&
		    strncmp(pairs->items[i].name, name, len) == 0)
			return pairs->items[i].value;
	return NULL;
}

/* What is known of this machine before the first FROM, and in a stage behind "ARG NAME". */
static const char *platform_value(const struct reader *reader, const char *name, size_t len)
{
	static const char *const oses[] = { "TARGETOS", "BUILDOS" };
	static const char *const arches[] = { "TARGETARCH", "BUILDARCH" };
	static const char *const platforms[] = { "TARGETPLATFORM", "BUILDPLATFORM" };
	for (size_t i = 0; i < 2; i++) {
		if (strlen(oses[i]) == len && strncmp(oses[i], name, len) == 0)
			return "linux";
		if (strlen(arches[i]) == len && strncmp(arches[i], name, len) == 0)
			return reader->order->architecture;
		if (strlen(platforms[i]) == len && strncmp(platforms[i], name, len) == 0)
			return pairs_get(&reader->globals, "TARGETPLATFORM");
	}
	return NULL;
}

const char *reader_lookup(const struct reader *reader, const char *name, size_t len)
{
	const char *value = NULL;
	if (!reader->stage) {
		value = pairs_find(&reader->globals, name, len);
		return value ? value : platform_value(reader, name, len);
	}
	value = pairs_find(&reader->stage->config.env, name, len);
	if (!value)
		value = pairs_find(&reader->args, name, len);
	if (!value && reader_is_predefined(name, len))
		value = pairs_find(&reader->order->args, name, len);
	return value;
}

const struct recipe_base *reader_find_base(const struct reader *reader, const char *ref)
{
	for (size_t i = 0; i < reader->order->n_bases; i++)
		if (strcmp(reader->order->bases[i].ref, ref) == 0)
			return &reader->order->bases[i];
	return NULL;
}

/* "0", "1": the number of an earlier stage. */
static bool is_stage_number(const char *name, size_t n_stages, uint32_t *ret_stage)
{
	uint64_t value;
	if (!text_parse_u64(name, &value) || value >= n_stages)
		return false;
	*ret_stage = (uint32_t)value;
	return true;
}

int reader_find_source(struct reader *reader, const char *name, enum recipe_source *ret_source,
		       uint32_t *ret_stage, const char **ret_image)
{
	/* Of COPY: the stages before this one.  Of FROM the new one does not count yet. */
	size_t n_earlier = reader->plan->n_stages - (reader->stage ? 1 : 0);
	for (size_t i = n_earlier; i-- > 0;) {
		const char *other = reader->plan->stages[i].name;
		if (other[0] && strcasecmp(other, name) == 0) {
			*ret_source = RECIPE_STAGE;
			*ret_stage = (uint32_t)i;
			return 0;
		}
	}
	if (reader->stage && is_stage_number(name, n_earlier, ret_stage)) {
		*ret_source = RECIPE_STAGE;
		return 0;
	}
	if (reader->stage && reader->stage->name[0] && strcasecmp(reader->stage->name, name) == 0) {
		int r = reader_fail(reader, ERR_INVALID, "'%.60s' is the stage itself", name);
		return error_remedy(reader->err, r, "name an earlier stage or an image");
	}
	*ret_source = RECIPE_IMAGE;
	*ret_image = name;
	return 0;
}

static int check_platform(struct reader *reader, const char *value)
{
	const char *own = pairs_get(&reader->globals, "TARGETPLATFORM");
	if (own && strcmp(value, own) == 0)
		return 0;
	int r = reader_fail(reader, ERR_UNSUPPORTED, "--platform '%.60s' is not this machine's",
			    value);
	return error_remedy(reader->err, r, "leave it out, or write %s", own ? own : "linux/amd64");
}

static int refuse_option(struct reader *reader, const char *name)
{
	int r = reader_fail(reader, ERR_UNSUPPORTED, "'--%.60s' is not an option of it", name);
	return error_remedy(reader->err, r, "leave it out");
}

static int from_options(struct reader *reader, const char **rest)
{
	const char *name, *value;
	int r;
	while ((r = reader_flag(reader, rest, &name, &value)) == 0) {
		if (strcmp(name, "platform") != 0)
			return refuse_option(reader, name);
		r = check_platform(reader, value);
		if (r != 0)
			return r;
	}
	return r < 0 ? r : 0;
}

static int check_stage_name(struct reader *reader, const char *name)
{
	size_t n =
		strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
	bool begins_well = (name[0] | 0x20) >= 'a' && (name[0] | 0x20) <= 'z';
	if (!begins_well || name[n] != '\0' || n > 128) {
		int r = reader_fail(reader, ERR_INVALID, "'%.60s' is not a name of a stage", name);
		return error_remedy(reader->err, r,
				    "begin with a letter, go on with letters, digits, _ . -");
	}
	for (size_t i = 0; i < reader->plan->n_stages; i++) {
		if (strcasecmp(reader->plan->stages[i].name, name) != 0)
			continue;
		int r = reader_fail(reader, ERR_INVALID, "'%.60s' is already the stage of line %u",
				    name, reader->plan->stages[i].line);
		return error_remedy(reader->err, r, "give it another name");
	}
	return 0;
}

static struct recipe_stage *add_stage(struct reader *reader)
{
	struct recipe_plan *plan = reader->plan;
	struct recipe_stage *stages = plan->stages;
	if (plan->n_stages >= RECIPE_MAX_STAGES) {
		int r = reader_fail(reader, ERR_LIMIT, "is one stage more than %d",
				    RECIPE_MAX_STAGES);
		(void)error_remedy(reader->err, r, "build some of them as images of their own");
		return NULL;
	}
	stages = recipe_grow(&plan->arena, stages, plan->n_stages, sizeof(*stages));
	if (!stages) {
		(void)reader_no_memory(reader);
		return NULL;
	}
	plan->stages = stages;
	struct recipe_stage *stage = &stages[plan->n_stages++];
	*stage = (struct recipe_stage){ .name = "", .image = "", .line = reader->line.number };
	return stage;
}

/* What the stage inherits, and the shell and variables of a fresh one. */
static int begin_stage(struct reader *reader, struct recipe_stage *stage)
{
	static const struct recipe_config empty = { .cwd = "" };
	const struct recipe_config *config = &empty;
	struct recipe_arena *arena = &reader->plan->arena;
	const struct recipe_base *base = reader_find_base(reader, stage->image);
	if (stage->source == RECIPE_STAGE)
		config = &reader->plan->stages[stage->stage].config;
	else if (stage->source == RECIPE_IMAGE && base)
		config = &base->config;
	reader->args = (struct recipe_pairs){ .items = NULL };
	reader->shell = (struct recipe_list){ .items = NULL };
	reader->stage = stage;
	return config_copy(arena, config, &stage->config) &&
			       list_add(arena, &reader->shell, "/bin/sh") &&
			       list_add(arena, &reader->shell, "-c")
		       ? 0
		       : reader_no_memory(reader);
}

int reader_from(struct reader *reader, const char *rest)
{
	struct recipe_list words;
	struct recipe_stage found = { .source = RECIPE_INLINE, .image = "" };
	const char *base, *name = "";
	reader->stage = NULL;
	int r = from_options(reader, &rest);
	if (r == 0)
		r = reader_split(reader, rest, strlen(rest), &words);
	if (r != 0)
		return r;
	bool has_name = words.n_items == 3 && strcasecmp(words.items[1], "as") == 0;
	if (words.n_items != 1 && !has_name) {
		r = reader_fail(reader, ERR_INVALID, "'%.60s' is not an image with a name", rest);
		return error_remedy(reader->err, r, "write FROM IMAGE or FROM IMAGE AS NAME");
	}
	r = reader_expand(reader, words.items[0], strlen(words.items[0]), &base);
	if (r == 0 && base[0] == '\0') {
		r = reader_fail(reader, ERR_INVALID, "'%.60s' is empty", words.items[0]);
		return error_remedy(reader->err, r,
				    "give the ARG before FROM a default, or --build-arg");
	}
	if (r == 0 && has_name) {
		name = words.items[2];
		r = check_stage_name(reader, name);
	}
	if (r == 0 && strcmp(base, "scratch") != 0)
		r = reader_find_source(reader, base, &found.source, &found.stage, &found.image);
	if (r != 0)
		return r;
	struct recipe_stage *stage = add_stage(reader);
	if (!stage)
		return -(int)reader->err->code;
	stage->name = name;
	stage->source = found.source;
	stage->stage = found.stage;
	stage->image = found.image;
	return begin_stage(reader, stage);
}

static bool is_variable(const char *name)
{
	size_t n = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_");
	return n > 0 && name[n] == '\0' && !(name[0] >= '0' && name[0] <= '9');
}

/* One "NAME" or "NAME=default". */
static int declare(struct reader *reader, const char *word)
{
	struct recipe_arena *arena = &reader->plan->arena;
	const char *equals = strchr(word, '=');
	size_t n_name = equals ? (size_t)(equals - word) : strlen(word);
	const char *name = recipe_copy(arena, word, n_name);
	if (!name)
		return reader_no_memory(reader);
	if (!is_variable(name)) {
		int r = reader_fail(reader, ERR_INVALID, "'%.60s' is not a name of a variable",
				    name);
		return error_remedy(reader->err, r, "write ARG NAME or ARG NAME=default");
	}
	const char *value = pairs_get(&reader->order->args, name);
	if (value && !list_has(&reader->used_args, name) &&
	    !list_add(arena, &reader->used_args, name))
		return reader_no_memory(reader);
	const char *fallback = NULL;
	int r = equals ? reader_expand(reader, equals + 1, strlen(equals + 1), &fallback) : 0;
	if (r != 0)
		return r;
	if (!value)
		value = fallback;
	if (!value && reader->stage)
		value = pairs_get(&reader->globals, name);
	if (!value)
		value = platform_value(reader, name, n_name);
	if (!value)
		return 0;
	return pairs_set(arena, reader->stage ? &reader->args : &reader->globals, name, value)
		       ? 0
		       : reader_no_memory(reader);
}

int reader_arg(struct reader *reader, const char *rest)
{
	struct recipe_list words;
	int r = reader_split(reader, rest, strlen(rest), &words);
	for (size_t i = 0; r == 0 && i < words.n_items; i++)
		r = declare(reader, words.items[i]);
	if (r == 0 && reader->stage)
		r = reader_step(reader, RECIPE_NOTE) ? 0 : -(int)reader->err->code;
	return r;
}
