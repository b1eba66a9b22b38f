/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - the options of each command, as tables, and the walk over a command line
 *
 * OPTION(ID, name, letter, argument, choices, field, help)
 *
 *   letter    '\0' if there is no short form
 *   argument  "" for a switch; else what usage shows for the value
 *   choices   what a completion offers: words, or <file>, <folder>, <env>, <limit>, <id>
 *   field     policy field that the value is given to; ending in '.', the value is NAME=VALUE
 *             of a field below it; "" if the command itself deals with the value
 *
 * Help, completions and man pages are generated from here.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "base/error.h"
#include "cli/commands.h"
#include "workspace/options.h"

/* clang-format off */
#define GLOBAL_OPTIONS(OPTION)                                                                    \
	OPTION(HELP,    "help",    'h',  "", "", "", "say what the command does, and its options") \
	OPTION(DEBUG,   "debug",   '\0', "", "", "", "say where in the source an error arose")

#define MAIN_OPTIONS(OPTION)                                                                      \
	OPTION(VERSION, "version", 'V',  "", "", "", "say which foso this is")

#define RUN_OPTIONS(OPTION)                                                                       \
	OPTION(POLICY,     "policy",     'p',  "FILE", "<file>", "",                              \
	       "take the policy from FILE, YAML or JSON (- is stdin); the options below override it") \
	OPTION(LEVEL,      "level",      'L',  "LEVEL", "auto process kernel microvm wasm", "level", \
	       "isolation level: auto, process, kernel, microvm or wasm; auto takes the strongest " \
	       "that can honour the whole policy on this host")                                   \
	OPTION(ROOT,       "root",       'r',  "ROOT", "host dir: image: none", "root",           \
	       "root file system: host (a read-only, masked view of this machine's system "       \
	       "folders), dir:PATH, image:NAME or none")                                          \
	OPTION(RUNTIME,    "runtime",    'R',  "NAME", "python javascript lua sqlite", "runtime",   \
	       "run a language without an operating system, at level wasm: python, javascript, "  \
	       "lua or sqlite; the arguments are those of its own command line")                  \
	OPTION(WORKSPACE,  "workspace",  'w',  "PATH[:ro|rw|overlay]", "<folder>", "workspace",   \
	       "show the host folder PATH at /workspace; ro unless said otherwise")               \
	OPTION(VOLUME,     "volume",     'v',  "HOST:GUEST[:ro|rw|overlay]", "<folder>", "mounts", \
	       "show the host file or folder HOST at GUEST, ro unless said otherwise; "           \
	       "tmpfs:GUEST[:SIZE] is an empty folder; may be repeated")                          \
	OPTION(ENV,        "env",        'e',  "NAME[=VALUE]", "<env>", "env",                    \
	       "set a variable for the command, which inherits none; without =VALUE it is copied " \
	       "from foso's own environment; may be repeated")                                    \
	OPTION(CWD,        "cwd",        'C',  "PATH", "", "cwd",                                 \
	       "working directory inside; by default /workspace if there is one, else the user's " \
	       "home or /")                                                                       \
	OPTION(USER,       "user",       'u',  "USER[:GROUP]", "", "user",                        \
	       "user inside, by name or number")                                                  \
	OPTION(HOSTNAME,   "hostname",   '\0', "NAME", "", "hostname", "host name inside")        \
	OPTION(LIMIT,      "limit",      'l',  "NAME=VALUE", "<limit>", "limits.",                \
	       "a limit of foso-policy(5), such as memory=1GiB, wall=5min, pids=64 or strict=true; " \
	       "may be repeated")                                                                 \
	OPTION(SYSCALLS,   "syscalls",   '\0', "PROFILE", "default strict", "syscalls",           \
	       "which system calls the command may make: default or strict")                      \
	OPTION(BACKGROUND, "background", '\0', "WHAT", "keep kill", "background",                 \
	       "what becomes of processes that outlive the command: kill (the default) or keep")  \
	OPTION(SET,        "set",        's',  "FIELD=VALUE", "", "",                             \
	       "any field of foso-policy(5), such as syscalls.deny=connect; on a list it adds an item; " \
	       "may be repeated")                                                                  \
	OPTION(TTY,        "tty",        't',  "", "", "",                                        \
	       "give the command a terminal of its own, tied to the one that stdin is")           \
	OPTION(RESULT,     "result",     'o',  "FILE", "<file>", "",                              \
	       "write the record of the run to FILE, as JSON")                                    \
	OPTION(EVIDENCE,   "evidence",   '\0', "PATH", "<folder>", "evidence.path",               \
	       "folder of the evidence log that gets the record of the run")                      \
	OPTION(SIGN,       "sign",       '\0', "KEY", "<file>", "evidence.sign",                  \
	       "sign the record with the Ed25519 private key in the PEM file KEY")                \
	OPTION(QUIET,      "quiet",      'q',  "", "", "",                                        \
	       "do not say on stderr how the command ended")

#define PS_OPTIONS(OPTION)                                                                        \
	OPTION(JSON,  "json",  'j', "", "", "", "print JSON, one object a line")                  \
	OPTION(QUIET, "quiet", 'q', "", "", "", "print the ids alone")

#define KILL_OPTIONS(OPTION)                                                                      \
	OPTION(ALL,   "all",   'a', "", "", "", "end every sandbox of this user")

#define LOGS_OPTIONS(OPTION)                                                                      \
	OPTION(FOLLOW, "follow", 'f', "", "", "", "go on until the sandbox is gone")

#define GC_OPTIONS(OPTION)                                                                        \
	OPTION(DRY_RUN, "dry-run", 'n', "", "", "", "say what would be removed, remove nothing")  \
	OPTION(ORPHANS, "orphans", '\0', "", "", "",                                              \
	       "remove control groups that belong to no run folder, too; do so only if no sandbox " \
	       "of another run folder is alive")

#define DOCTOR_OPTIONS(OPTION)                                                                    \
	OPTION(JSON,  "json",  'j', "", "", "", "print one JSON object")                          \
	OPTION(LEVEL, "level", 'L', "LEVEL", "process kernel microvm wasm", "",                   \
	       "look at this level alone")

#define HELP_OPTIONS(OPTION)                                                                      \
	OPTION(COMPLETION, "completion", '\0', "SHELL", "bash zsh fish", "",                      \
	       "print the completion for bash, zsh or fish")                                      \
	OPTION(SCDOC, "scdoc", '\0', "PART", "usage options commands reasons", "",                      \
	       "print a part of the man pages: usage, options, commands or reasons")

#define NO_OPTIONS(OPTION)
/* clang-format on */

/* Which table a command has.  Siblings read their own command line; tables are for completion. */
#define COMMAND_OPTIONS(TABLE)                    \
	TABLE(RUN, RUN_OPTIONS)                   \
	TABLE(PS, PS_OPTIONS)                     \
	TABLE(KILL, KILL_OPTIONS)                 \
	TABLE(LOGS, LOGS_OPTIONS)                 \
	TABLE(GC, GC_OPTIONS)                     \
	TABLE(DIFF, WORKSPACE_DIFF_OPTIONS)       \
	TABLE(COMMIT, WORKSPACE_COMMIT_OPTIONS)   \
	TABLE(DISCARD, WORKSPACE_DISCARD_OPTIONS) \
	TABLE(FORK, WORKSPACE_FORK_OPTIONS)       \
	TABLE(DOCTOR, DOCTOR_OPTIONS)             \
	TABLE(VERIFY, NO_OPTIONS)                 \
	TABLE(POLICY, NO_OPTIONS)                 \
	TABLE(EVIDENCE, NO_OPTIONS)               \
	TABLE(IMAGE, NO_OPTIONS)                  \
	TABLE(HELP, HELP_OPTIONS)                 \
	TABLE(VERSION, NO_OPTIONS)                \
	TABLE(NONE, MAIN_OPTIONS)

enum option_id {
	OPTION_HELP,
	OPTION_DEBUG,
	OPTION_VERSION,
	OPTION_POLICY,
	OPTION_LEVEL,
	OPTION_ROOT,
	OPTION_RUNTIME,
	OPTION_WORKSPACE,
	OPTION_VOLUME,
	OPTION_ENV,
	OPTION_CWD,
	OPTION_USER,
	OPTION_HOSTNAME,
	OPTION_LIMIT,
	OPTION_SYSCALLS,
	OPTION_BACKGROUND,
	OPTION_SET,
	OPTION_TTY,
	OPTION_RESULT,
	OPTION_EVIDENCE,
	OPTION_SIGN,
	OPTION_QUIET,
	OPTION_JSON,
	OPTION_ALL,
	OPTION_FOLLOW,
	OPTION_DRY_RUN,
	OPTION_ORPHANS,
	OPTION_STAT,
	OPTION_PATCH,
	OPTION_LIST,
	OPTION_EXEC_PATHS,
	OPTION_ONLY,
	OPTION_EXCEPT,
	OPTION_ALLOW_EXEC_PATHS,
	OPTION_OVERWRITE,
	OPTION_RESUME,
	OPTION_ROLLBACK,
	OPTION_NUMBER,
	OPTION_COMPLETION,
	OPTION_SCDOC,
};

/* Text lies inside the row, so the tables need no relocation when the program starts. */
struct option_row {
	uint8_t id; /* enum option_id */
	char letter;
	char name[20];
	char argument[28];
	char choices[36];
	char field[16];
	char help[164];
};

/* option_rows() - the options of a command; the global ones are not among them. */
const struct option_row *option_rows(enum command_id command, size_t *ret_n_rows);

extern const struct option_row global_option_rows[];
extern const size_t n_global_option_rows;

/* A walk over the options at the head of a command line. */
struct options {
	enum command_id command;
	char **words;        /* borrowed, NULL-terminated */
	size_t at;           /* next word; after the last option, the first operand */
	const char *letters; /* rest of a word of short options, such as "tq"; NULL if none */
};

struct option {
	const struct option_row *row;
	const char *value; /* "" for a switch; borrowed from the words */
	/* "--limit" or "-l", as the user wrote it */
	char spelling[2 + sizeof(((struct option_row *)0)->name)];
};

/*
 * options_next() - the next option
 *
 * Returns 0 and the option; 1 when none is left, @at being the first operand ("--" is passed);
 * -ERR_INVALID with the option as the subject and the accepted form as the remedy.
 */
int options_next(struct options *options, struct option *ret, struct error *err) must_check;

/* options_no_operands() - 0, or -ERR_INVALID if words are left that the command does not take. */
int options_no_operands(const struct options *options, struct error *err) must_check;
