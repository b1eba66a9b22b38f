/* SPDX-License-Identifier: Apache-2.0 */
/*
 * fields.h - every field of a policy, as one table
 *
 * FIELD(id, name, type, owner, member, default, flags, min, max, levels, remedy, help)
 *
 *   name     as users write it; rows are in the order of strcmp(), which is also the order of
 *            the canonical form and of the encoding; "mounts[].x" is member x of each item
 *   type     POLICY_TYPE_..., of types.h; decides syntax, storage and forms in messages
 *   owner    struct that holds member: policy, policy_mount or policy_secret
 *   default  text, read by the type's own parser, so that no second truth can drift
 *   flags    OPTIONAL: "none" is a value.  SHORTHAND: another spelling of a field below it
 *   min,max  of a number, in its base unit (bytes, ns, thousandths of a processor)
 *   levels   process, kernel, microvm, wasm: y enforced, l later (this version refuses it),
 *            n never (the level has no such thing, and refuses it)
 *   remedy   what to do where a level refuses the field
 *
 * Parsing, checking, encoding, the canonical form, the JSON Schema, the man page and the words
 * of "foso policy explain" are walks over this table.  A default differs from the design paper
 * in one place: lifetime is "none", since a deadline of 5min over every sandbox would contradict
 * any longer limits.wall; a server that keeps sandboxes sets its own.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "policy/policy.h"
#include "policy/types.h"

#define POLICY_KIB       (UINT64_C(1) << 10)
#define POLICY_MIB       (UINT64_C(1) << 20)
#define POLICY_GIB       (UINT64_C(1) << 30)
#define POLICY_MAX_SIZE  (UINT64_C(1) << 52) /* 4 PiB: exact in every JSON reader */
#define POLICY_MAX_COUNT ((UINT64_C(1) << 53) - 1)
#define POLICY_MAX_U32   UINT64_C(4294967295)
#define POLICY_MSEC      UINT64_C(1000000)
#define POLICY_MAX_DURATION \
	(UINT64_C(100) * 86400 * 1000 * POLICY_MSEC) /* 100 days, below 2^53 ns */

/* clang-format off */
#define POLICY_FIELDS(FIELD)                                                                      \
	FIELD(ARGS, "args", ARG_LIST, policy, args, "", 0, 0, 0, "yyyy", "",                      \
	      "the command and its arguments, argv[0] first; a command on the command line replaces it") \
	FIELD(BACKGROUND, "background", BACKGROUND, policy, background, "kill", 0, 0, 0, "yyyy", "", \
	      "what becomes of processes that outlive their command: kill them, or keep them listed and killable") \
	FIELD(CWD, "cwd", GUEST_PATH, policy, cwd, "", 0, 0, 0, "yyyn",                           \
	      "remove it: a Wasm module has no working directory",                                \
	      "working directory inside; by default /workspace if there is one, else the user's home or /") \
	FIELD(DEVICES, "devices", DEVICE_LIST, policy, devices, "", 0, 0, 0, "ynnn",              \
	      "remove it, or use level: process",                                                 \
	      "devices by their name below /dev, beyond null, zero, full, random, urandom and tty, which are always there") \
	FIELD(ENV, "env", ENV, policy, env, "", 0, 0, 0, "yyyy", "",                              \
	      "environment of the command: only what is named here, nothing is inherited")        \
	FIELD(EVIDENCE, "evidence", BOOL, policy, evidence.is_on, "on", POLICY_FIELD_SHORTHAND, 0, 0, "yyyy", "", \
	      "short for evidence.enabled")                                                       \
	FIELD(EVIDENCE_ENABLED, "evidence.enabled", BOOL, policy, evidence.is_on, "on", 0, 0, 0, "yyyy", "", \
	      "whether the run appends a record to the evidence log")                             \
	FIELD(EVIDENCE_PATH, "evidence.path", HOST_PATH, policy, evidence.path, "", 0, 0, 0, "yyyy", "", \
	      "folder of the evidence log; by default /var/lib/foso/evidence, or the user's data folder") \
	FIELD(EVIDENCE_SIGN, "evidence.sign", HOST_PATH, policy, evidence.sign, "", 0, 0, 0, "yyyy", "", \
	      "Ed25519 private key (PEM file) that signs the records")                            \
	FIELD(HOSTNAME, "hostname", HOSTNAME, policy, hostname, "", 0, 0, 0, "yyyn",              \
	      "remove it: a Wasm module sees no host name",                                       \
	      "host name inside; by default foso")                                                \
	FIELD(IDLE, "idle", DURATION, policy, idle_ns, "none", POLICY_FIELD_OPTIONAL,             \
	      POLICY_MSEC, POLICY_MAX_DURATION, "yyyn",                                           \
	      "remove it: a Wasm run ends with its call",                                         \
	      "how long a sandbox may stand without a running command")                           \
	FIELD(LEVEL, "level", LEVEL, policy, level, "auto", 0, 0, 0, "yyyy", "",                  \
	      "isolation level; auto takes the strongest that can honour the whole policy on this host") \
	FIELD(LIFETIME, "lifetime", DURATION, policy, lifetime_ns, "none", POLICY_FIELD_OPTIONAL, \
	      POLICY_MSEC, POLICY_MAX_DURATION, "yyyn",                                           \
	      "remove it: a Wasm run ends with its call",                                         \
	      "how long a sandbox may exist, whatever runs in it; no shorter than limits.wall")   \
	FIELD(LIMITS_CPU_TIME, "limits.cpu_time", DURATION, policy, limits.cpu_time_ns, "none", POLICY_FIELD_OPTIONAL, \
	      POLICY_MSEC, POLICY_MAX_DURATION, "yyyy", "",                                       \
	      "processor time of the whole tree of processes")                                    \
	FIELD(LIMITS_CPUS, "limits.cpus", CPUS, policy, limits.cpus_milli, "1", POLICY_FIELD_OPTIONAL, \
	      10, 1024000, "yyyy", "",                                                            \
	      "share of processors, and what nproc says inside (rounded up)")                     \
	FIELD(LIMITS_DISK, "limits.disk", SIZE, policy, limits.disk_bytes, "1GiB", POLICY_FIELD_OPTIONAL, \
	      0, POLICY_MAX_SIZE, "yyyy", "",                                                     \
	      "bytes that the sandbox may write outside of rw mounts")                            \
	FIELD(LIMITS_DISK_INODES, "limits.disk_inodes", COUNT, policy, limits.disk_inodes, "262144", POLICY_FIELD_OPTIONAL, \
	      0, POLICY_MAX_U32, "yyyy", "",                                                      \
	      "files and folders that the sandbox may create outside of rw mounts")               \
	FIELD(LIMITS_FILE_SIZE, "limits.file_size", SIZE, policy, limits.file_size_bytes, "none", POLICY_FIELD_OPTIONAL, \
	      0, POLICY_MAX_SIZE, "yyyy", "remove it: a Wasm module writes no files in this version", \
	      "bytes of one file; none leaves it to limits.disk")                                 \
	FIELD(LIMITS_FILES, "limits.files", COUNT, policy, limits.files, "1024", POLICY_FIELD_OPTIONAL, \
	      8, 1048576, "yyyy", "",                                                             \
	      "open descriptors of one process")                                                  \
	FIELD(LIMITS_FUEL, "limits.fuel", COUNT, policy, limits.fuel, "none", POLICY_FIELD_OPTIONAL, \
	      1, POLICY_MAX_COUNT, "nnny",                                                        \
	      "remove it and bound the run by limits.cpu_time, or use level: wasm",               \
	      "Wasm instructions that the run may execute")                                       \
	FIELD(LIMITS_INSTANCES, "limits.instances", COUNT, policy, limits.instances, "none", POLICY_FIELD_OPTIONAL, \
	      1, POLICY_MAX_U32, "nnny",                                                          \
	      "remove it, or use level: wasm",                                                    \
	      "Wasm instances in the store")                                                      \
	FIELD(LIMITS_MEMORY, "limits.memory", SIZE, policy, limits.memory_bytes, "512MiB", POLICY_FIELD_OPTIONAL, \
	      POLICY_MIB, POLICY_MAX_SIZE, "yyyy", "",                                            \
	      "memory of the whole tree of processes, swap and tmpfs included")                   \
	FIELD(LIMITS_OUTPUT, "limits.output", SIZE, policy, limits.output_bytes, "1GiB", POLICY_FIELD_OPTIONAL, \
	      0, POLICY_MAX_SIZE, "yyyy", "",                                                     \
	      "bytes of stdout and stderr of one command together")                               \
	FIELD(LIMITS_PIDS, "limits.pids", COUNT, policy, limits.pids, "128", POLICY_FIELD_OPTIONAL, \
	      1, 4194304, "yyyy", "",                                                             \
	      "processes and threads, those of root inside included")                             \
	FIELD(LIMITS_STACK, "limits.stack", SIZE, policy, limits.stack_bytes, "none", POLICY_FIELD_OPTIONAL, \
	      4 * POLICY_KIB, POLICY_GIB, "nnny",                                                 \
	      "remove it: limits.memory bounds the stack too, or use level: wasm",                \
	      "bytes of the Wasm stack")                                                          \
	FIELD(LIMITS_STRICT, "limits.strict", BOOL, policy, limits.is_strict, "false", 0, 0, 0, "yyyy", "", \
	      "refuse any limit that this host's kernel does not itself hold for the whole tree") \
	FIELD(LIMITS_TABLES, "limits.tables", COUNT, policy, limits.tables, "none", POLICY_FIELD_OPTIONAL, \
	      0, POLICY_MAX_U32, "nnny",                                                          \
	      "remove it, or use level: wasm",                                                    \
	      "Wasm tables in the store")                                                         \
	FIELD(LIMITS_WALL, "limits.wall", DURATION, policy, limits.wall_ns, "60s", POLICY_FIELD_OPTIONAL, \
	      POLICY_MSEC, POLICY_MAX_DURATION, "yyyy", "",                                       \
	      "deadline of a command by the clock on the wall; it ends the whole tree")           \
	FIELD(MODULE, "module", HOST_PATH, policy, module, "", 0, 0, 0, "nnny",                   \
	      "remove it and name the command in args, or use level: wasm",                       \
	      "Wasm module or component to run")                                                  \
	FIELD(MOUNTS, "mounts", MOUNTS, policy, mounts, "", 0, 0, 0, "yyyy",                      \
	      "remove it and pass data through stdin and stdout, or use level: process",          \
	      "further host folders and files, and tmpfs: HOST:GUEST[:ro|rw|overlay], tmpfs:GUEST[:SIZE], or the four fields") \
	FIELD(MOUNTS_ACCESS, "mounts[].access", MOUNT_ACCESS, policy_mount, access, "ro", 0, 0, 0, "yyyy", "", \
	      "overlay: a writable view whose changes are thrown away, bounded by limits.disk")   \
	FIELD(MOUNTS_SIZE, "mounts[].size", SIZE, policy_mount, size_bytes, "none", POLICY_FIELD_OPTIONAL, \
	      4 * POLICY_KIB, POLICY_MAX_SIZE, "yyyy", "",                                        \
	      "of a tmpfs; none leaves it to limits.disk")                                        \
	FIELD(MOUNTS_SOURCE, "mounts[].source", HOST_PATH, policy_mount, source, "", 0, 0, 0, "yyyy", "", \
	      "path on this host; none for tmpfs")                                                \
	FIELD(MOUNTS_TARGET, "mounts[].target", TARGET, policy_mount, target, "", 0, 0, 0, "yyyy", "", \
	      "absolute path inside; not / and nothing below /proc, /dev or /sys")                \
	FIELD(NETWORK, "network", NETWORK, policy, network.is_present, "none", 0, 0, 0, "llln",   \
	      "remove it: without it the sandbox has no network at all",                          \
	      "absent or none: no network at all; else only what its rules allow")                \
	FIELD(NETWORK_ALLOW, "network.allow", ENDPOINT_LIST, policy, network.allow, "", 0, 0, 0, "llln", \
	      "remove network: without it the sandbox has no network at all",                     \
	      "what may be reached: HOST[:PORT][/tcp], *.HOST, an address or an address range")   \
	FIELD(NETWORK_DENY, "network.deny", ENDPOINT_LIST, policy, network.deny, "", 0, 0, 0, "llln", \
	      "remove network: without it the sandbox has no network at all",                     \
	      "what may not be reached; wins over allow")                                         \
	FIELD(NETWORK_HTTP, "network.http", HTTP_LIST, policy, network.http, "", 0, 0, 0, "llln", \
	      "remove network: without it the sandbox has no network at all",                     \
	      "requests that pass, as METHOD HOST/PATH; * ends a path; hosts without a rule are not bound") \
	FIELD(NETWORK_PORTS, "network.ports", PORT_LIST, policy, network.ports, "", 0, 0, 0, "llln", \
	      "remove network: without it the sandbox has no network at all",                     \
	      "TCP ports of the sandbox that may be reached from outside")                        \
	FIELD(NETWORK_PRIVATE, "network.private", RANGE_LIST, policy, network.private_ranges, "", 0, 0, 0, "llln", \
	      "remove network: without it the sandbox has no network at all",                     \
	      "private address ranges that allow may reach, by explicit exception")               \
	FIELD(ON_EXPIRY, "on_expiry", EXPIRY, policy, on_expiry, "kill", 0, 0, 0, "yyyy", "",     \
	      "what happens when lifetime or idle has run out")                                   \
	FIELD(ROOT, "root", ROOT, policy, root, "host", 0, 0, 0, "yyyy", "",                      \
	      "root file system: host (a read-only, masked view of this machine's system folders), dir:PATH, image:NAME, none") \
	FIELD(RUNTIME, "runtime", RUNTIME, policy, runtime, "none", 0, 0, 0, "nnny",              \
	      "remove it, or use level: wasm",                                                    \
	      "language runtime that takes the place of a module: args are those of its own command line") \
	FIELD(SECRETS, "secrets", SECRETS, policy, secrets, "", 0, 0, 0, "llll",                  \
	      "remove it: nothing could replace the placeholder without a network",               \
	      "credentials that the sandbox uses without seeing them: inside is a placeholder")   \
	FIELD(SECRETS_FROM, "secrets[].from", SECRET_SOURCE, policy_secret, from, "", 0, 0, 0, "llll", "", \
	      "where the value comes from: file:PATH, env:NAME of the daemon, or command:PATH that mints a short-lived token") \
	FIELD(SECRETS_HEADER, "secrets[].header", HEADER, policy_secret, header, "Authorization", 0, 0, 0, "llll", "", \
	      "HTTP header in which the placeholder is replaced")                                 \
	FIELD(SECRETS_HOSTS, "secrets[].hosts", HOST_LIST, policy_secret, hosts, "", 0, 0, 0, "llll", "", \
	      "hosts to which the value may go")                                                  \
	FIELD(SECRETS_NAME, "secrets[].name", NAME, policy_secret, name, "", 0, 0, 0, "llll", "", \
	      "environment variable inside that holds the placeholder")                           \
	FIELD(SECRETS_TTL, "secrets[].ttl", DURATION, policy_secret, ttl_ns, "none", POLICY_FIELD_OPTIONAL, \
	      POLICY_MSEC, POLICY_MAX_DURATION, "llll", "",                                       \
	      "how long a value is used before it is fetched again")                              \
	FIELD(SYSCALLS, "syscalls", PROFILE, policy, syscalls.profile, "default", POLICY_FIELD_SHORTHAND, 0, 0, "yyyn", "", \
	      "short for syscalls.profile")                                                       \
	FIELD(SYSCALLS_ALLOW, "syscalls.allow", SYSCALL_LIST, policy, syscalls.allow, "", 0, 0, 0, "ynnn", \
	      "remove it, or use level: process",                                                 \
	      "system calls that the profile denies and this sandbox may make")                   \
	FIELD(SYSCALLS_DENY, "syscalls.deny", SYSCALL_LIST, policy, syscalls.deny, "", 0, 0, 0, "ynnn", \
	      "remove it, or use level: process",                                                 \
	      "system calls that the profile allows and this sandbox may not make; wins over allow") \
	FIELD(SYSCALLS_NAMESPACES, "syscalls.namespaces", BOOL, policy, syscalls.may_nest, "false", 0, 0, 0, "ynnn", \
	      "remove it, or use level: process",                                                 \
	      "whether new namespaces may be made inside (nested sandboxes, browsers)")           \
	FIELD(SYSCALLS_PROFILE, "syscalls.profile", PROFILE, policy, syscalls.profile, "default", 0, 0, 0, "yyyy", "", \
	      "which system calls the commands may make")                                         \
	FIELD(USER, "user", USER, policy, user, "", 0, 0, 0, "yyyn",                              \
	      "remove it: a Wasm module has no user",                                             \
	      "user inside: NAME or UID, either with :GROUP; by default the root's own default")  \
	FIELD(WORKSPACE, "workspace", WORKSPACE, policy, workspace, "none", POLICY_FIELD_SHORTHAND, 0, 0, "yyyy", "", \
	      "short for workspace.path and workspace.access: PATH[:ro|rw|overlay]")              \
	FIELD(WORKSPACE_ACCESS, "workspace.access", WORKSPACE_ACCESS, policy, workspace.access, "ro", 0, 0, 0, "yyyy", "", \
	      "ro, rw, or overlay (changes wait for diff, commit or discard)")                    \
	FIELD(WORKSPACE_CHANGES, "workspace.changes", ID, policy, workspace.changes, "", 0, 0, 0, "ylly", \
	      "remove it: the run then begins with the host's folder",                            \
	      "access overlay: the change set to go on with, such as one that foso fork made; by default a new one") \
	FIELD(WORKSPACE_PATH, "workspace.path", HOST_PATH, policy, workspace.path, "", 0, 0, 0, "yyyy", \
	      "remove it and pass data through stdin and stdout, or use level: process",          \
	      "host folder that is seen at /workspace")                                           \
	FIELD(WORKSPACE_PLACEHOLDERS, "workspace.placeholders", NAME_LIST, policy, workspace.placeholders, "", 0, 0, 0, "ylly", \
	      "remove it: .env files are then hidden as a whole",                                 \
	      "variables whose values are replaced by placeholders in .env files, which are then shown; * replaces all") \
	FIELD(WORKSPACE_REDACT, "workspace.redact", GLOB_LIST, policy, workspace.redact, "", 0, 0, 0, "ylly", \
	      "remove it, and keep what must not be seen out of the workspace",                   \
	      "globs below the workspace that the sandbox sees empty or not at all, beyond workspace.secrets; !GLOB shows again") \
	FIELD(WORKSPACE_REDACT_AS, "workspace.redact_as", REDACT_AS, policy, workspace.redact_as, "empty", 0, 0, 0, "yyyy", "", \
	      "how a hidden file looks inside: empty, or absent (not with access rw)")            \
	FIELD(WORKSPACE_SECRETS, "workspace.secrets", SHOW_SECRETS, policy, workspace.secrets, "hide", 0, 0, 0, "yyyy", "", \
	      "private keys, .env files, credentials of clouds and registries, browser profiles: hide or show them")
/* clang-format on */

enum policy_field_flag {
	POLICY_FIELD_OPTIONAL = 1u << 0,
	POLICY_FIELD_SHORTHAND = 1u << 1,
};

enum policy_field_id {
#define POLICY_FIELD_ENUM(id, ...) POLICY_FIELD_##id,
	POLICY_FIELDS(POLICY_FIELD_ENUM)
#undef POLICY_FIELD_ENUM
		POLICY_N_FIELDS
};

enum policy_owner { POLICY_OWNER_policy, POLICY_OWNER_policy_mount, POLICY_OWNER_policy_secret };

/* One row.  Text lies inside the row, so the table needs no relocation at program start. */
struct policy_field {
	char name[24];
	char initial[14];
	char levels[5]; /* 'y', 'l' or 'n', in the order process, kernel, microvm, wasm */
	uint8_t type;   /* enum policy_type */
	uint8_t owner;  /* enum policy_owner */
	uint8_t flags;
	uint16_t offset; /* in the owner */
	uint64_t min, max;
};

extern const struct policy_field policy_fields[POLICY_N_FIELDS];

/* policy_field_find() - the row of a name such as "limits.wall" or "mounts[].size"; or NULL. */
const struct policy_field *policy_field_find(const char *name, size_t len);

/*
 * policy_field_nearest() - the name that was probably meant, or NULL
 *
 * Looks at spelling ("limits.memry"), at a missing group ("memory") and at a cut end
 * ("limits.mem").
 */
const char *policy_field_nearest(const char *name);

/* policy_field_is_group() - true for "limits": no field itself, but fields lie below it. */
bool policy_field_is_group(const char *name, size_t len);

/* policy_field_remedy() - the row's remedy column. */
const char *policy_field_remedy(enum policy_field_id id);

static inline enum policy_field_id policy_field_id(const struct policy_field *field)
{
	return (enum policy_field_id)(field - policy_fields);
}

/* policy_field_at() - where @field lies in @owner, a struct of the row's owner. */
static inline void *policy_field_at(const struct policy_field *field, void *owner)
{
	return (char *)owner + field->offset;
}

static inline const void *policy_field_at_const(const struct policy_field *field, const void *owner)
{
	return (const char *)owner + field->offset;
}
