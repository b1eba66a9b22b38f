/* SPDX-License-Identifier: Apache-2.0 */
/* list.c - foso diff --list: the runs whose changes wait */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/cleanup.h"
#include "workspacetool/commands.h"
#include "workspacetool/show.h"

struct list {
	struct changes_entry *entries;
	size_t n_entries;
};

static void list_fini(struct list *list)
{
	free(list->entries);
}

static int take(const struct changes_entry *entry, void *context)
{
	struct list *list = context;
	if (entry->is_whole && entry->record.kind != CHANGES_WORKSPACE)
		return 0;
	struct changes_entry *more =
		reallocarray(list->entries, list->n_entries + 1, sizeof(*more));
	if (!more)
		return 0;
	list->entries = more;
	list->entries[list->n_entries++] = *entry;
	return 0;
}

static int by_start(const void *a, const void *b)
{
	const struct changes_entry *one = a, *other = b;
	uint64_t at = one->record.started_realtime_ns, then = other->record.started_realtime_ns;
	if (at != then)
		return at < then ? -1 : 1;
	return strcmp(one->id, other->id);
}

static const char *state_word(const struct changes_entry *entry)
{
	static const char *const words[CHANGES_N_STATES] = {
		[CHANGES_RUNNING] = "running",
		[CHANGES_STOPPED] = "waits",
		[CHANGES_COMMITTING] = "half-way",
		[CHANGES_COMMITTED] = "committed",
	};
	if (!entry->is_whole)
		return "unreadable";
	if (entry->record.state == CHANGES_RUNNING && !entry->is_used)
		return "lost";
	return words[entry->record.state];
}

static void print(const struct changes_entry *entry)
{
	struct tm started;
	char text[32] = "";
	time_t seconds = (time_t)(entry->record.started_realtime_ns / 1000000000u);
	if (gmtime_r(&seconds, &started))
		(void)strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &started);
	(void)printf("%-20s %-20s %-10s %8" PRIu64 "  ", entry->id, text, state_word(entry),
		     entry->record.n_changed);
	show_path(entry->record.path, strlen(entry->record.path));
	(void)putchar('\n');
}

int command_list(const struct args *args, struct error *err)
{
	CLEANUP(list_fini) struct list list = { 0 };
	auto_fd int store_fd = -1;
	UNUSED(args);
	int r = changes_store_open(&store_fd, err);
	if (r == 0)
		r = changes_list(store_fd, take, &list, err);
	if (r < 0)
		return r;
	if (list.n_entries > 1)
		qsort(list.entries, list.n_entries, sizeof(*list.entries), by_start);
	(void)printf("%-20s %-20s %-10s %8s  %s\n", "ID", "STARTED", "STATE", "CHANGED", "FOLDER");
	for (size_t i = 0; i < list.n_entries; i++)
		print(&list.entries[i]);
	return 0;
}
