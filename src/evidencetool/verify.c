/* SPDX-License-Identifier: Apache-2.0 */
/* verify.c - foso evidence verify */
#include <inttypes.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "evidencetool/chain.h"
#include "evidencetool/commands.h"
#include "evidencetool/rights.h"
#include "evidencetool/view.h"

#define MAX_PROBLEMS_IN_JSON 1000

/* Where problems go as they are found: to stdout as text, or into the report. */
struct output {
	json_t *problems; /* NULL for text */
	uint64_t n_left_out;
};

static void print_problem(const struct chain_problem *problem)
{
	if (problem->line > 0)
		printf("line %" PRIu64, problem->line);
	else
		printf("the log");
	if (problem->seq > 0)
		printf(", record %" PRIu64, problem->seq);
	if (problem->id[0] != '\0')
		printf(" (%s)", problem->id);
	printf(": %s\n", problem->text);
}

static void set(json_t *object, const char *key, json_t *value)
{
	/* Without memory a field is missing; the result does not depend on it. */
	(void)json_object_set_new(object, key, value);
}

static void add_problem(struct output *output, const struct chain_problem *problem)
{
	json_t *object = json_object();
	set(object, "kind", json_string(chain_problem_word(problem->kind)));
	if (problem->line > 0)
		set(object, "line", json_integer((json_int_t)problem->line));
	if (problem->seq > 0 && problem->seq <= INT64_MAX)
		set(object, "seq", json_integer((json_int_t)problem->seq));
	if (problem->id[0] != '\0')
		set(object, "id", json_string(problem->id));
	set(object, "text", json_string(problem->text));
	(void)json_array_append_new(output->problems, object);
}

static void take_problem(void *context, const struct chain_problem *problem)
{
	struct output *output = context;
	if (!output->problems)
		print_problem(problem);
	else if (json_array_size(output->problems) < MAX_PROBLEMS_IN_JSON)
		add_problem(output, problem);
	else
		output->n_left_out++;
}

static int read_all(struct chain *chain, const struct store *store, struct error *err)
{
	CLEANUP(evidence_reader_fini) struct evidence_reader reader = { .fd = -1 };
	int r = evidence_reader_init(&reader, store->log_fd, 0, store->log_bytes, err);
	if (r < 0)
		return r;
	while ((r = evidence_reader_next(&reader, err)) > EVIDENCE_PIECE_END)
		chain_take(chain, (enum evidence_piece)r, &reader);
	if (r == 0)
		chain_finish(chain, store);
	return r;
}

/* What is no problem and yet worth to know. */
static void notes(const struct chain *chain, const struct store *store,
		  void (*take)(void *context, const char *note), void *context)
{
	char text[256];
	if (chain->torn_bytes > 0 && store->head_state == STORE_HEAD_READ) {
		(void)snprintf(text, sizeof(text),
			       "%" PRIu64 " bytes of an unfinished line at the end: a crash cut it "
			       "short; the next run moves it away",
			       chain->torn_bytes);
		take(context, text);
	}
	if (store->n_torn > 0) {
		(void)snprintf(text, sizeof(text),
			       "%zu unfinished line%s that crashes left %s in files torn-...",
			       store->n_torn, store->n_torn == 1 ? "" : "s",
			       store->n_torn == 1 ? "is" : "are");
		take(context, text);
	}
	if (chain_is_head_behind(chain, store))
		take(context, "head does not name the newest record yet: a crash came between; the "
			      "next run mends it");
	if (store->head_state == STORE_HEAD_NONE && !chain->kept_head)
		take(context, "a single file has no head: a cut end cannot be seen without "
			      "--kept-head");
	if (chain->n_signed > 0 && chain->keyring->n_items == 0)
		take(context, "signatures were not checked, as no --key was given");
}

static void print_note(void *context, const char *note)
{
	UNUSED(context);
	printf("note: %s\n", note);
}

static void add_note(void *context, const char *note)
{
	(void)json_array_append_new(context, json_string(note));
}

static void print_summary(const struct chain *chain, const struct store *store)
{
	notes(chain, store, print_note, NULL);
	if (chain->last.seq > 0)
		printf("newest: record %" PRIu64 ", hash %s\n", chain->last.seq, chain->last.hash);
	printf("%" PRIu64 " record%s, %" PRIu64 " signed, %" PRIu64 " problem%s: %s\n",
	       chain->n_records, chain->n_records == 1 ? "" : "s", chain->n_signed,
	       chain->n_problems, chain->n_problems == 1 ? "" : "s",
	       chain->n_problems == 0 ? "good" : "broken");
}

static json_t *newest(const struct chain_place *last)
{
	json_t *object = json_object();
	set(object, "seq", json_integer((json_int_t)last->seq));
	set(object, "hash", json_string(last->hash));
	return object;
}

static int print_report(const struct output *output, const struct chain *chain,
			const struct store *store, struct error *err)
{
	char path[4 * PATH_MAX];
	json_t *report = json_object(), *list = json_array();
	text_escape(store->path, strlen(store->path), path, sizeof(path));
	notes(chain, store, add_note, list);
	set(report, "log", json_string(path));
	set(report, "result", json_string(chain->n_problems == 0 ? "good" : "broken"));
	set(report, "records", json_integer((json_int_t)chain->n_records));
	set(report, "signed", json_integer((json_int_t)chain->n_signed));
	set(report, "signatures_checked", json_boolean(chain->keyring->n_items > 0));
	set(report, "newest", newest(&chain->last));
	set(report, "n_problems", json_integer((json_int_t)chain->n_problems));
	set(report, "problems", json_incref(output->problems));
	set(report, "problems_left_out", json_integer((json_int_t)output->n_left_out));
	set(report, "notes", list);
	char *text = json_dumps(report, JSON_COMPACT);
	json_decref(report);
	if (!text)
		return error_set(err, ERR_INTERNAL, 0, "--json", "the report cannot be written");
	view_print_json(text, strlen(text));
	free(text);
	return 0;
}

static int parse_signed_from(const struct args *args, uint64_t *ret_seq, struct error *err)
{
	int r;
	if (!args->signed_from)
		return 0;
	if (args->n_keys == 0) {
		r = error_set(err, ERR_INVALID, 0, "--signed-from", "means nothing without --key");
		return error_remedy(err, r, "add --key FILE, or leave it out");
	}
	if (text_parse_u64(args->signed_from, ret_seq) && *ret_seq > 0)
		return 0;
	r = error_set(err, ERR_INVALID, 0, "--signed-from", "'%s' is no number of a record",
		      args->signed_from);
	return error_remedy(err, r, "write a number from 1 on");
}

static int verify(struct chain *chain, const struct store *store, bool is_json, struct error *err)
{
	struct output output = { .problems = is_json ? json_array() : NULL };
	chain->report = take_problem;
	chain->context = &output;
	int r = read_all(chain, store, err);
	if (r == 0 && is_json)
		r = print_report(&output, chain, store, err);
	else if (r == 0)
		print_summary(chain, store);
	json_decref(output.problems);
	chain->context = NULL; /* output ends here */
	return r < 0 ? r : chain->n_problems > 0;
}

int command_verify(const struct args *args, struct error *err)
{
	CLEANUP(store_close) struct store store = { .log_fd = -1 };
	CLEANUP(keyring_fini) struct keyring keyring = { 0 };
	struct evidence_head kept_head;
	struct chain chain;
	view_terminal_init();
	chain_init(&chain);
	chain.keyring = &keyring;
	int r = parse_signed_from(args, &chain.signed_from, err);
	for (size_t i = 0; r == 0 && i < args->n_keys; i++)
		r = keyring_add(&keyring, args->keys[i], err);
	if (r == 0 && args->kept_head) {
		r = head_file_read(args->kept_head, &kept_head, err);
		chain.kept_head = &kept_head;
	}
	if (r == 0)
		r = store_open(&store, args->operands[0], err);
	if (r == 0)
		r = rights_drop(err);
	return r < 0 ? r : verify(&chain, &store, args->is_json, err);
}
