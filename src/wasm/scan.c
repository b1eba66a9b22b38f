/* SPDX-License-Identifier: Apache-2.0 */
/*
 * scan.c - sections, counts and sizes of a module
 *
 * Source: WebAssembly core specification, chapter 5 "Binary Format".
 */
#include "wasm/scan.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/macros.h"

enum {
	SECTION_CUSTOM = 0,
	SECTION_IMPORT = 2,
	SECTION_FUNCTION = 3,
	SECTION_TABLE = 4,
	SECTION_MEMORY = 5,
	SECTION_GLOBAL = 6,
	SECTION_CODE = 10,
	N_SECTIONS = 14
};

static const char *const section_names[N_SECTIONS] = {
	"custom", "type",  "import",  "function", "table", "memory",     "global",
	"export", "start", "element", "code",     "data",  "data count", "tag",
};

#define MORE_THAN_ENOUGH "split it, or build it without inlining (-Oz)"

/* Bytes from @at to @end; @base is where the module begins, for offsets in words. */
struct cursor {
	const uint8_t *base, *at, *end;
	struct wasm_failed *failed;
};

static int printf_like(3, 4)
	fail(struct wasm_failed *failed, const char *remedy, const char *format, ...)
{
	va_list args;
	va_start(args, format);
	(void)vsnprintf(failed->message, sizeof(failed->message), format, args);
	va_end(args);
	(void)snprintf(failed->subject, sizeof(failed->subject), "module");
	(void)snprintf(failed->remedy, sizeof(failed->remedy), "%s", remedy);
	return -1;
}

static int fail_cut(const struct cursor *cursor, const char *what)
{
	return fail(cursor->failed, "name a whole WebAssembly module",
		    "ends in the middle of its %s section, at byte %zu", what,
		    (size_t)(cursor->end - cursor->base));
}

/* An unsigned LEB128 of at most 32 bits (64 in limits of memory64, which is refused later). */
static bool get_number(struct cursor *cursor, uint64_t *ret)
{
	uint64_t value = 0;
	for (unsigned shift = 0; shift < 70 && cursor->at < cursor->end; shift += 7) {
		uint8_t byte = *cursor->at++;
		if (shift < 64)
			value |= (uint64_t)(byte & 0x7f) << shift;
		if (!(byte & 0x80)) {
			*ret = value;
			return true;
		}
	}
	return false;
}

static bool skip(struct cursor *cursor, uint64_t n_bytes)
{
	if (n_bytes > (uint64_t)(cursor->end - cursor->at))
		return false;
	cursor->at += n_bytes;
	return true;
}

static bool get_limits(struct cursor *cursor, uint64_t *ret_least)
{
	uint64_t most;
	if (cursor->at == cursor->end)
		return false;
	uint8_t flags = *cursor->at++;
	return get_number(cursor, ret_least) && (!(flags & 1) || get_number(cursor, &most));
}

static int scan_count(struct cursor *cursor, const char *what, uint64_t max, uint64_t *ret)
{
	if (!get_number(cursor, ret))
		return fail_cut(cursor, what);
	if (*ret > max)
		return fail(cursor->failed, MORE_THAN_ENOUGH,
			    "has %" PRIu64 " %ss, more than %" PRIu64, *ret, what, max);
	return 0;
}

static int scan_memories(struct cursor *cursor, struct scan *scan)
{
	if (!get_number(cursor, &scan->n_memories))
		return fail_cut(cursor, "memory");
	if (scan->n_memories > 1)
		return fail(cursor->failed, "build it with one memory",
			    "has %" PRIu64 " memories, more than 1", scan->n_memories);
	if (scan->n_memories == 1 && !get_limits(cursor, &scan->memory_pages))
		return fail_cut(cursor, "memory");
	return 0;
}

/* Entries are counted where their plain form is used; the library's limiter bounds all. */
static int scan_tables(struct cursor *cursor, struct scan *scan)
{
	if (!get_number(cursor, &scan->n_tables))
		return fail_cut(cursor, "table");
	for (uint64_t i = 0; i < scan->n_tables; i++) {
		uint64_t least;
		if (cursor->at == cursor->end)
			return fail_cut(cursor, "table");
		if (*cursor->at++ == 0x40) /* With an initial value: the rest is not plain. */
			return 0;
		if (!get_limits(cursor, &least))
			return fail_cut(cursor, "table");
		scan->table_entries += MIN(least, (uint64_t)UINT32_MAX);
	}
	return 0;
}

static int scan_body(struct cursor *cursor, uint64_t number, uint64_t *n_all_locals)
{
	uint64_t n_bytes, n_groups, n_of_type, n_locals = 0;
	if (!get_number(cursor, &n_bytes) || n_bytes > (uint64_t)(cursor->end - cursor->at))
		return fail_cut(cursor, "code");
	if (n_bytes > SCAN_MAX_BODY_BYTES)
		return fail(cursor->failed, MORE_THAN_ENOUGH,
			    "has a function, the %" PRIu64 ". with a body, of %" PRIu64
			    " bytes, more than %u",
			    number + 1, n_bytes, SCAN_MAX_BODY_BYTES);
	struct cursor body = *cursor;
	body.end = cursor->at + n_bytes;
	cursor->at = body.end;
	if (!get_number(&body, &n_groups))
		return fail_cut(&body, "code");
	for (uint64_t i = 0; i < n_groups; i++) {
		if (!get_number(&body, &n_of_type) || !skip(&body, 1))
			return fail_cut(&body, "code");
		n_locals += MIN(n_of_type, (uint64_t)UINT32_MAX);
		if (n_locals > SCAN_MAX_LOCALS)
			return fail(cursor->failed, MORE_THAN_ENOUGH,
				    "has a function, the %" PRIu64 ". with a body, of %" PRIu64
				    " local variables, more than %u",
				    number + 1, n_locals, SCAN_MAX_LOCALS);
	}
	*n_all_locals += n_locals;
	if (*n_all_locals > SCAN_MAX_BODIES_LOCALS)
		return fail(cursor->failed, MORE_THAN_ENOUGH,
			    "has more than %u local variables in all its functions",
			    SCAN_MAX_BODIES_LOCALS);
	return 0;
}

static int scan_code(struct cursor *cursor)
{
	uint64_t n_bodies = 0, n_locals = 0;
	int r = scan_count(cursor, "function", SCAN_MAX_FUNCTIONS, &n_bodies);
	for (uint64_t i = 0; r == 0 && i < n_bodies; i++)
		r = scan_body(cursor, i, &n_locals);
	return r;
}

static int scan_section(struct cursor *cursor, uint8_t id, struct scan *scan)
{
	uint64_t n_imports;
	switch (id) {
	case SECTION_IMPORT:
		return scan_count(cursor, "import", 1000, &n_imports);
	case SECTION_FUNCTION:
		return scan_count(cursor, "function", SCAN_MAX_FUNCTIONS, &scan->n_functions);
	case SECTION_TABLE:
		return scan_tables(cursor, scan);
	case SECTION_MEMORY:
		return scan_memories(cursor, scan);
	case SECTION_GLOBAL:
		return scan_count(cursor, "global", SCAN_MAX_GLOBALS, &scan->n_globals);
	case SECTION_CODE:
		return scan_code(cursor);
	default:
		return 0;
	}
}

static bool looks_like_text(const uint8_t *bytes, size_t len)
{
	size_t at = 0;
	while (at < len &&
	       (bytes[at] == ' ' || bytes[at] == '\n' || bytes[at] == '\r' || bytes[at] == '\t'))
		at++;
	return at < len && (bytes[at] == '(' || bytes[at] == ';');
}

static int scan_head(const uint8_t *bytes, size_t len, struct wasm_failed *failed)
{
	static const uint8_t magic[4] = { 0, 'a', 's', 'm' };
	static const uint8_t version[4] = { 1, 0, 0, 0 }, component[4] = { 13, 0, 1, 0 };
	if (len >= 4 && memcmp(bytes, magic, 4) != 0 && looks_like_text(bytes, len))
		return fail(failed, "assemble it (wat2wasm)",
			    "looks like WebAssembly text and not like a module");
	if (len < 8 || memcmp(bytes, magic, 4) != 0)
		return fail(failed, "name a WebAssembly module", "is no WebAssembly module");
	if (memcmp(bytes + 4, component, 4) == 0)
		return fail(failed, "build it for wasm32-wasip1, as a core module",
			    "is a component; this level runs core modules with WASI preview 1");
	if (memcmp(bytes + 4, version, 4) != 0)
		return fail(failed, "build it for version 1",
			    "has version %u of the binary format, which is not known", bytes[4]);
	return 0;
}

int scan_module(struct scan *ret, const uint8_t *bytes, size_t len, struct wasm_failed *failed)
{
	struct cursor cursor = { bytes, bytes + 8, bytes + len, failed };
	memset(ret, 0, sizeof(*ret));
	if (scan_head(bytes, len, failed) < 0)
		return -1;
	while (cursor.at < cursor.end) {
		uint64_t n_bytes;
		uint8_t id = *cursor.at++;
		if (id >= N_SECTIONS)
			return fail(failed, "name a WebAssembly module",
				    "has a section of kind %u, which is not known, at byte %zu", id,
				    (size_t)(cursor.at - 1 - bytes));
		if (!get_number(&cursor, &n_bytes))
			return fail_cut(&cursor, section_names[id]);
		struct cursor section = cursor;
		if (!skip(&cursor, n_bytes))
			return fail_cut(&cursor, section_names[id]);
		section.end = cursor.at;
		if (id != SECTION_CUSTOM && scan_section(&section, id, ret) < 0)
			return -1;
	}
	return 0;
}
