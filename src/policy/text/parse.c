/* SPDX-License-Identifier: Apache-2.0 */
/*
 * parse.c - the events of libyaml, turned into calls of policy_set()
 *
 * A stack of frames, one a mapping or sequence, says where in the document we are.  What hangs
 * below a refused key is walked over and not read, so that one mistake gives one message.
 */
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/cleanup.h"
#include "base/text.h"
#include "policy/text/walk.h"
#include "policy/value.h"

static unsigned line_of(const yaml_event_t *event)
{
	return (unsigned)event->start_mark.line + 1;
}

/* Anchors and tags.  True if the node has one, and then it is not read. */
static bool is_refused(struct walk *walk, const yaml_char_t *anchor, const yaml_char_t *tag,
		       unsigned line)
{
	char subject[64];
	if (anchor) {
		(void)snprintf(subject, sizeof(subject), "anchor '&%.40s'", (const char *)anchor);
		walk_refuse(walk, line, subject, "a policy has no anchors",
			    "write the value where it is needed");
	}
	if (tag) {
		(void)snprintf(subject, sizeof(subject), "tag '%.40s'", (const char *)tag);
		walk_refuse(walk, line, subject, "a policy has no tags",
			    "remove it: the field decides how its value is read");
	}
	return anchor || tag;
}

/* True if @place was given before; says so. */
static bool is_double(struct walk *walk, const struct place *place, unsigned line)
{
	char message[64];
	unsigned earlier = policy_text_line_find(walk->text, place->path);
	if (earlier == 0)
		return false;
	(void)snprintf(message, sizeof(message), "is given twice, in lines %u and %u", earlier,
		       line);
	walk_refuse(walk, line, place->path, message, "remove one of them");
	return true;
}

/* The place of the value behind @key: skipped, unless the key is one of the table. */
static void read_key(struct walk *walk, struct frame *frame, const char *key, unsigned line)
{
	struct place *next = &frame->next;
	struct node node;
	const char *link = frame->place.path[0] ? "." : "";
	(void)snprintf(next->path, sizeof(next->path), "%.60s%s%s", frame->place.path, link, key);
	(void)snprintf(next->name, sizeof(next->name), "%.60s%s%s", frame->place.name, link, key);
	if (is_double(walk, next, line))
		return;
	if (!policy_text_line_add(walk->text, next->path, line)) {
		walk_run_out_of_memory(walk);
		return;
	}
	node_find(&node, next->path);
	if (!node.is_env_value && strpbrk(key, ".[]"))
		walk_refuse(walk, line, next->path, "is written as one key",
			    "write the group as a key, and its field below it");
	else if (!node.is_env_value && !node.field && !node.is_mapping)
		walk_set(walk, next, "", line); /* Refuses, and names the nearest field. */
	else
		next->is_skipped = false;
}

static void on_key(struct walk *walk, const yaml_event_t *event)
{
	struct frame *frame = walk_top(walk);
	const char *key = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;
	unsigned line = line_of(event);
	bool is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	if (is_plain && strcmp(key, "<<") == 0)
		walk_refuse(walk, line, "merge key '<<'", "a policy has no merge keys",
			    "write the fields where they are needed");
	else if (frame->place.is_skipped)
		return;
	else if (len == 0)
		walk_refuse(walk, line, "a key", "is empty", "write the name of a field");
	else if (memchr(key, '\0', len))
		walk_refuse(walk, line, "a key", "holds a NUL byte", "write the name of a field");
	else if (len > POLICY_TEXT_MAX_KEY_BYTES)
		walk_refuse(walk, line, "a key", "is longer than 256 bytes",
			    "write the name of a field");
	else
		read_key(walk, frame, key, line);
}

static void on_value(struct walk *walk, const struct place *place, const yaml_event_t *event)
{
	const char *value = (const char *)event->data.scalar.value;
	size_t len = event->data.scalar.length;
	bool is_plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
	unsigned line = line_of(event);
	struct node node;
	node_find(&node, place->path);
	if (place->path[0] == '\0')
		walk_refuse(walk, line, "the document", "is not a mapping of fields",
			    "write FIELD: VALUE on each line");
	else if (len == 0 && is_plain)
		walk_refuse_kind(walk, place, "has no value", line);
	else if (memchr(value, '\0', len))
		walk_refuse_kind(walk, place, "holds a NUL byte", line);
	else if (node.is_list)
		walk_refuse_kind(walk, place, "is a list, not one value", line);
	else if (!node.is_env_value && (!node.field || node.field->type == POLICY_TYPE_ENV))
		walk_refuse_kind(walk, place, "is a mapping, not one value", line);
	else
		walk_set(walk, place, value, line);
}

static void on_scalar(struct walk *walk, const yaml_event_t *event)
{
	unsigned line = line_of(event);
	bool is_bad = is_refused(walk, event->data.scalar.anchor, event->data.scalar.tag, line);
	if (walk_is_key_due(walk)) {
		walk_top(walk)->next.is_skipped = true;
		if (!is_bad)
			on_key(walk, event);
	} else {
		struct place place = walk_take_place(walk, line);
		if (!is_bad && !place.is_skipped)
			on_value(walk, &place, event);
	}
	walk_finish_node(walk);
}

static void on_alias(struct walk *walk, const yaml_event_t *event)
{
	char subject[64];
	unsigned line = line_of(event);
	(void)snprintf(subject, sizeof(subject), "alias '*%.40s'",
		       (const char *)event->data.alias.anchor);
	walk_refuse(walk, line, subject, "a policy has no aliases",
		    "write the value where it is needed");
	if (walk_is_key_due(walk))
		walk_top(walk)->next.is_skipped = true;
	else
		(void)walk_take_place(walk, line);
	walk_finish_node(walk);
}

/* Whether a mapping or sequence may stand at @place; says why if not. */
static bool can_open(struct walk *walk, const struct place *place, bool is_mapping, unsigned line)
{
	struct node node;
	if (place->path[0] == '\0') {
		if (!is_mapping)
			walk_refuse(walk, line, "the document", "is not a mapping of fields",
				    "write FIELD: VALUE on each line");
		return is_mapping;
	}
	node_find(&node, place->path);
	if (is_mapping ? node.is_mapping : node.is_list)
		return true;
	walk_refuse_kind(walk, place,
			 is_mapping ? "does not take names and values" : "does not take a list",
			 line);
	return false;
}

static void on_open(struct walk *walk, const yaml_event_t *event, bool is_mapping)
{
	unsigned line = line_of(event);
	const yaml_char_t *anchor =
		is_mapping ? event->data.mapping_start.anchor : event->data.sequence_start.anchor;
	const yaml_char_t *tag =
		is_mapping ? event->data.mapping_start.tag : event->data.sequence_start.tag;
	bool is_bad = is_refused(walk, anchor, tag, line);
	if (walk->depth == POLICY_TEXT_MAX_DEPTH) {
		walk_refuse(walk, line, "the document", "is nested deeper than 8 levels",
			    "no field lies that deep; check the brackets and the indentation");
		walk->is_over = true;
		return;
	}
	struct place place = { .is_skipped = true };
	if (walk_is_key_due(walk)) {
		walk_refuse(walk, line, "a key", "is not one word", "write the name of a field");
		walk_top(walk)->next.is_skipped = true;
	} else {
		place = walk_take_place(walk, line);
	}
	if (!place.is_skipped)
		place.is_skipped = is_bad || !can_open(walk, &place, is_mapping, line);
	if (!place.is_skipped && is_mapping && strcmp(place.path, "network") == 0)
		walk->policy->network.is_present = true;
	walk->frames[walk->depth++] = (struct frame){
		.place = place,
		.is_mapping = is_mapping,
		.is_key_due = is_mapping,
	};
}

static void on_document(struct walk *walk, const yaml_event_t *event)
{
	unsigned line = line_of(event);
	if (walk->has_document) {
		walk_refuse(walk, line, "the document", "is followed by another one",
			    "keep one policy in a file");
		walk->is_over = true;
	}
	walk->has_document = true;
	if (event->data.document_start.tag_directives.start !=
	    event->data.document_start.tag_directives.end)
		walk_refuse(walk, line, "%TAG", "a policy has no tags", "remove the directive");
}

static void on_event(struct walk *walk, const yaml_event_t *event)
{
	switch (event->type) {
	case YAML_DOCUMENT_START_EVENT:
		on_document(walk, event);
		break;
	case YAML_SCALAR_EVENT:
		on_scalar(walk, event);
		break;
	case YAML_ALIAS_EVENT:
		on_alias(walk, event);
		break;
	case YAML_MAPPING_START_EVENT:
	case YAML_SEQUENCE_START_EVENT:
		on_open(walk, event, event->type == YAML_MAPPING_START_EVENT);
		break;
	case YAML_MAPPING_END_EVENT:
	case YAML_SEQUENCE_END_EVENT:
		walk->depth--;
		walk_finish_node(walk);
		break;
	case YAML_STREAM_END_EVENT:
		walk->is_over = true;
		break;
	case YAML_NO_EVENT:
	case YAML_STREAM_START_EVENT:
	case YAML_DOCUMENT_END_EVENT:
		break;
	}
}

static void refuse_syntax(struct walk *walk, const yaml_parser_t *parser)
{
	char message[200];
	if (parser->error == YAML_MEMORY_ERROR) {
		walk_run_out_of_memory(walk);
		return;
	}
	bool is_reader = parser->error == YAML_READER_ERROR; /* It knows no line. */
	(void)snprintf(message, sizeof(message), "is not YAML: %.120s%s%.60s",
		       parser->problem ? parser->problem : "the reader gave up",
		       parser->context ? " " : "", parser->context ? parser->context : "");
	walk_refuse(walk, is_reader ? 0 : (unsigned)parser->problem_mark.line + 1, "the document",
		    message, "check the indentation, the quotes and the brackets there");
}

static void walk_events(struct walk *walk, const char *bytes, size_t len)
{
	yaml_parser_t parser;
	auto_buf struct buf text = BUF_INIT(POLICY_MAX_TEXT_BYTES + 1);
	policy_text_join_pairs(bytes, len, &text);
	if (!buf_is_whole(&text) || !yaml_parser_initialize(&parser)) {
		walk_run_out_of_memory(walk);
		return;
	}
	yaml_parser_set_encoding(&parser, YAML_UTF8_ENCODING);
	yaml_parser_set_input_string(&parser, (const unsigned char *)buf_string(&text), text.len);
	while (!walk->is_over) {
		yaml_event_t event;
		if (!yaml_parser_parse(&parser, &event)) {
			refuse_syntax(walk, &parser);
			break;
		}
		on_event(walk, &event);
		yaml_event_delete(&event);
	}
	yaml_parser_delete(&parser);
}

/* True if the bytes are UTF-8; else names the first that is not. */
static bool check_utf8(struct walk *walk, const char *bytes, size_t len)
{
	unsigned line = 1;
	for (size_t i = 0; i < len;) {
		size_t n = text_utf8_next(bytes + i, len - i);
		if (n == 0) {
			char message[64];
			(void)snprintf(message, sizeof(message),
				       "is not UTF-8 at byte %zu (0x%02x)", i,
				       (unsigned char)bytes[i]);
			walk_refuse(walk, line, "the document", message, "save it as UTF-8");
			return false;
		}
		line += bytes[i] == '\n';
		i += n;
	}
	return true;
}

int policy_text_parse(struct policy_text *text, const char *bytes, size_t len,
		      struct policy *policy, struct error_list *errors)
{
	size_t n_before = errors->n_errors;
	auto_free struct walk *walk = calloc(1, sizeof(*walk));
	if (!walk)
		return policy_no_memory(text->name, error_list_next(errors));
	walk->text = text;
	walk->policy = policy;
	walk->errors = errors;
	if (len > POLICY_MAX_TEXT_BYTES)
		walk_refuse(walk, 0, "the document", "is larger than 1 MiB",
			    "a policy is short; was another file meant?");
	else if (check_utf8(walk, bytes, len))
		walk_events(walk, bytes, len);
	if (errors->n_errors == n_before && !walk->has_document)
		walk_refuse(walk, 0, "the document", "is empty",
			    "write at least {}, which is all defaults");
	return errors->n_errors == n_before ? 0 : -(int)errors->items[n_before].code;
}
