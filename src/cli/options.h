/* SPDX-License-Identifier: Apache-2.0 */
/*
 * options.h - the options of each command, as tables of rows that options/options.h describes
 */
#pragma once

#include "buildtool/options.h"
#include "cli/commands.h"
#include "evidencetool/options.h"
#include "imagetool/options.h"
#include "options/options.h"
#include "verify/options.h"
#include "workspacetool/options.h"

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

/* Which table a command has that foso itself does. */
#define COMMAND_OPTIONS(TABLE)        \
	TABLE(RUN, RUN_OPTIONS)       \
	TABLE(PS, PS_OPTIONS)         \
	TABLE(KILL, KILL_OPTIONS)     \
	TABLE(LOGS, LOGS_OPTIONS)     \
	TABLE(GC, GC_OPTIONS)         \
	TABLE(DOCTOR, DOCTOR_OPTIONS) \
	TABLE(HELP, HELP_OPTIONS)     \
	TABLE(VERSION, NO_OPTIONS)    \
	TABLE(NONE, MAIN_OPTIONS)

/* Which table a command of a sibling has, which reads its own command line; for completion. */
#define SIBLING_OPTIONS(TABLE)                    \
	TABLE(DIFF, WORKSPACE_DIFF_OPTIONS)       \
	TABLE(COMMIT, WORKSPACE_COMMIT_OPTIONS)   \
	TABLE(DISCARD, WORKSPACE_DISCARD_OPTIONS) \
	TABLE(FORK, WORKSPACE_FORK_OPTIONS)       \
	TABLE(VERIFY, VERIFY_OPTIONS)             \
	TABLE(POLICY, NO_OPTIONS)                 \
	TABLE(EVIDENCE, NO_OPTIONS)               \
	TABLE(IMAGE, NO_OPTIONS)

/* VERB(command, word, TABLE) - the commands that a sibling has below its own; for completion */
#define SIBLING_VERBS(VERB)                             \
	VERB(IMAGE, import, IMAGE_IMPORT_OPTIONS)       \
	VERB(IMAGE, list, IMAGE_SHOW_OPTIONS)           \
	VERB(IMAGE, inspect, IMAGE_SHOW_OPTIONS)        \
	VERB(IMAGE, rm, IMAGE_STORE_OPTIONS)            \
	VERB(IMAGE, gc, IMAGE_GC_OPTIONS)               \
	VERB(IMAGE, export, IMAGE_STORE_OPTIONS)        \
	VERB(IMAGE, erofs, IMAGE_STORE_OPTIONS)         \
	VERB(IMAGE, build, IMAGE_BUILD_OPTIONS)         \
	VERB(IMAGE, pull, IMAGE_PULL_OPTIONS)           \
	VERB(IMAGE, bootstrap, IMAGE_BOOTSTRAP_OPTIONS) \
	VERB(EVIDENCE, list, EVIDENCE_LIST_OPTIONS)     \
	VERB(EVIDENCE, show, EVIDENCE_SHOW_OPTIONS)     \
	VERB(EVIDENCE, verify, EVIDENCE_VERIFY_OPTIONS) \
	VERB(EVIDENCE, export, EVIDENCE_EXPORT_OPTIONS) \
	VERB(EVIDENCE, keygen, EVIDENCE_KEYGEN_OPTIONS) \
	VERB(EVIDENCE, sign, EVIDENCE_SIGN_OPTIONS)

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
	OPTION_COMPLETION,
	OPTION_SCDOC,
};

/* options_of() - the options of a command; those of every command are not among them. */
struct option_table options_of(enum command_id command);

/* A command below one of the siblings' commands. */
struct sibling_verb {
	enum command_id command;
	char word[12];
	struct option_table options;
};

/* sibling_verb() - the @n-th, those of one command in a row; NULL after the last. */
const struct sibling_verb *sibling_verb(size_t n);

/* options_of_all() - the options that every command has. */
struct option_table options_of_all(void);

/* options_begin() - the walk over @words by the options of @command; both are borrowed. */
struct options options_begin(enum command_id command, char **words);
