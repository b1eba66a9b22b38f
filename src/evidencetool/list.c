/* SPDX-License-Identifier: Apache-2.0 */
/*
 * list.c - foso evidence list and show
 *
 * They show what the log says; whether it was tampered with is for verify.
 */
#include <inttypes.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "evidencetool/commands.h"
#include "evidencetool/rights.h"
#include "evidencetool/store.h"
#include "evidencetool/view.h"
#include "evidencetool/when.h"
#include "wire/end.h"

#define MAX_COMMAND_COLUMNS 60

struct filter {
	uint64_t since_ns;
	const char *reason; /* NULL: any */
	uint64_t n_newest;  /* UINT64_MAX: all */
};

/* A line that is a record, as far as one can see without its hash. */
struct entry {
	struct evidence_line line;
	const char *bytes; /* of the line; borrowed until the next one */
	size_t len;
	json_t *record; /* owned */
};

static void entry_fini(struct entry *entry)
{
	json_decref(entry->record);
	entry->record = NULL;
}

static uint64_t integer(const json_t *object, const char *key)
{
	json_int_t value = json_integer_value(json_object_get(object, key));
	return value > 0 ? (uint64_t)value : 0;
}

static const char *string(const json_t *object, const char *key)
{
	const char *text = json_string_value(json_object_get(object, key));
	return text ? text : "";
}

/* A log, entry by entry. */
struct walk {
	struct evidence_reader reader;
	uint64_t n_strange; /* lines that are no record */
};

static int walk_init(struct walk *walk, const struct store *store, struct error *err)
{
	walk->n_strange = 0;
	return evidence_reader_init(&walk->reader, store->log_fd, 0, store->log_bytes, err);
}

static void walk_fini(struct walk *walk)
{
	evidence_reader_fini(&walk->reader);
}

/* 1: *ret is the next entry, which the caller releases; 0: there is none; -ERR_SYSTEM. */
static int walk_next(struct walk *walk, struct entry *ret, struct error *err)
{
	for (;;) {
		json_error_t error;
		int r = evidence_reader_next(&walk->reader, err);
		if (r < 0 || r == EVIDENCE_PIECE_END)
			return r;
		*ret = (struct entry){ .bytes = walk->reader.bytes,
				       .len = (size_t)walk->reader.len };
		if (r == EVIDENCE_PIECE_LINE &&
		    !evidence_line_parse(ret->bytes, ret->len, &ret->line))
			ret->record = view_parse(ret->line.record, ret->line.n_record, &error);
		if (ret->record)
			return 1;
		walk->n_strange++;
	}
}

static bool filter_has(const struct filter *filter, const struct entry *entry)
{
	const json_t *end = json_object_get(entry->record, "end");
	return integer(entry->record, "started_ns") >= filter->since_ns &&
	       (!filter->reason || strcmp(string(end, "reason"), filter->reason) == 0);
}

/* How many entries the filter lets through: those before the newest N are left out. */
static int count_entries(const struct store *store, const struct filter *filter, uint64_t *ret_n,
			 struct error *err)
{
	CLEANUP(walk_fini) struct walk walk = { .reader.fd = -1 };
	struct entry entry;
	*ret_n = 0;
	int r = walk_init(&walk, store, err);
	while (r >= 0 && (r = walk_next(&walk, &entry, err)) > 0) {
		*ret_n += filter_has(filter, &entry);
		entry_fini(&entry);
	}
	return r;
}

static void print_column(const char *text, size_t width)
{
	char escaped[128];
	text_escape(text, strnlen(text, 64), escaped, sizeof(escaped));
	printf("%-*.*s ", (int)width, (int)width, escaped);
}

/* "exit 0", "signal 9", "deadline". */
static void print_end(const json_t *end)
{
	char text[64];
	const json_t *number = json_object_get(end, "code");
	const char *reason = string(end, "reason");
	if (!number)
		number = json_object_get(end, "signal");
	bool has_number = strcmp(reason, "exit") == 0 || strcmp(reason, "signal") == 0;
	if (has_number && json_is_integer(number))
		(void)snprintf(text, sizeof(text), "%.20s %" JSON_INTEGER_FORMAT, reason,
			       json_integer_value(number));
	else
		(void)snprintf(text, sizeof(text), "%.40s", reason);
	print_column(text, 12);
}

/* The arguments with a space between them, as far as the line goes. */
static void print_command(const json_t *argv)
{
	struct buf text = BUF_INIT(4096);
	for (size_t i = 0; i < json_array_size(argv) && text.len < 4 * MAX_COMMAND_COLUMNS; i++) {
		const json_t *arg = json_array_get(argv, i);
		if (i > 0)
			buf_append_char(&text, ' ');
		buf_append(&text, json_is_string(arg) ? json_string_value(arg) : "",
			   MIN(json_string_length(arg), (size_t)4 * MAX_COMMAND_COLUMNS));
	}
	view_print_text(buf_string(&text), text.len, MAX_COMMAND_COLUMNS);
	buf_fini(&text);
}

static void print_head_row(void)
{
	printf("%6s %-20s %-14s %-8s %-12s %9s %9s  %s\n", "SEQ", "STARTED", "ID", "LEVEL", "END",
	       "WALL", "MEMORY", "COMMAND");
}

static void print_row(const struct entry *entry)
{
	char wall[VIEW_TEXT_BYTES], memory[VIEW_TEXT_BYTES], started[64];
	const json_t *usage = json_object_get(entry->record, "usage");
	(void)snprintf(started, sizeof(started), "%.19sZ", string(entry->record, "started"));
	view_duration(integer(usage, "wall_ns"), wall);
	view_bytes(integer(usage, "memory_peak_bytes"), memory);
	printf("%6" PRIu64 " ", entry->line.seq);
	print_column(started, 20);
	print_column(string(entry->record, "id"), 14);
	print_column(string(entry->record, "level"), 8);
	print_end(json_object_get(entry->record, "end"));
	printf("%9s %9s  ", wall, memory);
	const json_t *argv = json_object_get(entry->record, "argv");
	/* Of a run whose monitor was killed only the policy is known. */
	print_command(argv ? argv
			   : json_object_get(json_object_get(entry->record, "policy"), "args"));
	(void)putchar('\n');
}

static int print_entries(const struct store *store, const struct filter *filter, bool is_json,
			 uint64_t n_skipped, struct error *err)
{
	CLEANUP(walk_fini) struct walk walk = { .reader.fd = -1 };
	struct entry entry;
	uint64_t n_passed = 0;
	int r = walk_init(&walk, store, err);
	if (r == 0 && !is_json)
		print_head_row();
	while (r >= 0 && (r = walk_next(&walk, &entry, err)) > 0) {
		bool is_shown = filter_has(filter, &entry) && n_passed++ >= n_skipped;
		if (is_shown && is_json)
			view_print_json(entry.bytes, entry.len);
		else if (is_shown)
			print_row(&entry);
		entry_fini(&entry);
	}
	if (r == 0 && walk.n_strange > 0)
		(void)fprintf(stderr,
			      "foso: %s: %" PRIu64 " of its lines are no records; "
			      "foso evidence verify names them\n",
			      store->path, walk.n_strange);
	return r;
}

static int check_reason(const char *reason, struct error *err)
{
	char accepted[200] = "";
	for (int i = 0; reason && i < END_N_REASONS; i++) {
		const char *word = end_reason_word((enum end_reason)i);
		size_t used = strlen(accepted);
		if (strcmp(reason, word) == 0)
			return 0;
		(void)snprintf(accepted + used, sizeof(accepted) - used, "%s%s", used ? " " : "",
			       word);
	}
	if (!reason)
		return 0;
	int r = error_set(err, ERR_INVALID, 0, "--reason", "'%s' is no way in which a run can end",
			  reason);
	return error_remedy(err, r, "write one of: %s", accepted);
}

static int filter_parse(struct filter *ret, const struct args *args, struct error *err)
{
	struct timespec now;
	*ret = (struct filter){ .reason = args->reason, .n_newest = UINT64_MAX };
	int r = check_reason(args->reason, err);
	if (r == 0 && args->since) {
		clock_gettime(CLOCK_REALTIME, &now);
		r = when_parse(args->since,
			       (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec,
			       "--since", &ret->since_ns, err);
	}
	if (r == 0 && args->number && !text_parse_u64(args->number, &ret->n_newest)) {
		r = error_set(err, ERR_INVALID, 0, "--number", "'%s' is no number", args->number);
		return error_remedy(err, r, "write how many records, as --number 20");
	}
	return r;
}

int command_list(const struct args *args, struct error *err)
{
	CLEANUP(store_close) struct store store = { .log_fd = -1 };
	struct filter filter;
	uint64_t n = 0;
	view_terminal_init();
	int r = filter_parse(&filter, args, err);
	if (r == 0)
		r = store_open(&store, args->operands[0], err);
	if (r == 0)
		r = rights_drop(err);
	if (r == 0 && filter.n_newest != UINT64_MAX)
		r = count_entries(&store, &filter, &n, err);
	if (r < 0)
		return r;
	return print_entries(&store, &filter, args->is_json,
			     n > filter.n_newest ? n - filter.n_newest : 0, err);
}

static bool is_wanted(const struct entry *entry, const char *name, bool is_number, uint64_t seq)
{
	return (is_number && entry->line.seq == seq) ||
	       strcmp(string(entry->record, "id"), name) == 0;
}

static void show_entry(const struct entry *entry, bool is_json)
{
	if (is_json) {
		view_print_json(entry->bytes, entry->len);
		return;
	}
	bool is_whole = evidence_line_has_right_hash(&entry->line, entry->bytes);
	printf("%-28s %" PRIu64 "\n", "seq", entry->line.seq);
	printf("%-28s %s\n", "prev", entry->line.prev);
	printf("%-28s %s%s\n", "hash", entry->line.hash, is_whole ? "" : " (not of these bytes)");
	if (entry->line.signature)
		printf("%-28s %.64s\n", "key", entry->line.key);
	view_print_record(entry->record);
}

int command_show(const struct args *args, struct error *err)
{
	CLEANUP(store_close) struct store store = { .log_fd = -1 };
	CLEANUP(walk_fini) struct walk walk = { .reader.fd = -1 };
	struct entry entry;
	const char *name = args->operands[0];
	uint64_t seq = 0;
	bool is_number = text_parse_u64(name, &seq);
	view_terminal_init();
	int r = store_open(&store, args->operands[1], err);
	if (r == 0)
		r = rights_drop(err);
	if (r == 0)
		r = walk_init(&walk, &store, err);
	while (r >= 0 && (r = walk_next(&walk, &entry, err)) > 0) {
		if (is_wanted(&entry, name, is_number, seq)) {
			show_entry(&entry, args->is_json);
			entry_fini(&entry);
			return 0;
		}
		entry_fini(&entry);
	}
	if (r < 0)
		return r;
	r = error_set(err, ERR_NOT_FOUND, 0, name, "no record has this number or id");
	return error_remedy(err, r, "foso evidence list shows those of this log");
}
