/* SPDX-License-Identifier: Apache-2.0 */
/* options.h - the options of foso verify, as a table of rows that options/options.h describes */
#pragma once

/* clang-format off */
#define VERIFY_OPTIONS(OPTION)                                                                    \
	OPTION(JSON,    "json",    'j',  "", "", "",                                              \
	       "print one JSON object instead of the table; the count is on stderr")              \
	OPTION(LEVEL,   "level",   'L',  "LEVEL", "process wasm", "",                             \
	       "try this level, process (the default) or wasm")                                   \
	OPTION(CLAIMS,  "claims",  '\0', "", "", "",                                              \
	       "print what would be tried, as Markdown, and try nothing")                         \
	OPTION(VERSION, "version", 'V',  "", "", "", "say which foso this is")
/* clang-format on */
