/* SPDX-License-Identifier: Apache-2.0 */
/* read.c - from the text of a Dockerfile to a plan */
#include <string.h>

#include "base/text.h"
#include "recipe/ignore.h"
#include "recipe/reader.h"

/* word, handler, whether it may stand before the first FROM */
/* clang-format off */
#define INSTRUCTIONS(INSTRUCTION)                           \
	INSTRUCTION("ADD",         reader_copy,        false) \
	INSTRUCTION("ARG",         reader_arg,         true)  \
	INSTRUCTION("CMD",         reader_cmd,         false) \
	INSTRUCTION("COPY",        reader_copy,        false) \
	INSTRUCTION("ENTRYPOINT",  reader_entrypoint,  false) \
	INSTRUCTION("ENV",         reader_env,         false) \
	INSTRUCTION("EXPOSE",      reader_expose,      false) \
	INSTRUCTION("FROM",        reader_from,        true)  \
	INSTRUCTION("HEALTHCHECK", reader_healthcheck, false) \
	INSTRUCTION("LABEL",       reader_label,       false) \
	INSTRUCTION("MAINTAINER",  reader_maintainer,  false) \
	INSTRUCTION("ONBUILD",     reader_onbuild,     false) \
	INSTRUCTION("RUN",         reader_run,         false) \
	INSTRUCTION("SHELL",       reader_shell,       false) \
	INSTRUCTION("STOPSIGNAL",  reader_stopsignal,  false) \
	INSTRUCTION("USER",        reader_user,        false) \
	INSTRUCTION("VOLUME",      reader_volume,      false) \
	INSTRUCTION("WORKDIR",     reader_workdir,     false)
/* clang-format on */

struct instruction {
	const char *word;
	int (*read)(struct reader *reader, const char *rest);
	bool may_be_first;
};

static const struct instruction instructions[] = {
#define INSTRUCTION_ROW(word_, read_, first_) { word_, read_, first_ },
	INSTRUCTIONS(INSTRUCTION_ROW)
#undef INSTRUCTION_ROW
};

void reader_subject(const struct reader *reader, char ret_subject[128])
{
	(void)snprintf(ret_subject, 128, "%.80s:%u: %s", reader->order->name, reader->line.number,
		       reader->word);
}

int reader_no_memory(const struct reader *reader)
{
	int r = reader_fail(reader, ERR_LIMIT, "the file becomes larger than foso keeps");
	return error_remedy(reader->err, r, "use fewer and shorter values");
}

static int add_notice(struct reader *reader, const char *text)
{
	struct recipe_plan *plan = reader->plan;
	if (plan->notices.n_items >= RECIPE_MAX_NOTICES)
		return 0;
	const char *copy = recipe_copy(&plan->arena, text, strlen(text));
	return list_add(&plan->arena, &plan->notices, copy) ? 0 : reader_no_memory(reader);
}

int reader_notice(struct reader *reader, const char *message)
{
	char subject[128], text[400];
	reader_subject(reader, subject);
	(void)snprintf(text, sizeof(text), "%s: %s", subject, message);
	return add_notice(reader, text);
}

static const struct instruction *find_instruction(const char *word, size_t len)
{
	for (size_t i = 0; i < ARRAY_LEN(instructions); i++)
		if (strlen(instructions[i].word) == len &&
		    strncasecmp(instructions[i].word, word, len) == 0)
			return &instructions[i];
	return NULL;
}

static int refuse_instruction(struct reader *reader, const char *word, size_t len)
{
	char upper[24] = "";
	const char *nearest = NULL;
	unsigned best = TEXT_DISTANCE_NEAR + 1;
	for (size_t i = 0; i < len && i + 1 < sizeof(upper); i++)
		upper[i] = (char)(word[i] >= 'a' && word[i] <= 'z' ? word[i] - 32 : word[i]);
	for (size_t i = 0; i < ARRAY_LEN(instructions); i++) {
		unsigned distance = text_distance(upper, strlen(upper), instructions[i].word);
		if (distance < best) {
			best = distance;
			nearest = instructions[i].word;
		}
	}
	int r = reader_fail(reader, ERR_INVALID, "'%.*s' is not an instruction",
			    (int)MIN(len, (size_t)40), word);
	if (nearest)
		return error_remedy(reader->err, r, "write %s", nearest);
	return error_remedy(reader->err, r, "begin a line with RUN, COPY or another instruction");
}

static int read_instruction(struct reader *reader)
{
	const char *text = reader->line.text;
	size_t len = strcspn(text, " \t");
	const char *rest = text + len + strspn(text + len, " \t");
	const struct instruction *instruction = find_instruction(text, len);
	reader->word = "line";
	if (!instruction)
		return refuse_instruction(reader, text, len);
	reader->word = instruction->word;
	if (rest[0] == '\0') {
		int r = reader_fail(reader, ERR_INVALID, "has no value");
		return error_remedy(reader->err, r, "write %s and what it is about",
				    instruction->word);
	}
	if (!reader->stage && !instruction->may_be_first) {
		int r = reader_fail(reader, ERR_INVALID, "stands before the first FROM");
		return error_remedy(
			reader->err, r,
			"begin with FROM IMAGE or FROM scratch; only ARG may come before");
	}
	return instruction->read(reader, rest);
}

static void mark_sources(struct recipe_plan *plan, const struct recipe_step *step)
{
	if (step->source == RECIPE_STAGE)
		plan->stages[step->stage].is_needed = true;
	for (size_t i = 0; i < step->n_mounts; i++)
		if (step->mounts[i].source == RECIPE_STAGE)
			plan->stages[step->mounts[i].stage].is_needed = true;
}

/* Which stages the target needs; every one is of an earlier number. */
static void mark_needed(struct recipe_plan *plan)
{
	plan->stages[plan->target].is_needed = true;
	for (size_t i = plan->target + 1; i-- > 0;) {
		const struct recipe_stage *stage = &plan->stages[i];
		if (!stage->is_needed)
			continue;
		if (stage->source == RECIPE_STAGE)
			plan->stages[stage->stage].is_needed = true;
		for (size_t j = 0; j < stage->n_steps; j++)
			mark_sources(plan, &stage->steps[j]);
	}
}

static int find_target(struct reader *reader)
{
	struct recipe_plan *plan = reader->plan;
	const char *target = reader->order->target;
	uint64_t number;
	plan->target = (uint32_t)(plan->n_stages - 1);
	if (target[0] == '\0')
		return 0;
	for (size_t i = 0; i < plan->n_stages; i++) {
		if (plan->stages[i].name[0] && strcasecmp(plan->stages[i].name, target) == 0) {
			plan->target = (uint32_t)i;
			return 0;
		}
	}
	if (text_parse_u64(target, &number) && number < plan->n_stages) {
		plan->target = (uint32_t)number;
		return 0;
	}
	int r = error_set(reader->err, ERR_NOT_FOUND, 0, "--target", "'%.60s' is no stage of %.80s",
			  target, reader->order->name);
	return error_remedy(reader->err, r, "name one that a FROM ... AS NAME begins");
}

static bool need(struct reader *reader, const char *image)
{
	struct recipe_plan *plan = reader->plan;
	return reader_find_base(reader, image) || list_has(&plan->needs, image) ||
	       list_add(&plan->arena, &plan->needs, image);
}

static bool need_sources(struct reader *reader, const struct recipe_step *step)
{
	bool is_fine = step->source != RECIPE_IMAGE || need(reader, step->image);
	for (size_t i = 0; is_fine && i < step->n_mounts; i++)
		is_fine = step->mounts[i].source != RECIPE_IMAGE ||
			  need(reader, step->mounts[i].image);
	return is_fine;
}

/* The images of the needed stages that the order does not describe. */
static int find_needs(struct reader *reader)
{
	struct recipe_plan *plan = reader->plan;
	for (size_t i = 0; i < plan->n_stages; i++) {
		const struct recipe_stage *stage = &plan->stages[i];
		if (!stage->is_needed)
			continue;
		if (stage->source == RECIPE_IMAGE && !need(reader, stage->image))
			return reader_no_memory(reader);
		for (size_t j = 0; j < stage->n_steps; j++)
			if (!need_sources(reader, &stage->steps[j]))
				return reader_no_memory(reader);
	}
	return 0;
}

static int notice_unused_args(struct reader *reader)
{
	char text[200];
	for (size_t i = 0; i < reader->order->args.n_items; i++) {
		const char *name = reader->order->args.items[i].name;
		if (list_has(&reader->used_args, name) || reader_is_predefined(name, strlen(name)))
			continue;
		(void)snprintf(text, sizeof(text), "--build-arg %.60s: no ARG of %.80s declares it",
			       name, reader->order->name);
		int r = add_notice(reader, text);
		if (r != 0)
			return r;
	}
	return 0;
}

static int finish(struct reader *reader)
{
	struct recipe_plan *plan = reader->plan;
	reader->word = "FROM";
	if (plan->n_stages == 0) {
		int r = error_set(reader->err, ERR_INVALID, 0, reader->order->name, "has no FROM");
		return error_remedy(reader->err, r, "begin with FROM IMAGE or FROM scratch");
	}
	int r = find_target(reader);
	if (r == 0) {
		mark_needed(plan);
		r = find_needs(reader);
	}
	if (r == 0)
		r = notice_unused_args(reader);
	/* Without the bases' configuration nothing of this counts. */
	if (r == 0 && plan->needs.n_items > 0)
		plan->n_stages = 0;
	return r;
}

static int prepare(struct reader *reader)
{
	const struct recipe_order *order = reader->order;
	struct recipe_arena *arena = &reader->plan->arena;
	char platform[64];
	(void)snprintf(platform, sizeof(platform), "linux/%.40s", order->architecture);
	if (!pairs_set(arena, &reader->globals, "TARGETPLATFORM",
		       recipe_copy(arena, platform, strlen(platform))))
		return reader_no_memory(reader);
	if (order->len > RECIPE_MAX_TEXT_BYTES) {
		int r = error_set(reader->err, ERR_LIMIT, 0, order->name, "is larger than %d bytes",
				  RECIPE_MAX_TEXT_BYTES);
		return error_remedy(reader->err, r, "put data into files of the context");
	}
	/* A mark of UTF-8 that some editors write. */
	if (order->len >= 3 && memcmp(order->text, "\xef\xbb\xbf", 3) == 0)
		reader->at = 3;
	int r = ignore_read(reader);
	return r == 0 ? reader_directives(reader) : r;
}

int recipe_read(const struct recipe_order *order, struct recipe_plan *plan, struct error *err)
{
	struct reader reader = {
		.order = order, .plan = plan, .err = err, .escape = '\\', .word = "line"
	};
	*plan = (struct recipe_plan){ .arena = RECIPE_ARENA_INIT(RECIPE_MAX_ARENA_BYTES) };
	int r = prepare(&reader);
	while (r == 0) {
		r = reader_next_line(&reader);
		if (r == 0)
			r = read_instruction(&reader);
	}
	return r < 0 ? r : finish(&reader);
}

void recipe_plan_fini(struct recipe_plan *plan)
{
	recipe_arena_fini(&plan->arena);
	*plan = (struct recipe_plan){ .n_stages = 0 };
}
