/* SPDX-License-Identifier: Apache-2.0 */
/*
 * end.h - how a command ended, as a typed reason (contract of exec, point 2)
 *
 * END_REASON(name, word, exit status of foso or -1 for "the command's own", meaning)
 */
#pragma once

#include <stdint.h>

/* clang-format off */
#define END_REASONS(END_REASON)                                                                   \
	END_REASON(EXIT,         "exit",         -1,  "the command exited by itself")             \
	END_REASON(SIGNAL,       "signal",       -1,  "a signal ended the command")               \
	END_REASON(DEADLINE,     "deadline",     124, "limits.wall ran out")                      \
	END_REASON(CPU,          "cpu",          124, "limits.cpu_time ran out")                  \
	END_REASON(MEMORY,       "memory",       124, "limits.memory was reached")                \
	END_REASON(PIDS,         "pids",         124, "limits.pids was reached")                  \
	END_REASON(DISK,         "disk",         124, "limits.disk or limits.file_size was reached") \
	END_REASON(FILES,        "files",        124, "limits.files was reached")                 \
	END_REASON(OUTPUT,       "output",       124, "limits.output was reached")                \
	END_REASON(FUEL,         "fuel",         124, "limits.fuel ran out")                      \
	END_REASON(KILLED,       "killed",       -1,  "the caller killed the sandbox")            \
	END_REASON(SANDBOX_LOST, "sandbox-lost", 125, "the sandbox itself was lost")              \
	END_REASON(REFUSED,      "refused",      125, "foso refused or failed before the start")  \
	END_REASON(CLOSED,       "closed",       0,   "the holder closed the sandbox")          \
	END_REASON(TRAP,         "trap",         134, "the WebAssembly module did what is not defined")
/* clang-format on */

enum end_reason {
#define END_REASON_ENUM(name, ...) END_##name,
	END_REASONS(END_REASON_ENUM)
#undef END_REASON_ENUM
		END_N_REASONS
};

struct end {
	enum end_reason reason;
	int code;          /* exit status of the main process; -1 if it has none */
	int signal;        /* signal that ended the main process; 0 if none */
	const char *limit; /* field, "limits.memory", for the limit reasons; else NULL; static */
};

const char *end_reason_word(enum end_reason reason); /* "deadline" */

/* end_exit_status() - what foso exits with: the command's own, 128+n, 124, 125 or 134. */
int end_exit_status(const struct end *end);
