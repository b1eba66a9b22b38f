/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm_modules.c - the acts of level wasm
 *
 * Each exits with 0 if the act worked.  Most of what is answered by WASI is exited with, so that
 * its number shows: 8 badf, 21 fault, 28 inval, 54 notdir, 57 notsock.
 */
#include "verify/wasm_modules.h"

#include "base/macros.h"

/* clang-format off */
#define P1 "wasi_snapshot_preview1"
#define WASI(name, params) "(import \"" P1 "\" \"" name "\" (func $" name params " (result i32)))\n"
#define MODULE(imports, memory, body, start)                                                      \
	"(module (import \"" P1 "\" \"proc_exit\" (func $exit (param i32)))\n" imports            \
	"(memory (export \"memory\") " memory ")\n" body "\n(func (export \"_start\") " start "))"
#define EXIT(expression) "(call $exit " expression ")"
#define IMPORT(module, name, what) \
	"(module (import \"" module "\" \"" name "\" " what ") (func (export \"_start\")))"

#define FD_WRITE    WASI("fd_write", " (param i32 i32 i32 i32)")
#define FD_READ     WASI("fd_read", " (param i32 i32 i32 i32)")
#define RANDOM_GET  WASI("random_get", " (param i32 i32)")
#define POLL        WASI("poll_oneoff", " (param i32 i32 i32 i32)")
#define CLOCK       WASI("clock_time_get", " (param i32 i64 i32)")
#define PATH_OPEN   WASI("path_open", " (param i32 i32 i32 i32 i32 i64 i64 i32 i32)")
#define ARGS        WASI("args_sizes_get", " (param i32 i32)") WASI("args_get", " (param i32 i32)")
#define ENVIRON     WASI("environ_sizes_get", " (param i32 i32)")

/* Writes @len bytes at @from to stdout. */
#define SAY(from, len)                                                                            \
	"(i32.store (i32.const 0) (i32.const " from ")) (i32.store (i32.const 4) (i32.const " len "))" \
	"(drop (call $fd_write (i32.const 1) (i32.const 0) (i32.const 1) (i32.const 16)))"

/* argv[1]: its address at 1028, its length at 8; from there to the NUL behind it, the last byte. */
#define GET_ARGUMENT                                                                              \
	"(drop (call $args_sizes_get (i32.const 0) (i32.const 4)))"                               \
	"(drop (call $args_get (i32.const 1024) (i32.const 8192)))"                               \
	"(i32.store (i32.const 8) (i32.sub (i32.sub (i32.add (i32.const 8192)"                    \
	" (i32.load (i32.const 4))) (i32.load (i32.const 1028))) (i32.const 1)))"

/* Opens argv[1], from each of the descriptors 0 to 9: 0 if one works, else what 3 answers. */
#define OPEN(flags, rights)                                                                               \
	MODULE(ARGS PATH_OPEN, "1", "(global $fd (mut i32) (i32.const 0))"                        \
	       "(global $said (mut i32) (i32.const 0)) (global $r (mut i32) (i32.const 0))",      \
	       GET_ARGUMENT                                                                       \
	       "(loop $l (global.set $r (call $path_open (global.get $fd) (i32.const 1)"          \
	       " (i32.load (i32.const 1028)) (i32.load (i32.const 8)) (i32.const " flags ")"      \
	       " (i64.const " rights ") (i64.const 66) (i32.const 0) (i32.const 128)))"           \
	       "(if (i32.eqz (global.get $r)) (then " EXIT("(i32.const 0)") "))"                  \
	       "(if (i32.eq (global.get $fd) (i32.const 3)) (then (global.set $said (global.get $r))))" \
	       "(global.set $fd (i32.add (global.get $fd) (i32.const 1)))"                        \
	       "(br_if $l (i32.lt_u (global.get $fd) (i32.const 10))))"                           \
	       EXIT("(global.get $said)"))

/* Makes the file "big" in the folder 3; its descriptor is at 128. */
#define MAKE_FILE_IMPORTS PATH_OPEN
#define MAKE_FILE_DATA "(data (i32.const 64) \"big\") (global $r (mut i32) (i32.const 0))"       \
	" (global $n (mut i32) (i32.const 0))"
#define MAKE_FILE                                                                                 \
	"(global.set $r (call $path_open (i32.const 3) (i32.const 0) (i32.const 64) (i32.const 3)" \
	" (i32.const 1) (i64.const 4194368) (i64.const 0) (i32.const 0) (i32.const 128)))"        \
	"(if (global.get $r) (then " EXIT("(global.get $r)") "))"

#define TRAP(body, code) MODULE("", "1", body, code)
#define SLEEP(ns_bytes)                                                                           \
	MODULE(POLL, "1", "(data (i32.const 16) \"\\01\") (data (i32.const 24) \"" ns_bytes "\")", \
	       EXIT("(call $poll_oneoff (i32.const 0) (i32.const 64) (i32.const 1) (i32.const 128))"))
#define TABLE "(table $t 2 funcref) (elem (i32.const 1) $f) (func $f)"
#define DEEP "(func $d (param i32) (if (local.get 0)"                                             \
	" (then (call $d (i32.sub (local.get 0) (i32.const 1))))))"
#define HELLO MODULE(FD_WRITE, "1", "(data (i32.const 64) \"hello\\n\")", SAY("64", "6"))

#define HEAD "\0asm\1\0\0\0"
#define START "\7\12\1\6_start\0\0"

#define TEXT(name, text)   { name, text, sizeof(text) - 1, true }
#define BYTES(name, bytes) { name, bytes, sizeof(bytes) - 1, false }

const struct wasm_module wasm_modules[] = {
	TEXT("hello", HELLO),
	TEXT("loop", MODULE("", "1", "", "(loop $l (br $l))")),
	TEXT("loop-at-start", MODULE("", "1", "(start $s) (func $s (loop $l (br $l)))", "")),
	TEXT("random-256MiB", MODULE(RANDOM_GET, "256", "(global $n (mut i32) (i32.const 16))",
		"(loop $l (drop (call $random_get (i32.const 0) (i32.const 16777216)))"
		"(global.set $n (i32.sub (global.get $n) (i32.const 1))) (br_if $l (global.get $n)))")),
	TEXT("sleep-1h", SLEEP("\\00\\a0\\b8\\30\\46\\03\\00\\00")),
	TEXT("sleep-10ms", SLEEP("\\80\\96\\98\\00")),
	TEXT("read", MODULE(FD_READ, "1", "",
		"(i32.store (i32.const 0) (i32.const 64)) (i32.store (i32.const 4) (i32.const 8))"
		EXIT("(call $fd_read (i32.const 0) (i32.const 0) (i32.const 1) (i32.const 16))"))),
	TEXT("grow-64MiB", MODULE("", "1", "", EXIT("(i32.eq (memory.grow (i32.const 1023)) (i32.const -1))"))),
	TEXT("begin-128MiB", MODULE("", "2048", "", "")),
	TEXT("table-50M", MODULE("", "1", "(table $t 1 funcref)",
		EXIT("(i32.eq (table.grow $t (ref.null func) (i32.const 50000000)) (i32.const -1))"))),
	TEXT("table-1000", MODULE("", "1", "(table $t 1 funcref)",
		EXIT("(i32.eq (table.grow $t (ref.null func) (i32.const 1000)) (i32.const -1))"))),
	TEXT("two-tables", MODULE("", "1", "(table 1 funcref) (table 1 funcref)", "")),
	TEXT("load-65536", TRAP("", "(drop (i32.load (i32.const 65536)))")),
	TEXT("load-65532", TRAP("", "(drop (i32.load (i32.const 65532)))")),
	TEXT("call-empty", TRAP(TABLE, "(call_indirect $t (i32.const 0))")),
	TEXT("call-other", TRAP(TABLE, "(call_indirect $t (param i32) (i32.const 1) (i32.const 1))")),
	TEXT("call-beyond", TRAP(TABLE, "(call_indirect $t (i32.const 9))")),
	TEXT("call", TRAP(TABLE, "(call_indirect $t (i32.const 1))")),
	TEXT("divide-by-0", TRAP("", "(drop (i32.div_u (i32.const 1) (i32.const 0)))")),
	TEXT("divide", TRAP("", "(drop (i32.div_u (i32.const 1) (i32.const 1)))")),
	TEXT("deep", TRAP(DEEP, "(call $d (i32.const 100000000))")),
	TEXT("shallow", TRAP(DEEP, "(call $d (i32.const 1000))")),
	TEXT("open", OPEN("0", "66")),
	TEXT("open-to-read", OPEN("0", "2")),
	TEXT("create", OPEN("1", "66")),
	/* A link "l" in the folder 3 that says argv[1], and then opened: what it came to. */
	TEXT("link", MODULE(ARGS PATH_OPEN WASI("path_symlink", " (param i32 i32 i32 i32 i32)"), "1",
		"(data (i32.const 64) \"l\") (global $r (mut i32) (i32.const 0))", GET_ARGUMENT
		"(global.set $r (call $path_symlink (i32.load (i32.const 1028)) (i32.load (i32.const 8))"
		" (i32.const 3) (i32.const 64) (i32.const 1)))"
		"(if (global.get $r) (then " EXIT("(global.get $r)") "))"
		EXIT("(call $path_open (i32.const 3) (i32.const 1) (i32.const 64) (i32.const 1)"
		     " (i32.const 0) (i64.const 2) (i64.const 0) (i32.const 0) (i32.const 128))"))),
	TEXT("write-2MiB", MODULE(MAKE_FILE_IMPORTS FD_WRITE, "2", MAKE_FILE_DATA, MAKE_FILE
		"(i32.store (i32.const 0) (i32.const 0)) (i32.store (i32.const 4) (i32.const 65536))"
		"(loop $l (global.set $r (call $fd_write (i32.load (i32.const 128)) (i32.const 0)"
		" (i32.const 1) (i32.const 16)))"
		"(if (global.get $r) (then " EXIT("(global.get $r)") "))"
		"(global.set $n (i32.add (global.get $n) (i32.load (i32.const 16))))"
		"(br_if $l (i32.lt_u (global.get $n) (i32.const 2097152))))")),
	TEXT("size-2MiB", MODULE(MAKE_FILE_IMPORTS WASI("fd_filestat_set_size", " (param i32 i64)"), "1",
		MAKE_FILE_DATA, MAKE_FILE
		EXIT("(call $fd_filestat_set_size (i32.load (i32.const 128)) (i64.const 2097152))"))),
	/* One inside the other would be as good; "a", "b", ... of two letters. */
	TEXT("make-200", MODULE(WASI("path_create_directory", " (param i32 i32 i32)"), "1",
		"(data (i32.const 64) \"aa\") (global $r (mut i32) (i32.const 0)) (global $n (mut i32) (i32.const 0))",
		"(loop $l (i32.store8 (i32.const 64) (i32.add (i32.const 97) (i32.rem_u (global.get $n) (i32.const 20))))"
		"(i32.store8 (i32.const 65) (i32.add (i32.const 97) (i32.div_u (global.get $n) (i32.const 20))))"
		"(global.set $r (call $path_create_directory (i32.const 3) (i32.const 64) (i32.const 2)))"
		"(if (global.get $r) (then " EXIT("(global.get $r)") "))"
		"(global.set $n (i32.add (global.get $n) (i32.const 1)))"
		"(br_if $l (i32.lt_u (global.get $n) (i32.const 200))))")),
	TEXT("preopen", MODULE(WASI("fd_prestat_get", " (param i32 i32)"), "1", "",
		EXIT("(call $fd_prestat_get (i32.const 3) (i32.const 0))"))),
	TEXT("send", MODULE(WASI("sock_send", " (param i32 i32 i32 i32 i32)"), "1", "",
		EXIT("(call $sock_send (i32.const 1) (i32.const 0) (i32.const 0) (i32.const 0) (i32.const 8))"))),
	TEXT("no-variable", MODULE(ENVIRON, "1", "",
		"(drop (call $environ_sizes_get (i32.const 0) (i32.const 4)))"
		EXIT("(select (i32.const 0) (i32.const 10) (i32.load (i32.const 0)))"))),
	TEXT("no-argument", MODULE(ARGS, "1", "",
		"(drop (call $args_sizes_get (i32.const 0) (i32.const 4)))"
		EXIT("(select (i32.const 10) (i32.const 0) (i32.eq (i32.load (i32.const 0)) (i32.const 1)))"))),
	TEXT("traces", MODULE("", "1", "(global $g (mut i32) (i32.const 0))",
		"(if (i32.or (global.get $g) (i32.load (i32.const 512))) (then " EXIT("(i32.const 0)") "))"
		"(global.set $g (i32.const 1)) (i32.store (i32.const 512) (i32.const 1))"
		EXIT("(i32.const 10)"))),
	TEXT("own-traces", MODULE("", "1", "(global $g (mut i32) (i32.const 0))",
		"(global.set $g (i32.const 1)) (i32.store (i32.const 512) (i32.const 1))"
		"(if (i32.or (global.get $g) (i32.load (i32.const 512))) (then " EXIT("(i32.const 0)") "))"
		EXIT("(i32.const 10)"))),
	TEXT("flood", MODULE(FD_WRITE, "1", "", "(loop $l " SAY("1024", "32768") "(br $l))")),
	TEXT("random", MODULE(RANDOM_GET FD_WRITE, "1", "",
		"(drop (call $random_get (i32.const 64) (i32.const 32)))" SAY("64", "32"))),
	TEXT("clock-5", MODULE(CLOCK, "1", "",
		EXIT("(call $clock_time_get (i32.const 5) (i64.const 1) (i32.const 0))"))),
	/* After 2023, and forward. */
	TEXT("clock", MODULE(CLOCK, "1", "",
		"(drop (call $clock_time_get (i32.const 0) (i64.const 1) (i32.const 0)))"
		"(drop (call $clock_time_get (i32.const 1) (i64.const 1) (i32.const 8)))"
		"(drop (call $clock_time_get (i32.const 1) (i64.const 1) (i32.const 16)))"
		EXIT("(i32.or (i64.lt_u (i64.load (i32.const 0)) (i64.const 1700000000000000000))"
		     " (i64.lt_u (i64.load (i32.const 16)) (i64.load (i32.const 8))))"))),
	TEXT("pointer-outside", MODULE(RANDOM_GET, "1", "",
		EXIT("(call $random_get (i32.const 65533) (i32.const 8))"))),
	TEXT("pointer-inside", MODULE(RANDOM_GET, "1", "",
		EXIT("(call $random_get (i32.const 65528) (i32.const 8))"))),
	TEXT("import-socket", IMPORT(P1, "sock_open", "(func (param i32 i32 i32) (result i32))")),
	TEXT("import-system", IMPORT("env", "system", "(func (param i32) (result i32))")),
	TEXT("import-other-type", IMPORT(P1, "fd_write", "(func (param i64))")),
	TEXT("import-memory", IMPORT("env", "memory", "(memory 1)")),
	BYTES("text", HELLO),
	BYTES("garbage", "\177ELF\2\1\1\0\0\0\0\0"),
	BYTES("component", "\0asm\15\0\1\0"),
	BYTES("cut", HEAD "\1\4\1\140\0"),
	/* One function with 50,000 local variables. */
	BYTES("locals", HEAD "\1\4\1\140\0\0" "\3\2\1\0" START "\12\10\1\6\1\320\206\3\177\13"),
	BYTES("few-locals", HEAD "\1\4\1\140\0\0" "\3\2\1\0" START "\12\6\1\4\1\2\177\13"),
	BYTES("two-memories", HEAD "\5\5\2\0\1\0\1"),
};
/* clang-format on */

const size_t n_wasm_modules = ARRAY_LEN(wasm_modules);
