/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - options of foso diff, commit, discard and fork, as tables of rows that
 *             options/options.h describes
 *
 * The CLI makes completions of these rows, and foso-workspace reads its command line by them.
 */
#pragma once

/* clang-format off */
#define WORKSPACE_DIFF_OPTIONS(OPTION)                                                            \
	OPTION(STAT,  "stat",  's',  "", "", "", "count added and removed lines of each file")    \
	OPTION(PATCH, "patch", 'p',  "", "", "", "print a patch of what is text")                 \
	OPTION(JSON,  "json",  'j',  "", "", "", "print one JSON object")                         \
	OPTION(LIST,  "list",  'l',  "", "", "", "list the runs whose changes wait, in all folders") \
	OPTION(EXEC_PATHS, "exec-paths", '\0', "", "", "",                                        \
	       "print what counts as executed on the host, and why, and do nothing else")

#define WORKSPACE_COMMIT_OPTIONS(OPTION)                                                          \
	OPTION(ONLY,   "only",   'o', "GLOB", "", "",                                             \
	       "only paths that match, and what lies in matching folders; may be repeated")       \
	OPTION(EXCEPT, "except", 'x', "GLOB", "", "",                                             \
	       "leave out paths that match, and what lies in matching folders; may be repeated")  \
	OPTION(ALLOW_EXEC_PATHS, "allow-exec-paths", '\0', "", "", "",                            \
	       "commit what executes on the host, too")                                           \
	OPTION(OVERWRITE, "overwrite", '\0', "", "", "",                                          \
	       "commit also where the host was changed since the sandbox started")                \
	OPTION(RESUME, "resume", '\0', "", "", "", "finish a commit that was interrupted")        \
	OPTION(ROLLBACK, "rollback", '\0', "", "", "", "undo a commit that was interrupted")

#define WORKSPACE_DISCARD_OPTIONS(OPTION)

#define WORKSPACE_FORK_OPTIONS(OPTION)                                                            \
	OPTION(NUMBER, "number", 'n', "N", "", "", "how many copies to make, 1 by default")
/* clang-format on */
