/* SPDX-License-Identifier: Apache-2.0 */
/*
 * init_messages.h - what the engine and foso-init say to each other
 *
 * One SOCK_SEQPACKET socket, one message per packet: u32 number, then the fields of codec.h.
 * The host trusts nothing that comes back: number, length, state, count of descriptors and every
 * field are checked, and the first violation ends the sandbox (sandbox-lost).
 *
 * INIT_MESSAGE(name, number, max bytes, max descriptors)
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/buf.h"
#include "policy/policy.h"
#include "wire/codec.h"

/* clang-format off */
#define INIT_MESSAGES(INIT_MESSAGE)                                                               \
	/* host to init */                                                                        \
	INIT_MESSAGE(CONFIGURE,    1, 65536, 0)   /* rights to give up; the filter */             \
	INIT_MESSAGE(SPAWN,        2, 65536, 10)  /* start a command; its long form is a file */  \
	INIT_MESSAGE(SIGNAL,       3, 64, 0)                                                      \
	INIT_MESSAGE(LIST,         4, 16, 0)                                                      \
	/* init to host */                                                                        \
	INIT_MESSAGE(READY,       16, 64, 1)      /* it stands; the file system it writes to */   \
	INIT_MESSAGE(STARTED,     17, 64, 1)      /* pid inside; PTY master */                    \
	INIT_MESSAGE(NOT_STARTED, 18, 64, 0)                                                      \
	INIT_MESSAGE(EXITED,      19, 64, 0)                                                      \
	INIT_MESSAGE(PROCESS,     20, 128, 0)                                                     \
	INIT_MESSAGE(LIST_END,    21, 64, 0)                                                      \
	INIT_MESSAGE(FAILED,      22, 256, 0)     /* a step of the set-up failed: nothing runs */ \
	INIT_MESSAGE(FILTER,      23, 64, 1)      /* the listener of a command's filter */
/* clang-format on */

enum init_message {
#define INIT_MESSAGE_ENUM(name, number, max, n_fds) INIT_##name = (number),
	INIT_MESSAGES(INIT_MESSAGE_ENUM)
#undef INIT_MESSAGE_ENUM
};

#define INIT_MAX_MESSAGE_BYTES 65536
#define INIT_MAX_FDS           10
#define INIT_MAX_RLIMITS       16
#define INIT_MAX_PATHS         80
#define INIT_MAX_SPAWN_BYTES   (POLICY_MAX_ENCODED_BYTES)
#define INIT_CHANNEL_FD        3 /* where foso-init finds its end of the socket */
#define INIT_SCRATCH_FD        4 /* O_PATH on the scratch, handed on with READY; may be missing */

/* The outcome of one wire exchange on the socket. */
struct init_packet {
	enum init_message number;
	size_t len; /* of the payload, the number not counted */
	size_t n_fds;
	int fds[INIT_MAX_FDS];                 /* owned by the packet until taken (set to -1) */
	uint8_t bytes[INIT_MAX_MESSAGE_BYTES]; /* last: a short message touches one page */
};

/*
 * init_channel_send() - one message; 0 or errno (EAGAIN: the socket is full)
 * @payload:  may be NULL when @len is 0
 */
int init_channel_send(int socket_fd, enum init_message number, const void *payload, size_t len,
		      const int *fds, size_t n_fds);

/*
 * init_channel_recv() - the next message
 *
 * 0 done; EAGAIN none is waiting; ECONNRESET the peer is gone; EPROTO the message breaks the
 * table (unknown number, too long, too many descriptors, truncated): its descriptors are closed.
 */
int init_channel_recv(int socket_fd, struct init_packet *packet, int flags);

/* init_packet_close() - close what was not taken. */
void init_packet_close(struct init_packet *packet);

struct init_rlimit {
	uint32_t resource;
	uint64_t value;
};

/* A path that Landlock opens to the workload. */
struct init_path {
	char *path;
	uint32_t access; /* enum confine_path_access */
};

/* CONFIGURE. */
struct init_configure {
	bool has_many_ids;   /* the user namespace maps a range: commands can change ids */
	bool needs_landlock; /* refuse to start if the kernel has it and it cannot be applied */
	bool is_installer;   /* commands of uid 0 keep CONFINE_INSTALLER */
	uint32_t default_uid, default_gid;      /* of commands whose user is "" */
	struct init_path paths[INIT_MAX_PATHS]; /* strings owned by whoever filled it */
	size_t n_paths;
	const void *filter; /* struct sock_filter[]; of a decoded message: inside it, unaligned */
	size_t n_filter_bytes;
};

/* SPAWN.  Descriptors: stdin, stdout, stderr (none with is_tty), then the cgroup entry. */
struct init_spawn {
	uint32_t command;
	bool is_tty;
	bool is_last;      /* the sandbox ends with it: nothing that outlives it lives on */
	bool has_clone_fd; /* the first descriptor after stdio is for CLONE_INTO_CGROUP */
	uint16_t rows, columns;
	uint16_t n_cpus; /* how many processors it is bound to; 0: unchanged */
	struct init_rlimit rlimits[INIT_MAX_RLIMITS];
	size_t n_rlimits;
	char *cwd, *user;             /* "" for the default */
	struct policy_list args, env; /* env as NAME=VALUE */
};

void init_configure_encode(const struct init_configure *configure, struct buf *out);
bool init_configure_decode(struct init_configure *ret, const void *bytes, size_t len) must_check;
void init_configure_fini(struct init_configure *configure);

void init_spawn_encode(const struct init_spawn *spawn, struct buf *out);
bool init_spawn_decode(struct init_spawn *ret, const void *bytes, size_t len) must_check;
void init_spawn_fini(struct init_spawn *spawn);

/* The small messages: fixed fields, in this order, each a u32 unless said otherwise. */
struct init_event {
	uint32_t command;
	uint32_t pid;   /* STARTED, PROCESS: inside */
	int32_t code;   /* EXITED: -1 if a signal ended it; NOT_STARTED: 126 or 127 */
	int32_t signal; /* EXITED */
	int32_t errnum; /* NOT_STARTED, FAILED */
	uint32_t stage; /* NOT_STARTED, FAILED: enum init_stage */
	char name[64];  /* PROCESS: what it calls itself (hostile), NUL-terminated */
};
#define INIT_EVENT_BYTES 128 /* more than an encoded one has, name and all */
void init_event_encode(const struct init_event *event, struct buf *out);
bool init_event_decode(struct init_event *ret, const void *bytes, size_t len) must_check;

/*
 * The steps at which a set-up or a start can fail, for the message to the user.
 * INIT_STAGE(name, policy field or "", words after "the sandbox cannot", remedy)
 */
/* clang-format off */
#define INIT_STAGES(INIT_STAGE) \
	INIT_STAGE(NONE, "", "be set up", "see foso doctor") \
	INIT_STAGE(PROTOCOL, "", "read its orders", "build or install foso as a whole") \
	INIT_STAGE(LANDLOCK, "", "apply Landlock", "see foso doctor for what this kernel lacks") \
	INIT_STAGE(FILTER, "syscalls", "install the system call filter", \
		"use a kernel with seccomp filters (CONFIG_SECCOMP_FILTER)") \
	INIT_STAGE(PRIVILEGES, "", "give up privileges", "see foso doctor") \
	INIT_STAGE(KEYRING, "", "make a new keyring", "raise sysctl kernel.keys.maxkeys") \
	INIT_STAGE(DESCRIPTORS, "", "close inherited descriptors", \
		"use Linux 5.9 or later (close_range), or mount /proc") \
	INIT_STAGE(TERMINAL, "--tty", "open a terminal", "raise sysctl kernel.pty.max") \
	INIT_STAGE(FORK, "limits.pids", "start a process", "raise limits.pids, or free processes of this user") \
	INIT_STAGE(CGROUP, "limits", "enter its control groups", "see foso doctor") \
	INIT_STAGE(RLIMITS, "limits", "set resource limits", "lower the limit to what the caller has (ulimit -a)") \
	INIT_STAGE(AFFINITY, "limits.cpus", "be bound to processors", "see foso doctor") \
	INIT_STAGE(CWD, "cwd", "enter the working directory", \
		"name a folder that is in the sandbox, or mount one there") \
	INIT_STAGE(USER, "user", "become the user", \
		"name a user of the sandbox's /etc/passwd, or write its number") \
	INIT_STAGE(EXEC, "args[0]", "execute the command", "see foso doctor") \
	INIT_STAGE(MOUNT, "mounts", "mount", \
		"name a source that exists and a target that can be made there (system folders are read-only)") \
	INIT_STAGE(ROOT, "root", "enter the root file system", \
		"name an unpacked root file system, whose dev, proc, sys, tmp and run are plain folders") \
	INIT_STAGE(DEVICE, "devices", "show the device", "name what is below /dev on this machine") \
	INIT_STAGE(NETWORK, "network", "bring up the loopback device", "see foso doctor") \
	INIT_STAGE(HOSTNAME, "hostname", "set its host name", "write at most 64 letters, digits and dashes") \
	INIT_STAGE(NAMESPACES, "", "make its namespaces", "see foso doctor") \
	INIT_STAGE(MASKS, "root", "verify what is hidden", "report this: it is a fault of foso or of the kernel") \
	INIT_STAGE(INIT, "", "execute foso-init", "build or install foso as a whole")
/* clang-format on */

enum init_stage {
#define INIT_STAGE_ENUM(name, field, words, remedy) STAGE_##name,
	INIT_STAGES(INIT_STAGE_ENUM)
#undef INIT_STAGE_ENUM
		INIT_N_STAGES
};

const char *init_stage_field(enum init_stage stage);
const char *init_stage_words(enum init_stage stage);
const char *init_stage_remedy(enum init_stage stage);
