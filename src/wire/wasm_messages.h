/* SPDX-License-Identifier: Apache-2.0 */
/*
 * wasm_messages.h - what the engine of level `wasm` and foso-wasm say to each other
 *
 * One SOCK_SEQPACKET socket, one message per packet.  The host trusts nothing that comes back:
 * number, length, state and every field are checked, and the first violation ends the sandbox.
 *
 *   engine                       foso-wasm
 *   CONFIGURE -------------->    (compiles, in a process of its own, if there is no code yet)
 *                         <----  COMPILED: the code is in the file; the engine keeps a copy
 *   LOAD ------------------->    loads the code, checks the imports, gives up its rights
 *                         <----  READY
 *   GROUPS, EXECUTE ------->     starts workers
 *                         <----  STARTED and ENDED of each command
 *
 * WASM_MESSAGE(name, number, max bytes, max descriptors)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "policy/policy.h"

/* clang-format off */
#define WASM_MESSAGES(WASM_MESSAGE)                                                               \
	/* host to foso-wasm */                                                                   \
	WASM_MESSAGE(CONFIGURE,    1, 65536, 0)                                                   \
	WASM_MESSAGE(LOAD,         2, 16, 0)                                                      \
	WASM_MESSAGE(EXECUTE,      3, 65536, 4)  /* three streams; its long form is a file */     \
	WASM_MESSAGE(SIGNAL,       4, 16, 0)                                                      \
	WASM_MESSAGE(GROUPS,       5, 16, 6)     /* control groups that workers enter */          \
	/* foso-wasm to host */                                                                   \
	WASM_MESSAGE(COMPILED,    16, 16, 0)                                                      \
	WASM_MESSAGE(READY,       17, 16, 0)                                                      \
	WASM_MESSAGE(STARTED,     18, 64, 0)                                                      \
	WASM_MESSAGE(ENDED,       19, 1024, 0)                                                    \
	WASM_MESSAGE(FAILED,      20, 1024, 0)   /* nothing runs, and why */
/* clang-format on */

enum wasm_message {
#define WASM_MESSAGE_ENUM(name, number, max, n_fds) WASM_##name = (number),
	WASM_MESSAGES(WASM_MESSAGE_ENUM)
#undef WASM_MESSAGE_ENUM
};

/* Where foso-wasm finds what it is started with. */
enum { WASM_CHANNEL_FD = 3, WASM_LIBRARY_FD, WASM_MODULE_FD, WASM_CODE_FD, WASM_N_FDS };

/*
 * And its folders, one after the other, if it has any; then before them the socket to the helper
 * (levels/wasm/folders.h), and the file whose lock is that of what was written.
 */
enum { WASM_HELPER_FD = 62, WASM_DISK_FD, WASM_FIRST_FOLDER_FD };
#define WASM_MAX_FOLDERS (POLICY_MAX_MOUNTS + 8)

/*
 * What the compiled code depends on beside the module.  The revision changes with whatever
 * library_engine() of foso-wasm sets.
 */
#define WASM_LIBRARY_VERSION "50.0.1"
#define WASM_LIBRARY_SHA256  "3127ca42fe7cdd3f0a43a358e79177dcfedd46c1746329826403b9d854de6178"
#define WASM_CONFIG_REVISION "2"

/* Bounds that no policy changes. */
#define WASM_MAX_MODULE_BYTES  (32u << 20)
#define WASM_MAX_CODE_BYTES    (256u << 20)
#define WASM_MAX_STACK_BYTES   (64u << 20)
#define WASM_RUNTIME_STACK     (8u << 20)  /* of a language runtime without limits.stack */
#define WASM_COMPILE_BYTES     (1u << 30)  /* of memory */
#define WASM_COMPILE_SECONDS   20u         /* of CPU */
#define WASM_RUNTIME_BYTES     (32u << 20) /* of memory of a worker beside the guest's */
#define WASM_MAX_TABLE_ENTRIES (1u << 20)  /* of one table */
#define WASM_MAX_TABLES        64u
#define WASM_MAX_MESSAGE_BYTES 65536

struct wasm_packet {
	enum wasm_message number;
	uint8_t bytes[WASM_MAX_MESSAGE_BYTES];
	size_t len;
	int fds[10];
	size_t n_fds;
};

int wasm_channel_send(int socket_fd, enum wasm_message number, const void *payload, size_t len,
		      const int *fds, size_t n_fds);
int wasm_channel_recv(int socket_fd, struct wasm_packet *packet, int flags);
void wasm_packet_close(struct wasm_packet *packet);

/* CONFIGURE: numbers as in struct policy_limits; POLICY_UNLIMITED for none. */
struct wasm_configure {
	bool needs_compile;
	bool is_warm; /* start the interpreter before there is a command (policy/runtimes.h) */
	uint64_t fuel, memory_bytes, stack_bytes, tables;
	uint64_t disk_bytes, disk_inodes; /* of all writable folders together */
	uint64_t file_size_bytes, files;
	struct policy_list folders; /* names inside; owned if decoded */
	bool is_read_only[WASM_MAX_FOLDERS];
};
bool wasm_configure_has_writable(const struct wasm_configure *configure);
void wasm_configure_fini(struct wasm_configure *configure);
void wasm_configure_encode(const struct wasm_configure *configure, struct buf *out);
bool wasm_configure_decode(struct wasm_configure *ret, const void *bytes, size_t len) must_check;

/*
 * GROUPS: descriptors of a folder to be cloned into, if the first byte is 1, and of files that a
 * process writes "0" into (limits/cgroup.h): each worker into the first, if the second byte is 1,
 * and foso-wasm into the rest.
 */

/* EXECUTE. */
struct wasm_execute {
	uint32_t command;
	uint64_t cpu_left_ns;         /* POLICY_UNLIMITED: any */
	struct policy_list args, env; /* env as NAME=VALUE; owned if decoded */
};
void wasm_execute_encode(const struct wasm_execute *execute, struct buf *out);
bool wasm_execute_decode(struct wasm_execute *ret, const void *bytes, size_t len) must_check;
void wasm_execute_fini(struct wasm_execute *execute);

enum wasm_end {
	WASM_END_EXIT,   /* code */
	WASM_END_SIGNAL, /* code is the signal */
	WASM_END_FUEL,
	WASM_END_TRAP, /* trap, function, offset, name */
	WASM_N_ENDS
};

/* Kinds of a trap, in the order of the library's numbers (wasmtime/trap.h). */
/* clang-format off */
#define WASM_TRAPS(WASM_TRAP)                                                                     \
	WASM_TRAP(STACK_OVERFLOW,     "stack overflow")                                           \
	WASM_TRAP(MEMORY_BOUNDS,      "memory access out of bounds")                              \
	WASM_TRAP(HEAP_MISALIGNED,    "atomic access not aligned")                                \
	WASM_TRAP(TABLE_BOUNDS,       "table access out of bounds")                               \
	WASM_TRAP(INDIRECT_NULL,      "indirect call of an empty table entry")                    \
	WASM_TRAP(BAD_SIGNATURE,      "indirect call of another type")                            \
	WASM_TRAP(INTEGER_OVERFLOW,   "integer overflow")                                         \
	WASM_TRAP(DIVISION_BY_ZERO,   "division by zero")                                         \
	WASM_TRAP(BAD_CONVERSION,     "conversion to integer of what is none")                    \
	WASM_TRAP(UNREACHABLE,        "unreachable")                                              \
	WASM_TRAP(INTERRUPT,          "interrupted")                                              \
	WASM_TRAP(OUT_OF_FUEL,        "out of fuel")                                              \
	WASM_TRAP(OTHER,              "trap")
/* clang-format on */

enum wasm_trap_kind {
#define WASM_TRAP_ENUM(name, words) WASM_TRAP_##name,
	WASM_TRAPS(WASM_TRAP_ENUM)
#undef WASM_TRAP_ENUM
		WASM_N_TRAPS
};
const char *wasm_trap_words(enum wasm_trap_kind kind);

#define WASM_NO_FUNCTION UINT32_MAX

/* ENDED; STARTED sends the command alone. */
struct wasm_ended {
	uint32_t command;
	enum wasm_end end;
	int32_t code;
	enum wasm_trap_kind trap;
	uint32_t function;                        /* index; WASM_NO_FUNCTION: not known */
	uint64_t offset;                          /* in the module's bytes */
	uint64_t fuel, cpu_ns, memory_peak_bytes; /* used */
	uint64_t disk_bytes, disk_inodes;         /* used by all commands so far */
	uint64_t n_disk_refused;                  /* writes of all commands so far */
	uint64_t n_memory_refusals;               /* how often its memory could not grow */
	char name[96]; /* of the function, from the module: hostile; NUL-terminated */
};
void wasm_ended_encode(const struct wasm_ended *ended, struct buf *out);
bool wasm_ended_decode(struct wasm_ended *ret, const void *bytes, size_t len) must_check;

/* FAILED. */
struct wasm_failed {
	char subject[32], message[256], remedy[160]; /* hostile */
};
void wasm_failed_encode(const struct wasm_failed *failed, struct buf *out);
bool wasm_failed_decode(struct wasm_failed *ret, const void *bytes, size_t len) must_check;
