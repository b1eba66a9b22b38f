/* SPDX-License-Identifier: Apache-2.0 */
/*
 * commands.h - the commands of foso, as one table
 *
 * COMMAND(ID, word, sibling, operands, summary)
 *
 *   sibling   program that does the work, found beside foso; "" if foso does it itself
 *   operands  what follows the options, as usage lines show it
 *
 * Help, completions and man pages are generated from here and from options.h.
 */
#pragma once

/* clang-format off */
#define COMMANDS(COMMAND)                                                                         \
	COMMAND(RUN,      "run",      "",              "[--] COMMAND [ARGUMENT]...",              \
		"run a command in a sandbox")                                                     \
	COMMAND(PS,       "ps",       "",              "",                                        \
		"list the sandboxes that are there")                                              \
	COMMAND(KILL,     "kill",     "",              "ID...",                                   \
		"end sandboxes, with every process in them")                                      \
	COMMAND(LOGS,     "logs",     "",              "ID",                                      \
		"show what processes wrote after their command had ended")                        \
	COMMAND(GC,       "gc",       "",              "",                                        \
		"remove what dead monitors left behind")                                          \
	COMMAND(DIFF,     "diff",     "foso-workspace", "[ID]",                                   \
		"show what a sandbox changed in its workspace")                                   \
	COMMAND(COMMIT,   "commit",   "foso-workspace", "[ID]",                                   \
		"apply what foso diff showed to the workspace")                                   \
	COMMAND(DISCARD,  "discard",  "foso-workspace", "[ID]",                                   \
		"remove what a sandbox changed")                                                  \
	COMMAND(FORK,     "fork",     "foso-workspace", "ID",                                     \
		"copy what a sandbox changed, to go on in several ways")                          \
	COMMAND(IMAGE,    "image",    "foso-image",    "import|list|inspect|rm|gc|export|erofs|build|pull|bootstrap [ARGUMENT]...", \
		"bring images into the store, list, remove and export them")                      \
	COMMAND(DOCTOR,   "doctor",   "",              "",                                        \
		"say which levels and limits work on this host")                                  \
	COMMAND(VERIFY,   "verify",   "foso-verify",   "",                                        \
		"try the boundary of a level on this host, claim by claim")                       \
	COMMAND(POLICY,   "policy",   "foso-policy",   "check|explain|schema|fields [FILE]",      \
		"check a policy, say it in words, describe the format")                           \
	COMMAND(EVIDENCE, "evidence", "foso-evidence", "list|show|verify|export|keygen [ARGUMENT]...", \
		"read and verify the records of past runs")                                       \
	COMMAND(HELP,     "help",     "",              "[COMMAND]",                               \
		"say what foso or one of its commands does")                                      \
	COMMAND(VERSION,  "version",  "",              "",                                        \
		"say which foso this is")
/* clang-format on */

enum command_id {
#define COMMAND_ENUM(id, ...) COMMAND_##id,
	COMMANDS(COMMAND_ENUM)
#undef COMMAND_ENUM
		N_COMMANDS,
	COMMAND_NONE = N_COMMANDS /* foso itself, before a command is named */
};

/* Text lies inside the row, so the table needs no relocation when the program starts. */
struct command_row {
	char word[12];
	char name[16]; /* "foso run", as messages name it */
	char sibling[16];
	char operands[96];
	char summary[60];
};

extern const struct command_row command_rows[N_COMMANDS];

/* command_find() - the command of that name, or COMMAND_NONE. */
enum command_id command_find(const char *word);

/* command_nearest() - the command that was probably meant, or COMMAND_NONE. */
enum command_id command_nearest(const char *word);
