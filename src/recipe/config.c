/* SPDX-License-Identifier: Apache-2.0 */
/* config.c - instructions that are only written down in the image */
#include <string.h>

#include "recipe/reader.h"

/* The instruction is in the history, and makes no files. */
static int note(struct reader *reader)
{
	return reader_step(reader, RECIPE_NOTE) ? 0 : -(int)reader->err->code;
}

static int refuse_words(struct reader *reader, const char *value, const char *remedy)
{
	int r = reader_fail(reader, ERR_INVALID, "'%.60s' is not what it takes", value);
	return error_remedy(reader->err, r, "%s", remedy);
}

/* "NAME VALUE with spaces", the old form */
static int set_old_form(struct reader *reader, const char *rest, struct recipe_pairs *pairs)
{
	struct recipe_arena *arena = &reader->plan->arena;
	size_t n_name = strcspn(rest, " \t");
	const char *text = rest + n_name + strspn(rest + n_name, " \t");
	const char *name, *value;
	int r = reader_expand(reader, rest, n_name, &name);
	if (r == 0)
		r = reader_expand(reader, text, strlen(text), &value);
	if (r != 0)
		return r;
	return pairs_set(arena, pairs, name, value) ? 0 : reader_no_memory(reader);
}

static int set_pair(struct reader *reader, const char *word, struct recipe_pairs *pairs)
{
	const char *name, *value;
	const char *equals = strchr(word, '=');
	if (!equals || equals == word)
		return refuse_words(reader, word, "write NAME=VALUE, with quotes around spaces");
	int r = reader_expand(reader, word, (size_t)(equals - word), &name);
	if (r == 0)
		r = reader_expand(reader, equals + 1, strlen(equals + 1), &value);
	if (r != 0)
		return r;
	if (name[0] == '\0' || strchr(name, '='))
		return refuse_words(reader, word, "write NAME=VALUE");
	return pairs_set(&reader->plan->arena, pairs, name, value) ? 0 : reader_no_memory(reader);
}

/* All words of one instruction see the values from before it, so a copy is filled. */
static int set_pairs(struct reader *reader, const char *rest, struct recipe_pairs *pairs)
{
	struct recipe_list words;
	struct recipe_pairs changed;
	int r = reader_split(reader, rest, strlen(rest), &words);
	if (r != 0)
		return r;
	if (words.n_items == 0)
		return refuse_words(reader, rest, "write NAME=VALUE");
	if (!pairs_copy(&reader->plan->arena, pairs, &changed))
		return reader_no_memory(reader);
	if (!strchr(words.items[0], '=') && words.n_items > 1) {
		r = set_old_form(reader, rest, &changed);
	} else {
		for (size_t i = 0; r == 0 && i < words.n_items; i++)
			r = set_pair(reader, words.items[i], &changed);
	}
	if (r != 0)
		return r;
	*pairs = changed;
	return note(reader);
}

int reader_env(struct reader *reader, const char *rest)
{
	return set_pairs(reader, rest, &reader->stage->config.env);
}

int reader_label(struct reader *reader, const char *rest)
{
	return set_pairs(reader, rest, &reader->stage->config.labels);
}

int reader_user(struct reader *reader, const char *rest)
{
	const char *user;
	int r = reader_expand(reader, rest, strlen(rest), &user);
	if (r != 0)
		return r;
	if (user[0] == '\0' || user[0] == ':' || strpbrk(user, " \t\n/"))
		return refuse_words(reader, user, "write USER NAME, UID, or either with :GROUP");
	reader->stage->config.user = user;
	return note(reader);
}

/* The exec form as it is, or the shell with the text. */
static int read_command(struct reader *reader, const char *rest, struct recipe_list *ret)
{
	struct recipe_arena *arena = &reader->plan->arena;
	int r = reader_json_form(reader, rest, strlen(rest), ret);
	if (r != 1)
		return r;
	if (rest[0] == '\0')
		return refuse_words(reader, rest, "write [\"PROGRAM\", \"ARGUMENT\"]");
	return list_copy(arena, &reader->shell, ret) && list_add(arena, ret, rest)
		       ? 0
		       : reader_no_memory(reader);
}

int reader_entrypoint(struct reader *reader, const char *rest)
{
	int r = read_command(reader, rest, &reader->stage->config.entrypoint);
	/* The arguments of another entry point would be wrong ones. */
	reader->stage->config.cmd = (struct recipe_list){ .items = NULL };
	return r == 0 ? note(reader) : r;
}

int reader_cmd(struct reader *reader, const char *rest)
{
	int r = read_command(reader, rest, &reader->stage->config.cmd);
	return r == 0 ? note(reader) : r;
}

/* "80", "80/udp", "8000-8010" */
static bool is_port(const char *text)
{
	size_t n = strspn(text, "0123456789");
	if (n == 0 || n > 5)
		return false;
	if (text[n] == '-') {
		size_t m = strspn(text + n + 1, "0123456789");
		if (m == 0 || m > 5)
			return false;
		n += 1 + m;
	}
	return text[n] == '\0' || strcmp(text + n, "/tcp") == 0 || strcmp(text + n, "/udp") == 0 ||
	       strcmp(text + n, "/sctp") == 0;
}

int reader_expose(struct reader *reader, const char *rest)
{
	struct recipe_list words;
	struct recipe_list *ports = &reader->stage->config.ports;
	int r = reader_split(reader, rest, strlen(rest), &words);
	if (r == 0 && words.n_items == 0)
		return refuse_words(reader, rest, "write EXPOSE PORT or PORT/udp");
	for (size_t i = 0; r == 0 && i < words.n_items; i++) {
		const char *port;
		r = reader_expand(reader, words.items[i], strlen(words.items[i]), &port);
		if (r != 0)
			return r;
		if (!is_port(port))
			return refuse_words(reader, port, "write EXPOSE PORT or PORT/udp");
		if (!list_has(ports, port) && !list_add(&reader->plan->arena, ports, port))
			return reader_no_memory(reader);
	}
	return r == 0 ? note(reader) : r;
}

int reader_volume(struct reader *reader, const char *rest)
{
	struct recipe_list words = { .items = NULL };
	struct recipe_list *volumes = &reader->stage->config.volumes;
	int r = reader_json_form(reader, rest, strlen(rest), &words);
	if (r == 1)
		r = reader_split(reader, rest, strlen(rest), &words);
	if (r == 0 && words.n_items == 0)
		return refuse_words(reader, rest, "write VOLUME /PATH");
	for (size_t i = 0; r == 0 && i < words.n_items; i++) {
		const char *path;
		r = reader_expand(reader, words.items[i], strlen(words.items[i]), &path);
		if (r != 0)
			return r;
		if (path[0] != '/')
			return refuse_words(reader, path, "write VOLUME /PATH");
		if (!list_has(volumes, path) && !list_add(&reader->plan->arena, volumes, path))
			return reader_no_memory(reader);
	}
	return r == 0 ? note(reader) : r;
}

int reader_stopsignal(struct reader *reader, const char *rest)
{
	const char *name;
	int r = reader_expand(reader, rest, strlen(rest), &name);
	if (r != 0)
		return r;
	size_t n = strspn(name, "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789+-");
	if (n == 0 || n > 20 || name[n] != '\0')
		return refuse_words(reader, name, "write a signal: STOPSIGNAL SIGTERM");
	reader->stage->config.stop_signal = name;
	return note(reader);
}

int reader_shell(struct reader *reader, const char *rest)
{
	struct recipe_list shell;
	int r = reader_json_form(reader, rest, strlen(rest), &shell);
	if (r == 1 || (r == 0 && shell.n_items == 0))
		return refuse_words(reader, rest, "write SHELL [\"PROGRAM\", \"-c\"]");
	if (r != 0)
		return r;
	reader->shell = shell;
	return note(reader);
}

int reader_healthcheck(struct reader *reader, const char *rest)
{
	if (strcasecmp(rest, "NONE") == 0)
		return note(reader);
	int r = reader_notice(reader, "is left out: an OCI image has no health check");
	return r == 0 ? note(reader) : r;
}

int reader_onbuild(struct reader *reader, const char *rest)
{
	int r = reader_fail(reader, ERR_UNSUPPORTED, "'%.60s': an OCI image has no triggers", rest);
	return error_remedy(reader->err, r,
			    "write the instruction into the file that begins FROM it");
}

int reader_maintainer(struct reader *reader, const char *rest)
{
	const char *value;
	int r = reader_expand(reader, rest, strlen(rest), &value);
	if (r != 0)
		return r;
	return pairs_set(&reader->plan->arena, &reader->stage->config.labels,
			 "org.opencontainers.image.authors", value)
		       ? note(reader)
		       : reader_no_memory(reader);
}
