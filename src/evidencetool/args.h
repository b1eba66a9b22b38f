/* SPDX-License-Identifier: Apache-2.0 */
/* args.h - the commands of foso-evidence and their options, as tables */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/error.h"

#define ARGS_MAX_KEYS       16
#define ARGS_MAX_POSITIONAL 2

enum command_id {
	COMMAND_LIST = 1u << 0,
	COMMAND_SHOW = 1u << 1,
	COMMAND_VERIFY = 1u << 2,
	COMMAND_EXPORT = 1u << 3,
	COMMAND_KEYGEN = 1u << 4,
	COMMAND_SIGN = 1u << 5,
};

/*
 * OPTION(name, kind, member, value, commands, meaning)
 *
 * FLAG sets a bool, TEXT a string (once), KEYS adds to keys[].
 */
/* clang-format off */
#define EVIDENCE_OPTIONS(OPTION)                                                                  \
	OPTION("--json",        FLAG, is_json,     "",       COMMAND_LIST | COMMAND_SHOW | COMMAND_VERIFY, \
	       "write JSON instead of text")                                                      \
	OPTION("--since",       TEXT, since,       "TIME",   COMMAND_LIST,                        \
	       "only runs that started at or after TIME: 2026-11-29, 2026-11-29T08:00:00Z, or how long ago: 90s, 15m, 2h, 7d") \
	OPTION("--reason",      TEXT, reason,      "REASON", COMMAND_LIST,                        \
	       "only runs that ended for REASON: exit, signal, deadline, memory, ...")                    \
	OPTION("-n",            TEXT, number,      "N",      COMMAND_LIST,                        \
	       "only the newest N of them")                                                       \
	OPTION("--key",         KEYS, keys,        "FILE",   COMMAND_VERIFY,                      \
	       "each record must be signed with the public key in FILE (PEM); may be repeated")   \
	OPTION("--key",         KEYS, keys,        "FILE",   COMMAND_SIGN,                        \
	       "the private key (PEM, mode 0600)")                                                \
	OPTION("--signed-from", TEXT, signed_from, "SEQ",    COMMAND_VERIFY,                      \
	       "with --key: records before number SEQ may lack a signature")                        \
	OPTION("--kept-head",   TEXT, kept_head,   "FILE",   COMMAND_VERIFY,                      \
	       "the record that the head in FILE names, exported earlier and kept elsewhere, must be in the log") \
	OPTION("--head",        FLAG, is_head,     "",       COMMAND_EXPORT,                      \
	       "write the head: a line to keep where nobody of this machine can change it") \
	OPTION("--out",         TEXT, out,         "FILE",   COMMAND_KEYGEN,                      \
	       "where the private key goes; the public key goes to FILE.pub")                     \
	OPTION("--ready",       FLAG, is_ready,    "",       COMMAND_SIGN,                        \
	       "say \"ready\" once the key is read, then wait for the hash")
/* clang-format on */

struct args {
	bool is_help, is_json, is_head, is_ready;
	const char *since, *reason, *number, *signed_from, *kept_head, *out; /* NULL: not given */
	const char *keys[ARGS_MAX_KEYS];
	size_t n_keys;
	const char *positional[ARGS_MAX_POSITIONAL];
	size_t n_positional;
};

struct command {
	const char *name;
	enum command_id id;
	const char *synopsis; /* what follows the name */
	const char *meaning;  /* sentences; the first line alone is shown among the commands */
	size_t n_positional_min, n_positional_max;
	/* The exit status, or -code with *err filled. */
	int (*run)(const struct args *args, struct error *err);
};

/* args_parse() - what follows the command's name; -ERR_INVALID with the option as subject. */
int args_parse(struct args *ret, const struct command *command, char *const *argv,
	       struct error *err) must_check;

/* args_print_help() - synopsis, meaning and options of one command, to stdout. */
void args_print_help(const struct command *command);

/* args_print_scdoc() - synopsis and options for foso-evidence(1), in scdoc's language. */
void args_print_scdoc(const struct command *command);
