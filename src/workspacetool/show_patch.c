/* SPDX-License-Identifier: Apache-2.0 */
/* show_patch.c - line counts and patches, in the form that git and patch(1) apply */
#include <inttypes.h>
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "workspacetool/show.h"
#include "workspacetool/tree.h"

#define LINK_MODE 0120000
#define FILE_MODE 0100000

/* As git quotes: in double quotes with octal escapes if anything needs it. */
static void print_name(const char *prefix, const struct entry *entry)
{
	bool is_plain = true;
	for (uint32_t i = 0; i < entry->path_len; i++) {
		unsigned char byte = (unsigned char)entry->path[i];
		is_plain = is_plain && byte >= 0x20 && byte < 0x7f && byte != '"' && byte != '\\';
	}
	if (is_plain) {
		(void)printf("%s%s", prefix, entry->path);
		return;
	}
	(void)printf("\"%s", prefix);
	for (uint32_t i = 0; i < entry->path_len; i++) {
		unsigned char byte = (unsigned char)entry->path[i];
		if (byte == '"' || byte == '\\')
			(void)printf("\\%c", byte);
		else if (byte < 0x20 || byte >= 0x7f)
			(void)printf("\\%03o", byte);
		else
			(void)putchar(byte);
	}
	(void)putchar('"');
}

/* A line of content to a terminal: what drives it is escaped, tabs stay. */
static void print_safely(const char *bytes, size_t len)
{
	while (len > 0) {
		size_t n = 0;
		while (n < len && n < 1024 && bytes[n] != '\n' && bytes[n] != '\t')
			n++;
		show_path(bytes, n);
		if (n < len && n < 1024)
			(void)putchar(bytes[n++]);
		bytes += n;
		len -= n;
	}
}

static void print_content(const struct show *show, const struct buf *text)
{
	if (text->len == 0)
		return;
	if (show->is_terminal)
		print_safely(text->data, text->len);
	else
		(void)fwrite(text->data, 1, text->len, stdout);
}

static unsigned git_mode(const struct node *node)
{
	if (node->type == NODE_LINK)
		return LINK_MODE;
	return FILE_MODE | (node->mode & 0100 ? 0755 : 0644);
}

static bool is_content(const struct node *node)
{
	return node->type == NODE_FILE || node->type == NODE_LINK;
}

static void print_head(const struct show *show, const struct entry *entry)
{
	bool is_renamed = entry->renamed_from < show->set->n_entries;
	const struct entry *from = is_renamed ? &show->set->entries[entry->renamed_from] : entry;
	bool was = is_content(&from->host), is = is_content(&entry->upper);
	(void)printf("diff --git ");
	print_name("a/", from);
	(void)printf(" ");
	print_name("b/", entry);
	(void)putchar('\n');
	if (is_renamed) {
		if (git_mode(&from->host) != git_mode(&entry->upper))
			(void)printf("old mode %06o\nnew mode %06o\n", git_mode(&from->host),
				     git_mode(&entry->upper));
		(void)printf("similarity index 100%%\nrename from ");
		print_name("", from);
		(void)printf("\nrename to ");
		print_name("", entry);
		(void)putchar('\n');
	} else if (was && !is) {
		(void)printf("deleted file mode %06o\n", git_mode(&entry->host));
	} else if (!was && is) {
		(void)printf("new file mode %06o\n", git_mode(&entry->upper));
	} else if (git_mode(&entry->host) != git_mode(&entry->upper)) {
		(void)printf("old mode %06o\nnew mode %06o\n", git_mode(&entry->host),
			     git_mode(&entry->upper));
	}
}

static void print_names(const struct entry *entry)
{
	(void)printf("--- ");
	if (is_content(&entry->host))
		print_name("a/", entry);
	else
		(void)printf("/dev/null");
	(void)printf("\n+++ ");
	if (is_content(&entry->upper))
		print_name("b/", entry);
	else
		(void)printf("/dev/null");
	(void)putchar('\n');
}

/* The target of a link is its content, as git has it. */
static void print_link(const struct show *show, const struct entry *entry, bool is_upper)
{
	char target[PATH_MAX];
	const char *name;
	int top_fd = is_upper ? show->workspace->sides.upper_fd : show->workspace->sides.host_fd;
	auto_fd int fd = tree_open_parent(top_fd, entry->path, &name);
	ssize_t n = fd < 0 ? -1 : tree_read_link(fd, name, target, sizeof(target));
	if (n < 0)
		return;
	(void)putchar(is_upper ? '+' : '-');
	print_safely(target, (size_t)n);
	(void)printf("\n\\ No newline at end of file\n");
}

static void print_links(const struct show *show, const struct entry *entry)
{
	bool was = entry->host.type == NODE_LINK, is = entry->upper.type == NODE_LINK;
	print_names(entry);
	(void)printf("@@ -%s +%s @@\n", was ? "1" : "0,0", is ? "1" : "0,0");
	if (was)
		print_link(show, entry, false);
	if (is)
		print_link(show, entry, true);
}

static int print_file(struct show *show, size_t index, struct error *err)
{
	const struct entry *entry = &show->set->entries[index];
	struct content_answer answer;
	auto_fd int old_fd = -1, new_fd = -1;
	auto_buf struct buf text = BUF_INIT(CONTENT_MAX_ANSWER_BYTES);
	show_open(show, index, &old_fd, &new_fd);
	int r = content_ask(&show->workspace->content, CONTENT_PATCH, old_fd, new_fd, &answer,
			    &text, err);
	if (r < 0)
		return r;
	if (answer.status == CONTENT_TEXT && text.len == 0)
		return 0; /* Created or deleted empty. */
	if (answer.status == CONTENT_TEXT) {
		print_names(entry);
		print_content(show, &text);
		return 0;
	}
	(void)printf("%s ", answer.status == CONTENT_BINARY ? "Binary files" : "Files");
	if (is_content(&entry->host))
		print_name("a/", entry);
	else
		(void)printf("/dev/null");
	(void)printf(" and ");
	if (is_content(&entry->upper))
		print_name("b/", entry);
	else
		(void)printf("/dev/null");
	(void)printf(" differ%s\n", answer.status == CONTENT_BINARY  ? ""
				    : answer.status == CONTENT_LARGE ? " (too large to show)"
								     : " (cannot be shown)");
	return 0;
}

int show_patch(struct show *show, struct error *err)
{
	int r = 0;
	for (size_t i = 0; r == 0 && i < show->set->n_entries; i++) {
		const struct entry *entry = &show->set->entries[i];
		if (!show_is_shown(show, i) ||
		    (!is_content(&entry->host) && !is_content(&entry->upper)))
			continue;
		bool is_mode = entry->change == CHANGE_MODE;
		/* git knows one bit of the mode: without it there is nothing to say. */
		if (is_mode && git_mode(&entry->host) == git_mode(&entry->upper))
			continue;
		print_head(show, entry);
		if (is_mode || entry->renamed_from != SET_NO_ENTRY)
			continue;
		if (entry->host.type == NODE_LINK || entry->upper.type == NODE_LINK)
			print_links(show, entry);
		else
			r = print_file(show, i, err);
	}
	return r;
}

static int stat_entry(struct show *show, size_t index, uint64_t totals[2], struct error *err)
{
	const struct entry *entry = &show->set->entries[index];
	struct content_answer answer = { .status = CONTENT_TEXT };
	auto_fd int old_fd = -1, new_fd = -1;
	auto_buf struct buf text = BUF_INIT(CONTENT_MAX_ANSWER_BYTES);
	bool is_counted = entry->change != CHANGE_MODE && entry->renamed_from == SET_NO_ENTRY;
	int r = 0;
	if (is_counted)
		show_open(show, index, &old_fd, &new_fd);
	if (old_fd >= 0 || new_fd >= 0)
		r = content_ask(&show->workspace->content, CONTENT_PATCH, old_fd, new_fd, &answer,
				&text, err);
	if (r < 0)
		return r;
	if (answer.status == CONTENT_TEXT)
		(void)printf(" %6" PRIu64 "+ %6" PRIu64 "-", answer.n_added, answer.n_removed);
	else
		(void)printf(" %16s", answer.status == CONTENT_BINARY ? "binary" : "large");
	(void)printf("  %-8s ", show_change_word(entry));
	show_path(entry->path, entry->path_len);
	(void)putchar('\n');
	totals[0] += answer.n_added;
	totals[1] += answer.n_removed;
	return 0;
}

int show_stat(struct show *show, struct error *err)
{
	uint64_t totals[2] = { 0, 0 };
	size_t n = 0;
	int r = 0;
	for (size_t i = 0; r == 0 && i < show->set->n_entries; i++) {
		if (!show_is_shown(show, i))
			continue;
		r = stat_entry(show, i, totals, err);
		n++;
	}
	if (r == 0)
		(void)printf(" %zu path%s, %" PRIu64 " line%s added, %" PRIu64 " removed\n", n,
			     n == 1 ? "" : "s", totals[0], totals[0] == 1 ? "" : "s", totals[1]);
	return r;
}
