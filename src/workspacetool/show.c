/* SPDX-License-Identifier: Apache-2.0 */
/* show.c - a set for people */
#include "workspacetool/show.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "workspacetool/exec.h"
#include "workspacetool/tree.h"

int show_init(struct show *show, struct workspace *workspace, const struct set *set,
	      const struct workspace_notes *notes, struct error *err)
{
	*show = (struct show){ .workspace = workspace, .set = set, .notes = notes };
	show->is_terminal = isatty(STDOUT_FILENO) == 1;
	show->is_source = calloc(set->n_entries + 1, sizeof(*show->is_source));
	if (!show->is_source) {
		int r = error_set(err, ERR_SYSTEM, ENOMEM, "change set",
				  "does not fit into memory");
		return error_remedy(err, r, "free some memory");
	}
	for (size_t i = 0; i < set->n_entries; i++)
		if (set->entries[i].renamed_from < set->n_entries)
			show->is_source[set->entries[i].renamed_from] = true;
	return 0;
}

void show_fini(struct show *show)
{
	free(show->is_source);
	show->is_source = NULL;
}

void show_path(const char *path, size_t len)
{
	char text[4 * (SET_MAX_PATH_BYTES + 256) + 1];
	text_escape(path, len, text, sizeof(text));
	(void)fputs(text, stdout);
}

const char *show_change_word(const struct entry *entry)
{
	static const char *const words[CHANGE_N_KINDS] = {
		[CHANGE_NONE] = "same", [CHANGE_CREATED] = "created", [CHANGE_CHANGED] = "changed",
		[CHANGE_MODE] = "mode", [CHANGE_DELETED] = "deleted",
	};
	return entry->renamed_from != SET_NO_ENTRY ? "renamed" : words[entry->change];
}

const char *show_why_not(const struct entry *entry)
{
	if (entry->flags & ENTRY_HIDDEN)
		return "redacted: the sandbox did not see the host's";
	if (entry->flags & ENTRY_SPECIAL)
		return "no file, folder or link";
	if (entry->flags & ENTRY_TOO_LONG)
		return "its path is too long";
	if (entry->flags & ENTRY_MOUNT)
		return "another file system lies there";
	return NULL;
}

bool show_is_shown(const struct show *show, size_t index)
{
	const struct entry *entry = &show->set->entries[index];
	return entry->change != CHANGE_NONE && !show->is_source[index];
}

static void print_size(uint64_t bytes)
{
	static const char units[] = "KMGTPE";
	if (bytes < 1024) {
		(void)printf("%8" PRIu64 "B", bytes);
		return;
	}
	double value = (double)bytes;
	size_t unit = 0;
	for (value /= 1024; value >= 1024 && unit < 5; unit++)
		value /= 1024;
	(void)printf("%6.1f%ciB", value, units[unit]);
}

static void print_target(const struct show *show, const struct entry *entry)
{
	char target[PATH_MAX];
	const char *name;
	auto_fd int fd = tree_open_parent(show->workspace->sides.upper_fd, entry->path, &name);
	ssize_t n = fd < 0 ? -1 : tree_read_link(fd, name, target, sizeof(target));
	if (n < 0)
		return;
	(void)printf(" -> ");
	show_path(target, (size_t)n);
}

static void print_marks(const struct entry *entry)
{
	const struct node *upper = &entry->upper, *host = &entry->host;
	if (entry->change == CHANGE_CHANGED && upper->type != host->type)
		(void)printf(" [was a %s]", node_type_word((enum node_type)host->type));
	else if ((entry->change == CHANGE_CHANGED || entry->change == CHANGE_MODE) &&
		 upper->type != NODE_LINK && (upper->mode & 0777) != (host->mode & 0777))
		(void)printf(" [was %04o]", host->mode);
	if (entry->change != CHANGE_DELETED && upper->is_sparse)
		(void)printf(" [sparse]");
	if (entry->change != CHANGE_DELETED && upper->type == NODE_FILE && upper->n_links > 1)
		(void)printf(" [%u names]", upper->n_links);
	if (entry->change != CHANGE_DELETED && entry->flags & ENTRY_ATTRIBUTES)
		(void)printf(" [attributes]");
	if (entry->flags & ENTRY_PRIVILEGE)
		(void)printf(" [setuid, setgid or security attributes: not committed]");
	if (entry->flags & ENTRY_CONFLICT)
		(void)printf(" [conflict]");
}

static void print_entry(const struct show *show, size_t index)
{
	const struct entry *entry = &show->set->entries[index];
	const struct node *node = entry->change == CHANGE_DELETED ? &entry->host : &entry->upper;
	(void)printf("  %-8s %-6s %04o ", show_change_word(entry),
		     node_type_word((enum node_type)node->type), node->mode);
	if (node->type == NODE_FILE)
		print_size(node->size_bytes);
	else
		(void)printf("%9s", "-");
	(void)printf("  ");
	if (entry->renamed_from < show->set->n_entries) {
		const struct entry *from = &show->set->entries[entry->renamed_from];
		show_path(from->path, from->path_len);
		(void)printf(" -> ");
	}
	show_path(entry->path, entry->path_len);
	if (node->type == NODE_FOLDER)
		(void)putchar('/');
	if (node->type == NODE_LINK && entry->change != CHANGE_DELETED)
		print_target(show, entry);
	print_marks(entry);
	(void)putchar('\n');
}

/* Lines about a git config, each behind an indent. */
static void print_note(const struct show *show, size_t index)
{
	const char *text = workspace_note_find(show->notes, index);
	while (text && *text) {
		size_t len = strcspn(text, "\n");
		(void)printf("             ");
		show_path(text, MIN(len, (size_t)SET_MAX_PATH_BYTES));
		(void)putchar('\n');
		text += len + (text[len] == '\n');
	}
}

enum part { PART_PLAIN, PART_EXECUTES, PART_NEVER, N_PARTS };

static enum part part_of(const struct entry *entry)
{
	if (show_why_not(entry))
		return PART_NEVER;
	return entry->flags & ENTRY_EXECUTES ? PART_EXECUTES : PART_PLAIN;
}

static size_t print_part(const struct show *show, enum part part)
{
	static const char *const headings[N_PARTS] = {
		[PART_PLAIN] = "",
		[PART_EXECUTES] = "\nExecutes on the host, and stays out of a commit unless "
				  "--allow-exec-paths is given:\n",
		[PART_NEVER] = "\nNever committed:\n",
	};
	size_t n = 0;
	for (size_t i = 0; i < show->set->n_entries; i++) {
		const struct entry *entry = &show->set->entries[i];
		if (!show_is_shown(show, i) || part_of(entry) != part)
			continue;
		if (n++ == 0)
			(void)fputs(headings[part], stdout);
		print_entry(show, i);
		if (part == PART_EXECUTES)
			(void)printf("           %s\n", exec_reason_words(entry->reason));
		else if (part == PART_NEVER)
			(void)printf("           %s\n", show_why_not(entry));
		print_note(show, i);
	}
	return n;
}

void show_folder_attributes(const struct set *set)
{
	size_t n = 0;
	for (size_t i = 0; i < set->n_entries; i++) {
		const struct entry *entry = &set->entries[i];
		if (!(entry->flags & ENTRY_FOLDER_ATTRIBUTES))
			continue;
		if (n++ == 0)
			(void)printf(
				"Attributes of folders that the host has are not committed:\n");
		(void)printf("  ");
		show_path(entry->path, entry->path_len);
		(void)printf("/\n");
	}
}

static size_t count_conflicts(const struct set *set)
{
	size_t n = 0;
	for (size_t i = 0; i < set->n_entries; i++)
		n += set->entries[i].change != CHANGE_NONE &&
		     (set->entries[i].flags & ENTRY_CONFLICT) != 0;
	return n;
}

void show_list(struct show *show)
{
	const struct changes_record *record = &show->workspace->changes.record;
	(void)printf("changes of %s in ", record->id);
	show_path(record->path, strlen(record->path));
	(void)printf("%s\n", record->was_lost ? " (the sandbox was lost)" : "");
	size_t n_plain = print_part(show, PART_PLAIN);
	size_t n_executes = print_part(show, PART_EXECUTES);
	size_t n_never = print_part(show, PART_NEVER);
	size_t n_conflicts = count_conflicts(show->set);
	show_folder_attributes(show->set);
	(void)printf("%s%zu to commit", n_plain + n_executes + n_never ? "\n" : "", n_plain);
	if (n_executes > 0)
		(void)printf(", %zu held back", n_executes);
	if (n_never > 0)
		(void)printf(", %zu never committed", n_never);
	if (n_conflicts > 0)
		(void)printf("; %zu in conflict: changed on the host since the sandbox started",
			     n_conflicts);
	(void)putchar('\n');
}

static int open_side(int top_fd, const struct entry *entry, const struct node *node)
{
	const char *name;
	if (node->type != NODE_FILE)
		return -1;
	auto_fd int parent_fd = tree_open_parent(top_fd, entry->path, &name);
	return parent_fd < 0 ? -1 : tree_open_file(parent_fd, name);
}

void show_open(const struct show *show, size_t index, int *ret_old_fd, int *ret_new_fd)
{
	const struct entry *entry = &show->set->entries[index];
	const struct sides *sides = &show->workspace->sides;
	*ret_old_fd = open_side(sides->host_fd, entry, &entry->host);
	*ret_new_fd = open_side(sides->upper_fd, entry, &entry->upper);
}
