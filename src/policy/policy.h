/* SPDX-License-Identifier: Apache-2.0 */
/*
 * policy.h - what a sandbox may do, in the one vocabulary of all levels
 *
 * A policy is plain data.  It is filled by text (policy/text), by options of the CLI or by the
 * public API, all through policy_set(); checked by policy_check(); frozen into bytes by
 * policy_encode(); and named in evidence by the SHA-256 of its canonical form.  The table of
 * fields is fields.h: names, types, defaults, units, and which level can enforce what.
 *
 * All strings are owned by the policy and NUL-terminated; none is NULL unless its line says so.
 * Arrays are read by anyone, but grow through policy_set() only, which allocates in steps.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/error.h"
#include "policy/runtimes.h"

enum policy_level {
	POLICY_LEVEL_AUTO,
	POLICY_LEVEL_PROCESS,
	POLICY_LEVEL_KERNEL,
	POLICY_LEVEL_MICROVM,
	POLICY_LEVEL_WASM,
	POLICY_N_LEVELS
};

enum policy_root {
	POLICY_ROOT_HOST,  /* a read-only, masked view of this machine's system folders */
	POLICY_ROOT_DIR,   /* an unpacked root file system at root_path */
	POLICY_ROOT_IMAGE, /* an image of the store, by name in root_path */
	POLICY_ROOT_NONE,
};

enum policy_access {
	POLICY_ACCESS_RO,
	POLICY_ACCESS_RW,
	POLICY_ACCESS_OVERLAY,
	POLICY_ACCESS_TMPFS
};
enum policy_redact_as { POLICY_REDACT_EMPTY, POLICY_REDACT_ABSENT };
enum policy_secrets { POLICY_SECRETS_HIDE, POLICY_SECRETS_SHOW };
enum policy_background { POLICY_BACKGROUND_KILL, POLICY_BACKGROUND_KEEP };
enum policy_profile { POLICY_PROFILE_DEFAULT, POLICY_PROFILE_STRICT };
enum policy_expiry { POLICY_EXPIRY_KILL, POLICY_EXPIRY_PAUSE };

/* A limit that is not set.  Zero is a value (limits.disk: 0), so it cannot stand for "none". */
#define POLICY_UNLIMITED UINT64_MAX

#define POLICY_MAX_MOUNTS        64
#define POLICY_MAX_ENV           1024
#define POLICY_MAX_ARGS          262144 /* their pointers alone then fill what Linux takes, 2 MiB */
#define POLICY_MAX_SYSCALLS      128    /* in syscalls.allow and syscalls.deny together */
#define POLICY_MAX_DEVICES       16
#define POLICY_MAX_RULES         256 /* network.allow, network.deny, redact, ... each */
#define POLICY_MAX_SECRETS       32
#define POLICY_MAX_STRING_BYTES  131071        /* of one argument or NAME=VALUE (Linux) */
#define POLICY_MAX_TEXT_BYTES    (1024 * 1024) /* of a policy document */
#define POLICY_MAX_ENCODED_BYTES (4 * 1024 * 1024)

struct policy_mount {
	char *source; /* host path as the user wrote it; "" for tmpfs */
	char *target; /* absolute path inside, normalised, never "/" */
	enum policy_access access;
	uint64_t size_bytes; /* tmpfs only; POLICY_UNLIMITED: bounded by limits.disk alone */
};

struct policy_env {
	char *name;
	char *value;
};

struct policy_list {
	char **items;
	size_t n_items;
};

/* A credential that the sandbox uses without seeing it.  No level serves them yet: refused. */
struct policy_secret {
	char *name;   /* of the environment variable that holds the placeholder */
	char *from;   /* "file:PATH", "env:NAME" or "command:PATH" */
	char *header; /* HTTP header in which the placeholder is replaced */
	struct policy_list hosts;
	uint64_t ttl_ns;
};

struct policy_limits {
	uint64_t wall_ns;
	uint64_t cpu_time_ns;
	uint64_t cpus_milli; /* 1000 is one processor */
	uint64_t memory_bytes;
	uint64_t pids;
	uint64_t disk_bytes;
	uint64_t disk_inodes;
	uint64_t files;           /* open descriptors of one process */
	uint64_t file_size_bytes; /* of one file */
	uint64_t output_bytes;    /* stdout + stderr of one command */
	uint64_t fuel;            /* wasm only, as are the next three */
	uint64_t tables;
	uint64_t instances;
	uint64_t stack_bytes;
	bool is_strict;
};

struct policy {
	enum policy_level level;
	enum policy_root root;
	char *root_path;             /* "" unless dir or image */
	char *module;                /* "" if none; wasm only */
	enum policy_runtime runtime; /* wasm only, in the place of a module */
	struct {
		char *path; /* "" if there is no workspace */
		enum policy_access access;
		char *changes;             /* id of a change set to go on with; "" for a new one */
		struct policy_list redact; /* globs; behind a "!" what is shown again */
		struct policy_list placeholders; /* variables of .env files, by name */
		enum policy_redact_as redact_as;
		enum policy_secrets secrets; /* what foso itself takes for secret */
	} workspace;
	struct policy_mount *mounts;
	size_t n_mounts;
	struct policy_env *env; /* sorted by name, each name once */
	size_t n_env;
	struct policy_list args; /* the command: argv[0..] */
	char *cwd;      /* "" means: /workspace if there is one, else the user's home or / */
	char *user;     /* NAME, UID, or either with :GROUP; "" means the root's default */
	char *hostname; /* "" means fresh: "foso" */
	struct policy_limits limits;
	struct {
		bool is_present; /* absent: no network at all */
		struct policy_list allow, deny, http, private_ranges, ports;
	} network;
	struct policy_secret *secrets;
	size_t n_secrets;
	struct {
		enum policy_profile profile;
		struct policy_list allow, deny; /* system call names, known to this build */
		bool may_nest;                  /* new namespaces inside (syscalls.namespaces) */
	} syscalls;
	struct policy_list devices; /* names below /dev, beyond the ones always there */
	enum policy_background background;
	uint64_t lifetime_ns, idle_ns;
	enum policy_expiry on_expiry;
	struct {
		bool is_on;
		char *sign; /* path of an Ed25519 private key (PEM); "" for none */
		char *path; /* folder of the log; "" for the default */
	} evidence;
};

/* policy_init() - every field at its default.  Returns 0 or -ERR_SYSTEM (no memory). */
int policy_init(struct policy *policy, struct error *err) must_check;

/* policy_fini() - accepts zeroed and half-built policies, may be called twice. */
void policy_fini(struct policy *policy);

/*
 * policy_set() - give one field a value, from text
 * @name:  field as the user writes it: "limits.memory", "root", "env.PATH", "workspace.path"
 * @text:  value; units as in fields.h ("512MiB", "60s", "none", "1.5", "dir:/srv/root")
 *
 * For a list ("args", "devices", "syscalls.deny") it appends one item; a mount is written
 * "HOST:GUEST[:ro|rw|overlay]" or "tmpfs:GUEST[:SIZE]".  "mounts[0].source" gives one member of
 * an item; the first index past the end makes a new one.  "env.NAME" replaces an earlier value.
 * Scalars are read by the field's type, never guessed.
 *
 * Returns 0; -ERR_INVALID with subject = @name, the value in the message and the accepted forms
 * in the remedy; -ERR_NOT_FOUND for an unknown field (the remedy names the nearest one);
 * -ERR_LIMIT for too many items; -ERR_SYSTEM (no memory).  A failed call changes nothing.
 */
int policy_set(struct policy *policy, const char *name, const char *text, struct error *err)
	must_check;

/*
 * policy_reset() - give one field its default again; a list becomes empty
 *
 * So that a command on the command line can replace the args of a document.  Errors as above.
 */
int policy_reset(struct policy *policy, const char *name, struct error *err) must_check;

/*
 * policy_check() - everything that is wrong with the policy as such, whatever the host
 * @level:  the level that shall run it; POLICY_LEVEL_AUTO checks what holds for all
 *
 * Contradictions, values out of range and fields that @level cannot enforce (by the table)
 * land in @errors, each with field, level and remedy.  Returns 0, or -code of the first.
 */
int policy_check(const struct policy *policy, enum policy_level level, struct error_list *errors)
	must_check;

/*
 * policy_encode() / policy_decode() - the policy as bytes of the wire format (wire/codec.h)
 *
 * decode() treats the bytes as hostile: every length, enum and bound is checked, and trailing
 * bytes are an error.  On failure (-ERR_PROTOCOL) *policy is left released.
 */
void policy_encode(const struct policy *policy, struct buf *out);
int policy_decode(struct policy *ret_policy, const void *bytes, size_t len, struct error *err)
	must_check;

/*
 * policy_canonical() - the canonical JSON: keys sorted, defaults filled in, units as numbers
 *
 * Two policies mean the same if and only if these bytes are the same, so what has no order
 * (mounts, rules, devices, system calls) is sorted and doubles are dropped.  Numbers are bytes,
 * nanoseconds, thousandths of a processor; "none" is null.  Strings that are not UTF-8 become
 * {"hex":...}.  Values of env are replaced by their SHA-256, since evidence must not store what
 * could be a credential.
 */
void policy_canonical(const struct policy *policy, struct buf *out);

/* policy_digest() - SHA-256 of the canonical form. */
int policy_digest(const struct policy *policy, uint8_t ret_digest[32], struct error *err)
	must_check;

const char *policy_level_name(enum policy_level level); /* "process" */

/*
 * policy_env_join() - NAME=VALUE strings, as execve() takes them
 *
 * 0, or -1 without memory; either way the caller frees what is in *ret.
 */
int policy_env_join(const struct policy_env *env, size_t n_env, struct policy_list *ret) must_check;
