/* SPDX-License-Identifier: Apache-2.0 */
/* args.h - the options of foso-image, as one table */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/error.h"

enum command_id {
	COMMAND_IMPORT = 1u << 0,
	COMMAND_LIST = 1u << 1,
	COMMAND_INSPECT = 1u << 2,
	COMMAND_RM = 1u << 3,
	COMMAND_GC = 1u << 4,
	COMMAND_EXPORT = 1u << 5,
	COMMAND_EROFS = 1u << 6,
};

#define COMMAND_ALL 0x7fu

/*
 * OPTION(name, kind, member, value, commands, meaning)
 *
 * FLAG sets a bool, TEXT a string (once), COUNT, SIZE and TIME a number (bytes, ns).
 */
/* clang-format off */
#define IMAGE_OPTIONS(OPTION)                                                                     \
	OPTION("--store",       TEXT,  store,       "FOLDER", COMMAND_ALL,                        \
	       "the image store; by default $FOSO_IMAGES, /var/lib/foso/images for root, "       \
	       "$XDG_DATA_HOME/foso/images or ~/.local/share/foso/images for others")             \
	OPTION("--name",        TEXT,  name,        "NAME",   COMMAND_IMPORT,                     \
	       "what the image is to be called, such as base or tools/node:20; an image of that " \
	       "name is replaced")                                                                \
	OPTION("--format",      TEXT,  format,      "FORMAT", COMMAND_IMPORT,                     \
	       "oci (an OCI image layout), docker (written by docker save) or rootfs (the tar of " \
	       "a root file system); by default what the file looks like")                        \
	OPTION("--ref",         TEXT,  ref,         "REF",    COMMAND_IMPORT,                     \
	       "which image of an OCI layout that has several")                                   \
	OPTION("--max-bytes",   SIZE,  max_bytes,   "SIZE",   COMMAND_IMPORT,                     \
	       "how much the image may unpack to; by default 16GiB")                              \
	OPTION("--max-entries", COUNT, max_entries, "N",      COMMAND_IMPORT,                     \
	       "how many files, folders and links it may have; by default 1000000")               \
	OPTION("--max-ratio",   COUNT, max_ratio,   "N",      COMMAND_IMPORT,                     \
	       "how many times its packed size a layer may unpack to, beyond 64MiB; by default 200") \
	OPTION("--max-time",    TIME,  max_time_ns, "TIME",   COMMAND_IMPORT,                     \
	       "how long it may take; by default 30min")                                          \
	OPTION("--json",        FLAG,  is_json,     "",       COMMAND_LIST | COMMAND_INSPECT,     \
	       "write JSON instead of text")                                                      \
	OPTION("--dry-run",     FLAG,  is_dry_run,  "",       COMMAND_GC,                         \
	       "say what would be removed, remove nothing")
/* clang-format on */

#define ARGS_MAX_POSITIONAL 64

struct args {
	bool is_help, is_json, is_dry_run;
	const char *store, *name, *format, *ref; /* NULL: not given */
	uint64_t max_bytes, max_entries, max_ratio, max_time_ns;
	const char *positional[ARGS_MAX_POSITIONAL];
	size_t n_positional;
};

struct command {
	const char *name;
	enum command_id id;
	const char *synopsis; /* what follows the name */
	const char *meaning;  /* sentences; the first line alone is shown among the commands */
	size_t n_positional_min, n_positional_max;
	int (*run)(const struct args *args, struct error *err);
};

/* args_parse() - what follows the command's name; -ERR_INVALID with the option as subject. */
int args_parse(struct args *ret, const struct command *command, char *const *argv,
	       struct error *err) must_check;

/* args_print_help() - synopsis, meaning and options of one command, to stdout. */
void args_print_help(const struct command *command);

/* args_print_scdoc() - synopsis and options for foso-image(1), in scdoc's language. */
void args_print_scdoc(const struct command *command);
