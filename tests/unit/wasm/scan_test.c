/* SPDX-License-Identifier: Apache-2.0 */
/* scan_test.c - modules by hand: what is counted, what is refused and in which words */
#include <string.h>

#include "support/tap.h"
#include "wasm/scan.h"

#define HEAD "\0asm\1\0\0\0"

static struct scan scan;
static struct wasm_failed failed;

static int look(const char *bytes, size_t len)
{
	memset(&failed, 0, sizeof(failed));
	return scan_module(&scan, (const uint8_t *)bytes, len, &failed);
}

#define LOOK(text) look(text, sizeof(text) - 1)
#define REFUSED(text, words)                      \
	do {                                      \
		EQ(LOOK(text), -1);               \
		STR_EQ(failed.subject, "module"); \
		STR_EQ(failed.message, words);    \
		OK(failed.remedy[0] != '\0');     \
	} while (0)

static void test_counts(void)
{
	EQ(LOOK(HEAD), 0);
	EQ(LOOK(HEAD "\3\2\1\0"
		     "\4\5\1\x70\1\5\6"
		     "\5\3\1\0\x11"
		     "\6\1\0"
		     "\xa\4\1\2\0\xb"),
	   0);
	EQ(scan.n_functions, 1);
	EQ(scan.n_tables, 1);
	EQ(scan.table_entries, 5);
	EQ(scan.n_memories, 1);
	EQ(scan.memory_pages, 0x11);
	/* A custom section is skipped whatever is in it. */
	EQ(LOOK(HEAD "\0\3\xff\xff\xff"), 0);
}

static void test_heads(void)
{
	REFUSED("", "is no WebAssembly module");
	REFUSED("\0asm", "is no WebAssembly module");
	REFUSED("\x7f"
		"ELF\2\1\1\0",
		"is no WebAssembly module");
	REFUSED(" \n(module)", "looks like WebAssembly text and not like a module");
	REFUSED("\0asm\xd\0\1\0",
		"is a component; this level runs core modules with WASI preview 1");
	REFUSED("\0asm\2\0\0\0", "has version 2 of the binary format, which is not known");
}

static void test_cut_modules(void)
{
	REFUSED(HEAD "\1", "ends in the middle of its type section, at byte 9");
	REFUSED(HEAD "\1\5\0", "ends in the middle of its type section, at byte 11");
	REFUSED(HEAD "\1\x80\x80", "ends in the middle of its type section, at byte 11");
	REFUSED(HEAD "\xa\3\2\2\0", "ends in the middle of its code section, at byte 13");
	REFUSED(HEAD "\5\2\1\0", "ends in the middle of its memory section, at byte 12");
	REFUSED(HEAD "\x20\0", "has a section of kind 32, which is not known, at byte 8");
}

static void test_limits(void)
{
	REFUSED(HEAD "\3\5\xa1\x8d\6\0\0", "has 100001 functions, more than 100000");
	REFUSED(HEAD "\5\5\2\0\1\0\1", "has 2 memories, more than 1");
	REFUSED(HEAD "\xa\x7\1\5\1\xa1\x9c\1\x7f",
		"has a function, the 1. with a body, of 20001 local variables, more than 20000");
	/* The length of a body counts, not what it claims to hold. */
	REFUSED(HEAD "\xa\6\1\x81\x80\x40\0\0",
		"ends in the middle of its code section, at byte 16");
}

int main(void)
{
	RUN(test_counts);
	RUN(test_heads);
	RUN(test_cut_modules);
	RUN(test_limits);
	return tap_done();
}
