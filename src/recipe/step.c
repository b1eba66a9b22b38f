/* SPDX-License-Identifier: Apache-2.0 */
/* step.c - RUN, COPY, ADD and WORKDIR: what makes files */
#include <string.h>

#include "base/cleanup.h"
#include "recipe/reader.h"

struct recipe_step *reader_step(struct reader *reader, enum recipe_step_kind kind)
{
	struct recipe_stage *stage = reader->stage;
	struct recipe_arena *arena = &reader->plan->arena;
	if (stage->n_steps >= RECIPE_MAX_STEPS) {
		int r = reader_fail(reader, ERR_LIMIT, "is one step more than %d",
				    RECIPE_MAX_STEPS);
		(void)error_remedy(reader->err, r, "join some of them");
		return NULL;
	}
	stage->steps = recipe_grow(arena, stage->steps, stage->n_steps, sizeof(*stage->steps));
	if (!stage->steps) {
		(void)reader_no_memory(reader);
		return NULL;
	}
	struct recipe_step *step = &stage->steps[stage->n_steps++];
	*step = (struct recipe_step){
		.kind = kind,
		.line = reader->line.number,
		.text = reader->line.text,
		.cwd = stage->config.cwd[0] ? stage->config.cwd : "/",
		.user = stage->config.user,
		.target = "",
		.image = "",
		.owner = "",
		.mode = RECIPE_NO_MODE,
	};
	return step;
}

static int refuse_option(struct reader *reader, const char *name, const char *remedy)
{
	int r = reader_fail(reader, ERR_UNSUPPORTED, "'--%.60s' is not supported", name);
	return error_remedy(reader->err, r, "%s", remedy);
}

/* --network=none and --security=sandbox say what holds anyway. */
static int run_options(struct reader *reader, const char **rest, struct recipe_step *step)
{
	const char *name, *value;
	int r;
	while ((r = reader_flag(reader, rest, &name, &value)) == 0) {
		bool is_so = (strcmp(name, "network") == 0 && strcmp(value, "none") == 0) ||
			     (strcmp(name, "security") == 0 && strcmp(value, "sandbox") == 0);
		if (is_so)
			continue;
		if (strcmp(name, "mount") == 0) {
			r = reader_mount(reader, value, step);
			if (r != 0)
				return r;
			continue;
		}
		if (strcmp(name, "network") == 0)
			return refuse_option(reader, "network",
					     "a step has no network: COPY what it needs, or write "
					     "--network=none");
		return refuse_option(reader, name, "leave it out; COPY what the step needs");
	}
	return r < 0 ? r : 0;
}

/* Everything that a command of the stage sees: ENV, and ARG where no ENV has the name. */
static int run_environment(struct reader *reader, struct recipe_pairs *ret)
{
	struct recipe_arena *arena = &reader->plan->arena;
	const struct recipe_pairs *env = &reader->stage->config.env;
	if (!pairs_copy(arena, env, ret))
		return reader_no_memory(reader);
	for (size_t i = 0; i < reader->args.n_items; i++) {
		const struct recipe_pair *arg = &reader->args.items[i];
		if (!pairs_get(env, arg->name) && !pairs_set(arena, ret, arg->name, arg->value))
			return reader_no_memory(reader);
	}
	for (size_t i = 0; i < reader->order->args.n_items; i++) {
		const struct recipe_pair *arg = &reader->order->args.items[i];
		const char *value = reader_lookup(reader, arg->name, strlen(arg->name));
		if (value && !pairs_get(ret, arg->name) && !pairs_set(arena, ret, arg->name, value))
			return reader_no_memory(reader);
	}
	return 0;
}

static int shell_form(struct reader *reader, const char *script, struct recipe_list *ret)
{
	struct recipe_arena *arena = &reader->plan->arena;
	if (!list_copy(arena, &reader->shell, ret) || !list_add(arena, ret, script))
		return reader_no_memory(reader);
	return 0;
}

/* "RUN <<EOF" alone: the body is the script.  Else the shell gets the heredocs to read itself. */
static int run_heredoc(struct reader *reader, const char *rest, struct recipe_step *step)
{
	const struct reader_line *line = &reader->line;
	const char *blank = strpbrk(rest, " \t");
	if (rest[0] == '<' && !blank && line->n_heredocs == 1) {
		const char *script = line->heredocs[0].content;
		if (strncmp(script, "#!", 2) == 0)
			return refuse_option(
				reader, "#!",
				"write RUN PROGRAM <<EOF: a heredoc is run by the shell");
		return shell_form(reader, script, &step->args);
	}
	return shell_form(reader, line->raw + (rest - line->text), &step->args);
}

int reader_run(struct reader *reader, const char *rest)
{
	struct recipe_step *step = reader_step(reader, RECIPE_RUN);
	if (!step)
		return -(int)reader->err->code;
	int r = run_options(reader, &rest, step);
	if (r != 0)
		return r;
	if (rest[0] == '\0') {
		r = reader_fail(reader, ERR_INVALID, "has no command");
		return error_remedy(reader->err, r, "write RUN COMMAND or RUN [\"PROGRAM\"]");
	}
	r = run_environment(reader, &step->env);
	if (r != 0)
		return r;
	if (reader->line.n_heredocs > 0)
		return run_heredoc(reader, rest, step);
	r = reader_json_form(reader, rest, strlen(rest), &step->args);
	if (r == 1)
		r = shell_form(reader, rest, &step->args);
	if (r == 0 && step->args.n_items == 0) {
		r = reader_fail(reader, ERR_INVALID, "'%.60s' has no command", rest);
		return error_remedy(reader->err, r, "write RUN [\"PROGRAM\", \"ARGUMENT\"]");
	}
	return r;
}

/* Octal only: symbolic modes depend on the file. */
static int read_mode(struct reader *reader, const char *value, uint32_t *ret_mode)
{
	uint32_t mode = 0;
	size_t n = strspn(value, "01234567");
	for (size_t i = 0; i < n && i < 5; i++)
		mode = mode * 8 + (uint32_t)(value[i] - '0');
	if (n == 0 || n > 5 || value[n] != '\0' || mode > 07777) {
		int r = reader_fail(reader, ERR_INVALID, "--chmod '%.60s' is not an octal mode",
				    value);
		return error_remedy(reader->err, r, "write three or four octal digits: 755");
	}
	*ret_mode = mode;
	return 0;
}

static int copy_from(struct reader *reader, const char *value, struct recipe_step *step)
{
	if (step->is_add || value[0] == '\0') {
		int r = reader_fail(reader, ERR_INVALID, "--from '%.60s' is not possible", value);
		return error_remedy(reader->err, r, "write COPY --from=STAGE");
	}
	return reader_find_source(reader, value, &step->source, &step->stage, &step->image);
}

static const char *copy_remedy(const char *name)
{
	if (strcmp(name, "exclude") == 0)
		return "name it in .dockerignore";
	if (strcmp(name, "parents") == 0)
		return "write a COPY for each folder, with the folder in its target";
	if (strcmp(name, "unpack") == 0)
		return "use COPY for archives as they are, and ADD to unpack them";
	return "leave it out";
}

static int copy_options(struct reader *reader, const char **rest, struct recipe_step *step)
{
	const char *name, *value;
	int r;
	while ((r = reader_flag(reader, rest, &name, &value)) == 0) {
		if (strcmp(name, "from") == 0)
			r = copy_from(reader, value, step);
		else if (strcmp(name, "chown") == 0)
			step->owner = value;
		else if (strcmp(name, "chmod") == 0)
			r = read_mode(reader, value, &step->mode);
		else if (strcmp(name, "link") == 0)
			continue; /* says how layers may be used again, which the cache does anyway
				   */
		else
			r = refuse_option(reader, name, copy_remedy(name));
		if (r != 0)
			return r;
	}
	return r < 0 ? r : 0;
}

static bool is_remote(const char *source)
{
	static const char *const schemes[] = { "http://", "https://", "ftp://",
					       "git://",  "ssh://",   "git@" };
	for (size_t i = 0; i < ARRAY_LEN(schemes); i++)
		if (strncasecmp(source, schemes[i], strlen(schemes[i])) == 0)
			return true;
	return false;
}

static int add_source(struct reader *reader, struct recipe_step *step, const char *source)
{
	bool leads_out = false;
	struct recipe_arena *arena = &reader->plan->arena;
	if (source[0] == '\0') {
		int r = reader_fail(reader, ERR_INVALID, "a source is empty");
		return error_remedy(reader->err, r, "name a file, or . for all");
	}
	if (step->is_add && is_remote(source)) {
		int r = reader_fail(reader, ERR_UNSUPPORTED, "'%.100s' is on the network", source);
		return error_remedy(reader->err, r,
				    "a build has no network: fetch it first, and COPY the file");
	}
	const char *path = path_relative(arena, source, &leads_out);
	if (leads_out) {
		int r = reader_fail(reader, ERR_INVALID, "'%.100s' leads out of the %s", source,
				    step->source == RECIPE_CONTEXT ? "build context" : "stage");
		return error_remedy(reader->err, r, "copy it into the context first");
	}
	return list_add(arena, &step->args, path) ? 0 : reader_no_memory(reader);
}

/* A source "<<EOF" is a file of that name with the body as its content. */
static int add_inline(struct reader *reader, struct recipe_step *step, size_t n_words)
{
	struct recipe_arena *arena = &reader->plan->arena;
	if (n_words != reader->line.n_heredocs || step->source != RECIPE_CONTEXT) {
		int r = reader_fail(reader, ERR_UNSUPPORTED, "heredocs and files are mixed");
		return error_remedy(reader->err, r,
				    "use one COPY for the files, and one for the rest");
	}
	step->source = RECIPE_INLINE;
	for (size_t i = 0; i < reader->line.n_heredocs; i++) {
		const struct reader_heredoc *heredoc = &reader->line.heredocs[i];
		const char *content = heredoc->content;
		int r = heredoc->is_literal
				? 0
				: reader_expand_body(reader, content, strlen(content), &content);
		if (r != 0)
			return r;
		if (!pairs_set(arena, &step->files, heredoc->name, content))
			return reader_no_memory(reader);
	}
	return 0;
}

static int copy_words(struct reader *reader, const char *rest, struct recipe_list *ret)
{
	int r = reader_json_form(reader, rest, strlen(rest), ret);
	if (r == 1)
		r = reader_split(reader, rest, strlen(rest), ret);
	if (r != 0)
		return r;
	if (ret->n_items < 2) {
		r = reader_fail(reader, ERR_INVALID, "'%.60s' names no source and target", rest);
		return error_remedy(reader->err, r, "write %s SOURCE... TARGET", reader->word);
	}
	return 0;
}

static int copy_target(struct reader *reader, struct recipe_step *step, const char *target)
{
	size_t n_sources = step->args.n_items + step->files.n_items;
	size_t len = strlen(target);
	if (len == 0) {
		int r = reader_fail(reader, ERR_INVALID, "the target is empty");
		return error_remedy(reader->err, r, "name a path inside the image");
	}
	step->is_folder = target[len - 1] == '/' || strcmp(target, ".") == 0 ||
			  (len > 1 && strcmp(target + len - 2, "/.") == 0);
	step->target = path_join(&reader->plan->arena, step->cwd, target);
	if (!step->target)
		return reader_no_memory(reader);
	if (n_sources > 1 && !step->is_folder) {
		int r = reader_fail(reader, ERR_INVALID,
				    "'%.100s' is the target of several sources", target);
		return error_remedy(reader->err, r, "end it with a slash: %.100s/", target);
	}
	return 0;
}

static int copy_sources(struct reader *reader, struct recipe_step *step,
			const struct recipe_list *words)
{
	if (reader->line.n_heredocs > 0)
		return add_inline(reader, step, words->n_items - 1);
	for (size_t i = 0; i + 1 < words->n_items; i++) {
		const char *source;
		int r = reader_expand(reader, words->items[i], strlen(words->items[i]), &source);
		if (r == 0)
			r = add_source(reader, step, source);
		if (r != 0)
			return r;
	}
	return 0;
}

int reader_copy(struct reader *reader, const char *rest)
{
	struct recipe_list words;
	const char *target;
	struct recipe_step *step = reader_step(reader, RECIPE_COPY);
	if (!step)
		return -(int)reader->err->code;
	step->is_add = strcmp(reader->word, "ADD") == 0;
	int r = copy_options(reader, &rest, step);
	if (r == 0)
		r = copy_words(reader, rest, &words);
	if (r == 0)
		r = copy_sources(reader, step, &words);
	if (r != 0)
		return r;
	const char *last = words.items[words.n_items - 1];
	r = reader_expand(reader, last, strlen(last), &target);
	return r == 0 ? copy_target(reader, step, target) : r;
}

int reader_workdir(struct reader *reader, const char *rest)
{
	const char *path;
	struct recipe_config *config = &reader->stage->config;
	int r = reader_expand(reader, rest, strlen(rest), &path);
	if (r != 0)
		return r;
	if (path[0] == '\0') {
		r = reader_fail(reader, ERR_INVALID, "'%.60s' is empty", rest);
		return error_remedy(reader->err, r, "write WORKDIR /PATH");
	}
	path = path_join(&reader->plan->arena, config->cwd[0] ? config->cwd : "/", path);
	if (!path)
		return reader_no_memory(reader);
	config->cwd = path;
	return reader_step(reader, RECIPE_WORKDIR) ? 0 : -(int)reader->err->code;
}
