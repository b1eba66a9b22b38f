/* SPDX-License-Identifier: Apache-2.0 */
/* show_json.c - a set for programs: foso-diff(1) describes the fields */
#include <string.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "format/json.h"
#include "workspacetool/exec.h"
#include "workspacetool/show.h"
#include "workspacetool/tree.h"

#define MAX_PIECE_BYTES (1u << 20)

/* Names that are no UTF-8 are given in hexadecimal as well, as the escaped form is for reading. */
static void put_name(struct json *json, const char *key, const char *bytes, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	char hex_key[32];
	json_bytes(json, key, bytes, len);
	if (text_is_utf8(bytes, len))
		return;
	auto_buf struct buf hex = BUF_INIT(2 * (SET_MAX_PATH_BYTES + 256));
	for (size_t i = 0; i < len; i++) {
		buf_append_char(&hex, digits[(unsigned char)bytes[i] >> 4]);
		buf_append_char(&hex, digits[(unsigned char)bytes[i] & 15]);
	}
	(void)snprintf(hex_key, sizeof(hex_key), "%s_hex", key);
	json_string(json, hex_key, buf_string(&hex));
}

static void put_node(struct json *json, const char *key, const struct node *node)
{
	char mode[8];
	(void)snprintf(mode, sizeof(mode), "%04o", node->mode);
	json_object_open(json, key);
	json_string(json, "type", node_type_word((enum node_type)node->type));
	json_string(json, "mode", mode);
	if (node->type == NODE_FILE) {
		json_u64(json, "size", node->size_bytes);
		json_bool(json, "sparse", node->is_sparse);
		json_u64(json, "links", node->n_links);
	}
	json_object_close(json);
}

static void put_target(struct json *json, const struct show *show, const struct entry *entry)
{
	char target[PATH_MAX];
	const char *name;
	auto_fd int fd = tree_open_parent(show->workspace->sides.upper_fd, entry->path, &name);
	ssize_t n = fd < 0 ? -1 : tree_read_link(fd, name, target, sizeof(target));
	if (n >= 0)
		put_name(json, "target", target, (size_t)n);
}

static void put_entry(struct json *json, const struct show *show, size_t index)
{
	const struct entry *entry = &show->set->entries[index];
	const char *note = workspace_note_find(show->notes, index);
	json_object_open(json, NULL);
	put_name(json, "path", entry->path, entry->path_len);
	json_string(json, "change", show_change_word(entry));
	if (entry->renamed_from < show->set->n_entries) {
		const struct entry *from = &show->set->entries[entry->renamed_from];
		put_name(json, "from", from->path, from->path_len);
	}
	if (entry->host.type != NODE_ABSENT)
		put_node(json, "before", &entry->host);
	if (entry->change != CHANGE_DELETED)
		put_node(json, "after", &entry->upper);
	if (entry->upper.type == NODE_LINK)
		put_target(json, show, entry);
	if (entry->flags & ENTRY_EXECUTES) {
		json_object_open(json, "executes");
		json_string(json, "pattern", exec_reason_pattern(entry->reason));
		json_string(json, "reason", exec_reason_words(entry->reason));
		if (note)
			json_bytes(json, "detail", note, strlen(note));
		json_object_close(json);
	}
	if (show_why_not(entry))
		json_string(json, "never_committed", show_why_not(entry));
	if (entry->flags & ENTRY_PRIVILEGE)
		json_bool(json, "has_privilege", true);
	if (entry->change != CHANGE_DELETED && entry->flags & ENTRY_ATTRIBUTES)
		json_bool(json, "has_attributes", true);
	if (entry->flags & ENTRY_CONFLICT)
		json_bool(json, "conflict", true);
	json_object_close(json);
}

static int flush(struct buf *out, struct error *err)
{
	if (!buf_is_whole(out))
		return error_set(err, ERR_INTERNAL, 0, "--json", "an entry is too large");
	(void)fwrite(out->data, 1, out->len, stdout);
	buf_clear(out);
	return 0;
}

int show_json(struct show *show, struct error *err)
{
	const struct changes_record *record = &show->workspace->changes.record;
	auto_buf struct buf out = BUF_INIT(MAX_PIECE_BYTES);
	struct json json;
	int r = 0;
	json_init(&json, &out);
	json_object_open(&json, NULL);
	json_u64(&json, "version", 1);
	json_string(&json, "id", record->id);
	json_bytes(&json, "workspace", record->path, strlen(record->path));
	json_bool(&json, "was_lost", record->was_lost);
	json_array_open(&json, "entries");
	for (size_t i = 0; r == 0 && i < show->set->n_entries; i++) {
		if (!show_is_shown(show, i))
			continue;
		put_entry(&json, show, i);
		r = flush(&out, err);
	}
	if (r < 0)
		return r;
	json_array_close(&json);
	json_object_close(&json);
	buf_append_char(&out, '\n');
	return flush(&out, err);
}
