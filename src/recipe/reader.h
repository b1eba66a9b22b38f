/* SPDX-License-Identifier: Apache-2.0 */
/* reader.h - what the files that read a Dockerfile share; nobody else includes it */
#pragma once

#include "recipe/recipe.h"

#define READER_MAX_HEREDOCS 16

struct reader_heredoc {
	const char *name, *content;
	bool is_literal; /* its name was quoted: nothing in it is replaced */
};

/* One instruction: physical lines joined, comments taken out. */
struct reader_line {
	unsigned number; /* of its first physical line */
	const char *text;
	size_t len;
	struct reader_heredoc heredocs[READER_MAX_HEREDOCS];
	size_t n_heredocs;
	const char *raw; /* of RUN with heredocs: text and bodies as they were */
};

struct reader {
	const struct recipe_order *order;
	struct recipe_plan *plan;
	struct error *err;
	size_t at;       /* in order->text */
	unsigned number; /* physical lines read so far */
	char escape;     /* a backslash, or a backtick by directive */
	struct reader_line line;
	const char *word;             /* the instruction, for messages: "COPY" */
	struct recipe_pairs globals;  /* ARG before the first FROM */
	struct recipe_pairs args;     /* ARG of the stage */
	struct recipe_list shell;     /* SHELL of the stage */
	struct recipe_stage *stage;   /* NULL before the first FROM */
	struct recipe_list used_args; /* names of --build-arg that an ARG declared */
};

/* reader_fail() - @code under "NAME:LINE: INSTRUCTION"; the message follows. */
#define reader_fail(reader, code, ...)                                    \
	({                                                                \
		not_zeroed char subject_[128];                            \
		reader_subject(reader, subject_);                         \
		error_set((reader)->err, code, 0, subject_, __VA_ARGS__); \
	})
void reader_subject(const struct reader *reader, char ret_subject[128]);
int reader_no_memory(const struct reader *reader);
int reader_notice(struct reader *reader, const char *message);

/* lines.c */
int reader_directives(struct reader *reader);
int reader_next_line(struct reader *reader); /* 1 at the end */

/* words.c: @text need not end with a NUL; results are the arena's. */
int reader_split(struct reader *reader, const char *text, size_t len, struct recipe_list *ret);
int reader_expand(struct reader *reader, const char *text, size_t len, const char **ret);
/* The body of a heredoc: quotes are text. */
int reader_expand_body(struct reader *reader, const char *text, size_t len, const char **ret);
/* "--name=value" at *rest, which moves behind it; 1 if there is no further option. */
int reader_flag(struct reader *reader, const char **rest, const char **ret_name,
		const char **ret_value);

/* stage.c: the value of a variable, NULL if it has none. */
bool reader_is_predefined(const char *name, size_t len);
const char *reader_lookup(const struct reader *reader, const char *name, size_t len);

/*
 * json_form.c: ["a", "b"].  1: not an array of strings, so another form is meant; nothing is
 * written to @ret then.
 */
int reader_json_form(struct reader *reader, const char *text, size_t len, struct recipe_list *ret);

/* lists.c; false: no memory, or too many */
bool list_add(struct recipe_arena *arena, struct recipe_list *list, const char *item);
bool list_has(const struct recipe_list *list, const char *item);
bool pairs_set(struct recipe_arena *arena, struct recipe_pairs *pairs, const char *name,
	       const char *value);
const char *pairs_get(const struct recipe_pairs *pairs, const char *name);
bool pairs_copy(struct recipe_arena *arena, const struct recipe_pairs *from,
		struct recipe_pairs *ret);
bool list_copy(struct recipe_arena *arena, const struct recipe_list *from, struct recipe_list *ret);
bool config_copy(struct recipe_arena *arena, const struct recipe_config *from,
		 struct recipe_config *ret);
/* path_join() - @path seen from the folder @base, without ".", "..", doubled slashes. */
const char *path_join(struct recipe_arena *arena, const char *base, const char *path);
/* path_relative() - the same for a path that must stay below its folder; NULL with *err unset
 * if it leads out, "" for the folder itself. */
const char *path_relative(struct recipe_arena *arena, const char *path, bool *ret_leads_out);

/* stage.c: FROM and ARG; step.c: what makes files; config.c: what is only written down */
int reader_from(struct reader *reader, const char *rest);
int reader_arg(struct reader *reader, const char *rest);
/* mount.c: one --mount of a RUN */
int reader_mount(struct reader *reader, const char *value, struct recipe_step *step);
int reader_run(struct reader *reader, const char *rest);
int reader_copy(struct reader *reader, const char *rest);
int reader_workdir(struct reader *reader, const char *rest);
int reader_env(struct reader *reader, const char *rest);
int reader_label(struct reader *reader, const char *rest);
int reader_user(struct reader *reader, const char *rest);
int reader_entrypoint(struct reader *reader, const char *rest);
int reader_cmd(struct reader *reader, const char *rest);
int reader_expose(struct reader *reader, const char *rest);
int reader_volume(struct reader *reader, const char *rest);
int reader_stopsignal(struct reader *reader, const char *rest);
int reader_shell(struct reader *reader, const char *rest);
int reader_healthcheck(struct reader *reader, const char *rest);
int reader_onbuild(struct reader *reader, const char *rest);
int reader_maintainer(struct reader *reader, const char *rest);

/* A new step of the stage, with the text of the line; NULL after *err was filled. */
struct recipe_step *reader_step(struct reader *reader, enum recipe_step_kind kind);
/* Which stage or image --from or FROM means; fills source, stage and image of what is given. */
int reader_find_source(struct reader *reader, const char *name, enum recipe_source *ret_source,
		       uint32_t *ret_stage, const char **ret_image);
const struct recipe_base *reader_find_base(const struct reader *reader, const char *ref);
