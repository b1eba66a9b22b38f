/* SPDX-License-Identifier: Apache-2.0 */
/* show.c - a plan in words: one line a step, with what is in it below */
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "buildfile/tool.h"

#define SHOWN_BYTES 400

static void show_text(const char *text)
{
	char shown[SHOWN_BYTES];
	text_escape(text, strlen(text), shown, sizeof(shown));
	(void)printf(" \"%s\"", shown);
}

static void show_word(const char *label, const char *text)
{
	if (!text[0])
		return;
	(void)printf("    %s", label);
	show_text(text);
	(void)putchar('\n');
}

static void show_list(const char *label, const struct recipe_list *list)
{
	if (list->n_items == 0)
		return;
	(void)printf("    %s", label);
	for (size_t i = 0; i < list->n_items; i++)
		show_text(list->items[i]);
	(void)putchar('\n');
}

static void show_pairs(const char *label, const struct recipe_pairs *pairs)
{
	for (size_t i = 0; i < pairs->n_items; i++) {
		(void)printf("    %s %s =", label, pairs->items[i].name);
		show_text(pairs->items[i].value);
		(void)putchar('\n');
	}
}

static void show_mounts(const struct recipe_step *step)
{
	static const char *const kinds[] = { "read-only", "for now", "memory" };
	static const char *const sources[] = { "context", "stage", "image", "" };
	for (size_t i = 0; i < step->n_mounts; i++) {
		const struct recipe_mount *mount = &step->mounts[i];
		(void)printf("    mount");
		show_text(mount->target);
		(void)printf(" %s", kinds[mount->kind]);
		if (mount->kind != RECIPE_MOUNT_MEMORY) {
			(void)printf(" from %s", sources[mount->source]);
			if (mount->source == RECIPE_STAGE)
				(void)printf(" %u", mount->stage);
			if (mount->source == RECIPE_IMAGE)
				show_text(mount->image);
			show_text(mount->path);
		}
		(void)putchar('\n');
	}
}

static void show_step(const struct recipe_step *step)
{
	static const char *const kinds[] = { "run", "copy", "workdir", "note" };
	static const char *const sources[] = { "context", "stage", "image", "inline" };
	(void)printf("  %u %s", step->line, kinds[step->kind]);
	show_text(step->text);
	(void)putchar('\n');
	if (step->kind == RECIPE_NOTE)
		return;
	if (step->kind == RECIPE_COPY) {
		(void)printf("    from %s", sources[step->source]);
		if (step->source == RECIPE_STAGE)
			(void)printf(" %u", step->stage);
		if (step->source == RECIPE_IMAGE)
			show_text(step->image);
		(void)putchar('\n');
		show_list("sources", &step->args);
		show_pairs("file", &step->files);
		show_word(step->is_folder ? "into" : "to", step->target);
		show_word("owner", step->owner);
		if (step->mode != RECIPE_NO_MODE)
			(void)printf("    mode %04o\n", step->mode);
		if (step->is_add)
			(void)printf("    archives are unpacked\n");
		return;
	}
	show_list("argv", &step->args);
	show_pairs("env", &step->env);
	show_word("cwd", step->cwd);
	show_word("user", step->user);
	show_mounts(step);
}

static void show_config(const struct recipe_config *config)
{
	(void)printf("  config\n");
	show_pairs("env", &config->env);
	show_pairs("label", &config->labels);
	show_list("entrypoint", &config->entrypoint);
	show_list("cmd", &config->cmd);
	show_list("ports", &config->ports);
	show_list("volumes", &config->volumes);
	show_word("cwd", config->cwd);
	show_word("user", config->user);
	show_word("stop signal", config->stop_signal);
}

static void show_stage(const struct recipe_plan *plan, size_t number)
{
	const struct recipe_stage *stage = &plan->stages[number];
	(void)printf("stage %zu", number);
	if (stage->name[0])
		show_text(stage->name);
	if (stage->source == RECIPE_IMAGE) {
		(void)printf(" from image");
		show_text(stage->image);
	} else if (stage->source == RECIPE_STAGE) {
		(void)printf(" from stage %u", stage->stage);
	} else {
		(void)printf(" from nothing");
	}
	(void)printf("%s\n", number == plan->target ? ", the target"
			     : stage->is_needed     ? ", needed"
						    : ", not needed");
	for (size_t i = 0; i < stage->n_steps; i++)
		show_step(&stage->steps[i]);
	show_config(&stage->config);
}

void show_plan(const struct recipe_plan *plan)
{
	char shown[SHOWN_BYTES];
	for (size_t i = 0; i < plan->notices.n_items; i++) {
		const char *notice = plan->notices.items[i];
		text_escape(notice, strlen(notice), shown, sizeof(shown));
		(void)printf("notice %s\n", shown);
	}
	for (size_t i = 0; i < plan->n_ignores; i++) {
		(void)printf("%s", plan->ignores[i].is_kept ? "keep" : "ignore");
		show_text(plan->ignores[i].text);
		(void)putchar('\n');
	}
	for (size_t i = 0; i < plan->n_stages; i++)
		show_stage(plan, i);
}
